// spoor-vectors [--store memory|sqlite] [--shuffle SEED] [--rename] FILE…
//
// Runs vector files, each as the format it names (formats.h), and closes with `N passed, M failed`;
// exit status 1 when any failed, 2 when the command line is wrong.

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <random>

#include "tests/vectors_runner/formats.h"

namespace spoor::vectors {
namespace {

struct Settings {
  std::vector<std::string> files;
  std::vector<std::string> stores = {"memory", "sqlite"};
  std::optional<std::uint64_t> shuffle;
  Reading reading;
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
      settings.reading.rename = true;
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

void run(const AnyVector& vector, Backend* backend, Totals& totals) {
  const auto problems = vector.play(backend);
  if (problems.empty()) {
    ++totals.passed;
    return;
  }
  ++totals.failed;
  std::cout << "FAILED (" << (backend != nullptr ? backend->name() : "no store") << ") "
            << vector.name << "\n";
  for (const std::string& problem : problems) std::cout << "    " << problem << "\n";
}

int run(const Settings& settings) {
  Totals totals;
  std::vector<AnyVector> vectors;
  for (const std::string& file : settings.files) {
    try {
      for (AnyVector& vector : read_file(file, settings.reading)) {
        vectors.push_back(std::move(vector));
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
  for (const AnyVector& vector : vectors) {
    if (!vector.needs_store) run(vector, nullptr, totals);
  }
  for (const std::string& store : settings.stores) {
    const auto backend = backend_named(store);
    for (const AnyVector& vector : vectors) {
      if (vector.needs_store) run(vector, backend.get(), totals);
    }
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
