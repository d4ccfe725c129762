#include "proxy/content_coding.h"

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/text.h"

namespace spoor::proxy {
namespace {

using State = Decoded::State;

Decoded inflated(std::string_view body, std::size_t most) {
  z_stream stream{};
  // 32: gzip and zlib, told apart by their first bytes.
  if (inflateInit2(&stream, 15 + 32) != Z_OK) return {State::bad, {}};
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> owner(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  std::string out;
  std::array<char, 64U << 10U> buffer;
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    code = ::inflate(&stream, Z_SYNC_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
    if (out.size() > most) return {State::too_long, {}};
    // gzip may have several members (RFC 1952, 2.2).
    if (code == Z_STREAM_END && stream.avail_in > 0) code = ::inflateReset(&stream);
  }
  // Z_BUF_ERROR: all was read, and the end is missing.
  if (code == Z_STREAM_END) return {State::whole, std::move(out)};
  const bool is_cut = code == Z_BUF_ERROR && stream.avail_in == 0;
  return is_cut ? Decoded{State::cut, std::move(out)} : Decoded{State::bad, {}};
}

Decoded from_zstd(std::string_view body, std::size_t most) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          ZSTD_freeDStream);
  ZSTD_inBuffer in{body.data(), body.size(), 0};
  std::string out;
  std::array<char, 64U << 10U> buffer;
  while (true) {
    ZSTD_outBuffer part{buffer.data(), buffer.size(), 0};
    const std::size_t left = ZSTD_decompressStream(stream.get(), &part, &in);
    if (ZSTD_isError(left) != 0) return {State::bad, {}};
    out.append(buffer.data(), part.pos);
    if (out.size() > most) return {State::too_long, {}};
    if (in.pos == in.size && part.pos < buffer.size()) {
      return {left == 0 ? State::whole : State::cut, std::move(out)};
    }
  }
}

Decoded from_brotli(std::string_view body, std::size_t most) {
  const std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> state(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), BrotliDecoderDestroyInstance);
  std::size_t left = body.size();
  const auto* next = reinterpret_cast<const std::uint8_t*>(body.data());
  std::string out;
  std::array<std::uint8_t, 64U << 10U> buffer;
  auto result = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
  while (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) {
    std::size_t room = buffer.size();
    std::uint8_t* into = buffer.data();
    result = BrotliDecoderDecompressStream(state.get(), &left, &next, &room, &into, nullptr);
    out.append(reinterpret_cast<const char*>(buffer.data()), buffer.size() - room);
    if (out.size() > most) return {State::too_long, {}};
  }
  if (result == BROTLI_DECODER_RESULT_ERROR || left > 0) return {State::bad, {}};
  return {result == BROTLI_DECODER_RESULT_SUCCESS ? State::whole : State::cut, std::move(out)};
}

}  // namespace

Decoded decode_body(std::string_view coding, std::string body, std::size_t most) {
  const std::string name = lowered(trimmed(coding));
  if (name.empty() || name == "identity") {
    return body.size() > most ? Decoded{State::too_long, {}}
                              : Decoded{State::whole, std::move(body)};
  }
  if (name == "gzip" || name == "x-gzip" || name == "deflate") return inflated(body, most);
  if (name == "zstd") return from_zstd(body, most);
  if (name == "br") return from_brotli(body, most);
  return {State::bad, {}};
}

std::optional<std::string> decode_content(std::string_view coding, std::string_view body,
                                          std::size_t most) {
  auto [state, bytes] = decode_body(coding, std::string(body), most);
  if (state == State::bad || state == State::too_long) return std::nullopt;
  return std::move(bytes);
}

}  // namespace spoor::proxy
