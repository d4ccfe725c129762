#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "llm/wire/reply_parser.h"

namespace reply_test {

using spoor::llm::Failure;
using spoor::llm::Piece;
using spoor::llm::Reply;
using spoor::llm::ReplyEvent;
using spoor::llm::Wire;
using Kind = Piece::Kind;

/// What a listener was told: each kind's texts joined.
struct Told {
  std::string text, reasoning, calls;
};

/// The reply to a body that arrives in pieces of `size` bytes.
inline Reply parse(Wire wire, std::string_view body, std::size_t size = 1U << 30U,
                   Told* told = nullptr) {
  const auto parser = spoor::llm::wire::make_reply_parser(wire);
  const auto listen = [&](const ReplyEvent& event) {
    if (told == nullptr) return;
    if (event.kind == ReplyEvent::Kind::text) told->text += event.text;
    if (event.kind == ReplyEvent::Kind::reasoning) told->reasoning += event.text;
    if (event.kind == ReplyEvent::Kind::call) told->calls += std::string(event.text) + ";";
  };
  for (std::size_t at = 0; at < body.size(); at += size) {
    if (!parser->feed(body.substr(at, size), listen)) break;
  }
  return parser->finish(listen);
}

/// The reply to a body, which must be the same however the body is cut.
inline Reply parse_every_way(Wire wire, std::string_view body) {
  Reply whole = parse(wire, body);
  for (const std::size_t size : {1U, 2U, 3U, 7U, 64U}) CHECK(parse(wire, body, size) == whole);
  for (std::size_t cut = 0; cut < body.size(); ++cut) {
    const auto parser = spoor::llm::wire::make_reply_parser(wire);
    parser->feed(body.substr(0, cut), {});
    parser->feed(body.substr(cut), {});
    const bool is_same = parser->finish({}) == whole;
    if (!is_same) FAIL_CHECK("cut at " << cut);
  }
  return whole;
}

/// Server-Sent Events of these data, without names.
inline std::string events(const std::vector<std::string>& data) {
  std::string body;
  for (const std::string& one : data) body += "data: " + one + "\n\n";
  return body;
}

inline std::vector<std::string> raws(const Reply& reply) {
  std::vector<std::string> all;
  for (const Piece& piece : reply.pieces) all.push_back(piece.raw);
  return all;
}

/// The kinds of the pieces: `r`easoning, `t`ext, `c`all, `o`ther.
inline std::string kinds(const Reply& reply) {
  std::string all;
  for (const Piece& piece : reply.pieces) {
    all += piece.kind == Kind::reasoning ? 'r'
           : piece.kind == Kind::text    ? 't'
           : piece.kind == Kind::call    ? 'c'
                                         : 'o';
  }
  return all;
}

}  // namespace reply_test
