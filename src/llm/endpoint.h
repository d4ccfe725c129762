#pragma once

#include <string>
#include <string_view>

#include "llm/http/transport.h"
#include "llm/key.h"
#include "llm/profile.h"

namespace spoor::llm {

/// Returns the URL of a call of `model`. Gemini has model and streaming in the URL; the others have
/// both in the body.
std::string completion_url(const Profile& profile, std::string_view model, bool stream);

/// Returns the URL that counts tokens; empty if the wire has none.
std::string counting_url(const Profile& profile, std::string_view model);

/// Returns the URL that lists models. `page` is ModelPage::next of the previous page; empty for the
/// first page.
std::string models_url(const Profile& profile, std::string_view page);

/// Returns the headers of every request: the key in the wire's form, the profile's own headers, and
/// the version of the Anthropic API unless the profile sets `anthropic-version`.
http::Headers request_headers(const Profile& profile, const Key& key);

}  // namespace spoor::llm
