#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

struct ZSTD_CCtx_s;
struct ZSTD_CDict_s;
struct ZSTD_DCtx_s;
struct ZSTD_DDict_s;

namespace spoor::store::sqlite {

/// The number of a dictionary in its store; 0: none.
using DictionaryNumber = std::uint32_t;

/// Larger bodies are stored uncompressed: the limit is a blob of 1 MiB and its salt.
inline constexpr std::size_t kMostCompressed = (1U << 20U) + 16;

/// The most bytes of a dictionary.
inline constexpr std::size_t kMostDictionary = 384U << 10U;

/// Trains a dictionary of at most `capacity` bytes from similar texts, and gives it `number`.
/// Nullopt if the samples are too few or have nothing in common.
std::optional<std::string> train_dictionary(DictionaryNumber number,
                                            std::span<const std::string> samples,
                                            std::size_t capacity);

/// Returns a dictionary in its stored form: a zstd frame.
std::string pack_dictionary(std::string_view dictionary);

/// Unpacks a dictionary. Nullopt unless it is a frame of a dictionary with this number and at most
/// kMostDictionary bytes.
std::optional<std::string> unpack_dictionary(DictionaryNumber number, std::string_view packed);

/// Returns whether a frame ends with its correct checksum.
bool is_sealed(std::string_view frame);

/// Returns the number of the dictionary that a frame names; 0 if it names none.
DictionaryNumber dictionary_of(std::string_view frame);

/// Decompresses the frames that Compressor makes, and caches the dictionaries last used. For one
/// thread at a time.
class Decompressor {
 public:
  /// Returns the bytes of a dictionary; nullopt if there is none with that number.
  using Lookup = std::function<std::optional<std::string>(DictionaryNumber)>;

  Decompressor() = default;
  ~Decompressor();
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  /// Returns the body; does not check the checksum. Nullopt if the frame is malformed, its
  /// dictionary is missing, or its body has more than `most` bytes (at most kMostCompressed).
  std::optional<std::string> decompress(std::string_view frame, std::size_t most,
                                        const Lookup& lookup);

 private:
  const ZSTD_DDict_s* dictionary(DictionaryNumber number, const Lookup& lookup);

  ZSTD_DCtx_s* context_ = nullptr;
  std::string frame_;
  std::vector<std::pair<DictionaryNumber, ZSTD_DDict_s*>> dictionaries_;  // Last used first.
};

/// Makes zstd frames (RFC 8878), one for each body, each with the number of its dictionary. The
/// four bytes of the magic number are removed, and a checksum is appended: the first four bytes of
/// the SHA-256 of the rest. zstd ignores some bits of a frame; the checksum detects disk errors in
/// them too. For one thread at a time.
class Compressor {
 public:
  /// `dictionary` is from train_dictionary() or empty, and is copied. Any other dictionary does not
  /// help.
  explicit Compressor(std::string_view dictionary);
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  /// Compresses a body of at most kMostCompressed bytes. Nullopt if the frame would not be
  /// considerably smaller than the body, or does not unpack to it. The view is valid until the next
  /// call.
  std::optional<std::string_view> compress(std::string_view body);

 private:
  const std::string bytes_;  // The dictionary's.
  ZSTD_CCtx_s* context_;
  ZSTD_CDict_s* dictionary_;
  Decompressor unpacking_;
  std::string frame_;
};

}  // namespace spoor::store::sqlite
