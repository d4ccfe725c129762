// Any bytes, as a post of telemetry: it is answered; what is kept of it is kept whole a second
// time, and recording it again writes nothing.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "graph/repository.h"
#include "input.h"
#include "receive/answer.h"
#include "receive/event_recorder.h"
#include "receive/otlp.h"
#include "receive/protobuf.h"
#include "receive/trace_recorder.h"

using namespace spoor;
using namespace spoor::receive;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

std::vector<store::Ref> record(graph::Repository& repository, Signal signal,
                               const std::string& document) {
  Posts posts;
  TraceRecorder traces(repository, posts);
  EventRecorder events(repository, posts);
  const auto parsed = json::parse(document);
  require(parsed.has_value());
  const json::Value root = parsed->root();
  signal == Signal::traces ? traces.add("post", root, {}) : events.add("post", root, {});
  require(traces.record({}, true).has_value());
  require(events.record({}, true).has_value());
  require(posts.take_closed().size() == 1);
  return repository.store().refs("refs/").value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = 1U << 16U;
  fuzz::Input input(data, size);
  const unsigned kind = input.byte();
  const bool is_logs = (kind & 1U) != 0;
  Post post{"POST", is_logs ? "/v1/logs" : "/v1/traces",
            (kind & 2U) != 0 ? "application/x-protobuf" : "application/json",
            (kind & 4U) != 0 ? "gzip" : "", std::string(input.bytes(size))};
  const auto put = [&](Signal signal, std::string document) -> Result<void> {
    const auto again = keep(signal, document);
    require(again && again.value().document == document && again.value().rejected == 0);
    const auto repository = graph::Repository::in_memory();
    const auto first = record(*repository, signal, document);
    require(record(*repository, signal, document) == first);
    return {};
  };
  const Answer made = answer(std::move(post), kMost, put);
  require(made.status == 200 || made.status == 400 || made.status == 413);
  return 0;
}
