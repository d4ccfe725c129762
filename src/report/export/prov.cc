#include "report/export/prov.h"

#include <algorithm>
#include <utility>

#include "base/json/writer.h"
#include "report/event/event.h"
#include "store/sha256.h"

namespace spoor::report {

namespace {

using json::Object;

std::string name(const char* kind, const std::string& id) {
  return std::string("spoor:") + kind + "-" + id;
}

// Returns `{"$":"prov:Person","type":"prov:QUALIFIED_NAME"}`.
std::string qualified(const std::string& word) {
  Object object;
  object.add_string("$", word);
  object.add_string("type", "prov:QUALIFIED_NAME");
  return object.write();
}

std::string entity(const char* type, const std::string& hash) {
  Object object;
  object.add_json("prov:type", qualified(std::string("spoor:") + type));
  if (is_known(hash)) object.add_string("spoor:sha256", hash);
  return object.write();
}

// An answer that asks for actions, which the agent then takes.
std::string plan_entity() {
  Object object;
  object.add_json("prov:type",
                  json::write_array({qualified("prov:Plan"), qualified("spoor:Answer")}));
  return object.write();
}

std::string activity(const std::string& begin, const std::string& end, const std::string& type,
                     const std::string& label) {
  Object object;
  if (is_known(begin)) object.add_string("prov:startTime", begin);
  if (is_known(end)) object.add_string("prov:endTime", end);
  object.add_json("prov:type", qualified("spoor:" + type));
  if (!label.empty()) object.add_string("prov:label", label);
  return object.write();
}

std::string pair_of(const char* first, const std::string& one, const char* second,
                    const std::string& other) {
  Object object;
  object.add_string(first, one);
  object.add_string(second, other);
  return object.write();
}

}  // namespace

// Adds a relation, with a name that is derived from its ends.
void ProvExport::relate(const char* relation, const std::string& from, const std::string& to,
                        std::string object) {
  const std::string id = store::sha256(relation, from + '\n', to).hex(16);
  relations_[relation]["_:" + id] = std::move(object);
}

std::string ProvExport::agent(const std::string& kind, const std::string& said, const char* type) {
  // The name may be any text, but the id may not.
  std::string id = name(kind.c_str(), store::sha256(said).hex(16));
  Object object;
  object.add_json("prov:type", qualified(type));
  object.add_string("prov:label", said);
  agents_[id] = object.write();
  return id;
}

void ProvExport::add(const DecisionEvent& event) {
  const std::string run_name = name("run", event.session.run_id);
  Run& run = runs_[event.session.run_id];
  const bool is_first = run.label.empty();
  if (is_first) {
    run.label = "run " + event.session.run_id;
    run.begin = event.timestamp;
    run.agent = agent("agent", event.session.agent_id, "prov:SoftwareAgent");
    relate("wasAssociatedWith", run_name, run.agent,
           pair_of("prov:activity", run_name, "prov:agent", run.agent));
    if (is_known(event.request.request_id)) {
      run.request = name("request", event.request.request_id);
      entities_[run.request] = entity("Request", {});
      const std::string person = agent("person", "the person who asked", "prov:Person");
      relate("wasAttributedTo", run.request, person,
             pair_of("prov:entity", run.request, "prov:agent", person));
      relate("actedOnBehalfOf", run.agent, person,
             pair_of("prov:delegate", run.agent, "prov:responsible", person));
      relate("wasStartedBy", run_name, run.request,
             pair_of("prov:activity", run_name, "prov:trigger", run.request));
    }
  }
  if (is_known(event.timestamp)) run.end = std::max(run.end, event.timestamp);
  const std::string id = event.commit.hex();
  if (event.kind == EventKind::end) {
    run.is_over = true;
    // A run that achieved its goal ends with the answer, another by what its own words name.
    run.stop.clear();
    if (event.agent_action.type == AgentAction::Type::message) return;
    run.stop = name("ending", id);
    Object ending;
    ending.add_json("prov:type", qualified("spoor:Ending"));
    const Content& why = event.agent_action.summary;
    if (why.has_text()) ending.add_string("prov:label", why.text);
    entities_[run.stop] = ending.write();
    return;
  }

  const std::string what = name("event", event.span_id);
  activities_[what] = activity({}, event.timestamp, std::string(name_of(event.agent_action.type)),
                               std::string(name_of(event.agent_action.type)));
  const auto generate = [&](const std::string& made) {
    Object object;
    object.add_string("prov:entity", made);
    object.add_string("prov:activity", what);
    if (is_known(event.timestamp)) object.add_string("prov:time", event.timestamp);
    relate("wasGeneratedBy", made, what, object.write());
  };
  const auto use = [&](const std::string& used) {
    relate("used", what, used, pair_of("prov:activity", what, "prov:entity", used));
  };
  const auto inform = [&](const std::string& by) {
    relate("wasInformedBy", what, by, pair_of("prov:informed", what, "prov:informant", by));
  };
  switch (event.kind) {
    case EventKind::completion:
    case EventKind::failed_call: {
      inform(run_name);
      const PromptProvenance& provenance = event.prompt_provenance;
      if (is_known(provenance.model)) {
        const std::string model =
            agent("model", provenance.provider + '/' + provenance.model, "prov:SoftwareAgent");
        relate("wasAssociatedWith", what, model,
               pair_of("prov:activity", what, "prov:agent", model));
      }
      if (is_known(provenance.bundle_hash)) {
        const std::string prompt = name("prompt", provenance.bundle_hash);
        entities_[prompt] = entity("Prompt", provenance.bundle_hash);
        use(prompt);
      }
      if (event.kind == EventKind::failed_call) return;
      const std::string answer = name("answer", id);
      entities_[answer] =
          event.agent_action.type == AgentAction::Type::plan ? plan_entity() : entity("Answer", {});
      generate(answer);
      if (is_known(provenance.bundle_hash)) {
        const std::string prompt = name("prompt", provenance.bundle_hash);
        relate("wasDerivedFrom", answer, prompt,
               pair_of("prov:generatedEntity", answer, "prov:usedEntity", prompt));
      }
      answer_of_[event.span_id] = answer;
      run.last = answer;
      return;
    }
    case EventKind::action: {
      const auto asked = answer_of_.find(event.parent_span_id);
      if (asked != answer_of_.end()) {
        use(asked->second);
        inform(name("event", event.parent_span_id));
      }
      Object association;
      association.add_string("prov:activity", what);
      association.add_string("prov:agent", run.agent);
      if (asked != answer_of_.end()) association.add_string("prov:plan", asked->second);
      relate("wasAssociatedWith", what, run.agent, association.write());
      const std::string result = name("result", id);
      entities_[result] = entity("Result", {});
      generate(result);
      for (const Artifact& artifact : event.agent_action.artifacts) {
        const std::string made = name("artifact", artifact.id);
        entities_[made] = entity("Artifact", artifact.hash);
        generate(made);
      }
      return;
    }
    case EventKind::override_: {
      inform(name("event", event.parent_span_id));
      const std::string judgement = name("judgement", id);
      entities_[judgement] = entity("Judgement", {});
      generate(judgement);
      return;
    }
    case EventKind::end:
      return;
  }
}

std::string ProvExport::document() const {
  Records activities = activities_;
  std::map<std::string, Records> relations = relations_;
  for (const auto& [id, run] : runs_) {
    const std::string run_name = name("run", id);
    activities[run_name] =
        activity(run.begin, run.is_over ? run.end : std::string(), "Run", run.label);
    const std::string& trigger = run.stop.empty() ? run.last : run.stop;
    if (!run.is_over || trigger.empty()) continue;
    relations["wasEndedBy"]["_:end-" + id] =
        pair_of("prov:activity", run_name, "prov:trigger", trigger);
  }
  const auto section = [](const Records& records) {
    Object object;
    for (const auto& [key, value] : records) object.add_json(key, value);
    return object.write();
  };
  Object prefix;
  prefix.add_string("spoor", "urn:spoor:");
  prefix.add_string("prov", "http://www.w3.org/ns/prov#");
  Object all;
  all.add_json("prefix", prefix.write());
  all.add_json("entity", section(entities_));
  all.add_json("activity", section(activities));
  all.add_json("agent", section(agents_));
  for (const auto& [relation, records] : relations) all.add_json(relation, section(records));
  return all.write();
}

}  // namespace spoor::report
