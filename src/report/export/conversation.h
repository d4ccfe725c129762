#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compile/prompt.h"
#include "graph/repository.h"
#include "guard/redact/redactor.h"
#include "llm/price.h"
#include "llm/tool_spec.h"
#include "llm/wire/pictures.h"
#include "report/export/left_out.h"
#include "trace/totals.h"

namespace spoor::report {

using store::Oid;

/// One message of a conversation, for exports. All texts are valid UTF-8.
struct ConversationMessage {
  std::string role;  ///< system, developer, user, assistant or tool
  std::string text;
  std::string reasoning;                 ///< of an answer; empty: none, or not asked for
  std::vector<compile::ToolCall> calls;  ///< of an answer
  std::string call_id, tool;             ///< of a result: its call, and the tool's name
  bool is_error = false;                 ///< of a result
  std::vector<llm::wire::Pictures::Picture> pictures;
  Oid commit;  ///< the first one that it is made of
  std::optional<Timestamp> time;
  std::string model, finish_reason;  ///< of an answer; may be empty
  trace::Spent spent;                ///< of an answer
  std::optional<llm::Money> cost;    ///< of an answer: stated, or by list price
  std::string child_run;             ///< of a result: the run of the agent that was called

  bool is_answer() const { return role == "assistant"; }
};

/// A prompt with facts about its session, from which every export of conversations is written.
struct Conversation {
  Oid head;
  std::string id, title;             ///< the source's id, else the head's name
  std::string agent, agent_version;  ///< `spoor` for its own; the version may be empty
  std::string licence;               ///< empty: not stated
  std::vector<std::string> tools;    ///< JSON objects in OpenAI's form; none if not recorded
  std::vector<ConversationMessage> messages;
  trace::Totals totals;

  /// Returns the model of the last answer that names one; may be empty.
  std::string model() const;
};

struct ConversationOptions {
  compile::CompileOptions compile;
  const llm::PriceList* prices = nullptr;
};

/// Reads the conversation at `head`: the messages that compile makes, with what trace derives about
/// each. Thoughts are in `reasoning` if `options.compile.include_reasoning` is set, never in
/// messages of their own. Adds what is not in it to `left_out`. Title and licence stay empty.
Result<Conversation> read_conversation(const graph::Repository& repository, const Oid& head,
                                       const ConversationOptions& options, LeftOut& left_out);

/// Returns a tool in OpenAI's form.
std::string openai_tool(const llm::ToolSpec& tool);

/// Gives calls without an id the id `call-N`, N counting calls from 1, and results that name no
/// call the first call of the last answer that has no result: formats pair them by ids.
void number_calls(Conversation& conversation, LeftOut& left_out);

/// Replaces the secrets in all texts of a conversation by placeholders, and adds the number of
/// secrets of each rule to `left_out`. Pictures stay. Returns the errors of the redactor.
Result<void> redact(Conversation& conversation, const guard::Redactor& redactor, LeftOut& left_out);

/// Whether white space between the parts of a value is kept, which a line of JSON Lines cannot
/// have.
enum class Layout : std::uint8_t { one_line, as_written };

/// Returns a call's arguments as a JSON object: their bytes, or without white space if they have
/// line ends and are to be on one line. A text that is not an object becomes its member `input` and
/// is counted in `left_out`.
std::string arguments_object(const std::string& arguments, LeftOut& left_out,
                             Layout layout = Layout::one_line);

}  // namespace spoor::report
