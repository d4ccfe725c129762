#include "llm/wire/thinking.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "llm/wire/thinking_models.h"
#include "store/sha256.h"

namespace spoor::llm::wire {
namespace {

using json::Value;
using store::Oid;
using PromptBlock = RequestOutline::Block;
using OfferedTool = RequestOutline::Tool;

// Writes blocks in canonical form, without `cache_control` and without the URLs of files, and
// collects those URLs and the names of tools.
class BlockReader {
 public:
  std::string read(const Value& value) {
    if (value.is_array()) {
      std::vector<std::string> elements;
      for (const Value element : value.elements()) elements.push_back(read(element));
      return json::write_array(elements);
    }
    if (!value.is_object()) {
      std::string text;
      json::append_canonical(text, value);
      return text;
    }
    note_tool(value);
    json::Object object;
    for (const json::Member member : value.members()) {
      const std::string key = member.key.text();
      if (key == "cache_control") continue;
      if (key == "content" || key == "tool_references") {
        object.add_json(key, read(member.value));
      } else if (key == "source" && member.value.find("type").equals("url")) {
        urls += json::write_string(member.value.find("url").text());
        object.add_string(key, "url");
      } else {
        object.add_value(key, member.value);
      }
    }
    return object.write();
  }

  std::string urls;
  std::vector<std::string> tools;

 private:
  void note_tool(const Value& block) {
    if (block.find("type").equals("tool_use")) tools.push_back(block.find("name").text());
    if (block.find("type").equals("tool_reference")) {
      tools.push_back(block.find("tool_name").text());
    }
  }
};

Oid digest_of(const Value& value) { return store::sha256(BlockReader().read(value)); }

bool is_thinking(const Value& block) {
  const Value type = block.find("type");
  return type.equals("thinking") || type.equals("redacted_thinking");
}

// A string is shorthand for one block of text (platform.claude.com/docs/en/api/messages,
// `content`).
std::string block_of(const Value& string) {
  return fmt::format(R"({{"type":"text","text":{}}})", string.raw());
}

void add_message(const Value& message, std::size_t number, RequestOutline& outline) {
  json::Object head;
  for (const json::Member member : message.members()) {
    const std::string key = member.key.text();
    if (key != "content" && key != "cache_control") head.add_value(key, member.value);
  }
  const std::string role = head.write();
  const auto add = [&](const Value& block) {
    BlockReader reader;
    const std::string text = reader.read(block);
    outline.blocks.push_back({.digest = store::sha256(role, "\n", text),
                              .urls = store::sha256(reader.urls),
                              .message = number,
                              .is_compaction = block.find("type").equals("compaction"),
                              .tools = std::move(reader.tools)});
  };
  const Value content = message.find("content");
  if (content.is_string()) {
    const std::string block = block_of(content);
    return add(json::parse(block)->root());
  }
  if (!content.is_array()) return add(content);
  std::size_t place = 0;
  for (const Value block : content.elements()) {
    const std::size_t at = place++;
    if (!is_thinking(block)) {
      add(block);
      continue;
    }
    const Value sealed = block.find(block.find("type").equals("thinking") ? "signature" : "data");
    outline.thinking.push_back({.path = fmt::format("messages.{}.content.{}", number, at),
                                .id = store::sha256(sealed.text()),
                                .before = outline.blocks.size()});
  }
}

bool names_tool(const std::vector<PromptBlock>& blocks, std::size_t end, const std::string& name) {
  return std::any_of(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](const PromptBlock& block) {
                       return std::find(block.tools.begin(), block.tools.end(), name) !=
                              block.tools.end();
                     });
}

bool has_tool(const std::vector<OfferedTool>& tools, const OfferedTool& wanted) {
  return std::any_of(tools.begin(), tools.end(),
                     [&](const OfferedTool& tool) { return tool.digest == wanted.digest; });
}

// The tools are a set. One with `defer_loading` may be added until something before the block
// names it.
bool has_same_tools(const RequestOutline& now, const RequestOutline& then, std::size_t before) {
  const auto is_kept = [&](const OfferedTool& tool) { return has_tool(now.tools, tool); };
  const auto is_allowed = [&](const OfferedTool& tool) {
    return has_tool(then.tools, tool) ||
           (tool.is_deferred && !names_tool(now.blocks, before, tool.name));
  };
  return std::all_of(then.tools.begin(), then.tools.end(), is_kept) &&
         std::all_of(now.tools.begin(), now.tools.end(), is_allowed);
}

// "With server-side compaction, the checked prefix starts at the most recent compaction block."
std::optional<std::size_t> last_compaction(const RequestOutline& outline, std::size_t end) {
  for (std::size_t i = end; i > 0; --i) {
    if (outline.blocks[i - 1].is_compaction) return i - 1;
  }
  return std::nullopt;
}

// Returns the first difference of the messages before an answer from those that it answered.
Judgement compare_messages(const RequestOutline& now, std::size_t start, std::size_t answer,
                           const RequestOutline& then) {
  Judgement judged;
  std::size_t old = last_compaction(then, then.blocks.size()).value_or(0);
  for (std::size_t i = start; i < answer; ++i, ++old) {
    const PromptBlock& block = now.blocks[i];
    if (old == then.blocks.size() || block.digest != then.blocks[old].digest) {
      return {Binding::prefix_mismatch, fmt::format("messages.{} was another one", block.message)};
    }
    if (block.urls != then.blocks[old].urls) {
      judged = {Binding::unknown,
                fmt::format("messages.{} has another URL, which must return the same bytes",
                            block.message)};
    }
  }
  if (old == then.blocks.size()) return judged;
  return {Binding::prefix_mismatch, "messages before it are missing"};
}

// The thinking before a block must be an unbroken run of what preceded it when it was made: the
// last blocks of that request, then those of the same answer, which begins at `answer`.
bool is_unbroken(const RequestOutline& now, std::size_t index, std::size_t answer,
                 const RequestOutline& then) {
  const auto first = now.thinking.begin();
  for (std::size_t kept = index;; --kept) {
    if (kept <= then.thinking.size()) {
      const auto end = then.thinking.end();
      const bool is_end = std::equal(first, first + static_cast<std::ptrdiff_t>(kept),
                                     end - static_cast<std::ptrdiff_t>(kept), end,
                                     [](const auto& a, const auto& b) { return a.id == b.id; });
      if (is_end) return true;
    }
    if (kept == 0 || now.thinking[kept - 1].before < answer) return false;
  }
}

Judgement judge_prefix(const RequestOutline& now, std::size_t index, const ThinkingOrigin& origin) {
  const RequestOutline& then = *origin.request;
  const std::size_t before = now.thinking[index].before;
  const std::size_t answer = before - std::min(origin.own, before);
  if (now.system != then.system) {
    return {Binding::prefix_mismatch, "the system prompt was another one"};
  }
  if (!has_same_tools(now, then, answer)) {
    return {Binding::prefix_mismatch, "the tools were others"};
  }
  const auto compaction = last_compaction(now, before);
  Judgement judged;
  if (!compaction || *compaction < answer) {
    judged = compare_messages(now, compaction.value_or(0), answer, then);
  }
  const bool is_whole =
      judged.binding == Binding::prefix_mismatch || is_unbroken(now, index, answer, then);
  if (is_whole) return judged;
  return {Binding::prefix_mismatch, "thinking before it was removed or put back"};
}

}  // namespace

Result<RequestOutline> outline_of(std::string_view body) {
  const json::Document document = TRY(json::parse(body));
  const Value root = document.root();
  if (!root.is_object()) return invalid("the body of a request is not a JSON object");
  RequestOutline outline;
  if (const Value system = root.find("system")) {
    const std::string blocks =
        system.is_string() ? "[" + block_of(system) + "]" : std::string(system.raw());
    outline.system = digest_of(json::parse(blocks)->root());
  }
  for (const Value tool : root.find("tools").elements()) {
    outline.tools.push_back({.digest = digest_of(tool),
                             .name = tool.find("name").text(),
                             .is_deferred = tool.find("defer_loading").is_true()});
  }
  std::size_t number = 0;
  for (const Value message : root.find("messages").elements()) {
    add_message(message, number++, outline);
  }
  return outline;
}

PrefixDigests::PrefixDigests(const RequestOutline& request) {
  std::vector<Oid> tools;
  for (const OfferedTool& tool : request.tools) tools.push_back(tool.digest);
  std::sort(tools.begin(), tools.end());
  tools.erase(std::unique(tools.begin(), tools.end()), tools.end());
  head_ = request.system;
  for (const Oid& tool : tools) head_ = store::sha256(head_.view(), tool.view());

  blocks_.emplace_back();
  for (const PromptBlock& block : request.blocks) {
    const Oid& front = block.is_compaction ? blocks_.front() : blocks_.back();
    blocks_.push_back(store::sha256(front.view(), block.digest.view(), block.urls.view()));
  }
  thinking_.emplace_back();
  for (const RequestOutline::Thinking& block : request.thinking) {
    thinking_.push_back(store::sha256(thinking_.back().view(), block.id.view()));
    places_.push_back(block.before);
  }
}

Oid PrefixDigests::digest(std::size_t blocks, std::size_t thinking) const {
  return store::sha256(head_.view(), blocks_[blocks].view(), thinking_[thinking].view());
}

Oid PrefixDigests::whole() const { return digest(blocks_.size() - 1, thinking_.size() - 1); }

Oid PrefixDigests::before(std::size_t index, std::size_t own) const {
  const std::size_t answer = places_[index] - std::min(own, places_[index]);
  while (index > 0 && places_[index - 1] >= answer) --index;
  return digest(answer, index);
}

std::string_view name_of(Binding binding) {
  switch (binding) {
    case Binding::valid:
      return "valid";
    case Binding::unknown:
      return "unknown";
    case Binding::prefix_mismatch:
      return "prefix_binding_mismatch";
    case Binding::model_mismatch:
      return "model_binding_mismatch";
    case Binding::organization_mismatch:
      return "organization_binding_mismatch";
  }
  return {};
}

Judgement judge_thinking(const RequestOutline& request, std::size_t index, const Caller& reader,
                         const ThinkingOrigin& origin) {
  const Caller& maker = origin.caller;
  const bool is_elsewhere = !maker.organization.empty() && !reader.organization.empty() &&
                            maker.organization != reader.organization;
  if (is_elsewhere && binds_to_account(maker.model)) {
    return {Binding::organization_mismatch, "another account got it"};
  }
  if (!reads_thinking(reader.model, maker.model).value_or(true)) {
    return {Binding::model_mismatch,
            fmt::format("'{}' does not read thinking of '{}'", reader.model, maker.model)};
  }
  if (origin.request == nullptr || !checks_prefix(reader.model)) return {};
  return judge_prefix(request, index, origin);
}

}  // namespace spoor::llm::wire
