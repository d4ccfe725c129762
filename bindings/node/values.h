#pragma once

// Values of JavaScript and of <spoor/c.h>, and how one becomes the other.
#include <node_api.h>
#include <spoor/c.h>

#include <cstdint>
#include <string>

namespace spoor::node {

inline spoor_str str(const std::string& text) { return {text.data(), text.size()}; }

// A spoor_buffer with its owner.
struct Buffer {
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { spoor_free(bytes.data); }
  spoor_buffer bytes{};
};

inline std::string hex(const spoor_id& id) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : id.bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

inline napi_value string(napi_env env, const char* data, std::size_t size) {
  napi_value value = nullptr;
  napi_create_string_utf8(env, data == nullptr ? "" : data, size, &value);
  return value;
}

inline napi_value string(napi_env env, const std::string& text) {
  return string(env, text.data(), text.size());
}

inline napi_value undefined(napi_env env) {
  napi_value value = nullptr;
  napi_get_undefined(env, &value);
  return value;
}

// Handles are numbers (see c.h): a BigInt is one.
template <class Handle>
napi_value handle(napi_env env, Handle* given) {
  napi_value value = nullptr;
  napi_create_bigint_uint64(env, reinterpret_cast<std::uintptr_t>(given), &value);
  return value;
}

// The arguments of a call. lib/addon.js gives the right types; a wrong one reads as 0 or empty.
class Arguments {
 public:
  Arguments(napi_env env, napi_callback_info info) : env_(env) {
    std::size_t count = kMost;
    napi_get_cb_info(env, info, &count, values_, nullptr, nullptr);
  }

  napi_value operator[](std::size_t index) const { return values_[index]; }
  std::string text(std::size_t index) const { return text_of(env_, values_[index]); }

  bool flag(std::size_t index) const {
    bool value = false;
    napi_get_value_bool(env_, values_[index], &value);
    return value;
  }

  std::int64_t number(std::size_t index) const {
    std::int64_t value = 0;
    napi_get_value_int64(env_, values_[index], &value);
    return value;
  }

  std::uint64_t unsigned_number(std::size_t index) const {
    std::uint64_t value = 0;
    bool lossless = false;
    napi_get_value_bigint_uint64(env_, values_[index], &value, &lossless);
    return value;
  }

  template <class Handle>
  Handle* handle(std::size_t index) const {
    return reinterpret_cast<Handle*>(static_cast<std::uintptr_t>(unsigned_number(index)));
  }

  std::string bytes(std::size_t index) const {
    void* data = nullptr;
    std::size_t size = 0;
    napi_get_buffer_info(env_, values_[index], &data, &size);
    return {static_cast<const char*>(data), size};
  }

  static std::string text_of(napi_env env, napi_value value) {
    std::size_t size = 0;
    if (napi_get_value_string_utf8(env, value, nullptr, 0, &size) != napi_ok) return {};
    std::string text(size, '\0');
    napi_get_value_string_utf8(env, value, text.data(), size + 1, &size);
    return text;
  }

 private:
  static constexpr std::size_t kMost = 8;
  napi_env env_;
  napi_value values_[kMost] = {};
};

}  // namespace spoor::node
