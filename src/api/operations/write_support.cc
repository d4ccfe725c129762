#include "api/operations/write_support.h"

namespace spoor::api::operations {

std::string json_of(const json::Value& value) {
  return value ? std::string(value.raw()) : std::string();
}

Result<std::optional<Timestamp>> time_of(const Request& request) {
  if (!request.has("time")) return std::optional<Timestamp>();
  return std::optional(TRY(parse_rfc3339(request.text("time"))));
}

compile::Extra extra_of(const Request& request) {
  return {request.text("message"), json_of(request.at("metadata")), request.texts("tags")};
}

Result<graph::Signed> signed_by(const Request& request) {
  const auto time = TRY(time_of(request));
  return graph::Signed{request.text("author"), time, extra_of(request)};
}

Result<BranchTip> branch_tip(Context& context, graph::Draft& draft, const Request& request) {
  BranchTip place;
  place.branch = TRY(context.branch_of(request));
  place.ref = store::branch_ref(place.branch);
  place.tip = TRY(draft.tip(place.ref));
  return place;
}

void answer(Context& context, const BranchTip& place, const Request& request, const Oid& made,
            JsonWriter& json) {
  if (request.has("as")) context.names[request.text("as")] = made;
  json.object().member("hash", made).member("branch", place.branch);
  json.member("before", place.tip).end();
}

}  // namespace spoor::api::operations
