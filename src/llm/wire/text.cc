#include "llm/wire/text.h"

#include "compile/json/writer.h"
#include "store/utf8.h"

namespace spoor::llm::wire {

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  if (store::is_utf8(text)) {
    compile::json::append_escaped(out, text);
  } else {
    compile::json::append_escaped_repaired(out, text);
  }
  out += '"';
}

}  // namespace spoor::llm::wire
