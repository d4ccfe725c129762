#pragma once

#include <memory>
#include <string>

#include "cli/session.h"
#include "serve/http_link.h"
#include "serve/tokens.h"
#include "sync/client.h"
#include "sync/remotes.h"
#include "sync/server.h"

namespace spoor::cli {

/// A store that answers the requests of others.
class ServedStore {
 public:
  /// Opens the store at `path`. If the user does not trust it, it takes no pushes. `asker`: who
  /// asks, if it is not the user. `session` must outlive it.
  static Result<std::unique_ptr<ServedStore>> open(Session& session, const std::string& path,
                                                   const std::optional<serve::Token>& asker = {});
  ~ServedStore();

  Result<void> answer(const sync::ByteSource& request, const sync::ByteSink& sink);
  const store::Store& store() const { return workspace_->store(); }

 private:
  ServedStore();

  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<CaptureSwitch> capture_;
  std::unique_ptr<sync::Server> server_;
};

/// Returns how this store takes the objects of others: it refuses those with secrets if it is one
/// that redacts, and all if it keeps only hashes.
Result<sync::Intake> intake_of(Session& session, const Workspace& workspace);

/// Returns an address as a remote keeps it: a path, which is made absolute, or
/// `ssh://[USER@]HOST[:PORT]/PATH`, an http or https URL, `folder:PATH`, or one of PostgreSQL.
/// Code::invalid for any other, Code::denied for one with a password.
Result<std::string> full_address(const Environment& environment, const std::string& address);

/// Returns the address of a store over http or https, to be asked with `token`.
serve::HttpAddress web_address(const Environment& environment, std::string url, std::string token);

/// Opens a link to the store at an address. For one of ssh, `ssh` runs spoor there; a URL is asked
/// with the user's token for it (remote_tokens.h). Code::not_found if there is no store.
Result<std::unique_ptr<sync::Link>> open_link(Session& session, const std::string& address);

}  // namespace spoor::cli
