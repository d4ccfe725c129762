#include "api/commands/lines.h"

#include <fmt/format.h>

#include "cli/terminal/untrusted.h"
#include "cli/views/listing.h"
#include "cli/views/times.h"

namespace spoor::cli {
namespace {

// Prints one line per branch.
class LinesView {
 public:
  LinesView(Session& session, const api::LinesQuery&) : session_(session), out_(session.out()) {}

  void row(const api::LineRow& row) {
    out_.print(Style::commit, session_.workspace().value()->short_id(row.head));
    out_.print("  ").print(Style::branch, visible_line(row.name));
    out_.print("  " + counted(row.length, "commit"));
    if (row.parts_from) {
      const std::string from = visible_line(*row.parts_from);
      out_.print(row.own == 0 ? ", all of " + from
                              : fmt::format(", parts from {} at {}, {} of its own", from,
                                            row.parts_at, grouped(row.own)));
    }
    if (row.ended) out_.print(Style::muted, "  " + plain_time(*row.ended));
    out_.newline();
  }

  static Result<void> end() { return {}; }

 private:
  Session& session_;
  Output& out_;
};

}  // namespace

extern const Command kLineList = listing_command<api::kLineList, LinesView>();

}  // namespace spoor::cli
