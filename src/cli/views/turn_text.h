#pragma once

#include <string>
#include <string_view>

#include "api/turns/turn_view.h"
#include "api/workspace.h"
#include "cli/terminal/output.h"

// Small functions that the commands for people share.
namespace spoor::cli {

using api::TurnView;
using api::Workspace;
using store::Oid;

/// Return the style of a turn's type.
Style style_of(const TurnView& view);
Style style_of(std::string_view role, store::Type type);

/// Prints a commit's id and highlights the digits that suffice; `id` is its short form.
void print_id(Output& out, const Workspace& workspace, const Oid& commit, const std::string& id);

/// A commit's id as listings print it.
struct ListedId {
  Oid commit;
  std::string number;  ///< "@3  " in the interactive session at a terminal, else empty
  std::string id;      ///< its short form

  int width() const { return static_cast<int>(number.size() + id.size()); }
};

/// Numbers the id in the interactive session, for use in later lines.
ListedId listed_id(const Output& out, const Workspace& workspace, const Oid& commit);
void print_id(Output& out, const Workspace& workspace, const ListedId& listed);

/// Returns "2 hours ago" at a terminal, else RFC 3339.
std::string shown_time(const Output& out, Timestamp time, Timestamp now);

/// Calls `visit` with each line of a text, without its end. No empty line follows a final line end.
template <class Visit>
void for_each_line(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace spoor::cli
