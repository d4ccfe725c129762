#include "store/sqlite/compression.h"

#include <zdict.h>
#include <zstd.h>

#include <algorithm>
#include <new>
#include <vector>

#include "store/sha256.h"

namespace spoor::store::sqlite {
namespace {

// Slow and thorough, since no process waits for it; docs/benchmarks.md compares it with a faster
// one.
constexpr int kLevel = 12;

// Returns whether a frame saves enough to be worth the time to read it.
bool is_worth_it(std::size_t frame, std::size_t body) { return frame + body / 16 + 8 <= body; }

constexpr std::size_t kSeal = 4;

// The magic number of every frame, which is not stored (RFC 8878, section 3.1.1).
constexpr std::string_view kMagic = "\x28\xb5\x2f\xfd";

// The most dictionaries that a reader caches: a store has one for each doubling, a hostile store
// any number.
constexpr std::size_t kMostDictionaries = 8;

// For a dictionary, which is compressed once.
constexpr int kSlowest = 19;

std::string seal_of(std::string_view frame) {
  return std::string(sha256(frame).view().substr(0, kSeal));
}

// The trainer counts a dictionary at its uncompressed size, and so gives up on large ones.
// Therefore they are made of pieces.
constexpr std::size_t kMostTrained = 128U << 10U;

// Every `step`-th of the samples, concatenated.
struct Samples {
  Samples(std::span<const std::string> all, std::size_t first, std::size_t step) {
    for (std::size_t i = first; i < all.size(); i += step) {
      joined += all[i];
      sizes.push_back(all[i].size());
    }
  }
  unsigned count() const { return static_cast<unsigned>(sizes.size()); }

  std::string joined;
  std::vector<std::size_t> sizes;
};

std::optional<std::string> resized(std::string dictionary, std::size_t size) {
  if (ZDICT_isError(size) != 0) return std::nullopt;
  dictionary.resize(size);
  return dictionary;
}

std::optional<std::string> train_piece(const Samples& samples, std::size_t capacity) {
  std::string dictionary(capacity, '\0');
  const std::size_t size = ZDICT_trainFromBuffer(dictionary.data(), capacity, samples.joined.data(),
                                                 samples.sizes.data(), samples.count());
  return resized(std::move(dictionary), size);
}

// Makes a dictionary of these contents, with tables that suit the samples.
std::optional<std::string> finished(std::string_view contents, const Samples& samples,
                                    std::size_t capacity) {
  std::string dictionary(capacity, '\0');
  const std::size_t size = ZDICT_finalizeDictionary(
      dictionary.data(), capacity, contents.data(), contents.size(), samples.joined.data(),
      samples.sizes.data(), samples.count(), ZDICT_params_t{kLevel, 0, 0});
  return resized(std::move(dictionary), size);
}

template <class T>
T* made(T* thing) {
  if (thing == nullptr) throw std::bad_alloc();
  return thing;
}

}  // namespace

std::optional<std::string> train_dictionary(DictionaryNumber number,
                                            std::span<const std::string> samples,
                                            std::size_t capacity) {
  const std::size_t count = (capacity + kMostTrained - 1) / kMostTrained;
  std::string contents;
  for (std::size_t i = 0; i < count; ++i) {
    auto piece = train_piece(Samples(samples, i, count), capacity / count);
    if (!piece) return std::nullopt;
    if (count > 1) piece->erase(0, ZDICT_getDictHeaderSize(piece->data(), piece->size()));
    contents += *piece;
  }
  auto trained = count > 1 ? finished(contents, Samples(samples, 0, count), capacity)
                           : std::optional(contents);
  if (!trained) return std::nullopt;
  std::string& dictionary = *trained;
  // The four bytes after the magic number are the dictionary's number (RFC 8878, section 5),
  // little-endian.
  constexpr std::size_t kNumberAt = 4;
  for (std::size_t i = 0; i < sizeof number; ++i) {
    dictionary[kNumberAt + i] = static_cast<char>(number >> (8 * i) & 0xffU);
  }
  return trained;
}

std::string pack_dictionary(std::string_view dictionary) {
  std::string frame(ZSTD_compressBound(dictionary.size()), '\0');
  const std::size_t size =
      ZSTD_compress(frame.data(), frame.size(), dictionary.data(), dictionary.size(), kSlowest);
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // The buffer is large enough for any.
  frame.resize(size);
  return frame;
}

std::optional<std::string> unpack_dictionary(DictionaryNumber number, std::string_view packed) {
  std::string dictionary(kMostDictionary, '\0');
  const std::size_t size =
      ZSTD_decompress(dictionary.data(), dictionary.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) != 0) return std::nullopt;
  dictionary.resize(size);
  if (ZSTD_getDictID_fromDict(dictionary.data(), dictionary.size()) != number) return std::nullopt;
  return dictionary;
}

Compressor::Compressor(std::string_view dictionary)
    : bytes_(dictionary),
      context_(made(ZSTD_createCCtx())),
      dictionary_(bytes_.empty() ? nullptr
                                 : ZSTD_createCDict(bytes_.data(), bytes_.size(), kLevel)) {
  ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context_, ZSTD_c_contentSizeFlag, 0);  // The row has it.
  if (dictionary_ != nullptr) ZSTD_CCtx_refCDict(context_, dictionary_);
}

Compressor::~Compressor() {
  ZSTD_freeCCtx(context_);
  ZSTD_freeCDict(dictionary_);
}

std::optional<std::string_view> Compressor::compress(std::string_view body) {
  frame_.resize(ZSTD_compressBound(body.size()));
  const std::size_t size =
      ZSTD_compress2(context_, frame_.data(), frame_.size(), body.data(), body.size());
  if (ZSTD_isError(size) != 0 || !is_worth_it(size, body.size())) return std::nullopt;
  frame_.resize(size);
  frame_ += seal_of(std::string_view(frame_).substr(kMagic.size()));
  const std::string_view frame = std::string_view(frame_).substr(kMagic.size());
  const auto own = [this](DictionaryNumber) { return std::optional(bytes_); };
  if (unpacking_.decompress(frame, body.size(), own) != body) return std::nullopt;
  return frame;
}

bool is_sealed(std::string_view frame) {
  if (frame.size() <= kSeal) return false;
  const std::string_view inside = frame.substr(0, frame.size() - kSeal);
  return frame.substr(inside.size()) == seal_of(inside);
}

DictionaryNumber dictionary_of(std::string_view frame) {
  const std::string whole = std::string(kMagic).append(frame);
  return ZSTD_getDictID_fromFrame(whole.data(), whole.size());
}

Decompressor::~Decompressor() {
  ZSTD_freeDCtx(context_);
  for (const auto& [number, dictionary] : dictionaries_) ZSTD_freeDDict(dictionary);
}

const ZSTD_DDict_s* Decompressor::dictionary(DictionaryNumber number, const Lookup& lookup) {
  const auto known = std::find_if(dictionaries_.begin(), dictionaries_.end(),
                                  [number](const auto& each) { return each.first == number; });
  if (known != dictionaries_.end()) {
    std::rotate(dictionaries_.begin(), known, known + 1);
    return dictionaries_.front().second;
  }
  const auto bytes = lookup(number);
  if (!bytes) return nullptr;
  ZSTD_DDict* const read = ZSTD_createDDict(bytes->data(), bytes->size());
  if (read == nullptr) return nullptr;  // Not made by a trainer.
  dictionaries_.emplace(dictionaries_.begin(), number, read);
  if (dictionaries_.size() > kMostDictionaries) {
    ZSTD_freeDDict(dictionaries_.back().second);
    dictionaries_.pop_back();
  }
  return read;
}

std::optional<std::string> Decompressor::decompress(std::string_view frame, std::size_t most,
                                                    const Lookup& lookup) {
  if (most > kMostCompressed || frame.size() <= kSeal) return std::nullopt;
  frame.remove_suffix(kSeal);
  frame_.assign(kMagic).append(frame);
  if (context_ == nullptr) context_ = made(ZSTD_createDCtx());
  const DictionaryNumber number = ZSTD_getDictID_fromFrame(frame_.data(), frame_.size());
  const ZSTD_DDict* const with = number != 0 ? dictionary(number, lookup) : nullptr;
  if (number != 0 && with == nullptr) return std::nullopt;

  std::string body(most, '\0');
  const std::size_t size = ZSTD_decompress_usingDDict(context_, body.data(), body.size(),
                                                      frame_.data(), frame_.size(), with);
  if (ZSTD_isError(size) != 0) return std::nullopt;
  body.resize(size);
  return body;
}

}  // namespace spoor::store::sqlite
