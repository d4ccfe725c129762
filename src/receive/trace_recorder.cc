#include "receive/trace_recorder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/json/reader.h"
#include "base/text.h"
#include "import/importers.h"
#include "proxy/spool.h"
#include "receive/events.h"
#include "receive/otlp.h"
#include "receive/repeated_request.h"

namespace spoor::receive {
namespace {

constexpr std::size_t kMostAtOnce = 8U << 20U;  // Bytes of the traces of a transaction.

std::string trace_of(const json::Value& span) { return lowered(span.find("traceId").text()); }
std::string id_of(const json::Value& span) { return lowered(span.find("spanId").text()); }

// Nanoseconds; of a span without a time, the last.
std::int64_t begin_of(const json::Value& span) {
  const auto begin = nanoseconds_of(span.find("startTimeUnixNano"));
  return begin.value_or(std::numeric_limits<std::int64_t>::max());
}

std::string notes_of(const std::string& trace) { return "refs/sources/otel/" + trace; }

}  // namespace

bool TraceRecorder::Spans::add(std::string id, std::string_view record) {
  if (!seen.insert(id).second) return false;
  spans.push_back({std::move(id), std::string(record)});
  return true;
}

bool TraceRecorder::Spans::add_surroundings(const std::string& around) {
  if (!seen.insert(around).second) return false;
  surroundings.push_back(around);
  return true;
}

std::string TraceRecorder::Spans::document() const {
  std::string out = R"({"resourceSpans":[{"scopeSpans":[{"spans":[)";
  for (const Span& span : spans) out.append(span.record).append(",");
  if (!spans.empty()) out.pop_back();
  out += "]}]}";
  for (const std::string& around : surroundings) out.append(",").append(around);
  return out + "]}";
}

void TraceRecorder::add(const std::string& post, const json::Value& document,
                        Clock::time_point now) {
  const auto key_of = [](const json::Value& span) {
    return repeats_request(span) ? std::nullopt : std::optional(trace_of(span));
  };
  const auto traces = grouped(Signal::traces, document, key_of);
  posts_.open(post, traces.size());
  for (const auto& [trace, group] : traces) {
    const auto [found, is_new] = pending_.try_emplace(trace);
    Pending& pending = found->second;
    bool has_more = false;
    for (const json::Value& span : group.records) {
      if (!pending.spans.add(id_of(span), span.raw())) continue;
      pending.bytes += span.raw().size();
      pending.begun = std::min(pending.begun, begin_of(span));
      has_more = true;
    }
    for (const std::string& around : group.surroundings) {
      if (!pending.spans.add_surroundings(around)) continue;
      pending.bytes += around.size();
      has_more = true;
    }
    if (is_new && traces.size() == 1) {
      pending.document = document.raw();
    } else if (has_more) {
      pending.document.clear();
    }
    pending.posts.push_back(post);
    pending.last = now;
  }
}

// Returns the spans in a trace's notes; nullopt if there are no notes.
Result<std::optional<TraceRecorder::Spans>> TraceRecorder::stored(const std::string& trace) const {
  const auto tip = TRY(repository_.store().ref(notes_of(trace)));
  if (!tip) return std::optional<Spans>();
  std::vector<store::Oid> texts;
  const auto look = [&](const store::NamedCommit& note) {
    if (note.commit->content) texts.push_back(note.commit->content->oid);
    return true;
  };
  const store::Reader& reader = repository_.reader();
  TRY(reader.run(*tip, std::numeric_limits<std::size_t>::max(), look,
                 store::Reader::Keep::nothing));
  std::reverse(texts.begin(), texts.end());
  Spans spans;
  for (const auto& text : TRY(reader.stored_contents(texts))) {
    if (!text) continue;  // It was erased.
    const auto document = json::parse(*text);
    if (!document) continue;
    const json::Value root = document->root();
    if (root.find("spanId")) {
      spans.add(id_of(root), root.raw());
    } else {
      for (const std::string& around : surroundings(Signal::traces, root)) {
        spans.add_surroundings(around);
      }
    }
  }
  return std::optional(std::move(spans));
}

Result<void> TraceRecorder::add_to(graph::Draft& draft, const std::string& trace,
                                   const Pending& pending, Sums& sums) {
  auto notes = TRY(stored(trace));
  const std::size_t known = notes ? notes->spans.size() : 0;
  std::size_t count = pending.spans.spans.size();
  std::string made;
  if (known > 0) {
    for (const Spans::Span& span : pending.spans.spans) notes->add(span.id, span.record);
    count = notes->spans.size() - known;
    if (count == 0) return {};
    for (const std::string& around : pending.spans.surroundings) notes->add_surroundings(around);
    made = notes->document();
  } else if (pending.document.empty()) {
    made = pending.spans.document();
  }
  const std::string& document = made.empty() ? pending.document : made;
  import::TextSource source("received", document);
  import::ImportOptions options;
  options.lines = &lines_;
  options.draft = &draft;
  // Notes that cannot be read, of which only hashes are kept, stay where they are.
  if (known > 0 || !notes) options.notes_ref = notes_of(trace);
  const auto report = TRY(import::formats::kOtel.import(source, repository_, options));
  sums.traces += 1;
  sums.spans += count;
  if (!report.main_ref.empty()) sums.ref = report.main_ref;
  return {};
}

Result<std::uint64_t> TraceRecorder::count_new(const graph::Draft& draft) const {
  std::unordered_set<store::Oid> turns;
  for (const store::NamedCommit& made : draft.commits()) {
    if (made.commit->type != store::Type::note) turns.insert(made.oid);
  }
  const std::vector<store::Oid> names(turns.begin(), turns.end());
  const std::vector<bool> there = TRY(repository_.store().has(names));
  return static_cast<std::uint64_t>(std::count(there.begin(), there.end(), false));
}

// Writes traces as one transaction.
Result<void> TraceRecorder::write(std::span<const Traces::iterator> traces) {
  lines_.forget();
  const auto draft = repository_.draft();
  draft->leave_out_erased();
  Sums sums = sums_;
  for (const auto& each : traces) {
    const auto start = Clock::now();
    TRY(add_to(*draft, each->first, each->second, sums));
    const auto end = Clock::now();
    next_[each->first] = end + kShare * (end - start);
  }
  if (!draft->moves().empty()) {
    sums.turns += TRY(count_new(*draft));
    TRY(draft->write("import"));
  }
  sums_ = sums;
  return {};
}

Result<void> TraceRecorder::write_or_refuse(std::span<const Traces::iterator> traces) {
  auto done = write(traces);
  if (!done && done.error().code == Error::Code::conflict) {  // Another writer was first.
    done = repository_.store().exclusive([&] { return write(traces); });
  }
  if (!done && proxy::may_pass(done.error())) return done;
  if (!done && traces.size() > 1) {  // One of them cannot be written, but the others can.
    for (std::size_t i = 0; i < traces.size(); ++i) TRY(write_or_refuse(traces.subspan(i, 1)));
    return {};
  }
  for (const auto& each : traces) {
    for (const std::string& post : each->second.posts) posts_.close(post, !done);
    pending_.erase(each);
  }
  return {};
}

// A conversation of several traces is written in the order in which it was held.
Result<void> TraceRecorder::record(Clock::time_point now, bool is_all) {
  std::vector<Traces::iterator> due;
  for (auto each = pending_.begin(); each != pending_.end(); ++each) {
    const auto& [trace, pending] = *each;
    const auto next = next_.find(trace);
    const bool is_due =
        is_all || (now - pending.last >= kQuiet && (next == next_.end() || now >= next->second));
    if (is_due) due.push_back(each);
  }
  std::ranges::stable_sort(due, {}, [](const auto& each) { return each->second.begun; });
  std::span<const Traces::iterator> left = due;
  while (!left.empty()) {
    std::size_t count = 0;
    for (std::size_t bytes = 0; count < left.size() && bytes < kMostAtOnce; ++count) {
      bytes += left[count]->second.bytes;
    }
    TRY(write_or_refuse(left.first(count)));
    left = left.subspan(count);
  }
  std::erase_if(next_, [&](const auto& entry) { return entry.second <= now; });
  return {};
}

}  // namespace spoor::receive
