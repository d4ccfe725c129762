#pragma once

#include <string_view>
#include <vector>

#include "agent/reading/call_objects.h"

namespace spoor::agent::reading {

/// Reads the calls that a model wrote in the form of its own family, in their order; the forms are
/// the table in dialects.cc, and docs/agents.md lists them. Counts only calls of offered tools
/// whose arguments are complete. All calls have the tier 4.
///
/// Calls do not count in `<think>…</think>` and other thinking, in a JSON value, in inline code, or
/// in a code fence; but a fence around the whole reply is ignored, and `tool_code` and `python`
/// fences are a form themselves. If the form of the text planner, `<tool_call>` with lines `key:
/// value`, comes before the first call, there are none.
///
/// An argument that is written without its type is a text if the schema says so. Else it is the
/// JSON value or Python literal that it contains, and a text if it is neither. An argument
/// `rationale` is the call's rationale.
///
/// Linear in the size of the text: once failed attempts took 32 times that, no more calls are
/// found.
std::vector<TextCall> read_dialect_calls(std::string_view text, const OfferedTools& tools);

/// Returns the content of a code fence that is the whole text, else the text. A `tool_code` or
/// `python` fence is a form of its own and stays.
std::string_view without_whole_fence(std::string_view text);

/// Returns true if the text contains a special token of a call where a call would count. For a text
/// without calls: the model wanted one, which cannot be read or is cut off.
bool has_dialect_marks(std::string_view text);

/// Returns the answer of a model whose server left its text in gpt-oss's form: the last message of
/// the channel `final` in a text that begins with a channel or a start token. Returns any other
/// text as it is. Source: openai/openai-cookbook, articles/openai-harmony.md.
std::string_view final_message(std::string_view text);

}  // namespace spoor::agent::reading
