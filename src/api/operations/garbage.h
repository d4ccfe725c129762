#pragma once

#include <functional>
#include <string>

#include "api/json_writer.h"
#include "api/turns/turn_view.h"
#include "api/workspace.h"
#include "store/gc.h"

namespace spoor::api {

/// How long operations protect the objects they name, by default.
inline constexpr std::string_view kRetention = "30 days";

/// Returns the options of a gc run, with HEAD, the position before it and the view as roots.
/// `retention` is a time span such as `30 days`, or `now` for none. Returns Code::invalid for other
/// text.
Result<store::GcOptions> gc_options(const Workspace& workspace, const std::string& author,
                                    const std::string& retention, Timestamp now);

/// Reads the commits to be removed, children first, and passes each to `visit`.
Result<void> for_each_commit(const Workspace& workspace, const store::Garbage& garbage,
                             const std::function<void(const TurnView&)>& visit);

/// Writes the members of `gc --json`, within an object.
Result<void> add_garbage(const Workspace& workspace, const store::Garbage& garbage,
                         JsonWriter& json);

}  // namespace spoor::api
