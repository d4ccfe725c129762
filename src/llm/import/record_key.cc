#include "llm/import/record_key.h"

#include "store/sha256.h"

namespace spoor::llm::import {

RecordKey RecordKey::of(std::string_view text) {
  const store::Oid hash = store::sha256(text);
  RecordKey key;
  std::memcpy(key.bytes.data(), hash.bytes.data(), key.bytes.size());
  return key;
}

}  // namespace spoor::llm::import
