#pragma once

// The names that the benchmarks use, from the layers.
#include "agent/builtin/builtin.h"
#include "agent/memory/memory_tools.h"
#include "agent/planner.h"
#include "agent/registry.h"
#include "agent/runs.h"
#include "agent/subagent.h"
#include "compile/known_keys.h"
#include "graph/repository.h"
#include "llm/client.h"
#include "llm/generate.h"
#include "llm/http/curl_transport.h"
#include "llm/scripted.h"
#include "llm/sent_prompt.h"
#include "llm/wire/anthropic.h"
#include "llm/wire/openai_chat.h"
#include "llm/wire/plain_text.h"
#include "report/debrief/graph_source.h"
#include "report/debrief/views.h"

namespace spoor::bench {

using store::Commit;
using store::Oid;
using store::Priority;
using store::Receipt;
using store::Type;

using compile::CompileOptions;
using compile::Extra;
using compile::Facts;
using compile::Fields;
using compile::know_key;
using compile::Message;
using compile::Prompt;
using compile::Scrubber;
using compile::TokenCounter;
using compile::ToolCall;
using compile::Turn;
using graph::Branch;
using graph::Draft;
using graph::Edit;
using graph::OnConflict;
using graph::PromptDiff;
using graph::read_turn;
using graph::Repository;

using llm::Candidate;
using llm::chat;
using llm::CostTracker;
using llm::find_profile;
using llm::generate;
using llm::Generated;
using llm::GenerateOptions;
using llm::Hooks;
using llm::HttpProvider;
using llm::Key;
using llm::make_key;
using llm::Money;
using llm::NoWaiting;
using llm::parse_dollars;
using llm::PriceList;
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

// Agents (docs/agents.md). A branch on which one works is an AgentSession, to tell it from the
// sessions of other agents that are imported.
using AgentSession = agent::Session;
using ToolRegistry = agent::Registry;
using agent::Budget;
using agent::Calling;
using agent::Decision;
using agent::failed;
using agent::find_run;
using agent::Gate;
using agent::gave;
using agent::gave_json;
using agent::list_runs;
using agent::make_subagent;
using agent::plan_and_execute;
using agent::PlanResult;
using agent::PlanStep;
using agent::Rationale;
using agent::react;
using agent::reflexion;
using agent::replay;
using agent::replay_from;
using agent::ReplayResult;
using agent::resume;
using agent::ResumeOptions;
using agent::run;
using agent::RunEvent;
using agent::RunName;
using agent::RunOptions;
using agent::Stopped;
using agent::Strategy;
using agent::SubagentSettings;
using agent::Tool;
using agent::ToolContext;
using agent::ToolFilter;
using agent::ToolResult;
using agent::ToolSelection;
namespace debrief = report::debrief;
namespace memory = agent::memory;
namespace tools = agent::builtin;

}  // namespace spoor::bench
