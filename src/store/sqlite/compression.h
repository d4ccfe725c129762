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

/// What is larger than this is kept as it is: a blob of 1 MiB and its salt.
inline constexpr std::size_t kMostCompressed = (1U << 20U) + 16;

/// A dictionary is never larger.
inline constexpr std::size_t kMostDictionary = 384U << 10U;

/// A dictionary of at most `capacity` bytes that is numbered `number`, of texts that are alike.
/// Nothing when the samples are too few or have nothing in common.
std::optional<std::string> train_dictionary(DictionaryNumber number,
                                            std::span<const std::string> samples,
                                            std::size_t capacity);

/// A dictionary as the file holds it: a zstd frame.
std::string pack_dictionary(std::string_view dictionary);

/// Nothing when it is no frame of a dictionary with this number, or more than kMostDictionary bytes
/// are in it.
std::optional<std::string> unpack_dictionary(DictionaryNumber number, std::string_view packed);

/// Does a frame end in the bytes of its hash?
bool is_sealed(std::string_view frame);

/// The number of the dictionary that a frame names; 0 where it names none.
DictionaryNumber dictionary_of(std::string_view frame);

/// Reads such frames, and keeps the dictionaries that it used last. For one thread at a time.
class Decompressor {
 public:
  /// The bytes of a dictionary; nothing when there is none of that number.
  using Lookup = std::function<std::optional<std::string>(DictionaryNumber)>;

  Decompressor() = default;
  ~Decompressor();
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  /// The body again; the hash is not looked at. Nothing when the frame is malformed, its dictionary
  /// is not there, or its body has more than `most` bytes, of which there may be kMostCompressed.
  std::optional<std::string> decompress(std::string_view frame, std::size_t most,
                                        const Lookup& lookup);

 private:
  const ZSTD_DDict_s* dictionary(DictionaryNumber number, const Lookup& lookup);

  ZSTD_DCtx_s* context_ = nullptr;
  std::string frame_;
  std::vector<std::pair<DictionaryNumber, ZSTD_DDict_s*>> dictionaries_;  // The last used first.
};

/// Makes zstd frames (RFC 8878), one for each body, each of which names its dictionary. They stand
/// without the four bytes of their magic number, and behind each the first four of the SHA-256 of
/// what is left: some of a frame's bits mean nothing, and a flip of them is a fault of the disk all
/// the same.
/// For one thread at a time.
class Compressor {
 public:
  /// `dictionary`: of train_dictionary(), or empty. It is copied. One that no trainer made does not
  /// help.
  explicit Compressor(std::string_view dictionary);
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  /// The frame of a body of at most kMostCompressed bytes. Nothing when it would not be a good
  /// deal smaller than the body, or did not unpack to it. A view of a buffer that the next call
  /// uses again.
  std::optional<std::string_view> compress(std::string_view body);

 private:
  const std::string bytes_;  // Of the dictionary.
  ZSTD_CCtx_s* context_;
  ZSTD_CDict_s* dictionary_;
  Decompressor unpacking_;
  std::string frame_;
};

}  // namespace spoor::store::sqlite
