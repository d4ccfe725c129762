#pragma once

#include <string>
#include <string_view>

#include "compile/json/reader.h"

namespace spoor::llm::import {

/// The front of a JSON text made whole: cut back to its last finished value, or within the string
/// that it ends in, its open arrays and objects closed. Empty when there is none. For looking at a
/// source before all of it is here.
std::string closed_front(std::string_view text);

/// The first value of a source that begins with `head`, whole or as closed_front() makes it:
/// what recognising looks at. A byte order mark is passed over. For one thread.
class Front {
 public:
  explicit Front(std::string_view head);

  /// Missing when the source begins with no JSON.
  compile::json::Value first() const { return document_.root(); }

  /// Does anything but white space follow the first value?
  bool has_more() const { return !rest_.empty(); }

  /// What follows the first value; of the text that was given.
  std::string_view rest() const { return rest_; }

 private:
  std::string text_;  // What document_ borrows.
  compile::json::Document document_;
  std::string_view rest_;
};

/// Is one of the first records as `is_it` says, in a source of one record a line that begins with
/// `head`? A record that is not whole is passed over.
bool holds_record(std::string_view head, bool (*is_it)(const compile::json::Value& record));

}  // namespace spoor::llm::import
