#pragma once

#include <string>
#include <vector>

namespace spoor {

/// A shared library that is loaded at run time. It stays loaded until the process ends, because a
/// library may leave threads and handlers running.
class SharedLibrary {
 public:
  /// Tries the names in order. is_loaded() is false if all fail.
  explicit SharedLibrary(const std::vector<std::string>& names);

  bool is_loaded() const { return handle_ != nullptr; }

  /// Sets `function` to the library's function `name`. Returns false if there is none.
  template <class Function>
  bool find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(address(name));
    return function != nullptr;
  }

 private:
  void* address(const char* name) const;

  void* handle_ = nullptr;
};

}  // namespace spoor
