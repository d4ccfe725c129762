#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "guard/check/event.h"

namespace spoor::guard::check {

/// Longer replies than this are refused.
constexpr std::size_t kMostReply = 1U << 20U;

/// Reads what a program or a model says of an event:
///
///   {"status": "pass"|"warn"|"fail"|"unknown", "score": 0 to 1,
///    "violations": [{"id": …, "severity": …, "message": …, "evidence": …}]}
///
/// `status` is required, and of a violation `id` and `message`; a severity left out is `medium`.
/// At most 100 violations. A reply that says `pass` and has a violation that fails contradicts
/// itself. Code::invalid for all that is not so: a judgement that cannot be read is none.
Result<CheckResult> read_reply(std::string_view json);

/// The same of a text that holds the object somewhere, as models write it: alone, or in a fence.
Result<CheckResult> read_reply_in(std::string_view text);

/// A result as it is kept in a note, canonical JSON, and back. Code::corrupt when it is none.
std::string write_result(const CheckResult& result);
Result<CheckResult> read_result(std::string_view json);

}  // namespace spoor::guard::check
