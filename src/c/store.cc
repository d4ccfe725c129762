#include "c/store.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "api/turns/prompt_body.h"
#include "api/turns/turn_json.h"
#include "base/environment.h"
#include "base/json/reader.h"
#include "c/reply.h"
#include "graph/refs.h"
#include "store/postgres/address.h"
#include "store/postgres/postgres_store.h"
#include "store/trusted_stores.h"

namespace spoor::c {
namespace {

using graph::Repository;
using store::Oid;

std::optional<FileId> file_id(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return std::nullopt;
  return FileId{static_cast<std::uint64_t>(about.st_dev), about.st_ino};
}

Result<std::unique_ptr<Repository>> open_server(const std::string& address, bool create,
                                                const Repository::Options& options) {
  auto opened = store::PostgresStore::open(address, {});
  if (!opened && create && opened.error().code == Error::Code::not_found) {
    const auto made = store::PostgresStore::create(address, {});
    if (!made && made.error().code != Error::Code::conflict) return made.error();
    opened = store::PostgresStore::open(address, {});
  }
  return Repository::over(TRY(std::move(opened)), options);
}

// Adds the new store to the user's trusted stores, so that the program writes it too. Where their
// list cannot be written (no home, one for reading), the store is made without.
Result<std::unique_ptr<Repository>> create_file(const std::string& path,
                                                const Repository::Options& options) {
  store::TrustedStores trusted(data_home(SystemEnvironment()));
  if (!trusted.hold()) return Repository::create(path, options);
  TRY(trusted.create(std::filesystem::absolute(path)));
  return Repository::open(path, options);
}

Result<std::unique_ptr<Repository>> open_file(const std::string& path, bool create,
                                              const Repository::Options& options) {
  if (const auto file = file_id(path); file && was_open_before_fork(*file)) {
    return unavailable(fmt::format("'{}' was open before fork()", path),
                       "close it before fork(), or open it in a process that was started anew");
  }
  auto opened = Repository::open(path, options);
  if (!opened && create && opened.error().code == Error::Code::not_found) {
    opened = create_file(path, options);
    // Another process made it.
    if (!opened && opened.error().code == Error::Code::conflict) {
      opened = Repository::open(path, options);
    }
  }
  if (const auto file = opened ? file_id(path) : std::nullopt) note_open_file(*file);
  return opened;
}

// The program's clock.
class ProgramClock final : public Clock {
 public:
  explicit ProgramClock(const spoor_store_functions& functions) : functions_(functions) {}
  Timestamp now() const override {
    const std::int64_t micros = functions_.now(functions_.context);
    return {std::clamp(micros, std::int64_t{0}, kLastMicro)};
  }

 private:
  const spoor_store_functions functions_;
};

}  // namespace

/// Passes texts through the program's function, and refuses to write them to a store whose settings
/// ask for less than that.
class Store::Capture final : public compile::Scrubber {
 public:
  explicit Capture(const spoor_store_functions& functions) : functions_(functions) {}

  compile::Capture capture() const override {
    return redacts() ? compile::Capture::redacted : compile::Capture::full;
  }

  Result<std::string> scrub(compile::Slot slot, std::string bytes) const override {
    if (bytes.empty()) return bytes;
    if (TRY(is_refused())) {
      return denied("the store asks that texts are redacted or hashed",
                    "write with the program 'spoor', which has its rules and keys");
    }
    if (!redacts()) return bytes;
    const std::string_view name = compile::name_of(slot);
    spoor_reply reply;
    if (functions_.scrub(functions_.context, borrowed(name), borrowed(bytes), &reply) != 0) {
      return denied(fmt::format("the program does not let the text of a {} be stored", name));
    }
    return std::move(reply.bytes);
  }

  /// Nothing is refused before this. The repository that has this scrubber outlives every use.
  void obey(const graph::KnownConditions& conditions) { conditions_ = &conditions; }

 private:
  bool redacts() const { return functions_.scrub != nullptr; }

  bool is_met(const graph::WriteConditions& asked) const {
    const bool is_full = asked.capture.empty() || asked.capture == "full";
    return (is_full || (asked.capture == "redacted" && redacts())) && asked.capture_fields.empty();
  }

  // A write makes sure that the conditions it is made under are the newest.
  Result<bool> is_refused() const {
    if (conditions_ == nullptr || is_met(TRY(conditions_->get()))) return false;
    return !is_met(TRY(conditions_->refresh()));
  }

  const spoor_store_functions functions_;
  const graph::KnownConditions* conditions_ = nullptr;
};

Store::Store(std::unique_ptr<Repository> repository, const std::string& where)
    : body_(std::make_shared<spoor::Store::Body>(std::move(repository), where)),
      context_{workspace(), body_->repository().author(), {}, this},
      recorder_(body_->repository()) {}

Result<std::shared_ptr<Store>> Store::open(const std::string& where,
                                           const spoor_open_options& given,
                                           const spoor_store_functions& functions) {
  auto capture = std::make_shared<Capture>(functions);
  Repository::Options options;
  options.author = text(given.author).empty() ? "user" : std::string(text(given.author));
  options.read_only = given.read_only != 0;
  options.durable = given.relaxed == 0;
  options.scrubber = capture;
  if (functions.now != nullptr) options.clock = std::make_shared<ProgramClock>(functions);
  const auto opens = store::postgres::is_address(where) ? open_server : open_file;
  auto repository = TRY(opens(where, given.create != 0, options));
  capture->obey(repository->conditions());
  return std::shared_ptr<Store>(new Store(std::move(repository), where));
}

Result<api::Context> Store::listing_context() {
  return api::Context{workspace(), body_->prices, "", repository().clock().now(), ""};
}

Result<std::string> Store::call(std::string_view request) {
  const json::Document document = TRY(json::parse(request));
  const std::lock_guard lock(calls_);
  api::JsonWriter json(true);
  TRY(api::operations::run_operation(context_, document.root(), json));
  return json.take_value();
}

Result<std::string> Store::record(std::string_view exchange) {
  const std::lock_guard lock(recordings_);
  return recorder_.record_given(exchange);
}

Result<std::vector<Oid>> Store::write(const std::vector<Addition>& additions) {
  const Timestamp now = repository().clock().now();
  std::vector<Oid> made;
  TRY(repository().transact(
      "library", graph::OnConflict::reparent, [&](graph::Draft& draft) -> Result<void> {
        made.clear();
        for (const Addition& each : additions) {
          const compile::Turn turn = graph::stamped(each.turn, repository().author(), now);
          made.push_back(TRY(draft.append(store::branch_ref(each.branch), turn)));
        }
        return {};
      }));
  return made;
}

namespace {

void copy(const store::Oid& from, spoor_id& to) { std::ranges::copy(from.bytes, to.bytes); }

}  // namespace

extern "C" {

int32_t spoor_open(spoor_str where, const spoor_open_options* options, spoor_store** store) {
  return spoor_open_with(where, options, nullptr, store);
}

int32_t spoor_open_with(spoor_str where, const spoor_open_options* options,
                        const spoor_store_functions* functions, spoor_store** store) {
  return guarded([&]() -> Result<int32_t> {
    TRY(clear(store, "store"));
    const std::string path(text(where));
    if (path.empty()) return invalid("the path of the store is empty");
    auto opened = TRY(Store::open(path, TRY(taken(options)), TRY(taken(functions))));
    give_handle(std::move(opened), store);
    return SPOOR_OK;
  });
}

int32_t spoor_give(spoor_reply* reply, const char* data, size_t size) {
  return guarded([&]() -> Result<int32_t> {
    if (reply == nullptr) return invalid("'reply' is NULL");
    reply->bytes += text({data, size});
    return SPOOR_OK;
  });
}

int32_t spoor_run(spoor_store* store, const char* options, size_t size,
                  const spoor_run_functions* functions, spoor_buffer* result) {
  return guarded([&]() -> Result<int32_t> {
    TRY(clear(result, "result"));
    const auto open = TRY(find<Store>(store));
    return give(TRY(open->run_agent(text({options, size}), TRY(taken(functions)))), *result);
  });
}

int32_t spoor_close(spoor_store* store) {
  return guarded([&]() -> Result<int32_t> {
    TRY(close<Store>(store));
    return SPOOR_OK;
  });
}

int32_t spoor_call(spoor_store* store, const char* request, size_t size, spoor_buffer* answer) {
  return guarded([&]() -> Result<int32_t> {
    TRY(clear(answer, "answer"));
    const auto open = TRY(find<Store>(store));
    return give(TRY(open->call(text({request, size}))), *answer);
  });
}

int32_t spoor_record(spoor_store* store, const char* exchange, size_t size, spoor_buffer* answer) {
  return guarded([&]() -> Result<int32_t> {
    TRY(clear(answer, "answer"));
    const auto open = TRY(find<Store>(store));
    return give(TRY(open->record(text({exchange, size}))), *answer);
  });
}

int32_t spoor_tip(spoor_store* store, spoor_str branch, spoor_id* id) {
  return guarded([&]() -> Result<int32_t> {
    TRY(clear(id, "id"));
    const auto open = TRY(find<Store>(store));
    const std::string name(text(branch));
    const auto tip = TRY(open->repository().store().ref(store::branch_ref(name)));
    if (!tip) return not_found("no branch '" + name + "'");
    copy(*tip, *id);
    return SPOOR_OK;
  });
}

int32_t spoor_resolve(spoor_store* store, spoor_str revision, spoor_id* id) {
  return guarded([&]() -> Result<int32_t> {
    TRY(clear(id, "id"));
    const auto open = TRY(find<Store>(store));
    copy(TRY(open->workspace().resolve(text(revision))), *id);
    return SPOOR_OK;
  });
}

int32_t spoor_content(spoor_store* store, const spoor_id* id, spoor_buffer* bytes) {
  return guarded([&]() -> Result<int32_t> {
    TRY(clear(bytes, "bytes"));
    const auto open = TRY(find<Store>(store));
    if (id == nullptr) return invalid("'id' is NULL");
    TRY(open->repository().forget_erased());
    const auto name = store::Oid::from_bytes({reinterpret_cast<const char*>(id->bytes), 32});
    return give(*TRY(open->repository().reader().content(*name)), *bytes);
  });
}

int32_t spoor_compile(spoor_store* store, spoor_str revision, const spoor_compile_options* options,
                      spoor_buffer* prompt) {
  return guarded([&]() -> Result<int32_t> {
    TRY(clear(prompt, "prompt"));
    const auto open = TRY(find<Store>(store));
    const spoor_compile_options given = TRY(taken(options));
    compile::CompileOptions how;
    how.include_reasoning = given.include_reasoning != 0;
    how.strict = given.strict != 0;
    if (given.window != 0) how.window = given.window;
    if (given.budget != 0) how.budget = given.budget;
    TRY(open->repository().forget_erased());
    const auto commit = TRY(open->workspace().resolve(text(revision)));
    const compile::Prompt compiled = TRY(open->repository().compile(commit, how));
    const std::string_view shape = text(given.to);
    if (shape.empty()) {
      api::JsonWriter json(true);
      api::write_prompt(json, compiled);
      return give(json.take_value(), *prompt);
    }
    return give(TRY(api::prompt_body(compiled, open->repository().reader(), shape)), *prompt);
  });
}

}  // extern "C"

}  // namespace spoor::c
