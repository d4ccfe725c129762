#pragma once

#include <string>
#include <vector>

#include "import/claude_code/record.h"
#include "import/thread.h"

namespace spoor::import::claude_code {

/// Records whose parent, or whose call, is not in the file yet. Claude Code writes a result before
/// its call when the tool is faster than the writer. Bounded: 64 records or 16 MiB.
class LateParents {
 public:
  /// Returns true if `record` names a parent that `thread` does not know, or answers a call that it
  /// does not know.
  static bool is_early(const Record& record, const Thread& thread);

  void hold(const Record& record);
  bool is_empty() const { return held_.empty(); }
  bool is_full() const;

  /// Removes and returns the first record whose parent and calls `thread` knows now. Empty if there
  /// is none.
  std::string take_ready(const Thread& thread);

  /// Removes and returns all records, in file order.
  std::vector<std::string> take_all();

 private:
  struct Held {
    std::string bytes;
    std::string parent;
    std::vector<std::string> calls;
  };
  static bool is_ready(const Held& held, const Thread& thread);

  std::vector<Held> held_;
  std::size_t bytes_ = 0;
};

}  // namespace spoor::import::claude_code
