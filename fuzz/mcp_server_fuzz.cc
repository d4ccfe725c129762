// One message to `spoor mcp`, where there is no store. Whatever it holds: at most one answer, on
// one line, that is JSON with a result or an error; a control character is never written as it is.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json/reader.h"
#include "cli/mcp/server.h"
#include "cli/settings/fixed_clock.h"
#include "cli/terminal/memory_terminal.h"

namespace {

using namespace spoor;

void check(cli::mcp::Server& server, std::string_view message, const cli::mcp::Headers* headers) {
  const cli::mcp::Reply reply = server.answer(message, headers);
  if (reply.text.empty() != (reply.status == 202)) std::abort();
  if (reply.text.empty()) return;
  if (std::ranges::any_of(reply.text, [](unsigned char c) { return c < 0x20; })) std::abort();
  const auto parsed = json::parse(reply.text);
  if (!parsed) std::abort();
  const json::Value root = parsed->root();
  if (static_cast<bool>(root.find("result")) == static_cast<bool>(root.find("error"))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  cli::MemoryTerminal terminal;
  const spoor::MapEnvironment environment;
  const cli::FixedClock clock(Timestamp{1'900'000'000'000'000});
  cli::Session session({terminal, environment, clock});
  cli::mcp::Server server(session, {.may_write = true});
  check(server, input, nullptr);
  const std::string header(input.substr(0, input.find('\n')));
  const cli::mcp::Headers headers{header, header, header};
  check(server, input.substr(std::min(header.size() + 1, input.size())), &headers);
  if (!terminal.output.empty()) std::abort();
  return 0;
}
