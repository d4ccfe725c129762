// One line of `spoor batch`, on a store that forgets. Whatever the line holds:
// one answer, on one line, that is JSON; nothing crashes, nothing throws.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "api/operations/line.h"
#include "base/json/reader.h"
#include "cli/settings/fixed_clock.h"

namespace {

using namespace spoor;

void check(api::operations::Context& context, std::string_view line) {
  const std::string answer = api::operations::answer_line(context, line);
  if (answer.empty() || answer.find('\n') != answer.size() - 1) std::abort();
  const auto parsed = spoor::json::parse(answer);
  if (!parsed) std::abort();
  const spoor::json::Value root = parsed.value().root();
  if (static_cast<bool>(root.find("result")) == static_cast<bool>(root.find("error"))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graph::Repository::Options options;
  options.clock = std::make_shared<cli::FixedClock>(spoor::Timestamp{1'900'000'000'000'000});
  api::Workspace workspace(graph::Repository::in_memory(std::move(options)), ":memory:");
  api::operations::Context context{workspace, "ada", {}};
  std::string_view input(reinterpret_cast<const char*>(data), size);
  for (int line = 0; line < 16 && !input.empty(); ++line) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    check(context, input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  return 0;
}
