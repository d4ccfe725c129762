#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "llm/profile.h"

namespace spoor::llm::render {

/// What a provider must get back of the reasoning it sent, beyond the prompt itself. What comes
/// from another provider is never sent: signatures and encrypted texts mean nothing elsewhere.
struct ReplayRule {
  /// From which answers.
  enum class Scope {
    none,
    tool_loop,   ///< those behind the last turn of the user
    with_calls,  ///< those that call tools
    all,
  };
  /// In which shape.
  enum class Form {
    items,              ///< the provider's items, byte for byte, in their places
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

/// The rule of a provider, by its profile's name; of one that is not in the table, what its wire
/// demands of everybody. The rule is written into each bundle, so that an earlier request is
/// rebuilt when the table has changed.
ReplayRule replay_rule(const Profile& profile);

}  // namespace spoor::llm::render
