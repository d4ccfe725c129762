#include "cli/transfer/admission.h"

#include <fmt/format.h>

#include "store/blob.h"
#include "store/commit.h"
#include "store/tag.h"
#include "store/tombstone.h"

namespace spoor::cli {
namespace {

using compile::Scrubber;
using compile::Slot;

Result<bool> would_change(const Scrubber& scrubber, Slot slot, const std::string& text) {
  return !text.empty() && TRY(scrubber.scrub(slot, text)) != text;
}

Result<bool> would_change(const Scrubber& scrubber, const store::NewObject& object) {
  switch (object.kind) {
    case store::Kind::blob:
      return would_change(scrubber, Slot::text, object.body.substr(std::tuple_size_v<store::Salt>));
    case store::Kind::commit: {
      const store::Commit commit = TRY(store::parse_commit(object.body));
      if (TRY(would_change(scrubber, Slot::facts, commit.meta))) return true;
      std::string names = commit.author;
      if (commit.content) names += '\n' + commit.content->media_type;
      for (const auto& list : {commit.raw, commit.attach}) {
        for (const store::Content& each : list) names += '\n' + each.media_type;
      }
      return would_change(scrubber, Slot::name, names);
    }
    case store::Kind::tag: {
      const store::Tag tag = TRY(store::parse_tag(object.body));
      return would_change(scrubber, Slot::name, tag.name + '\n' + tag.author);
    }
    case store::Kind::tombstone:
      return would_change(scrubber, Slot::name, TRY(store::parse_tombstone(object.body)).author);
    default:
      return false;  // Names of objects, and numbers.
  }
}

Error refused(const Scrubber& scrubber, const std::string& what) {
  return denied(fmt::format("the store records texts as '{}', and {} would be changed",
                            name_of(scrubber.capture()), what),
                "nothing was stored; redact it where it comes from");
}

}  // namespace

void admit_only_scrubbed(sync::Intake& intake, const Scrubber& scrubber) {
  if (scrubber.capture() == compile::Capture::full && scrubber.differences().empty()) return;
  intake.admits = [&scrubber](const store::NewObject& object) -> Result<void> {
    if (!TRY(would_change(scrubber, object))) return {};
    const std::string_view kind =
        object.kind == store::Kind::blob ? "content" : name_of(object.kind);
    return refused(scrubber, fmt::format("{} '{}'", kind, object.oid.hex(12)));
  };
  intake.admits_ref = [&scrubber](const std::string& name) -> Result<void> {
    if (!TRY(would_change(scrubber, Slot::name, name))) return {};
    return refused(scrubber, "the name of a ref");
  };
}

}  // namespace spoor::cli
