#include "receive/otlp.h"

#include <unordered_set>
#include <utility>

#include "llm/otel/dialect.h"
#include "receive/events.h"
#include "receive/repeated_request.h"

namespace spoor::receive {
namespace {

// The members that hold the records of a signal.
struct Members {
  std::string_view batches;
  std::string_view scopes;
  std::string_view records;
};

Members members_of(Signal signal) {
  if (signal == Signal::traces) return {"resourceSpans", "scopeSpans", "spans"};
  if (signal == Signal::logs) return {"resourceLogs", "scopeLogs", "logRecords"};
  return {"resourceMetrics", "scopeMetrics", "metrics"};
}

// The elements of a list that are kept, and whether that is all of them.
struct Elements {
  std::string list;
  bool is_all = true;
  bool is_removed = false;  // The member itself.

  void add(std::string_view element) { list.append(list.empty() ? "[" : ",").append(element); }
  void add_some(std::string_view element) {
    if (!element.empty()) add(element);
  }
  bool is_empty() const { return list.empty(); }
};

// Returns an object with `elements` in place of its member `key`; empty if there are none.
std::string with_list(const json::Value& object, std::string_view key, const Elements& elements) {
  if (elements.is_empty() && !elements.is_removed) return {};
  if (elements.is_all) return std::string(object.raw());
  std::string out;
  for (const json::Member& member : object.members()) {
    if (elements.is_removed && member.key.equals(key)) continue;
    out.append(out.empty() ? "{" : ",").append(member.key.raw()).append(":");
    member.key.equals(key) ? out.append(elements.list).append("]") : out.append(member.value.raw());
  }
  return out.empty() ? "{}" : out + "}";
}

// Returns an object without its member `key`; empty if nothing else is in it.
std::string without(const json::Value& object, std::string_view key) {
  std::string rest = with_list(object, key, {{}, false, true});
  return rest == "{}" ? std::string() : rest;
}

// Adds a batch with these scopes instead of its own, unless nothing is in it.
void add_around(const json::Value& batch, const Members& names, Elements scopes,
                std::vector<std::string>& all) {
  scopes.is_all = false;
  scopes.is_removed = scopes.is_empty();
  std::string around = with_list(batch, names.scopes, scopes);
  if (around != "{}" && !around.empty()) all.push_back(std::move(around));
}

// Keeps of each element of a list what `part_of` returns: its raw text if that is all of it.
template <class PartOf>
Elements parts_of(const json::Value& list, const PartOf& part_of) {
  Elements kept;
  for (const json::Value& element : list.elements()) {
    const std::string part = part_of(element);
    kept.is_all = kept.is_all && part.size() == element.raw().size();
    if (!part.empty()) kept.add(part);
  }
  return kept;
}

bool is_own(const json::Value& attributes) {
  for (const json::Value& attribute : attributes.elements()) {
    const json::Value key = attribute.find("key");
    const auto plain = key.plain_text();
    if (llm::otel::is_own_attribute(plain ? *plain : key.text())) return true;
  }
  return false;
}

bool is_id(const json::Value& value, std::size_t digits) {
  const std::string text = value.text();
  return text.size() == digits && text.find_first_not_of('0') != text.npos &&
         text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

// Returns whether each value is absent or of the type that OTLP gives it.
bool is_otlp(const Members& members, const json::Value& root) {
  const auto is_list = [](const json::Value& value) {
    if (value && !value.is_array()) return false;
    for (const json::Value& each : value.elements()) {
      if (!each.is_object()) return false;
    }
    return true;
  };
  if (!root.is_object() || !is_list(root.find(members.batches))) return false;
  for (const json::Value& batch : root.find(members.batches).elements()) {
    if (!is_list(batch.find(members.scopes))) return false;
    for (const json::Value& scope : batch.find(members.scopes).elements()) {
      if (!is_list(scope.find(members.records))) return false;
    }
  }
  return true;
}

}  // namespace

std::string only(
    Signal signal, const json::Value& root, std::string_view body,
    const std::function<bool(const json::Value& scope, const json::Value& record)>& is_kept) {
  const Members names = members_of(signal);
  const Elements batches = parts_of(root.find(names.batches), [&](const json::Value& batch) {
    const Elements scopes = parts_of(batch.find(names.scopes), [&](const json::Value& part) {
      const json::Value scope = part.find("scope");
      const Elements records = parts_of(part.find(names.records), [&](const json::Value& record) {
        return std::string(is_kept(scope, record) ? record.raw() : std::string_view());
      });
      return with_list(part, names.records, records);
    });
    return with_list(batch, names.scopes, scopes);
  });
  return batches.is_all && !batches.is_empty() ? std::string(body)
                                               : with_list(root, names.batches, batches);
}

std::vector<std::string> surroundings(Signal signal, const json::Value& root) {
  const Members names = members_of(signal);
  std::vector<std::string> all;
  for (const json::Value& batch : root.find(names.batches).elements()) {
    Elements scopes;
    for (const json::Value& scope : batch.find(names.scopes).elements()) {
      scopes.add_some(without(scope, names.records));
    }
    add_around(batch, names, std::move(scopes), all);
  }
  return all;
}

std::map<std::string, Group> grouped(
    Signal signal, const json::Value& root,
    const std::function<std::optional<std::string>(const json::Value& record)>& key_of) {
  const Members names = members_of(signal);
  std::map<std::string, Group> groups;
  for (const json::Value& batch : root.find(names.batches).elements()) {
    std::map<std::string, Elements> scopes_of;
    for (const json::Value& scope : batch.find(names.scopes).elements()) {
      const std::string around = without(scope, names.records);
      std::unordered_set<std::string> seen;
      for (const json::Value& record : scope.find(names.records).elements()) {
        auto key = key_of(record);
        if (!key) continue;
        groups[*key].records.push_back(record);
        if (seen.insert(*key).second) scopes_of[*std::move(key)].add_some(around);
      }
    }
    for (auto& [key, scopes] : scopes_of) {
      add_around(batch, names, std::move(scopes), groups[key].surroundings);
    }
  }
  return groups;
}

void for_each_record(Signal signal, const json::Value& root,
                     const std::function<void(const json::Value& record)>& visit) {
  const Members names = members_of(signal);
  for (const json::Value& batch : root.find(names.batches).elements()) {
    for (const json::Value& scope : batch.find(names.scopes).elements()) {
      for (const json::Value& record : scope.find(names.records).elements()) visit(record);
    }
  }
}

json::Value attribute_of(const json::Value& record, std::string_view name) {
  for (const json::Value& attribute : record.find("attributes").elements()) {
    if (!attribute.find("key").equals(name)) continue;
    const json::Value value = attribute.find("value");
    for (const json::Member& member : value.members()) return member.value;
  }
  return {};
}

Result<RecordedPart> keep(Signal signal, const std::string& body) {
  json::Document document;
  const auto reading = json::parse_one(body, document);
  const bool is_whole =
      reading && body.find_first_not_of(" \t\r\n", reading.end) == std::string::npos;
  if (!is_whole || !is_otlp(members_of(signal), document.root())) {
    return invalid("the body is not OTLP/JSON");
  }
  RecordedPart kept;
  if (signal == Signal::metrics) return kept;
  const auto is_sound = [&](bool is_it, std::string_view problem) {
    if (is_it) return true;
    kept.rejected += 1;
    kept.problem = problem;
    return false;
  };
  const auto is_kept = [&](const json::Value& scope, const json::Value& record) {
    if (signal == Signal::logs) {
      const auto event = read_event(record);
      return event && is_sound(!event->session.empty(), "an event names no session");
    }
    const json::Value name = scope.find("name");
    const auto plain = name.plain_text();
    if (llm::otel::is_internal_scope(plain ? *plain : name.text())) return false;
    if (is_agent_scope(scope) && !repeats_request(record)) return false;
    return is_own(record.find("attributes")) &&
           is_sound(is_id(record.find("traceId"), 32) && is_id(record.find("spanId"), 16) &&
                        record.find("name").is_string(),
                    "a span has no traceId, spanId or name");
  };
  kept.document = only(signal, document.root(), body, is_kept);
  return kept;
}

}  // namespace spoor::receive
