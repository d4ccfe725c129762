#include "llm/otel/span.h"

#include <array>
#include <charconv>
#include <utility>

#include "base/json/writer.h"

namespace spoor::llm::otel {
namespace {

json::Value first_element(const json::Value& list) {
  for (const json::Value& element : list.elements()) return element;
  return {};
}

json::Value first_member(const json::Value& object, std::span<const std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const json::Value value = object.find(key)) return value;
  }
  return {};
}

std::string digits_of(const json::Value& value) {
  return value.is_string() ? value.text() : std::string(value.raw());
}

/// Parses a time in an exporter's form: nanoseconds, microseconds, milliseconds or seconds since
/// 1970, distinguished by their size; `[seconds, nanoseconds]`; RFC 3339.
std::optional<Timestamp> moment_of(const json::Value& value) {
  if (value.is_array()) {
    const auto seconds = first_element(value).integer();
    std::int64_t nanos = 0;
    for (const json::Value& element : value.elements()) nanos = element.integer().value_or(0);
    constexpr std::int64_t kMost = 1'000'000'000'000;
    if (!seconds || *seconds < 0 || *seconds > kMost || nanos < 0) return std::nullopt;
    return Timestamp{*seconds * 1'000'000 + nanos / 1000};
  }
  const std::string text = digits_of(value);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    const auto time =
        value.is_string() ? parse_rfc3339(text) : Result<Timestamp>(invalid("no time"));
    return time ? std::optional(time.value()) : std::nullopt;
  }
  if (text.size() >= 18) return Timestamp{number / 1000};
  if (text.size() >= 15) return Timestamp{number};
  return Timestamp{text.size() >= 12 ? number * 1000 : number * 1'000'000};
}

/// Returns the value in OTLP's AnyValue: `{"stringValue": "x"}`, with other names for other types.
json::Value unwrapped(const json::Value& value) {
  constexpr std::array<std::string_view, 6> kTypes = {"stringValue", "intValue",   "doubleValue",
                                                      "boolValue",   "arrayValue", "kvlistValue"};
  if (!value.is_object() || value.size() != 1) return value;
  const json::Value inner = first_member(value, kTypes);
  if (!inner) return value;
  const json::Value values = inner.find("values");
  return values ? values : inner;
}

/// Reads attributes from an object, or from a list of keys with values.
AttributeValues read_attributes(const json::Value& attributes) {
  AttributeValues all;
  for (const json::Member& member : attributes.members()) {
    all[member.key.text()] = unwrapped(member.value);
  }
  for (const json::Value& entry : attributes.elements()) {
    const std::string key = entry.find("key").text();
    if (!key.empty()) all[key] = unwrapped(entry.find("value"));
  }
  return all;
}

json::Value attributes_in(const json::Value& record) {
  constexpr std::array<std::string_view, 3> kKeys = {"attributes", "tags", "fields"};
  return first_member(record, kKeys);
}

bool is_span(const json::Value& record) {
  constexpr std::array<std::string_view, 6> kIds = {"spanId",  "spanID",      "span_id",
                                                    "context", "spanContext", "spanID"};
  constexpr std::array<std::string_view, 2> kNames = {"name", "operationName"};
  return record.is_object() && first_member(record, kIds) &&
         first_member(record, kNames).is_string() && attributes_in(record);
}

/// Adds the events that Logfire keeps in an attribute: a JSON list, each with its name.
void add_listed_events(Span& span) {
  const auto listed = span.attributes.find("events");
  if (listed == span.attributes.end() || !listed->second.is_string()) return;
  auto inner = std::make_shared<InnerDocument>();
  inner->text = listed->second.text();
  if (!json::parse_one(inner->text, inner->document)) return;
  for (const json::Value& event : inner->document.root().elements()) {
    std::string name = event.find("event.name").text();
    if (!name.empty()) span.events.push_back({std::move(name), read_attributes(event)});
  }
  span.inner = std::move(inner);
}

Span read_span(const json::Value& record) {
  constexpr std::array<std::string_view, 2> kNames = {"name", "operationName"};
  constexpr std::array<std::string_view, 2> kContexts = {"context", "spanContext"};
  constexpr std::array<std::string_view, 3> kTraces = {"traceId", "traceID", "trace_id"};
  constexpr std::array<std::string_view, 3> kStarts = {"startTimeUnixNano", "startTime",
                                                       "start_time"};
  constexpr std::array<std::string_view, 3> kEnds = {"endTimeUnixNano", "endTime", "end_time"};
  constexpr std::array<std::string_view, 2> kEvents = {"events", "logs"};
  Span span;
  span.record = record;
  span.name = first_member(record, kNames).text();
  json::Value trace = first_member(record, kTraces);
  if (!trace) trace = first_member(first_member(record, kContexts), kTraces);
  span.trace = digits_of(trace);
  span.start = moment_of(first_member(record, kStarts));
  span.end = moment_of(first_member(record, kEnds));
  const auto micros = record.find("duration").integer();  // Jaeger's.
  if (!span.end && span.start && micros && *micros >= 0 && *micros < kLastMicro) {
    span.end = Timestamp{span.start->micros + *micros};
  }
  span.attributes = read_attributes(attributes_in(record));
  for (const json::Value& event : first_member(record, kEvents).elements()) {
    span.events.push_back({event.find("name").text(), read_attributes(attributes_in(event))});
  }
  add_listed_events(span);
  return span;
}

/// Collects the lists of spans in a document.
void collect_lists(const json::Value& root, std::vector<json::Value>& lists) {
  constexpr std::array<std::string_view, 4> kBatches = {"resourceSpans", "resource_spans",
                                                        "batches", "data"};
  constexpr std::array<std::string_view, 3> kScopes = {"scopeSpans", "scope_spans",
                                                       "instrumentationLibrarySpans"};
  if (root.is_array()) {
    if (is_span(first_element(root))) return lists.push_back(root);
    for (const json::Value& element : root.elements()) {
      if (element.is_object()) collect_lists(element, lists);
    }
    return;
  }
  for (const std::string_view key : kBatches) {
    for (const json::Value& batch : root.find(key).elements()) {
      for (const std::string_view scopes : kScopes) {
        for (const json::Value& scope : batch.find(scopes).elements()) {
          if (const json::Value spans = scope.find("spans")) lists.push_back(spans);
        }
      }
      if (is_span(first_element(batch.find("spans")))) lists.push_back(batch.find("spans"));
    }
  }
  if (is_span(first_element(root.find("spans")))) lists.push_back(root.find("spans"));
}

/// A value that is spread over dotted names: numbers are list indexes, words are members.
struct Tree {
  std::map<std::string, Tree> members;
  std::map<std::uint32_t, Tree> elements;
  json::Value leaf;

  void add(std::string_view path, const json::Value& value, int depth = 0) {
    constexpr int kMostDepth = 16;
    if (path.empty() || depth == kMostDepth) {
      leaf = value;
      return;
    }
    const std::size_t end = std::min(path.find('.'), path.size());
    const std::string_view word = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    std::uint32_t index = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    const bool is_index = error == std::errc() && stop == word.data() + word.size();
    Tree& child = is_index ? elements[index] : members[std::string(word)];
    child.add(path, value, depth + 1);
  }

  std::string write() const {
    if (!elements.empty()) {
      std::string list;
      for (const auto& [index, element] : elements) {
        list += (list.empty() ? "[" : ",") + element.write();
      }
      return list + ']';
    }
    if (members.empty()) return leaf ? std::string(leaf.raw()) : "null";
    std::string object;
    for (const auto& [name, member] : members) {
      object += (object.empty() ? "{" : ",") + json::write_string(name) + ':' + member.write();
    }
    return object + '}';
  }
};

/// Returns a message that is an event of its own, as in earlier conventions: `gen_ai.user.message`,
/// and `gen_ai.choice` for the answer. Empty if the event has another meaning.
std::string message_of(const SpanEvent& event, Meaning meaning) {
  constexpr std::string_view kBegin = "gen_ai.";
  constexpr std::string_view kEnd = ".message";
  const bool is_choice = event.name == "gen_ai.choice";
  const bool is_given = event.name.starts_with(kBegin) && event.name.ends_with(kEnd) &&
                        event.name.size() > kBegin.size() + kEnd.size();
  if (meaning == Meaning::output_messages ? !is_choice : !is_given) return {};
  std::string object;
  const auto add = [&](const std::string& key, std::string_view value) {
    object += (object.empty() ? "{" : ",") + json::write_string(key) + ':' + std::string(value);
  };
  for (const auto& [key, attribute] : event.attributes) {
    const std::string text = attribute.text();
    const auto inner = json::parse(text);  // Lists and objects are texts there.
    const bool is_json = inner && (inner->root().is_object() || inner->root().is_array());
    add(key, is_json && key != "content" ? text : attribute.raw());
  }
  const std::string role =
      is_choice ? "assistant"
                : event.name.substr(kBegin.size(), event.name.size() - kBegin.size() - kEnd.size());
  if (!event.attributes.contains("role")) add("role", json::write_string(role));
  return object + '}';
}

}  // namespace

json::Value Span::find(Meaning meaning) const {
  for (const Attribute& attribute : otel::attributes()) {
    if (attribute.meaning != meaning) continue;
    const auto found = attributes.find(attribute.name);
    if (found != attributes.end()) return found->second;
    for (const SpanEvent& event : events) {  // The span's events may have it.
      const auto in_event = event.attributes.find(attribute.name);
      if (in_event != event.attributes.end()) return in_event->second;
    }
  }
  return {};
}

std::string Span::text(Meaning meaning) const {
  json::Value value = find(meaning);
  if (value.is_array()) value = unwrapped(first_element(value));
  if (!value.is_string()) return value && !value.is_object() ? std::string(value.raw()) : "";
  std::string text = value.text();
  if (!text.starts_with("[\"")) return text;
  const auto list = json::parse(text);
  return list ? first_element(list->root()).text() : text;
}

std::string Span::spread(Meaning meaning) const {
  if (meaning != Meaning::input_messages && meaning != Meaning::output_messages) return {};
  for (const SpreadList& list : spread_lists()) {
    if (list.meaning != meaning) continue;
    const std::string prefix = std::string(list.prefix) + ".";
    Tree tree;
    for (auto at = attributes.lower_bound(prefix);
         at != attributes.end() && at->first.starts_with(prefix); ++at) {
      tree.add(std::string_view(at->first).substr(prefix.size()), at->second);
    }
    if (!tree.elements.empty()) return tree.write();
  }
  std::string said;
  for (const SpanEvent& event : events) {
    const std::string message = message_of(event, meaning);
    if (!message.empty()) said += (said.empty() ? "[" : ",") + message;
  }
  return said.empty() ? said : said + ']';
}

std::optional<std::int64_t> Span::duration_ms() const {
  if (!start || !end || *end < *start) return std::nullopt;
  return (end->micros - start->micros) / 1000;
}

bool Span::has_failed() const {
  const json::Value status = record.find("status");
  const json::Value code = status.find("code");
  if (code.integer() == 2 || code.equals("STATUS_CODE_ERROR")) return true;
  const auto tag = attributes.find("otel.status_code");  // Jaeger's.
  return status.find("status_code").equals("error") || status.find("status_code").equals("ERROR") ||
         (tag != attributes.end() && tag->second.equals("ERROR"));
}

std::string Span::failure() const {
  std::string message = record.find("status").find("message").text();
  if (!message.empty()) return message;
  for (const SpanEvent& event : events) {
    if (event.name != "exception") continue;
    const auto text_of = [&](std::string_view key) {
      const auto found = event.attributes.find(key);
      return found == event.attributes.end() ? std::string() : found->second.text();
    };
    std::string said = text_of("exception.type");
    message = text_of("exception.message");
    if (!said.empty() && !message.empty()) said += ": ";
    said += message;
    return said;
  }
  return {};
}

bool holds_spans(const json::Value& root) {
  std::vector<json::Value> lists;
  collect_lists(root, lists);
  for (const json::Value& list : lists) {
    if (is_span(first_element(list))) return true;
  }
  return false;
}

Result<void> for_each_span(const json::Value& root,
                           const std::function<Result<void>(Span)>& visit) {
  std::vector<json::Value> lists;
  collect_lists(root, lists);
  for (const json::Value& list : lists) {
    for (const json::Value& record : list.elements()) TRY(visit(read_span(record)));
  }
  return {};
}

}  // namespace spoor::llm::otel
