#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "import/known_agents.h"
#include "proxy/relay.h"

namespace spoor::cli {

/// The words and variables with which an agent asks a proxy.
struct Redirected {
  std::vector<std::string> words;  ///< to come before the agent's own
  std::vector<std::pair<std::string, std::string>> variables;
};

/// Sends an agent's requests through a proxy: reads from the environment and from the agent's
/// settings where they go now, and says how the agent is told to ask elsewhere. Writes none of the
/// agent's files.
class Redirect {
 public:
  /// Code::invalid if the settings cannot be read, Code::not_found if it has no key of a known
  /// provider, Code::conflict if the variable that would be set is set.
  static Result<Redirect> make(const import::AgentRedirect& how, const Environment& environment);

  /// Where requests go now.
  const std::vector<proxy::Route>& routes() const { return routes_; }

  /// For a proxy at `address`. A file that the agent is to read is made in `folder`.
  Result<Redirected> to(const std::string& address, const std::string& folder) const;

 private:
  Redirect(const import::AgentRedirect& how, const Environment& environment)
      : how_(how), environment_(environment) {}

  const import::AgentRedirect& how_;
  const Environment& environment_;
  std::vector<proxy::Route> routes_;
  std::vector<const import::AgentProvider*> providers_;  // The routes'.
  std::string choice_;
  bool is_in_settings_ = false;
};

}  // namespace spoor::cli
