#include "report/event/prompt_bundle.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "agent/numbers.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "compile/facts_view.h"
#include "compile/scrubber.h"
#include "llm/render/dialogue.h"
#include "llm/sent_prompt.h"
#include "llm/tool_spec.h"
#include "report/event/event.h"
#include "report/event/turn_seen.h"

namespace spoor::report {

namespace {

using agent::counted;
using compile::Capture;
using compile::Message;
using compile::Part;
using compile::Prompt;
using Kind = Transformation::Type;

constexpr std::size_t kMostFacts = 20'000;

std::optional<double> number_in(const json::Value& params,
                                std::initializer_list<const char*> keys) {
  for (const json::Value& from :
       {params, params.find("generationConfig"), params.find("options")}) {
    for (const char* key : keys) {
      if (const auto number = agent::number_of(from.find(key))) return number;
    }
  }
  return std::nullopt;
}

void read_parameters(std::string_view text, PromptProvenance& provenance) {
  const auto document = json::parse(text);
  if (!document || !document->root().is_object()) return;
  const json::Value params = document->root();
  provenance.temperature = number_in(params, {"temperature"});
  provenance.top_p = number_in(params, {"top_p", "topP"});
  const auto most = number_in(params, {"max_tokens", "max_completion_tokens", "max_output_tokens",
                                       "maxOutputTokens", "num_predict"});
  // A value that no integer can represent is unknown. Ollama uses -1 and -2 for no limit.
  constexpr auto kMost = static_cast<double>(json::kMaxExactInteger);
  const bool is_exact = most && *most >= -kMost && *most <= kMost;
  if (is_exact) provenance.max_tokens = static_cast<std::int64_t>(*most);
}

std::string_view words_of(llm::render::Treatment::Kind kind) {
  using Treated = llm::render::Treatment::Kind;
  switch (kind) {
    case Treated::replayed:
      return "reasoning sent back to its provider";
    case Treated::unbound:
      return "reasoning sent back whose context has changed";
    case Treated::unreadable:
      return "reasoning sent back that the model cannot read";
    case Treated::stripped:
      return "reasoning that could not be sent back";
    case Treated::synthesized:
      return "results made up for calls that have none";
    case Treated::orphan:
      return "results without a call, not sent";
    case Treated::unsendable:
      return "attachments that the provider does not take, not sent";
    case Treated::renamed:
      return "answers with a call sent by another name";
    case Treated::reordered:
      return "turns put in an order that the model's template takes";
    case Treated::unsaid:
      return "answers with neither text nor calls, not sent";
  }
  return "treated by the renderer";
}

std::string_view words_of(compile::Why why) {
  switch (why) {
    case compile::Why::skip:
      return "skipped by priority";
    case compile::Why::directive:
      return "replaced by later directives";
    case compile::Why::window:
      return "left out by the window";
    case compile::Why::budget:
      return "left out by the token budget";
    case compile::Why::clearing:
      return "with a result whose text is left out";
  }
  return "left out";
}

void add_transformations(const Prompt& prompt,
                         const std::vector<llm::render::Treatment>& treatments,
                         std::vector<Transformation>& all) {
  std::size_t edited = 0;
  std::size_t summaries = 0;
  for (const Message& message : prompt.messages) {
    for (const Part& part : message.parts) {
      edited += part.is_edited ? 1 : 0;
      summaries += part.type == compile::Type::summary ? 1 : 0;
      const std::string name = part.fields ? part.fields->name : std::string();
      const bool is_template =
          part.type == compile::Type::system && (name == "agent" || name == "critic");
      if (is_template) {
        all.push_back({Kind::template_,
                       fmt::format("the system prompt '{}' was written from a template", name)});
      }
    }
  }
  if (edited > 0) {
    all.push_back({Kind::rewrite, counted(edited, "turn was edited", "turns were edited")});
  }
  if (summaries > 0) {
    all.push_back({Kind::summarize, counted(summaries, "summary stands for earlier turns",
                                            "summaries stand for earlier turns")});
  }
  std::map<compile::Why, std::size_t> left_out;
  for (const compile::LeftOut& out : prompt.left_out) ++left_out[out.why];
  for (const auto& [why, count] : left_out) {
    all.push_back(
        {Kind::other, fmt::format("{} {}", counted(count, "turn", "turns"), words_of(why))});
  }
  if (!prompt.conflicts.empty()) {
    all.push_back({Kind::other, counted(prompt.conflicts.size(), "unsettled conflict of a merge",
                                        "unsettled conflicts of merges")});
  }
  std::map<llm::render::Treatment::Kind, std::size_t> treated;
  for (const llm::render::Treatment& treatment : treatments) ++treated[treatment.kind];
  for (const auto& [kind, count] : treated) {
    all.push_back({Kind::other, fmt::format("{}: {}", words_of(kind), count)});
  }
}

BundleMessage message_of(std::string_view role, std::string_view text, std::span<const Part> parts,
                         Capture mode) {
  BundleMessage message{.role = std::string(role), .content = content_of(text, mode)};
  for (const Part& part : parts) {
    if (const auto* calls = part.calls()) {
      for (const compile::ToolCall& call : *calls) {
        message.tool_calls.push_back(
            {valid_utf8(call.id), valid_utf8(call.name), content_of(call.arguments, mode)});
      }
    }
    if (part.fields && !part.fields->call_id.empty()) {
      message.tool_call_id = valid_utf8(part.fields->call_id);
    }
    if (!part.attach) continue;
    for (const store::Content& attached : *part.attach) {
      if (!attached.media_type.starts_with("image/")) continue;
      message.attachments.push_back({attached.media_type, attached.oid.hex()});
    }
  }
  return message;
}

}  // namespace

Result<BundleReader::PartFacts> BundleReader::facts_of(const Oid& commit) {
  if (const auto found = facts_.find(commit); found != facts_.end()) return found->second;
  const auto read = TRY(repository_.reader().commit(commit));
  PartFacts facts;
  compile::FactsView view;
  TRY(view.read(read->meta));
  facts.capture = compile::capture_from(view.get(fact::capture)).value_or(Capture::full);
  facts.retrieved_from = view.get(fact::retrieved_from);
  if (facts_.size() >= kMostFacts) facts_.clear();
  return facts_.emplace(commit, std::move(facts)).first->second;
}

Result<void> BundleReader::add_messages(const Prompt& prompt, PromptBundle& bundle) {
  for (const Message& message : prompt.messages) {
    Capture mode = Capture::full;
    for (const Part& part : message.parts) {
      const PartFacts facts = TRY(facts_of(part.commit));
      mode = stricter(mode, facts.capture);
      if (facts.retrieved_from.empty()) continue;
      bundle.retrieval.push_back(
          {valid_utf8(facts.retrieved_from), content_of(*part.text, facts.capture)});
    }
    const std::span<const Part> parts = message.parts;
    bool is_erased = false;
    for (const Part& part : message.parts) {
      is_erased = is_erased || TRY(was_erased(repository_.reader(), part.content, *part.text));
    }
    if (is_erased) {
      bundle.messages.push_back({.role = std::string(message.role), .content = erased_content()});
      continue;
    }
    if (mode != Capture::hashed) {
      bundle.messages.push_back(message_of(message.role, message.text(), parts, mode));
      continue;
    }
    // Each commitment is of one text.
    for (std::size_t i = 0; i < parts.size(); ++i) {
      bundle.messages.push_back(
          message_of(message.role, *parts[i].text, parts.subspan(i, 1), mode));
    }
  }
  return {};
}

namespace {

// Returns commitments as they are in the store: an event shows them so. The sent request then
// counts as known, and the recorded treatments apply.
class AsStored final : public compile::Scrubber {
 public:
  Capture capture() const override { return Capture::full; }
  Result<std::string> scrub(compile::Slot /*slot*/, std::string bytes) const override {
    return bytes;
  }
  std::shared_ptr<const std::string> original_of(std::string_view stored) const override {
    return std::make_shared<const std::string>(stored);
  }
};

}  // namespace

Result<void> BundleReader::fill(const Oid& name, PromptProvenance& provenance) {
  const store::Reader& reader = repository_.reader();
  const store::Bundle sent = TRY(reader.bundle(name));
  if (!sent.model.empty()) provenance.model = valid_utf8(sent.model);
  if (sent.params) read_parameters(*TRY(reader.content(*sent.params)), provenance);

  PromptBundle bundle;
  const Capture mode = provenance.capture;
  if (sent.tools) {
    const auto text = TRY(reader.content(*sent.tools));
    if (const auto document = json::parse(*text); document && document->root().is_array()) {
      for (const json::Value declared : llm::declared_tools(document->root())) {
        // One of the provider itself is told by its type.
        const llm::ToolSpec tool =
            llm::read_tool(declared).value_or(llm::ToolSpec{declared.find("type").text(), {}, {}});
        const std::string& schema = tool.parameters;
        bundle.tools.push_back({.name = valid_utf8(tool.name),
                                .description = content_of(tool.description, mode),
                                .schema = content_of(schema.empty() ? "{}" : schema, mode)});
      }
    }
  }
  const llm::render::Recipe recipe = TRY(llm::recipe_of(repository_, sent));
  compile::CompileOptions options = recipe.options;
  options.with_thoughts = recipe.replay.scope != llm::render::ReplayRule::Scope::none;
  options.strict = false;
  const Prompt prompt = TRY(repository_.compile(sent.commit, options));
  TRY(add_messages(prompt, bundle));
  const auto dialogue = TRY(llm::render::arrange(prompt, recipe, reader, AsStored()));
  add_transformations(prompt, dialogue.treatments, bundle.transformations);
  if (sent.hook) {
    const auto hook = TRY(reader.content(*sent.hook));
    std::string names = *hook;
    std::replace(names.begin(), names.end(), '\n', ',');
    bundle.transformations.push_back(
        {Kind::rewrite, valid_utf8(fmt::format("the request was rewritten by {}", names))});
    if (sent.stored) {
      bundle.rewritten_request = content_of(*TRY(reader.content(*sent.stored)), mode);
    }
  }
  provenance.bundle_hash = hash_of(bundle);
  provenance.bundle = std::move(bundle);
  return {};
}

Result<void> BundleReader::read(const Oid& bundle, PromptProvenance& provenance) {
  provenance.bundle.reset();
  provenance.bundle_hash = kUnknown;
  const auto filled = fill(bundle, provenance);
  if (!filled && !is_absence(filled.error())) return filled.error();
  return {};
}

}  // namespace spoor::report
