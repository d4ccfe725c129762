#include "import/gemini_parts.h"

#include <string>
#include <string_view>
#include <utility>

#include "import/content.h"

namespace spoor::import {

using compile::ToolCall;
using compile::Turn;
using compile::Type;

void add_gemini_content(const json::Value& content, Type type, TurnRecord& made) {
  made.end_run();
  if (content.is_string()) {
    made.run(type).text = made.taken().text(content);
    return;
  }
  for (const json::Value& part : content.elements()) {
    const json::Value call = part.find("functionCall");
    if (call && type == Type::assistant) {  // Only the model can call. Calls of others are kept.
      add_gemini_call(made.run(type), call, made.taken());
    } else if (const json::Value response = part.find("functionResponse")) {
      Turn& turn = made.start_result(response, "id", "name");
      take_gemini_response(response.find("response"), turn, made.taken());
      if (type == Type::tool) made.resume_run();
    } else if (part.find("thought").is_true()) {
      Turn& turn = made.start_reasoning(part.find("text"), "gemini");
      made.taken()(part, "thought");
      if (!says_nothing(
              part.find("thoughtSignature"))) {  // Only a signed thought can be sent back.
        turn.raw.push_back({std::string(part.raw())});
        made.taken()(part);
      }
    } else if (part.find("text").is_string()) {
      made.run(type).text += made.taken().text(part, "text");
    } else if (auto picture = picture_of(part.find("inlineData").find("mimeType").text(),
                                         part.find("inlineData").find("data").text())) {
      made.run(type).attach.push_back(std::move(*picture));
      made.taken()(part.find("inlineData"), "data");
    }
  }
  if (!made.has_turns()) made.run(type);
}

void add_gemini_call(Turn& turn, const json::Value& call, Taken& taken) {
  ToolCall made{taken.word(call, "id"), taken.text(call, "name"),
                std::string(taken(call, "args").raw())};
  add_tool_call(turn, std::move(made));
}

void take_gemini_response(const json::Value& response, Turn& turn, Taken& taken) {
  for (const std::string_view key : {"output", "error"}) {
    const json::Value said = response.find(key);
    if (!said.is_string()) continue;
    turn.text += taken.text(said);
    if (key == "error") turn.fields.is_error = true;
    return;
  }
  if (response) turn.text += std::string(taken(response).raw());
}

void count_gemini_lines(const json::Value& call, Turn& result) {
  const json::Value stat = call.find("resultDisplay").find("diffStat");
  const auto sum = [&](std::string_view model, std::string_view user) {
    auto count = stat.find(model).integer();
    if (count) *count += stat.find(user).integer().value_or(0);
    return count;
  };
  add_line_counts(sum("model_added_lines", "user_added_lines"),
                  sum("model_removed_lines", "user_removed_lines"), result);
  const bool is_new = result.text.find("created and wrote to new file") != std::string::npos;
  if (!stat && is_new && result.fields.name == "write_file") add_line_counts({}, 0, result);
}

}  // namespace spoor::import
