// Compiling a prompt that is at hand, against escaping the same bytes from memory
// and against dumping them with nlohmann::json.
#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>

#include "base/json/writer.h"
#include "bench/figures.h"
#include "bench/workload.h"

namespace spoor::bench {
namespace {

constexpr std::size_t kTurns = 2'000;

const std::vector<std::string>& compiled_texts() {
  static const auto all = make_texts(kTurns);
  return all;
}

void compile_ours(benchmark::State& state) {
  const ScratchFolder folder;
  const auto repository = make_store(folder.path("store"), compiled_texts());
  const auto branch = repository->branch("main");
  for (auto _ : state) {
    const Prompt prompt = must(branch.compile());
    benchmark::DoNotOptimize(openai_chat_messages(prompt).size());
  }
  must_be_sound(*repository);
}

void compile_floor(benchmark::State& state) {
  std::size_t size = 0;
  for (const std::string& text : compiled_texts()) size += text.size();
  for (auto _ : state) {
    std::string out;
    out.reserve(size + size / 16);
    for (const std::string& text : compiled_texts()) json::append_escaped(out, text);
    benchmark::DoNotOptimize(out.size());
  }
}

void compile_nlohmann(benchmark::State& state) {
  auto list = nlohmann::json::array();
  for (const std::string& text : compiled_texts())
    list.push_back({{"role", "user"}, {"content", text}});
  for (auto _ : state) benchmark::DoNotOptimize(list.dump().size());
}

}  // namespace

void register_compile() {
  benchmark::RegisterBenchmark("compile/ours", compile_ours);
  benchmark::RegisterBenchmark("compile/floor", compile_floor);
  benchmark::RegisterBenchmark("compile/nlohmann", compile_nlohmann);
}

void rows_of_compile(const Times& times, std::vector<Row>& rows) {
  double bytes = 0;
  for (const std::string& text : compiled_texts()) bytes += static_cast<double>(text.size());
  const auto rate = [&](const char* name) { return bytes / times.at(name); };  // Bytes/ns: GB/s.
  rows.push_back({"compile hot, OpenAI messages", rate("compile/ours"), "GB/s",
                  rate("compile/floor"), rate("compile/ours") / rate("compile/floor"), 0.9,
                  Row::Want::at_least, "floor: escaping the same bytes from memory"});
  rows.push_back({"  against nlohmann dump", rate("compile/ours"), "GB/s", rate("compile/nlohmann"),
                  rate("compile/ours") / rate("compile/nlohmann"), 6.0, Row::Want::at_least, ""});
}

}  // namespace spoor::bench
