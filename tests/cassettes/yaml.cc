#include "tests/cassettes/yaml.h"

#include <yaml.h>

#include <algorithm>
#include <stdexcept>

#include "base/base64.h"
#include "base/json/reader.h"
#include "base/json/writer.h"

namespace cassettes {
namespace {

// libyaml's document, freed at the end.
class Document {
 public:
  explicit Document(std::string_view text) {
    yaml_parser_t parser;
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
    const bool is_read = yaml_parser_load(&parser, &document_) != 0;
    std::string problem = parser.problem != nullptr ? parser.problem : "no YAML";
    yaml_parser_delete(&parser);
    if (!is_read) throw std::runtime_error(problem);
  }
  ~Document() { yaml_document_delete(&document_); }
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  Yaml root() { return node(yaml_document_get_root_node(&document_)); }

 private:
  Yaml node(const yaml_node_t* from) {
    Yaml made;
    if (from == nullptr) return made;
    switch (from->type) {
      case YAML_SCALAR_NODE:
        made.kind = Yaml::Kind::scalar;
        made.text.assign(reinterpret_cast<const char*>(from->data.scalar.value),
                         from->data.scalar.length);
        made.is_plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        if (std::string_view(reinterpret_cast<const char*>(from->tag)).ends_with(":binary")) {
          made.is_binary = true;
          std::erase_if(made.text, [](char c) { return c == '\n' || c == ' ' || c == '\r'; });
          const auto bytes = spoor::decode_base64(made.text);
          if (!bytes) throw std::runtime_error("!!binary that is no base64");
          made.text = *bytes;
        }
        break;
      case YAML_SEQUENCE_NODE:
        made.kind = Yaml::Kind::sequence;
        for (const auto* item = from->data.sequence.items.start;
             item != from->data.sequence.items.top; ++item) {
          made.items.push_back(node(yaml_document_get_node(&document_, *item)));
        }
        break;
      case YAML_MAPPING_NODE:
        made.kind = Yaml::Kind::mapping;
        for (const auto* pair = from->data.mapping.pairs.start;
             pair != from->data.mapping.pairs.top; ++pair) {
          made.members.push_back({node(yaml_document_get_node(&document_, pair->key)).text,
                                  node(yaml_document_get_node(&document_, pair->value))});
        }
        break;
      case YAML_NO_NODE:
        break;
    }
    return made;
  }

  yaml_document_t document_{};
};

bool is_json_word(const std::string& text) {
  if (text == "true" || text == "false" || text == "null") return true;
  const auto document = spoor::json::parse(text);
  return document && document->root().is_number();
}

}  // namespace

const Yaml& Yaml::find(std::string_view key) const {
  static const Yaml nothing;
  const auto found =
      std::ranges::find_if(members, [&](const auto& member) { return member.key == key; });
  return found == members.end() ? nothing : found->value;
}

Yaml read_yaml(std::string_view text) { return Document(text).root(); }

std::string to_json(const Yaml& node) {
  using spoor::json::append_string;
  std::string json;
  switch (node.kind) {
    case Yaml::Kind::none:
      return "null";
    case Yaml::Kind::scalar:
      if (node.is_plain && (node.text.empty() || node.text == "~")) return "null";
      if (node.is_plain && is_json_word(node.text)) return node.text;
      append_string(json, node.text);
      return json;
    case Yaml::Kind::sequence:
      for (const Yaml& item : node.items) json += (json.empty() ? "[" : ",") + to_json(item);
      return json.empty() ? "[]" : json + "]";
    case Yaml::Kind::mapping:
      for (const auto& [key, value] : node.members) {
        json += json.empty() ? "{" : ",";
        append_string(json, key);
        json += ":" + to_json(value);
      }
      return json.empty() ? "{}" : json + "}";
  }
  return json;
}

}  // namespace cassettes
