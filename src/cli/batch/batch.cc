#include "cli/batch/batch.h"

#include <array>

#include "cli/files.h"
#include "cli/json_writer.h"
#include "store/text.h"

namespace spoor::cli::batch {
namespace {

void begin_answer(JsonWriter& json, const compile::json::Value& id) {
  json.object();
  if (id) json.key("id").json(harmless_json(id.raw()));
}

std::string failure(const compile::json::Value& id, const Error& error) {
  JsonWriter json(true);
  begin_answer(json, id);
  json.key("error").object().member("code", name_of(error.code));
  json.member("message", error.message).member("hint", error.hint).end().end();
  return json.take();
}

}  // namespace

std::string answer_line(Context& context, std::string_view line) {
  const auto document = compile::json::parse(line);
  if (!document) return failure({}, document.error());
  const compile::json::Value request = document.value().root();
  const compile::json::Value id = request.is_object() ? request.find("id") : compile::json::Value();
  JsonWriter json(true);
  begin_answer(json, id);
  json.key("result");
  const auto done = run_operation(context, request, json);
  if (!done) return failure(id, done.error());
  return json.end().take();
}

Result<void> run_batch(Session& session) {
  Context context{*TRY(session.workspace()), TRY(session.author()), {}};
  TRY(session.forget_originals());  // No model is sent what is written here.
  const std::uint64_t most = 2 * TRY(session.budget()).text;  // A text has escapes in JSON.
  std::string waiting;
  std::array<char, 65'536> buffer;
  const auto answer = [&](std::string_view line) {
    if (store::trimmed(line).empty()) return;
    const auto refreshed = session.refresh_capture();  // The settings may be others by now.
    session.out().verbatim(refreshed ? answer_line(context, line) : failure({}, refreshed.error()));
    session.out().flush();
  };
  while (!session.out().is_closed()) {
    const std::size_t count = TRY(session.read_input(buffer));
    if (count == 0) {
      answer(waiting);
      return {};
    }
    // Only what is new can end a line; a long line is not searched again.
    std::size_t from = waiting.size();
    waiting.append(buffer.data(), count);
    if (waiting.size() > most) return too_long("a line of standard input", most);
    std::size_t begin = 0;
    for (std::size_t end = waiting.find('\n', from); end != std::string::npos;
         end = waiting.find('\n', from)) {
      answer(std::string_view(waiting).substr(begin, end - begin));
      begin = from = end + 1;
    }
    waiting.erase(0, begin);
  }
  return {};
}

}  // namespace spoor::cli::batch
