#include "guard/redact/redactor.h"

#include <optional>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "base/utf8.h"

namespace spoor::guard {
namespace {

// Most texts need one pass, and a second one to check that nothing is left: a placeholder may
// expose something that a longer run of letters hid.
constexpr int kMostPasses = 16;
// JSON in a string of JSON in a string, and so on.
constexpr int kMostNesting = 8;
// Values longer than this are not examined together with their key, but as separate texts.
constexpr std::size_t kMostFieldBytes = 2048;
// A shorter text contains no secret of any rule.
constexpr std::size_t kLeastBytes = 6;

// The position of a text.
struct TextContext {
  std::string_view path;
  std::string_view key;           // The member whose value it is, if any.
  std::size_t at = 0;             // In the whole text.
  bool is_inside_string = false;  // If true, `at` is that of the string.
  int depth = 0;
};

constexpr std::string_view kBetween = "\": \"";  // Between a key and its value in JSON.

bool may_be_json(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return false;
  return (text.front() == '{' || text.front() == '[') && (text.back() == '}' || text.back() == ']');
}

// One pass over a text.
class Pass {
 public:
  Pass(const RuleSet& rules, Numbering& numbers, std::vector<Redaction>* redactions)
      : rules_(rules), numbers_(numbers), redactions_(redactions) {}

  // Returns the text without its findings; nullopt if there were none.
  Result<std::optional<std::string>> over(std::string_view text, const TextContext& context) {
    if (text.size() < kLeastBytes) return std::optional<std::string>();
    if (context.depth < kMostNesting && may_be_json(text)) {
      if (auto documents = read_all(text)) return over_json(text, *documents, context);
    }
    return over_text(text, context);
  }

 private:
  // Returns all values of a text that consists only of JSON values.
  static std::optional<std::vector<json::Document>> read_all(std::string_view text) {
    std::vector<json::Document> documents;
    while (true) {
      json::Document document;
      const json::Reading reading = json::parse_one(text, document);
      if (reading.status == json::Reading::Status::nothing) return documents;
      if (!reading) return std::nullopt;
      documents.push_back(std::move(document));
      text.remove_prefix(reading.end);
    }
  }

  Result<std::optional<std::string>> over_text(std::string_view text, const TextContext& context) {
    // A key gives information about its value, so both are examined in their JSON form.
    std::string field;
    std::size_t before = 0;
    if (!context.key.empty() && text.size() <= kMostFieldBytes) {
      field.append(context.key).append(kBetween);
      before = field.size();
      field.append(text);
    }
    const std::string_view searched = before > 0 ? std::string_view(field) : text;
    const std::vector<Finding> found =
        TRY(rules_.find(searched, {.path = context.path, .key = context.key}));
    std::optional<std::string> out;
    std::size_t done = 0;
    for (const Finding& finding : found) {
      if (finding.end <= before) continue;  // The key is examined separately.
      const std::size_t begin = std::max(finding.begin, before) - before;
      const std::size_t end = finding.end - before;
      const std::string& rule = rules_.rules()[finding.rule].id;
      const std::string_view secret = text.substr(begin, end - begin);
      const std::uint64_t number = TRY(numbers_.number_of(rule, secret));
      std::string mark = placeholder(rule, number);
      if (!out) out.emplace();
      out->append(text, done, begin - done).append(mark);
      done = end;
      if (redactions_ != nullptr) {
        const std::size_t at = context.is_inside_string ? context.at : context.at + begin;
        redactions_->push_back({rule, at, secret.size(), std::move(mark)});
      }
    }
    if (out) out->append(text, done);
    return out;
  }

  struct Rewriting {
    std::string_view text;
    std::optional<std::string> out;
    std::size_t done = 0;

    void replace(std::size_t at, std::size_t size, std::string_view by) {
      if (!out) out.emplace();
      out->append(text, done, at - done).append(by);
      done = at + size;
    }
  };

  Result<std::optional<std::string>> over_json(std::string_view text,
                                               const std::vector<json::Document>& documents,
                                               const TextContext& context) {
    Rewriting rewriting{text, {}, 0};
    for (const json::Document& document : documents) {
      TRY(over_value(document.root(), context, rewriting));
    }
    if (rewriting.out) rewriting.out->append(text, rewriting.done);
    return std::move(rewriting.out);
  }

  // Recurses as deep as the reader's limit for values.
  Result<void> over_value(const json::Value& value, const TextContext& context,
                          Rewriting& rewriting) {
    switch (value.type()) {
      case json::Type::object:
        for (const json::Member member : value.members()) {
          const std::string key = member.key.text();
          TextContext key_context = context;
          key_context.key = {};
          TRY(over_string(member.key, key_context, rewriting));
          TextContext inner = context;
          inner.key = key;
          TRY(over_value(member.value, inner, rewriting));
        }
        return {};
      case json::Type::array:
        for (const json::Value element : value.elements()) {
          TRY(over_value(element, context, rewriting));
        }
        return {};
      case json::Type::string:
        return over_string(value, context, rewriting);
      case json::Type::number:
        return over_number(value, context, rewriting);
      default:
        return {};
    }
  }

  // Returns the offset of a value in the text that is rewritten.
  static std::size_t offset_of(const json::Value& value, const Rewriting& rewriting) {
    return static_cast<std::size_t>(value.raw().data() - rewriting.text.data());
  }

  static TextContext inside(TextContext context, std::size_t offset) {
    if (!context.is_inside_string) context.at += offset;
    context.is_inside_string = true;
    ++context.depth;
    return context;
  }

  Result<void> over_string(const json::Value& value, const TextContext& context,
                           Rewriting& rewriting) {
    const std::size_t offset = offset_of(value, rewriting);
    const TextContext inner = inside(context, offset);
    std::string copy;
    std::string_view said;
    if (const auto plain = value.plain_text()) {
      said = *plain;
    } else {
      copy = value.text();
      said = copy;
    }
    const auto changed = TRY(over(said, inner));
    if (changed) rewriting.replace(offset, value.raw().size(), json::write_string(*changed));
    return {};
  }

  // A number that is a secret becomes a string.
  Result<void> over_number(const json::Value& value, const TextContext& context,
                           Rewriting& rewriting) {
    const std::size_t offset = offset_of(value, rewriting);
    const auto changed = TRY(over_text(value.raw(), inside(context, offset)));
    if (changed) rewriting.replace(offset, value.raw().size(), json::write_string(*changed));
    return {};
  }

  const RuleSet& rules_;
  Numbering& numbers_;
  std::vector<Redaction>* redactions_;
};

}  // namespace

Result<std::string> Redactor::redact(std::string text, std::string_view path,
                                     std::vector<Redaction>* redactions) const {
  for (int pass = 0; pass < kMostPasses; ++pass) {
    auto changed = TRY(Pass(rules_, numbers_, redactions).over(text, {.path = path}));
    if (!changed) return text;
    text = std::move(*changed);
  }
  return denied("redaction of a text does not end", "nothing was written");
}

}  // namespace spoor::guard
