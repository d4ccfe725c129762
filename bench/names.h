#pragma once

// The names that the benchmarks use, from the layers.
#include "agent/planner.h"
#include "agent/runs.h"
#include "graph/repository.h"
#include "llm/client.h"
#include "llm/generate.h"
#include "llm/scripted.h"
#include "llm/sent_prompt.h"
#include "llm/wire/openai_chat.h"
#include "report/debrief/graph_source.h"
#include "report/debrief/views.h"

namespace spoor::bench {

using store::Oid;
using store::Type;

using compile::Prompt;
using compile::Turn;
using graph::Branch;
using graph::Draft;
using graph::OnConflict;
using graph::Repository;

using llm::Candidate;
using llm::chat;
using llm::find_profile;
using llm::NoWaiting;
using llm::Profile;
using llm::Reply;
using llm::say;
using llm::ScriptedProvider;
using llm::sent_prompt;
using llm::SentPrompt;

using llm::wire::openai_chat_messages;

// Agents (docs/agents.md). A branch on which one works is an AgentSession, to tell it from the
// sessions of other agents that are imported.
using agent::Decision;
using agent::failed;
using agent::find_run;
using agent::gave;
using agent::react;
using agent::run;
using agent::RunName;
using agent::Tool;
using agent::ToolResult;

}  // namespace spoor::bench
