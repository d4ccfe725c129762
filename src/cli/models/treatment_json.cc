#include "cli/models/treatment_json.h"

namespace spoor::cli {

void write_treatment(JsonWriter& json, const llm::render::Treatment& treatment) {
  json.object().member("kind", std::string(name_of(treatment.kind)));
  json.member("hash", treatment.commit).member_or_null("why", treatment.why).end();
}

}  // namespace spoor::cli
