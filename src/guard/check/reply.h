#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "guard/check/event.h"

namespace spoor::guard::check {

/// Longer replies than this are refused.
constexpr std::size_t kMostReply = 1U << 20U;

/// Parses a program's or a model's judgement of an event:
///
///   {"status": "pass"|"warn"|"fail"|"unknown", "score": 0 to 1,
///    "violations": [{"id": …, "severity": …, "message": …, "evidence": …}]}
///
/// `status` is required, and so are `id` and `message` of a violation; the default severity is
/// `medium`. At most 100 violations. A reply with `pass` and a violation that fails contradicts
/// itself, and so does one that has a member twice. Returns Code::invalid for any other form.
Result<CheckResult> read_reply(std::string_view json);

/// Does the same for a text that contains the object, as models write it: alone, or in a fence.
Result<CheckResult> read_reply_in(std::string_view text);

/// Write and read a result as canonical JSON, the form in notes. Reading returns Code::corrupt if
/// the text is not such a result.
std::string write_result(const CheckResult& result);
Result<CheckResult> read_result(std::string_view json);

}  // namespace spoor::guard::check
