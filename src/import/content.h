#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "import/turn_record.h"

namespace spoor::import {

// What contents of messages have in common, whoever's they are.

/// The first of these members that `object` has.
json::Value find_any(const json::Value& object, std::initializer_list<std::string_view> keys);

/// The first of them that is a string.
json::Value find_text(const json::Value& object, std::initializer_list<std::string_view> keys);

/// The picture in `data:image/png;base64,…` (RFC 2397), if encoding it again gives the same text;
/// else nothing.
std::optional<compile::Item> picture_in(std::string_view data_url);

/// The same of a media type and its base64.
std::optional<compile::Item> picture_of(std::string_view media_type, std::string_view base64);

/// Attaches such a picture to `turn`, and takes its data. Returns false if it is not one.
bool attach_picture(const json::Value& data_url, compile::Turn& turn, Taken& taken);
bool attach_picture(const json::Value& media_type, const json::Value& base64, compile::Turn& turn,
                    Taken& taken);

/// Takes the type of a block that has a text, where it says no more than that.
void take_text_type(const json::Value& block, Taken& taken);

/// The text of an item's or a message's content: a string, or parts with a `text`, joined bare;
/// the bytes of anything else. Pictures that stand in it as base64 are attached to `turn`. Takes
/// what it reads.
std::string take_content(const json::Value& content, compile::Turn& turn, Taken& taken);

/// The same of what a tool gave: parts none of which is a text or a picture are their bytes, too.
std::string take_result(const json::Value& content, compile::Turn& turn, Taken& taken);

/// Begins a turn that says `content`.
compile::Turn& say(compile::Type type, const json::Value& content, TurnRecord& made);

/// The text of a part that has one; missing otherwise.
json::Value text_of(const json::Value& part);

// Agents store a thought and its signature in members of their own. These functions make the block
// of Anthropic's API again, out of the exact bytes of the strings, as the raw item of a reasoning;
// so the thought can go back to the provider. They take the signature.
//
// Source: docs.anthropic.com/en/api/messages (`thinking`, `redacted_thinking`).

/// Sets the raw item of `turn` to `{"type":"thinking", …}`. `text` is the thought, a string.
void set_thinking_item(const json::Value& text, const json::Value& signature, compile::Turn& turn,
                       Taken& taken);

/// Sets the raw item of `turn` to `{"type":"redacted_thinking","data": …}`.
void set_redacted_item(const json::Value& data, compile::Turn& turn, Taken& taken);

}  // namespace spoor::import
