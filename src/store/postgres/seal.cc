#include "store/postgres/seal.h"

#include <memory>
#include <new>

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <zstd.h>

#include "base/big_endian.h"
#include "store/sha256.h"

namespace spoor::store::postgres {
namespace {

constexpr std::size_t kTag = 16;
constexpr int kLevel = 3;
// Larger texts are not compressed: the limit is a blob of 1 MiB and its salt. So no frame makes
// more of itself than that.
constexpr std::size_t kMostCompressed = (1U << 20U) + 16;
constexpr char kPlain = 0;
constexpr char kFrame = 1;

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

void require(bool is_done) {
  if (!is_done) throw std::bad_alloc();
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* bytes_of(std::string& text, std::size_t at = 0) {
  return reinterpret_cast<unsigned char*>(text.data() + at);
}

template <std::size_t size>
std::array<std::uint8_t, size> random_array() {
  std::array<std::uint8_t, size> bytes{};
  require(RAND_bytes(bytes.data(), static_cast<int>(size)) == 1);
  return bytes;
}

// One for each thread, as making one takes longer than a short text.
EVP_CIPHER_CTX* context() {
  static const EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr);
  thread_local const Cipher own = [] {
    Cipher made(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
    require(made && cipher != nullptr &&
            EVP_CipherInit_ex(made.get(), cipher, nullptr, nullptr, nullptr, 1) == 1);
    return made;
  }();
  return own.get();
}

std::string packed(std::string_view text) {
  std::string made(1, kFrame);
  if (text.size() <= kMostCompressed) {
    made.resize(1 + ZSTD_compressBound(text.size()));
    const std::size_t size =
        ZSTD_compress(made.data() + 1, made.size() - 1, text.data(), text.size(), kLevel);
    if (ZSTD_isError(size) == 0 && size < text.size()) {
      made.resize(1 + size);
      return made;
    }
  }
  made.assign(1, kPlain);
  return made.append(text);
}

std::optional<std::string> unpacked(std::string_view made) {
  if (made.empty()) return std::nullopt;
  const std::string_view inner = made.substr(1);
  if (made[0] == kPlain) return std::string(inner);
  const auto size = ZSTD_getFrameContentSize(inner.data(), inner.size());
  if (made[0] != kFrame || size > kMostCompressed) return std::nullopt;
  std::string text(size, '\0');
  const bool is_whole = ZSTD_decompress(text.data(), size, inner.data(), inner.size()) == size;
  return is_whole ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace

std::string encrypt(const Key& key, const Nonce& nonce, std::string_view about,
                    std::string_view text) {
  const std::string plain = packed(text);
  std::string made(nonce.size() + plain.size() + kTag, '\0');
  std::copy(nonce.begin(), nonce.end(), made.begin());
  int size = 0;
  EVP_CIPHER_CTX* const with = context();
  require(EVP_CipherInit_ex(with, nullptr, nullptr, key.data(), nonce.data(), 1) == 1);
  require(EVP_CipherUpdate(with, nullptr, &size, bytes_of(about), static_cast<int>(about.size())) ==
          1);
  require(EVP_CipherUpdate(with, bytes_of(made, nonce.size()), &size, bytes_of(plain),
                           static_cast<int>(plain.size())) == 1);
  require(EVP_CipherFinal_ex(with, bytes_of(made, nonce.size() + plain.size()), &size) == 1);
  require(EVP_CIPHER_CTX_ctrl(with, EVP_CTRL_AEAD_GET_TAG, kTag,
                              bytes_of(made, nonce.size() + plain.size())) == 1);
  return made;
}

std::optional<std::string> decrypt(const Key& key, std::string_view about,
                                   std::string_view encrypted) {
  constexpr std::size_t kNonce = std::tuple_size_v<Nonce>;
  if (encrypted.size() < kNonce + kTag) return std::nullopt;
  std::string tag(encrypted.substr(encrypted.size() - kTag));
  const std::string_view inner = encrypted.substr(kNonce, encrypted.size() - kNonce - kTag);
  std::string plain(inner.size(), '\0');
  int size = 0;
  EVP_CIPHER_CTX* const with = context();
  const bool is_it =
      EVP_CipherInit_ex(with, nullptr, nullptr, key.data(), bytes_of(encrypted), 0) == 1 &&
      EVP_CipherUpdate(with, nullptr, &size, bytes_of(about), static_cast<int>(about.size())) ==
          1 &&
      EVP_CipherUpdate(with, bytes_of(plain), &size, bytes_of(inner),
                       static_cast<int>(inner.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(with, EVP_CTRL_AEAD_SET_TAG, kTag, bytes_of(tag)) == 1 &&
      EVP_CipherFinal_ex(with, bytes_of(plain, plain.size()), &size) == 1;
  return is_it ? unpacked(plain) : std::nullopt;
}

Nonce random_nonce() { return random_array<std::tuple_size_v<Nonce>>(); }

Key random_key() { return random_array<std::tuple_size_v<Key>>(); }

std::uint64_t address_of(const Oid& oid, Edition edition) {
  const char byte = static_cast<char>(edition);
  return big_endian(sha256(oid.view(), std::string_view(&byte, 1)).view().substr(0, 8));
}

}  // namespace spoor::store::postgres
