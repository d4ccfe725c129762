#include "cli/models/open_model.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "agent/builtin/environment.h"
#include "base/files.h"
#include "base/os/process.h"
#include "cli/models/model_settings.h"
#include "compile/known_keys.h"
#include "llm/connection.h"
#include "llm/key.h"
#include "llm/models/model_facts.h"
#include "llm/response_cache.h"
#include "llm/script_file.h"

namespace spoor::cli {
namespace {

constexpr std::string_view kScripted = "scripted";

// Ollama reserves memory for the context, 4,096 tokens unless a request asks for more, and drops
// the front of a longer prompt without a word. docs.ollama.com/context-length
constexpr std::int64_t kOllamaContext = 32'768;

// Delay between words at a terminal; a pipe has none.
constexpr std::chrono::milliseconds kTypingPause{12};

Result<std::vector<llm::ScriptedAnswer>> read_script(const std::string& path, bool is_watched) {
  auto answers = TRY(llm::read_script(TRY(read_given_file(path)), path));
  if (is_watched) {
    for (llm::ScriptedAnswer& answer : answers) answer.between = kTypingPause;
  }
  return answers;
}

Result<llm::Key> key_of(Session& session, const ProviderSettings& settings) {
  if (!settings.key_file.empty()) return llm::key_from_file(settings.key_file);
  std::optional<std::string> value;
  const std::string& variable = settings.profile.key_variable;
  if (!variable.empty()) value = session.environment().variable(variable.c_str());
  return llm::key_from_variable(settings.profile, value);
}

// Registers the secrets of our environment, which an agent or a model may see, so that they are not
// stored. A variable may also name a key file.
void know_keys_of(const Environment& environment) {
  for (const auto& [name, value] : environment.all()) {
    if (!agent::builtin::is_secret_name(name)) continue;
    std::error_code none;
    const bool is_path = value.starts_with('/') && std::filesystem::exists(value, none);
    if (!is_path) compile::know_key(value);
  }
}

}  // namespace

Result<std::unique_ptr<OpenModel>> OpenModel::open(Session& session, std::string_view name,
                                                   Key wanted) {
  const llm::ModelName parts = TRY(llm::parse_model_name(name));
  std::unique_ptr<OpenModel> opened(new OpenModel());
  opened->name_ = name;
  opened->model_ = parts.model;
  if (wanted == Key::needed) {
    os::keep_memory_private();  // It may contain a key from here on, as our environment does.
    know_keys_of(session.environment());
  }
  if (parts.provider == kScripted) {
    auto answers = read_script(parts.model, session.out().is_tty());
    if (!answers && wanted == Key::needed) return answers.error();
    if (!answers) answers = std::vector<llm::ScriptedAnswer>();  // No model will be called.
    opened->provider_ = std::make_unique<llm::ScriptedProvider>(
        llm::scripted_profile(), llm::script_of(std::move(*answers)), opened->waiting_);
    return opened;
  }
  const ProviderSettings settings = TRY(find_provider(session, parts.provider));
  llm::Key key;
  if (wanted == Key::needed) key = TRY(key_of(session, settings));
  opened->provider_ =
      std::make_unique<llm::Connection>(settings.profile, std::move(key), session.clock());
  return opened;
}

Result<void> OpenModel::keep_replies(Session& session) {
  const Workspace& workspace = *TRY(session.workspace_or_new());
  if (TRY(session.capture()) != compile::Capture::full) {
    return denied("the cache stores replies unchanged, which this store's capture mode forbids",
                  "leave out --cache");
  }
  store::CacheFile::Options options;
  options.version = llm::kReplyCacheVersion;
  auto file = TRY(store::CacheFile::open(store::reply_cache_path(workspace.files()), options));
  provider_ = std::make_unique<llm::ResponseCache>(std::move(provider_), std::move(file));
  return {};
}

void OpenModel::learn_served() {
  const bool is_ollama = provider_->profile().wire == llm::Wire::ollama;
  if (!is_ollama && llm::facts_of(model_).context > 0) return;
  llm::ModelListing* const listing = provider_->model_listing();
  if (listing == nullptr) return;
  if (auto served = listing->describe(model_, {})) served_ = *served;
}

std::int64_t OpenModel::context() const {
  if (provider_->profile().wire != llm::Wire::ollama) {
    const std::int64_t known = llm::facts_of(model_).context;
    return known > 0 ? known : served_.context;
  }
  return std::min(served_.context, kOllamaContext);
}

llm::Candidate OpenModel::candidate() {
  llm::Candidate candidate;
  candidate.provider = provider_.get();
  candidate.model = model_;
  candidate.params = params_;
  if (served_.context > 0 && provider_->profile().wire == llm::Wire::ollama && params_.empty()) {
    candidate.params = fmt::format(R"({{"options":{{"num_ctx":{}}}}})", context());
  }
  return candidate;
}

}  // namespace spoor::cli
