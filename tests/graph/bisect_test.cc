#include "graph/bisect.h"

#include <doctest/doctest.h>

using namespace spoor;
using graph::Verdict;
using store::Oid;
using Code = spoor::Error::Code;

namespace {

// Twenty turns; what a judge says of each is a letter: g, b or s for skip.
struct Line {
  std::unique_ptr<graph::Repository> repository = graph::Repository::in_memory();
  std::vector<Oid> commits;
  std::size_t asked = 0;

  explicit Line(std::size_t length) {
    graph::Branch main = repository->branch("main");
    for (std::size_t i = 0; i < length; ++i) {
      commits.push_back(main.user("turn " + std::to_string(i)).value());
    }
  }

  spoor::Result<graph::Bisected> bisect(const std::string& says,
                                        const graph::BisectOptions& options = {}) {
    const auto judge = [&](const Oid& commit,
                           const compile::Prompt& prompt) -> spoor::Result<Verdict> {
      ++asked;
      CHECK(prompt.commit == commit);
      const auto depth = repository->reader().commit(commit).value()->depth;
      if (says[depth] == 's') return Verdict::skip;
      return says[depth] == 'b' ? Verdict::bad : Verdict::good;
    };
    return graph::bisect(*repository, commits.front(), commits.back(), judge, options);
  }
};

}  // namespace

TEST_SUITE("graph/bisect") {
  TEST_CASE("the first bad commit is found with the fewest tests, wherever it is") {
    Line line(20);
    for (std::size_t first = 1; first < 20; ++first) {
      const std::string says = std::string(first, 'g') + std::string(20 - first, 'b');
      const auto found = line.bisect(says).value();
      CHECK(found.first == line.commits[first]);
      CHECK(found.skipped.empty());
      CHECK(found.tests <= 5);  // ceil(log2 19)
    }
  }

  TEST_CASE("what cannot be told is stepped around, and named where it matters") {
    Line line(12);
    CHECK(line.bisect("gggsssbbbbbb").value().first == line.commits[6]);
    CHECK(line.bisect("gggsssbbbbbb").value().skipped ==
          std::vector<Oid>(line.commits.begin() + 3, line.commits.begin() + 6));
    const auto found = line.bisect("gssssgbbbsss").value();
    CHECK(found.first == line.commits[6]);
    CHECK(found.skipped.empty());
    CHECK(line.bisect("gssssssssssb").value().skipped.size() == 10);
  }

  TEST_CASE("a scan finds the first bad one where bad comes and goes") {
    Line line(12);
    CHECK(line.bisect("ggbggggggggb", {.scan = true}).value().first == line.commits[2]);
    CHECK(line.bisect("ggbggggggggb", {.scan = true}).value().tests == 2);
    const auto skipped = line.bisect("gsbggggggggb", {.scan = true}).value();
    CHECK(skipped.skipped == std::vector<Oid>{line.commits[1]});
    CHECK(line.bisect("gggggggggggg", {.scan = true}).error().code == Code::not_found);
  }

  TEST_CASE("where nothing can be told, a scan answers as halving does") {
    Line line(12);
    for (const char* said : {"gsssssssssss", "ggggggggggss", "sssssssssggs"}) {
      CAPTURE(said);
      const auto scanned = line.bisect(said, {.scan = true}).value();
      const auto halved = line.bisect(said).value();
      CHECK(scanned.first == line.commits.back());
      CHECK(scanned.first == halved.first);
      CHECK(scanned.skipped == halved.skipped);
    }
  }

  TEST_CASE("votes decide as soon as they can") {
    Line line(3);
    line.asked = 0;
    CHECK(line.bisect("gbb", {.votes = 2, .ballots = 3}).value().first == line.commits[1]);
    CHECK(line.asked == 2);
    line.asked = 0;
    CHECK(line.bisect("ggb", {.votes = 2, .ballots = 3}).value().first == line.commits[2]);
    CHECK(line.asked == 2);
    CHECK(line.bisect("gbb", {.votes = 3, .ballots = 2}).error().code == Code::invalid);
    CHECK(line.bisect("gbb", {.votes = 0, .ballots = 2}).error().code == Code::invalid);
  }

  TEST_CASE("a judge's error ends the search") {
    Line line(5);
    const auto judge = [](const Oid&, const compile::Prompt&) -> spoor::Result<Verdict> {
      return spoor::interrupted("interrupted");
    };
    const auto found =
        graph::bisect(*line.repository, line.commits.front(), line.commits.back(), judge);
    CHECK(found.error().code == Code::interrupted);
    CHECK(graph::bisect(*line.repository, line.commits.back(), line.commits.front(), judge)
              .error()
              .code == Code::invalid);
  }
}
