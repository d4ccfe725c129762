// The Node-API addon: the functions of <spoor/c.h> as functions that return promises. The calls run
// on libuv's pool. lib/addon.js gives them names and types; nothing else loads this file.
#include <node_api.h>
#include <spoor/c.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

// ---- Values ----

spoor_str str(const std::string& text) { return {text.data(), text.size()}; }

// A spoor_buffer with its owner.
struct Buffer {
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { spoor_free(bytes.data); }
  spoor_buffer bytes{};
};

std::string hex(const spoor_id& id) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : id.bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

napi_value string(napi_env env, const char* data, std::size_t size) {
  napi_value value = nullptr;
  napi_create_string_utf8(env, data == nullptr ? "" : data, size, &value);
  return value;
}

napi_value string(napi_env env, const std::string& text) {
  return string(env, text.data(), text.size());
}

napi_value undefined(napi_env env) {
  napi_value value = nullptr;
  napi_get_undefined(env, &value);
  return value;
}

// Handles are numbers (see c.h): a BigInt is one.
template <class Handle>
napi_value handle(napi_env env, Handle* given) {
  napi_value value = nullptr;
  napi_create_bigint_uint64(env, reinterpret_cast<std::uintptr_t>(given), &value);
  return value;
}

// The arguments of a call. lib/addon.js gives the right types; a wrong one reads as 0 or empty.
class Arguments {
 public:
  Arguments(napi_env env, napi_callback_info info) : env_(env) {
    std::size_t count = kMost;
    napi_get_cb_info(env, info, &count, values_, nullptr, nullptr);
  }

  napi_value operator[](std::size_t index) const { return values_[index]; }
  std::string text(std::size_t index) const { return text_of(env_, values_[index]); }

  bool flag(std::size_t index) const {
    bool value = false;
    napi_get_value_bool(env_, values_[index], &value);
    return value;
  }

  std::int64_t number(std::size_t index) const {
    std::int64_t value = 0;
    napi_get_value_int64(env_, values_[index], &value);
    return value;
  }

  template <class Handle>
  Handle* handle(std::size_t index) const {
    std::uint64_t value = 0;
    bool lossless = false;
    napi_get_value_bigint_uint64(env_, values_[index], &value, &lossless);
    return reinterpret_cast<Handle*>(static_cast<std::uintptr_t>(value));
  }

  std::string bytes(std::size_t index) const {
    void* data = nullptr;
    std::size_t size = 0;
    napi_get_buffer_info(env_, values_[index], &data, &size);
    return {static_cast<const char*>(data), size};
  }

  static std::string text_of(napi_env env, napi_value value) {
    std::size_t size = 0;
    if (napi_get_value_string_utf8(env, value, nullptr, 0, &size) != napi_ok) return {};
    std::string text(size, '\0');
    napi_get_value_string_utf8(env, value, text.data(), size + 1, &size);
    return text;
  }

 private:
  static constexpr std::size_t kMost = 8;
  napi_env env_;
  napi_value values_[kMost] = {};
};

// ---- Calls ----

// A call on its way: `run` works on the pool, `give` makes the value that the promise has.
struct Job {
  std::function<std::int32_t()> run;
  std::function<napi_value(napi_env)> give;
  napi_async_work work = nullptr;
  napi_deferred deferred = nullptr;
  std::int32_t code = SPOOR_BUG;
  std::string message;
  std::string hint;
};

void execute(napi_env /*env*/, void* data) {
  Job& job = *static_cast<Job*>(data);
  job.code = job.run();
  if (job.code <= SPOOR_OK) return;
  spoor_error error;  // Of this thread.
  spoor_last_error(&error);
  job.message.assign(error.message.data, error.message.size);
  job.hint.assign(error.hint.data, error.hint.size);
}

// Makes a SpoorError, whose class use_error() was given.
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

void settle(napi_env env, const Job& job) {
  if (job.code > SPOOR_OK) {
    napi_reject_deferred(env, job.deferred, error_of(env, job));
  } else {
    napi_resolve_deferred(env, job.deferred, job.give(env));
  }
}

void complete(napi_env env, napi_status status, void* data) {
  const std::unique_ptr<Job> job(static_cast<Job*>(data));
  if (status == napi_ok) settle(env, *job);
  napi_delete_async_work(env, job->work);
}

// Where a call runs. Handing it to the pool and back costs more than a short read takes.
enum class Where : std::uint8_t { pool, here };

// Starts a call and returns its promise. `run` and `give` share the result as an `Out`.
template <class Out, class Run, class Give>
napi_value start(napi_env env, Run run, Give give, Where where = Where::pool) {
  auto out = std::make_shared<Out>();
  auto job = std::make_unique<Job>();
  job->run = [out, run = std::move(run)] { return run(*out); };
  job->give = [job = job.get(), out, give = std::move(give)](napi_env inside) {
    return give(inside, *out, job->code);
  };
  napi_value promise = nullptr;
  napi_create_promise(env, &job->deferred, &promise);
  if (where == Where::here) {
    execute(env, job.get());
    settle(env, *job);
    return promise;
  }
  napi_create_async_work(env, nullptr, string(env, std::string("spoor")), execute, complete,
                         job.get(), &job->work);
  napi_queue_async_work(env, job->work);
  job.release();  // complete() has it.
  return promise;
}

struct Nothing {};

napi_value give_nothing(napi_env env, Nothing&, std::int32_t /*code*/) { return undefined(env); }

napi_value give_id(napi_env env, spoor_id& id, std::int32_t /*code*/) {
  return string(env, hex(id));
}

// SPOOR_DONE gives undefined.
napi_value give_text(napi_env env, Buffer& text, std::int32_t code) {
  return code == SPOOR_DONE ? undefined(env) : string(env, text.bytes.data, text.bytes.size);
}

template <class Handle>
napi_value give_handle(napi_env env, Handle*& made, std::int32_t /*code*/) {
  return handle(env, made);
}

// ---- The functions. Their parameters are those of c.h, options one by one. ----

napi_value use_error(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  napi_ref kept = nullptr;
  napi_create_reference(env, given[0], 1, &kept);
  napi_set_instance_data(env, kept, nullptr, nullptr);
  return undefined(env);
}

napi_value version(napi_env env, napi_callback_info /*info*/) {
  return string(env, std::string(spoor_version()));
}

napi_value open(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  return start<spoor_store*>(
      env,
      [where = given.text(0), author = given.text(1), create = given.flag(2),
       read_only = given.flag(3), relaxed = given.flag(4)](spoor_store*& store) {
        const spoor_open_options options{sizeof options, str(author), create, read_only, relaxed};
        return spoor_open(str(where), &options, &store);
      },
      give_handle<spoor_store>);
}

napi_value close(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  return start<Nothing>(
      env, [store = given.handle<spoor_store>(0)](Nothing&) { return spoor_close(store); },
      give_nothing);
}

napi_value call(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  return start<Buffer>(
      env,
      [store = given.handle<spoor_store>(0), request = given.text(1)](Buffer& answer) {
        return spoor_call(store, request.data(), request.size(), &answer.bytes);
      },
      give_text);
}

napi_value record(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  return start<Buffer>(
      env,
      [store = given.handle<spoor_store>(0), exchange = given.bytes(1)](Buffer& answer) {
        return spoor_record(store, exchange.data(), exchange.size(), &answer.bytes);
      },
      give_text);
}

using Find = std::int32_t(spoor_store*, spoor_str, spoor_id*);

// Takes a third argument: run here, not on the pool.
template <Find* find>
napi_value find_commit(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  return start<spoor_id>(
      env,
      [store = given.handle<spoor_store>(0), name = given.text(1)](spoor_id& id) {
        return find(store, str(name), &id);
      },
      give_id, given.flag(2) ? Where::here : Where::pool);
}

napi_value content(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  return start<Buffer>(
      env,
      [store = given.handle<spoor_store>(0), name = given.bytes(1)](Buffer& bytes) {
        spoor_id id{};
        name.copy(reinterpret_cast<char*>(id.bytes), sizeof id.bytes);
        return spoor_content(store, &id, &bytes.bytes);
      },
      [](napi_env inside, Buffer& bytes, std::int32_t /*code*/) {
        napi_value value = nullptr;
        napi_create_buffer_copy(inside, bytes.bytes.size, bytes.bytes.data, nullptr, &value);
        return value;
      });
}

napi_value compile(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  return start<Buffer>(
      env,
      [store = given.handle<spoor_store>(0), revision = given.text(1), to = given.text(2),
       window = given.number(3), budget = given.number(4), reasoning = given.flag(5),
       strict = given.flag(6)](Buffer& prompt) {
        const spoor_compile_options options{sizeof options, str(to),   window,
                                            budget,         reasoning, strict};
        return spoor_compile(store, str(revision), &options, &prompt.bytes);
      },
      give_text);
}

// A turn, in the order of its list: branch, type, text, tool_calls, call_id, name, metadata,
// author, is_error.
struct Turn {
  enum { branch, type, text, tool_calls, call_id, name, metadata, author, kTexts };
  std::string texts[kTexts];
  bool is_error = false;

  spoor_turn view() const {
    return {sizeof(spoor_turn),     str(texts[type]),    str(texts[text]),
            str(texts[tool_calls]), str(texts[call_id]), str(texts[name]),
            str(texts[metadata]),   str(texts[author]),  is_error};
  }
};

std::vector<Turn> turns_of(napi_env env, napi_value list) {
  std::uint32_t count = 0;
  napi_get_array_length(env, list, &count);
  std::vector<Turn> turns(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    napi_value members = nullptr;
    napi_get_element(env, list, i, &members);
    napi_value member = nullptr;
    for (std::uint32_t each = 0; each < Turn::kTexts; ++each) {
      napi_get_element(env, members, each, &member);
      turns[i].texts[each] = Arguments::text_of(env, member);
    }
    napi_get_element(env, members, Turn::kTexts, &member);
    napi_get_value_bool(env, member, &turns[i].is_error);
  }
  return turns;
}

std::int32_t append_turns(spoor_store* store, const std::vector<Turn>& turns,
                          std::vector<spoor_id>& ids) {
  ids.resize(turns.size());
  if (turns.size() == 1) {
    const spoor_turn turn = turns[0].view();
    return spoor_append(store, str(turns[0].texts[Turn::branch]), &turn, ids.data());
  }
  spoor_transaction* transaction = nullptr;
  std::int32_t code = spoor_begin(store, &transaction);
  if (code != SPOOR_OK) return code;
  for (const Turn& each : turns) {
    const spoor_turn turn = each.view();
    if (code == SPOOR_OK) code = spoor_add(transaction, str(each.texts[Turn::branch]), &turn);
  }
  if (code == SPOOR_OK) code = spoor_commit(transaction, ids.data(), ids.size());
  if (code != SPOOR_OK) spoor_rollback(transaction);  // Succeeds, so the error stays.
  return code;
}

// Appends turns as one transaction.
napi_value append(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  return start<std::vector<spoor_id>>(
      env,
      [store = given.handle<spoor_store>(0), turns = turns_of(env, given[1])](
          std::vector<spoor_id>& ids) { return append_turns(store, turns, ids); },
      [](napi_env inside, std::vector<spoor_id>& ids, std::int32_t /*code*/) {
        napi_value list = nullptr;
        napi_create_array_with_length(inside, ids.size(), &list);
        for (std::uint32_t i = 0; i < ids.size(); ++i) {
          napi_set_element(inside, list, i, string(inside, hex(ids[i])));
        }
        return list;
      });
}

napi_value log_open(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  return start<spoor_log*>(
      env,
      [store = given.handle<spoor_store>(0), revision = given.text(1)](spoor_log*& log) {
        return spoor_log_open(store, str(revision), &log);
      },
      give_handle<spoor_log>);
}

// An entry of a log, which outlives its cursor.
struct Entry {
  explicit Entry(const spoor_entry& entry)
      : id(hex(entry.id)), time(entry.time), is_error(entry.is_error != 0) {
    const spoor_str given[] = {entry.type, entry.text,   entry.tool_calls, entry.call_id,
                               entry.name, entry.author, entry.metadata};
    for (std::size_t i = 0; i < std::size(given); ++i)
      texts[i].assign(given[i].data, given[i].size);
  }

  napi_value list(napi_env env) const {
    napi_value made = nullptr;
    napi_create_array_with_length(env, 10, &made);
    std::uint32_t next = 0;
    napi_set_element(env, made, next++, string(env, id));
    for (const std::string& each : texts) napi_set_element(env, made, next++, string(env, each));
    napi_value value = nullptr;
    if (time == std::numeric_limits<std::int64_t>::min()) {
      napi_get_null(env, &value);
    } else {
      napi_create_int64(env, time, &value);
    }
    napi_set_element(env, made, next++, value);
    napi_get_boolean(env, is_error, &value);
    napi_set_element(env, made, next++, value);
    return made;
  }

  std::string id;
  std::string texts[7];
  std::int64_t time;
  bool is_error;
};

// Reads at most `count` entries; an empty list is the end.
napi_value log_next(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  return start<std::vector<Entry>>(
      env,
      [log = given.handle<spoor_log>(0), count = given.number(1)](std::vector<Entry>& entries) {
        while (static_cast<std::int64_t>(entries.size()) < count) {
          spoor_entry entry;
          const std::int32_t code = spoor_log_next(log, &entry);
          if (code == SPOOR_DONE) break;
          if (code != SPOOR_OK) return code;
          entries.emplace_back(entry);
        }
        return static_cast<std::int32_t>(SPOOR_OK);
      },
      [](napi_env inside, std::vector<Entry>& entries, std::int32_t /*code*/) {
        napi_value list = nullptr;
        napi_create_array_with_length(inside, entries.size(), &list);
        for (std::uint32_t i = 0; i < entries.size(); ++i) {
          napi_set_element(inside, list, i, entries[i].list(inside));
        }
        return list;
      });
}

napi_value log_close(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  return start<Nothing>(
      env, [log = given.handle<spoor_log>(0)](Nothing&) { return spoor_log_close(log); },
      give_nothing);
}

napi_value watch_open(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  return start<spoor_watch*>(
      env,
      [store = given.handle<spoor_store>(0), branch = given.text(1)](spoor_watch*& watch) {
        return spoor_watch_open(store, str(branch), &watch);
      },
      give_handle<spoor_watch>);
}

// Looks once, since waiting would take a thread from the pool.
napi_value watch_next(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  return start<Buffer>(
      env,
      [watch = given.handle<spoor_watch>(0)](Buffer& moved) {
        return spoor_watch_next(watch, 0, &moved.bytes);
      },
      give_text);
}

napi_value watch_close(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  return start<Nothing>(
      env, [watch = given.handle<spoor_watch>(0)](Nothing&) { return spoor_watch_close(watch); },
      give_nothing);
}

}  // namespace

NAPI_MODULE_INIT() {
  const std::pair<const char*, napi_callback> functions[] = {
      {"useError", use_error},
      {"version", version},
      {"open", open},
      {"close", close},
      {"call", call},
      {"record", record},
      {"tip", find_commit<spoor_tip>},
      {"resolve", find_commit<spoor_resolve>},
      {"content", content},
      {"compile", compile},
      {"append", append},
      {"logOpen", log_open},
      {"logNext", log_next},
      {"logClose", log_close},
      {"watchOpen", watch_open},
      {"watchNext", watch_next},
      {"watchClose", watch_close},
  };
  for (const auto& [name, function] : functions) {
    napi_value value = nullptr;
    napi_create_function(env, name, NAPI_AUTO_LENGTH, function, nullptr, &value);
    napi_set_named_property(env, exports, name, value);
  }
  return exports;
}
