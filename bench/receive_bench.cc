// What received telemetry costs: spans that are dropped, and spans that are stored.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "base/json/writer.h"
#include "bench/figures.h"
#include "bench/raw_store.h"
#include "bench/workload.h"
#include "receive/answer.h"
#include "receive/trace_recorder.h"

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

// Attributes of spans as Codex sends them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNoise = {
    {{"code.file.path", "core/src/session/turn.rs"},
     {"target", "codex_core::turn"},
     {"code.module.name", "codex_core::session::turn"},
     {"thread.name", "tokio-worker"},
     {"busy_ns", "120345"},
     {"idle_ns", "8812300"}}};
constexpr std::size_t kNoiseBytes = 1'200'000;

const std::string& noise() {
  static const std::string post = [] {
    std::string attributes;
    for (const auto& [key, text] : kNoise) {
      attributes.append(attributes.empty() ? "" : ",").append(otlp_attribute(key, text));
    }
    std::vector<std::string> spans;
    std::size_t bytes = 0;
    for (int i = 0; bytes < kNoiseBytes; ++i) {
      spans.push_back(otlp_span(0, i, "receiving_stream", attributes));
      bytes += spans.back().size() + 1;
    }
    return post_of("codex_exec", spans);
  }();
  return post;
}

// The same in protobuf, from a scope of no known name: each span is looked at.
const std::string& noise_in_protobuf() {
  using protozero::pbf_writer;
  static const std::string post = [] {
    const auto message = [](auto write) {
      std::string bytes;
      pbf_writer writer(bytes);
      write(writer);
      return bytes;
    };
    const auto attribute = [&](std::string_view key, std::string_view text) {
      return message([&](pbf_writer& pair) {
        pair.add_string(1, key.data(), key.size());
        pair.add_message(
            2, message([&](pbf_writer& value) { value.add_string(1, text.data(), text.size()); }));
      });
    };
    const std::string scope = message([&](pbf_writer& writer) {
      writer.add_message(1, message([](pbf_writer& name) { name.add_string(1, "exec"); }));
      for (std::uint64_t i = 0, bytes = 0; bytes < kNoiseBytes; ++i) {
        const std::string span = message([&](pbf_writer& each) {
          each.add_bytes(1, std::string(16, '\1'));
          each.add_bytes(2, std::string(8, '\2'));
          each.add_string(5, "receiving_stream");
          each.add_fixed64(7, 1'780'000'000'000'000'000 + i);
          each.add_fixed64(8, 1'780'000'000'000'001'000 + i);
          for (const auto& [key, text] : kNoise) each.add_message(9, attribute(key, text));
        });
        writer.add_message(2, span);
        bytes += span.size();
      }
    });
    return message([&](pbf_writer& request) {
      request.add_message(1, message([&](pbf_writer& batch) { batch.add_message(2, scope); }));
    });
  }();
  return post;
}

// The number of attributes of spans in a post.
std::size_t attributes_in(std::string_view post) {
  using protozero::pbf_reader;
  std::size_t count = 0;
  pbf_reader request(post.data(), post.size());
  while (request.next(1)) {
    pbf_reader batch = request.get_message();
    while (batch.next(2)) {
      pbf_reader scope = batch.get_message();
      while (scope.next(2)) {
        pbf_reader span = scope.get_message();
        while (span.next(9)) {
          pbf_reader pair = span.get_message();
          while (pair.next()) pair.skip();
          ++count;
        }
      }
    }
  }
  return count;
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
                "," + otlp_attribute("gen_ai.tool.name", "grep") + "," +
                otlp_attribute("gen_ai.tool.call.result", text.substr(0, 200))));
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

// The same calls in posts as they end: each call a trace of its own, one of each conversation in a
// post.
const std::vector<std::string>& growing_posts() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> posts;
    for (int call = 0; call < kCallsOfTrace; ++call) {
      std::vector<std::string> ended;
      for (int trace = 0; trace < kReceivedTraces; ++trace) {
        for (int i = 0; i < 2; ++i) {
          std::string span =
              spans()[static_cast<std::size_t>((trace * kCallsOfTrace + call) * 2 + i)];
          const std::string own = fmt::format("{:032x}", 1'000'000 * (call + 1) + trace);
          ended.push_back(span.replace(span.find(':') + 2, own.size(), own));
        }
      }
      posts.push_back(post_of("bench.genai", ended));
    }
    return posts;
  }();
  return all;
}

void parse_otlp(benchmark::State& state, const std::string& text) {
  for (auto _ : state) benchmark::DoNotOptimize(nlohmann::json::parse(text).size());
}
void noise_floor(benchmark::State& state) { parse_otlp(state, noise()); }
void spans_parsed(benchmark::State& state) { parse_otlp(state, post()); }

void drop(benchmark::State& state, std::string_view type, const std::string& noise) {
  const auto put = [](receive::Signal, const std::string&) -> Result<void> {
    return io_error("it was kept");
  };
  for (auto _ : state) {
    const auto answer =
        receive::answer({"POST", "/v1/traces", type, "", noise}, 2 * kNoiseBytes, put);
    must(answer.status == 200, answer.body);
  }
}
void drop_noise(benchmark::State& state) { drop(state, "application/json", noise()); }
void drop_protobuf(benchmark::State& state) {
  drop(state, "application/x-protobuf", noise_in_protobuf());
}
void protobuf_floor(benchmark::State& state) {
  const std::string& noise = noise_in_protobuf();
  for (auto _ : state) must(attributes_in(noise) > 0, "nothing is there");
}

void keep_spans(benchmark::State& state) {
  for (auto _ : state) {
    must(must(receive::keep(receive::Signal::traces, post())).document.size() == post().size(),
         "not kept");
  }
}

// Records posts, each when it has come.
void record(Repository& repository, const std::vector<std::string>& posts) {
  receive::Posts open;
  receive::TraceRecorder recorder(repository, open);
  for (const std::string& each : posts) {
    const auto parsed = spoor::json::parse(each);
    recorder.add("post", parsed->root(), {});
    must(recorder.record({}, true).has_value(), "not recorded");
  }
  must(recorder.sums().spans == kReceivedSpans, "spans are missing");
}

// Processor time, because a core is what the figure is about.
void store(benchmark::State& state, const std::vector<std::string>& posts) {
  for (auto _ : state) {
    const ScratchFolder folder;
    const auto repository = must(Repository::create(folder.path("store")));
    const double begin = processor_seconds();
    record(*repository, posts);
    state.SetIterationTime(processor_seconds() - begin);
  }
}
void store_spans(benchmark::State& state) { store(state, {post()}); }
void store_growing(benchmark::State& state) { store(state, growing_posts()); }

// The objects of such a store, inserted in as many transactions as there are posts.
void insert_rows(benchmark::State& state, const std::vector<std::string>& posts) {
  std::vector<std::pair<std::string, std::string>> rows;
  {
    const ScratchFolder folder;
    const auto repository = must(Repository::create(folder.path("store")));
    record(*repository, posts);
    must_be_sound(*repository);
    must(repository->store().scan([&](const store::StoredObject& each) {
      rows.emplace_back(each.oid.hex(), each.object.body);
      return true;
    }));
  }
  for (auto _ : state) {
    const ScratchFolder folder;
    RawStore raw(folder.path("raw"));
    const double begin = processor_seconds();
    const std::size_t share = (rows.size() + posts.size() - 1) / posts.size();
    for (std::size_t at = 0; at < rows.size(); at += share) {
      std::vector<RawStore::Pair> pairs;
      for (std::size_t i = at; i < std::min(at + share, rows.size()); ++i) {
        pairs.push_back({rows[i].first, rows[i].second});
      }
      raw.insert_all(pairs);
    }
    state.SetIterationTime(processor_seconds() - begin);
  }
}
void store_floor(benchmark::State& state) { insert_rows(state, {post()}); }
void growing_floor(benchmark::State& state) { insert_rows(state, growing_posts()); }

}  // namespace

void register_receive() {
  benchmark::RegisterBenchmark("receive/noise", drop_noise);
  benchmark::RegisterBenchmark("receive/noise_floor", noise_floor);
  benchmark::RegisterBenchmark("receive/protobuf", drop_protobuf);
  benchmark::RegisterBenchmark("receive/protobuf_floor", protobuf_floor);
  benchmark::RegisterBenchmark("receive/keep", keep_spans);
  benchmark::RegisterBenchmark("receive/parsed", spans_parsed);
  benchmark::RegisterBenchmark("receive/store", store_spans)->UseManualTime();
  benchmark::RegisterBenchmark("receive/store_floor", store_floor)->UseManualTime();
  benchmark::RegisterBenchmark("receive/growing", store_growing)->UseManualTime();
  benchmark::RegisterBenchmark("receive/growing_floor", growing_floor)->UseManualTime();
}

void rows_of_receive(const Times& times, std::vector<Row>& rows) {
  const auto add_ms = [&](const char* name, const std::string& what, const char* note) {
    const double ours = times.at(name) / 1e6;
    rows.push_back({what, ours, "ms", times.at(std::string(name) + "_floor") / 1e6, ours, 2.0,
                    Row::Want::at_most, note});
  };
  const auto add_rate = [&](const char* name, const char* floor, const std::string& what,
                            std::optional<double> wanted, const char* note) {
    const auto rate = [&](const char* of) { return kReceivedSpans / times.at(of) * 1e9; };
    rows.push_back(
        {what, rate(name), "spans/s", rate(floor), rate(name), wanted, Row::Want::at_least, note});
  };
  add_ms("receive/noise", "dropping 1.2 MB of other spans, JSON",
         "floor: nlohmann/json parses the same bytes");
  add_ms("receive/protobuf", "dropping 1.2 MB of other spans, protobuf",
         "floor: protozero counts their attributes");
  add_rate("receive/keep", "receive/parsed", "taking a post of spans", std::nullopt,
           "floor: nlohmann/json parses it");
  add_rate("receive/store", "receive/store_floor", "storing a post of 50 traces", 25'000.0,
           "floor: the INSERTs of the objects of that store, in one transaction");
  add_rate("receive/growing", "receive/growing_floor", "storing 50 conversations in 10 posts",
           25'000.0, "floor: the INSERTs of the objects of that store, in 10 transactions");
}

}  // namespace spoor::bench
