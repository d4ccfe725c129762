#include "agent/rationale.h"

#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/json/equal.h"
#include "base/json/writer.h"
#include "base/utf8.h"

namespace spoor::agent {
namespace {

using json::Member;
using json::Object;
using json::Value;

constexpr std::size_t kMaxFieldShown = 40;  // Code points shown of an unknown field's name.

// The only parser of rationales. It reads leniently and records what it drops; a strict read fails
// if a reason to refuse was found.
class Reader {
 public:
  void read(const Value& value) {
    if (!value.is_object()) return refuse("a rationale must be an object");
    if (const Value why = value.find("why"); why.is_string()) {
      read_why(why.text());
    } else {
      refuse(why ? "why: no text" : "why: missing");
    }
    if (const Value refs = value.find("refs")) read_refs(refs);
    if (const Value all = value.find("alternatives")) read_alternatives(all);
    if (const Value confidence = value.find("confidence")) read_confidence(confidence);
    for (const Member& member : value.members()) note_unknown(member.key.text());
  }

  void read_why(std::string_view why) {
    if (is_blank(why)) return refuse("why: blank");
    const std::string_view cut = first_code_points(why, kMaxWhy);
    if (cut.size() < why.size()) {
      refuse(fmt::format("why: longer than {} characters", kMaxWhy));
      if (is_blank(cut)) return refuse("why: blank up to there");
    }
    rationale_.why = cut;
    has_why_ = true;
  }

  Result<Rationale> strict() && {
    if (!refused_.empty()) return invalid(std::move(refused_));
    return std::move(rationale_);
  }

  CleanRationale lenient() && {
    CleanRationale clean;
    if (has_why_) clean.rationale = std::move(rationale_);
    clean.dropped = std::move(dropped_);
    return clean;
  }

 private:
  void refuse(std::string problem) {
    if (refused_.empty()) refused_ = problem;
    dropped_.push_back(std::move(problem));
  }

  void read_refs(const Value& refs) {
    constexpr const char* kProblem = "refs: no list of texts";
    if (!refs.is_array()) return refuse(kProblem);
    std::vector<std::string> texts;
    for (const Value ref : refs.elements()) {
      if (!ref.is_string()) return refuse(kProblem);
      texts.push_back(ref.text());
    }
    rationale_.has_empty_refs = texts.empty();
    rationale_.refs = std::move(texts);
  }

  void read_alternatives(const Value& all) {
    if (!all.is_array()) return refuse("alternatives: no list");
    std::size_t index = 0;
    for (const Value entry : all.elements()) {
      read_alternative(entry, fmt::format("alternatives[{}]", index++));
    }
  }

  void read_alternative(const Value& entry, const std::string& where) {
    if (!entry.is_object()) return refuse(where + ": no object");
    for (const char* field : {"option", "rejectedBecause"}) {
      const Value text = entry.find(field);
      if (!text.is_string() || is_blank(text.text())) {
        return refuse(fmt::format("{}: no text '{}'", where, field));
      }
    }
    Alternative alternative;
    alternative.option = entry.find("option").text();
    alternative.rejected_because = entry.find("rejectedBecause").text();
    if (count_code_points(alternative.rejected_because) > kMaxRejectedBecause) {
      return refuse(fmt::format("{}: 'rejectedBecause' is longer than {} characters: {}: {}", where,
                                kMaxRejectedBecause, alternative.option,
                                alternative.rejected_because));
    }
    rationale_.alternatives.push_back(std::move(alternative));
  }

  void read_confidence(const Value& confidence) {
    using json::compare_numbers;
    const std::string_view token = confidence.raw();
    if (!confidence.is_number() || compare_numbers(token, "0") < 0 ||
        compare_numbers(token, "1") > 0) {
      return refuse("confidence: no number from 0 to 1");
    }
    double number = 0;  // Stays 0 if the number is too small for a double.
    std::from_chars(token.data(), token.data() + token.size(), number);
    rationale_.confidence = number == 0 ? 0 : number;  // -0 is 0.
  }

  void note_unknown(const std::string& key) {
    if (key == "why" || key == "refs" || key == "alternatives" || key == "confidence") return;
    const std::string_view shown = first_code_points(key, kMaxFieldShown);
    dropped_.push_back(
        fmt::format("{}{}: unknown field", shown, shown.size() < key.size() ? "…" : ""));
  }

  Rationale rationale_;
  bool has_why_ = false;
  std::string refused_;  // The first reason to refuse the rationale.
  std::vector<std::string> dropped_;
};

}  // namespace

Result<Rationale> parse_rationale(const Value& value) {
  Reader reader;
  reader.read(value);
  return std::move(reader).strict();
}

CleanRationale clean_rationale(const Value& value) {
  Reader reader;
  reader.read(value);
  return std::move(reader).lenient();
}

CleanRationale clean_rationale(std::string_view why) {
  Reader reader;
  reader.read_why(why);
  return std::move(reader).lenient();
}

std::string write_rationale(const Rationale& rationale) {
  Object object;
  object.add_string("why", rationale.why);
  if (!rationale.refs.empty() || rationale.has_empty_refs) {
    object.add_json("refs", json::write_strings(rationale.refs));
  }
  if (!rationale.alternatives.empty()) {
    std::vector<std::string> all;
    for (const Alternative& alternative : rationale.alternatives) {
      Object entry;
      entry.add_string("option", alternative.option);
      entry.add_string("rejectedBecause", alternative.rejected_because);
      all.push_back(entry.write());
    }
    object.add_json("alternatives", json::write_array(all));
  }
  if (rationale.confidence) {
    object.add_raw_token("confidence", fmt::format("{}", *rationale.confidence));
  }
  return object.write();
}

}  // namespace spoor::agent
