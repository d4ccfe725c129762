#include "api/operations/operation_json.h"

namespace spoor::api {

void write_moves(JsonWriter& json, const std::vector<store::RefMove>& moves) {
  json.list("refs");
  for (const store::RefMove& move : moves) {
    json.object().member("name", move.name).member("before", move.before);
    json.member("after", move.after).end();
  }
  json.end();
}

void write_copies(JsonWriter& json, const std::vector<std::pair<store::Oid, store::Oid>>& copies) {
  json.list("copies");
  for (const auto& [original, copy] : copies) {
    json.object().member("original", original).member("copy", copy).end();
  }
  json.end();
}

void write_taken_back(JsonWriter& json, const graph::Step& step) {
  std::vector<store::RefMove> moves = step.operation.refs;
  for (store::RefMove& move : moves) std::swap(move.before, move.after);
  json.object().member("operation", step.name).member("command", step.command);
  json.member("actor", step.operation.actor);
  write_moves(json, moves);
  json.end();
}

}  // namespace spoor::api
