#pragma once

// Calls of the library, and the promises of their results.
#include <node_api.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "values.h"

namespace spoor::node {

// A call on its way: `run` works on any thread, `give` makes the value that the promise has.
struct Job {
  std::function<std::int32_t()> run;
  std::function<napi_value(napi_env)> give;
  napi_async_work work = nullptr;
  napi_deferred deferred = nullptr;
  std::int32_t code = SPOOR_BUG;
  std::string message;
  std::string hint;
};

// Makes the class of errors known, SpoorError of lib/errors.js.
void use_error(napi_env env, napi_value type);

// Runs a job and keeps its error, which belongs to this thread.
void execute(Job& job);

// Resolves or rejects the promise of a job that was executed. On the thread of JavaScript.
void settle(napi_env env, const Job& job);

// Runs a job on libuv's pool, and settles it.
void queue(napi_env env, std::unique_ptr<Job> job);

// Makes a job and its promise. `run` and `give` share the result as an `Out`.
template <class Out, class Run, class Give>
std::unique_ptr<Job> make_job(napi_env env, Run run, Give give, napi_value* promise) {
  auto out = std::make_shared<Out>();
  auto job = std::make_unique<Job>();
  job->run = [out, run = std::move(run)] { return run(*out); };
  job->give = [job = job.get(), out, give = std::move(give)](napi_env inside) {
    return give(inside, *out, job->code);
  };
  napi_create_promise(env, &job->deferred, promise);
  return job;
}

// Where a call runs. Handing it to the pool and back costs more than a short read takes.
enum class Where : std::uint8_t { pool, here };

// Starts a call and returns its promise.
template <class Out, class Run, class Give>
napi_value start(napi_env env, Run run, Give give, Where where = Where::pool) {
  napi_value promise = nullptr;
  auto job = make_job<Out>(env, std::move(run), std::move(give), &promise);
  if (where == Where::pool) {
    queue(env, std::move(job));
  } else {
    execute(*job);
    settle(env, *job);
  }
  return promise;
}

struct Nothing {};

inline napi_value give_nothing(napi_env env, Nothing&, std::int32_t /*code*/) {
  return undefined(env);
}

// SPOOR_DONE gives undefined.
inline napi_value give_text(napi_env env, Buffer& text, std::int32_t code) {
  return code == SPOOR_DONE ? undefined(env) : string(env, text.bytes.data, text.bytes.size);
}

}  // namespace spoor::node
