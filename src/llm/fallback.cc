#include "llm/fallback.h"

#include <fmt/format.h>

#include <stdexcept>

namespace spoor::llm {
namespace {

Failure as_failure(const store::Error& error) {
  const bool is_stopped = error.code == store::Error::Code::interrupted;
  return {.kind = is_stopped ? Failure::Kind::interrupted : Failure::Kind::invalid_request,
          .message = error.message,
          .should_retry = false};
}

Reply make(const Attempt& attempt, const OnEvent& on_event) {
  auto request = attempt.request();
  if (request) return attempt.provider.complete(request.value(), on_event);
  Reply reply;
  reply.failure = as_failure(request.error());
  return reply;
}

}  // namespace

FallbackReply complete_with_fallback(std::span<const Attempt> attempts, const OnEvent& on_event) {
  if (attempts.empty()) throw std::logic_error("a reply without an attempt");
  bool has_told = false;
  const OnEvent telling = [&](const ReplyEvent& event) {
    if (event.kind != ReplyEvent::Kind::waiting) has_told = true;
    if (on_event) on_event(event);
  };

  FallbackReply result;
  for (;; ++result.index) {
    result.reply = make(attempts[result.index], telling);
    const auto& failure = result.reply.failure;
    const bool is_last = result.index + 1 == attempts.size();
    const bool is_final = !failure || failure->kind == Failure::Kind::interrupted || has_told ||
                          !result.reply.pieces.empty();
    if (is_final || is_last) return result;

    const std::string text =
        fmt::format("{}: {}, going on with {}", attempts[result.index].provider.profile().name,
                    name_of(failure->kind), attempts[result.index + 1].provider.profile().name);
    telling({.kind = ReplyEvent::Kind::waiting, .text = text});
    result.earlier.push_back(*failure);
  }
}

}  // namespace spoor::llm
