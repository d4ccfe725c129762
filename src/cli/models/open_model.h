#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/session.h"
#include "llm/generate.h"
#include "llm/provider.h"
#include "llm/waiting.h"

namespace spoor::cli {

/// A model ready for calls, and the objects it uses. Must outlive its calls. Connects at the first
/// call.
class OpenModel {
 public:
  /// Opens `PROVIDER/MODEL`. `scripted/FILE` answers with the lines of a file, each the body of a
  /// reply in any provider's format: a model for demos and tests, without network or key. Returns
  /// Code::denied if the key is missing or in a file that others can read.
  enum class Key {
    needed,
    any,  ///< needs no key and no script: nothing will be sent
  };
  static Result<std::unique_ptr<OpenModel>> open(Session& session, std::string_view name,
                                                 Key key = Key::needed);

  /// From now on, answers a repeated request with its earlier reply. Replies are kept in a file
  /// next to the session's store.
  Result<void> keep_replies(Session& session);

  /// The name given to open().
  const std::string& name() const { return name_; }
  llm::Provider& provider() { return *provider_; }
  llm::Candidate candidate();

  /// Asks the server about a model of which the table of models says nothing, or which it serves
  /// with a context of its own choice (Ollama). Without an answer nothing is known.
  void learn_served();

  /// Returns the tokens of a request and its answer; 0: unknown.
  std::int64_t context() const;
  /// True if the server says that the model makes native calls.
  bool takes_tools() const { return served_.takes_tools.value_or(false); }

  /// Sets further members of each request's body, a JSON object; empty: none.
  void set_params(std::string params) { params_ = std::move(params); }

 private:
  OpenModel() = default;

  std::string name_;
  std::string model_;
  std::string params_;
  llm::ServedModel served_;
  llm::RealWaiting waiting_;
  std::unique_ptr<llm::Provider> provider_;
};

}  // namespace spoor::cli
