// Reading a streamed reply: Server-Sent Events against a copy of the same bytes, and what one
// streamed token costs on its way from bytes to the reply. In processor time.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/figures.h"
#include "bench/workload.h"
#include "llm/wire/reply_parser.h"
#include "llm/wire/sse.h"

namespace spoor::bench {
namespace {

using llm::Wire;

constexpr std::size_t kTokens = 10'000;

// The events of a stream that says kTokens words, each as bytes of its own, as they arrive.
std::vector<std::string> make_stream(Wire wire) {
  std::vector<std::string> events;
  const auto add = [&](std::string_view name, const std::string& data) {
    events.push_back(name.empty() ? fmt::format("data: {}\n\n", data)
                                  : fmt::format("event: {}\ndata: {}\n\n", name, data));
  };
  if (wire == Wire::anthropic) {
    add("message_start",
        R"({"type":"message_start","message":{"id":"msg_01","type":"message","role":"assistant",)"
        R"("model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1}}})");
    add("content_block_start",
        R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})");
    for (std::size_t i = 0; i < kTokens; ++i) {
      add("content_block_delta",
          fmt::format(R"({{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta",)"
                      R"("text":" word{}"}}}})",
                      i % 100));
    }
    add("content_block_stop", R"({"type":"content_block_stop","index":0})");
    add("message_delta",
        R"({"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},)"
        R"("usage":{"output_tokens":10000}})");
    add("message_stop", R"({"type":"message_stop"})");
    return events;
  }
  const auto chunk = [&](const std::string& delta, const char* reason) {
    add("", fmt::format(R"({{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,)"
                        R"("model":"m","choices":[{{"index":0,"delta":{},"finish_reason":{}}}]}})",
                        delta, reason));
  };
  chunk(R"({"role":"assistant","content":""})", "null");
  for (std::size_t i = 0; i < kTokens; ++i) {
    chunk(fmt::format(R"({{"content":" word{}"}})", i % 100), "null");
  }
  chunk("{}", R"("stop")");
  add("", "[DONE]");
  return events;
}

const std::vector<std::string>& stream(Wire wire) {
  static const auto anthropic = make_stream(Wire::anthropic);
  static const auto chat = make_stream(Wire::openai_chat);
  return wire == Wire::anthropic ? anthropic : chat;
}

const std::string& bytes() {
  static const std::string all = [] {
    std::string joined;
    for (const std::string& event : stream(Wire::anthropic)) joined += event;
    return joined;
  }();
  return all;
}

void decode_sse(benchmark::State& state) {
  constexpr std::size_t kChunk = 16 << 10;  // What curl hands over at most.
  for (auto _ : state) {
    const double start = processor_seconds();
    llm::wire::SseDecoder decoder;
    std::size_t count = 0;
    const auto on_event = [&count](const llm::wire::SseEvent&) { ++count; };
    for (std::size_t at = 0; at < bytes().size(); at += kChunk) {
      decoder.feed(std::string_view(bytes()).substr(at, kChunk), on_event);
    }
    decoder.finish(on_event);
    state.SetIterationTime(processor_seconds() - start);
    must(count == stream(Wire::anthropic).size(), "events were lost");
  }
}

void copy(benchmark::State& state) {
  std::string to(bytes().size(), '\0');
  for (auto _ : state) {
    const double start = processor_seconds();
    std::memcpy(to.data(), bytes().data(), bytes().size());
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
    state.SetIterationTime(processor_seconds() - start);
  }
}

void read_reply(benchmark::State& state, Wire wire) {
  const auto& events = stream(wire);
  for (auto _ : state) {
    const double start = processor_seconds();
    const auto parser = llm::wire::make_reply_parser(wire);
    std::size_t told = 0;
    const llm::OnEvent on_event = [&told](const llm::ReplyEvent&) { ++told; };
    for (const std::string& event : events) parser->feed(event, on_event);
    const llm::Reply reply = parser->finish(on_event);
    state.SetIterationTime(processor_seconds() - start);
    must(!reply.failure && told == kTokens, "the stream was not read");
  }
}

}  // namespace

void register_stream() {
  benchmark::RegisterBenchmark("sse/ours", decode_sse)->UseManualTime();
  benchmark::RegisterBenchmark("sse/memcpy", copy)->UseManualTime();
  benchmark::RegisterBenchmark("stream/anthropic", read_reply, Wire::anthropic)->UseManualTime();
  benchmark::RegisterBenchmark("stream/openai-chat", read_reply, Wire::openai_chat)
      ->UseManualTime();
}

void rows_of_stream(const Times& times, std::vector<Row>& rows) {
  const auto size = static_cast<double>(bytes().size());
  const auto rate = [&](const char* name) { return size / times.at(name); };  // Bytes/ns: GB/s.
  rows.push_back({"Server-Sent Events", rate("sse/ours"), "GB/s", rate("sse/memcpy"),
                  rate("sse/ours") / rate("sse/memcpy"), std::nullopt, Row::Want::at_least,
                  "floor: memcpy of the same bytes"});
  const double floor = times.at("sse/ours") / 1e3 / kTokens;
  for (const char* wire : {"anthropic", "openai-chat"}) {
    const double per = times.at(std::string("stream/") + wire) / 1e3 / kTokens;
    rows.push_back({std::string("a streamed token, ") + wire, per, "µs", floor, per, 5.0,
                    Row::Want::at_most, "floor: finding the events, Anthropic's"});
  }
}

}  // namespace spoor::bench
