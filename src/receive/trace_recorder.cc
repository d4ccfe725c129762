#include "receive/trace_recorder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/json/reader.h"
#include "base/text.h"
#include "import/importers.h"
#include "proxy/spool.h"
#include "receive/otlp.h"

namespace spoor::receive {
namespace {

constexpr std::size_t kMostPending = 256U << 20U;

std::string trace_of(const json::Value& span) { return lowered(span.find("traceId").text()); }

}  // namespace

bool TraceRecorder::Spans::add(const json::Value& record) {
  if (!ids.insert(lowered(record.find("spanId").text())).second) return false;
  records.emplace_back(record.raw());
  return true;
}

bool TraceRecorder::Spans::add_surroundings(std::string around) {
  if (std::find(surroundings.begin(), surroundings.end(), around) != surroundings.end()) {
    return false;
  }
  surroundings.push_back(std::move(around));
  return true;
}

std::string TraceRecorder::Spans::document() const {
  std::string out = R"({"resourceSpans":[{"scopeSpans":[{"spans":[)";
  for (const std::string& record : records) out.append(record).append(",");
  if (!records.empty()) out.pop_back();
  out += "]}]}";
  for (const std::string& around : surroundings) out.append(",").append(around);
  return out + "]}";
}

void TraceRecorder::add(const std::string& post, const std::string& document,
                        Clock::time_point now) {
  const auto parsed = json::parse(document);
  if (!parsed) {
    posts_.open(post, 1);
    return posts_.close(post, true);
  }
  std::map<std::string, Spans> traces;
  for_each_record(Signal::traces, parsed->root(),
                  [&](const json::Value& span) { traces[trace_of(span)].add(span); });
  const std::vector<std::string> around = surroundings(Signal::traces, parsed->root());
  posts_.open(post, traces.size());
  for (auto& [trace, spans] : traces) {
    const auto [found, is_new] = pending_.try_emplace(trace);
    Pending& pending = found->second;
    bool has_more = false;
    if (is_new) {
      pending.spans = std::move(spans);
      if (traces.size() == 1) pending.document = document;
      bytes_ += document.size();
    } else {
      for (std::string& record : spans.records) {
        const auto span = json::parse(record);
        if (!pending.spans.add(span->root())) continue;
        has_more = true;
        bytes_ += record.size();
      }
    }
    for (const std::string& each : around) {
      has_more = pending.spans.add_surroundings(each) || has_more;
    }
    if (!is_new && has_more) pending.document.clear();
    pending.posts.push_back(post);
    pending.last = now;
  }
}

Result<TraceRecorder::Spans> TraceRecorder::stored(const std::string& trace) const {
  Spans spans;
  const auto tip = TRY(repository_.store().ref("refs/sources/otel/" + trace));
  if (!tip) return spans;
  std::vector<store::Oid> texts;
  const auto look = [&](const store::NamedCommit& note) {
    if (note.commit->content) texts.push_back(note.commit->content->oid);
    return true;
  };
  const store::Reader& reader = repository_.reader();
  TRY(reader.run(*tip, std::numeric_limits<std::size_t>::max(), look,
                 store::Reader::Keep::nothing));
  std::reverse(texts.begin(), texts.end());
  for (const auto& text : TRY(reader.stored_contents(texts))) {
    if (!text) continue;  // It was erased.
    const auto document = json::parse(*text);
    if (!document) continue;
    const json::Value root = document->root();
    if (root.find("spanId")) {
      spans.add(root);
    } else {
      for (std::string& around : surroundings(Signal::traces, root)) {
        spans.add_surroundings(std::move(around));
      }
    }
  }
  return spans;
}

Result<void> TraceRecorder::record_one(const std::string& trace, const Pending& pending) {
  Spans all = TRY(stored(trace));
  const std::size_t known = all.records.size();
  std::string document = pending.document;
  if (known > 0) {
    bool has_more = false;
    for (const std::string& record : pending.spans.records) {
      const auto span = json::parse(record);
      has_more = all.add(span->root()) || has_more;
    }
    if (!has_more) return {};
    for (const std::string& around : pending.spans.surroundings) all.add_surroundings(around);
    document = all.document();
  } else if (document.empty()) {
    document = pending.spans.document();
  }
  import::TextSource source("received", document);
  import::ImportOptions options;
  options.lines = &lines_;
  // Notes that cannot be read, of which only hashes are kept, stay where they are.
  const std::string notes = "refs/sources/otel/" + trace;
  if (known > 0 || !TRY(repository_.store().ref(notes))) options.notes_ref = notes;
  const auto report = TRY(import::formats::kOtel.import(source, repository_, options));
  sums_.traces += 1;
  sums_.turns += report.new_turns;
  sums_.spans += std::max(all.records.size(), pending.spans.records.size()) - known;
  if (!report.main_ref.empty()) sums_.ref = report.main_ref;
  return {};
}

Result<void> TraceRecorder::record(Clock::time_point now, bool is_final) {
  const bool is_all = is_final || bytes_ > kMostPending;
  lines_ = {};  // Others may have written meanwhile.
  for (auto each = pending_.begin(); each != pending_.end();) {
    const auto& [trace, pending] = *each;
    const auto next = next_.find(trace);
    const bool is_due =
        is_all || (now - pending.last >= kQuiet && (next == next_.end() || now >= next->second));
    if (!is_due) {
      ++each;
      continue;
    }
    const auto start = Clock::now();
    const auto done = record_one(trace, pending);
    if (!done && proxy::may_pass(done.error())) return done.error();
    for (const std::string& post : pending.posts) posts_.close(post, !done);
    const auto end = Clock::now();
    next_[trace] = end + kShare * (end - start);
    each = pending_.erase(each);
  }
  if (pending_.empty()) bytes_ = 0;
  std::erase_if(next_, [&](const auto& entry) { return entry.second <= now; });
  return {};
}

}  // namespace spoor::receive
