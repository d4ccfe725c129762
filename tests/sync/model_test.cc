// Random histories in three stores that fetch from and push to each other, against a model that
// keeps sets of commits and knows nothing of depths, skips, archives or journals.
#include <random>

#include "sync/journal.h"
#include "tests/support/soak.h"
#include "tests/sync/stage.h"

using namespace sync_test;

namespace {

constexpr std::size_t kStores = 3;

// All commits there are, with their ancestors and themselves.
struct Graph {
  World world;
  std::vector<Oid> commits;
  std::map<Oid, std::set<Oid>> history;
  std::map<Oid, std::string> text;

  Oid add(const Commit& commit, const std::vector<Oid>& parents, const std::string& says) {
    const Oid oid = world.add(commit);
    std::set<Oid>& all = history[oid];
    all.insert(oid);
    for (const Oid& each : parents) all.insert(history[each].begin(), history[each].end());
    commits.push_back(oid);
    if (!says.empty()) text[oid] = says;
    return oid;
  }
  bool leads(const Oid& from, const Oid& to) const { return history.at(to).contains(from); }
};

struct Member {
  Side side;
  RefMap refs;                     // As the model has them.
  std::array<Seen, kStores> seen;  // Of the others.
  std::set<std::string> erased;
};

class Play {
 public:
  explicit Play(std::uint64_t seed) : random_(seed) {}

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      CAPTURE(i);
      step();
      for (Member& each : members_) REQUIRE(each.side.refs() == each.refs);
    }
    for (Member& each : members_) check(each);
  }

 private:
  std::size_t number(std::size_t below) { return random_() % below; }
  std::string name_of(std::size_t store) const { return "s" + std::to_string(store); }
  std::string any_branch() { return branch_ref("b" + std::to_string(number(4))); }

  void move(Member& member, const std::string& ref, const std::optional<Oid>& to) {
    // Only the commit's own objects, so that nothing comes by another way.
    const auto before = member.side.store.ref(ref).value();
    if (before == to) return;
    std::vector<NewObject> objects;
    if (to) {
      for (const Oid& each : graph_.history.at(*to)) {
        if (member.side.store.has(std::array{each}).value()[0]) continue;
        const auto text = graph_.text.find(each);
        for (const NewObject& object : graph_.world.objects) {
          const bool is_text = text != graph_.text.end() && blob(text->second).oid == object.oid;
          if (object.oid == each || is_text) objects.push_back(object);
        }
      }
    }
    REQUIRE(member.side.store.commit(move_ref(ref, before, to, objects)));
    if (to) {
      member.refs[ref] = *to;
    } else {
      member.refs.erase(ref);
    }
  }

  void step() {
    Member& here = members_[number(kStores)];
    const std::size_t other = number(kStores);
    switch (number(10)) {
      case 0:
      case 1:
      case 2:
        return write(here);
      case 3:
        return merge(here);
      case 4:
        return follow(here);
      case 5:
        if (number(4) == 0) drop(here);
        return;
      case 6:
        if (number(3) == 0) erase(here);
        return;
      case 7:
        return fetch_from(here, other);
      default:
        return push_to(here, other, number(3) == 0);
    }
  }

  // A few turns on a branch, from its tip, or a new one from another's.
  void write(Member& here) {
    const std::string ref = any_branch();
    std::optional<Oid> tip;
    if (here.refs.contains(ref)) {
      tip = here.refs.at(ref);
    } else if (!here.refs.empty() && number(5) > 0) {
      tip = std::next(here.refs.begin(), static_cast<int>(number(here.refs.size())))->second;
    }
    for (std::size_t i = number(12) + 1; i > 0; --i) {
      const std::vector<Oid> parents = tip ? std::vector{*tip} : std::vector<Oid>();
      const std::string text = "text " + std::to_string(graph_.commits.size());
      tip = graph_.add(graph_.world.turn(parents, text), parents, text);
    }
    move(here, ref, tip);
  }

  void merge(Member& here) {
    const std::string ref = any_branch();
    if (!here.refs.contains(ref)) return;
    const Oid ours = here.refs.at(ref);
    const Oid theirs =
        std::next(here.refs.begin(), static_cast<int>(number(here.refs.size())))->second;
    if (graph_.leads(theirs, ours)) return;
    Commit commit = graph_.world.directive(Op::merge, {ours, theirs});
    commit.mode = Mode::append;
    move(here, ref, graph_.add(commit, {ours, theirs}, ""));
  }

  // A branch goes to where a tracking ref is.
  void follow(Member& here) {
    for (const auto& [name, target] : RefMap(here.refs)) {
      if (name.starts_with("refs/remotes/") && number(3) == 0) {
        move(here, branch_ref(name.substr(name.rfind('/') + 1)), target);
      }
    }
  }

  void drop(Member& here) {
    const std::string ref = any_branch();
    if (here.refs.contains(ref)) move(here, ref, std::nullopt);
  }

  void erase(Member& here) {
    if (graph_.commits.empty()) return;
    const Oid commit = graph_.commits[number(graph_.commits.size())];
    if (!graph_.text.contains(commit)) return;
    const std::string& text = graph_.text.at(commit);
    if (!here.side.store.has(std::array{blob(text).oid}).value()[0]) return;
    here.side.erase(text);
    here.erased.insert(text);
  }

  void fetch_from(Member& here, std::size_t other) {
    Member& there = members_[other];
    if (&here == &there) return;
    CountedLink link(there.side);
    const auto fetched =
        fetch(here.side.store, link, {.name = name_of(other), .url = {}, .seen = here.seen[other]},
              here.side.intake(), at(0));
    REQUIRE_MESSAGE(fetched, fetched.error().message);
    here.seen[other] = fetched->seen;
    const std::string prefix = "refs/remotes/" + name_of(other) + "/";
    std::erase_if(here.refs, [&](const auto& each) { return each.first.starts_with(prefix); });
    for (const auto& [name, target] : there.refs) {
      if (name.starts_with("refs/heads/")) here.refs[prefix + name.substr(11)] = target;
    }
  }

  void push_to(Member& here, std::size_t other, bool is_leased) {
    Member& there = members_[other];
    const std::string ref = any_branch();
    if (&here == &there || !here.refs.contains(ref)) return;
    const Oid after = here.refs.at(ref);
    const std::string tracking = "refs/remotes/" + name_of(other) + "/" + ref.substr(11);
    const auto value = [](const RefMap& refs, const std::string& name) {
      const auto at = refs.find(name);
      return at == refs.end() ? std::nullopt : std::optional(at->second);
    };
    const auto before = value(there.refs, ref);
    CountedLink link(there.side);
    const auto pushed =
        push(here.side.store, link, {.name = name_of(other), .url = {}, .seen = here.seen[other]},
             {{ref, after, is_leased}}, here.side.intake(), at(0));
    const bool is_forward = !before || graph_.leads(*before, after);
    const bool holds_lease = before == value(here.refs, tracking);
    const bool may = before == after || (is_leased ? holds_lease : is_forward);
    // What is known of a ref that moved there since may be that it is not here.
    CAPTURE(is_leased);
    if (!pushed) CAPTURE(pushed.error().message);
    REQUIRE(pushed.has_value() == may);
    if (!may || before == after) return;
    there.refs[ref] = after;
    here.refs[tracking] = after;
  }

  void check(Member& member) {
    const auto report = fsck(member.side.store).value();
    CHECK(report.is_sound());
    CHECK(member.side.spools() == 0);
    for (const auto& [name, target] : member.refs) {
      const std::set<Oid>& all = graph_.history.at(target);
      for (const bool is_here :
           member.side.store.has(std::vector<Oid>(all.begin(), all.end())).value()) {
        CHECK(is_here);
      }
      for (const Oid& each : all) {
        if (!graph_.text.contains(each)) continue;
        const std::string& text = graph_.text.at(each);
        const bool is_here = member.side.store.has(std::array{blob(text).oid}).value()[0];
        const bool is_erased_somewhere = std::ranges::any_of(
            members_, [&](const Member& any) { return any.erased.contains(text); });
        CHECK_FALSE((is_here && member.erased.contains(text)));
        CHECK((is_here || is_erased_somewhere));
      }
    }
  }

  std::mt19937_64 random_;
  Graph graph_;
  std::array<Member, kStores> members_;
};

}  // namespace

TEST_SUITE("sync/model") {
  TEST_CASE("random stores have what a model says") {
    for (std::uint64_t seed = 1; seed <= spoor::testing::rounds(12U); ++seed) {
      CAPTURE(seed);
      Play(spoor::testing::seeded(seed)).run(120);
    }
  }
}
