#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/workspace.h"
#include "graph/repository.h"
#include "llm/connection.h"
#include "llm/generate.h"
#include "llm/price.h"
#include "llm/scripted.h"
#include "spoor/spoor.h"

namespace spoor {

struct Store::Body {
  explicit Body(std::unique_ptr<graph::Repository> repository, std::string path)
      : workspace(std::move(repository), std::move(path)) {}

  graph::Repository& repository() { return workspace.repository(); }

  api::Workspace workspace;
  llm::PriceList prices;
};

struct Branch::Body {
  std::shared_ptr<Store::Body> store;
  graph::Branch branch;
};

struct Prompt::Body {
  compile::Prompt prompt;
  std::vector<Message> messages;
};

struct Model::Body {
  std::string model;
  std::string params;
  SystemClock clock;
  std::optional<llm::PriceList> prices;  // Nullopt: the store's.
  llm::NoWaiting waiting;
  std::unique_ptr<llm::Provider> provider;
  bool streams = true;

  llm::Candidate candidate() {
    llm::Candidate candidate;
    candidate.provider = provider.get();
    candidate.model = model;
    candidate.params = params;
    return candidate;
  }

  const llm::PriceList& prices_or(const llm::PriceList& other) const {
    return prices ? *prices : other;
  }
};

/// Reaches into the types of the facade, for its own sources.
struct Access {
  template <class T>
  static auto& body(const T& of) {
    return *of.body_;
  }
  template <class T>
  static bool has_body(const T& of) {
    return of.body_ != nullptr;
  }
  static Store store(std::shared_ptr<Store::Body> body) {
    Store store;
    store.body_ = std::move(body);
    return store;
  }
  static Branch branch(std::shared_ptr<Store::Body> store, std::string_view name);
  static Prompt prompt(compile::Prompt prompt);
  /// Does what Model::open() does, and sends requests by `transport`, without a key and without
  /// asking for a stream; null: as Model::open().
  static Result<Model> open_model(std::string_view name, Model::Options options,
                                  std::unique_ptr<llm::http::Transport> transport);
  static Model model(std::shared_ptr<Model::Body> body) {
    Model model;
    model.body_ = std::move(body);
    return model;
  }
};

compile::CompileOptions inner(const CompileOptions& options);
std::vector<ToolCall> outer(const std::vector<compile::ToolCall>& calls);
std::vector<compile::ToolCall> inner(std::vector<ToolCall> calls);
double in_dollars(llm::Money money);

}  // namespace spoor
