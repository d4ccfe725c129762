#include "c/guarded.h"

#include <cstdlib>
#include <cstring>

namespace spoor::c {
namespace {

struct LastError {
  int32_t code = SPOOR_OK;
  std::string message;
  std::string hint;
};

thread_local LastError last;

int32_t keep(int32_t code, std::string_view message, std::string_view hint) noexcept {
  last.code = code;
  try {
    last.message = message;
    last.hint = hint;
  } catch (...) {
    last.message.clear();
    last.hint.clear();
  }
  return code;
}

}  // namespace

int32_t fail(const Error& error) noexcept {
  return keep(number_of(error.code), error.message, error.hint);
}

int32_t fail_with_bug(std::string_view what) noexcept {
  return keep(SPOOR_BUG, what, "this is a bug of spoor: please report it");
}

Result<int32_t> give(std::string_view bytes, spoor_buffer& to) {
  auto* copy = static_cast<char*>(std::malloc(bytes.size() + 1));
  if (copy == nullptr) return unavailable("out of memory");
  std::memcpy(copy, bytes.data(), bytes.size());
  copy[bytes.size()] = '\0';
  to = {copy, bytes.size()};
  return SPOOR_OK;
}

extern "C" {

const char* spoor_version(void) { return SPOOR_VERSION; }

void spoor_free(void* data) { std::free(data); }

void spoor_last_error(spoor_error* error) {
  if (error == nullptr) return;
  *error = {last.code, borrowed(last.message), borrowed(last.hint)};
}

const char* spoor_code_name(int32_t code) {
  if (code == SPOOR_DONE) return "done";
  if (code == SPOOR_OK) return "ok";
  if (code == SPOOR_BUG) return "bug";
  return name_of(static_cast<Error::Code>(code - 1));
}

}  // extern "C"

}  // namespace spoor::c
