#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "llm/profile.h"

namespace spoor::llm::render {

/// The reasoning that must be sent back to its provider, beyond the prompt itself. Reasoning of
/// another provider is never sent: its signatures and encrypted texts are useless elsewhere.
struct ReplayRule {
  /// The answers whose reasoning is sent.
  enum class Scope {
    none,
    tool_loop,   ///< answers after the last user turn
    with_calls,  ///< answers with tool calls
    all,
  };
  /// The form in which it is sent.
  enum class Form {
    items,              ///< the provider's items, byte for byte, in their positions
    reasoning_content,  ///< a member `reasoning_content` of the answer
    reasoning_details,  ///< a member `reasoning_details`: the provider's own list
    thinking,           ///< a member `thinking` of the answer
    think_tags,         ///< `<think>…</think>` before the answer's text
  };
  Scope scope = Scope::none;
  Form form = Form::items;

  bool operator==(const ReplayRule&) const = default;
};

std::string_view name_of(ReplayRule::Scope scope);
std::string_view name_of(ReplayRule::Form form);
std::optional<ReplayRule::Scope> scope_from(std::string_view word);
std::optional<ReplayRule::Form> form_from(std::string_view word);

/// Returns the rule of a provider, by its profile's name; if it is not in the table, the rule of
/// the model's own provider, by the model's name, or the general rule of its wire. Each bundle
/// contains its rule, so that earlier requests can be rebuilt after the table has changed.
ReplayRule replay_rule(const Profile& profile, std::string_view model);

}  // namespace spoor::llm::render
