#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "import/importer.h"
#include "llm/profile.h"
#include "llm/reply.h"
#include "proxy/exchange.h"

namespace spoor::proxy {

/// Returns the API by which an exchange asks a model; nullopt if it does something else.
std::optional<llm::Wire> wire_of(const Exchange& exchange);

/// Whether an exchange of no known API asks a model.
bool asks_a_model(const Exchange& exchange);

/// Reads a request. nullopt: it is not one of its API.
std::optional<json::Document> read_request(llm::Wire wire, const std::string& body);

/// The model that is asked.
std::string model_of(const Exchange& exchange, const json::Value& request);

/// What the user says in a request that has one message of a user and no answer yet; nullopt: it
/// goes on with a conversation.
std::optional<std::string> first_question(llm::Wire wire, const json::Value& request);

/// The text of the last message, if it is a user's; empty if it has results of calls.
std::string last_question(llm::Wire wire, const json::Value& request);

/// Reads the response.
llm::Reply read_reply(llm::Wire wire, const Exchange& exchange);

/// Returns the conversation up to and with the answer, as importer_of() reads it.
std::string document_of(llm::Wire wire, const json::Value& request, const std::string& session,
                        const llm::Reply& reply);

const import::Importer& importer_of(llm::Wire wire);

}  // namespace spoor::proxy
