#include "import/thread.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

using namespace spoor;
using namespace spoor::import;
using Kind = Link::Kind;

namespace {

/// A session in short: records by name, the lines they become as text.
class Session {
 public:
  Session& user(const std::string& name, const std::string& parent) {
    return add({.kind = Kind::user_written}, name, parent);
  }
  Session& meta(const std::string& name, const std::string& parent) {
    return add({.kind = Kind::other}, name, parent);
  }
  Session& reply(const std::string& name, const std::string& parent, const std::string& message,
                 const std::vector<std::string>& calls = {}) {
    Link link{.kind = Kind::reply};
    link.message_id = message;
    link.calls = calls;
    return add(link, name, parent);
  }
  Session& result(const std::string& name, const std::string& parent, const std::string& call) {
    Link link{.kind = Kind::result};
    link.answered = {call};
    return add(link, name, parent);
  }
  Session& pass(const std::string& name, const std::string& parent) {
    thread_.pass(named({}, name, parent));
    return *this;
  }
  Session& boundary(const std::string& name, const Boundary& boundary) {
    thread_.pass_boundary(named({}, name, ""), boundary);
    return *this;
  }
  Session& summary(const std::string& name, const std::string& parent) {
    return add({.kind = Kind::summary}, name, parent);
  }
  Session& side(Kind kind, const std::string& name, const std::string& parent,
                const std::string& agent) {
    Link link{.kind = kind};
    link.is_sidechain = true;
    link.agent = agent;
    return add(link, name, parent);
  }
  /// A record of which the source says that it goes back.
  Session& back(Kind kind, const std::string& name, const std::string& parent) {
    Link link{.kind = kind};
    link.goes_back = true;
    return add(link, name, parent);
  }
  /// A record that has no parent pointer at all.
  Session& unlinked(Kind kind, const std::string& name) {
    Link link{.kind = kind};
    link.uuid = name;
    return put(link, name);
  }

  /// Each line oldest first, as `a-b-c`; a compress as `[a b]s`.
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (const Leaf& leaf : thread_.leaves()) {
      std::string line;
      for (Index at = leaf.turn; at != kNone; at = places_.at(at).parent) {
        line = words_.at(at) + (line.empty() ? "" : "-") + line;
      }
      if (!leaf.agent.empty()) line = leaf.agent + ":" + line;
      all.push_back(line);
    }
    return all;
  }

  const Thread& thread() const { return thread_; }

 private:
  static Link named(Link link, const std::string& name, const std::string& parent) {
    link.uuid = name;
    link.has_parent = true;
    link.parent = parent;
    return link;
  }
  Session& add(Link link, const std::string& name, const std::string& parent) {
    return put(named(std::move(link), name, parent), name);
  }
  Session& put(const Link& link, const std::string& name) {
    const Placement place = thread_.place(link);
    std::string word = name;
    if (place.compresses) {
      std::string names;
      for (const Index turn : place.replaced) names += (names.empty() ? "" : " ") + words_.at(turn);
      word = "[" + names + "]" + name;
    }
    places_[place.turn] = place;
    words_[place.turn] = word;
    return *this;
  }

  Thread thread_;
  std::map<Index, Placement> places_;
  std::map<Index, std::string> words_;
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_SUITE("import/thread") {
  TEST_CASE("what goes back is a branch, whatever it is and however its parent was continued") {
    Session session;
    session.user("u", "").reply("a", "u", "m1").reply("b", "u", "m1").pass("rewind", "u");
    session.back(Kind::user_written, "v", "rewind").reply("c", "v", "m2");
    CHECK(session.lines() == std::vector<std::string>{"u-v-c", "u-a-b"});
  }

  TEST_CASE("records that are no turns are stepped over") {
    Session s;
    s.user("u", "").pass("p", "u").pass("q", "p").reply("a", "q", "m");
    CHECK(s.lines() == Lines{"u-a"});
  }

  TEST_CASE("parallel calls and their results are one line in file order") {
    Session s;
    s.user("u", "").reply("a", "u", "m", {"1"}).reply("b", "a", "m", {"2"});
    s.result("r", "a", "1").result("t", "b", "2").reply("c", "r", "n").reply("d", "c", "n");
    CHECK(s.lines() == Lines{"u-a-b-r-t-c-d"});
  }

  TEST_CASE("replies to two results of parallel calls are no branch") {
    Session s;
    s.user("u", "").reply("a", "u", "m", {"1", "2"}).result("r", "a", "1").result("t", "a", "2");
    s.reply("c", "r", "n").reply("d", "t", "o");
    CHECK(s.lines() == Lines{"u-a-r-t-c-d"});
  }

  TEST_CASE("a result that comes late stands at the end of its line") {
    Session s;
    s.user("u", "").reply("a", "u", "m", {"1", "2"}).result("r", "a", "1");
    s.user("v", "r").reply("b", "v", "n").result("t", "a", "2").user("w", "t");
    CHECK(s.lines() == Lines{"u-a-r-v-b-t-w"});
  }

  TEST_CASE("a record of a message that comes late joins its line") {
    Session s;
    s.user("u", "").reply("a", "u", "m").user("v", "a").reply("b", "u", "m");
    CHECK(s.lines() == Lines{"u-a-v-b"});
  }

  TEST_CASE("an edited prompt is a branch, also where other records stand between") {
    Session s;
    s.user("u", "").reply("a", "u", "m").pass("p", "a").user("v", "p").reply("b", "v", "n");
    s.user("w", "a").reply("c", "w", "o");
    CHECK(s.lines() == Lines{"u-a-w-c", "u-a-v-b"});
  }

  TEST_CASE("a reply that was asked for again is a branch") {
    Session s;
    s.user("u", "").reply("a", "u", "m").reply("b", "u", "n").user("v", "b");
    CHECK(s.lines() == Lines{"u-b-v", "u-a"});
  }

  TEST_CASE("going back to an older line makes it the latest again") {
    Session s;
    s.user("u", "").reply("a", "u", "m").user("v", "a").user("w", "a").user("x", "v");
    CHECK(s.lines() == Lines{"u-a-v-x", "u-a-w"});
  }

  TEST_CASE("an edited first prompt is a second root") {
    Session s;
    s.user("u", "").reply("a", "u", "m").user("v", "").reply("b", "v", "n");
    CHECK(s.lines() == Lines{"v-b", "u-a"});
  }

  TEST_CASE("what the program writes never begins a branch") {
    Session s;
    s.user("u", "").reply("a", "u", "m").user("v", "a").meta("x", "a").meta("y", "u");
    CHECK(s.lines() == Lines{"u-a-v-x-y"});
  }

  TEST_CASE("a user's turn beside a reply goes behind it") {
    Session s;
    s.user("u", "").reply("a", "u", "m").user("v", "u").reply("b", "v", "n");
    CHECK(s.lines() == Lines{"u-a-v-b"});
  }

  TEST_CASE("a turn whose parent is not there goes behind the last one, and is counted") {
    Session s;
    s.user("u", "gone").reply("a", "u", "m").user("v", "lost").reply("b", "v", "n");
    CHECK(s.lines() == Lines{"u-a-v-b"});
    CHECK(s.thread().missing_parents() == 1);
  }

  TEST_CASE("records without parent pointers are one line") {
    Session s;
    s.unlinked(Kind::user_written, "u")
        .unlinked(Kind::reply, "a")
        .unlinked(Kind::user_written, "v");
    CHECK(s.lines() == Lines{"u-a-v"});
    CHECK(s.thread().missing_parents() == 0);
  }

  TEST_CASE("a record that names itself or a later one as parent does not harm") {
    Session s;
    s.user("u", "u").reply("a", "v", "m").user("v", "a");
    CHECK(s.lines() == Lines{"u-a-v"});
  }

  TEST_CASE("a sidechain has its own root, even when it names a turn of the main chain") {
    Session s;
    s.user("u", "").reply("a", "u", "m", {"1"});
    s.side(Kind::user_written, "x", "a", "k").side(Kind::reply, "y", "x", "k");
    s.side(Kind::user_written, "p", "", "l").result("r", "a", "1").user("v", "y");
    CHECK(s.lines() == Lines{"u-a-r-v", "k:x-y", "l:p"});
  }

  TEST_CASE("sidechains without an id are told apart by their first record") {
    Session s;
    s.side(Kind::user_written, "x1", "", "").side(Kind::reply, "x2", "x1", "");
    s.side(Kind::user_written, "y1", "", "").side(Kind::reply, "y2", "y1", "");
    CHECK(s.lines() == Lines{"x1:x1-x2", "y1:y1-y2"});
  }

  TEST_CASE("names of many sidechains that begin alike stay short") {
    Session s;
    for (int i = 0; i < 3000; ++i) {
      s.side(Kind::user_written, "aaaaaaaa-" + std::to_string(i), "", "");
    }
    const std::vector<Leaf> leaves = s.thread().leaves();
    REQUIRE(leaves.size() == 3000);
    CHECK(leaves[0].agent == "aaaaaaaa");
    CHECK(leaves[1].agent == "aaaaaaaa-x");
    CHECK(leaves[2].agent == "aaaaaaaa-x2");
    CHECK(leaves[2999].agent == "aaaaaaaa-x2999");
  }

  TEST_CASE("a summary compresses what its boundary says") {
    Session s;
    s.user("u", "").reply("a", "u", "m").boundary("b", {"a", "", "", {}}).summary("s", "b");
    s.user("v", "s").reply("c", "v", "n").boundary("d", {"c", "", "", {}}).summary("t", "d");
    CHECK(s.lines() == Lines{"u-a-[u a]s-v-c-[[u a]s v c]t"});
  }

  TEST_CASE("a compress leaves what the boundary keeps") {
    Session s;
    s.user("u", "").reply("a", "u", "m").user("v", "a").reply("c", "v", "n");
    s.boundary("b", {"c", "v", "c", {}}).summary("s", "b");
    CHECK(s.lines() == Lines{"u-a-v-c-[u a]s"});
  }

  TEST_CASE("a second compress replaces what the first one left") {
    Session s;
    s.user("u", "").reply("a", "u", "m").boundary("b", {"a", "a", "a", {}}).summary("s", "b");
    s.user("v", "a").reply("c", "v", "n").boundary("d", {"c", "c", "c", {}}).summary("t", "d");
    CHECK(s.lines() == Lines{"u-a-[u]s-v-c-[a [u]s v]t"});
  }

  TEST_CASE("a turn that two compresses keep stays") {
    Session s;
    s.user("u", "").reply("a", "u", "m").boundary("b", {"a", "a", "a", {}}).summary("s", "b");
    s.user("v", "a").boundary("d", {"v", "a", "v", {}}).summary("t", "d");
    CHECK(s.lines() == Lines{"u-a-[u]s-v-[[u]s]t"});
  }

  TEST_CASE("a list of what is kept counts instead of the range") {
    Session s;
    s.user("u", "").reply("a", "u", "m").user("v", "a").reply("c", "v", "n");
    s.boundary("b", {"c", "c", "c", {"a", "c"}}).summary("s", "b");
    CHECK(s.lines() == Lines{"u-a-v-c-[u v]s"});
  }

  TEST_CASE("where the last record before a compaction is not here, the last kept one counts") {
    Session s;
    s.user("u", "").reply("a", "u", "m").user("v", "a");
    s.boundary("b", {"gone", "", "", {"a", "v", "late"}}).summary("s", "b");
    s.reply("late", "s", "n").user("w", "late");
    CHECK(s.lines() == Lines{"u-a-v-[u]s-late-w"});
  }

  TEST_CASE("a kept record that is no turn keeps no turn, and what names it follows the summary") {
    Session s;
    s.user("u", "").reply("a", "u", "m").user("v", "a").reply("c", "v", "n").pass("h", "a");
    s.boundary("b", {"h", "c", "h", {}}).summary("s", "b").user("w", "h");
    CHECK(s.lines() == Lines{"u-a-v-c-[u a v]s-w"});
  }

  TEST_CASE("a boundary that names nothing gives a summary at a new root") {
    Session s;
    s.user("u", "").boundary("b", {"", "", "", {}}).summary("s", "b").user("v", "s");
    CHECK(s.lines() == Lines{"s-v", "u"});
  }

  TEST_CASE("a summary that names a turn as parent goes behind it") {
    Session s;
    s.user("u", "").reply("a", "u", "m").summary("s", "a");
    CHECK(s.lines() == Lines{"u-a-s"});
  }

  TEST_CASE("a turn behind a boundary without a summary goes on where it was cut") {
    Session s;
    s.user("u", "").reply("a", "u", "m").boundary("b", {"a", "", "", {}}).user("v", "b");
    CHECK(s.lines() == Lines{"u-a-v"});
  }

  TEST_CASE("ten thousand turns on one parent are placed in no time") {
    Session s;
    s.user("u", "");
    for (int i = 0; i < 10'000; ++i) s.meta("m" + std::to_string(i), "u");
    CHECK(s.lines().size() == 1);
  }
}
