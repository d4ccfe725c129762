// Any bytes as a schema and, behind the first line, any bytes as a value: nothing crashes, hangs or
// overflows the stack; a value that was found in a reply is JSON, and its check says the same
// again.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json/reader.h"
#include "llm/structured.h"

using namespace spoor;
using namespace spoor::llm;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  const auto schema = Schema::parse(text.substr(0, end));
  if (!schema) return 0;
  for (const Wire wire : {Wire::openai_chat, Wire::anthropic, Wire::gemini}) {
    const auto request = ask_for(Profile{"p", wire, "", "", false}, schema.value());
    if (!request || !spoor::json::parse(request.value().params)) std::abort();
  }
  const auto answer = read_structured(text.substr(end + 1), schema.value());
  if (!answer || answer.value().json.empty()) return 0;
  const auto again = schema.value().check_text(answer.value().json);
  if (!again || again.value() != answer.value().problems) std::abort();
  return 0;
}
