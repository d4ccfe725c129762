#include "import/record_key.h"

#include "store/sha256.h"

namespace spoor::import {

RecordKey RecordKey::of(std::string_view text) {
  const store::Oid hash = store::sha256(text);
  RecordKey key;
  std::memcpy(key.bytes.data(), hash.bytes.data(), key.bytes.size());
  return key;
}

std::string RecordKey::hex(std::size_t digits) const {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t byte : bytes) {
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 0xf]);
  }
  out.resize(digits);
  return out;
}

}  // namespace spoor::import
