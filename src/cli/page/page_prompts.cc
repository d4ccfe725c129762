#include "cli/page/page_prompts.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/turns/turn_json.h"

namespace spoor::cli::page {
namespace {

using api::JsonWriter;
using compile::LeftOut;
using compile::Message;
using compile::Part;
using compile::Prompt;

// Whether two parts are the same in JSON. A content's name tells its text.
bool is_same_part(const Part& a, const Part& b) {
  const bool has_same_fields =
      a.fields == b.fields || (a.fields && b.fields && *a.fields == *b.fields);
  return a.commit == b.commit && a.content == b.content && a.type == b.type &&
         a.priority == b.priority && a.is_edited == b.is_edited && a.is_cleared == b.is_cleared &&
         a.tokens == b.tokens && has_same_fields;
}

bool is_same(const Message& a, const Message& b) {
  return a.role == b.role && std::ranges::equal(a.parts, b.parts, is_same_part);
}
bool is_same(const LeftOut& a, const LeftOut& b) { return a == b; }

void write(JsonWriter& json, const Message& message) { api::write_message(json, message); }
void write(JsonWriter& json, const LeftOut& left_out) { api::write_left_out(json, left_out); }

// Writes what is different from the list before, and sets the places to those of this one.
template <class T>
Result<std::string> change(const std::vector<T>& before, const std::vector<T>& now,
                           std::vector<std::size_t>& places, const PagePrompts::Put& put) {
  const auto same = [](const T& a, const T& b) { return is_same(a, b); };
  const auto begun = std::ranges::mismatch(before, now, same);
  const auto from = static_cast<std::size_t>(begun.in1 - before.begin());
  const std::size_t most = std::min(before.size(), now.size()) - from;
  std::size_t end = 0;
  while (end < most && same(before[before.size() - 1 - end], now[now.size() - 1 - end])) ++end;
  std::vector<std::size_t> added;
  for (std::size_t i = from; i < now.size() - end; ++i) {
    JsonWriter json(true);
    write(json, now[i]);
    added.push_back(TRY(put(json.take())));
  }
  const auto at = [&](std::size_t i) { return places.begin() + static_cast<std::ptrdiff_t>(i); };
  places.erase(at(from), at(before.size() - end));
  places.insert(at(from), added.begin(), added.end());
  return fmt::format("[{},{},[{}]]", from, end, fmt::join(added, ","));
}

}  // namespace

PagePrompts::PagePrompts(const graph::Repository& repository, bool include_reasoning, Put put)
    : repository_(repository), put_(std::move(put)) {
  options_.include_reasoning = include_reasoning;
}

Result<PagePrompts::Written> PagePrompts::at(const store::Oid& commit) {
  Prompt now = TRY(repository_.compile(commit, options_));
  Written written;
  written.messages = TRY(change(before_.messages, now.messages, messages_, put_));
  written.left_out = TRY(change(before_.left_out, now.left_out, left_out_, put_));
  std::vector<LeftOut> left_out = std::exchange(now.left_out, {});
  JsonWriter json(true);
  json.object();
  api::write_prompt_facts(json, now);
  written.rest = json.end().take();
  now.left_out = std::move(left_out);
  before_ = std::move(now);
  return written;
}

}  // namespace spoor::cli::page
