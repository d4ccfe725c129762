#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llm/wire/json_text.h"
#include "llm/wire/message_reader.h"
#include "llm/wire/ndjson.h"

namespace spoor::llm::wire {

/// The `tool_calls` of a chat completion, whole or in deltas.
///
/// A delta belongs to the call with its `index`; without one, to the newest call. It begins another
/// call if its id differs, or if it names a tool although the arguments of the previous call are
/// complete: some providers number every call 0. A name arrives at once or in pieces; a provider
/// that repeats it in every delta does not make it longer.
class ChatCalls {
 public:
  /// Reads an element of a delta's `tool_calls`.
  void read(const json::Value& element, const Listener& listener);

  /// Reads an element of a whole message's `tool_calls`: a separate call, whatever its id.
  void read_whole(const json::Value& element, const Listener& listener);

  /// Reads the older `function_call`, which is one call without an id.
  void read_function(const json::Value& function, const Listener& listener);

  bool empty() const { return calls_.empty(); }

  /// Returns the calls in order. `reply` identifies the reply, see made_call_id.
  std::vector<Piece> finish(std::string_view reply, const Listener& listener);

 private:
  struct Call {
    std::string id;
    std::string name;
    JsonText arguments;           // Pieces of a string.
    std::string whole_arguments;  // Given as JSON instead.
    JsonValues shape;             // Tracks the brackets in `arguments`.
    bool has_whole_value = false;
    bool has_arguments = false;
    bool is_told = false;
    std::vector<std::pair<std::string, std::string>> others;  // Members without a field here.
  };

  Call& call_of(const json::Value& element);
  static void take(Call& call, const json::Value& element, const Listener& listener);
  static bool is_another(const Call& call, std::string_view id, std::string_view name);
  static void take_function(Call& call, const json::Value& function);
  static void tell(Call& call, const Listener& listener);
  static std::string raw_of(const Call& call, const compile::ToolCall& read);

  std::vector<Call> calls_;
  std::map<std::int64_t, std::size_t> of_index_;
};

}  // namespace spoor::llm::wire
