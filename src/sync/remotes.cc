#include "sync/remotes.h"

#include <algorithm>

#include <fmt/format.h>

#include "store/lines.h"

namespace spoor::sync {
namespace {

constexpr std::string_view kFact = "remotes";

// Each is `remote NAME`, `url URL`, and `seen HEX` if it was fetched from.
Result<void> write_remotes(store::Store& store, const std::vector<KnownRemote>& remotes) {
  std::string text;
  for (const KnownRemote& each : remotes) {
    store::append_line(text, "remote", each.name);
    store::append_line(text, "url", each.url);
    if (each.seen) store::append_line(text, "seen", *each.seen);
  }
  return store.set_local(kFact, text.empty() ? std::nullopt : std::optional(text));
}

}  // namespace

Result<std::vector<KnownRemote>> known_remotes(const store::Store& store) {
  std::vector<KnownRemote> remotes;
  const auto text = TRY(store.local(kFact));
  if (!text) return remotes;
  store::LineReader lines(*text);
  while (const auto name = lines.take("remote")) {
    KnownRemote remote{.name = std::string(*name)};
    if (const auto url = lines.take("url")) remote.url = *url;
    if (const auto seen = lines.take("seen")) remote.seen = Oid::from_hex(*seen);
    remotes.push_back(std::move(remote));
  }
  if (!lines.finished()) return corrupt("the store's list of remotes is malformed");
  return remotes;
}

Result<KnownRemote> known_remote(const store::Store& store, const std::string& name) {
  std::string names;
  for (const KnownRemote& each : TRY(known_remotes(store))) {
    if (each.name == name) return each;
    names += (names.empty() ? "" : ", ") + each.name;
  }
  return not_found(fmt::format("no remote named '{}'", name),
                   names.empty() ? "add one: spoor remote add NAME URL" : "there are: " + names);
}

Result<void> add_remote(store::Store& store, const std::string& name, const std::string& url) {
  const std::string problem = store::ref_name_problem(name);
  if (!problem.empty() || name.find('/') != std::string::npos) {
    return invalid(fmt::format("'{}' cannot name a remote", name),
                   problem.empty() ? "a name has no '/'" : problem);
  }
  if (!store::is_plain_line(url, 4'096)) {
    return invalid("the address is not valid", "give a path or ssh://HOST/PATH");
  }
  auto remotes = TRY(known_remotes(store));
  const auto at = std::ranges::lower_bound(remotes, name, {}, &KnownRemote::name);
  if (at != remotes.end() && at->name == name) {
    return conflict(fmt::format("a remote named '{}' exists", name),
                    fmt::format("remove it first: spoor remote remove {}", name));
  }
  remotes.insert(at, {name, url, std::nullopt});
  return write_remotes(store, remotes);
}

Result<void> note_seen(store::Store& store, const std::string& name,
                       const std::optional<Oid>& seen) {
  auto remotes = TRY(known_remotes(store));
  for (KnownRemote& each : remotes) {
    if (each.name == name) each.seen = seen;
  }
  return write_remotes(store, remotes);
}

Result<void> remove_remote(store::Store& store, const std::string& name) {
  auto remotes = TRY(known_remotes(store));
  TRY(known_remote(store, name));
  std::erase_if(remotes, [&](const KnownRemote& each) { return each.name == name; });
  return write_remotes(store, remotes);
}

}  // namespace spoor::sync
