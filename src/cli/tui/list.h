#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/session.h"
#include "cli/tui/line.h"

namespace spoor::cli::tui {

/// A view of the row under the cursor: the output of a command.
struct Tab {
  const char* name;   ///< one word; its first letter is the key that chooses it
  bool ends = false;  ///< its end is shown first, not its beginning

  bool is(char key) const { return name[0] == key; }
};

/// The columns from which on rows show more.
constexpr int kWideList = 110;

/// The rows that a person moves through: the sessions of a store, or the turns of a branch. Rows
/// are numbered from 0. May read the store at every call; returns its errors.
class List {
 public:
  virtual ~List() = default;

  /// One line about the whole.
  virtual std::string title() const = 0;

  virtual std::uint64_t size() const = 0;

  /// Returns a row, at most `columns` wide.
  virtual Result<Line> row(std::uint64_t index, int columns) = 0;

  /// Returns whether a row contains a text, as contains() of text.h has it.
  virtual Result<bool> has(std::uint64_t index, std::string_view needle) = 0;

  /// Returns whether a chapter begins at a row.
  virtual Result<bool> begins_chapter(std::uint64_t index) = 0;

  virtual std::span<const Tab> tabs() const = 0;

  /// Returns the words of the command that shows a row under a tab. `mark` is a row to compare it
  /// with, if the tab compares.
  virtual Result<std::vector<std::string>> command(std::uint64_t index, const Tab& tab,
                                                   std::optional<std::uint64_t> mark) = 0;

  /// Returns the commit of a row, in full.
  virtual Result<store::Oid> commit(std::uint64_t index) = 0;

  /// Returns what a row consists of; null if its parts are what a tab shows.
  virtual Result<std::unique_ptr<List>> open(std::uint64_t index) = 0;

  /// Returns the branches that belong to a row; null if it is alone.
  virtual Result<std::unique_ptr<List>> branches(std::uint64_t index) = 0;

  /// Reads the list again after the store has changed. Returns where row `index` is now.
  virtual Result<std::uint64_t> refresh(std::uint64_t index) = 0;
};

}  // namespace spoor::cli::tui
