#include "llm/scripted.h"

#include <fmt/format.h>

#include <algorithm>

namespace spoor::llm {
namespace {

/// Returns the number of bytes in the next event: whole characters of `text`.
std::size_t next_size(std::string_view text, std::size_t wanted) {
  std::size_t size = std::min(std::max<std::size_t>(wanted, 1), text.size());
  const auto is_continuation = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
  };
  while (size < text.size() && is_continuation(text[size])) ++size;
  return size;
}

/// Reports a reply piece by piece, and keeps the reported part.
class ScriptedStream {
 public:
  ScriptedStream(const ScriptedAnswer& answer, const Request& request, const OnEvent& on_event,
                 Waiting& waiting)
      : answer_(answer), request_(request), on_event_(on_event), waiting_(waiting) {}

  Reply tell() {
    const Reply& whole = answer_.reply;
    if (!pass(answer_.before)) return interrupted();
    for (const Piece& piece : whole.pieces) {
      if (!tell(piece)) return interrupted();
    }
    return whole;
  }

 private:
  /// Returns false if stopped.
  bool tell(const Piece& piece) {
    switch (piece.kind) {
      case Piece::Kind::text:
        return tell_text(piece, ReplyEvent::Kind::text);
      case Piece::Kind::reasoning:
        return tell_text(piece, ReplyEvent::Kind::reasoning);
      case Piece::Kind::call:
        if (!event(ReplyEvent::Kind::call, piece.call.name)) return false;
        break;
      case Piece::Kind::other:
        break;
    }
    told_.pieces.push_back(piece);
    return true;
  }

  bool tell_text(const Piece& piece, ReplyEvent::Kind kind) {
    std::string_view rest = piece.text;
    told_.pieces.push_back({.kind = piece.kind});
    while (!rest.empty()) {
      const std::string_view now = rest.substr(0, next_size(rest, answer_.event_size));
      if (!event(kind, now)) {
        if (told_.pieces.back().text.empty()) told_.pieces.pop_back();
        return false;
      }
      told_.pieces.back().text += now;
      rest.remove_prefix(now.size());
    }
    told_.pieces.back() = piece;
    return true;
  }

  bool event(ReplyEvent::Kind kind, std::string_view text) {
    if (!is_first_ && !pass(answer_.between)) return false;
    is_first_ = false;
    if (on_event_) on_event_({.kind = kind, .text = text});
    return true;
  }

  bool pass(std::chrono::milliseconds time) {
    if (time.count() > 0 && !request_.stop.stop_requested()) waiting_.wait(time, request_.stop);
    return !request_.stop.stop_requested();
  }

  Reply interrupted() {
    told_.format = answer_.reply.format;
    told_.id = answer_.reply.id;
    told_.model = answer_.reply.model;
    told_.failure = {.kind = Failure::Kind::interrupted, .message = "the call was stopped"};
    return std::move(told_);
  }

  const ScriptedAnswer& answer_;
  const Request& request_;
  const OnEvent& on_event_;
  Waiting& waiting_;
  Reply told_;
  bool is_first_ = true;
};

}  // namespace

Profile scripted_profile() {
  Profile profile;
  profile.name = "scripted";
  profile.needs_key = false;
  return profile;
}

Reply say(std::string text) {
  Reply reply;
  reply.pieces.push_back({.kind = Piece::Kind::text, .text = std::move(text)});
  reply.finish_reason = "stop";
  return reply;
}

Reply fail(Failure failure) {
  Reply reply;
  reply.failure = std::move(failure);
  return reply;
}

ScriptedProvider::ScriptedProvider(Profile profile, std::vector<ScriptedAnswer> answers,
                                   Waiting& waiting)
    : ScriptedProvider(
          std::move(profile),
          [answers = std::move(answers)](const Request&, std::size_t number) {
            if (number < answers.size()) return answers[number];
            return ScriptedAnswer{
                .reply = fail({.kind = Failure::Kind::invalid_request,
                               .message = fmt::format("the script has {} answers, and this is "
                                                      "call {}",
                                                      answers.size(), number + 1)})};
          },
          waiting) {}

ScriptedProvider::ScriptedProvider(Profile profile, Script script, Waiting& waiting)
    : profile_(std::move(profile)), script_(std::move(script)), waiting_(waiting) {}

ScriptedAnswer ScriptedProvider::next(const Request& request) {
  const std::scoped_lock lock(mutex_);
  requests_.push_back(request);
  return script_(request, requests_.size() - 1);
}

Reply ScriptedProvider::complete(const Request& request, const OnEvent& on_event) {
  if (auto held = held_back(request)) return fail(*std::move(held));
  const ScriptedAnswer answer = next(request);
  return ScriptedStream(answer, request, on_event, waiting_).tell();
}

std::vector<Request> ScriptedProvider::requests() const {
  const std::scoped_lock lock(mutex_);
  return requests_;
}

}  // namespace spoor::llm
