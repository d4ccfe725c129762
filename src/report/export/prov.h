#pragma once

#include <map>
#include <set>
#include <string>

#include "report/event/event.h"

namespace spoor::report {

/// Makes a document of W3C PROV from events, as PROV-JSON
/// (https://www.w3.org/submissions/2013/SUBM-prov-json-20130424/, PROV-DM of 2013-04-30).
///
///   agent     the agent or program that drove the run (prov:SoftwareAgent), each model
///             (prov:SoftwareAgent), the person who asked (prov:Person)
///   activity  the run; each completion, each action
///   entity    the request, each prompt (by its hash), each answer, each result, each artifact
///
/// A completion used its prompt and generated its answer; an action used the answer that asked for
/// it and generated its result and its artifacts. An answer that asks for actions is a prov:Plan,
/// by which the agent is associated with them. The run was started by the request and ended by the
/// last answer, or by an entity `Ending` if it did not achieve its goal. Names are in the namespace
/// `spoor` (urn:spoor:), made from commits and hashes. The document contains no text of the
/// conversation. The same events give the same bytes. For one thread.
class ProvExport {
 public:
  void add(const DecisionEvent& event);

  /// Returns the document, on one line.
  std::string document() const;

 private:
  using Records = std::map<std::string, std::string>;  // Name to JSON object.
  void relate(const char* relation, const std::string& from, const std::string& to,
              std::string object);
  std::string agent(const std::string& kind, const std::string& name, const char* type);

  Records entities_, activities_, agents_;
  std::map<std::string, Records> relations_;
  struct Run {
    std::string begin, end, label, request, agent, last, stop;
    bool is_over = false;
  };
  std::map<std::string, Run> runs_;               // By the run's id.
  std::map<std::string, std::string> answer_of_;  // By the completion's span.
};

}  // namespace spoor::report
