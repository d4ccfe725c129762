#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/event/event.h"

namespace spoor::report {

/// The edition of the OpenTelemetry conventions for generative AI that an export follows.
enum class OtelEdition {
  v1_41,   ///< the last edition in the main repository: schema 1.41.0
  latest,  ///< the separate repository, as of 2026-10: schema gen-ai-dev/1.42.0-dev
};
std::string_view name_of(OtelEdition edition);  ///< `1.41`, `latest`
std::optional<OtelEdition> edition_from(std::string_view name);
std::string_view schema_url(OtelEdition edition);

/// Makes OpenTelemetry's traces and logs from events, as OTLP/JSON. Sources: OTLP 1.5 (JSON
/// Protobuf encoding: ids are hexadecimal, names in camel case, 64-bit integers texts) and the
/// semantic conventions `gen_ai.*` (docs/gen-ai of open-telemetry/semantic-conventions v1.41.0 and
/// of open-telemetry/semantic-conventions-genai).
///
///   run          span `invoke_agent NAME`, from its first event to its last
///   completion   span `chat MODEL` (client), with its duration if known; a log event
///                gen_ai.client.inference.operation.details
///   failed call  the same span with status error and `error.type`, and no answer
///   action       span `execute_tool NAME`
///   evaluation   a log event gen_ai.evaluation.result for each check, and for a person's judgement
///
/// Texts of the conversation are left out unless `with_content`: the conventions make them opt-in.
/// They are in the spans, which is where viewers look, and in the log events. Members of events
/// beyond the conventions are under `spoor.`. An unknown time is that of the event before. The same
/// events give the same bytes. For one thread.
class OtlpExport {
 public:
  struct Options {
    OtelEdition edition = OtelEdition::v1_41;
    bool with_content = false;
    std::string version;  ///< of this program; empty: not written
  };
  explicit OtlpExport(Options options) : options_(std::move(options)) {}

  void add(const DecisionEvent& event);

  /// Returns an ExportTraceServiceRequest, which equals TracesData, on one line.
  std::string traces() const;

  /// Returns an ExportLogsServiceRequest, which equals LogsData, on one line.
  std::string logs() const;

 private:
  // A run, whose span ends with its last event.
  struct Run {
    std::string trace, parent, name, session, provider, model, error;
    std::string run_id;
    std::int64_t begin = 0;  // Microseconds.
    std::int64_t end = 0;
    bool is_over = false;
  };
  Run& run_of(const DecisionEvent& event, const std::string& span);
  void add_completion(const DecisionEvent& event, std::int64_t end);
  void add_action(const DecisionEvent& event, std::int64_t end);
  void add_evaluations(const DecisionEvent& event, std::int64_t time);
  std::string resource() const;
  std::string scope() const;
  std::string document(const char* of_resources, const char* of_scopes, const char* of_records,
                       const std::vector<std::string>& records) const;

  const Options options_;
  std::int64_t last_ = 0;  // The time of the last event.
  std::string environment_;
  std::vector<std::string> spans_;
  std::vector<std::string> logs_;
  std::vector<std::string> order_;  // Spans of the runs, in order.
  std::map<std::string, Run> runs_;
};

}  // namespace spoor::report
