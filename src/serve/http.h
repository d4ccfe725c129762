#pragma once

#include <array>
#include <optional>
#include <string>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/write.hpp>

#include "serve/wire.h"
#include "sync/message.h"

namespace spoor::serve {

namespace http = boost::beast::http;

inline constexpr std::string_view kContentType = "application/vnd.spoor.sync";
inline constexpr std::string_view kTarget = "/sync";
inline constexpr std::string_view kMessageTarget = "/mcp";

inline std::string_view view_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

/// A wire as Boost.Beast reads and writes it, with the error that ended it.
class BeastWire {
 public:
  explicit BeastWire(Wire& wire) : wire_(wire) {}

  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, boost::system::error_code& error) {
    const boost::asio::mutable_buffer into = *boost::asio::buffer_sequence_begin(buffers);
    if (into.size() == 0) return 0;
    auto got = wire_.receive({static_cast<char*>(into.data()), into.size()});
    if (!got) return fail(got.error(), error);
    if (*got == 0) error = boost::asio::error::eof;
    return *got;
  }

  template <class Buffers>
  std::size_t write_some(const Buffers& buffers, boost::system::error_code& error) {
    auto at = boost::asio::buffer_sequence_begin(buffers);
    const auto end = boost::asio::buffer_sequence_end(buffers);
    while (at != end && boost::asio::const_buffer(*at).size() == 0) ++at;
    if (at == end) return 0;
    const boost::asio::const_buffer from = *at;
    auto sent = wire_.send({static_cast<const char*>(from.data()), from.size()});
    return sent ? *sent : fail(sent.error(), error);
  }

  // Beast asks for these too, and calls them nowhere.
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    return or_throw([&](auto& error) { return read_some(buffers, error); });
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers) {
    return or_throw([&](auto& error) { return write_some(buffers, error); });
  }

  /// Returns the error behind an error code of Beast.
  Error error_of(const boost::system::error_code& error) const;

 private:
  template <class Move>
  static std::size_t or_throw(const Move& move) {
    boost::system::error_code error;
    const std::size_t count = move(error);
    if (error) throw boost::system::system_error(error);
    return count;
  }

  std::size_t fail(Error why, boost::system::error_code& error) {
    why_ = std::move(why);
    error = boost::asio::error::broken_pipe;
    return 0;
  }

  Wire& wire_;
  std::optional<Error> why_;
};

/// Reads a request or a response: its head, and then its body as a source.
template <bool kIsRequest>
class Incoming {
 public:
  /// Both must outlive it. `buffer` has what came early, and keeps what is not this message's.
  Incoming(BeastWire& wire, boost::beast::flat_buffer& buffer) : wire_(wire), buffer_(buffer) {
    constexpr std::uint32_t kMostHead = 64U << 10U;
    parser_.header_limit(kMostHead);
    parser_.body_limit(boost::none);
  }

  Result<void> read_head() {
    boost::system::error_code error;
    http::read_header(wire_, buffer_, parser_, error);
    return error ? Result<void>(wire_.error_of(error)) : Result<void>();
  }

  const auto& head() const { return parser_.get(); }
  bool goes_on() const { return parser_.keep_alive(); }

  Result<std::size_t> read(std::span<char> to) {
    auto& body = parser_.get().body();
    while (!parser_.is_done()) {
      body.data = to.data();
      body.size = to.size();
      boost::system::error_code error;
      http::read_some(wire_, buffer_, parser_, error);
      if (error && error != http::error::need_buffer) return wire_.error_of(error);
      if (body.size < to.size()) return to.size() - body.size;
    }
    return std::size_t{0};
  }

  /// Reads at most `most` bytes of the rest. Returns whether that was all.
  bool skip(std::size_t most) {
    std::array<char, 65'536> block{};
    for (std::size_t done = 0; done <= most;) {
      const auto count = read(block);
      if (!count) return false;
      if (*count == 0) return true;
      done += *count;
    }
    return false;
  }

 private:
  BeastWire& wire_;
  boost::beast::flat_buffer& buffer_;
  http::parser<kIsRequest, http::buffer_body> parser_;
};

/// Writes a request or a response, whose body comes in pieces. In HTTP/1.0 the body ends with the
/// connection.
template <bool kIsRequest>
class Outgoing {
 public:
  /// `wire` must outlive it.
  Outgoing(BeastWire& wire, http::header<kIsRequest> head)
      : wire_(wire), message_(std::move(head)), is_chunked_(message_.version() == 11) {
    if (is_chunked_) message_.chunked(true);
  }

  bool has_begun() const { return has_begun_; }

  Result<void> write(std::string_view bytes) {
    TRY(begin());
    if (bytes.empty()) return {};  // An empty piece would end it.
    if (!is_chunked_) return put(boost::asio::buffer(bytes.data(), bytes.size()));
    return put(http::make_chunk(boost::asio::buffer(bytes.data(), bytes.size())));
  }

  Result<void> end() {
    TRY(begin());
    return is_chunked_ ? put(http::make_chunk_last()) : Result<void>();
  }

 private:
  Result<void> begin() {
    if (has_begun_) return {};
    has_begun_ = true;
    http::serializer<kIsRequest, http::empty_body> head(message_);
    boost::system::error_code error;
    http::write_header(wire_, head, error);
    return error ? Result<void>(wire_.error_of(error)) : Result<void>();
  }

  template <class Buffers>
  Result<void> put(const Buffers& buffers) {
    boost::system::error_code error;
    boost::asio::write(wire_, buffers, error);
    return error ? Result<void>(wire_.error_of(error)) : Result<void>();
  }

  BeastWire& wire_;
  http::message<kIsRequest, http::empty_body> message_;
  const bool is_chunked_;
  bool has_begun_ = false;
};

}  // namespace spoor::serve
