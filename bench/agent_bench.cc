// The costs of ways to leave a full window: the growth of imported conversations, replayed step by
// step through the agent's own window at published prices. The tokens are this program's estimate.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "agent/record/compaction.h"
#include "agent/record/window.h"
#include "bench/figures.h"
#include "bench/workload.h"
#include "llm/price.h"

namespace spoor::bench {
namespace {

using agent::WhenFull;
using agent::record::Window;
using compile::Turn;
using compile::Type;

constexpr std::size_t kConversations = 100;
constexpr std::uint64_t kLeastTokens = 100'000;
constexpr std::int64_t kWindow = 32'000;         // Of a model of which nothing is known.
constexpr std::size_t kLeastAnswers = 10;        // A conversation of fewer steps is no agent's.
constexpr std::uint64_t kSummaryTokens = 1'500;  // 1,000 words are asked for.

// A conversation as turns, without its reasoning.
struct Talk {
  std::vector<Turn> turns;
  std::uint64_t tokens = 0;
};

struct Policy {
  const char* name;
  Window window;
  bool is_cached = true;
};

// Sums over the requests of a policy.
struct Sums {
  std::uint64_t tokens = 0;  // Of requests.
  std::uint64_t kept = 0;    // Of them, as the request before began.
  std::uint64_t output = 0;
  double input_dollars = 0;
  double output_dollars = 0;
  std::uint64_t summaries = 0;
};

Talk conversation_of(const Prompt& prompt) {
  Talk made;
  for (const compile::Message& message : prompt.messages) {
    for (const compile::Part& part : message.parts) {
      Turn turn{.type = part.type, .text = *part.text};
      if (part.fields) turn.fields = *part.fields;
      made.turns.push_back(std::move(turn));
    }
  }
  made.tokens = prompt.tokens;
  return made;
}

// Repeats a conversation until it has the tokens; the calls of each repetition have ids of their
// own.
void lengthen(Talk& conversation, std::uint64_t least) {
  const std::vector<Turn> once = conversation.turns;
  const std::uint64_t tokens = conversation.tokens;
  for (int round = 2; conversation.tokens < least; ++round) {
    const std::string suffix = fmt::format("-{}", round);
    for (Turn turn : once) {
      if (turn.type == Type::system) continue;
      if (!turn.fields.call_id.empty()) turn.fields.call_id += suffix;
      if (turn.fields.tool_calls) {
        for (compile::ToolCall& call : *turn.fields.tool_calls) call.id += suffix;
      }
      conversation.turns.push_back(std::move(turn));
    }
    conversation.tokens += tokens;
  }
}

std::vector<Talk> read_conversations(const std::filesystem::path& data) {
  const ScratchFolder folder;
  const std::string path = folder.path("store");
  run_seconds({SPOOR_PROGRAM, "--store", path, "init"});
  run_seconds({SPOOR_PROGRAM, "--store", path, "import", data});
  const auto repository = must(Repository::open(path));
  std::vector<Talk> all;
  for (const store::Ref& ref : must(repository->store().refs("refs/heads/"))) {
    Talk made = conversation_of(must(repository->compile(ref.target)));
    const auto answers = std::ranges::count(made.turns, Type::assistant, &Turn::type);
    if (static_cast<std::size_t>(answers) >= kLeastAnswers) all.push_back(std::move(made));
  }
  std::ranges::stable_sort(all, std::greater<>(), &Talk::tokens);
  must(!all.empty(), "no conversation was imported");
  const std::size_t own = all.size();
  const std::size_t wanted = sized(kConversations);
  for (std::size_t i = 0; all.size() < wanted; ++i) all.push_back(all[i % own]);
  all.resize(wanted);
  return all;
}

// One conversation under one policy: an agent's branch, and the last request made of it.
class Growth {
 public:
  Growth(const Policy& policy, const llm::Price& price, Sums& sums)
      : policy_(policy), price_(price), sums_(sums) {}

  void run(const Talk& conversation) {
    bool has_goal = false;
    for (const Turn& turn : conversation.turns) {
      if (turn.type == Type::assistant)
        ask(repository_->counter().count(
            turn.text, turn.fields.tool_calls ? &*turn.fields.tool_calls : nullptr));
      const Oid made = must(branch_.commit(turn));
      if (turn.type != Type::user || has_goal) continue;
      must(branch_.annotate(made, store::Priority::pinned));
      has_goal = true;
    }
  }

 private:
  struct Sent {
    Oid commit;
    bool is_cleared;
    bool is_pinned;
    std::uint64_t tokens;
  };

  // The request for the next answer, after that for a summary if the window wants one.
  void ask(std::uint64_t output) {
    agent::record::Fit fit = fitting();
    if (fit.needs_summary) {
      must(branch_.commit(
          {.type = Type::user, .text = std::string(agent::record::summary_question())}));
      send(fitting(), kSummaryTokens);
      const std::string text(kSummaryTokens * 4, 's');
      const Oid answer = must(branch_.commit({.type = Type::assistant, .text = text}));
      const Prompt shown = must(branch_.compile({}));
      must(branch_.write("bench", [&](graph::Draft& draft, const std::string& ref) {
        return agent::record::replace_by_summary(shown, draft, ref, answer, {.text = text}, {});
      }));
      ++sums_.summaries;
      fit = fitting();
    }
    send(fit, output);
  }

  agent::record::Fit fitting() const {
    const auto tip = must(branch_.tip());
    if (!tip) return {.budget = policy_.window.tokens};
    return must(agent::record::fit_at(*repository_, *tip, policy_.window));
  }

  void send(const agent::record::Fit& fit, std::uint64_t output) {
    const Prompt prompt = must(branch_.compile(agent::record::options_of(fit)));
    std::vector<Sent> now;
    for (const compile::Message& message : prompt.messages) {
      for (const compile::Part& part : message.parts) {
        now.push_back(
            {part.commit, part.is_cleared, part.priority == store::Priority::pinned, part.tokens});
      }
    }
    const std::uint64_t kept = kept_of(now);
    last_ = std::move(now);
    book(prompt.tokens, kept, output);
  }

  // Returns how much a request reads from the cache: marks are at the end of the request before,
  // and after the pinned front.
  std::uint64_t kept_of(const std::vector<Sent>& now) const {
    std::uint64_t front = 0;
    std::uint64_t all = 0;
    bool is_front = true;
    for (std::size_t i = 0; i < last_.size(); ++i) {
      const bool is_same = i < now.size() && now[i].commit == last_[i].commit &&
                           now[i].is_cleared == last_[i].is_cleared;
      if (!is_same) return front;
      is_front = is_front && now[i].is_pinned;
      all += now[i].tokens;
      if (is_front) front = all;
    }
    return all;
  }

  void book(std::uint64_t tokens, std::uint64_t kept, std::uint64_t output) {
    const auto dollars = [this](const llm::Usage& usage) {
      return static_cast<double>(llm::cost_of(usage, price_).value().amount.nano_dollars) / 1e9;
    };
    llm::Usage request{
        .input = tokens, .cached = 0, .cache_written = 0, .output = 0, .reasoning = {}};
    if (policy_.is_cached) {
      request.input = 0;
      request.cached = kept;
      request.cache_written = tokens - kept;
    }
    sums_.tokens += tokens;
    sums_.kept += kept;
    sums_.output += output;
    sums_.input_dollars += dollars(request);
    sums_.output_dollars +=
        dollars({.input = 0, .cached = 0, .cache_written = 0, .output = output, .reasoning = {}});
  }

  const Policy& policy_;
  const llm::Price& price_;
  Sums& sums_;
  std::unique_ptr<Repository> repository_ = Repository::in_memory();
  graph::Branch branch_ = repository_->branch("main");
  std::vector<Sent> last_;
};

std::vector<Policy> policies() {
  constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max() / 8;
  return {
      {"no caching, oldest turn dropped", {kWindow, WhenFull::drop_each}, false},
      {"all of it, cached", {kEndless, WhenFull::drop}},
      {"oldest turn dropped at every step", {kWindow, WhenFull::drop_each}},
      {"turns dropped in blocks", {kWindow, WhenFull::drop}},
      {"results cleared, then blocks", {kWindow, WhenFull::clear}},
      {"results cleared, then a summary", {kWindow, WhenFull::compact}},
  };
}

void add_rows(const std::vector<Talk>& conversations, std::vector<Row>& rows) {
  constexpr double kMillion = 1e6;
  const llm::PriceList prices;
  const llm::Price* price = prices.find("anthropic", "claude-opus-5");
  must(price != nullptr && price->rates.input, "the price is unknown");
  // A unit is the price of a token of input that meets no cache.
  const double unit = static_cast<double>(price->rates.input->nano_dollars) / 1e9 / kMillion;
  double uncached = 0;
  for (const Policy& policy : policies()) {
    Sums sums;
    for (const Talk& each : conversations) Growth(policy, *price, sums).run(each);
    const double units = sums.input_dollars / unit / kMillion;
    if (!policy.is_cached) uncached = units;
    const double share = static_cast<double>(sums.kept) / static_cast<double>(sums.tokens);
    Row row{policy.name,      units,        "M units",          uncached,
            units / uncached, std::nullopt, Row::Want::at_most, {}};
    row.note =
        fmt::format("no caching; {:.1f}M tokens sent, {:.1f} % as before, output {:.2f}M units",
                    static_cast<double>(sums.tokens) / kMillion, share * 100,
                    sums.output_dollars / unit / kMillion);
    if (sums.summaries > 0) row.note += fmt::format(", {} summaries", sums.summaries);
    if (policy.window.when_full == agent::Session::Options{}.when_full) row.target = 1;
    rows.push_back(std::move(row));
  }
}

}  // namespace

void measure_agent(std::vector<Row>& rows) {
  const std::filesystem::path data = SPOOR_SOURCE_DIR "/../shared/data";
  if (!std::filesystem::exists(data)) {
    fmt::print(stderr, "bench: agent: skipped, '{}' is absent\n", data.lexically_normal().string());
    return;
  }
  const auto conversations = read_conversations(data);
  std::vector<Talk> longer = conversations;
  for (Talk& each : longer) lengthen(each, kLeastTokens);
  const auto own = std::ranges::count_if(
      conversations, [](const Talk& each) { return each.tokens >= kLeastTokens; });
  fmt::print(stderr, "bench: agent: {} of {} conversations are as long without repetition\n", own,
             conversations.size());
  add_rows(longer, rows);
}

}  // namespace spoor::bench
