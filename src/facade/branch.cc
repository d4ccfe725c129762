#include <nlohmann/json.hpp>

#include "facade/access.h"
#include "llm/wire/anthropic.h"
#include "llm/wire/openai_chat.h"
#include "llm/wire/plain_text.h"

namespace spoor {
namespace {

Result<compile::Extra> extra_of(const nlohmann::json& metadata) {
  if (!metadata.is_object()) {
    return invalid("the metadata of a turn is not a JSON object");
  }
  compile::Extra extra;
  extra.metadata = metadata.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return extra;
}

}  // namespace

compile::CompileOptions inner(const CompileOptions& options) {
  compile::CompileOptions inner;
  inner.include_reasoning = options.include_reasoning;
  inner.window = options.window;
  inner.budget = options.budget;
  return inner;
}

std::vector<ToolCall> outer(const std::vector<compile::ToolCall>& calls) {
  std::vector<ToolCall> out;
  out.reserve(calls.size());
  for (const compile::ToolCall& call : calls) out.push_back({call.id, call.name, call.arguments});
  return out;
}

std::vector<compile::ToolCall> inner(std::vector<ToolCall> calls) {
  std::vector<compile::ToolCall> out;
  out.reserve(calls.size());
  for (ToolCall& call : calls) {
    out.push_back({std::move(call.id), std::move(call.name), std::move(call.arguments)});
  }
  return out;
}

Branch Access::branch(std::shared_ptr<Store::Body> store, std::string_view name) {
  Branch branch;
  graph::Branch inner = store->repository().branch(std::string(name));
  branch.body_ = std::make_shared<Branch::Body>(Branch::Body{std::move(store), std::move(inner)});
  return branch;
}

Prompt Access::prompt(compile::Prompt prompt) {
  auto body = std::make_shared<Prompt::Body>();
  for (const compile::Message& message : prompt.messages) {
    body->messages.push_back(
        {std::string(message.role), message.text(), outer(message.tool_calls()), message.hash()});
  }
  body->prompt = std::move(prompt);
  Prompt made;
  made.body_ = std::move(body);
  return made;
}

const std::vector<Message>& Prompt::messages() const { return body_->messages; }
std::uint64_t Prompt::tokens() const { return body_->prompt.tokens; }
Id Prompt::hash() const { return body_->prompt.hash; }

std::string Prompt::render(Format format) const {
  switch (format) {
    case Format::openai_chat:
      return llm::wire::openai_chat_messages(body_->prompt);
    case Format::anthropic:
      return llm::wire::anthropic_body(body_->prompt);
    case Format::text:
      break;
  }
  return llm::wire::plain_text(body_->prompt);
}

const std::string& Branch::name() const { return body_->branch.name(); }

Result<Id> Branch::system(std::string_view text) { return body_->branch.system(text); }
Result<Id> Branch::user(std::string_view text) { return body_->branch.user(text); }
Result<Id> Branch::reasoning(std::string_view text) { return body_->branch.reasoning(text); }
Result<Id> Branch::assistant(std::string_view text, std::vector<ToolCall> calls) {
  return body_->branch.assistant(text, inner(std::move(calls)));
}
Result<Id> Branch::tool(std::string_view text, const ToolCall& call, bool is_error) {
  return body_->branch.tool(text, call.id, call.name, is_error);
}

Result<Id> Branch::system(std::string_view text, const nlohmann::json& metadata) {
  return body_->branch.system(text, {}, TRY(extra_of(metadata)));
}
Result<Id> Branch::user(std::string_view text, const nlohmann::json& metadata) {
  return body_->branch.user(text, TRY(extra_of(metadata)));
}
Result<Id> Branch::reasoning(std::string_view text, const nlohmann::json& metadata) {
  return body_->branch.reasoning(text, "parsed", TRY(extra_of(metadata)));
}
Result<Id> Branch::assistant(std::string_view text, std::vector<ToolCall> calls,
                             const nlohmann::json& metadata) {
  return body_->branch.assistant(text, inner(std::move(calls)), TRY(extra_of(metadata)));
}
Result<Id> Branch::tool(std::string_view text, const ToolCall& call, bool is_error,
                        const nlohmann::json& metadata) {
  return body_->branch.tool(text, call.id, call.name, is_error, TRY(extra_of(metadata)));
}

Result<Id> Branch::edit(const Id& turn, std::string_view text) {
  return body_->branch.edit(turn, text);
}
Result<Id> Branch::pin(const Id& turn, std::string_view reason) {
  return body_->branch.annotate(turn, store::Priority::pinned, reason);
}
Result<Id> Branch::skip(const Id& turn, std::string_view reason) {
  return body_->branch.annotate(turn, store::Priority::skip, reason);
}

Result<std::optional<Id>> Branch::tip() const { return body_->branch.tip(); }

Result<Prompt> Branch::compile(const CompileOptions& options) const {
  TRY(body_->store->repository().forget_erased());
  return Access::prompt(TRY(body_->branch.compile(inner(options))));
}

Result<Branch> Branch::fork(std::string_view name) const {
  const auto at = TRY(tip());
  if (!at) return not_found("branch '" + this->name() + "' has no turn yet");
  TRY(body_->store->repository().create_branch(name, *at));
  return Access::branch(body_->store, name);
}

}  // namespace spoor
