#pragma once

#include <map>
#include <string>

#include "base/environment.h"
#include "base/timestamp.h"
#include "llm/models/refused_params.h"

namespace spoor::cli {

/// Remembers what servers refused in `$XDG_STATE_HOME/spoor/refused-parameters.json`, so that the
/// next process does not ask for it again. A server may change its mind: after 30 days an entry is
/// forgotten. A file that cannot be read or written is like none.
class RefusedFile final : public llm::LearnedParams {
 public:
  /// Borrows the clock.
  RefusedFile(const Environment& environment, const Clock& clock);

  std::string patch_for(const std::string& model) override;
  void learn(const std::string& model, const std::string& patch) override;

 private:
  // The entries that are not too old, by model: each an object with `patch` and `at` (seconds).
  std::map<std::string, std::string> entries() const;

  std::string path_;  // Empty: there is no home.
  const Clock& clock_;
};

}  // namespace spoor::cli
