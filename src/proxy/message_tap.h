#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>

#include "proxy/exchange.h"

namespace spoor::proxy {

/// Reads one HTTP/1.1 message (RFC 9112) that passes by in parts: where its head ends, where it
/// ends itself, and what it says. Changes nothing of it. Framing is Boost.Beast's.
template <bool is_request>
class MessageTap final : public boost::beast::http::basic_parser<is_request> {
  using Parser = boost::beast::http::basic_parser<is_request>;
  using ErrorCode = boost::beast::error_code;
  using View = boost::beast::string_view;

 public:
  /// Bodies longer than `most` are passed by, and not kept: is_too_long(). So are those for which
  /// there is no `room`, which all taps of a thread share.
  MessageTap(std::size_t most, std::size_t& room) : most_(most), room_(room) {
    this->eager(true);
    this->header_limit(kMostHead);
    this->body_limit(boost::none);
  }

  ~MessageTap() override { room_ += taken_; }
  MessageTap(const MessageTap&) = delete;
  MessageTap& operator=(const MessageTap&) = delete;

  /// Reads the beginning of `bytes`, which are what follows what was read before. Returns how much
  /// was read, a head only as a whole: 0 if more is needed first; nullopt if it is not HTTP.
  std::optional<std::size_t> read(std::string_view bytes) {
    return this->is_header_done() ? feed(bytes) : read_head(bytes);
  }
  std::string method;
  std::string target;
  int status = 0;
  Headers headers;
  std::string body;

  bool is_too_long() const { return is_too_long_; }

 private:
  static constexpr std::size_t kMostHead = 256U << 10U;

  // The parser gets no bytes twice of which it could read nothing, and of a chunk that it has begun
  // no fewer than the last one has, "0" and two line ends: it asserts that.
  std::optional<std::size_t> feed(std::string_view bytes) {
    constexpr std::size_t kLastChunk = 5;
    if (bytes.size() < least_) return 0;
    ErrorCode error;
    const std::size_t used =
        Parser::put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    if (error && error != boost::beast::http::error::need_more) return std::nullopt;
    least_ = used == 0 ? std::max(bytes.size() + 1, kLastChunk) : 0;
    return used;
  }

  // The parser gets CRLF at the end of each line: some programs send an LF alone (RFC 9112, 2.2).
  std::optional<std::size_t> read_head(std::string_view bytes) {
    if (!bytes.empty() && (bytes[0] < 'A' || bytes[0] > 'z')) return std::nullopt;
    std::string head;
    for (std::size_t line = 0; true;) {
      const std::size_t end = bytes.find('\n', line);
      if (end > kMostHead && bytes.size() > kMostHead) return std::nullopt;
      if (end == bytes.npos) return 0;
      std::string_view text = bytes.substr(line, end - line);
      if (text.ends_with('\r')) text.remove_suffix(1);
      head.append(text).append("\r\n");
      line = end + 1;
      if (text.empty()) return feed(head) ? std::optional(line) : std::nullopt;
    }
  }

  void keep(View part) {
    is_too_long_ = is_too_long_ || part.size() > std::min(most_ - body.size(), room_);
    if (is_too_long_) {
      body = {};
      room_ += std::exchange(taken_, 0);
      return;
    }
    body.append(part.data(), part.size());
    taken_ += part.size();
    room_ -= part.size();
  }

  void on_request_impl(boost::beast::http::verb, View method_word, View target_word, int,
                       ErrorCode&) override {
    method = std::string(method_word);
    target = std::string(target_word);
  }
  void on_response_impl(int code, View, int, ErrorCode&) override { status = code; }
  void on_field_impl(boost::beast::http::field, View name, View value, ErrorCode&) override {
    headers.emplace_back(std::string(name), std::string(value));
  }
  void on_header_impl(ErrorCode&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, ErrorCode&) override {
    constexpr std::size_t kMostAhead = 64U << 20U;  // A head may promise more than comes.
    if (length) body.reserve(std::min<std::uint64_t>({*length, most_, room_, kMostAhead}));
  }
  std::size_t on_body_impl(View part, ErrorCode&) override {
    keep(part);
    return part.size();
  }
  void on_chunk_header_impl(std::uint64_t, View, ErrorCode&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, View part, ErrorCode&) override {
    keep(part);
    return part.size();
  }
  void on_finish_impl(ErrorCode&) override {}

  const std::size_t most_;
  std::size_t& room_;
  std::size_t taken_ = 0;
  std::size_t least_ = 0;  // What feed() must get at least.
  bool is_too_long_ = false;
};

}  // namespace spoor::proxy
