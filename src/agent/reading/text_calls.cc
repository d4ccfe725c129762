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

// ---- Markdown ----

// Whether calls in code fences count.
enum class Fences { read, skipped };

bool begins_a_line(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n';
}

// Returns the position after the code whose marks begin at `at`: inline code, or the opening or
// the whole of a fence.
std::size_t after_code(std::string_view text, std::size_t at, Fences fences) {
  const char mark = text[at];
  const std::size_t begin = std::min(text.find_first_not_of(mark, at), text.size());
  const std::string marks(begin - at, mark);
  if (marks.size() >= 3) {
    if (fences == Fences::read || !begins_a_line(text, at)) return begin;
    const std::size_t end = text.find("\n" + marks, begin);
    return end == std::string_view::npos ? text.size() : end + 1 + marks.size();
  }
  if (mark != '`') return begin;
  const std::size_t line = std::min(text.find('\n', begin), text.size());
  const std::size_t end = text.substr(0, line).find(marks, begin);
  return end == std::string_view::npos ? begin : end + marks.size();
}

// Returns the first position at or after `from` of one of `marks` that is neither in inline code
// nor in a line that quotes; the size of the text if there is none.
std::size_t next_outside_code(std::string_view text, std::size_t from, const std::string& marks,
                              Fences fences) {
  const std::string stops = marks + "`~>";
  for (std::size_t at = text.find_first_of(stops, from); at < text.size();
       at = text.find_first_of(stops, at)) {
    if (marks.find(text[at]) != std::string::npos) return at;
    if (text[at] != '>') {
      at = after_code(text, at, fences);
    } else {
      at = begins_a_line(text, at) ? std::min(text.find('\n', at), text.size()) : at + 1;
    }
  }
  return text.size();
}

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

std::vector<TextCall> tagged_calls(std::string_view text, Fences fences) {
  std::vector<TextCall> calls;
  std::size_t begin = 0;
  bool is_open = false;
  std::size_t at = 0;
  while (const auto tag = find_tag(text, "tool_call", at)) {
    if (!is_open) {  // The content of a call is not Markdown.
      while (at < tag->begin) at = std::max(at + 1, next_outside_code(text, at, "<", fences));
      if (at != tag->begin) continue;
    }
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

// Passes on each value that begins with one of `openings`, until `take` returns false or the text
// ends inside one.
template <class Take>
void each_value(std::string_view text, const std::string& openings, Fences fences, Take take) {
  Finder finder(text);
  std::size_t at = next_outside_code(text, 0, openings, fences);
  while (at < text.size()) {
    const Value value = finder.value_at(at);
    if (finder.is_torn() || (value && !take(value))) return;
    at = next_outside_code(text, value ? finder.end_of(value) : at + 1, openings, fences);
  }
}

std::vector<TextCall> listed_calls(std::string_view text, Fences fences) {
  std::vector<TextCall> calls;
  each_value(text, "{[", fences, [&](const Value& value) {
    const Value list = list_of_calls(value);
    for (const Value element : list.elements()) calls.push_back(call_of(element, 3));
    return !list;
  });
  return calls;
}

std::vector<TextCall> single_calls(std::string_view text, Fences fences) {
  std::vector<TextCall> calls;
  each_value(text, "{", fences, [&](const Value& object) {
    if (is_call(object)) calls.push_back(call_of(object, 2));
    return true;
  });
  return calls;
}

std::vector<TextCall> calls_in(std::string_view text, const OfferedTools& tools, Fences fences) {
  std::vector<TextCall> calls;
  if (tools.has) calls = read_dialect_calls(text, tools);
  if (calls.empty()) calls = tagged_calls(text, fences);
  if (calls.empty()) calls = listed_calls(text, fences);
  if (calls.empty()) calls = single_calls(text, fences);
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
  result.calls = calls_in(result.blocks.rest, tools, Fences::read);

  std::int64_t number = 0;
  for (TextCall& call : result.calls) {
    const RationaleBlock* block = block_for(result.blocks, ++number, call.name);
    if (call.rationale || block == nullptr) continue;
    call.rationale = block->rationale;
    call.dropped.insert(call.dropped.end(), block->dropped.begin(), block->dropped.end());
  }
  return result;
}

bool has_text_call(std::string_view reply, const OfferedTools& tools) {
  const std::string_view text = without_whole_fence(llm::without_preface(reply));
  const auto calls = calls_in(text, tools, Fences::skipped);
  return std::ranges::any_of(calls, [&](const TextCall& call) { return tools.has(call.name); });
}

}  // namespace spoor::agent::reading
