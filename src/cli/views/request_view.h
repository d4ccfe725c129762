#pragma once

#include <optional>
#include <string>

#include "api/commands/requests.h"
#include "cli/session.h"
#include "cli/views/name_labels.h"

namespace spoor::cli {

using store::Oid;

/// Shows the requests of a session: each with its time and text, then the agent's actions, one per
/// line.
class RequestView {
 public:
  RequestView(Session& session, const api::RequestsQuery& query);

  void row(const api::RequestRow& row);
  Result<void> end();

 private:
  void print_request(const api::RequestRow& row);
  void print_action(const api::ActionRow& action);
  void print_call(const api::ActionRow& action);
  void print_text(Style style, std::string_view mark, std::string_view text, const Oid& commit);
  int room() const;
  Result<void> print_branches();

  Session& session_;
  Output& out_;
  const Workspace* workspace_ = nullptr;
  std::optional<Decorations> decorations_;
  std::string revision_;
  bool any_ = false;
};

/// Cuts a path or a command to `columns`: a path loses its first folders, other text its end.
std::string shortened_target(std::string_view target, int columns);

}  // namespace spoor::cli
