#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/session.h"
#include "llm/generate.h"
#include "llm/provider.h"
#include "llm/waiting.h"

namespace spoor::cli {

/// A model that is ready to be asked, and all that it stands on. Lives as long as its calls;
/// nothing is connected before the first one.
class OpenModel {
 public:
  /// `PROVIDER/MODEL`. `scripted/FILE` answers with the lines of a file, each the body of a reply
  /// in any provider's shape: a model for demos and tests, without network or key. Code::denied
  /// when the key is missing or lies in a file that others can read.
  enum class Key {
    needed,
    any,  ///< none will do, nor need there be a script: nothing is going to be sent
  };
  static Result<std::unique_ptr<OpenModel>> open(Session& session, std::string_view name,
                                                 Key key = Key::needed);

  /// From now on a request that was sent before is answered with the reply it got then, kept in a
  /// file beside the session's store.
  Result<void> keep_replies(Session& session);

  /// As it was asked for.
  const std::string& name() const { return name_; }
  llm::Provider& provider() { return *provider_; }
  llm::Candidate candidate();

  /// Further members of each request's body, a JSON object; empty: none.
  void set_params(std::string params) { params_ = std::move(params); }

 private:
  OpenModel() = default;

  std::string name_;
  std::string model_;
  std::string params_;
  llm::RealWaiting waiting_;
  std::unique_ptr<llm::Provider> provider_;
};

}  // namespace spoor::cli
