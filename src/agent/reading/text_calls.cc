#include "agent/reading/text_calls.h"

#include <algorithm>
#include <utility>

#include "agent/reading/block_tags.h"
#include "agent/reading/dialects.h"
#include "base/json/finder.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "llm/json_values.h"

namespace spoor::agent::reading {
namespace {

using json::Finder;
using json::Member;
using json::Object;
using json::Value;

// ---- Tier 1: tagged lines ----

struct Line {
  std::string_view key;
  std::string value;
};

bool is_key(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

std::vector<Line> lines_of(std::string_view body) {
  std::vector<Line> lines;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    std::string_view line = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);

    const std::size_t colon = line.find(':');
    const std::string_view key = trimmed(line.substr(0, colon));
    if (colon != std::string_view::npos && is_key(key)) {
      lines.push_back({key, std::string(trimmed(line.substr(colon + 1)))});
    } else if (!lines.empty()) {
      lines.back().value.append("\n").append(line);
    }
  }
  for (Line& line : lines) line.value = trimmed(line.value);
  return lines;
}

std::optional<TextCall> tagged_call(std::string_view body) {
  TextCall call;
  call.tier = 1;
  Object arguments;
  for (const Line& line : lines_of(body)) {
    if (line.key == "tool") {
      if (call.name.empty()) call.name = line.value;
    } else if (line.key == kRationaleKey) {
      const auto object = json::parse(line.value);
      set_rationale(call, object && object->root().is_object() ? clean_rationale(object->root())
                                                               : clean_rationale(line.value));
    } else {
      arguments.add_string(line.key, line.value);
    }
  }
  if (call.name.empty()) return std::nullopt;
  call.arguments = arguments.write();
  return call;
}

std::vector<TextCall> tagged_calls(std::string_view text) {
  std::vector<TextCall> calls;
  std::size_t begin = 0;
  bool is_open = false;
  std::size_t at = 0;
  while (const auto tag = find_tag(text, "tool_call", at)) {
    at = tag->end;
    if (!tag->is_closing) {
      begin = tag->end;  // A tag that is not closed before the next one is ignored.
      is_open = true;
    } else if (std::exchange(is_open, false)) {
      if (auto call = tagged_call(text.substr(begin, tag->begin - begin))) {
        calls.push_back(std::move(*call));
      }
    }
  }
  return calls;
}

// ---- Tiers 2 and 3: call objects ----

// Returns the first list of calls in `value`, in text order; missing if there is none. The JSON
// reader limits the depth.
Value list_of_calls(const Value& value) {
  if (value.is_array()) {
    bool are_calls = value.size() > 0;
    for (const Value element : value.elements()) are_calls = are_calls && is_call(element);
    if (are_calls) return value;
    for (const Value element : value.elements()) {
      if (const Value list = list_of_calls(element)) return list;
    }
  } else if (value.is_object() && !is_call(value)) {
    for (const Member& member : value.members()) {
      if (const Value list = list_of_calls(member.value)) return list;
    }
  }
  return {};
}

std::vector<TextCall> listed_calls(std::string_view text) {
  std::vector<TextCall> calls;
  Finder finder(text);
  std::size_t from = 0;
  while (const Value value = finder.first_of("{[", from)) {
    if (const Value list = list_of_calls(value)) {
      for (const Value element : list.elements()) calls.push_back(call_of(element, 3));
      break;
    }
    from = finder.end_of(value);
  }
  return calls;
}

std::vector<TextCall> single_calls(std::string_view text) {
  std::vector<TextCall> calls;
  Finder finder(text);
  std::size_t from = 0;
  while (const Value object = finder.first_of("{", from)) {
    if (is_call(object)) calls.push_back(call_of(object, 2));
    from = finder.end_of(object);
  }
  return calls;
}

}  // namespace

TextCalls read_text_calls(std::string_view reply, std::string_view thinking,
                          const OfferedTools& tools) {
  const std::string_view answer = llm::without_preface(reply);
  std::string thoughts(reply.substr(0, reply.size() - answer.size()));
  if (!thinking.empty()) thoughts.append("\n\n").append(thinking);

  TextCalls result;
  result.blocks = read_rationale_blocks(answer, thoughts, InObjects::text);
  const std::string_view text = result.blocks.rest;
  if (tools.has) result.calls = read_dialect_calls(text, tools);
  if (result.calls.empty()) result.calls = tagged_calls(text);
  if (result.calls.empty()) result.calls = listed_calls(text);
  if (result.calls.empty()) result.calls = single_calls(text);

  std::int64_t number = 0;
  for (TextCall& call : result.calls) {
    const RationaleBlock* block = block_for(result.blocks, ++number, call.name);
    if (call.rationale || block == nullptr) continue;
    call.rationale = block->rationale;
    call.dropped.insert(call.dropped.end(), block->dropped.begin(), block->dropped.end());
  }
  return result;
}

}  // namespace spoor::agent::reading
