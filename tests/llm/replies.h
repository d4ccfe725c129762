#pragma once

#include <memory>
#include <string>

#include "graph/repository.h"
#include "llm/commit_reply.h"
#include "llm/profile.h"
#include "tests/support/ports.h"

namespace spoor::testing {

/// Pieces as a provider sends them.
inline llm::Piece text_piece(std::string text, std::string raw = {}) {
  llm::Piece piece;
  piece.text = std::move(text);
  piece.raw = std::move(raw);
  return piece;
}

inline llm::Piece thought_piece(std::string text, std::string raw = {}) {
  llm::Piece piece = text_piece(std::move(text), std::move(raw));
  piece.kind = llm::Piece::Kind::reasoning;
  return piece;
}

inline llm::Piece call_piece(std::string id, std::string name, std::string arguments,
                             std::string raw = {}) {
  llm::Piece piece;
  piece.kind = llm::Piece::Kind::call;
  piece.call = {std::move(id), std::move(name), std::move(arguments)};
  piece.raw = std::move(raw);
  return piece;
}

inline llm::Reply reply_of(std::vector<llm::Piece> pieces, std::string format = {}) {
  llm::Reply reply;
  reply.pieces = std::move(pieces);
  reply.format = std::move(format);
  return reply;
}

/// A store in memory whose clock stands still.
inline std::unique_ptr<graph::Repository> still_repository() {
  graph::Repository::Options options;
  options.clock = std::make_shared<ManualClock>();
  return graph::Repository::in_memory(std::move(options));
}

/// Commits a reply as if `provider` had sent it.
inline llm::CommittedReply commit(graph::Branch& branch, const llm::Reply& reply,
                                  const std::string& provider) {
  llm::CommittedReply committed;
  const llm::ReplyOrigin origin{.provider = provider, .model = "m", .prompt = {}};
  branch
      .write("test",
             [&](graph::Draft& draft, const std::string& ref) -> Result<store::Oid> {
               committed = TRY(llm::commit_reply(draft, ref, reply, origin, "user",
                                                 branch.repository().clock().now()));
               return committed.answer;
             })
      .value();
  return committed;
}

}  // namespace spoor::testing
