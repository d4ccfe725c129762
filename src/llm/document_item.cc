#include "llm/document_item.h"

#include "llm/render/json_text.h"

namespace spoor::llm {

std::string document_item(std::string_view item) {
  std::string block = render::strict_or_empty(item, json::Type::object);
  if (block.empty()) return {};
  const auto document = json::parse(block);
  const std::string source = document->root().find("source").find("type").text();
  const bool is_sendable = source == "base64" || source == "text" || source == "url";
  return document->root().find("type").equals("document") && is_sendable ? block : std::string();
}

}  // namespace spoor::llm
