#pragma once

/// spoor: version control for what an agent was thinking.
///
///     auto repository = spoor::Repository::create("run.spoor").value();
///     spoor::Branch branch = repository->branch("main");
///     branch.user("find the bug").value();
///     spoor::Prompt prompt = branch.compile().value();
///
/// Everything that can fail returns a Result: a value, or an Error with a code for
/// programs and a message with a hint for people. See docs/architecture.md.

#include "compile/repository.h"
#include "llm/client.h"
#include "llm/generate.h"
#include "llm/http/curl_transport.h"
#include "llm/scripted.h"
#include "llm/sent_prompt.h"
#include "llm/wire/anthropic.h"
#include "llm/wire/openai_chat.h"
#include "llm/wire/plain_text.h"

namespace spoor {

using store::Clock;
using store::Commit;
using store::Error;
using store::Oid;
using store::Priority;
using store::Receipt;
using store::Result;
using store::SystemClock;
using store::Timestamp;
using store::Type;

using compile::Branch;
using compile::CompileOptions;
using compile::Draft;
using compile::Edit;
using compile::Extra;
using compile::Facts;
using compile::Fields;
using compile::Message;
using compile::OnConflict;
using compile::Prompt;
using compile::PromptDiff;
using compile::read_turn;
using compile::Repository;
using compile::Scrubber;
using compile::TokenCounter;
using compile::ToolCall;
using compile::Turn;

using llm::Candidate;
using llm::chat;
using llm::find_profile;
using llm::generate;
using llm::Generated;
using llm::GenerateOptions;
using llm::Hooks;
using llm::HttpProvider;
using llm::Key;
using llm::make_key;
using llm::NoWaiting;
using llm::Profile;
using llm::Provider;
using llm::RealWaiting;
using llm::Reply;
using llm::say;
using llm::ScriptedProvider;
using llm::sent_prompt;
using llm::SentPrompt;
namespace http = llm::http;

using llm::wire::anthropic_body;
using llm::wire::openai_chat_messages;
using llm::wire::plain_text;

}  // namespace spoor
