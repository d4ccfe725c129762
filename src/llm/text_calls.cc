#include "llm/text_calls.h"

#include "compile/json/reader.h"
#include "compile/json/writer.h"
#include "store/erased.h"

namespace spoor::llm {

namespace json = compile::json;
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

std::optional<store::Oid> text_calls_in(const store::Commit& commit) {
  for (const store::Content& item : commit.attach) {
    if (item.media_type == kTextCallsType) return item.oid;
  }
  return std::nullopt;
}

store::Result<std::vector<ToolCall>> read_text_calls(std::string_view bytes) {
  if (store::is_erasure_text(bytes)) return std::vector<ToolCall>();
  const auto document = json::parse(bytes);
  if (!document || !document->root().is_array()) {
    return store::corrupt("a list of calls in a text is malformed");
  }
  std::vector<ToolCall> calls;
  for (const json::Value& call : document->root().elements()) {
    calls.push_back(
        {call.find("id").text(), call.find("name").text(), call.find("arguments").text()});
  }
  return calls;
}

store::Result<std::vector<ToolCall>> text_calls_of(const store::Reader& reader,
                                                   const store::Commit& commit) {
  const auto item = text_calls_in(commit);
  if (!item) return std::vector<ToolCall>();
  return read_text_calls(*TRY(reader.content(*item)));
}

}  // namespace spoor::llm
