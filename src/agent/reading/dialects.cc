#include "agent/reading/dialects.h"

#include <algorithm>
#include <array>
#include <utility>

#include "agent/reading/block_tags.h"
#include "agent/reading/dialect_arguments.h"
#include "agent/reading/literals.h"
#include "base/json/finder.h"
#include "base/text.h"
#include "llm/json_values.h"

namespace spoor::agent::reading {
namespace {

using json::Value;
using End = std::optional<std::size_t>;  // The position after what was read.

constexpr std::size_t kMaxHead = 512;  // Bytes of a name with its tokens and attributes.
constexpr std::size_t kMaxReadings = 32;
constexpr auto kNone = std::string_view::npos;
// The tokens that end a message of gpt-oss.
constexpr std::array<std::string_view, 5> kHarmonyEnds = {"<|end|>", "<|start|>", "<|channel|>",
                                                          "<|call|>", "<|return|>"};

// ---- The text ----

bool begins_with_fence(std::string_view text) { return text.starts_with("```"); }

bool is_python(std::string_view language) {
  return language == "tool_code" || language == "python" || language == "py";
}

bool is_in_id(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && end - at < kMaxHead && is_in_id(text[end])) ++end;
  return text.substr(std::min(at, text.size()), end - at);
}

class Reader {
 public:
  Reader(std::string_view reply, const OfferedTools& tools)
      : text_(without_whole_fence(llm::without_preface(reply))),
        tools_(tools),
        finder_(text_),
        most_(kMaxReadings * std::max<std::size_t>(text_.size(), 4096)) {}

  std::vector<TextCall> read() {
    for (std::size_t at = text_.find_first_of("<[`{"); at < text_.size() && !is_decided_;
         at = text_.find_first_of("<[`{", at)) {
      at = step(at);
    }
    return std::move(calls_);
  }

  bool has_unread_mark() const { return has_unread_mark_; }

 private:
  // Each function begins after the mark; it adds calls and returns their end, or returns nullopt.
  struct Dialect {
    std::string_view mark;
    End (Reader::*read)(std::size_t at, std::string_view mark);  // Null: only a mark.
  };
  static const std::array<Dialect, 26> kDialects;

  std::size_t step(std::size_t at) {
    if (text_[at] == '`') return skip_code(at);
    const std::string_view rest = text_.substr(at);
    for (const Dialect& dialect : kDialects) {
      if (!rest.starts_with(dialect.mark)) continue;
      const std::size_t behind = at + dialect.mark.size();
      const End end =
          dialect.read != nullptr ? (this->*dialect.read)(behind, dialect.mark) : std::nullopt;
      has_unread_mark_ = has_unread_mark_ || !end;
      return end.value_or(behind);
    }
    if (text_[at] == '[') {
      if (const End end = python_list(at)) return *end;
    }
    return text_[at] == '<' ? at + 1 : skip_json(at);
  }

  std::size_t skip_json(std::size_t at) {
    const Value value = finder_.value_at(at);
    if (finder_.is_torn()) return text_.size();
    return value ? finder_.end_of(value) : at + 1;
  }

  // ---- Parts ----

  bool is_at(std::size_t at, std::string_view token) const {
    return at < text_.size() && text_.substr(at).starts_with(token);
  }

  std::size_t skip_space(std::size_t at) const { return next(text_, at); }

  std::size_t skip(std::size_t at, std::string_view token) const {
    const std::size_t begin = skip_space(at);
    return is_at(begin, token) ? begin + token.size() : at;
  }

  // Counts bytes that may be read again; false if there were too many.
  bool may_spend(std::size_t bytes) {
    spent_ += bytes;
    return spent_ < most_;
  }

  // Returns the position of `token` in the next `most` bytes, else kNone.
  std::size_t find(std::string_view token, std::size_t from, std::size_t most = kNone) {
    if (from > text_.size() || !may_spend(0)) return kNone;
    const std::size_t at = text_.substr(from, most).find(token);
    return may_spend(std::min({at, most, text_.size() - from})) && at != kNone ? from + at : kNone;
  }

  // Returns the text from `at` to `token`, and moves `at` after that.
  std::optional<std::string_view> take_to(std::string_view token, std::size_t& at,
                                          std::size_t most = kNone) {
    const std::size_t end = find(token, at, most);
    if (end == kNone) return std::nullopt;
    const std::string_view text = text_.substr(at, end - at);
    at = end + token.size();
    return text;
  }

  // Returns the id of an offered tool, else empty. Harmony and Kimi K2 have `functions.` before it.
  std::string offered(std::string_view name) const {
    name = trimmed(name);
    if (!tools_.has || name.empty()) return {};
    if (tools_.has(name)) return std::string(name);
    constexpr std::string_view kSpace = "functions.";
    if (!name.starts_with(kSpace) || !tools_.has(name.substr(kSpace.size()))) return {};
    return std::string(name.substr(kSpace.size()));
  }

  // Reads a JSON object of arguments.
  End json_call(std::string_view name, std::size_t at) {
    std::string id = offered(name);
    if (id.empty()) return std::nullopt;
    const Value value = finder_.value_at(at);
    if (!value.is_object()) return std::nullopt;
    DialectArguments arguments(std::move(id), tools_);
    arguments.add_members(value);
    calls_.push_back(std::move(arguments).finish());
    return finder_.end_of(value);
  }

  // Reads objects that contain a name and arguments, and lists of them.
  End call_objects(std::size_t at, std::string_view = {}) {
    const std::size_t before = calls_.size();
    for (std::size_t begin = skip_space(at); is_at(begin, "{") || is_at(begin, "[");) {
      const Value value = finder_.value_at(begin);
      if (!value) break;
      add_call_object(value);
      for (const Value element : value.elements()) add_call_object(element);
      at = finder_.end_of(value);
      begin = skip_space(at);
      if (is_at(begin, ";") || is_at(begin, ",")) begin = skip_space(begin + 1);
    }
    return calls_.size() > before ? End(at) : std::nullopt;
  }

  void add_call_object(const Value& value) {
    if (!is_call(value)) return;
    TextCall call = call_of(value, kDialectTier);
    call.name = offered(call.name);
    if (!call.name.empty()) calls_.push_back(std::move(call));
  }

  // ---- Tags ----

  End tool_call_element(std::size_t at, std::string_view) {
    constexpr std::string_view kClose = "</tool_call>";
    const std::size_t begin = skip_space(at);
    End end;
    if (is_at(begin, "<function=")) {
      end = function_element(begin + std::string_view("<function=").size(), {});
    } else if (is_at(begin, "{") || is_at(begin, "[")) {
      end = call_objects(begin);
    } else if (is_at(begin + word_at(text_, begin).size(), ":")) {
      end = find(kClose, begin);
      has_unread_mark_ = true;
      if (end == kNone) return std::nullopt;
      is_decided_ = calls_.empty();
    } else {
      return key_value_elements(begin);
    }
    return end ? End(skip(*end, kClose)) : std::nullopt;
  }

  // GLM: a name, then pairs of <arg_key> and <arg_value>.
  End key_value_elements(std::size_t at) {
    std::string id = offered(word_at(text_, at));
    if (id.empty()) return std::nullopt;
    at += word_at(text_, at).size();
    DialectArguments arguments(std::move(id), tools_);
    for (std::size_t behind = skip(at, "<arg_key>"); behind != at; behind = skip(at, "<arg_key>")) {
      const auto key = take_to("</arg_key>", behind, kMaxHead);
      at = skip(behind, "<arg_value>");
      if (!key || at == behind) return std::nullopt;
      const auto value = take_to("</arg_value>", at);
      if (!value) return std::nullopt;
      arguments.add_between_tags(trimmed(*key), *value);
    }
    const std::size_t end = skip(at, "</tool_call>");
    if (end == at) return std::nullopt;
    calls_.push_back(std::move(arguments).finish());
    return end;
  }

  // Qwen3-Coder's <function=NAME> with <parameter=KEY>, and Llama's with a JSON object.
  End function_element(std::size_t at, std::string_view) {
    const auto head = take_to(">", at, kMaxHead);
    if (!head) return std::nullopt;
    if (is_at(skip_space(at), "{")) {
      const End end = json_call(*head, at);
      return end ? End(skip(*end, "</function>")) : std::nullopt;
    }
    return parameters(*head, at, "<parameter=", "</parameter>", {"</function>", "</tool_call>"});
  }

  // <invoke name="NAME"> with <parameter name="KEY"> or a JSON object; with `｜DSML｜` in all tags,
  // and then string="true" on a parameter that is a text.
  End invoke(std::size_t at, std::string_view mark) {
    const std::string prefix(mark.substr(1, mark.find("invoke") - 1));
    const std::string close = "</" + prefix + "invoke>";
    const auto head = take_to(">", at, kMaxHead);
    if (!head) return std::nullopt;
    const auto name = attribute({.attributes = *head}, "name");
    if (!name) return std::nullopt;
    if (is_at(skip_space(at), "{")) {
      const End end = json_call(*name, at);
      return end ? End(skip(*end, close)) : std::nullopt;
    }
    return parameters(*name, at, "<" + prefix + "parameter ", "</" + prefix + "parameter>",
                      {close, close});
  }

  End parameters(std::string_view name, std::size_t at, const std::string& open,
                 const std::string& close, const std::array<std::string_view, 2>& ends) {
    std::string id = offered(name);
    if (id.empty()) return std::nullopt;
    DialectArguments arguments(std::move(id), tools_);
    for (std::size_t behind = skip(at, open); behind != at; behind = skip(at, open)) {
      const auto head = take_to(">", behind, kMaxHead);
      const auto value = head ? take_to(close, behind) : std::nullopt;
      if (!value) return std::nullopt;
      const Tag tag{.attributes = *head};
      const auto key = open.ends_with('=') ? std::string(trimmed(*head)) : attribute(tag, "name");
      if (!key || key->empty()) return std::nullopt;
      arguments.add_between_tags(*key, *value, attribute(tag, "string") == "true");
      at = behind;
    }
    for (const std::string_view end : ends) {
      const std::size_t behind = skip(at, end);
      if (behind == at) continue;
      calls_.push_back(std::move(arguments).finish());
      return behind;
    }
    return std::nullopt;
  }

  // ---- Special tokens ----

  // DeepSeek: NAME, a separator and a JSON object; before V3.1 the type comes before the separator
  // and the name after it, with the object in a fence.
  End deepseek(std::size_t at, std::string_view) {
    auto name = take_to("<｜tool▁sep｜>", at, kMaxHead);
    if (!name) return std::nullopt;
    at = skip_space(at);
    if (is_at(at, "{")) return json_call(*name, at);
    name = take_to("\n", at, kMaxHead);
    if (!name) return std::nullopt;
    const End end = json_call(*name, skip(skip(at, "```"), "json"));
    return end ? End(skip(*end, "```")) : std::nullopt;
  }

  // Harmony: a message to `functions.NAME`, in a header that begins with the role or the channel.
  // Messages to nobody are thinking, or text for people.
  End harmony(std::size_t at, std::string_view mark) {
    constexpr std::string_view kMessage = "<|message|>";
    const std::size_t begin = at - mark.size();
    const std::size_t message = find(kMessage, at, kMaxHead);
    const auto name = recipient(begin, std::min({message, begin + kMaxHead, text_.size()}));
    if (message == kNone) return name ? std::nullopt : End(at);
    const std::size_t content = message + kMessage.size();
    const End end = name ? addressed(*name, skip_space(content)) : std::nullopt;
    has_unread_mark_ = has_unread_mark_ || (name && !end);
    return end ? end : End(message_end(message));
  }

  // An empty message is a call without arguments.
  End addressed(std::string_view name, std::size_t content) {
    if (content < text_.size() && !is_at(content, "<|")) return json_call(name, content);
    std::string id = offered(name);
    if (id.empty()) return std::nullopt;
    calls_.push_back(DialectArguments(std::move(id), tools_).finish());
    return content;
  }

  // The text of a reply begins after `<|start|>assistant`, so `to=` may come before the channel.
  std::optional<std::string_view> recipient(std::size_t begin, std::size_t end) const {
    std::size_t first = begin;
    while (first > 0 && begin - first < kMaxHead && text_[first - 1] > ' ' &&
           text_[first - 1] != '>') {
      --first;
    }
    const std::string_view header = text_.substr(first, end - first);
    const std::size_t to = header.find("to=");
    if (to == kNone || (to > 0 && header[to - 1] != ' ')) return std::nullopt;
    return word_at(header, to + 3);
  }

  std::size_t message_end(std::size_t at) {
    for (at = find("<|", at + 2); at != kNone; at = find("<|", at + 2)) {
      for (const std::string_view token : kHarmonyEnds) {
        if (is_at(at, token)) return at;
      }
    }
    return text_.size();
  }

  End kimi(std::size_t at, std::string_view) {
    const auto id = take_to("<|tool_call_argument_begin|>", at, kMaxHead);
    return id ? json_call(id->substr(0, id->rfind(':')), at) : std::nullopt;
  }

  End mistral(std::size_t at, std::string_view) {
    at = skip_space(at);
    if (is_at(at, "{") || is_at(at, "[")) return call_objects(at);
    const std::string_view name = word_at(text_, at);
    at += name.size();
    if (is_at(at, "[CALL_ID]") && !take_to("[ARGS]", at, kMaxHead)) return std::nullopt;
    return json_call(name, skip(at, "[ARGS]"));
  }

  End gemma(std::size_t at, std::string_view) {
    std::string id = offered(word_at(text_, at));
    std::size_t end = at + word_at(text_, at).size();
    if (id.empty() || !is_at(end, "{") || !may_spend(0)) return std::nullopt;
    const auto literal = read_literal(text_, end, Notation::gemma);
    if (!may_spend(end - at) || !literal) return std::nullopt;
    DialectArguments arguments(std::move(id), tools_);
    if (const auto object = json::parse(*literal)) arguments.add_members(object->root());
    calls_.push_back(std::move(arguments).finish());
    return end;
  }

  // ---- Python ----

  std::optional<TextCall> python_call(std::string_view code, std::size_t& at) {
    const std::string_view name = word_at(code, at);
    std::string id = offered(name);
    if (id.empty() || !code.substr(at + name.size()).starts_with('(')) return std::nullopt;
    DialectArguments arguments(std::move(id), tools_);
    for (at = next(code, at + name.size() + 1); !code.substr(at).starts_with(')');) {
      const std::string_view key = word_at(code, at);
      at = next(code, at + key.size());
      if (key.empty() || !code.substr(at).starts_with('=')) return std::nullopt;
      const auto value = read_literal(code, ++at, Notation::python);
      if (!value) return std::nullopt;
      arguments.add_json(key, *value);
      at = next(code, at);
      if (code.substr(at).starts_with(',')) {
        at = next(code, at + 1);
      } else if (!code.substr(at).starts_with(')')) {
        return std::nullopt;
      }
    }
    ++at;
    return std::move(arguments).finish();
  }

  static std::size_t next(std::string_view code, std::size_t at) {
    return std::min(code.find_first_not_of(kWhiteSpace, at), code.size());
  }

  // Reads calls up to `]` or the end of the code, with commas, semicolons or line ends between
  // them. Returns false, and adds none, if anything else is there.
  bool python_calls(std::string_view code, std::size_t& at) {
    const bool is_list = code.substr(at = next(code, at)).starts_with('[');
    const std::size_t known = calls_.size();
    std::size_t begin = at = next(code, at + (is_list ? 1 : 0));
    while (at < code.size() && code[at] != ']') {
      auto call = may_spend(0) ? python_call(code, at) : std::nullopt;
      if (call) calls_.push_back(std::move(*call));
      if (!may_spend(at - begin) || !call) at = code.size() + 1;
      begin = at = std::max(at, std::min(code.find_first_not_of(" \t\r\n,;", at), code.size()));
    }
    const bool is_read = calls_.size() > known && (is_list ? at < code.size() : at == code.size());
    if (!is_read) calls_.resize(known);
    at = next(code, at + (is_list ? 1 : 0));
    return is_read;
  }

  // Llama and Gemma: a list of calls. As in vLLM and SGLang, nothing but tokens may be next to it.
  End python_list(std::size_t at) {
    const std::size_t before = at == 0 ? kNone : text_.find_last_not_of(kWhiteSpace, at - 1);
    if (before != kNone && text_[before] != '>') return std::nullopt;
    const std::size_t known = calls_.size();
    if (!python_calls(text_, at)) return std::nullopt;
    if (at == text_.size() || is_at(at, "<|")) return at;
    calls_.resize(known);
    return std::nullopt;
  }

  // ---- What does not count ----

  // Skips inline code, and a code fence unless it contains calls in Python.
  std::size_t skip_code(std::size_t at) {
    const std::size_t begin = std::min(text_.find_first_not_of('`', at), text_.size());
    if (begin - at < 3) {
      const std::size_t end = text_.find_first_of("`\n", begin);
      return end < text_.size() && text_[end] == '`' ? end + 1 : begin;
    }
    const std::string_view language = word_at(text_, begin);
    const std::size_t body = begin + language.size();
    const std::size_t end = std::min(text_.find("```", body), text_.size());
    if (is_python(language)) {
      std::size_t code = 0;
      const bool is_read = python_calls(text_.substr(body, end - body), code);
      has_unread_mark_ = has_unread_mark_ || (!is_read && language == "tool_code");
    }
    return std::min(end + 3, text_.size());
  }

  // `</think>` alone ends thinking that began in the prompt.
  End thinking(std::size_t at, std::string_view mark) {
    if (mark == "</think>") {
      calls_.clear();
      has_unread_mark_ = false;
      return at;
    }
    std::string close = "<channel|>";  // Gemma's.
    if (mark != "<|channel>") close = std::string(mark).insert(1, "/");
    const std::size_t end = text_.find(close, at);
    return end == kNone ? text_.size() : end + close.size();
  }

  const std::string_view text_;
  const OfferedTools& tools_;
  json::Finder finder_;
  const std::size_t most_;
  std::size_t spent_ = 0;
  std::vector<TextCall> calls_;
  bool has_unread_mark_ = false;
  bool is_decided_ = false;  // An earlier call is in the text planner's own form.
};

// Sources, as read on 2026-11-28: parsers in vLLM's vllm/tool_parsers (v:) and SGLang's
// python/sglang/srt/function_call (s:), templates in llama.cpp's models/templates (t:).
constexpr std::array<Reader::Dialect, 26> Reader::kDialects = {{
    {"<think>", &Reader::thinking},
    {"</think>", &Reader::thinking},
    // Qwen 2.5, Hermes, Qwen3-Coder, GLM 4.5: v:hermes, v:qwen3coder, v:glm4_moe, t:glm_4_5.
    {"<tool_call>", &Reader::tool_call_element},
    // Qwen3-Coder, Llama 3: v:qwen3coder; meta-llama/llama-models, models/llama3/tool_utils.py;
    // s:llama32. The list of calls in Python: s:pythonic, v:pythonic.
    {"<function=", &Reader::function_element},
    {"<|python_tag|>", &Reader::call_objects},
    // DeepSeek R1, V3, V3.1, V3.2: s:deepseekv3, t:deepseek-ai-DeepSeek-V3.1, s:deepseekv32.
    {"<｜tool▁calls▁begin｜>", nullptr},
    {"<｜tool▁call▁begin｜>", &Reader::deepseek},
    {"<｜DSML｜function_calls>", nullptr},
    {"<｜DSML｜invoke ", &Reader::invoke},
    // MiniMax M2, and the like of it: v:minimax_m2, t:unsloth-MiniMax-M2.
    {"<minimax:tool_call>", nullptr},
    {"<function_calls>", nullptr},
    {"<invoke ", &Reader::invoke},
    // gpt-oss: openai/openai-cookbook, articles/openai-harmony.md; s:gpt_oss.
    {"<|start|>", &Reader::harmony},
    {"<|channel|>", &Reader::harmony},
    // Gemma 4: t:gemma4, s:gemma4. Gemma 3's fences: ai.google.dev/gemma/docs/meme-generator.
    {"<|channel>", &Reader::thinking},
    {"<|tool_call>call:", &Reader::gemma},
    {"<|tool_call>", nullptr},
    // FunctionGemma: ai.google.dev/gemma/docs/functiongemma/formatting-and-best-practices,
    // v:functiongemma.
    {"<start_function_call>call:", &Reader::gemma},
    {"<start_function_call>", nullptr},
    // Granite 3: v:granite. Command R: v:cohere_command.
    {"<|tool_call|>", &Reader::call_objects},
    {"<|START_ACTION|>", nullptr},
    // Mistral: v:mistral.
    {"[TOOL_CALLS]", &Reader::mistral},
    // Kimi K2: s:kimik2, v:kimi_k2.
    {"<|tool_calls_section_begin|>", nullptr},
    {"<|tool_call_begin|>", &Reader::kimi},
    // Thinking of Mistral and of others.
    {"[THINK]", &Reader::thinking},
    {"<thinking>", &Reader::thinking},
}};

}  // namespace

std::string_view without_whole_fence(std::string_view text) {
  const std::string_view all = trimmed(text);
  if (!begins_with_fence(all)) return text;
  const std::string_view language = word_at(all, 3);
  const std::size_t begin = 3 + language.size();
  const std::size_t end = all.find("```", begin);
  if (is_python(language) || end == kNone || end + 3 != all.size()) return text;
  return all.substr(begin, end - begin);
}

std::vector<TextCall> read_dialect_calls(std::string_view text, const OfferedTools& tools) {
  return Reader(text, tools).read();
}

bool has_dialect_marks(std::string_view text) {
  const OfferedTools none;
  Reader reader(text, none);
  reader.read();
  return reader.has_unread_mark();
}

std::string_view final_message(std::string_view text) {
  constexpr std::string_view kFinal = "<|channel|>final";
  constexpr std::string_view kMessage = "<|message|>";
  const std::string_view all = trimmed(text);
  if (!all.starts_with("<|channel|>") && !all.starts_with("<|start|>")) return text;
  const std::size_t channel = all.rfind(kFinal);
  const std::size_t message = all.find(kMessage, std::min(channel, all.size()));
  if (message == kNone || message - channel > kMaxHead) return text;
  const std::string_view content = all.substr(message + kMessage.size());
  std::size_t end = content.size();
  for (const std::string_view token : kHarmonyEnds) end = std::min(end, content.find(token));
  return trimmed(content.substr(0, end));
}

}  // namespace spoor::agent::reading
