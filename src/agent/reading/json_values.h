#pragma once

#include <string_view>

#include "base/json/reader.h"
#include "base/result.h"

/// What a planner reads out of the text of a reply: its JSON, the reasons and the assumptions it
/// states, the calls that a model without native calls writes down. Nothing is ever made up.
namespace spoor::agent::reading {

/// The object by which a reply answers. Borrows the text of the reply.
struct Payload {
  json::Document document;

  /// An object that has the wanted key.
  json::Value root() const { return document.root(); }

  /// Its exact bytes in the reply.
  std::string_view json() const { return root().raw(); }
};

/// The first object with the member `wanted_key` among the JSON values of a reply, in the order of
/// llm::json_values(): behind fences, then in the text; never in a leading `<think>…</think>`.
///
/// Code::invalid when there is no value at all (the message holds `no JSON block`), when the first
/// one is no object, and when no object has the key.
Result<Payload> payload_of(std::string_view reply, std::string_view wanted_key);

}  // namespace spoor::agent::reading
