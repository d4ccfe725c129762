#pragma once

#include <functional>
#include <string>

#include "api/json_writer.h"
#include "api/workspace.h"
#include "cli/turn_view.h"
#include "store/gc.h"

namespace spoor::cli {

using api::JsonWriter;
using api::Workspace;

/// How long operations protect what they name, where nobody says otherwise.
inline constexpr std::string_view kRetention = "30 days";

/// What gc is asked with: HEAD, the position before it and the view are roots. `retention` is a
/// time span such as `30 days`, or `now` for none. Code::invalid when it is neither.
Result<store::GcOptions> gc_options(const Workspace& workspace, const std::string& author,
                                    const std::string& retention, Timestamp now);

/// Reads the commits that go, children first, and hands each out.
Result<void> for_each_commit(const Workspace& workspace, const store::Garbage& garbage,
                             const std::function<void(const TurnView&)>& visit);

/// The members of `gc --json`, within an object.
Result<void> add_garbage(const Workspace& workspace, const store::Garbage& garbage,
                         JsonWriter& json);

}  // namespace spoor::cli
