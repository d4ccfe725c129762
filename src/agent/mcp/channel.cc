#include "agent/mcp/channel.h"

#include "base/json/writer.h"

namespace spoor::agent::mcp {

std::string write_request(std::string_view id, std::string_view method, std::string_view params) {
  json::Object message;
  message.add_string("jsonrpc", "2.0");
  message.add_string("method", method);
  if (!id.empty()) message.add_json("id", std::string(id));
  if (!params.empty()) message.add_json("params", std::string(params));
  return message.write();
}

std::string write_answer(std::string_view id, const Answer& answer) {
  json::Object message;
  message.add_string("jsonrpc", "2.0");
  message.add_json("id", std::string(id));
  if (answer.error) {
    json::Object error;
    error.add_integer("code", answer.error->code);
    error.add_string("message", answer.error->message);
    if (!answer.error->data.empty()) error.add_json("data", answer.error->data);
    message.add_json("error", error.write());
  } else {
    message.add_json("result", answer.result);
  }
  return message.write();
}

std::optional<Answer> read_answer(const json::Value& message) {
  if (const json::Value error = message.find("error"); error.is_object()) {
    return Answer{.result = {},
                  .error = RpcError{.code = error.find("code").integer().value_or(0),
                                    .message = error.find("message").text(),
                                    .data = std::string(error.find("data").raw())}};
  }
  const json::Value result = message.find("result");
  if (!result) return std::nullopt;
  if (!result.is_object()) {
    return Answer{.result = {},
                  .error = RpcError{.code = 0, .message = "the result is no JSON object"}};
  }
  return Answer{.result = std::string(result.raw()), .error = std::nullopt};
}

}  // namespace spoor::agent::mcp
