#include "sync/remotes.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/base64.h"
#include "proof/note.h"
#include "store/lines.h"

namespace spoor::sync {
namespace {

constexpr std::string_view kFact = "remotes";

Error malformed_remotes() { return corrupt("the store's list of remotes is malformed"); }

// Each remote's `seen` is a fact of its own, so that fetches do not change the list.
std::string seen_fact(const std::string& name) { return "remote." + name; }

Result<Seen> read_seen(const store::Store& store, const std::string& name, Seen seen) {
  const auto text = TRY(store.local(seen_fact(name)));
  if (!text || text->empty()) return seen;
  store::LineReader lines(*text);
  if (const auto operation = lines.take("seen")) seen.operation = Oid::from_hex(*operation);
  if (const auto pushed = lines.take("pushed")) seen.pushed = Oid::from_hex(*pushed);
  if (const auto note = lines.take("checkpoint")) {
    const auto bytes = decode_base64(*note);
    if (!bytes) return malformed_remotes();
    seen.checkpoint = *bytes;
  }
  if (!lines.finished()) return malformed_remotes();
  return seen;
}

// Each is `remote NAME`, `url URL`, and `key KEY` if there is one. Those that an earlier version
// fetched from have `seen HEX`.
Result<std::vector<KnownRemote>> read_list(const store::Store& store) {
  std::vector<KnownRemote> remotes;
  const auto text = TRY(store.local(kFact));
  if (!text) return remotes;
  store::LineReader lines(*text);
  while (const auto name = lines.take("remote")) {
    KnownRemote remote{.name = std::string(*name), .url = {}};
    if (const auto url = lines.take("url")) remote.url = *url;
    if (const auto key = lines.take("key")) remote.key = *key;
    if (const auto seen = lines.take("seen")) remote.seen.operation = Oid::from_hex(*seen);
    remotes.push_back(std::move(remote));
  }
  if (!lines.finished()) return malformed_remotes();
  return remotes;
}

// Changes the list while nobody else does.
Result<void> change_list(store::Store& store,
                         const std::function<Result<void>(std::vector<KnownRemote>&)>& change) {
  return store.exclusive([&]() -> Result<void> {
    auto remotes = TRY(read_list(store));
    TRY(change(remotes));
    std::string text;
    for (const KnownRemote& each : remotes) {
      store::append_line(text, "remote", each.name);
      store::append_line(text, "url", each.url);
      if (!each.key.empty()) store::append_line(text, "key", each.key);
      if (each.seen.operation) store::append_line(text, "seen", *each.seen.operation);
    }
    return store.set_local(kFact, text.empty() ? std::nullopt : std::optional(text));
  });
}

}  // namespace

Result<std::vector<KnownRemote>> known_remotes(const store::Store& store) {
  auto remotes = TRY(read_list(store));
  for (KnownRemote& each : remotes) each.seen = TRY(read_seen(store, each.name, each.seen));
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

Result<void> add_remote(store::Store& store, const KnownRemote& remote) {
  const std::string& name = remote.name;
  const std::string problem = store::ref_name_problem(name);
  if (!problem.empty() || name.find('/') != std::string::npos) {
    return invalid(fmt::format("'{}' cannot name a remote", name),
                   problem.empty() ? "a name has no '/'" : problem);
  }
  if (!store::is_plain_line(remote.url, 4'096)) {
    return invalid("the address is not valid", "give a path, ssh://HOST/PATH or https://HOST/PATH");
  }
  if (!remote.key.empty()) TRY(proof::parse_verifier_key(remote.key));
  TRY(change_list(store, [&](std::vector<KnownRemote>& remotes) -> Result<void> {
    const auto at = std::ranges::lower_bound(remotes, name, {}, &KnownRemote::name);
    if (at != remotes.end() && at->name == name) {
      return conflict(fmt::format("a remote named '{}' exists", name),
                      fmt::format("remove it first: spoor remote remove {}", name));
    }
    remotes.insert(at, {name, remote.url, remote.key, {}});
    return {};
  }));
  return store.set_local(seen_fact(name), std::nullopt);
}

Result<void> note_seen(store::Store& store, const std::string& name, const Seen& seen) {
  std::string text;
  if (seen.operation) store::append_line(text, "seen", *seen.operation);
  if (seen.pushed) store::append_line(text, "pushed", *seen.pushed);
  if (!seen.checkpoint.empty()) {
    store::append_line(text, "checkpoint", encode_base64(seen.checkpoint));
  }
  return store.set_local(seen_fact(name), text.empty() ? std::nullopt : std::optional(text));
}

Result<void> remove_remote(store::Store& store, const std::string& name) {
  TRY(known_remote(store, name));
  TRY(change_list(store, [&](std::vector<KnownRemote>& remotes) -> Result<void> {
    std::erase_if(remotes, [&](const KnownRemote& each) { return each.name == name; });
    return {};
  }));
  return store.set_local(seen_fact(name), std::nullopt);
}

}  // namespace spoor::sync
