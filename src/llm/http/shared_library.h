#pragma once

#include <string>
#include <vector>

namespace spoor::llm::http {

/// A shared library that is loaded while the program runs. Stays loaded until the process ends: the
/// threads and handlers that a library leaves behind would outlive it otherwise.
class SharedLibrary {
 public:
  /// Tries the names in order. Not loaded when none of them can be.
  explicit SharedLibrary(const std::vector<std::string>& names);

  bool is_loaded() const { return handle_ != nullptr; }

  /// Sets `function` to the library's function of that name. False: it has none.
  template <class Function>
  bool find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(address(name));
    return function != nullptr;
  }

 private:
  void* address(const char* name) const;

  void* handle_ = nullptr;
};

}  // namespace spoor::llm::http
