#include "cli/models/treatments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spoor::cli {

void write_treatment(JsonWriter& json, const llm::render::Treatment& treatment) {
  json.object().member("kind", std::string(name_of(treatment.kind)));
  json.member("hash", treatment.commit).member_or_null("why", treatment.why);
  json.member_or_null("reason", treatment.reason).list("paths");
  for (const std::string& path : treatment.paths) json.value(path);
  json.end().end();
}

// `3f2a91c4 unbound: the tools were others (prefix_binding_mismatch at messages.1.content.0)`
void print_treatment(Session& session, const api::Workspace& workspace,
                     const llm::render::Treatment& treatment) {
  std::string line =
      fmt::format("{} {}", workspace.short_id(treatment.commit), name_of(treatment.kind));
  if (!treatment.why.empty()) line += ": " + treatment.why;
  if (!treatment.reason.empty()) {
    line += fmt::format(" ({} at {})", treatment.reason, fmt::join(treatment.paths, ", "));
  }
  session.err().print(Style::muted, line).newline();
}

}  // namespace spoor::cli
