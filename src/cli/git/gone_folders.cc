#include "cli/git/gone_folders.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "trace/line_match.h"

namespace spoor::cli {
namespace {

enum class Side : std::uint8_t { before, after };

// How many letters and digits a piece of text must have to say more than common lines do.
constexpr std::uint32_t kLeastPiece = 60;

// Returns what an edit shows of the file before it or after it: the whole of it, or the lines
// around a change.
std::vector<std::string> pieces_of(const trace::FileChange& change, Side side) {
  const bool is_before = side == Side::before;
  std::vector<std::string> pieces;
  const auto add = [&](std::string piece) {
    if (trace::weight_of(piece) >= kLeastPiece) pieces.push_back(std::move(piece));
  };
  if (const auto& whole = is_before ? change.before : change.after) add(*whole);
  for (const trace::Replacement& each : change.replacements) {
    add(is_before ? each.before : each.after);
  }
  std::string lines;
  for (const graph::UnifiedLine& line : change.diff) {
    if (line.kind == '@') add(std::exchange(lines, {}));
    if (line.kind == ' ' || line.kind == (is_before ? '-' : '+')) lines += line.text + '\n';
  }
  add(std::move(lines));
  return pieces;
}

bool holds_one(const git::Text& version, const std::vector<std::string>& pieces) {
  return version && std::ranges::any_of(pieces, [&](const std::string& piece) {
           return version->find(piece) != std::string::npos;
         });
}

class GoneFolders {
 public:
  GoneFolders(std::vector<api::FileEditFound>& edits, const git::FileLog& log,
              std::string_view text)
      : edits_(edits), log_(log), versions_{std::make_shared<const std::string>(text)} {
    for (const git::FileCommit& commit : log.commits) {
      versions_.insert(commit.text);
      versions_.insert(commit.parents.begin(), commit.parents.end());
    }
  }

  std::set<trace::Writer> settle() {
    for (std::size_t i = 0; i < edits_.size(); ++i) {
      if (edits_[i].is_of_gone) folders_[edits_[i].place].push_back(i);
    }
    std::set<trace::Writer> doubtful;
    for (const auto& [place, own] : folders_) {
      if (!is_of_project(own)) {
        for (const std::size_t i : own) doubtful.insert(static_cast<trace::Writer>(i));
      } else if (is_this_folder(own)) {
        for (const std::size_t i : own) edits_[i].place = 0;
      }
    }
    return doubtful;
  }

 private:
  // Whether one of the edits changed a version of the file. New text proves nothing: every project
  // may have the same licence.
  bool is_of_project(const std::vector<std::size_t>& edits) const {
    return std::ranges::any_of(edits, [&](std::size_t i) {
      const std::vector<std::string> pieces = pieces_of(edits_[i].change, Side::before);
      return std::ranges::any_of(
          versions_, [&](const git::Text& version) { return holds_one(version, pieces); });
    });
  }

  // Whether this folder had that name. A work tree that was removed has commits of its own: the
  // first one with what an edit wrote was made there.
  bool is_this_folder(const std::vector<std::size_t>& edits) const {
    for (const std::size_t i : edits) {
      const std::vector<std::string> pieces = pieces_of(edits_[i].change, Side::after);
      const auto first = std::ranges::find_if(log_.commits, [&](const git::FileCommit& commit) {
        return holds_one(commit.text, pieces);
      });
      if (first == log_.commits.end()) continue;
      return std::ranges::any_of(log_.moves, [&](const git::HeadMove& move) {
        return move.to == first->id && move.time == first->time;
      });
    }
    return true;
  }

  std::vector<api::FileEditFound>& edits_;
  const git::FileLog& log_;
  std::set<git::Text> versions_;  // That of each commit once, and the present one.
  std::map<std::size_t, std::vector<std::size_t>> folders_;  // Places to their edits.
};

}  // namespace

std::set<trace::Writer> settle_gone_folders(std::vector<api::FileEditFound>& edits,
                                            const git::FileLog& log, std::string_view text) {
  return GoneFolders(edits, log, text).settle();
}

}  // namespace spoor::cli
