// The Node-API addon: the functions of <spoor/c.h> as functions that return promises. Their
// parameters are those of c.h, options one by one. The calls run on libuv's pool; lib/addon.js
// gives them names and types, and nothing else loads this file.
#include <node_api.h>
#include <spoor/c.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "functions.h"
#include "job.h"
#include "values.h"

namespace spoor::node {
namespace {

napi_value give_id(napi_env env, spoor_id& id, std::int32_t /*code*/) {
  return string(env, hex(id));
}

template <class Handle>
napi_value give_handle(napi_env env, Handle*& made, std::int32_t /*code*/) {
  return handle(env, made);
}

napi_value take_error(napi_env env, napi_callback_info info) {
  use_error(env, Arguments(env, info)[0]);
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
       read_only = given.flag(3), relaxed = given.flag(4), number = given.unsigned_number(5),
       has_clock = given.flag(6), has_scrub = given.flag(7)](spoor_store*& store) {
        const spoor_open_options options{sizeof options, str(author), create, read_only, relaxed};
        const spoor_store_functions functions = store_functions(number, has_clock, has_scrub);
        return spoor_open_with(str(where), &options, &functions, &store);
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

// ---- The program's functions ----

// Takes the function that is asked, and whether the process must not end before functionsRelease().
napi_value functions_make(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  napi_value number = nullptr;
  napi_create_bigint_uint64(env, Functions::make(env, given[0], given.flag(1)), &number);
  return number;
}

// Takes the functions, the question, and the number and the bytes of the answer.
napi_value functions_answer(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  if (const auto functions = Functions::find(given.unsigned_number(0))) {
    functions->answer(given.unsigned_number(1), {{given.number(2), given.bytes(3)}});
  }
  return undefined(env);
}

napi_value functions_stop(napi_env env, napi_callback_info info) {
  if (const auto functions = Functions::find(Arguments(env, info).unsigned_number(0))) {
    functions->stop();
  }
  return undefined(env);
}

napi_value functions_release(napi_env env, napi_callback_info info) {
  Functions::release(Arguments(env, info).unsigned_number(0));
  return undefined(env);
}

napi_value functions_end(napi_env env, napi_callback_info /*info*/) {
  Functions::end_all(env);
  return undefined(env);
}

// Takes the store, the options as JSON, the functions, and which of them there are: send, approve
// and event.
napi_value run(napi_env env, napi_callback_info info) {
  const Arguments given(env, info);
  const std::uintptr_t number = given.unsigned_number(2);
  napi_value promise = nullptr;
  auto job = make_job<Buffer>(
      env,
      [store = given.handle<spoor_store>(0), options = given.text(1),
       functions =
           run_functions(number, given.flag(3), given.flag(4), given.flag(5))](Buffer& result) {
        return spoor_run(store, options.data(), options.size(), &functions, &result.bytes);
      },
      give_text, &promise);
  Functions::find(number)->execute_apart(env, std::move(job));
  return promise;
}

}  // namespace

NAPI_MODULE_INIT() {
  const std::pair<const char*, napi_callback> functions[] = {
      {"useError", take_error},
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
      {"functionsMake", functions_make},
      {"functionsAnswer", functions_answer},
      {"functionsStop", functions_stop},
      {"functionsRelease", functions_release},
      {"functionsEnd", functions_end},
      {"run", run},
  };
  for (const auto& [name, function] : functions) {
    napi_value value = nullptr;
    napi_create_function(env, name, NAPI_AUTO_LENGTH, function, nullptr, &value);
    napi_set_named_property(env, exports, name, value);
  }
  return exports;
}

}  // namespace spoor::node
