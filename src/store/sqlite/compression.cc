#include "store/sqlite/compression.h"

#define ZDICT_STATIC_LINKING_ONLY  // For fastCover, the trainer.
#include <zdict.h>
#include <zstd.h>

#include <algorithm>
#include <new>
#include <vector>

#include "store/sha256.h"

namespace spoor::store::sqlite {
namespace {

// docs/adr/0027-packing.md compares it with others.
constexpr int kLevel = 5;

// Returns whether a frame saves enough to be worth the time to read it.
bool is_worth_it(std::size_t frame, std::size_t body) { return frame + body / 16 + 8 <= body; }

constexpr std::size_t kSeal = 4;

// The magic number of every frame, which is not stored (RFC 8878, section 3.1.1).
constexpr std::string_view kMagic = "\x28\xb5\x2f\xfd";

// The most dictionaries that a reader caches: a store has one for each doubling, a hostile store
// any number.
constexpr std::size_t kMostDictionaries = 8;

std::string seal_of(std::string_view frame) {
  return std::string(sha256(frame).view().substr(0, kSeal));
}

// A dictionary is made of segments of 1 KiB, chosen by what they have in common with the samples, 8
// bytes at a time. ZDICT_trainFromBuffer tries five lengths of segments and takes longer, for no
// gain; and it gives up on large dictionaries, since it counts them at their uncompressed size.
ZDICT_fastCover_params_t training() {
  ZDICT_fastCover_params_t parameters{};
  parameters.k = 1'024;
  parameters.d = 8;
  parameters.f = 20;
  parameters.accel = 10;
  parameters.zParams.compressionLevel = kLevel;
  return parameters;
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
  std::string joined;
  std::vector<std::size_t> sizes;
  for (const std::string& sample : samples) {
    joined += sample;
    sizes.push_back(sample.size());
  }
  std::string dictionary(capacity, '\0');
  const std::size_t size =
      ZDICT_trainFromBuffer_fastCover(dictionary.data(), capacity, joined.data(), sizes.data(),
                                      static_cast<unsigned>(sizes.size()), training());
  if (ZDICT_isError(size) != 0) return std::nullopt;
  dictionary.resize(size);
  // The four bytes after the magic number are the dictionary's number (RFC 8878, section 5),
  // little-endian.
  constexpr std::size_t kNumberAt = 4;
  for (std::size_t i = 0; i < sizeof number; ++i) {
    dictionary[kNumberAt + i] = static_cast<char>(number >> (8 * i) & 0xffU);
  }
  return dictionary;
}

std::string pack_dictionary(std::string_view dictionary) {
  std::string frame(ZSTD_compressBound(dictionary.size()), '\0');
  const std::size_t size =
      ZSTD_compress(frame.data(), frame.size(), dictionary.data(), dictionary.size(), kLevel);
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
