#include <cstdlib>
#include <fstream>
#include <iterator>

#include "facade/access.h"
#include "llm/generate.h"
#include "llm/script_file.h"

namespace spoor {
namespace {

llm::GenerateOptions inner(const AskOptions& options, const llm::PriceList& prices) {
  llm::GenerateOptions inner;
  inner.compile = spoor::inner(options.compile);
  inner.reasoning = options.commit_reasoning;
  inner.stop = options.stop;
  inner.prices = &prices;
  if (options.on_text) {
    inner.on_event = [&options](const llm::ReplyEvent& event) {
      if (event.kind == llm::ReplyEvent::Kind::text) options.on_text(event.text);
    };
  }
  return inner;
}

Answer outer(const llm::Generated& generated) {
  Answer answer;
  answer.commit = generated.commit;
  answer.text = generated.reply.text();
  answer.reasoning = generated.reply.reasoning().value_or("");
  answer.calls = spoor::outer(generated.reply.calls());
  answer.finish_reason = generated.reply.finish_reason;
  const llm::Usage& usage = generated.reply.usage;
  answer.usage = {usage.input, usage.cached, usage.output};
  if (generated.cost) answer.dollars = in_dollars(generated.cost->amount);
  return answer;
}

// Recorded replies cost what they did, whoever sent them.
std::vector<llm::Price> scripted_prices() {
  std::vector<llm::Price> prices = llm::built_in_prices();
  for (llm::Price& price : prices) price.provider = llm::scripted_profile().name;
  return prices;
}

Result<std::vector<llm::ScriptedAnswer>> read_script(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return not_found("cannot read the script '" + path + "'");
  return llm::read_script(std::string(std::istreambuf_iterator<char>(file), {}), path);
}

// `transport` is a program's own, which sends the key too; null: ours.
Result<std::unique_ptr<llm::Provider>> connect(const std::string& provider, Model::Options& options,
                                               const Clock& clock,
                                               std::unique_ptr<llm::http::Transport> transport) {
  llm::Profile profile = TRY(llm::find_profile(provider));
  if (!options.base_url.empty()) profile.base_url = std::move(options.base_url);
  llm::Key key;
  if (transport != nullptr) {
    profile.needs_key = false;
    return std::unique_ptr<llm::Provider>(std::make_unique<llm::Connection>(
        std::move(profile), std::move(key), clock, std::move(transport)));
  }
  if (options.key) {
    key = TRY(llm::make_key(*options.key, "Model::Options::key"));
  } else {
    const char* variable =
        profile.key_variable.empty() ? nullptr : std::getenv(profile.key_variable.c_str());
    key = TRY(llm::key_from_variable(
        profile, variable ? std::optional<std::string>(variable) : std::nullopt));
  }
  return std::unique_ptr<llm::Provider>(
      std::make_unique<llm::Connection>(std::move(profile), std::move(key), clock));
}

}  // namespace

double in_dollars(llm::Money money) { return static_cast<double>(money.nano_dollars) / 1e9; }

Result<Model> Model::open(std::string_view name) { return open(name, Options()); }

Result<Model> Model::open(std::string_view name, Options options) {
  return Access::open_model(name, std::move(options), nullptr);
}

Result<Model> Access::open_model(std::string_view name, Model::Options options,
                                 std::unique_ptr<llm::http::Transport> transport) {
  const llm::ModelName parts = TRY(llm::parse_model_name(name));
  auto body = std::make_shared<Model::Body>();
  body->model = parts.model;
  body->streams = transport == nullptr;
  if (transport == nullptr && parts.provider == llm::scripted_profile().name) {
    body->provider = std::make_unique<llm::ScriptedProvider>(
        llm::scripted_profile(), llm::script_of(TRY(read_script(parts.model))), body->waiting);
    body->prices.emplace(scripted_prices());
  } else {
    body->provider = TRY(connect(parts.provider, options, body->clock, std::move(transport)));
  }
  if (!options.rates.empty()) {
    body->prices.emplace({TRY(llm::parse_price(parts.provider, "*", options.rates))});
  }
  body->params = std::move(options.params);
  return Access::model(std::move(body));
}

Model Model::scripted(std::vector<std::string> answers) {
  std::vector<llm::ScriptedAnswer> script;
  script.reserve(answers.size());
  for (std::string& answer : answers) script.push_back({llm::say(std::move(answer))});
  auto body = std::make_shared<Body>();
  body->model = "scripted";
  body->provider = std::make_unique<llm::ScriptedProvider>(llm::scripted_profile(),
                                                           std::move(script), body->waiting);
  return Access::model(std::move(body));
}

Result<Answer> Branch::generate(const Model& model, const AskOptions& options) {
  Model::Body& asked = Access::body(model);
  return outer(TRY(llm::generate(body_->branch, asked.candidate(),
                                 inner(options, asked.prices_or(body_->store->prices)))));
}

Result<Answer> Branch::chat(std::string_view text, const Model& model, const AskOptions& options) {
  Model::Body& asked = Access::body(model);
  return outer(TRY(llm::chat(body_->branch, text, asked.candidate(),
                             inner(options, asked.prices_or(body_->store->prices)))));
}

}  // namespace spoor
