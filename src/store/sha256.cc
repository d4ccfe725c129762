#define OPENSSL_SUPPRESS_DEPRECATED  // We use the low-level functions on purpose: see the header.
#include "store/sha256.h"

#include <openssl/sha.h>

namespace spoor::store {

Oid sha256(std::string_view first, std::string_view second, std::string_view third) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, first.data(), first.size());
  if (!second.empty()) SHA256_Update(&context, second.data(), second.size());
  if (!third.empty()) SHA256_Update(&context, third.data(), third.size());
  Oid oid;
  SHA256_Final(oid.bytes.data(), &context);
  return oid;
}

Oid hmac_sha256(std::string_view key, std::string_view message) {
  constexpr std::size_t kBlock = 64;
  const Oid short_key = sha256(key);
  if (key.size() > kBlock) key = short_key.view();
  std::string inner(kBlock, '\x36');
  std::string outer(kBlock, '\x5c');
  for (std::size_t i = 0; i < key.size(); ++i) {
    inner[i] = static_cast<char>(inner[i] ^ key[i]);
    outer[i] = static_cast<char>(outer[i] ^ key[i]);
  }
  const Oid digest = sha256(inner, message);
  return sha256(outer, digest.view());
}

}  // namespace spoor::store
