#include "llm/text_calls.h"

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "store/erased.h"

namespace spoor::llm {

using compile::ToolCall;

compile::Item write_text_calls(const std::vector<ToolCall>& calls) {
  std::string list;
  for (const ToolCall& call : calls) {
    json::Object object;
    object.add_string("arguments", call.arguments);
    object.add_string("id", call.id);
    object.add_string("name", call.name);
    list += list.empty() ? '[' : ',';
    list += object.write();
  }
  return {list + ']', std::string(kTextCallsType)};
}

Result<std::vector<ToolCall>> text_calls_of(const store::Reader& reader,
                                            const store::Commit& commit) {
  std::vector<ToolCall> calls;
  for (const store::Content& item : commit.attach) {
    if (item.media_type != kTextCallsType) continue;
    const auto bytes = TRY(reader.content(item.oid));
    if (store::is_erasure_text(*bytes)) continue;
    const auto document = json::parse(*bytes);
    if (!document || !document->root().is_array()) {
      return corrupt(fmt::format("the list of calls '{}' is malformed", item.oid.hex()));
    }
    for (const json::Value& call : document->root().elements()) {
      calls.push_back(
          {call.find("id").text(), call.find("name").text(), call.find("arguments").text()});
    }
  }
  return calls;
}

}  // namespace spoor::llm
