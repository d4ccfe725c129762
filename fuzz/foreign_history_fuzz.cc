// A history as somebody else's store may have it: every object has its right name and form, and
// says within that what the input says (fields, meta, raw items, settings, options of runs).
// Whatever reads histories answers or ends with a reason, says the same when asked again, and
// writes JSON that is JSON and pages without scripts.
//
// An input is lines. `on REF` goes to the end of a ref, `append TYPE`, `edit`, `annotate PRIORITY`,
// `compress` and `merge MODE` begin a commit there, and these give it parts:
//
//   text T · fields T · extra T · meta T · attach T · raw T · options T (of its request) ·
//   target N · about N · other N (commits so many before) · targets T (bytes)
//
// `on run` and `on critic` are the chains of the run whose root is the first commit on `run`;
// `on judged` is where judgements are. `$RUN` in a meta is the run's id. `local KEY TEXT` is a
// setting of the store.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/planner.h"
#include "agent/record/recording.h"
#include "agent/runs.h"
#include "answer.h"
#include "base/json/reader.h"
#include "base/utf8.h"
#include "cli/agents/agent_setup.h"
#include "graph/repository.h"
#include "guard/check/evaluations.h"
#include "guard/check/run_constraints.h"
#include "llm/render/render.h"
#include "llm/sent_prompt.h"
#include "report/debrief/graph_source.h"
#include "report/debrief/views.h"
#include "report/event/projection.h"
#include "report/report.h"
#include "store/ancestry.h"
#include "store/blob.h"
#include "store/bundle.h"
#include "store/fsck.h"
#include "trace/event_json.h"

using namespace spoor;
using fuzz::given;
using fuzz::is_done;
using graph::Repository;
using store::Commit;
using store::Oid;

namespace {

constexpr std::size_t kMostCommits = 60;

void require(bool claim) {
  if (!claim) std::abort();
}

bool is_json(const std::string& text) { return spoor::json::parse(text).has_value(); }

std::string_view take_to(std::string_view& text, char end) {
  const std::string_view front = text.substr(0, text.find(end));
  text.remove_prefix(std::min(front.size() + 1, text.size()));
  return front;
}

std::size_t number_in(std::string_view text) {
  std::size_t number = 0;
  for (const char c : text.substr(0, 3)) {
    if (c >= '0' && c <= '9') number = number * 10 + static_cast<std::size_t>(c - '0');
  }
  return number;
}

// Writes what the lines say, each commit as the strict text has it or not at all.
class Writer {
 public:
  explicit Writer(store::Store& store) : store_(store), reader_(store) {}

  void take(std::string_view line) {
    const std::string_view word = take_to(line, ' ');
    if (word == "on") return go_to(line);
    if (word == "local") {
      const std::string key(take_to(line, ' '));
      if (!key.empty()) is_done(store_.set_property(key, std::string(line)));
      return;
    }
    if (const auto op = store::op_from(word)) return begin(*op, line);
    if (commit_) add(word, line);
  }

  void end_commit() {
    if (!commit_) return;
    Commit commit = std::move(*commit_);
    commit_.reset();
    const auto tip = tips_.find(ref_);
    if (tip != tips_.end()) commit.parents.insert(commit.parents.begin(), tip->second);
    if (commit.parents.size() > 1 && commit.op != store::Op::merge) commit.parents.resize(1);
    for (const Oid& parent : commit.parents) {
      const auto read = reader_.commit(parent).value();
      if (parent == commit.parents.front()) commit.depth = read->depth + 1;
      commit.gen = std::max(commit.gen, read->gen + 1);
    }
    if (!commit.parents.empty()) {
      commit.skip = store::skip_of_child(reader_, commit.parents.front(), commit.depth).value();
    }
    const auto text = store::serialize(commit);
    if (!given(text) || commits_.size() >= kMostCommits) return;
    objects_.push_back(store::new_object(store::Kind::commit, *text));
    const Oid oid = objects_.back().oid;
    require(store_.put(objects_).has_value());
    objects_.clear();
    commits_.push_back(oid);
    tips_[ref_] = oid;
    if (ref_ == "run" && !root_) root_ = oid;
  }

  /// Moves the refs. The run of `on run` has its refs by the name of its root.
  void finish() {
    end_commit();
    store::Transaction change;
    for (const auto& [name, tip] : tips_) {
      std::string ref = store::branch_ref(name);
      if (name == "judged") ref = guard::check::kEvaluationRef;
      if (name == "run" || name == "critic") {
        if (!root_) continue;
        const std::string run = root_->hex().substr(0, 16);
        ref = name == "run" ? agent::record::head_ref(run) : agent::record::critic_ref(run);
      }
      change.refs.push_back({ref, std::nullopt, tip});
    }
    std::sort(change.refs.begin(), change.refs.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    change.actor = "tester";
    change.command = "test";
    change.time = {1'893'456'000'000'000};
    if (!change.refs.empty()) require(store_.commit(change).has_value());
  }

  const std::vector<Oid>& commits() const { return commits_; }

 private:
  void go_to(std::string_view name) {
    end_commit();
    if (store::ref_name_problem(name).empty() && tips_.size() < 8) ref_ = std::string(name);
  }

  void begin(store::Op op, std::string_view word) {
    end_commit();
    commit_.emplace();
    commit_->op = op;
    commit_->author = "somebody";
    commit_->time = spoor::Timestamp{1'893'456'000'000'000 +
                                     static_cast<std::int64_t>(commits_.size()) * 1'000'000};
    if (op == store::Op::append) commit_->type = store::type_from(word);
    if (op == store::Op::merge) commit_->mode = store::mode_from(word);
    if (op == store::Op::annotate) commit_->priority = store::priority_from(word);
  }

  Oid content(std::string_view bytes) {
    for (auto& object : store::encode_content(bytes, store::Salter())) {
      objects_.push_back(std::move(object));
    }
    return objects_.back().oid;
  }

  std::optional<Oid> before(std::string_view number) const {
    const std::size_t back = number_in(number);
    if (back >= commits_.size()) return std::nullopt;
    return commits_[commits_.size() - 1 - back];
  }

  void add(std::string_view word, std::string_view text) {
    Commit& commit = *commit_;
    if (word == "text") commit.content = store::Content{content(text)};
    if (word == "fields") commit.fields = content(text);
    if (word == "extra") commit.extra = content(text);
    if (word == "meta") commit.meta = with_run(text);
    if (word == "attach") commit.attach.push_back({content(text), "application/json"});
    if (word == "raw") commit.raw.push_back({content(text), "application/json"});
    if (word == "targets") commit.targets = content(text);
    if (word == "options") add_request(text);
    const auto named = before(text);
    if (word == "target" && named) commit.target.push_back(*named);
    if (word == "about" && named) commit.about.push_back(*named);
    if (word == "other" && named) commit.parents.push_back(*named);
  }

  // `$RUN` is the id of the run, which nobody can know who writes an input.
  std::string with_run(std::string_view text) const {
    constexpr std::string_view kRun = "$RUN";
    std::string out(text);
    const auto at = root_ ? out.find(kRun) : std::string::npos;
    return at == std::string::npos ? out : out.replace(at, kRun.size(), root_->hex().substr(0, 16));
  }

  // The request that an answer is the reply to, with options in somebody's own words.
  void add_request(std::string_view options) {
    const auto tip = tips_.find(ref_);
    if (tip == tips_.end()) return;
    store::Bundle bundle;
    bundle.commit = tip->second;
    bundle.renderer = "anthropic/1";
    bundle.model = "a-model";
    bundle.options = content(options);
    bundle.sent = bundle.commit;
    const auto text = store::serialize(bundle);
    if (!given(text)) return;
    objects_.push_back(store::new_object(store::Kind::bundle, *text));
    commit_->prompt = objects_.back().oid;
  }

  store::Store& store_;
  const store::Reader reader_;
  std::string ref_ = "main";
  std::optional<Commit> commit_;
  std::vector<store::NewObject> objects_;
  std::vector<Oid> commits_;
  std::map<std::string, Oid> tips_;
  std::optional<Oid> root_;  // Of the run.
};

void check_prompts(const Repository& repository, const Oid& tip) {
  for (const bool with_reasoning : {false, true}) {
    compile::CompileOptions options;
    options.include_reasoning = options.with_thoughts = with_reasoning;
    const auto prompt = repository.compile(tip, options);
    if (!given(prompt)) return;
    repository.drop_caches();
    const auto again = repository.compile(tip, options);
    require(again.has_value() && again->hash == prompt->hash && again->tokens == prompt->tokens);
    require(again->left_out == prompt->left_out && again->config == prompt->config);
  }
  for (const llm::Profile& profile : llm::known_profiles()) {
    const auto recipe = llm::render::recipe_for(profile, "a-model");
    const auto rendered = llm::render::render(repository, tip, recipe);
    if (!given(rendered)) continue;
    require(is_json(rendered->body));
    require(llm::render::render(repository, tip, recipe).value().body == rendered->body);
  }
}

void check_page(const std::string& html) { require(html.find("<script") == std::string::npos); }

void check_debrief(const Repository& repository, const std::optional<agent::RunName>& run,
                   const Oid& head) {
  namespace debrief = report::debrief;
  const auto read = [&] {
    return run ? debrief::debrief_of(repository, *run) : debrief::debrief_of(repository, head);
  };
  const auto told = read();
  if (!given(told)) return;
  const std::string json = debrief::to_json(*told);
  require(is_json(json));
  require(debrief::to_json(read().value()) == json);
  require(is_json(debrief::to_json_summary(*told)));
  check_page(debrief::to_html(*told));
  require(!debrief::to_markdown(*told).empty() && !debrief::tree_text(*told).empty());
  require(!debrief::classic_text(*told).empty());
}

void check_audit(Repository& repository, const std::optional<agent::RunName>& run,
                 const Oid& head) {
  const auto judgements = guard::check::read_evaluations(repository);
  if (given(judgements)) {
    for (const auto& [commit, all] : *judgements) guard::check::evaluation_of(all);
  }
  std::vector<std::string> events;
  const auto project = [&](std::vector<std::string>& out) {
    return report::project(repository, run, head,
                           {.judgements = judgements ? &*judgements : nullptr},
                           [&](trace::DecisionEvent&& event) -> spoor::Result<void> {
                             out.push_back(trace::to_json(event));
                             require(is_json(out.back()));
                             require(spoor::is_utf8(out.back()));
                             return {};
                           });
  };
  if (is_done(project(events))) {
    std::vector<std::string> again;
    require(is_done(project(again)) && again == events);
  }
  const auto report = report::report_of(repository, run, head, 100, llm::PriceList());
  if (!given(report)) return;
  require(is_json(report::to_json(*report)));
  check_page(report::to_html(*report));
  require(!report::to_markdown(*report).empty());
}

void check_options(const std::string& options) {
  agent::RunOptions read;
  is_done(agent::read_options(options, read));
  given(agent::models_of(options));
  const auto settings = cli::read_tool_settings(options);
  if (given(settings)) {
    const auto again =
        cli::read_tool_settings("{\"caller\":" + cli::write_tool_settings(*settings) + "}");
    if (spoor::is_utf8(options)) require(again.has_value() && *again == *settings);
  }
  guard::check::constraints_in(options);
}

void check_run(Repository& repository, const agent::RunName& run) {
  const auto recording = agent::record::read_recording(repository, run.id);
  if (given(recording)) {
    check_options(recording->options);
    given(agent::session_options_of(recording->header));
    for (const std::int64_t step : {0, 1, 3}) agent::record::before_step(*recording, step);
  }
  given(agent::record::commit_before_step(repository, run.id, 1));
  given(agent::origins_of(repository, run.root));
  check_debrief(repository, run, run.head);
  check_audit(repository, run, run.head);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto repository = Repository::in_memory();
  Writer writer(repository->store());
  while (!text.empty()) writer.take(take_to(text, '\n'));
  writer.finish();
  require(store::fsck(repository->store()).has_value());
  given(repository->token_limit());
  given(repository->commits_reasoning());

  for (const Oid& commit : writer.commits()) {
    given(graph::read_turn(repository->reader(), commit));
    given(llm::sent_prompt(*repository, commit));
  }
  for (const store::Ref& ref : repository->store().refs("").value()) {
    check_prompts(*repository, ref.target);
    check_debrief(*repository, std::nullopt, ref.target);
    check_audit(*repository, std::nullopt, ref.target);
  }
  const auto runs = agent::list_runs(*repository);
  if (given(runs)) {
    for (const agent::RunName& run : *runs) check_run(*repository, run);
  }
  return 0;
}
