#pragma once

#include <string>
#include <string_view>

#include "llm/http/transport.h"
#include "llm/key.h"
#include "llm/profile.h"

namespace spoor::llm {

/// Where a call of `model` goes. Gemini names model and streaming in the address; the others have
/// both in the body.
std::string completion_url(const Profile& profile, std::string_view model, bool stream);

/// Where tokens are counted; empty: the wire has no such place.
std::string counting_url(const Profile& profile, std::string_view model);

/// Where models are listed. `page` is what the page before said comes next; empty: the first.
std::string models_url(const Profile& profile, std::string_view page);

/// What every request carries: the key as the wire wants it, the profile's own, and the version of
/// Anthropic's API unless the profile names one (`anthropic-version`).
http::Headers request_headers(const Profile& profile, const Key& key);

/// Bytes other than letters, digits and `-._~` as %XX (RFC 3986).
std::string percent_encoded(std::string_view text);

}  // namespace spoor::llm
