// spoor-vectors [--store memory|sqlite] [--shuffle SEED] [--rename] FILE…
//
// Runs vector files and closes with `N passed, M failed`; exit status 1 when any
// failed, 2 when the command line is wrong.

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <random>

#include "tests/vectors_runner/play.h"
#include "tests/vectors_runner/rename.h"

namespace spoor::vectors {
namespace {

struct Settings {
  std::vector<std::string> files;
  std::vector<std::string> stores = {"memory", "sqlite"};
  std::optional<std::uint64_t> shuffle;
  bool rename = false;
};

Settings read_arguments(int count, char** values) {
  Settings settings;
  const auto next = [&](int& i) -> std::string {
    if (i + 1 >= count) throw BadVector(std::string(values[i]) + " needs a value");
    return values[++i];
  };
  for (int i = 1; i < count; ++i) {
    const std::string argument = values[i];
    if (argument == "--store") {
      settings.stores = {next(i)};
    } else if (argument == "--shuffle") {
      settings.shuffle = std::stoull(next(i));
    } else if (argument == "--rename") {
      settings.rename = true;
    } else if (argument.starts_with("--")) {
      throw BadVector("unknown option " + argument);
    } else {
      settings.files.push_back(argument);
    }
  }
  if (settings.files.empty()) throw BadVector("give at least one file");
  return settings;
}

using testing::Backend;

std::unique_ptr<Backend> backend_named(const std::string& name) {
  if (name == "memory") return testing::memory_backend();
  if (name == "sqlite") return testing::sqlite_backend();
  throw BadVector("no store named '" + name + "'");
}

struct Totals {
  int passed = 0;
  int failed = 0;
};

void run_all(Backend& backend, const std::vector<Vector>& vectors, Totals& totals) {
  for (const Vector& vector : vectors) {
    const auto problems = play(backend, vector);
    if (problems.empty()) {
      ++totals.passed;
      continue;
    }
    ++totals.failed;
    std::cout << "FAILED (" << backend.name() << ") " << vector.name << "\n";
    for (const std::string& problem : problems) std::cout << "    " << problem << "\n";
  }
}

int run(const Settings& settings) {
  Totals totals;
  std::vector<Vector> vectors;
  for (const std::string& file : settings.files) {
    try {
      for (Vector& vector : read_vectors(file)) {
        vectors.push_back(settings.rename ? renamed(vector) : std::move(vector));
      }
    } catch (const BadVector& problem) {  // The whole file counts as one failure.
      ++totals.failed;
      std::cout << "FAILED " << problem.what() << "\n";
    }
  }
  if (settings.shuffle) {
    std::mt19937_64 random(*settings.shuffle);
    std::shuffle(vectors.begin(), vectors.end(), random);
  }
  for (const std::string& store : settings.stores) {
    const auto backend = backend_named(store);
    run_all(*backend, vectors, totals);
  }
  std::cout << totals.passed << " passed, " << totals.failed << " failed\n";
  return totals.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace spoor::vectors

int main(int count, char** values) {
  try {
    return spoor::vectors::run(spoor::vectors::read_arguments(count, values));
  } catch (const std::exception& problem) {
    std::cerr << "error: " << problem.what() << "\n";
    return 2;
  }
}
