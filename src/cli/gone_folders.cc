#include "cli/gone_folders.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <utility>

namespace spoor::cli {
namespace {

// Whether a version of the file has a piece of text that says more than common lines do.
bool is_of_a_version(std::string_view piece, const std::set<git::Text>& versions) {
  constexpr std::ptrdiff_t kLeast = 60;  // Letters and digits.
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  if (std::ranges::count_if(piece, is_letter) < kLeast) return false;
  return std::ranges::any_of(versions, [&](const git::Text& version) {
    return version->find(piece) != std::string::npos;
  });
}

// Whether an edit changed a version of the file: as the source recorded it, or by the lines that it
// names. New text proves nothing: every project may have the same licence.
bool changes_a_version(const trace::FileChange& change, const std::set<git::Text>& versions) {
  const auto is_known = [&](std::string_view piece) { return is_of_a_version(piece, versions); };
  if (change.before && is_known(*change.before)) return true;
  for (const trace::Replacement& each : change.replacements) {
    if (is_known(each.before)) return true;
  }
  std::string before;
  for (const graph::UnifiedLine& line : change.diff) {
    if (line.kind == '@' && is_known(std::exchange(before, {}))) return true;
    if (line.kind == ' ' || line.kind == '-') before += line.text + '\n';
  }
  return is_known(before);
}

}  // namespace

std::set<trace::Writer> doubtful_edits(const std::vector<api::FileEditFound>& edits,
                                       const git::FileLog& log, std::string_view text) {
  std::set<trace::Writer> doubtful;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].is_of_gone) doubtful.insert(static_cast<trace::Writer>(i));
  }
  if (doubtful.empty()) return doubtful;
  std::set<git::Text> versions = {std::make_shared<const std::string>(text)};
  for (const git::FileCommit& commit : log.commits) {
    versions.insert(commit.text);
    versions.insert(commit.parents.begin(), commit.parents.end());
  }
  for (const git::HeadMove& move : log.moves) versions.insert(move.text);
  versions.erase(nullptr);
  std::set<std::size_t> proven;
  for (const trace::Writer edit : doubtful) {
    if (!proven.contains(edits[edit].place) && changes_a_version(edits[edit].change, versions)) {
      proven.insert(edits[edit].place);
    }
  }
  std::erase_if(doubtful, [&](trace::Writer edit) { return proven.contains(edits[edit].place); });
  return doubtful;
}

}  // namespace spoor::cli
