#include "base/shared_library.h"

#include <dlfcn.h>

namespace spoor {

SharedLibrary::SharedLibrary(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    // Local, so that the library's own libcrypto does not conflict with ours.
    handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
  }
}

void* SharedLibrary::address(const char* name) const {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

}  // namespace spoor
