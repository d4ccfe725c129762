#include "api/turns/history.h"

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "graph/call_text.h"
#include "graph/counterfactual.h"
#include "graph/searched_text.h"
#include "store/ancestry.h"

namespace spoor::api {
namespace {

using store::NamedCommit;

// Texts are read for a page of commits at a time. The first page is small, so
// that the first lines come at once and a short listing reads little.
constexpr std::size_t kFirstPage = 32;
constexpr std::size_t kPage = 512;

bool contains(std::string_view text, std::string_view part, bool ignore_case) {
  if (!ignore_case) return text.find(part) != std::string_view::npos;
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

// Whether a query selects a commit by what it is, without its text.
bool is_wanted(const HistoryQuery& query, const store::Commit& commit) {
  const std::string_view kind = compile::kind_of(commit);
  if (!query.types.empty()) {
    if (std::find(query.types.begin(), query.types.end(), kind) == query.types.end()) return false;
  } else if (!query.with_bookkeeping && compile::is_bookkeeping(commit)) {
    return false;
  }
  if (!query.author.empty() && !contains(commit.author, query.author, query.ignore_case)) {
    return false;
  }
  if (!query.text.empty() && !commit.content && !commit.fields) return false;
  if (query.since && (!commit.time || *commit.time < *query.since)) return false;
  return !query.until || (commit.time && *commit.time <= *query.until);
}

// Whether it selects it by its text.
bool matches(const HistoryQuery& query, const TurnView& view) {
  if (query.grep.empty()) return true;
  const auto holds = [&query](std::string_view text) {
    return contains(text, query.grep, query.ignore_case);
  };
  if (holds(view.text_or_empty()) || holds(view.extra.message)) return true;
  return std::any_of(view.calls().begin(), view.calls().end(),
                     [&holds](const auto& call) { return graph::says(call, holds); });
}

class Walk {
 public:
  Walk(const Workspace& workspace, const HistoryQuery& query,
       const std::function<bool(const HistoryStep&)>& visit)
      : workspace_(workspace),
        query_(query),
        visit_(visit),
        marks_(workspace.reader(), workspace.repository().folder(), query.tips.front()) {}

  Result<void> run() {
    TRY(find_excluded());
    const auto visit = [this](const NamedCommit& commit) { return take(commit); };
    if (query_.tips.size() == 1) {
      TRY(store::walk_chain(workspace_.reader(), query_.tips.front(), visit));
    } else if (query_.by_time) {
      TRY(store::walk_by_time(workspace_.reader(), query_.tips, visit));
    } else {
      TRY(store::walk_history(workspace_.reader(), query_.tips, visit));
    }
    if (failure_) return *failure_;
    if (!stopped_) emit_page();
    return failure_ ? Result<void>(*failure_) : Result<void>();
  }

 private:
  struct Pending {
    NamedCommit commit;
    bool wanted;
  };

  Result<void> find_excluded() {
    if (query_.without.empty()) return {};
    return store::walk_history(workspace_.reader(), query_.without, [this](const NamedCommit& c) {
      excluded_.insert(c.oid);
      return true;
    });
  }

  // Returns true to continue the walk.
  bool take(const NamedCommit& commit) {
    if (excluded_.contains(commit.oid)) return true;
    if (workspace_.is_cancelled()) return stop();
    if (auto seen = marks_.see(commit); !seen) return fail(seen.error());
    const bool wanted = is_wanted(query_, *commit.commit);
    if (!wanted && !query_.with_hidden) return true;
    page_.push_back({commit, wanted});
    return page_.size() < page_size() || emit_page();
  }

  std::size_t page_size() const {
    if (!query_.grep.empty() || !query_.text.empty()) return kPage;
    std::size_t size = first_page_ ? kFirstPage : kPage;
    if (query_.limit && !query_.with_hidden) {
      const std::uint64_t left = *query_.limit - shown_;
      size = std::min<std::size_t>(size, std::max<std::uint64_t>(left, 1));
    }
    return size;
  }

  // Drops the turns that do not contain the text, before their views are read, because most turns
  // do not. Absent contents never match. Returns false on failure.
  bool drop_without_text(std::vector<Pending>& page) {
    std::vector<NamedCommit> commits;
    commits.reserve(page.size());
    for (const Pending& pending : page) commits.push_back(pending.commit);
    const auto said = graph::searched_texts(workspace_.reader(), commits);
    if (!said) return fail(said.error());
    std::vector<Pending> kept;
    for (std::size_t i = 0; i < page.size(); ++i) {
      if (said.value()[i].says(query_.text)) kept.push_back(page[i]);
    }
    page = std::move(kept);
    return true;
  }

  bool emit_page() {
    first_page_ = false;
    std::vector<Pending> page;
    page.swap(page_);
    if (!query_.text.empty() && !drop_without_text(page)) return false;
    std::vector<NamedCommit> commits;
    commits.reserve(page.size());
    for (const Pending& pending : page) commits.push_back(pending.commit);
    auto views = read_views(workspace_.reader(), commits);
    if (!views) return fail(views.error());
    for (std::size_t i = 0; i < page.size(); ++i) {
      const TurnView& view = views.value()[i];
      const bool shown = page[i].wanted && matches(query_, view);
      if (!shown && !query_.with_hidden) continue;
      if (query_.limit && shown_ == *query_.limit) return stop();
      if (shown) ++shown_;
      // Newest first: the first record of a message that comes up is its last.
      const std::string message = compile::message_id_of(*view.commit);
      const bool ends_message = message.empty() || messages_.insert(message).second;
      Marks marks = marks_.of(view.oid);
      if (query_.counterfactual && shown) {
        auto is = graph::is_counterfactual(workspace_.reader(), workspace_.repository().folder(),
                                           *view.commit);
        if (!is) return fail(is.error());
        marks.is_counterfactual = *is;
      }
      if (!visit_({view, marks, shown, ends_message})) return stop();
      if (query_.limit && shown_ == *query_.limit) return stop();
    }
    return true;
  }

  bool stop() {
    stopped_ = true;
    return false;
  }

  bool fail(Error error) {
    failure_ = std::move(error);
    return false;
  }

  const Workspace& workspace_;
  const HistoryQuery& query_;
  const std::function<bool(const HistoryStep&)>& visit_;
  MarkCollector marks_;
  std::unordered_set<Oid> excluded_;
  std::unordered_set<std::string> messages_;
  std::vector<Pending> page_;
  bool first_page_ = true;
  std::uint64_t shown_ = 0;
  bool stopped_ = false;
  std::optional<Error> failure_;
};

}  // namespace

Result<void> walk(const Workspace& workspace, const HistoryQuery& query,
                  const std::function<bool(const HistoryStep&)>& visit) {
  if (query.tips.empty() || query.limit == 0U) return {};
  return Walk(workspace, query, visit).run();
}

Result<void> each_selected(const Workspace& workspace, const HistoryQuery& query,
                           const std::vector<Oid>& commits,
                           const std::function<bool(const TurnView&)>& visit) {
  std::uint64_t shown = 0;
  std::vector<NamedCommit> page;
  const auto show_page = [&]() -> Result<bool> {
    for (const TurnView& view : TRY(read_views(workspace.reader(), page))) {
      if (!matches(query, view)) continue;
      if (query.limit && shown == *query.limit) return false;
      ++shown;
      if (!visit(view)) return false;
    }
    page.clear();
    return true;
  };
  std::size_t page_size = std::min<std::uint64_t>(query.limit.value_or(kFirstPage), kFirstPage);
  for (const Oid& oid : commits) {
    if (workspace.is_cancelled()) return {};
    const auto commit = TRY(workspace.reader().commit(oid));
    if (!is_wanted(query, *commit)) continue;
    page.push_back({oid, commit});
    if (page.size() < page_size) continue;
    if (!TRY(show_page())) return {};
    page_size = kPage;
  }
  TRY(show_page());
  return {};
}

Result<void> add_revision(const Workspace& workspace, const std::string& text,
                          HistoryQuery& query) {
  const auto range = store::split_range(text);
  if (!range) {
    if (const auto tip = TRY(workspace.resolve_or_empty(text))) query.tips.push_back(*tip);
    return {};
  }
  const auto side = [&](const std::string& name) { return name.empty() ? workspace.here() : name; };
  const auto from = TRY(workspace.resolve_or_empty(side(range->from)));
  const auto to = TRY(workspace.resolve_or_empty(side(range->to)));
  if (to) query.tips.push_back(*to);
  if (!from) return {};
  if (!range->is_symmetric) {
    query.without.push_back(*from);
    return {};
  }
  query.tips.push_back(*from);
  if (!to) return {};
  for (const Oid& base : TRY(store::merge_bases(workspace.reader(), *from, *to))) {
    query.without.push_back(base);
  }
  return {};
}

Result<Marks> marks_at(const Workspace& workspace, const std::optional<Oid>& head,
                       const TurnView& view) {
  const compile::Folder& folder = workspace.repository().folder();
  Marks marks;
  if (head) {
    const auto state = TRY(folder.part_at(*head, {.wanted = view.oid}));
    const compile::Entry* entry = state->find(view.oid);
    if (entry != nullptr) marks = marks_of(*entry);
  }
  marks.is_counterfactual = TRY(graph::is_counterfactual(workspace.reader(), folder, *view.commit));
  return marks;
}

Result<void> add_all(const Workspace& workspace, HistoryQuery& query) {
  for (const char* prefix : {"refs/heads/", "refs/tags/", "refs/remotes/"}) {
    for (const store::Ref& ref : TRY(workspace.repository().store().refs(prefix))) {
      query.tips.push_back(TRY(workspace.reader().peel(ref.target)));
    }
  }
  if (const auto head = TRY(workspace.head_commit())) query.tips.push_back(*head);
  return {};
}

bool is_kind(std::string_view word) {
  return store::type_from(word) || (store::op_from(word) && word != "append");
}

std::string kinds_hint() {
  std::string hint = "take one of ";
  for (int i = 0; i <= static_cast<int>(store::Type::note); ++i) {
    hint.append(store::name_of(static_cast<store::Type>(i))).append(", ");
  }
  return hint + "edit, annotate, compress, merge";
}

}  // namespace spoor::api
