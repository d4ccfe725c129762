#pragma once

#include <string>
#include <vector>

/// The address of a function of a library that other builds load at run time, or nullptr in those
/// builds. A self-contained program has the library inside (docs/adr/0058).
#ifdef SPOOR_SELF_CONTAINED
#define SPOOR_LINKED(function) (&::function)
#else
#define SPOOR_LINKED(function) nullptr
#endif

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
