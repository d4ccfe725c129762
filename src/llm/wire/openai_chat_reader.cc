#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/json/writer.h"
#include "llm/wire/chat_calls.h"
#include "llm/wire/chat_text.h"
#include "llm/wire/failure_body.h"
#include "llm/wire/json_text.h"
#include "llm/wire/message_reader.h"
#include "llm/wire/usage_reading.h"

namespace spoor::llm::wire {
namespace {

using json::Member;
using json::Type;
using json::Value;

// Adjacent elements of one kind in an array `content` (Mistral), or its string.
struct Run {
  Piece::Kind kind = Piece::Kind::text;
  TaggedText text;
  JsonText thinking;
  std::string raw;     // The first element.
  std::string others;  // Unknown members of a thinking element, the last ones.
  std::size_t elements = 0;
};

bool is_empty(const Value& value) {
  return !value || value.type() == Type::null || (value.is_string() && value.raw().size() == 2) ||
         ((value.is_array() || value.is_object()) && value.size() == 0);
}

// True for members of a message that have a field in Reply.
bool is_known(std::string_view key) {
  return key == "role" || key == "content" || key == "reasoning" || key == "reasoning_content" ||
         key == "reasoning_details" || key == "tool_calls" || key == "function_call" ||
         key == "refusal";
}

// Source: platform.openai.com/docs/api-reference/chat, /chat-streaming; and the additions of
// compatible providers (docs/providers.md).
class ChatReader final : public MessageReader {
 public:
  void read(const Message& message, const Listener& listener) override {
    const Value& body = message.value;
    if (reply_.id.empty()) reply_.id = body.find("id").text();
    if (std::string model = body.find("model").text(); !model.empty()) {
      reply_.model = std::move(model);
    }
    read_usage(body.find("usage"));
    read_usage(body.find("x_groq").find("usage"));

    const Value choices = body.find("choices");
    if (!choices.is_array()) return;
    for (const Value choice : choices.elements()) {
      if (choice.find("index").integer().value_or(0) != 0) continue;
      read_choice(choice, message.is_event, listener);
      break;
    }
  }

  void read_done() override { is_done_ = true; }
  bool has_begun() const override { return has_begun_; }
  bool is_complete() const override {
    return has_begun_ && (is_done_ || is_whole_ || !reply_.finish_reason.empty());
  }

  Reply finish(const Listener& listener) override {
    for (Run& run : runs_) run.text.finish(listener);
    std::vector<Piece> reasoning = take_reasoning();
    std::vector<Piece> answer = take_answer(reasoning);

    reply_.pieces = std::move(reasoning);
    std::ranges::move(answer, std::back_inserter(reply_.pieces));
    std::ranges::move(calls_.finish(reply_.id, listener), std::back_inserter(reply_.pieces));
    std::ranges::move(others_, std::back_inserter(reply_.pieces));
    return std::move(reply_);
  }

 private:
  void read_usage(const Value& usage) {
    if (usage.is_object()) reply_.usage = openai_chat_usage(usage);
  }

  void read_choice(const Value& choice, bool is_event, const Listener& listener) {
    // Perplexity sends both: use the delta in a stream, and the message in a whole body.
    const Value delta = choice.find("delta");
    const Value whole = choice.find("message");
    if (delta.is_object() && (is_event || !whole.is_object())) {
      has_begun_ = true;
      read_message(delta, true, listener);
    } else if (whole.is_object()) {
      has_begun_ = is_whole_ = true;
      reply_.raw = whole.raw();
      read_message(whole, false, listener);
    }
    if (std::string reason = choice.find("finish_reason").text(); !reason.empty()) {
      has_begun_ = true;
      reply_.finish_reason = std::move(reason);
    }
    read_usage(choice.find("usage"));  // Moonshot
    if (!reply_.failure && choice.find("error")) reply_.failure = find_failure(0, choice);
  }

  void read_message(const Value& message, bool is_delta, const Listener& listener) {
    read_reasoning(message, is_delta, listener);
    read_content(message.find("content"), listener);

    const Value refusal = message.find("refusal");
    refusal_.append(refusal);
    listener.text(refusal.text());

    for (const Value call : message.find("tool_calls").elements()) {
      is_delta ? calls_.read(call, listener) : calls_.read_whole(call, listener);
    }
    calls_.read_function(message.find("function_call"), listener);
    if (is_delta) keep_others(message);
  }

  void read_reasoning(const Value& message, bool is_delta, const Listener& listener) {
    const Value parsed = message.find("reasoning");
    const Value content = message.find("reasoning_content");
    parsed_.append(parsed);
    content_.append(content);

    const std::string details = read_details(message.find("reasoning_details"), is_delta);
    details_text_ += details;

    // The same text may be sent under several names.
    if (parsed.raw().size() > 2) {
      listener.reasoning(parsed.text());
    } else if (content.raw().size() > 2 && parsed_.empty()) {
      listener.reasoning(content.text());
    } else if (parsed_.empty() && content_.empty()) {
      listener.reasoning(details);
    }
  }

  // Keeps each element from OpenRouter unchanged. Returns the elements' readable text; in a stream
  // they are pieces of one text.
  std::string read_details(const Value& details, bool is_delta) {
    std::string read;
    for (const Value detail : details.elements()) {
      details_ += details_.empty() ? "[" : ",";
      details_ += detail.raw();
      const Value text = detail.find("text");
      const std::string one = (text.is_string() ? text : detail.find("summary")).text();
      if (!is_delta && !one.empty() && !read.empty()) read += "\n\n";
      read += one;
    }
    return read;
  }

  void read_content(const Value& content, const Listener& listener) {
    if (content.is_string()) {
      if (content.raw().size() == 2) return;
      if (runs_.empty() || runs_.back().kind != Piece::Kind::text) runs_.emplace_back();
      runs_.back().text.append(content, listener);
      return;
    }
    for (const Value element : content.elements()) read_element(element, listener);
  }

  void read_element(const Value& element, const Listener& listener) {
    auto kind = Piece::Kind::other;
    if (element.find("type").equals("thinking")) kind = Piece::Kind::reasoning;
    if (element.find("type").equals("text") && element.find("text").is_string()) {
      kind = Piece::Kind::text;
    }
    if (runs_.empty() || runs_.back().kind != kind || kind == Piece::Kind::other) {
      runs_.emplace_back().kind = kind;
    }
    Run& run = runs_.back();
    if (run.elements++ == 0) run.raw = element.raw();

    if (kind == Piece::Kind::text) run.text.append(element.find("text"), listener);
    if (kind != Piece::Kind::reasoning) return;
    const Value thinking = element.find("thinking");
    if (thinking.is_string()) {
      run.thinking.append(thinking);
      listener.reasoning(thinking.text());
    }
    for (const Value part : thinking.elements()) {
      run.thinking.append(part.find("text"));
      listener.reasoning(part.find("text").text());
    }
    if (std::string others = others_of(element); !others.empty()) run.others = std::move(others);
  }

  // Keeps other members of a stream: annotations, images, signatures. A whole message is kept
  // unchanged anyway.
  void keep_others(const Value& delta) {
    for (const Member member : delta.members()) {
      const std::string key = member.key.text();
      if (is_known(key) || is_empty(member.value)) continue;
      if (!member.value.is_array() && !member.value.is_object()) continue;
      Piece piece;
      piece.kind = Piece::Kind::other;
      piece.raw = '{' + json::write_string(key) + ':';
      piece.raw += member.value.raw();
      piece.raw += '}';
      if (others_.empty() || others_.back() != piece) others_.push_back(std::move(piece));
    }
  }

  // Returns the reasoning from its separate members.
  std::vector<Piece> take_reasoning() {
    Piece piece;
    piece.kind = Piece::Kind::reasoning;
    if (!parsed_.empty()) {
      reply_.format = "parsed";
      piece.text = parsed_.text();
    } else if (!details_text_.empty()) {
      reply_.format = "parsed";
      piece.text = details_text_;
    } else if (!content_.empty()) {
      reply_.format = "reasoning_content";
      piece.text = content_.text();
    } else if (!details_.empty()) {
      reply_.format = "parsed";  // Encrypted: no text, but it must be sent back.
    }
    if (!details_.empty()) piece.raw = details_ + ']';

    std::vector<Piece> pieces;
    if (!reply_.format.empty()) pieces.push_back(std::move(piece));
    return pieces;
  }

  std::vector<Piece> take_answer(std::vector<Piece>& reasoning) {
    bool has_reasoning = !reasoning.empty();
    for (const Run& run : runs_) {
      if (run.kind == Piece::Kind::reasoning) has_reasoning = true;
    }
    if (has_reasoning && reply_.format.empty()) reply_.format = "parsed";

    std::vector<Piece> answer;
    for (Run& run : runs_) {
      Piece piece;
      piece.kind = run.kind;
      if (run.kind == Piece::Kind::text) {
        ThinkSplit split = run.text.split(has_reasoning);
        if (!split.blocks.empty() && !has_reasoning) reply_.format = "think_tags";
        add_blocks(reasoning, split.blocks);
        piece.text = std::move(split.answer);
        if (piece.text.empty()) continue;
      } else if (run.kind == Piece::Kind::reasoning) {
        piece.text = run.thinking.text();
        piece.raw = run.elements == 1 ? run.raw : joined_thinking(run);
      } else {
        piece.raw = run.raw;
      }
      answer.push_back(std::move(piece));
    }
    if (!refusal_.empty()) {
      answer.push_back({Piece::Kind::text, refusal_.text(), {}, {}});
      reply_.is_refusal = true;
    }
    return answer;
  }

  static std::string others_of(const Value& element) {
    std::string others;
    for (const Member member : element.members()) {
      if (member.key.equals("type") || member.key.equals("thinking")) continue;
      others += ',';
      others += member.key.raw();
      others += ':';
      others += member.value.raw();
    }
    return others;
  }

  static std::string joined_thinking(const Run& run) {
    return R"({"type":"thinking","thinking":[{"type":"text","text":)" + run.thinking.raw() + "}]" +
           run.others + '}';
  }

  Reply reply_;
  bool has_begun_ = false;
  bool is_done_ = false;
  bool is_whole_ = false;
  JsonText parsed_, content_, refusal_;
  std::string details_;  // `[` and the elements of `reasoning_details` so far.
  std::string details_text_;
  std::vector<Run> runs_;
  ChatCalls calls_;
  std::vector<Piece> others_;
};

}  // namespace

std::unique_ptr<MessageReader> openai_chat_reader() { return std::make_unique<ChatReader>(); }

}  // namespace spoor::llm::wire
