#include "job.h"

namespace spoor::node {
namespace {

napi_value error_of(napi_env env, const Job& job) {
  void* kept = nullptr;
  napi_get_instance_data(env, &kept);
  napi_value made = nullptr;
  napi_value type = nullptr;
  napi_get_reference_value(env, static_cast<napi_ref>(kept), &type);
  napi_value arguments[] = {string(env, std::string(spoor_code_name(job.code))),
                            string(env, job.message), string(env, job.hint)};
  napi_new_instance(env, type, 3, arguments, &made);
  return made;
}

void execute_queued(napi_env /*env*/, void* data) { execute(*static_cast<Job*>(data)); }

void complete(napi_env env, napi_status status, void* data) {
  const std::unique_ptr<Job> job(static_cast<Job*>(data));
  if (status == napi_ok) settle(env, *job);
  napi_delete_async_work(env, job->work);
}

}  // namespace

void use_error(napi_env env, napi_value type) {
  napi_ref kept = nullptr;
  napi_create_reference(env, type, 1, &kept);
  napi_set_instance_data(env, kept, nullptr, nullptr);
}

void execute(Job& job) {
  job.code = job.run();
  if (job.code <= SPOOR_OK) return;
  spoor_error error;
  spoor_last_error(&error);
  job.message.assign(error.message.data, error.message.size);
  job.hint.assign(error.hint.data, error.hint.size);
}

void settle(napi_env env, const Job& job) {
  if (job.code > SPOOR_OK) {
    napi_reject_deferred(env, job.deferred, error_of(env, job));
  } else {
    napi_resolve_deferred(env, job.deferred, job.give(env));
  }
}

void queue(napi_env env, std::unique_ptr<Job> job) {
  napi_create_async_work(env, nullptr, string(env, std::string("spoor")), execute_queued, complete,
                         job.get(), &job->work);
  napi_queue_async_work(env, job->work);
  static_cast<void>(job.release());  // complete() has it.
}

}  // namespace spoor::node
