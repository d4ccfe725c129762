#pragma once

// What the importer's tests share: fixtures, imports of texts, histories read back.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"
#include "import/importer.h"
#include "import/source.h"

namespace import_test {

namespace fs = std::filesystem;
using spoor::compile::Turn;
using spoor::graph::Repository;
using spoor::import::ImportOptions;
using spoor::import::LossReport;
using spoor::store::Oid;

inline const fs::path kFixtures = fs::path(SPOOR_SOURCE_DIR) / "tests/data/claude";
inline const fs::path kSharedData = fs::path(SPOOR_SOURCE_DIR) / "../shared/data";

inline std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

inline std::string fixture(const std::string& name) { return read_file(kFixtures / name); }

inline LossReport import_text(Repository& repository, std::string_view text,
                              const ImportOptions& options = {}) {
  spoor::import::TextSource source("session.jsonl", text);
  return spoor::import::importers().front()->import(source, repository, options).value();
}

/// The importers with the highest score for a source, each followed by a blank: more than one is a
/// tie. Empty: nobody reads it.
inline std::string importers_of(std::string_view text) {
  std::string names;
  const std::string_view head = text.substr(0, spoor::import::kHead);
  for (const auto* importer : spoor::import::best_importers(head)) {
    names += std::string(importer->name) + " ";
  }
  return names;
}

/// A commit of a history, with what it says.
struct Step {
  Oid oid;
  spoor::store::Commit commit;
  Turn turn;
};

/// The history of a ref, oldest first.
inline std::vector<Step> history(const Repository& repository, const std::string& ref) {
  std::vector<Step> steps;
  auto at = repository.store().ref(ref).value();
  while (at) {
    const auto commit = repository.reader().commit(*at).value();
    const Turn turn = spoor::graph::read_turn(repository.reader(), *at).value();
    steps.push_back({*at, *commit, turn});
    at = commit->parents.empty() ? std::nullopt : std::optional<Oid>(commit->parents.front());
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

/// `user:text|assistant:text|…`, a compress as `compress:text`.
inline std::string outline(const std::vector<Step>& steps) {
  std::string out;
  for (const Step& step : steps) {
    if (!out.empty()) out += '|';
    out += std::string(spoor::compile::kind_of(step.commit)) + ':' + step.turn.text;
  }
  return out;
}

/// All but the marks of the rules that lines were read by (rules.h).
inline std::vector<std::string> ref_names(const Repository& repository) {
  std::vector<std::string> names;
  for (const auto& ref : repository.store().refs("refs/").value()) {
    if (!ref.name.starts_with("refs/imports/")) names.push_back(ref.name);
  }
  return names;
}

/// A record of a Codex rollout; `payload` without its braces.
inline std::string codex_record(const std::string& type, const std::string& payload) {
  return R"({"timestamp":"2025-10-02T08:00:00Z","type":")" + type + R"(","payload":{)" + payload +
         "}}\n";
}

inline std::string codex_message(const std::string& role, const std::string& text) {
  return codex_record("response_item", R"("type":"message","role":")" + role +
                                           R"(","content":[{"type":"output_text","text":")" + text +
                                           "\"}]");
}

/// Every ref and where it points: what an import comes to.
inline std::string refs_text(const Repository& repository) {
  std::string out;
  for (const auto& ref : repository.store().refs("refs/").value()) {
    out += ref.name + " " + ref.target.hex() + "\n";
  }
  return out;
}

/// The prompt at a ref, `role:text` a line.
inline std::vector<std::string> prompt_texts(const Repository& repository, const std::string& ref) {
  std::vector<std::string> all;
  const auto prompt = repository.compile(repository.store().ref(ref).value()).value();
  for (const auto& message : prompt.messages) all.push_back(message.text());
  return all;
}

/// Claude Code sessions of the shared data; empty where there are none.
inline std::vector<fs::path> shared_sessions() {
  std::vector<fs::path> found;
  const fs::path coverage =
      kSharedData / "record-type-coverage/Resources/Fixtures/stage0/agents/claude";
  for (const fs::path& folder : {kSharedData / "claude-code-entire-cli",
                                 kSharedData / "claude-code-entirecontext", coverage}) {
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry->path().extension() == ".jsonl") found.push_back(entry->path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

inline std::vector<fs::path> own_sessions() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(kFixtures)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".jsonl" && !name.starts_with("wrong_")) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace import_test
