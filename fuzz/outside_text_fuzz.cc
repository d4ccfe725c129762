// Texts of servers, projects and models: a result and a list of tools of a server are bounded, and
// their parts can be used; a patch that applies keeps the text's other lines; frontmatter ends in
// the file.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/builtin/glob.h"
#include "agent/builtin/patch.h"
#include "agent/mcp/http_channel.h"
#include "agent/mcp/result.h"
#include "agent/mcp/tool_list.h"
#include "agent/project/frontmatter.h"
#include "llm/schema.h"

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spoor::agent;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const mcp::ResultLimits limits{.text = 1'000, .attached = 1'000, .attachments = 2};
  const ToolResult result = mcp::read_result(text, limits);
  require(result.text.size() <= 1'100 && result.attach.size() <= 3);
  for (const auto& item : result.attach) require(item.bytes.size() <= 1'100);

  if (const auto document = spoor::json::parse(text)) {
    mcp::ToolList list(true);
    list.add(document->root());
    for (const mcp::ServerTool& tool : list.tools()) {
      require(spoor::llm::Schema::parse(tool.input_schema).has_value());
      for (const auto& [name, value] : mcp::header_parameters(tool, document->root())) {
        require((name + value).find_first_of("\r\n") == std::string::npos);
      }
    }
  }

  const std::size_t half = text.find('\0');
  const std::string_view file = text.substr(0, half);
  const std::string_view rest = half == std::string_view::npos ? file : text.substr(half + 1);
  if (const auto patched = builtin::apply_patch(file, rest)) require(patched->hunks > 0);
  (void)builtin::matches_path(file.substr(0, 200), rest.substr(0, 200));

  const project::Frontmatter matter = project::parse_frontmatter(text);
  require(matter.body.size() <= size);
  if (matter.fields.empty()) require(text.ends_with(matter.body));
  return 0;
}
