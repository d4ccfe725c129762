#pragma once

#include <string_view>

namespace spoor::guard {

/// Returns true if `text`, which matches a rule, is obviously not a secret:
///
/// - a name that is filled in later: `$KEY`, `${KEY}`, `{{ key }}`, `<your-key>`, `%KEY%`, `@KEY@`;
/// - a text for examples: `EXAMPLE`, `changeme`, `your_api_key` and similar, in any case;
/// - a text that is cut short: with `...`, `…` or `***` in it;
/// - a run of one character or of a few in turn (`xxxxxxxx`, `123123123123123123`), a long piece of
///   the alphabet, and keys that are next to each other (`qwertyuiop`).
///
/// A random key of 20 characters passes for one with a probability below 1 in 100,000. Linear in
/// the text.
bool is_dummy(std::string_view text);

}  // namespace spoor::guard
