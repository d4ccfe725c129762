#pragma once

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "api/session.h"
#include "import/importer.h"
#include "import/source.h"
#include "tests/support/ports.h"

namespace spoor::testing {

/// A store that forgets, and what commands are given to work on it.
struct ApiStage {
  ApiStage()
      : workspace(graph::Repository::in_memory({.author = "ada", .clock = clock}), "memory"),
        context{workspace, prices, "1", ManualClock().now(), "/home/ada/project"} {
    workspace.find_branches_with([this](std::string_view word) -> Result<std::string> {
      return TRY(api::find_session(context, word)).name();
    });
  }

  void import_text(const std::string& name, const std::string& text) {
    import::TextSource source(name, text);
    import::import_source(source, workspace.repository(), {}).value();
  }

  /// A session file in tests/data/import.
  void import_fixture(const std::string& name) {
    std::ifstream file(SPOOR_SOURCE_DIR "/tests/data/import/" + name, std::ios::binary);
    import_text(name, {std::istreambuf_iterator<char>(file), {}});
  }

  /// Runs a listing with these parameters, as text.
  template <class Query, class Row>
  std::vector<Row> rows(const api::Listing<Query, Row>& listing, const api::Arguments& arguments) {
    std::vector<Row> all;
    const Query query = api::read_query<Query>(context, arguments).value();
    listing
        .run(context, query,
             [&](const Row& row) {
               all.push_back(row);
               return true;
             })
        .value();
    return all;
  }

  template <class Query, class Row>
  std::vector<Row> rows(const api::Listing<Query, Row>& listing) {
    return rows(listing, {});
  }

  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>();
  llm::PriceList prices;
  api::Workspace workspace;
  api::Context context;
};

inline api::Arguments arguments(std::initializer_list<std::pair<const char*, const char*>> values) {
  api::Arguments all;
  for (const auto& [name, value] : values) all.add(name, value);
  return all;
}

}  // namespace spoor::testing
