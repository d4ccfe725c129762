#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "api/operations/operations.h"

namespace spoor::api::operations {

// Functions shared by the operations that write.

/// Returns the members of an operation that makes a commit: its own, and where the commit goes and
/// how it is signed (branch_tip(), signed_by()).
template <std::size_t kOwn>
constexpr auto with_common(const Member (&own)[kOwn]) {
  constexpr std::array kCommon = {
      Member{"branch", Holds::text},     Member{"message", Holds::text},
      Member{"metadata", Holds::object}, Member{"tags", Holds::texts},
      Member{"author", Holds::text},     Member{"time", Holds::text},
  };
  std::array<Member, kOwn + kCommon.size()> all{};
  std::copy(kCommon.begin(), kCommon.end(), std::copy_n(own, kOwn, all.begin()));
  return all;
}

/// Returns the JSON text exactly as in the request; empty if there is none.
std::string json_of(const json::Value& value);

/// Return the request's `time`; its `message`, `metadata` and `tags`; and all of these with
/// `author`, for a directive.
Result<std::optional<Timestamp>> time_of(const Request& request);
compile::Extra extra_of(const Request& request);
Result<graph::Signed> signed_by(const Request& request);

/// The branch of a request, as a full ref, and its tip in this draft.
struct BranchTip {
  std::string branch;
  std::string ref;
  std::optional<Oid> tip;
};
Result<BranchTip> branch_tip(Context& context, graph::Draft& draft, const Request& request);

/// Appends the answer of a write that made a commit; gives the commit the name in `as`.
void answer(Context& context, const BranchTip& place, const Request& request, const Oid& made,
            JsonWriter& json);

}  // namespace spoor::api::operations
