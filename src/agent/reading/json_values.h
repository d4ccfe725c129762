#pragma once

#include <string_view>

#include "base/json/reader.h"
#include "base/result.h"

/// Reads the text of a reply: its JSON, the reasons and assumptions it states, and the calls that a
/// model without native calls writes as text. Never invents anything.
namespace spoor::agent::reading {

/// The JSON object that is the answer of a reply. Borrows the text of the reply.
struct Payload {
  json::Document document;

  /// The object with the wanted key.
  json::Value root() const { return document.root(); }

  /// Its exact bytes in the reply.
  std::string_view json() const { return root().raw(); }
};

/// Returns the first object with the member `wanted_key` among the JSON values of a reply, in the
/// order of llm::json_values(): in fences, then in the text; never in a leading `<think>…</think>`.
/// Returns Code::invalid if there is no value at all (the message contains `no JSON block`), if the
/// first value is not an object, or if no object has the key.
Result<Payload> payload_of(std::string_view reply, std::string_view wanted_key);

}  // namespace spoor::agent::reading
