#pragma once

#include <string>
#include <string_view>

#include "cli/session.h"
#include "llm/provider.h"

namespace spoor::cli {

/// Prints a reply as it arrives: reasoning dim, a blank line, the answer. Escapes it like all text
/// from models. For one reply and one thread.
class ReplyPrinter {
 public:
  explicit ReplyPrinter(Session& session) : session_(session) {}

  /// Returns a function for GenerateOptions::on_event, valid while this lives.
  llm::OnEvent handler();

  void take(const llm::ReplyEvent& event);

  /// Ends the last printed line, if there is one.
  void finish();

 private:
  void print(llm::ReplyEvent::Kind kind, std::string_view text);

  Session& session_;
  llm::ReplyEvent::Kind last_ = llm::ReplyEvent::Kind::text;
  std::string held_;  // The front of a character whose rest is to come.
  bool has_printed_ = false;
  bool is_mid_line_ = false;
};

}  // namespace spoor::cli
