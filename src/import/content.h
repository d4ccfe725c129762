#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "import/turn_record.h"

namespace spoor::import {

// Functions for the contents of messages of any format.

/// Returns the first of the members `keys` that `object` has.
json::Value find_any(const json::Value& object, std::initializer_list<std::string_view> keys);

/// Returns the first of the members `keys` that is a string.
json::Value find_text(const json::Value& object, std::initializer_list<std::string_view> keys);

/// Returns the picture in `data:image/png;base64,…` (RFC 2397) if encoding it again gives the same
/// text; else nullopt.
std::optional<compile::Item> picture_in(std::string_view data_url);

/// Returns the picture of a media type and a base64 text, under the same condition.
std::optional<compile::Item> picture_of(std::string_view media_type, std::string_view base64);

/// Attaches such a picture to `turn` and takes its data. Returns false if it is not a picture.
bool attach_picture(const json::Value& data_url, compile::Turn& turn, Taken& taken);
bool attach_picture(const json::Value& media_type, const json::Value& base64, compile::Turn& turn,
                    Taken& taken);

/// Takes the type of a text block if the type adds nothing to the text.
void take_text_type(const json::Value& block, Taken& taken);

/// Takes and returns the text of an item's or a message's content: a string, or the `text` of its
/// parts joined without a separator; for anything else its bytes. Pictures in base64 are attached
/// to `turn`.
std::string take_content(const json::Value& content, compile::Turn& turn, Taken& taken);

/// Does the same for a tool's result. If no part is a text or a picture, returns the bytes.
std::string take_result(const json::Value& content, compile::Turn& turn, Taken& taken);

/// Starts a turn with the text of `content`.
compile::Turn& say(compile::Type type, const json::Value& content, TurnRecord& made);

/// Returns the text of a part; missing if it has none.
json::Value text_of(const json::Value& part);

// Agents store a thought and its signature in members of their own. These functions rebuild the
// block of the Anthropic API from the exact bytes of the strings, as the raw item of a reasoning,
// so the thought can be sent back to the provider. They take the signature.
//
// Source: docs.anthropic.com/en/api/messages (`thinking`, `redacted_thinking`).

/// Sets the raw item of `turn` to `{"type":"thinking", …}`. `text` is the thought, a string.
void set_thinking_item(const json::Value& text, const json::Value& signature, compile::Turn& turn,
                       Taken& taken);

/// Sets the raw item of `turn` to `{"type":"redacted_thinking","data": …}`.
void set_redacted_item(const json::Value& data, compile::Turn& turn, Taken& taken);

}  // namespace spoor::import
