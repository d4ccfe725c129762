#include "cli/page/page_stores.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "api/operations/line.h"
#include "api/turns/follow.h"
#include "base/json/reader.h"
#include "cli/batch/verbs.h"
#include "cli/terminal/memory_terminal.h"

namespace spoor::cli::page {
namespace {

constexpr std::size_t kMostStores = 4;

constexpr std::array<std::string_view, 27> kReads = {
    "lines",      "sessions", "requests", "turns",    "timeline", "file",         "calls",
    "cost",       "compare",  "resolve",  "show",     "log",      "compile",      "diff",
    "reasonings", "content",  "search",   "refs",     "status",   "reasoning_of", "is_ancestor",
    "operations", "ref_at",   "prompt",   "versions", "pprint",   "blame"};

constexpr std::array<std::string_view, 7> kWrites = {"annotate", "branch",  "delete_branch", "edit",
                                                     "redo",     "restore", "undo"};

// A file of the working folder, and none that a link leads out of it to.
bool is_here(const std::string& file, const std::string& folder) {
  std::error_code problem;
  const std::filesystem::path here = std::filesystem::weakly_canonical(folder, problem);
  if (problem || folder.empty()) return false;
  const std::filesystem::path there = std::filesystem::weakly_canonical(here / file, problem);
  const auto [end, rest] = std::mismatch(here.begin(), here.end(), there.begin(), there.end());
  return !problem && end == here.end();
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
  }

  Result<Workspace*> open() { return session_.workspace(); }

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
  explicit Taken(PageStores& stores) : stores_(stores) {
    std::unique_lock lock(stores_.mutex_);
    stores_.freed_.wait(lock,
                        [&] { return !stores_.free_.empty() || stores_.made_ < kMostStores; });
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
    }
    stores_.freed_.notify_one();
  }

  Worker& worker() { return *worker_; }

 private:
  PageStores& stores_;
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
  if (operation == "blame" &&
      !is_here(document->root().find("revision").text(), session_.environment().directory())) {
    return failure(denied("this file is not in the folder that 'spoor open' was started in"));
  }
  Taken taken(*this);
  auto answered = taken.worker().answer(operation, request);
  return answered ? std::move(*answered) : failure(answered.error());
}

Result<void> PageStores::follow(const std::function<bool(std::string_view)>& put,
                                const std::function<bool()>& is_over) {
  Worker own(session_, path_);
  const Workspace& workspace = *TRY(own.open());
  api::Follow follow = TRY(api::Follow::begin(workspace, {}));
  if (!put(R"({"ready":true})")) return {};
  while (true) {
    const auto moved = TRY(follow.wait(is_over));
    if (moved.empty()) return {};
    for (const api::Follow::Moved& each : moved) {
      api::JsonWriter json(true);
      json.object().member("branch", each.branch).member("head", each.turns.back());
      json.member("position", TRY(workspace.reader().commit(each.turns.back()))->depth);
      json.member("turns", static_cast<std::uint64_t>(each.turns.size())).end();
      std::string event = json.take();
      event.resize(event.find_last_not_of('\n') + 1);
      if (!put(event)) return {};
    }
  }
}

}  // namespace spoor::cli::page
