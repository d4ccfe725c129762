#pragma once

#include <string>

#include "report/export/conversation.h"

namespace spoor::report {

/// Returns a conversation as a file of the Session Trace Simple Format, in which Hugging Face's Hub
/// shows sessions: a line about the session, then a line for each message. Source:
/// huggingface.co/docs/hub/session-traces-format (huggingface/hub-docs at 9d148464).
///
/// `harness` is `spoor`; `agent`, `agentVersion`, `head` and `license` are further members, which
/// the Hub allows. The format has no role `developer`, which becomes `system`, no pictures and no
/// tools.
std::string sts_lines(const Conversation& conversation, LeftOut& left_out);

}  // namespace spoor::report
