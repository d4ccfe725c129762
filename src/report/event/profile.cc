#include "report/event/profile.h"

#include <array>
#include <utility>

#include "store/words.h"

namespace spoor::report {

using trace::Content;
using trace::EventKind;
using trace::kUnknown;
using trace::PromptProvenance;
using trace::ToolResult;

namespace {

constexpr std::array<std::pair<Profile, std::string_view>, 2> kProfiles = {{
    {Profile::white_box, "white-box"},
    {Profile::black_box, "black-box"},
}};

bool is_unknown(const std::string& word) { return word.empty() || word == kUnknown; }
bool is_unknown(const Content& content) { return content.mode == Content::Mode::unknown; }

}  // namespace

std::string_view name_of(Profile profile) { return store::word_in(kProfiles, profile); }

std::optional<Profile> profile_from(std::string_view name) {
  return store::value_in(kProfiles, name);
}

std::vector<std::string> missing_of(const DecisionEvent& event, Profile profile) {
  std::vector<std::string> missing;
  const auto need = [&missing](bool is_there, const char* what) {
    if (!is_there) missing.emplace_back(what);
  };
  const bool is_completion = event.kind == EventKind::completion;
  need(!is_unknown(event.timestamp), "timestamp");
  need(!is_unknown(event.request.user_request_raw), "request/user_request_raw");
  if (is_completion) {
    need(event.model_output && !is_unknown(event.model_output->output_raw),
         "model_output/output_raw");
  }
  if (event.kind == EventKind::action) {
    bool is_told = !event.agent_action.tool_results.empty();
    for (const ToolResult& result : event.agent_action.tool_results) {
      is_told = is_told && !is_unknown(result.output);
    }
    need(is_told, "agent_action/tool_results");
  }
  if (profile == Profile::black_box) return missing;

  const PromptProvenance& provenance = event.prompt_provenance;
  need(!is_unknown(event.session.session_id), "session/session_id");
  need(!is_unknown(event.session.agent_id), "session/agent_id");
  const bool is_of_model = is_completion || event.kind == EventKind::failed_call;
  if (!is_of_model && event.kind != EventKind::action) return missing;
  need(!is_unknown(provenance.provider), "prompt_provenance/provider");
  need(!is_unknown(provenance.model), "prompt_provenance/model");
  need(!is_unknown(provenance.bundle_hash), "prompt_provenance/prompt_bundle_hash");
  if (is_completion && event.model_output) {
    need(event.model_output->input_tokens.has_value(), "model_output/usage/input_tokens");
    need(event.model_output->output_tokens.has_value(), "model_output/usage/output_tokens");
  }
  return missing;
}

}  // namespace spoor::report
