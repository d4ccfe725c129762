#include "cli/page/page_file.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/utf8.h"
#include "cli/export/exported_sessions.h"
#include "cli/export/output_file.h"
#include "cli/page/page_assets.h"
#include "cli/page/page_prompts.h"
#include "cli/page/page_stores.h"
#include "cli/settings/store_path.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "report/debrief/markup.h"
#include "store/sha256.h"

namespace spoor::cli::page {
namespace {

using json::Value;
using report::debrief::html_line;
using report::debrief::html_text;

constexpr std::uint64_t kMostTurns = 20'000;
constexpr std::size_t kMostPictureBytes = 16U << 20U;  // All pictures, as base64.
constexpr std::size_t kMostCompared = 6;               // Branches, each with each.
constexpr std::uint64_t kWindow = 50;
constexpr std::size_t kPieces = 1200;  // As page/src/session.tsx asks for.

constexpr std::string_view kStaticStyle = R"(
#app { display: none; }
html, body { height: auto; overflow: visible; }
main.saved { max-width: 60rem; margin: 0 auto; padding: 1rem; }
main.saved h2 { margin: 2rem 0 .3rem; }
main.saved .who { margin: 1rem 0 .2rem; font-weight: 650; }
main.saved pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .3rem .6rem; border-left: 3px solid var(--line-strong); }
main.saved .reasoning pre { color: var(--thought); }
main.saved .failed .who { color: var(--failed); }
)";

std::string quoted(std::string_view text) { return json::write_string(text); }

// An answer of an operation. Its document borrows its text, so it does not move.
struct Answer {
  std::string text;
  json::Document document;
  Value result;
};

// Returns the beginning of a text, for a heading.
std::string_view beginning_of(std::string_view text) {
  constexpr std::size_t kMost = 160;
  return cut_to_bytes(text, kMost);
}

// Returns an object with other values for some of its members.
std::string with_members(const Value& object,
                         const std::vector<std::pair<std::string_view, std::string>>& others) {
  std::string out;
  for (const json::Member member : object.members()) {
    std::string value(member.value.raw());
    for (const auto& [key, other] : others) {
      if (member.key.equals(key)) value = other;
    }
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", member.key.raw(), value);
  }
  return "{" + out + "}";
}

// Returns a turn, a request or the record of a commit, which is clean already, without the texts
// that were cut before: no rule finds a half of a secret.
std::string without_cut_texts(const std::string& clean) {
  json::Document document;
  if (!json::parse_one(clean, document) || !document.root().is_object()) return clean;
  const Value root = document.root();
  std::vector<std::string> calls;
  for (const Value call : root.find("calls").elements()) {
    calls.push_back(with_members(call, {{"target", quoted("")}}));
  }
  return with_members(
      root, {{"message", quoted(beginning_of(root.find("text").text()))},
             {"calls", root.find("calls").is_array() ? json::write_array(calls)
                                                     : std::string(root.find("calls").raw())}});
}

// Values that are written once; others name them by their place.
class Pool {
 public:
  explicit Pool(ExportedSessions& sessions) : sessions_(sessions) {}

  Result<std::size_t> add(std::string_view value) {
    const auto [place, is_new] = places_.try_emplace(std::string(value), values_.size());
    if (is_new) {
      std::string clean = TRY(sessions_.redact(std::string(value)));
      if (sessions_.is_redacting()) clean = without_cut_texts(clean);
      values_.push_back(std::move(clean));
    }
    return place->second;
  }

  const std::string& at(std::size_t place) const { return values_[place]; }
  std::string write() const { return json::write_array(values_); }

 private:
  ExportedSessions& sessions_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::string> values_;
};

// A turn for readers without scripts.
void append_static(std::string& out, const Value& turn) {
  const std::string kind = turn.find("kind").text();
  const std::string text = turn.find("text").text();
  const auto position = turn.find("position").integer().value_or(0);
  if (kind == "user" && !turn.find("is_injected").is_true()) {
    out += "<h2>" + html_line(beginning_of(text)) + "</h2>\n";
  }
  const bool is_failed = turn.find("is_error").is_true();
  out += fmt::format("<section class=\"{}{}\"><p class=\"who\">{} {}", html_line(kind),
                     is_failed ? " failed" : "", position, html_line(kind));
  for (const char* member : {"model", "time", "priority"}) {
    const std::string fact = turn.find(member).text();
    if (!fact.empty()) out += " <small>" + html_line(fact) + "</small>";
  }
  out += "</p>\n";
  if (!text.empty()) out += "<pre>" + html_text(text) + "</pre>\n";
  for (const Value call : turn.find("calls").elements()) {
    const bool is_result = kind == "tool";
    out += fmt::format("<p>{} <b>{}</b> {} {}</p>\n", is_result ? "result of" : "calls",
                       html_line(call.find("tool").text()), html_line(call.find("target").text()),
                       html_line(call.find("outcome").text()));
    if (!is_result) out += "<pre>" + html_text(call.find("arguments").text()) + "</pre>\n";
    for (const Value edit : call.find("edits").elements()) {
      const std::string diff = edit.find("diff").text();
      out += "<p>" + html_line(edit.find("path").text()) + "</p>\n";
      if (!diff.empty()) out += "<pre>" + html_text(diff) + "</pre>\n";
    }
  }
  out += "</section>\n";
}

// Reads all that the page may ask about a session, and writes it as page/src/saved.ts reads it.
class PageData {
 public:
  PageData(PageStores& stores, ExportedSessions& sessions, const graph::Repository& repository,
           const Arguments& arguments, Session& session)
      : stores_(stores),
        sessions_(sessions),
        progress_(session.terminal(), "exporting"),
        pool_(sessions),
        prompts_(repository, arguments.has("--include-reasoning"),
                 [this](std::string_view value) { return pool_.add(value); }) {}

  Result<void> read(const ExportedLine& line, const std::string& revision) {
    const auto lines = TRY(ask("lines", "\"revision\":[" + quoted(revision) + "]"));
    std::vector<Value> rows;
    for (const Value row : lines->result.find("lines").elements()) rows.push_back(row);
    for (const Value& row : rows) {
      all_ += static_cast<std::uint64_t>(row.find("own").integer().value_or(0));
    }
    if (all_ > kMostTurns) {
      return denied(
          fmt::format("'{}' has {} turns, and a page takes at most {}", revision, all_, kMostTurns),
          "export a branch or a commit of it, or look at it with 'spoor open'");
    }
    if (line.others.size() + 1 > rows.size()) {
      sessions_.left_out().add(report::left_out::kBranches, line.others.size() + 1 - rows.size());
    }
    TRY(read_session(line));
    std::vector<std::string> written;
    written.reserve(rows.size());
    for (const Value& row : rows) written.push_back(TRY(read_line(row, written.empty())));
    lines_ = json::write_array(written);
    TRY(read_compared(rows));
    progress_.clear();
    return {};
  }

  std::string write() const {
    return fmt::format(
        "{{\"pool\":{},\"session\":{},\"lines\":{},\"commits\":{},\"prompts\":{},"
        "\"sent\":{},\"contents\":{},\"compared\":{}}}",
        pool_.write(), session_, lines_, commits_.write(), json::write_array(written_),
        sent_.write(), contents_.write(), json::write_array(compared_));
  }

  /// All turns as HTML.
  const std::string& readable() const { return readable_; }

 private:
  Result<std::unique_ptr<Answer>> ask(std::string_view op, std::string_view members = {}) {
    auto answer = std::make_unique<Answer>();
    answer->text = stores_.answer(
        fmt::format("{{\"op\":\"{}\"{}{}}}", op, members.empty() ? "" : ",", members));
    const json::Reading reading = json::parse_one(answer->text, answer->document);
    if (!reading) throw std::logic_error("an answer is not JSON");
    const Value root = answer->document.root();
    if (const Value error = root.find("error")) {
      return not_found(error.find("message").text(), error.find("hint").text());
    }
    answer->result = root.find("result");
    return answer;
  }

  Result<std::string> clean(const Value& value) {
    return sessions_.redact(std::string(value ? value.raw() : "null"));
  }

  Result<void> read_session(const ExportedLine& line) {
    const auto answer = TRY(ask("sessions"));
    for (const Value row : answer->result.find("sessions").elements()) {
      for (const Value branch : row.find("branches").elements()) {
        if (line.branch.empty() || !branch.equals(line.branch)) continue;
        session_ = TRY(sessions_.redact(sessions_.is_redacting()
                                            ? with_members(row, {{"title", quoted(line.branch)}})
                                            : std::string(row.raw())));
      }
    }
    return {};
  }

  Result<std::string> read_line(const Value& row, bool is_first) {
    const std::string name = row.find("name").text();
    const std::string revision = quoted(row.find("head").text());
    const auto parts_at = static_cast<std::uint64_t>(row.find("parts_at").integer().value_or(0));
    readable_ += "<h1>" + html_line(name) + "</h1>\n";
    std::vector<std::string> turns;
    std::vector<std::size_t> places;
    for (std::uint64_t from = 0;; from += kWindow) {
      const auto answer = TRY(ask("turns", fmt::format("\"revision\":{},\"from\":{},\"limit\":{},"
                                                       "\"chars\":1000000000",
                                                       revision, from, kWindow)));
      std::uint64_t count = 0;
      for (const Value turn : answer->result.find("turns").elements()) {
        if (is_interrupted()) return interrupted("stopped", "nothing was written");
        const std::size_t place = TRY(pool_.add(turn.raw()));
        turns.push_back(std::to_string(place));
        places.push_back(place);
        if (is_first || from + count >= parts_at) TRY(add_static(place));
        TRY(read_commit(turn.find("commit").text()));
        TRY(read_pictures(turn));
        ++count;
      }
      if (count < kWindow) break;
    }
    const auto pieces =
        TRY(ask("timeline", fmt::format("\"revision\":{},\"buckets\":{}", revision, kPieces)));
    const auto requests =
        TRY(ask("requests", fmt::format("\"revision\":{},\"brief\":true", revision)));
    const auto covered =
        TRY(ask("compile", fmt::format("\"rev\":{},\"last\":0,\"coverage\":true", revision)));
    return fmt::format("{{\"row\":{},\"turns\":{},\"pieces\":{},\"requests\":{},\"coverage\":{}}}",
                       TRY(clean(row)), json::write_array(turns),
                       TRY(clean(pieces->result.find("pieces"))),
                       TRY(clean_requests(requests->result.find("requests"), places)),
                       TRY(clean(covered->result.find("coverage"))));
  }

  // A redacted list of requests has the beginnings of the redacted turns.
  Result<std::string> clean_requests(const Value& requests,
                                     const std::vector<std::size_t>& places) {
    if (!sessions_.is_redacting()) return clean(requests);
    std::vector<std::string> out;
    for (const Value request : requests.elements()) {
      const auto position = request.find("position").integer().value_or(-1);
      json::Document turn;
      std::string text;
      if (position >= 0 && static_cast<std::size_t>(position) < places.size() &&
          json::parse_one(pool_.at(places[static_cast<std::size_t>(position)]), turn)) {
        text = turn.root().find("text").text();
      }
      out.push_back(with_members(request, {{"text", quoted(beginning_of(text))}}));
    }
    return json::write_array(out);
  }

  Result<void> add_static(std::size_t place) {
    json::Document document;
    if (!json::parse_one(pool_.at(place), document)) throw std::logic_error("a turn is not JSON");
    append_static(readable_, document.root());
    return {};
  }

  // The record of a commit, the prompt there, and the request that it answered.
  Result<void> read_commit(const std::string& hash) {
    if (!commits_done_.insert(hash).second) return {};
    progress_.update(commits_done_.size(), std::max<std::uint64_t>(all_, commits_done_.size()), {});
    const auto record = TRY(ask("show", "\"rev\":" + quoted(hash)));
    commits_.add_json(hash, std::to_string(TRY(pool_.add(record->result.raw()))));
    const auto prompt = TRY(prompts_.at(*store::Oid::from_hex(hash)));
    written_.push_back(fmt::format("{{\"rest\":{},\"messages\":{},\"left_out\":{}}}",
                                   TRY(sessions_.redact(prompt.rest)), prompt.messages,
                                   prompt.left_out));
    if (record->result.find("type").equals("assistant")) TRY(read_sent(hash));
    return {};
  }

  // What is known of a recorded request, without its bytes: each has all of the one before.
  Result<void> read_sent(const std::string& hash) {
    const auto answer = ask("prompt", "\"revision\":" + quoted(hash));
    if (!answer) return {};
    const Value sent = (*answer)->result;
    const Value body = sent.find("body");
    if (body && !body.is(json::Type::null)) sessions_.left_out().add("bytes of recorded requests");
    sent_.add_json(hash, TRY(sessions_.redact(with_members(sent, {{"body", "null"}}))));
    return {};
  }

  Result<void> read_pictures(const Value& turn) {
    for (const Value each : turn.find("attach").elements()) {
      const std::string hash = each.find("hash").text();
      if (!each.find("media_type").text().starts_with("image/")) continue;  // Not shown.
      if (!pictures_done_.insert(hash).second) continue;
      const auto answer = ask("content", "\"hash\":" + quoted(hash));
      const std::string bytes = answer ? (*answer)->result.find("base64").text() : std::string();
      picture_bytes_ += bytes.size();
      if (bytes.empty() || picture_bytes_ > kMostPictureBytes) {
        sessions_.left_out().add(report::left_out::kPictures);
        continue;
      }
      contents_.add_string(hash, bytes);
    }
    return {};
  }

  Result<void> read_compared(const std::vector<Value>& rows) {
    if (sessions_.is_redacting()) {  // It has beginnings of texts.
      sessions_.left_out().add("titles, targets of calls and comparisons of calls (--redact)");
      return {};
    }
    const std::size_t count = std::min(rows.size(), kMostCompared);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        if (i == j) continue;
        const std::string before = quoted(rows[i].find("name").text());
        const std::string after = quoted(rows[j].find("name").text());
        const auto answer =
            ask("compare", fmt::format("\"before\":{},\"after\":{},\"all\":true",
                                       rows[i].find("head").raw(), rows[j].find("head").raw()));
        if (!answer) continue;
        compared_.push_back(fmt::format("{{\"before\":{},\"after\":{},\"calls\":{}}}", before,
                                        after, TRY(clean((*answer)->result.find("calls")))));
      }
    }
    return {};
  }

  PageStores& stores_;
  ExportedSessions& sessions_;
  Progress progress_;
  Pool pool_;
  std::string session_ = "null";
  std::uint64_t all_ = 0;
  std::string lines_, readable_;
  json::Object commits_, sent_, contents_;  // By hash.
  PagePrompts prompts_;
  std::vector<std::string> written_, compared_;  // Prompts, and comparisons of branches.
  std::set<std::string> commits_done_, pictures_done_;
  std::size_t picture_bytes_ = 0;
};

std::string_view asset(std::string_view path) {
  for (const PageFile& file : page_files()) {
    if (file.path == path) return file.bytes;
  }
  throw std::logic_error("the page has no such file");
}

std::string digest_of(std::string_view text) { return encode_base64(store::sha256(text).view()); }

// An element that a text inside it could end would be markup of that text.
void require_inside(std::string_view text, std::string_view end) {
  if (text.find(end) != text.npos || text.find("<!--") != text.npos) {
    throw std::logic_error("a file of the page ends its own element");
  }
}

std::string document_of(const PageData& data, std::string_view title, std::string_view licence) {
  const std::string_view script = asset("/app.js");
  const std::string_view style = asset("/style.css");
  require_inside(script, "</script");
  require_inside(style, "</style");
  std::string out = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'sha256-{}'; style-src 'sha256-{}' 'sha256-{}'; img-src blob: data:; base-uri 'none'; "
      "form-action 'none'; require-trusted-types-for 'script'\">\n",
      digest_of(script), digest_of(style), digest_of(kStaticStyle));
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += "<meta name=\"color-scheme\" content=\"light dark\">\n";
  out += "<meta name=\"referrer\" content=\"no-referrer\">\n";
  if (!licence.empty()) out += "<meta name=\"license\" content=\"" + html_line(licence) + "\">\n";
  out += "<title>" + html_line(title) + "</title>\n<link rel=\"icon\" href=\"data:,\">\n";
  out.append("<style>").append(style).append("</style>\n</head>\n<body>\n<div id=\"app\"></div>\n");
  out.append("<noscript><style>").append(kStaticStyle).append("</style>\n<main class=\"saved\">\n");
  out.append(data.readable()).append("</main></noscript>\n");
  out += "<script type=\"application/gzip\" id=\"saved\">";
  out += encode_base64(gzip(data.write()));
  out.append("</script>\n<script>").append(script).append("</script>\n</body>\n</html>\n");
  return out;
}

constexpr std::array kNotForPages = {"--at",   "--window", "--budget",  "--strict", "--to",
                                     "--tree", "--agent",  "--project", "--model",  "--since"};

}  // namespace

Result<void> export_page(Session& session, const Arguments& arguments) {
  for (const char* option : kNotForPages) {
    if (!arguments.has(option)) continue;
    return session.usage_error(fmt::format("--page cannot be used with {}", option),
                               "see 'spoor help export'");
  }
  const std::string path = arguments.text("--output");
  if (path.empty()) {
    return session.usage_error("--page needs -o FILE", "such as: spoor export 1 --page -o 1.html");
  }
  const auto& revisions = arguments.all("revision");
  if (revisions.size() != 1) {
    return session.usage_error("--page takes one session",
                               "name one, such as: spoor export 1 --page -o 1.html");
  }
  const std::string store = find_store(session.environment(), arguments.text("--store"));
  if (store.empty()) return not_found("no store here", "make one: spoor import");
  const auto sessions = TRY(ExportedSessions::make(session, arguments));
  const ExportedLine line = TRY(sessions->lines()).front();
  const Cancellable cancellable;
  std::uint64_t count = 0;
  if (TRY(sessions->is_covered(line.head))) {
    PageStores stores(session, store, false);
    TRY(session.forget_originals());
    PageData data(stores, *sessions, TRY(session.workspace())->repository(), arguments, session);
    TRY(data.read(line, revisions.front()));
    // A title was cut, and no rule finds a half of a secret.
    const bool has_title = !line.title.empty() && !sessions->is_redacting();
    const std::string title = has_title ? line.title : revisions.front();
    const std::string document = document_of(data, title, arguments.text("--licence"));
    TRY(write_output(session, path, document));
    count = 1;
  } else {
    sessions->left_out().add(report::left_out::kCoverage);
  }
  session.out().flush();
  sessions->print_left_out(count, "session");
  if (count == 0) return not_found("nothing to export", "see 'spoor help export'");
  return {};
}

}  // namespace spoor::cli::page
