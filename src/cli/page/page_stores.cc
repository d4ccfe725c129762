#include "cli/page/page_stores.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "api/operations/line.h"
#include "api/turns/follow.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "cli/batch/verbs.h"
#include "cli/terminal/memory_terminal.h"

namespace spoor::cli::page {
namespace {

constexpr std::size_t kMostStores = 4;
constexpr std::size_t kMostLong = kMostStores / 2;
constexpr std::size_t kMostKept = 16;
constexpr std::size_t kMostKeptBytes = 32U << 20U;  // All together.

constexpr std::array<std::string_view, 30> kReads = {
    "answers",    "blame",  "calls",    "compare",     "compile",      "content",
    "cost",       "diff",   "file",     "is_ancestor", "lines",        "log",
    "operations", "oplog",  "pprint",   "prompt",      "reasoning_of", "reasonings",
    "ref_at",     "refs",   "requests", "resolve",     "search",       "sessions",
    "show",       "status", "timeline", "trees",       "turns",        "versions"};

constexpr std::array<std::string_view, 9> kWrites = {
    "annotate", "branch", "compress", "delete_branch", "edit", "merge", "redo", "restore", "undo"};

// Those that read whole sessions, or all of them. They depend on the request and the store alone.
bool reads_all(std::string_view operation) {
  constexpr std::array<std::string_view, 9> kLong = {
      "answers", "calls", "compare", "cost", "file", "lines", "requests", "timeline", "trees"};
  return operation == "sessions" || std::ranges::find(kLong, operation) != kLong.end();
}

// Neither the time nor HEAD, which moves without an operation, changes the answer.
bool may_be_kept(std::string_view operation, std::string_view request) {
  const auto has = [&](std::string_view word) { return request.find(word) != request.npos; };
  const bool names_line = has("revision") || has("before") || operation == "sessions" ||
                          operation == "cost" || operation == "calls" || operation == "file";
  return names_line && !has("since") && !has("HEAD") && !has("@");
}

// Adds the number of erasures to an answer, by which a page knows that what it read before may be
// what nobody may read any more.
std::string with_erasures(std::string answer, std::optional<std::uint64_t> erasures) {
  if (erasures) answer.insert(1, fmt::format(R"("erasures":{},)", *erasures));
  return answer;
}

std::string failure(const Error& error) {
  api::JsonWriter json(true);
  json.object().key("error").object().member("code", name_of(error.code));
  json.member("message", error.message).member("hint", error.hint).end().end();
  return json.take();
}

}  // namespace

bool is_offered(std::string_view operation, bool may_write) {
  return std::ranges::find(kReads, operation) != kReads.end() ||
         (may_write && std::ranges::find(kWrites, operation) != kWrites.end());
}

// A session with the store of its own.
class PageStores::Worker {
 public:
  Worker(Session& of, const std::string& path)
      : session_({terminal_, of.environment(), of.clock()}), commands_(session_) {
    session_.use_store(path);
    session_.restrict_files(Session::Files::below_folder);
  }

  Result<Workspace*> open() { return session_.workspace(); }

  // Returns how often something was erased or swept; nullopt if it cannot be read.
  std::optional<std::uint64_t> erasures() {
    const auto workspace = open();
    if (!workspace) return std::nullopt;
    const auto properties = workspace.value()->store().properties({});
    return properties ? std::optional(properties->erasures) : std::nullopt;
  }

  // Returns a text that differs after each change of the store; empty if it cannot be read.
  std::string state() {
    const auto workspace = open();
    if (!workspace) return {};
    const auto newest = workspace.value()->store().newest_operation();
    return newest && *newest ? (*newest)->name.hex() : std::string();
  }

  Result<std::string> answer(std::string_view operation, std::string_view request) {
    if (!context_) {
      Workspace& workspace = *TRY(session_.workspace());
      context_.emplace(api::operations::Context{workspace, TRY(session_.author()), {}, &commands_});
    }
    TRY(session_.forget_originals());  // These texts are sent to no model.
    TRY(session_.refresh_capture());   // The settings may have changed.
    context_->command = fmt::format("page {}", operation);
    std::string answer = api::operations::answer_line(*context_, request);
    context_->names.clear();
    session_.err().flush();
    terminal_.errors.clear();  // Said to a person.
    return answer;
  }

 private:
  MemoryTerminal terminal_;
  Session session_;
  batch::ShellCommands commands_;
  std::optional<api::operations::Context> context_;
};

// A worker for the time of one answer.
class PageStores::Taken {
 public:
  Taken(PageStores& stores, bool is_long) : stores_(stores), is_long_(is_long) {
    std::unique_lock lock(stores_.mutex_);
    stores_.freed_.wait(lock, [&] {
      const bool has_one = !stores_.free_.empty() || stores_.made_ < kMostStores;
      return has_one && (!is_long_ || stores_.long_ < kMostLong);
    });
    if (is_long_) ++stores_.long_;
    if (stores_.free_.empty()) {
      worker_ = std::make_unique<Worker>(stores_.session_, stores_.path_);
      ++stores_.made_;
    } else {
      worker_ = std::move(stores_.free_.back());
      stores_.free_.pop_back();
    }
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  ~Taken() {
    {
      const std::scoped_lock lock(stores_.mutex_);
      stores_.free_.push_back(std::move(worker_));
      if (is_long_) --stores_.long_;
    }
    stores_.freed_.notify_all();
  }

  Worker& worker() { return *worker_; }

 private:
  PageStores& stores_;
  const bool is_long_;
  std::unique_ptr<Worker> worker_;
};

PageStores::PageStores(Session& session, std::string path, bool may_write)
    : session_(session), path_(std::move(path)), may_write_(may_write) {}
PageStores::~PageStores() = default;

std::string PageStores::answer(std::string_view request) {
  const auto document = json::parse(request);
  if (!document) return failure(document.error());
  const std::string operation = document->root().find("op").text();
  if (!is_offered(operation, may_write_)) {
    if (is_offered(operation, true)) {
      return failure(denied("this page may only read", "start it with 'spoor open --write'"));
    }
    return failure(denied(fmt::format("a page cannot ask for '{}'", operation)));
  }
  const bool is_long = reads_all(operation);
  Taken taken(*this, is_long);
  const auto erasures = taken.worker().erasures();  // Before anything is read.
  const bool is_kept = is_long && may_be_kept(operation, request);
  const std::string state = is_kept ? taken.worker().state() : std::string();
  std::string key = state.empty() ? std::string() : fmt::format("{} {}", state, request);
  if (auto known = kept(key)) return with_erasures(std::move(*known), erasures);
  auto answered = taken.worker().answer(operation, request);
  if (!answered) return failure(answered.error());
  keep(std::move(key), *answered);
  return with_erasures(std::move(*answered), erasures);
}

std::optional<std::string> PageStores::kept(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(cached_, key, &CachedAnswer::key);
  if (key.empty() || found == cached_.end()) return std::nullopt;
  std::rotate(found, found + 1, cached_.end());
  return cached_.back().answer;
}

void PageStores::keep(std::string key, const std::string& answer) {
  if (key.empty()) return;
  const std::scoped_lock lock(mutex_);
  cached_.push_back({std::move(key), answer});
  cached_bytes_ += answer.size();
  while (cached_.size() > kMostKept || cached_bytes_ > kMostKeptBytes) {
    cached_bytes_ -= cached_.front().answer.size();
    cached_.erase(cached_.begin());
  }
}

Result<void> PageStores::follow(const std::function<bool(std::string_view)>& put,
                                const std::function<bool()>& is_over) {
  Worker own(session_, path_);
  const Workspace& workspace = *TRY(own.open());
  api::Follow follow = TRY(api::Follow::begin(workspace, {}, api::Follow::Moves::all));
  auto erasures = own.erasures();
  if (!put(fmt::format(R"({{"ready":true,"erasures":{}}})", erasures.value_or(0)))) return {};
  while (true) {
    bool is_erased = false;
    const auto moved = TRY(follow.wait([&] {
      const auto now = own.erasures();
      is_erased = now && std::exchange(erasures, now) != now;
      return is_erased || is_over();
    }));
    if (is_erased && !put(fmt::format(R"({{"erasures":{}}})", *erasures))) return {};
    if (moved.empty() && !is_erased) return {};
    for (const api::Follow::Moved& each : moved) {
      api::JsonWriter json(true);
      json.object().member("branch", each.branch).member("head", each.tip);
      json.member("position", TRY(workspace.reader().commit(each.tip))->depth);
      json.member("turns", static_cast<std::uint64_t>(each.turns.size())).end();
      std::string event = json.take();
      event.resize(event.find_last_not_of('\n') + 1);
      if (!put(event)) return {};
    }
  }
}

}  // namespace spoor::cli::page
