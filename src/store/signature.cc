#include "store/signature.h"

#include <memory>

#include <openssl/evp.h>

namespace spoor::store {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

Result<Attest> sign(std::string_view secret_key, const Oid& target) {
  if (secret_key.size() != kSigningKeyBytes) return invalid("a signing key must have 32 bytes");
  const Error refused = io_error("the cryptographic library cannot sign");
  const Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes_of(secret_key),
                                             secret_key.size()),
                &EVP_PKEY_free);
  const Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  if (!key || !context) return refused;
  Attest attest;
  attest.target = target;
  std::size_t key_size = attest.key.size();
  std::size_t size = attest.sig.size();
  const std::string message = attested_message(target);
  const bool is_done =
      EVP_PKEY_get_raw_public_key(key.get(), attest.key.data(), &key_size) == 1 &&
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
      EVP_DigestSign(context.get(), attest.sig.data(), &size, bytes_of(message), message.size()) ==
          1;
  if (!is_done || key_size != attest.key.size() || size != attest.sig.size()) return refused;
  return attest;
}

bool is_genuine(const Attest& attest) {
  const Key key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, attest.key.data(), attest.key.size()),
      &EVP_PKEY_free);
  const Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  if (!key || !context) return false;
  const std::string message = attested_message(attest.target);
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), attest.sig.data(), attest.sig.size(), bytes_of(message),
                          message.size()) == 1;
}

}  // namespace spoor::store
