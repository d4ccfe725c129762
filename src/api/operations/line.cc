#include "api/operations/line.h"

#include "base/json/writer.h"

namespace spoor::api::operations {
namespace {

void begin_answer(JsonWriter& json, const json::Value& id) {
  json.object();
  if (!id) return;
  std::string text;  // Written anew: the reader accepts raw control characters.
  json::append_compact(text, id);
  json.key("id").json(harmless_json(text));
}

}  // namespace

std::string Line::failure(const Error& error) const {
  JsonWriter json(true);
  begin_answer(json, id());
  json.key("error").object().member("code", name_of(error.code));
  json.member("message", error.message).member("hint", error.hint).end().end();
  return json.take();
}

std::string Line::answer(Context& context) const {
  if (!document_) return failure(document_.error());
  JsonWriter json(true);
  begin_answer(json, id());
  json.key("result");
  const auto done = run_operation(context, request(), json);
  if (!done) return failure(done.error());
  return json.end().take();
}

std::string answer_line(Context& context, std::string_view line) {
  return Line(line).answer(context);
}

}  // namespace spoor::api::operations
