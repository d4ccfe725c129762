#include "store/references.h"

#include <array>
#include <optional>
#include <stdexcept>

#include "store/attest.h"
#include "store/blob.h"
#include "store/bundle.h"
#include "store/commit.h"
#include "store/rope.h"
#include "store/tag.h"
#include "store/tombstone.h"

namespace spoor::store {
namespace {

constexpr std::array<std::string_view, 23> kRoleNames = {
    "parent", "skip",    "content", "fields", "raw",    "extra", "attach", "prompt",
    "target", "targets", "about",   "part",   "piece",  "rope",  "commit", "options",
    "tools",  "params",  "hook",    "stored", "target", "note",  "reason"};

using References = std::vector<Reference>;

void add(References& all, Role role, const std::optional<Oid>& oid) {
  if (oid) all.push_back({role, *oid});
}

void add(References& all, Role role, const std::vector<Oid>& oids) {
  for (const Oid& oid : oids) all.push_back({role, oid});
}

void add(References& all, Role role, const std::vector<Content>& contents) {
  for (const Content& content : contents) all.push_back({role, content.oid});
}

References references_of(const Bundle& bundle) {
  References all = {{Role::bundle_commit, bundle.commit}};
  add(all, Role::options, bundle.options);
  add(all, Role::tools, bundle.tools);
  add(all, Role::params, bundle.params);
  add(all, Role::hook, bundle.hook);
  add(all, Role::stored, bundle.stored);
  return all;
}

}  // namespace

std::string_view name_of(Role role) { return kRoleNames.at(static_cast<std::size_t>(role)); }

bool accepts(Role role, Kind kind) {
  switch (role) {
    case Role::parent:
    case Role::skip:
    case Role::target:
    case Role::about:
    case Role::bundle_commit:
    case Role::tag_target:
      return kind == Kind::commit;
    case Role::prompt:
      return kind == Kind::bundle;
    case Role::part:
    case Role::piece:
      return kind == Kind::blob;
    case Role::rope:
      return kind == Kind::rope;
    case Role::stored:
      return kind == Kind::blob || kind == Kind::chunks || kind == Kind::rope;
    default:  // All other lines name a content.
      return kind == Kind::blob || kind == Kind::chunks;
  }
}

std::vector<Reference> references_of(const Commit& commit) {
  References all;
  add(all, Role::parent, commit.parents);
  add(all, Role::skip, commit.skip);
  if (commit.content) all.push_back({Role::content, commit.content->oid});
  add(all, Role::fields, commit.fields);
  add(all, Role::raw, commit.raw);
  add(all, Role::extra, commit.extra);
  add(all, Role::attach, commit.attach);
  add(all, Role::prompt, commit.prompt);
  add(all, Role::target, commit.target);
  add(all, Role::targets, commit.targets);
  add(all, Role::about, commit.about);
  return all;
}

Result<std::vector<Reference>> references_of(const Object& object) {
  References all;
  switch (object.kind) {
    case Kind::blob:
      TRY(blob_content(object.body));
      return all;
    case Kind::chunks:
      add(all, Role::part, TRY(parse_chunks(object.body)).parts);
      return all;
    case Kind::commit:
      return references_of(TRY(parse_commit(object.body)));
    case Kind::bundle:
      return references_of(TRY(parse_bundle(object.body)));
    case Kind::tag: {
      const Tag tag = TRY(parse_tag(object.body));
      all.push_back({Role::tag_target, tag.target});
      add(all, Role::note, tag.note);
      return all;
    }
    case Kind::tombstone:
      add(all, Role::reason, TRY(parse_tombstone(object.body)).reason);
      return all;
    case Kind::attest:
      TRY(parse_attest(object.body));
      return all;
    case Kind::rope:
      for (const RopePiece& piece : TRY(parse_rope(object.body)).pieces) {
        all.push_back({piece.is_rope ? Role::rope : Role::piece, piece.oid});
      }
      return all;
  }
  throw std::logic_error("no such kind");
}

}  // namespace spoor::store
