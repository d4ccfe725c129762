#include "tests/vectors_runner/verify.h"

#include <set>
#include <unordered_set>

#include "store/fsck.h"
#include "store/references.h"

namespace spoor::vectors {
namespace {

using store::Kind;
using store::Oid;

std::string short_name(const std::string& ref) {
  for (const std::string& prefix : {store::branch_ref(""), store::tag_ref("")}) {
    if (ref.starts_with(prefix)) return ref.substr(prefix.size());
  }
  return ref;
}

// fsck says which objects are wrong, vectors ask for commits: a content that is
// wrong makes every commit wrong that has it.
void add_commits(const store::StoredObject& stored, const std::unordered_set<Oid>& wrong,
                 std::set<std::string>& bad) {
  if (stored.object.kind != Kind::commit) return;
  if (wrong.contains(stored.oid)) bad.insert(stored.oid.hex());
  const auto references = store::references_of(stored.object);
  if (!references) return;  // Wrong itself.
  for (const store::Reference& reference : *references) {
    if (!wrong.contains(reference.oid)) continue;
    const bool is_commit = store::accepts(reference.role, Kind::commit);
    bad.insert((is_commit ? reference.oid : stored.oid).hex());
  }
}

}  // namespace

Result<Json> verify_store(const store::Store& store) {
  const store::FsckReport report = TRY(store::fsck(store));
  std::unordered_set<Oid> wrong;
  std::set<std::string> bad;
  for (const auto& problem : report.problems) {
    if (const auto oid = Oid::from_hex(problem.subject)) {
      wrong.insert(*oid);
    } else {
      bad.insert(short_name(problem.subject));
    }
  }
  const auto scanned = store.scan([&](const store::StoredObject& stored) {
    add_commits(stored, wrong, bad);
    return true;
  });
  // A row that cannot be read is among the problems already.
  if (!scanned && scanned.error().code != Error::Code::corrupt) return scanned.error();
  return Json{{"ok", report.is_sound()},
              {"commits", report.objects[static_cast<std::size_t>(Kind::commit)]},
              {"orphans", report.orphans},
              {"bad", bad}};
}

}  // namespace spoor::vectors
