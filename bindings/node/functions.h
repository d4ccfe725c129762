#pragma once

// The functions of a program that a store or a run calls. The library calls them on threads of its
// own, but JavaScript has one: a thread asks and waits, and JavaScript answers when it can.
#include <node_api.h>
#include <spoor/c.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "job.h"

namespace spoor::node {

// The functions of one store or one run, behind one function of JavaScript. Safe from any thread,
// unless a method says otherwise. A thread that asks never waits for JavaScript that has ended.
//
// The library gets their number, never a pointer: a call that comes after their end finds nothing.
class Functions : public std::enable_shared_from_this<Functions> {
 public:
  struct Answer {
    std::int64_t number = 0;
    std::string bytes;
  };

  // Makes the functions behind `ask`, which is called with the number of the question, the name of
  // the function and its two arguments: a text, and bytes. With `holds` the process does not end
  // before release(). On the thread of JavaScript.
  static std::uintptr_t make(napi_env env, napi_value ask, bool holds);
  // Returns null once they were released.
  static std::shared_ptr<Functions> find(std::uintptr_t number);
  // Stops all that this JavaScript made, and waits for their runs, but not for long: the process
  // ends, and with it the memory that runs use. On the thread of JavaScript.
  static void end_all(napi_env env);
  // Lets JavaScript's function go. Who asks now or later gets no answer.
  static void release(std::uintptr_t number);

  // Asks, and waits. Returns nullopt without an answer: they were stopped or released, or
  // JavaScript ends. Not on the thread of JavaScript.
  std::optional<Answer> ask(const char* function, spoor_str name, spoor_str text);
  // Answers a question, unless nobody waits for it any more.
  void answer(std::uint64_t question, std::optional<Answer> given);
  // From here on nobody waits, and no question is asked.
  void stop();
  bool is_stopped();

  // Executes a job on a thread of its own, and settles it. libuv's pool has four threads, and such
  // a job may wait for long. On the thread of JavaScript.
  void execute_apart(napi_env env, std::unique_ptr<Job> job);

 private:
  using Work = std::function<void(napi_env, napi_value ask)>;
  struct Question {
    const char* function;
    spoor_str name;
    spoor_str text;
    bool is_over = false;
    std::optional<Answer> answer;
  };

  static void forget(std::uintptr_t number);
  static void deliver(napi_env env, napi_value ask, void* context, void* data);
  static void finalize(napi_env env, void* data, void* hint);
  bool post(Work work);  // With mutex_. Returns false if JavaScript ends.
  void put(napi_env env, napi_value ask, std::uint64_t number);
  void close();
  void wait_for_run();  // After stop().

  napi_env env_ = nullptr;
  std::uintptr_t number_ = 0;
  std::mutex mutex_;  // Guards all below.
  std::condition_variable changed_;
  napi_threadsafe_function queue_ = nullptr;  // Null: it is closed.
  std::map<std::uint64_t, Question*> questions_;
  std::uint64_t next_ = 0;
  bool is_stopped_ = false;
  bool is_executing_ = false;
};

// Returns the functions with this number as those of c.h. The number is their context.
spoor_store_functions store_functions(std::uintptr_t number, bool has_clock, bool has_scrub);
spoor_run_functions run_functions(std::uintptr_t number, bool has_send, bool has_approve,
                                  bool has_event);

}  // namespace spoor::node
