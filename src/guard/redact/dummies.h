#pragma once

#include <string_view>

namespace spoor::guard {

/// Is `text`, which a rule takes for a secret, obviously none? True for
///
/// - a name that is filled in later: `$KEY`, `${KEY}`, `{{ key }}`, `<your-key>`, `%KEY%`, `@KEY@`;
/// - a text that says so: `EXAMPLE`, `changeme`, `your_api_key` and the like, in any case;
/// - one that is cut short: with `...`, `…` or `***` in it;
/// - runs of one character or of a few in turn (`xxxxxxxx`, `123123123123123123`), a long piece of
///   the alphabet, and keys that lie side by side (`qwertyuiop`).
///
/// A random key of 20 characters is one with a probability below 1 in 100,000. Linear in the text.
bool is_dummy(std::string_view text);

}  // namespace spoor::guard
