// Any bytes, read as the arguments of a call (the first line names its tool), and as a program that
// calls tools: what is lost has no paths, no call is without a name, and the same bytes read the
// same.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json/writer.h"
#include "trace/code_calls.h"
#include "trace/tool_call.h"

using namespace spoor;
using namespace spoor::trace;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

void check_call(std::string_view tool, std::string_view arguments) {
  const ToolCallRead read = read_tool_call(tool, arguments);
  const ToolCallRead again = read_tool_call(tool, arguments);
  require(read.changed == again.changed && read.scripts == again.scripts);
  require(read.argvs == again.argvs && read.unclear == again.unclear);
  if (read.is_lost) require(read.changed.empty() && read.scripts.empty() && read.argvs.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  if (line != std::string_view::npos) check_call(text.substr(0, line), text.substr(line + 1));

  for (const CodeCalls& calls : {read_codex_javascript(text), read_openhands_python(text)}) {
    for (const CodeCall& call : calls.calls) {
      require(!call.tool.empty());
      check_call(call.tool, call.arguments);
    }
  }
  const std::string code = spoor::json::write_string(std::string(text));
  check_call("exec", code);
  check_call("run_ipython", "{\"code\":" + code + "}");
  return 0;
}
