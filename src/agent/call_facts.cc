#include "agent/call_facts.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "agent/numbers.h"
#include "agent/registry.h"
#include "base/json/writer.h"

namespace spoor::agent {
namespace {

constexpr std::size_t kMaxLength = 1'000;  // Bytes, of 4 KiB for all of the answer's facts.

bool read_tools(const json::Value& calls, std::vector<std::string>& tools) {
  if (!calls) return true;
  if (!calls.is_array()) return false;
  for (const json::Value tool : calls.elements()) {
    tools.push_back(tool.text());
    if (!is_tool_id(tools.back())) return false;
  }
  return true;
}

bool read_reasons(const json::Value& all, CallFacts& found) {
  if (!all) return true;
  if (!all.is_object()) return false;
  for (const json::Member member : all.members()) {
    const std::string key = member.key.text();
    std::int64_t call = 0;
    const auto read = std::from_chars(key.data(), key.data() + key.size(), call);
    if (read.ec != std::errc() || read.ptr != key.data() + key.size() || call < 1) return false;
    std::optional<double> confidence;
    if (!member.value.is_true()) {
      confidence = number_of(member.value);
      if (!confidence) return false;
    }
    found.reasons.insert_or_assign(call, confidence);
  }
  return true;
}

}  // namespace

void set_call_facts(compile::Facts& facts, const std::vector<compile::ToolCall>& calls,
                    const Rationales& reasons) {
  std::vector<std::string> tools;
  for (const compile::ToolCall& call : calls) {
    if (!is_tool_id(call.name)) return;
    tools.push_back(call.name);
  }
  json::Object stated;
  for (const auto& [number, reason] : reasons) {
    stated.add_json(std::to_string(number),
                    reason.confidence ? fmt::format("{}", *reason.confidence) : "true");
  }
  const std::string tools_text = json::write_strings(tools);
  const std::string stated_text = stated.write();
  if (tools_text.size() + stated_text.size() > kMaxLength) return;
  if (!tools.empty()) facts.set(fact::calls, tools_text);
  if (!stated.empty()) facts.set(fact::reasons, stated_text);
}

std::optional<CallFacts> read_call_facts(const compile::FactsView& facts) {
  const json::Value calls = facts.json(fact::calls);
  const json::Value reasons = facts.json(fact::reasons);
  CallFacts found;
  const bool is_told = (calls || reasons) && read_tools(calls, found.tools);
  if (!is_told || !read_reasons(reasons, found)) return std::nullopt;
  return found;
}

}  // namespace spoor::agent
