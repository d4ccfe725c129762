#include "store/tag.h"

#include "store/commit.h"
#include "store/operation.h"
#include "store/value_reader.h"

namespace spoor::store {
namespace {

std::string broken_rule(const Tag& tag) {
  if (!ref_name_problem(tag.name).empty()) return "'name' is malformed";
  if (!is_author(tag.author)) return "'author' is malformed";
  if (tag.time.micros < 0 || tag.time.micros > kLastMicro) return "'time' is out of range";
  return {};
}

}  // namespace

Result<std::string> serialize(const Tag& tag) {
  if (const std::string broken = broken_rule(tag); !broken.empty()) {
    return invalid("invalid tag: " + broken, "see docs/format.md");
  }
  std::string out;
  append_line(out, "target", tag.target);
  append_line(out, "name", tag.name);
  append_line(out, "author", tag.author);
  append_line(out, "time", tag.time.text());
  if (tag.note) append_line(out, "note", *tag.note);
  return out;
}

Result<Tag> parse_tag(std::string_view body) {
  ValueReader lines(body);
  Tag tag;
  tag.target = lines.needed_oid("target");
  tag.name = lines.text("name");
  tag.author = lines.text("author");
  tag.time = lines.needed_time("time");
  tag.note = lines.oid("note");

  std::string problem = lines.problem();
  if (problem.empty()) problem = broken_rule(tag);
  if (!problem.empty()) return corrupt("a tag is malformed: " + problem, "run 'spoor store fsck'");
  return tag;
}

}  // namespace spoor::store
