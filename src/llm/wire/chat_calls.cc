#include "llm/wire/chat_calls.h"

#include <algorithm>

#include "base/json/writer.h"
#include "llm/wire/calls.h"

namespace spoor::llm::wire {
namespace {

using json::append_string;
using json::Member;
using json::Value;

constexpr std::size_t kMaxOthers = 32;  // Each new member is compared with all of them.

bool is_known(std::string_view key) {
  return key == "index" || key == "id" || key == "type" || key == "function";
}

}  // namespace

void ChatCalls::read(const Value& element, const Listener& listener) {
  if (!element.is_object()) return;
  const std::size_t before = calls_.size();
  Call& call = call_of(element);
  if (calls_.size() > before && before > 0) tell(calls_[before - 1], listener);
  take(call, element, listener);
}

void ChatCalls::read_whole(const Value& element, const Listener& listener) {
  if (element.is_object()) take(calls_.emplace_back(), element, listener);
}

void ChatCalls::take(Call& call, const Value& element, const Listener& listener) {
  if (const std::string id = element.find("id").text(); !id.empty()) call.id = id;
  for (const Member member : element.members()) {
    std::string key = member.key.text();
    if (is_known(key) || member.value.type() == json::Type::null) continue;
    const auto same =
        std::ranges::find(call.others, key, &std::pair<std::string, std::string>::first);
    if (same != call.others.end()) {
      same->second = member.value.raw();
    } else if (call.others.size() < kMaxOthers) {
      call.others.emplace_back(std::move(key), std::string(member.value.raw()));
    }
  }
  take_function(call, element.find("function"));
  if (!call.arguments.empty() || !call.whole_arguments.empty()) tell(call, listener);
}

void ChatCalls::read_function(const Value& function, const Listener& listener) {
  if (!function.is_object()) return;
  if (calls_.empty()) calls_.emplace_back();
  take_function(calls_.front(), function);
  if (calls_.front().has_arguments) tell(calls_.front(), listener);
}

ChatCalls::Call& ChatCalls::call_of(const Value& element) {
  const std::string id = element.find("id").text();
  const std::string name = element.find("function").find("name").text();
  const auto index = element.find("index").integer();

  std::size_t at = calls_.size();
  if (index) {
    const auto found = of_index_.find(*index);
    if (found != of_index_.end()) at = found->second;
  } else if (!calls_.empty()) {
    at = calls_.size() - 1;
  }
  if (at == calls_.size() || is_another(calls_[at], id, name)) {
    at = calls_.size();
    calls_.emplace_back();
  }
  if (index) of_index_[*index] = at;
  return calls_[at];
}

bool ChatCalls::is_another(const Call& call, std::string_view id, std::string_view name) {
  if (!id.empty() && !call.id.empty()) return id != call.id;
  if (name.empty() || call.name.empty()) return false;
  return !call.whole_arguments.empty() || call.has_whole_value;
}

void ChatCalls::take_function(Call& call, const Value& function) {
  const std::string name = function.find("name").text();
  if (name != call.name) call.name += name;

  const Value arguments = function.find("arguments");
  if (arguments.is_string()) {
    call.arguments.append(arguments);
    call.shape.feed(arguments.text(), [&](std::string_view, bool) { call.has_whole_value = true; });
    call.has_arguments = true;
  } else if (arguments.is_object() || arguments.is_array()) {
    call.whole_arguments = arguments.raw();
    call.has_arguments = true;
  }
}

void ChatCalls::tell(Call& call, const Listener& listener) {
  if (call.is_told || call.name.empty()) return;
  call.is_told = true;
  listener.call(call.name);
}

std::vector<Piece> ChatCalls::finish(std::string_view reply, const Listener& listener) {
  std::vector<Piece> pieces;
  for (Call& call : calls_) {
    tell(call, listener);
    Piece piece;
    piece.kind = Piece::Kind::call;
    piece.call.id = call.id;
    piece.call.name = call.name;
    if (!call.whole_arguments.empty()) {
      piece.call.arguments = call.whole_arguments;
    } else {
      piece.call.arguments = call.has_arguments ? call.arguments.text() : "{}";
    }
    if (call.id.empty()) piece.call.id = made_call_id(reply, pieces.size(), piece.call);
    if (!call.others.empty()) piece.raw = raw_of(call, piece.call);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::string ChatCalls::raw_of(const Call& call, const compile::ToolCall& read) {
  std::string raw = R"({"id":)";
  append_string(raw, read.id);
  raw += R"(,"type":"function","function":{"name":)";
  append_string(raw, read.name);
  raw += R"(,"arguments":)";
  raw += call.whole_arguments.empty() && call.has_arguments ? call.arguments.raw()
                                                            : json::write_string(read.arguments);
  raw += '}';
  for (const auto& [key, value] : call.others) {
    raw += ',';
    append_string(raw, key);
    raw += ':' + value;
  }
  return raw + '}';
}

}  // namespace spoor::llm::wire
