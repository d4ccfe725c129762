#include "store/revision.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "store/ancestry.h"

namespace spoor::store {
namespace {

constexpr std::size_t kMinPrefix = 4;
constexpr std::size_t kCandidatesShown = 8;

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Error unknown(std::string_view name) {
  return not_found(fmt::format("no branch, tag or commit named '{}'", name),
                   "list branches with 'spoor branch', commits with 'spoor log --all'");
}

Error no_such_object(const Oid& oid) {
  return not_found(fmt::format("no object {} is stored here", oid.hex(12)),
                   "check the digits; list commits with 'spoor log --all'");
}

// "alice: 3f2a91c4 user 2026-…" would need contents; type and time are enough to choose.
std::string candidates(const Reader& reader, const std::vector<Oid>& oids) {
  std::string hint = "it could be";
  for (const Oid& oid : oids) {
    const auto commit = reader.commit(oid);
    if (!commit) continue;
    const auto& c = **commit;
    hint += fmt::format("\n  {} {}{}{}", oid.hex(12), name_of(c.op),
                        c.type ? fmt::format(" {}", name_of(*c.type)) : "",
                        c.time ? " " + c.time->text() : "");
  }
  return hint;
}

Result<Oid> resolve_prefix(const Reader& reader, std::string_view prefix) {
  if (const auto whole = Oid::from_hex(prefix)) {  // Nothing to search for.
    const auto peeled = reader.peel(*whole);
    if (!peeled && peeled.error().code == Error::Code::not_found) return no_such_object(*whole);
    return peeled;
  }
  std::vector<Oid> found = TRY(reader.store().find(prefix, Kind::commit, kCandidatesShown));
  if (found.empty()) found = TRY(reader.store().find(prefix, Kind::tag, kCandidatesShown));
  if (found.empty()) return unknown(prefix);
  if (found.size() == 1) return found[0];
  return ambiguous(fmt::format("'{}' names {}{} commits", prefix, found.size(),
                               found.size() == kCandidatesShown ? " or more" : ""),
                   candidates(reader, found));
}

// The full names that `name` may stand for, in the order they are tried.
std::vector<std::string> ref_names(std::string_view name) {
  std::vector<std::string> names;
  if (name.starts_with("refs/")) names.emplace_back(name);
  names.push_back(branch_ref(name));
  names.push_back(tag_ref(name));
  return names;
}

// Where the ref that `name` means points, if there is one.
Result<std::optional<Oid>> find_ref(const Store& store, std::string_view name) {
  for (const std::string& full : ref_names(name)) {
    if (const auto target = TRY(store.ref(full))) return target;
  }
  return std::optional<Oid>();
}

Result<Oid> resolve_at(const Store& store, const Revision& revision) {
  auto time = parse_rfc3339(*revision.at);
  if (!time) return std::move(time).error();
  for (const std::string& full : ref_names(revision.name)) {
    const auto entry = TRY(store.operation_at(full, *time));
    if (!entry) continue;
    const Operation operation = TRY(parse_operation(entry->body));
    const auto move = std::find_if(operation.refs.begin(), operation.refs.end(),
                                   [&](const RefMove& m) { return m.name == full; });
    if (move != operation.refs.end() && move->after) return *move->after;
  }
  return not_found(fmt::format("'{}' did not exist at {}", revision.name, *revision.at),
                   "see what there was before with 'spoor log'");
}

Result<Oid> resolve_name(const Reader& reader, const Revision& revision,
                         const RevisionContext& context) {
  const std::string& name = revision.name;
  if (revision.at) return resolve_at(reader.store(), revision);
  if (name == "HEAD" || name == "@") {
    if (context.head) return *context.head;
    return not_found("HEAD names no commit yet", "write a first turn, or 'spoor import' a session");
  }
  if (const auto target = TRY(find_ref(reader.store(), name))) return *target;
  if (name.size() < kMinPrefix || name.size() > 64 || !is_hex(name)) return unknown(name);
  return resolve_prefix(reader, name);
}

Result<Oid> take_step(const Reader& reader, const Oid& from, const RevisionStep& step) {
  const auto commit = TRY(reader.commit(from));
  if (step.kind == RevisionStep::Kind::first_parent) {
    if (step.count > commit->depth) {
      return not_found(fmt::format("{} has only {} ancestors", from.hex(12), commit->depth),
                       fmt::format("the root of its line is {}~{}", from.hex(12), commit->depth));
    }
    return ancestor_at(reader, from, commit->depth - step.count);
  }
  if (step.count == 0) return from;
  if (step.count > commit->parents.size()) {
    return not_found(fmt::format("{} has no parent number {}", from.hex(12), step.count),
                     "only a merge has two; ^0 is the commit itself");
  }
  return commit->parents[step.count - 1];
}

}  // namespace

Result<Revision> parse_revision(std::string_view text) {
  const auto bad = [text](std::string_view why) {
    return invalid(fmt::format("'{}' is no revision: {}", text, why), "see 'spoor help revisions'");
  };
  Revision revision;
  const std::size_t at = text.find("@{");
  const std::size_t name_end = std::min(text.find_first_of("~^"), at);
  revision.name = text.substr(0, name_end);
  if (revision.name.empty()) return bad("it names nothing");
  std::string_view rest = text.substr(std::min(name_end, text.size()));

  if (rest.starts_with("@{")) {
    const std::size_t close = rest.find('}');
    if (close == std::string_view::npos) return bad("'@{' is not closed");
    revision.at = rest.substr(2, close - 2);
    rest.remove_prefix(close + 1);
  }
  while (!rest.empty()) {
    RevisionStep step;
    if (rest[0] != '~' && rest[0] != '^') return bad("only ~ and ^ may follow a name");
    if (rest[0] == '^') step.kind = RevisionStep::Kind::nth_parent;
    rest.remove_prefix(1);
    const char* end = rest.data() + rest.size();
    const auto [stop, error] = std::from_chars(rest.data(), end, step.count);
    if (error == std::errc::result_out_of_range) return bad("the number is too large");
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    revision.steps.push_back(step);
  }
  return revision;
}

Result<Oid> resolve(const Reader& reader, std::string_view text, const RevisionContext& context) {
  const Revision revision = TRY(parse_revision(text));
  // A tag object stands for the commit it names.
  Oid oid = TRY(reader.peel(TRY(resolve_name(reader, revision, context))));
  for (const RevisionStep& step : revision.steps) oid = TRY(take_step(reader, oid, step));
  TRY(reader.commit(oid));  // It must be a commit, stored and sound.
  return oid;
}

std::optional<RevisionRange> split_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  return RevisionRange{std::string(text.substr(0, dots)), std::string(text.substr(dots + 2))};
}

Result<std::string> abbreviate(const Store& store, const Oid& oid, std::size_t at_least) {
  const std::string hex = oid.hex();
  for (std::size_t digits = at_least; digits < hex.size(); ++digits) {
    const std::string_view prefix = std::string_view(hex).substr(0, digits);
    if (TRY(store.find(prefix, Kind::commit, 2)).size() <= 1) return std::string(prefix);
  }
  return hex;
}

}  // namespace spoor::store
