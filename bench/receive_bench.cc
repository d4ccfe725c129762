// What received telemetry costs: spans that are dropped, and spans that are stored.
#include <benchmark/benchmark.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json/writer.h"
#include "bench/figures.h"
#include "bench/raw_store.h"
#include "bench/workload.h"
#include "receive/otlp.h"
#include "receive/protobuf.h"
#include "receive/trace_recorder.h"
#include "store/sha256.h"

namespace spoor::bench {
namespace {

constexpr int kReceivedTraces = 50;
constexpr int kCallsOfTrace = 10;  // Of a model in a trace, each with a tool.
constexpr int kReceivedSpans = kReceivedTraces * kCallsOfTrace * 2;

std::string otlp_attribute(std::string_view key, std::string_view text) {
  return fmt::format(R"({{"key":"{}","value":{{"stringValue":{}}}}})", key,
                     json::write_string(text));
}

std::string otlp_span(int trace, int number, std::string_view name, const std::string& attributes) {
  return fmt::format(
      R"({{"traceId":"{:032x}","spanId":"{:016x}","parentSpanId":"00000000000000ff","name":"{}",)"
      R"("kind":1,"startTimeUnixNano":"{}","endTimeUnixNano":"{}","attributes":[{}],"status":{{}}}})",
      trace + 1, trace * 1000 + number + 1, name,
      1'780'000'000'000'000'000 + number * 1'000'000'000LL,
      1'780'000'000'500'000'000 + number * 1'000'000'000LL, attributes);
}

std::string post_of(std::string_view scope, const std::vector<std::string>& spans) {
  std::string all;
  for (const std::string& each : spans) all.append(all.empty() ? "" : ",").append(each);
  return fmt::format(
      R"({{"resourceSpans":[{{"resource":{{"attributes":[{}]}},"scopeSpans":[{{"scope":)"
      R"({{"name":"{}"}},"spans":[{}]}}]}}]}})",
      otlp_attribute("service.name", "bench"), scope, all);
}

// 1.2 MB of spans as Codex sends them.
const std::string& noise() {
  static const std::string post = [] {
    std::vector<std::string> spans;
    std::size_t bytes = 0;
    for (int i = 0; bytes < 1'200'000; ++i) {
      std::string attributes;
      for (const auto& [key, text] : {std::pair("code.file.path", "core/src/session/turn.rs"),
                                      {"target", "codex_core::turn"},
                                      {"code.module.name", "codex_core::session::turn"},
                                      {"thread.name", "tokio-worker"},
                                      {"busy_ns", "120345"},
                                      {"idle_ns", "8812300"}}) {
        attributes.append(attributes.empty() ? "" : ",").append(otlp_attribute(key, text));
      }
      spans.push_back(otlp_span(0, i, "receiving_stream", attributes));
      bytes += spans.back().size() + 1;
    }
    return post_of("codex_exec", spans);
  }();
  return post;
}

// Conversations of a model that calls a tool each time; a call's span has all messages before it.
const std::vector<std::string>& spans() {
  static const std::vector<std::string> all = [] {
    const std::vector<std::string> texts = make_texts(kReceivedTraces * kCallsOfTrace, 33);
    std::vector<std::string> made;
    for (int trace = 0; trace < kReceivedTraces; ++trace) {
      std::string given =
          fmt::format(R"({{"role":"user","parts":[{{"type":"text","content":{}}}]}})",
                      json::write_string(texts[static_cast<std::size_t>(trace)]));
      for (int call = 0; call < kCallsOfTrace; ++call) {
        const std::string& text = texts[static_cast<std::size_t>(trace * kCallsOfTrace + call)];
        const std::string excerpt = json::write_string(text.substr(0, 200));
        const std::string answer = fmt::format(
            R"({{"role":"assistant","parts":[{{"type":"tool_call","id":"call-{}-{}","name":"grep",)"
            R"("arguments":{{"q":{}}}}}]}})",
            trace, call, excerpt);
        made.push_back(
            otlp_span(trace, 2 * call, "chat gpt-9",
                      otlp_attribute("gen_ai.operation.name", "chat") + "," +
                          otlp_attribute("gen_ai.request.model", "gpt-9") + "," +
                          otlp_attribute("gen_ai.conversation.id", fmt::format("bench-{}", trace)) +
                          "," + otlp_attribute("gen_ai.input.messages", "[" + given + "]") + "," +
                          otlp_attribute("gen_ai.output.messages", "[" + answer + "]")));
        made.push_back(otlp_span(
            trace, 2 * call + 1, "execute_tool grep",
            otlp_attribute("gen_ai.operation.name", "execute_tool") + "," +
                otlp_attribute("gen_ai.tool.call.id", fmt::format("call-{}-{}", trace, call)) +
                "," + otlp_attribute("gen_ai.tool.name", "grep")));
        given += "," + answer +
                 fmt::format(R"(,{{"role":"tool","parts":[{{"type":"tool_call_response","id":)"
                             R"("call-{}-{}","response":{}}}]}})",
                             trace, call, excerpt);
      }
    }
    return made;
  }();
  return all;
}

const std::string& post() {
  static const std::string made = post_of("bench.genai", spans());
  return made;
}

void parse_otlp(benchmark::State& state, const std::string& text) {
  for (auto _ : state) benchmark::DoNotOptimize(nlohmann::json::parse(text).size());
}
void noise_floor(benchmark::State& state) { parse_otlp(state, noise()); }
void spans_parsed(benchmark::State& state) { parse_otlp(state, post()); }

void drop_noise(benchmark::State& state) {
  for (auto _ : state) {
    must(must(receive::keep(receive::Signal::traces, noise())).document.empty(), "kept");
  }
}

void keep_spans(benchmark::State& state) {
  for (auto _ : state) {
    must(must(receive::keep(receive::Signal::traces, post())).document.size() == post().size(),
         "not kept");
  }
}

void store_spans(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    {
      const ScratchFolder folder;
      const auto repository = must(Repository::create(folder.path("store")));
      state.ResumeTiming();
      receive::Posts posts;
      receive::TraceRecorder recorder(*repository, posts);
      recorder.add("post", post(), {});
      must(recorder.record({}, true).has_value(), "not recorded");
      must(recorder.sums().spans == kReceivedSpans, "spans are missing");
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
}

// Each trace in one transaction, as ours.
void spans_floor(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    {
      const ScratchFolder folder;
      RawStore raw(folder.path("raw"));
      std::vector<std::string> names;
      for (const std::string& each : spans()) names.push_back(store::sha256(each).hex());
      state.ResumeTiming();
      for (std::size_t i = 0; i < spans().size(); i += 2 * kCallsOfTrace) {
        std::vector<RawStore::Pair> pairs;
        for (std::size_t k = i; k < i + 2 * kCallsOfTrace; ++k)
          pairs.push_back({names[k], spans()[k]});
        raw.insert_all(pairs);
      }
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
}

}  // namespace

void register_receive() {
  benchmark::RegisterBenchmark("receive/noise", drop_noise);
  benchmark::RegisterBenchmark("receive/noise_floor", noise_floor);
  benchmark::RegisterBenchmark("receive/keep", keep_spans);
  benchmark::RegisterBenchmark("receive/parsed", spans_parsed);
  benchmark::RegisterBenchmark("receive/store", store_spans);
  benchmark::RegisterBenchmark("receive/floor", spans_floor);
}

void rows_of_receive(const Times& times, std::vector<Row>& rows) {
  const auto ms = [&](const char* name) { return times.at(name) / 1e6; };
  const auto rate = [&](const char* name) { return kReceivedSpans / times.at(name) * 1e9; };
  rows.push_back({"dropping 1.2 MB of other spans", ms("receive/noise"), "ms",
                  ms("receive/noise_floor"), ms("receive/noise") / ms("receive/noise_floor"),
                  std::nullopt, Row::Want::at_most, "floor: nlohmann/json parses the same bytes"});
  rows.push_back({"taking a post of spans", rate("receive/keep"), "spans/s", rate("receive/parsed"),
                  rate("receive/keep") / rate("receive/parsed"), std::nullopt, Row::Want::at_least,
                  "the same"});
  rows.push_back({"storing received spans", rate("receive/store"), "spans/s", rate("receive/floor"),
                  rate("receive/store") / rate("receive/floor"), std::nullopt, Row::Want::at_least,
                  "floor: each span's bytes, inserted into SQLite"});
}

}  // namespace spoor::bench
