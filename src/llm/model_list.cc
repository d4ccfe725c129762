#include "llm/model_list.h"

#include "base/json/reader.h"

namespace spoor::llm {
namespace {

// The member that contains the models of a wire's list, and the member for a model's name.
struct Shape {
  std::string_view list;
  std::string_view name;
};

Shape shape_of(Wire wire) {
  switch (wire) {
    case Wire::gemini:
      return {"models", "name"};
    case Wire::ollama:
      return {"models", "model"};
    case Wire::anthropic:
    case Wire::openai_chat:
    case Wire::openai_responses:
      break;
  }
  return {"data", "id"};
}

bool can_generate(const json::Value& model) {
  const json::Value methods = model.find("supportedGenerationMethods");
  if (!methods.is_array()) return true;
  for (const json::Value method : methods.elements()) {
    if (method.equals("generateContent")) return true;
  }
  return false;
}

std::string next_page(Wire wire, const json::Value& page) {
  if (wire == Wire::gemini) return page.find("nextPageToken").text();
  if (wire == Wire::anthropic && page.find("has_more").is_true()) {
    return page.find("last_id").text();
  }
  return {};
}

}  // namespace

Result<ModelPage> read_model_page(Wire wire, std::string_view body) {
  const auto document = json::parse(body);
  const Shape shape = shape_of(wire);
  const json::Value page = document ? document.value().root() : json::Value();
  // together.ai returns a bare array.
  const json::Value list = page.is_array() ? page : page.find(shape.list);
  if (!list.is_array()) return unavailable("cannot read the provider's list of models");

  ModelPage read;
  for (const json::Value model : list.elements()) {
    std::string name = model.find(shape.name).text();
    if (name.empty() || !can_generate(model)) continue;
    if (wire == Wire::gemini && name.starts_with("models/")) name.erase(0, 7);
    read.names.push_back(std::move(name));
  }
  read.next = next_page(wire, page);
  return read;
}

}  // namespace spoor::llm
