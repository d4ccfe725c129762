#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/debrief/fold.h"
#include "agent/rationale.h"
#include "store/oid.h"

namespace spoor::agent::debrief {

/// The answer whose calls are being made.
struct AnswerState {
  std::optional<store::Oid> commit;                           ///< nothing: there is none
  std::optional<store::Oid> fields;                           ///< where its reasons stand
  std::map<std::string, Rationale> reasons = {};              ///< by the number of the call,
  std::map<std::int64_t, std::optional<double>> unread = {};  ///< or how sure they are
  std::map<std::int64_t, std::uint64_t> numbers = {};         ///< of its calls, to those of facts
};

/// How far a history was read, and all that is needed to read on. It is the same for the same
/// commits, however they were read: at once, or piece by piece. A value.
struct GraphState {
  explicit GraphState(std::size_t most) : fold(most) {}

  Fold::State fold;
  std::optional<store::Oid> reached, critic;  ///< what was read last
  AnswerState answer, earlier_plan;
  std::uint64_t calls = 0;
  std::map<std::string, std::uint64_t> by_id;  ///< calls that wait for results
  std::optional<store::Oid> last_content;      ///< the text of the newest answer
  // Of a session that no run wrote.
  bool has_goal = false;
  std::int64_t step = 0;
  std::string message;  ///< the id of the message that the last answer is of
  Cost unbooked;        ///< what it cost, as far as it is told
};

/// As bytes, and back. Nothing for bytes that are not of this version, or damaged, or of lists of
/// another length.
std::string pack(const GraphState& state);
/// `body` behind the version and the hash by which unpack() knows it.
std::string seal(std::string_view body);
/// Are they of this version, sound or not?
bool is_current(std::string_view bytes);
std::optional<GraphState> unpack(std::string_view bytes, std::size_t most);

}  // namespace spoor::agent::debrief
