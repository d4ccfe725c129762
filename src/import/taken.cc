#include "import/taken.h"

#include "base/utf8.h"
#include "import/names.h"

namespace spoor::import {

bool says_nothing(const json::Value& value) {
  return !value || value.raw() == "null" || value.is_false() || value.raw() == R"("")" ||
         (value.is_array() && value.size() == 0) || (value.is_object() && value.size() == 0);
}

std::string word_of(const json::Value& value) {
  return value.is_number() ? std::string(value.raw()) : value.text();
}

json::Value Taken::operator()(const json::Value& value) {
  if (value) offsets_.insert(value.offset());
  return value;
}

json::Value Taken::operator()(const json::Value& object, std::string_view key) {
  return (*this)(object.find(key));
}

std::string Taken::text(const json::Value& value) {
  return value.is_string() ? (*this)(value).text() : std::string();
}

std::string Taken::text(const json::Value& object, std::string_view key) {
  return text(object.find(key));
}

std::string Taken::word(const json::Value& object, std::string_view key) {
  return word(object.find(key));
}

std::string Taken::word(const json::Value& value) {
  return value.is_number() || value.is_string() ? word_of((*this)(value)) : std::string();
}

bool Taken::flag(const json::Value& object, std::string_view key) {
  const json::Value value = object.find(key);
  if (value.is_true() || value.is_false()) (*this)(value);
  return value.is_true();
}

bool Taken::holds_taken(const json::Value& value) const {
  const auto next = offsets_.upper_bound(value.offset());
  return next != offsets_.end() && *next < value.offset() + value.raw().size();
}

/// Writes the rest of a value; empty if nothing is left.
class Taken::Writer {
 public:
  Writer(const Taken& taken, bool keeps_nothings, std::string_view nested = {})
      : taken_(taken), keeps_nothings_(keeps_nothings), nested_(nested) {}

  std::string rest_of(const json::Value& value) const {
    if (taken_.has(value) || (!keeps_nothings_ && says_nothing(value))) return {};
    if (!(value.is_object() || value.is_array()) || !taken_.holds_taken(value)) {
      return std::string(value.raw());
    }
    return value.is_object() ? rest_of_object(value, nullptr) : rest_of_array(value);
  }

  std::string rest_of_object(const json::Value& object, LossReport::Counts* counts) const {
    std::string out;
    for (const json::Member& member : object.members()) {
      const std::string left = rest_of(member.value);
      if (left.empty()) continue;
      out += out.empty() ? '{' : ',';
      out += member.key.raw();
      out += ':';
      out += left;
      if (counts != nullptr) count(member, *counts);
    }
    return out.empty() ? out : out + '}';
  }

 private:
  std::string rest_of_array(const json::Value& array) const {
    std::string out;
    bool any = false;
    for (const json::Value& element : array.elements()) {
      const std::string left = rest_of(element);
      any = any || !left.empty();
      out += out.empty() ? '[' : ',';
      out += left.empty() ? "null" : left;
    }
    return any ? out + ']' : std::string();
  }

  static std::string shown(std::string_view name) {
    constexpr std::size_t kMostName = 64;
    return std::string(first_code_points(name, kMostName));
  }

  void count(const json::Member& member, LossReport::Counts& counts) const {
    const std::string key = member.key.text();
    if (nested_.empty()) {
      counts[plain_word(key)] += 1;
    } else if (!is_one_of(key, nested_)) {
      counts[shown(key)] += 1;
    } else {
      for (const json::Member& inner : member.value.members()) {
        const std::string name = key + "." + inner.key.text();
        if (!rest_of(inner.value).empty()) counts[shown(name)] += 1;
      }
    }
  }

  const Taken& taken_;
  const bool keeps_nothings_;
  const std::string_view nested_;
};

std::string Taken::rest(const json::Value& root, LossReport::Counts& counts,
                        std::string_view nested) const {
  const Writer writer(*this, false, nested);
  return root.is_object() && !has(root) ? writer.rest_of_object(root, &counts)
                                        : writer.rest_of(root);
}

std::string Taken::all_but_taken(const json::Value& root) const {
  return Writer(*this, true).rest_of(root);
}

}  // namespace spoor::import
