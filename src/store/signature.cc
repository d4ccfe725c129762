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

Result<Key> open_key(std::string_view secret_key) {
  if (secret_key.size() != kSigningKeyBytes) return invalid("a signing key must have 32 bytes");
  Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes_of(secret_key),
                                       secret_key.size()),
          &EVP_PKEY_free);
  if (!key) return io_error("the cryptographic library cannot sign");
  return key;
}

}  // namespace

Result<PublicKey> public_key_of(std::string_view secret_key) {
  const Key key = TRY(open_key(secret_key));
  PublicKey made{};
  std::size_t size = made.size();
  if (EVP_PKEY_get_raw_public_key(key.get(), made.data(), &size) == 1 && size == made.size()) {
    return made;
  }
  return io_error("the cryptographic library cannot read a key");
}

Result<Signature> sign_message(std::string_view secret_key, std::string_view message) {
  const Key key = TRY(open_key(secret_key));
  const Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  Signature made{};
  std::size_t size = made.size();
  if (context && EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
      EVP_DigestSign(context.get(), made.data(), &size, bytes_of(message), message.size()) == 1 &&
      size == made.size()) {
    return made;
  }
  return io_error("the cryptographic library cannot sign");
}

bool is_signature(const PublicKey& key, std::string_view message, const Signature& signature) {
  const Key opened(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.data(), key.size()),
                   &EVP_PKEY_free);
  const Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  if (!opened || !context) return false;
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, opened.get()) == 1 &&
         EVP_DigestVerify(context.get(), signature.data(), signature.size(), bytes_of(message),
                          message.size()) == 1;
}

Result<Attest> sign(std::string_view secret_key, const Oid& target) {
  return Attest{target, TRY(public_key_of(secret_key)),
                TRY(sign_message(secret_key, attested_message(target)))};
}

bool is_genuine(const Attest& attest) {
  return is_signature(attest.key, attested_message(attest.target), attest.sig);
}

}  // namespace spoor::store
