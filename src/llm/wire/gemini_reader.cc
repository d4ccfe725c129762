#include <optional>
#include <utility>
#include <vector>

#include "llm/wire/calls.h"
#include "llm/wire/failure_body.h"
#include "llm/wire/gemini_partial_args.h"
#include "llm/wire/json_text.h"
#include "llm/wire/message_reader.h"
#include "llm/wire/usage_reading.h"

namespace spoor::llm::wire {
namespace {

using json::Member;
using json::Value;

// A part of the content, or several parts of a stream that form one text or call.
struct Part {
  Piece::Kind kind = Piece::Kind::other;
  JsonText text;
  compile::ToolCall call;
  std::optional<GeminiPartialArgs> args;  // For a call whose arguments arrive in pieces.
  std::string raw;                        // The first part.
  bool is_plain_text = false;             // Only text, without a signature: may be continued.
  bool is_continued = false;

  Piece finish() const {
    Piece piece;
    piece.kind = kind;
    piece.text = text.text();
    piece.call = call;
    piece.raw = raw;
    if (args) {
      piece.call.arguments = args->write();
      piece.raw = joined_call(piece.call.arguments);
    }
    if (is_continued) {
      piece.raw = R"({"text":)" + text.raw();
      piece.raw += kind == Piece::Kind::reasoning ? R"(,"thought":true})" : "}";
    }
    return piece;
  }

 private:
  // Returns the first part with the arguments that arrived after it.
  std::string joined_call(const std::string& arguments) const {
    const auto document = json::parse(raw);
    if (!document) return raw;
    std::string joined = "{";
    for (const Member member : document->root().members()) {
      if (joined.size() > 1) joined += ',';
      joined += member.key.raw();
      joined += ':';
      if (!member.key.equals("functionCall")) {
        joined += member.value.raw();
        continue;
      }
      joined += '{';
      for (const Member inner : member.value.members()) {
        if (inner.key.equals("willContinue") || inner.key.equals("partialArgs")) continue;
        joined += inner.key.raw();
        joined += ':';
        joined += inner.value.raw();
        joined += ',';
      }
      joined += R"("args":)" + arguments + '}';
    }
    return joined + '}';
  }
};

bool is_plain_text(const Value& part) {
  for (const Member member : part.members()) {
    if (!member.key.equals("text") && !member.key.equals("thought")) return false;
  }
  return true;
}

// Source: ai.google.dev/api/generate-content, /gemini-api/docs/thought-signatures.
class GeminiReader final : public MessageReader {
 public:
  void read(const Message& message, const Listener& listener) override {
    Value body = message.value;
    if (body.find("response").is_object()) body = body.find("response");  // Code Assist wraps it.
    if (reply_.id.empty()) reply_.id = body.find("responseId").text();
    if (std::string model = body.find("modelVersion").text(); !model.empty()) {
      reply_.model = std::move(model);
    }
    const Value usage = body.find("usageMetadata");
    if (usage.find("promptTokenCount") || reply_.usage.raw.empty()) {
      if (usage.is_object()) reply_.usage = gemini_usage(usage);
    }
    if (const std::string reason = body.find("promptFeedback").find("blockReason").text();
        !reason.empty()) {
      block(reason, body);
    }
    for (const Value candidate : body.find("candidates").elements()) {
      if (candidate.find("index").integer().value_or(0) != 0) continue;
      read_candidate(candidate, listener);
      break;
    }
  }

  bool has_begun() const override { return has_begun_; }
  bool is_complete() const override { return !reply_.finish_reason.empty(); }

  Reply finish(const Listener& listener) override {
    static_cast<void>(listener);
    std::size_t calls = 0;
    for (const Part& part : parts_) {
      Piece piece = part.finish();
      if (piece.kind == Piece::Kind::reasoning) reply_.format = "gemini";
      if (piece.kind == Piece::Kind::call) {
        if (piece.call.id.empty()) piece.call.id = made_call_id(reply_.id, calls, piece.call);
        ++calls;
      }
      reply_.pieces.push_back(std::move(piece));
    }
    return std::move(reply_);
  }

 private:
  void block(const std::string& reason, const Value& body) {
    has_begun_ = true;
    if (reply_.failure) return;
    std::string why = body.find("promptFeedback").find("blockReasonMessage").text();
    if (why.empty()) why = "the provider blocked the prompt: " + reason;
    reply_.failure = make_failure(Failure::Kind::invalid_request, std::move(why), body.raw());
    reply_.failure->type = reason;
  }

  void read_candidate(const Value& candidate, const Listener& listener) {
    has_begun_ = true;
    bool is_first = true;
    for (const Value part : candidate.find("content").find("parts").elements()) {
      read_part(part, is_first, listener);
      is_first = false;
    }
    if (std::string reason = candidate.find("finishReason").text(); !reason.empty()) {
      reply_.finish_reason = std::move(reason);
    }
  }

  // Only the first part of a message can continue the previous message.
  void read_part(const Value& value, bool is_first, const Listener& listener) {
    if (!value.is_object()) return;
    const Value text = value.find("text");
    Part part;
    part.raw = value.raw();
    if (const Value call = value.find("functionCall"); call.is_object()) {
      if (continue_call(call)) return;
      part.kind = Piece::Kind::call;
      part.call.id = call.find("id").text();
      part.call.name = call.find("name").text();
      part.call.arguments = arguments_of(call.find("args"));
      is_call_open_ = call.find("willContinue").is_true();
      if (is_call_open_) part.args.emplace();
      add_args(part, call);
      listener.call(part.call.name);
    } else if (text.is_string()) {
      const bool is_thought = value.find("thought").is_true();
      part.kind = is_thought ? Piece::Kind::reasoning : Piece::Kind::text;
      part.is_plain_text = is_plain_text(value);
      part.text.append(text);
      if (part.text.empty() && part.is_plain_text) return;  // The end of a stream.
      is_thought ? listener.reasoning(text.text()) : listener.text(text.text());
    }

    if (is_first && part.is_plain_text && !parts_.empty() && parts_.back().is_plain_text &&
        parts_.back().kind == part.kind) {
      parts_.back().text.append(text);
      parts_.back().is_continued = true;
      return;
    }
    if (part.kind != Piece::Kind::call) is_call_open_ = false;
    parts_.push_back(std::move(part));
  }

  // Continues a call that announced more pieces. The last piece does not announce more.
  bool continue_call(const Value& call) {
    if (!is_call_open_ || call.find("name")) return false;
    add_args(parts_.back(), call);
    is_call_open_ = call.find("willContinue").is_true();
    return true;
  }

  static void add_args(Part& part, const Value& call) {
    if (!part.args) return;
    for (const Value piece : call.find("partialArgs").elements()) part.args->add(piece);
  }

  Reply reply_;
  bool has_begun_ = false;
  bool is_call_open_ = false;  // The arguments of the last part, a call, are incomplete.
  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<MessageReader> gemini_reader() { return std::make_unique<GeminiReader>(); }

}  // namespace spoor::llm::wire
