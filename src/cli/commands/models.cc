#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "cli/common_options.h"
#include "cli/models/model_settings.h"
#include "cli/models/open_model.h"
#include "cli/session.h"
#include "cli/terminal/interrupt.h"

namespace spoor::cli {

using api::JsonWriter;

namespace {

constexpr std::array kOptions = {
    Option{"provider", "PROVIDER", "only this provider (default: those that are reachable)", 0,
           Takes::text, Count::optional},
    Option{"--all", "", "also providers without a key or an answer"},
    kJson,
};

struct Listed {
  ProviderSettings settings;
  std::vector<std::string> models;
  std::string problem;  // Empty: the model answered.
  std::string hint;
};

Listed list_one(Session& session, const ProviderSettings& settings) {
  Listed listed{settings, {}, {}, {}};
  const auto opened = OpenModel::open(session, settings.profile.name + "/any");
  if (!opened) {
    listed.problem = opened.error().message;
    listed.hint = opened.error().hint;
    return listed;
  }
  llm::ModelListing* listing = (*opened)->provider().model_listing();
  if (listing == nullptr) {
    listed.problem = "the provider cannot list its models";
    return listed;
  }
  auto models = listing->models({});
  if (models) {
    listed.models = std::move(*models);
  } else {
    listed.problem = models.error().message;
    listed.hint = models.error().hint;
  }
  return listed;
}

Result<void> run(Session& session, const Arguments& arguments) {
  std::vector<ProviderSettings> providers;
  const bool is_one = arguments.has("provider");
  if (is_one) {
    providers.push_back(TRY(find_provider(session, arguments.text("provider"))));
  } else {
    providers = TRY(all_providers(session));
  }
  JsonWriter json;
  if (arguments.has("--json")) json.object().list("providers");
  std::size_t reached = 0;
  for (const ProviderSettings& settings : providers) {
    if (is_interrupted()) return interrupted("interrupted");
    const Listed listed = list_one(session, settings);
    const bool is_reached = listed.problem.empty();
    if (is_one && !is_reached) return unavailable(listed.problem, listed.hint);
    if (is_reached) ++reached;
    if (!is_reached && !arguments.has("--all")) continue;
    const llm::Profile& profile = settings.profile;
    if (arguments.has("--json")) {
      json.object()
          .member("provider", profile.name)
          .member("wire", std::string(name_of(profile.wire)));
      json.member("base_url", profile.base_url).member_or_null("problem", listed.problem);
      json.list("models");
      for (const std::string& model : listed.models) json.value(model);
      json.end().end();
      continue;
    }
    for (const std::string& model : listed.models) {
      session.out().print(profile.name + "/" + model + "\n");
    }
    if (!is_reached) {
      session.out()
          .print(Style::muted, fmt::format("{}: {}", profile.name, listed.problem))
          .newline();
    }
    session.out().flush();
  }
  if (arguments.has("--json")) session.out().verbatim(json.end().end().take());
  if (reached > 0 || arguments.has("--all") || arguments.has("--json")) return {};
  return not_found("no provider is reachable",
                   "set a key, for example ANTHROPIC_API_KEY, or start ollama; see "
                   "'spoor models --all'");
}

}  // namespace

extern const Command kModels{
    .name = "models",
    .summary = "List the models that can be used",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .details =
        "Asks each provider that has a key, and those of this machine. The names are valid\n"
        "for --model and the setting 'model'. Your own providers are in the configuration\n"
        "file, under [providers.NAME]: docs/providers.md.",
};

}  // namespace spoor::cli
