#include "api/turns/prompt_body.h"

#include "llm/wire/anthropic.h"
#include "llm/wire/openai_chat.h"
#include "llm/wire/plain_text.h"

namespace spoor::api {

Result<std::string> prompt_body(const compile::Prompt& prompt, const store::Reader& reader,
                                std::string_view shape) {
  if (shape == "text") return llm::wire::plain_text(prompt);
  if (shape != "openai" && shape != "anthropic") {
    return invalid("'to' is openai, anthropic or text");
  }
  const auto pictures = TRY(llm::wire::Pictures::read(prompt, reader));
  return shape == "openai" ? llm::wire::openai_chat_messages(prompt, pictures)
                           : llm::wire::anthropic_body(prompt, pictures);
}

}  // namespace spoor::api
