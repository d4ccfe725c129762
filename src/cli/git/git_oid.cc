#define OPENSSL_SUPPRESS_DEPRECATED  // The low-level functions: see store/sha256.h.
#include "cli/git/git_oid.h"

#include <new>

#include <openssl/sha.h>

namespace spoor::cli::git {
namespace {

SHA_CTX* context_in(std::array<unsigned char, 96>& bytes) {
  static_assert(sizeof(SHA_CTX) <= sizeof bytes && alignof(SHA_CTX) <= 8);
  return std::launder(reinterpret_cast<SHA_CTX*>(bytes.data()));
}

}  // namespace

std::string GitOid::hex() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

Sha1::Sha1() : context_{} { SHA1_Init(new (context_.data()) SHA_CTX); }

Sha1& Sha1::add(std::string_view bytes) {
  SHA1_Update(context_in(context_), bytes.data(), bytes.size());
  return *this;
}

GitOid Sha1::finish() {
  GitOid oid;
  SHA1_Final(oid.bytes.data(), context_in(context_));
  return oid;
}

}  // namespace spoor::cli::git
