#include "functions.h"

#include <chrono>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace spoor::node {
namespace {

// How long the end of the process, or of a worker, waits for a run that was stopped.
constexpr std::chrono::seconds kPatience{5};

struct Table {
  std::mutex mutex;
  std::map<std::uintptr_t, std::shared_ptr<Functions>> all;
  std::uintptr_t next = 1;
};

Table& table() {
  static auto* the = new Table;  // Never destroyed: runs may ask until the process ends.
  return *the;
}

napi_value buffer(napi_env env, const std::string& bytes) {
  napi_value value = nullptr;
  napi_create_buffer_copy(env, bytes.size(), bytes.data(), nullptr, &value);
  return value;
}

std::string copied(spoor_str text) {
  return text.size == 0 ? std::string() : std::string(text.data, text.size);
}

}  // namespace

std::uintptr_t Functions::make(napi_env env, napi_value ask, bool holds) {
  auto functions = std::make_shared<Functions>();
  functions->env_ = env;
  auto* kept = new std::shared_ptr<Functions>(functions);  // Until finalize().
  napi_create_threadsafe_function(env, ask, nullptr, string(env, std::string("spoor")), 0, 1, kept,
                                  finalize, nullptr, deliver, &functions->queue_);
  if (!holds) napi_unref_threadsafe_function(env, functions->queue_);
  Table& known = table();
  const std::lock_guard lock(known.mutex);
  functions->number_ = known.next++;
  known.all.emplace(functions->number_, functions);
  return functions->number_;
}

std::shared_ptr<Functions> Functions::find(std::uintptr_t number) {
  Table& known = table();
  const std::lock_guard lock(known.mutex);
  const auto found = known.all.find(number);
  return found == known.all.end() ? nullptr : found->second;
}

void Functions::end_all(napi_env env) {
  std::vector<std::shared_ptr<Functions>> mine;
  {
    Table& known = table();
    const std::lock_guard lock(known.mutex);
    for (const auto& [number, functions] : known.all) {
      if (functions->env_ == env) mine.push_back(functions);
    }
  }
  for (const auto& each : mine) each->stop();
  for (const auto& each : mine) each->wait_for_run();
}

void Functions::release(std::uintptr_t number) {
  const auto functions = find(number);
  if (functions == nullptr) return;
  forget(number);
  functions->stop();
  const std::lock_guard lock(functions->mutex_);
  if (functions->queue_ == nullptr) return;
  napi_release_threadsafe_function(functions->queue_, napi_tsfn_release);
  functions->queue_ = nullptr;
}

void Functions::forget(std::uintptr_t number) {
  Table& known = table();
  const std::lock_guard lock(known.mutex);
  known.all.erase(number);
}

std::optional<Functions::Answer> Functions::ask(const char* function, spoor_str name,
                                                spoor_str text) {
  std::unique_lock lock(mutex_);
  if (is_stopped_) return std::nullopt;
  const std::uint64_t number = next_++;
  Question question{function, name, text, false, {}};
  questions_.emplace(number, &question);
  const bool is_posted = post([self = shared_from_this(), number](napi_env env, napi_value asked) {
    self->put(env, asked, number);
  });
  if (is_posted) changed_.wait(lock, [&] { return question.is_over || is_stopped_; });
  questions_.erase(number);
  return std::move(question.answer);
}

// Hands a question to JavaScript.
void Functions::put(napi_env env, napi_value ask, std::uint64_t number) {
  const char* function = nullptr;
  std::string name;
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    const auto found = questions_.find(number);
    if (found == questions_.end()) return;
    function = found->second->function;
    name = copied(found->second->name);
    text = copied(found->second->text);
  }
  napi_value arguments[4] = {nullptr, string(env, std::string(function)), string(env, name),
                             buffer(env, text)};
  napi_create_bigint_uint64(env, number, arguments);
  if (napi_call_function(env, undefined(env), ask, 4, arguments, nullptr) == napi_ok) return;
  // A worker that is terminated runs no more JavaScript.
  napi_value error = nullptr;
  napi_get_and_clear_last_exception(env, &error);
  answer(number, std::nullopt);
}

void Functions::answer(std::uint64_t question, std::optional<Answer> given) {
  const std::lock_guard lock(mutex_);
  const auto found = questions_.find(question);
  if (found == questions_.end()) return;
  found->second->answer = std::move(given);
  found->second->is_over = true;
  changed_.notify_all();
}

void Functions::stop() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  changed_.notify_all();
}

bool Functions::is_stopped() {
  const std::lock_guard lock(mutex_);
  return is_stopped_;
}

void Functions::execute_apart(napi_env env, std::unique_ptr<Job> job) {
  const std::shared_ptr<Job> shared = std::move(job);
  const std::lock_guard lock(mutex_);
  try {
    std::thread([self = shared_from_this(), shared] {
      execute(*shared);
      const std::lock_guard inside(self->mutex_);
      self->post([shared](napi_env settling, napi_value /*ask*/) { settle(settling, *shared); });
      self->is_executing_ = false;
      self->changed_.notify_all();
    }).detach();
    is_executing_ = true;
  } catch (const std::system_error& error) {
    shared->code = SPOOR_UNAVAILABLE;
    shared->message = std::string("cannot start a thread: ") + error.what();
    settle(env, *shared);
  }
}

bool Functions::post(Work work) {
  if (queue_ == nullptr) return false;
  auto* posted = new Work(std::move(work));  // Until deliver().
  if (napi_call_threadsafe_function(queue_, posted, napi_tsfn_nonblocking) == napi_ok) return true;
  delete posted;
  queue_ = nullptr;  // It may not be used again.
  return false;
}

// `env` is null for work that is left when the queue ends.
void Functions::deliver(napi_env env, napi_value ask, void* /*context*/, void* data) {
  const std::unique_ptr<Work> work(static_cast<Work*>(data));
  if (env != nullptr) (*work)(env, ask);
}

// After release(), or at the end of a worker or of a process that has nothing left to do.
void Functions::finalize(napi_env /*env*/, void* data, void* /*hint*/) {
  const std::unique_ptr<std::shared_ptr<Functions>> kept(
      static_cast<std::shared_ptr<Functions>*>(data));
  (*kept)->close();
}

void Functions::close() {
  forget(number_);
  {
    const std::lock_guard lock(mutex_);
    queue_ = nullptr;
  }
  stop();
  wait_for_run();
}

void Functions::wait_for_run() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatience, [&] { return !is_executing_; });
}

// ---- As c.h has them. `context` is the number. ----

namespace {

constexpr std::string_view kStopped = "the run was stopped before the function returned";

std::optional<Functions::Answer> ask(void* context, const char* function, spoor_str name,
                                     spoor_str text) {
  const auto functions = Functions::find(reinterpret_cast<std::uintptr_t>(context));
  return functions ? functions->ask(function, name, text) : std::nullopt;
}

// Asks, and gives the bytes of the answer. Returns its number, or `otherwise` if there is none.
std::int32_t reply_of(void* context, const char* function, spoor_str name, spoor_str text,
                      spoor_reply* reply, std::int32_t otherwise) {
  const auto answer = ask(context, function, name, text);
  if (!answer) {
    spoor_give(reply, kStopped.data(), kStopped.size());
    return otherwise;
  }
  spoor_give(reply, answer->bytes.data(), answer->bytes.size());
  return static_cast<std::int32_t>(answer->number);
}

std::int64_t now(void* context) {
  using std::chrono::microseconds;
  if (const auto answer = ask(context, "now", {}, {})) return answer->number;
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<microseconds>(since).count();
}

std::int32_t scrub(void* context, spoor_str slot, spoor_str text, spoor_reply* reply) {
  return reply_of(context, "scrub", slot, text, reply, 1);
}

std::int32_t send(void* context, spoor_str url, spoor_str body, spoor_reply* reply) {
  return reply_of(context, "send", url, body, reply, 0);
}

std::int32_t call_tool(void* context, spoor_str tool, spoor_str arguments, spoor_reply* reply) {
  return reply_of(context, "callTool", tool, arguments, reply, 1);
}

std::int32_t approve(void* context, spoor_str tool, spoor_str arguments, spoor_reply* reason) {
  return reply_of(context, "approve", tool, arguments, reason, -1);
}

std::int32_t event(void* context, spoor_str event, spoor_str text) {
  const auto answer = ask(context, "event", event, text);
  return answer ? static_cast<std::int32_t>(answer->number) : 1;
}

std::int32_t is_stopped(void* context) {
  const auto functions = Functions::find(reinterpret_cast<std::uintptr_t>(context));
  return functions == nullptr || functions->is_stopped() ? 1 : 0;
}

// For a run whose events nobody hears: it stops at once, not when it is asked.
std::int32_t unheard(void* context, spoor_str /*event*/, spoor_str /*text*/) {
  return is_stopped(context);
}

}  // namespace

spoor_store_functions store_functions(std::uintptr_t number, bool has_clock, bool has_scrub) {
  return {sizeof(spoor_store_functions), reinterpret_cast<void*>(number), has_clock ? now : nullptr,
          has_scrub ? scrub : nullptr};
}

spoor_run_functions run_functions(std::uintptr_t number, bool has_send, bool has_approve,
                                  bool has_event) {
  return {sizeof(spoor_run_functions),
          reinterpret_cast<void*>(number),
          has_send ? send : nullptr,
          call_tool,
          has_approve ? approve : nullptr,
          has_event ? event : unheard,
          is_stopped};
}

}  // namespace spoor::node
