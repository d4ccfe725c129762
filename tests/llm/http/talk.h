#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/turn.h"
#include "llm/profile.h"

namespace spoor::testing {

/// What a model that is none says, in any wire format.
struct Talk {
  std::string id = "msg_01";
  std::string model = "fake-1";
  std::string thinking = {};  ///< empty: none
  std::string text = "The answer is 42.";
  std::optional<compile::ToolCall> call = {};  ///< `arguments` are JSON
  int input_tokens = 11;
  int output_tokens = 7;
};

/// The body of a whole answer.
std::string whole_body(llm::Wire wire, const Talk& talk);

/// The same as a stream: what is sent one after the other, joined the body. Texts come in pieces of
/// a few bytes.
std::vector<std::string> stream_frames(llm::Wire wire, const Talk& talk);

/// `application/json`, or what the wire's streams are.
std::string media_type(llm::Wire wire, bool stream);

/// The body of an error.
std::string error_body(llm::Wire wire, int status, const std::string& type,
                       const std::string& message);

/// The body of one page of a list of models. `next` names the page behind it; empty: there is none.
std::string models_body(llm::Wire wire, const std::vector<std::string>& names,
                        const std::string& next = "");

}  // namespace spoor::testing
