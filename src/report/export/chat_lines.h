#pragma once

#include <optional>
#include <span>
#include <string>

#include "report/export/conversation.h"

namespace spoor::report {

/// The dialects of training data.
enum class ChatForm {
  openai,  ///< OpenAI's fine-tuning: arguments of calls are a text, nothing but its own members
  trl,     ///< TRL's conversational form: arguments are objects, further columns are ignored
};

/// Lines of training data. Sources: platform.openai.com/docs/guides/supervised-fine-tuning
/// (2026-11), and huggingface.co/docs/trl/dataset_formats (conversational language modeling and
/// preference, tool calling; TRL 1.x).
///
/// An example ends with an answer: what follows the last one is left out. Thoughts are the member
/// `reasoning_content`. TRL's form knows no role `developer` (it is `system` there) and takes
/// pictures in another column, so they are left out of it.

/// Returns `{"messages":[…],"tools":[…]}`, in TRL's form with the members `agent`, `head`,
/// `license` and `session`. Returns nullopt, and counts it, for a conversation without an answer.
std::optional<std::string> sft_line(const Conversation& conversation, ChatForm form,
                                    LeftOut& left_out);

/// One of the two sides of a preference.
struct Preferred {
  const Conversation& conversation;
  std::vector<Oid> judgements;  ///< the notes that judge it
};

/// Returns `{"prompt":[…],"chosen":[…],"rejected":[…],"tools":[…]}` with the members
/// `chosen_attempt`, `chosen_judgements`, the same of `rejected`, `license` and `tree`. The prompt
/// is the messages that both have in common by their commits, at most `shared`. Returns nullopt,
/// and counts it, if a side has no answer after it, or if both are equal.
std::optional<std::string> dpo_line(const Preferred& chosen, const Preferred& rejected,
                                    const std::string& tree, std::size_t shared, ChatForm form,
                                    LeftOut& left_out);

}  // namespace spoor::report
