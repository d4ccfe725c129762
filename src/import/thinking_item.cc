#include "import/thinking_item.h"

#include <fmt/format.h>

namespace spoor::import {

void set_thinking_item(const json::Value& text, const json::Value& signature, compile::Turn& turn,
                       Taken& taken) {
  turn.fields.format = "anthropic";
  turn.raw.push_back(
      {fmt::format(R"({{"type":"thinking","thinking":{},"signature":{}}})",
                   text.is_string() ? text.raw() : R"("")", taken(signature).raw())});
}

void set_redacted_item(const json::Value& data, compile::Turn& turn, Taken& taken) {
  turn.fields.format = "anthropic";
  turn.raw.push_back(
      {fmt::format(R"({{"type":"redacted_thinking","data":{}}})", taken(data).raw())});
}

}  // namespace spoor::import
