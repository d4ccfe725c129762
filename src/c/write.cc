// The functions of the C interface that write.
#include <mutex>

#include "base/json/reader.h"
#include "c/store.h"
#include "graph/refs.h"

namespace spoor::c {
namespace {

using Addition = Store::Addition;

class Transaction final : public Handle {
 public:
  explicit Transaction(std::shared_ptr<Store> store) : Handle(store), store_(std::move(store)) {}

  void add(Addition addition) {
    const std::lock_guard lock(mutex_);
    additions_.push_back(std::move(addition));
  }

  Result<std::vector<store::Oid>> write() {
    const std::lock_guard lock(mutex_);
    if (is_closed()) return invalid("the handle is closed");
    std::vector<store::Oid> made;
    if (!additions_.empty()) made = TRY(store_->write(additions_));
    mark_closed();
    return made;
  }

 private:
  const std::shared_ptr<Store> store_;
  std::mutex mutex_;
  std::vector<Addition> additions_;  // Guarded by mutex_.
};

Result<Addition> addition_of(spoor_str branch, const spoor_turn* given) {
  if (given == nullptr) return invalid("'turn' is NULL");
  const spoor_turn turn = TRY(taken(given));
  Addition made;
  made.branch = text(branch);
  if (const std::string problem = graph::short_name_problem(made.branch); !problem.empty()) {
    return invalid("'" + made.branch + "' is not a branch name: " + problem);
  }
  const auto type = store::type_from(text(turn.type));
  if (!type) return invalid("'" + std::string(text(turn.type)) + "' is not a type of turns");
  made.turn.type = *type;
  made.turn.text = text(turn.text);
  if (*type == store::Type::reasoning) made.turn.fields.format = "parsed";
  if (turn.tool_calls.size > 0) {
    const json::Document calls = TRY(json::parse(text(turn.tool_calls)));
    if (!calls.root().is_array()) return invalid("'tool_calls' is not a JSON array");
    made.turn.fields.tool_calls = TRY(api::operations::read_calls(calls.root()));
  }
  made.turn.fields.call_id = text(turn.call_id);
  made.turn.fields.name = text(turn.name);
  made.turn.fields.is_error = turn.is_error != 0;
  if (turn.metadata.size > 0) {
    const json::Document metadata = TRY(json::parse(text(turn.metadata)));
    if (!metadata.root().is_object()) return invalid("'metadata' is not a JSON object");
    made.turn.extra.metadata = text(turn.metadata);
  }
  made.turn.author = text(turn.author);
  return made;
}

void give(const std::vector<store::Oid>& made, spoor_id* ids, std::size_t count) {
  if (ids == nullptr) return;
  for (std::size_t i = 0; i < std::min(count, made.size()); ++i) {
    std::ranges::copy(made[i].bytes, ids[i].bytes);
  }
}

}  // namespace

extern "C" {

int32_t spoor_append(spoor_store* store, spoor_str branch, const spoor_turn* turn, spoor_id* id) {
  return spoor_append_many(store, branch, turn, 1, id);
}

int32_t spoor_append_many(spoor_store* store, spoor_str branch, const spoor_turn* turns,
                          size_t count, spoor_id* ids) {
  return guarded([&]() -> Result<int32_t> {
    if (ids != nullptr) std::fill_n(ids, count, spoor_id{});
    const auto open = TRY(find<Store>(store));
    if (turns == nullptr && count > 0) return invalid("'turns' is NULL");
    std::vector<Addition> additions;
    additions.reserve(count);
    const auto* next = reinterpret_cast<const char*>(turns);
    for (std::size_t i = 0; i < count; ++i, next += turns->size) {
      additions.push_back(TRY(addition_of(branch, reinterpret_cast<const spoor_turn*>(next))));
    }
    if (count > 0) give(TRY(open->write(additions)), ids, count);
    return SPOOR_OK;
  });
}

int32_t spoor_begin(spoor_store* store, spoor_transaction** transaction) {
  return guarded([&]() -> Result<int32_t> {
    TRY(clear(transaction, "transaction"));
    auto begun = std::make_shared<Transaction>(TRY(find<Store>(store)));
    give_handle(std::move(begun), transaction);
    return SPOOR_OK;
  });
}

int32_t spoor_add(spoor_transaction* transaction, spoor_str branch, const spoor_turn* turn) {
  return guarded([&]() -> Result<int32_t> {
    const auto open = TRY(find<Transaction>(transaction));
    open->add(TRY(addition_of(branch, turn)));
    return SPOOR_OK;
  });
}

int32_t spoor_commit(spoor_transaction* transaction, spoor_id* ids, size_t count) {
  return guarded([&]() -> Result<int32_t> {
    if (ids != nullptr) std::fill_n(ids, count, spoor_id{});
    const auto open = TRY(find<Transaction>(transaction));
    give(TRY(open->write()), ids, count);
    (void)close<Transaction>(transaction);  // Its store may have been closed meanwhile.
    return SPOOR_OK;
  });
}

int32_t spoor_rollback(spoor_transaction* transaction) {
  return guarded([&]() -> Result<int32_t> {
    TRY(close<Transaction>(transaction));
    return SPOOR_OK;
  });
}

}  // extern "C"

}  // namespace spoor::c
