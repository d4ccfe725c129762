#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace spoor::sync {

using store::Oid;

// The lines of requests (docs/team.md). Parsing returns Code::invalid for malformed ones.

/// Asks where the refs are.
struct RefsRequest {
  std::optional<Oid> since;      ///< the newest operation that was seen
  std::optional<Oid> pushed;     ///< a later one that must be there
  std::uint64_t checkpoint = 0;  ///< the size of the log that is remembered (remote_log.h)
};
std::string write(const RefsRequest& request);
Result<RefsRequest> parse_refs(std::string_view text);

/// Asks for the objects that some refs need.
struct FetchRequest {
  std::vector<store::Ref> wants;  ///< sorted by name
  std::vector<Oid> haves;         ///< sorted
  std::optional<Oid> from;        ///< the hash of the beginning that is here already
};
std::string write(const FetchRequest& request);
Result<FetchRequest> parse_fetch(std::string_view text);

/// Asks to move refs; its archive follows, and builds on `haves`.
struct PushRequest {
  struct Move : store::RefMove {
    bool is_forced = false;  ///< `after` need not be a descendant of `before`
  };
  std::vector<Move> moves;  ///< sorted by name
  std::vector<Oid> haves;   ///< sorted
  std::optional<Oid> from;  ///< the hash of the beginning that the other side has already

  /// Returns the refs that the archive has.
  std::vector<store::Ref> refs() const;
};
std::string write(const PushRequest& request);
Result<PushRequest> parse_push(std::string_view text);

/// Returns the name of a transfer: equal for equal requests, wherever they begin.
template <class Request>
Oid transfer_name(Request request);

/// Asks which objects are there, and after which part a transfer goes on: `have` and `from` lines.
std::string write_names(std::string_view key, const std::vector<Oid>& names);
Result<std::vector<Oid>> parse_names(std::string_view key, std::string_view text);

}  // namespace spoor::sync
