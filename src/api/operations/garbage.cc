#include "api/operations/garbage.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/when.h"

namespace spoor::api {
namespace {

constexpr std::size_t kReadAtOnce = 256;

Result<Timestamp> retention_start(const std::string& retention, Timestamp now) {
  auto start = parse_when(retention == "now" ? retention : retention + " ago", now);
  if (start) return start;
  return invalid(fmt::format("'{}' is not a time span", retention),
                 "write '30 days', '2 hours', or 'now' for none");
}

}  // namespace

Result<store::GcOptions> gc_options(const Workspace& workspace, const std::string& author,
                                    const std::string& retention, Timestamp now) {
  store::GcOptions options;
  options.keep_since = TRY(retention_start(retention, now));
  options.actor = author;
  options.roots = [&workspace]() -> Result<std::vector<Oid>> {
    std::vector<Oid> roots = TRY(workspace.head_commits());
    if (!workspace.view().is_present()) roots.push_back(*workspace.view().now().commit);
    return roots;
  };
  return options;
}

Result<void> for_each_commit(const Workspace& workspace, const store::Garbage& garbage,
                             const std::function<void(const TurnView&)>& visit) {
  const auto& oids = garbage.commits;
  for (std::size_t done = 0; done < oids.size(); done += kReadAtOnce) {
    std::vector<NamedCommit> commits;
    for (std::size_t i = done; i < std::min(done + kReadAtOnce, oids.size()); ++i) {
      commits.push_back({oids[i], TRY(workspace.reader().commit(oids[i]))});
    }
    for (const TurnView& view : TRY(read_views(workspace.reader(), commits))) visit(view);
  }
  return {};
}

Result<void> add_garbage(const Workspace& workspace, const store::Garbage& garbage,
                         JsonWriter& json) {
  json.list("commits");
  TRY(for_each_commit(workspace, garbage, [&](const TurnView& view) {
    json.object().member("hash", view.oid).member("type", view.kind());
    json.member("time", view.commit->time).member("summary", view.summary()).end();
  }));
  json.end().key("objects").object();
  for (const store::Kind kind : store::kKinds) {
    json.member(name_of(kind), garbage.objects.at(static_cast<std::size_t>(kind)));
  }
  json.end().member("bytes", garbage.bytes).member("kept", garbage.kept);
  json.member("folded_operations", garbage.operations);
  return {};
}

}  // namespace spoor::api
