#include "tests/model/naive.h"

#include <algorithm>
#include <functional>
#include <set>

namespace spoor::naive {
namespace {

std::string role_of(const std::string& type) {
  if (type == "system" || type == "user" || type == "tool") return type;
  if (type == "summary") return "user";
  return type == "assistant" || type == "reasoning" || type == "artifact" ? "assistant" : "";
}

Line line_of(const Commit& commit, int number, const std::string& type) {
  Line line{number,
            type,
            commit.text.value_or(""),
            commit.calls.value_or(std::vector<Call>()),
            Priority::normal,
            false,
            -1};
  if (type == "system" || type == "summary") line.priority = Priority::pinned;
  if (type == "reasoning") line.priority = Priority::skip;
  return line;
}

Line* find(std::vector<Line>& lines, int commit) {
  for (Line& line : lines) {
    if (line.commit == commit) return &line;
  }
  return nullptr;
}

bool is_source(const Line& line) {
  return line.priority == Priority::normal || (line.type == "summary" && !line.is_explicit);
}

void forget(View& view, bool is_edit, int target) {
  std::erase_if(view.conflicts,
                [&](const Conflict& c) { return c.is_edit == is_edit && c.target == target; });
}

// An edit or an annotation settles all conflicts of its target; version 1 lists the other kind.
void settle(View& view, bool is_edit, int target) {
  forget(view, is_edit, target);
  for (Conflict& c : view.conflicts) {
    if (c.target == target) c.is_settled = true;
  }
}

void sort_conflicts(View& view) {
  const auto place = [&](const Conflict& c) { return find(view.lines, c.target); };
  std::stable_sort(view.conflicts.begin(), view.conflicts.end(),
                   [&](const Conflict& a, const Conflict& b) { return place(a) < place(b); });
}

bool contains(const std::vector<int>& all, int one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// For each message the last commit that changed it on one side and not on the other.
struct Changes {
  std::map<int, int> edits;
  std::map<int, int> priorities;
};

Changes changes_of(const History& history, int side, int other) {
  const auto known = ancestors(history, other);
  Changes changes;
  for (const int number : chain(history, side)) {
    if (known[static_cast<std::size_t>(number)]) continue;
    const Commit& c = history[static_cast<std::size_t>(number)];
    if (c.op == Op::edit) changes.edits[c.targets[0]] = number;
    if (c.op == Op::annotate) changes.priorities[c.targets[0]] = number;
    if (c.op != Op::merge || c.mode == Mode::append) continue;
    const auto before = ancestors(history, c.parents[0]);
    const auto after = ancestors(history, c.parents[1]);
    for (std::size_t i = 0; i < history.size(); ++i) {
      const int brought = static_cast<int>(i);
      const bool is_picked = c.mode == Mode::pick && contains(c.targets, brought);
      if (after[i] && !before[i] && !is_picked) changes.priorities[brought] = number;
    }
  }
  return changes;
}

int find(const std::map<int, int>& last, int commit) {
  const auto found = last.find(commit);
  return found == last.end() ? -1 : found->second;
}

void adopt(View& ours, const View& theirs, bool is_edit, int target) {
  forget(ours, is_edit, target);
  for (const Conflict& c : theirs.conflicts) {
    if (c.is_edit == is_edit && c.target == target) ours.conflicts.push_back(c);
  }
}

// Neither side changed it: it is settled if one of them has it settled.
void adopt_settled(View& ours, const View& theirs, bool is_edit, int target) {
  for (Conflict& c : ours.conflicts) {
    for (const Conflict& d : theirs.conflicts) {
      const bool is_it = c.is_edit == is_edit && c.target == target;
      const bool is_same = d.is_edit == is_edit && d.target == target;
      if (is_it && is_same && d.is_settled) c.is_settled = true;
    }
  }
}

void join_content(const Changes& our_changes, const Changes& their_changes, View& view,
                  const View& theirs, Line& mine, const Line& other, bool is_news) {
  int ours = find(our_changes.edits, mine.commit);
  int their = find(their_changes.edits, mine.commit);
  const bool ours_alone = mine.compressed_by >= 0 && other.compressed_by < 0;
  const bool theirs_alone = mine.compressed_by < 0 && is_news;
  const bool one_compressed = ours_alone || theirs_alone;
  if (ours_alone) ours = mine.compressed_by;
  if (theirs_alone) their = other.compressed_by;
  if (ours < 0 && their < 0) adopt_settled(view, theirs, true, mine.commit);
  if (their < 0) return;
  if (ours < 0) {
    mine.text = other.text;
    mine.calls = other.calls;
    return adopt(view, theirs, true, mine.commit);
  }
  forget(view, true, mine.commit);
  const bool is_same = mine.text == other.text && mine.calls == other.calls;
  if (one_compressed || !is_same) view.conflicts.push_back({true, mine.commit, ours, their});
}

void join_priority(const Changes& our_changes, const Changes& their_changes, View& view,
                   const View& theirs, Line& mine, const Line& other) {
  const int ours = find(our_changes.priorities, mine.commit);
  const int their = find(their_changes.priorities, mine.commit);
  if (ours < 0 && their < 0) adopt_settled(view, theirs, false, mine.commit);
  if (their < 0) return;
  if (ours < 0) {
    mine.priority = other.priority;
    mine.is_explicit = true;
    return adopt(view, theirs, false, mine.commit);
  }
  forget(view, false, mine.commit);
  if (mine.priority == other.priority) return;
  mine.priority = std::max(mine.priority, other.priority);
  view.conflicts.push_back({false, mine.commit, ours, their});
}

void apply_merge(const History& history, int number, View& view, View theirs) {
  const Commit& merge = history[static_cast<std::size_t>(number)];
  const int our_tip = merge.parents[0];
  const int their_tip = merge.parents[1];
  const auto our_changes = changes_of(history, our_tip, their_tip);
  const auto their_changes = changes_of(history, their_tip, our_tip);
  const bool ignores = merge.mode == Mode::ours;
  std::set<int> shared;
  for (const Line& line : view.lines) shared.insert(line.commit);

  std::set<int> arrived;  // Their summaries that stand for lines we share.
  for (Line& mine : view.lines) {
    const Line* other = find(theirs.lines, mine.commit);
    if (other == nullptr || ignores) continue;
    // A summary that is here already was dealt with by an earlier merge.
    const bool is_news = other->compressed_by >= 0 && !shared.contains(other->compressed_by);
    join_content(our_changes, their_changes, view, theirs, mine, *other, is_news);
    join_priority(our_changes, their_changes, view, theirs, mine, *other);
    if (mine.compressed_by >= 0 || !is_news) continue;
    mine.compressed_by = other->compressed_by;
    // Where a summary went into a later one, that stands for the line.
    for (int summary = mine.compressed_by; summary >= 0;) {
      arrived.insert(summary);
      const Line* line = find(theirs.lines, summary);
      summary = line == nullptr ? -1 : line->compressed_by;
    }
  }

  for (std::size_t i = 0; i < theirs.lines.size(); ++i) {
    Line line = theirs.lines[i];
    if (shared.contains(line.commit)) continue;
    const bool is_skipped = ignores || merge.mode == Mode::digest ||
                            (merge.mode == Mode::pick && !contains(merge.targets, line.commit));
    if (is_skipped) {
      line.priority = Priority::skip;
      line.is_explicit = true;
    }
    if (!ignores) {
      adopt(view, theirs, true, line.commit);
      adopt(view, theirs, false, line.commit);
    }
    auto place = view.lines.end();
    for (std::size_t next = i + 1; arrived.contains(line.commit) && next < theirs.lines.size();
         ++next) {
      if (!shared.contains(theirs.lines[next].commit)) continue;
      place = std::find_if(view.lines.begin(), view.lines.end(),
                           [&](const Line& l) { return l.commit == theirs.lines[next].commit; });
      break;
    }
    view.lines.insert(place, line);
  }

  const auto known = ancestors(history, our_tip);
  for (const auto& [key, setting] : theirs.settings) {
    if (!ignores && !known[static_cast<std::size_t>(setting.by)]) view.settings[key] = setting;
  }
  if (merge.mode == Mode::digest) view.lines.push_back(line_of(merge, number, "summary"));
}

void apply(const History& history, int number, View& view) {
  const Commit& c = history[static_cast<std::size_t>(number)];
  if (c.op == Op::append) {
    if (is_message(c.type)) view.lines.push_back(line_of(c, number, c.type));
    for (const auto& [key, value] : c.settings) view.settings[key] = {value, number};
  } else if (c.op == Op::edit) {
    Line& line = *find(view.lines, c.targets[0]);
    if (c.text) line.text = *c.text;
    if (c.calls) line.calls = *c.calls;
    settle(view, true, line.commit);
  } else if (c.op == Op::annotate) {
    Line& line = *find(view.lines, c.targets[0]);
    line.priority = c.priority;
    line.is_explicit = true;
    settle(view, false, line.commit);
  } else if (c.op == Op::compress) {
    auto place = view.lines.end();
    for (auto line = view.lines.end(); line != view.lines.begin();) {
      --line;
      if (contains(c.targets, line->commit) && is_source(*line)) place = line;
    }
    for (Line& line : view.lines) {
      if (contains(c.targets, line.commit) && line.compressed_by < 0) line.compressed_by = number;
    }
    view.lines.insert(place, line_of(c, number, "summary"));
  }
}

// `memo` lives for one fold: without it, sides that merge each other again and
// again would be folded again and again.
View fold_with(const History& history, int commit, std::map<int, View>& memo) {
  std::vector<int> line;
  for (int at = commit;;) {
    line.push_back(at);
    const Commit& c = history[static_cast<std::size_t>(at)];
    if (c.parents.empty()) break;
    at = c.parents[0];
  }
  View view;
  for (auto at = line.rbegin(); at != line.rend(); ++at) {
    const Commit& c = history[static_cast<std::size_t>(*at)];
    if (c.op != Op::merge) {
      apply(history, *at, view);
      continue;
    }
    if (!memo.contains(c.parents[1])) {
      memo[c.parents[1]] = fold_with(history, c.parents[1], memo);
    }
    apply_merge(history, *at, view, memo[c.parents[1]]);
  }
  return view;
}

int count_tokens(const std::string& text, const std::vector<Call>& calls) {
  int words = static_cast<int>(calls.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_space = [&](std::size_t at) { return text[at] == ' ' || text[at] == '\n'; };
    if (!is_space(i) && (i == 0 || is_space(i - 1))) ++words;
  }
  return words;
}

// For each place the place of the call it is a result of, else its own.
std::vector<std::size_t> pieces_of(std::size_t count,
                                   const std::function<std::string(std::size_t)>& call_id,
                                   const std::function<bool(std::size_t, std::string)>& makes) {
  std::vector<std::size_t> pieces;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t piece = i;
    for (std::size_t j = 0; j < i; ++j) {
      if (!call_id(i).empty() && makes(j, call_id(i))) piece = j;
    }
    pieces.push_back(piece);
  }
  return pieces;
}

bool makes(const std::vector<Call>& calls, const std::string& id) {
  return std::any_of(calls.begin(), calls.end(), [&](const Call& call) { return call.id == id; });
}

// For each line the first line of the same provider message.
std::map<int, int> first_commits(const History& history, const std::vector<Line>& lines,
                                 int version) {
  const auto id_of = [&](const Line& line) {
    const std::string& id = history[static_cast<std::size_t>(line.commit)].message_id;
    return role_of(line.type) == "assistant" ? id : std::string();
  };
  std::map<int, int> firsts;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string id = id_of(lines[i]);
    int first = lines[i].commit;
    for (std::size_t j = i; j > 0 && !id.empty(); --j) {
      const Line& before = lines[j - 1];
      if (id_of(before) == id) first = firsts.at(before.commit);
      if (version > 1 && (id_of(before) == id || before.type != "tool")) break;
    }
    // Of what lies between, each must be a result of a call that the message made before it.
    std::vector<std::string> calls;
    bool is_inside = false;
    for (std::size_t j = 0; j < i && version > 1 && first != lines[i].commit; ++j) {
      is_inside = is_inside || lines[j].commit == first;
      if (!is_inside) continue;
      for (const Call& call : lines[j].calls) calls.push_back(call.id);
      if (lines[j].type != "tool") continue;
      const std::string& of = history[static_cast<std::size_t>(lines[j].commit)].call_id;
      if (std::find(calls.begin(), calls.end(), of) == calls.end()) first = lines[i].commit;
    }
    firsts[lines[i].commit] = first;
  }
  return firsts;
}

}  // namespace

std::vector<Conflict> unsettled(const View& view, int version) {
  std::vector<Conflict> all;
  for (Conflict conflict : view.conflicts) {
    if (version > 1 && conflict.is_settled) continue;
    conflict.is_settled = false;
    all.push_back(conflict);
  }
  return all;
}

bool is_message(const std::string& type) { return !role_of(type).empty(); }

std::vector<bool> ancestors(const History& history, int commit) {
  std::vector<bool> seen(history.size(), false);
  std::vector<int> open = {commit};
  while (!open.empty()) {
    const auto next = static_cast<std::size_t>(open.back());
    open.pop_back();
    if (seen[next]) continue;
    seen[next] = true;
    open.insert(open.end(), history[next].parents.begin(), history[next].parents.end());
  }
  return seen;
}

// First its first parent's chain, then what the second parent's adds, then itself.
std::vector<int> chain(const History& history, int commit) {
  std::vector<int> all;
  std::vector<bool> seen(history.size(), false);
  const std::function<void(int)> visit = [&](int number) {
    if (seen[static_cast<std::size_t>(number)]) return;
    seen[static_cast<std::size_t>(number)] = true;
    for (const int parent : history[static_cast<std::size_t>(number)].parents) visit(parent);
    all.push_back(number);
  };
  visit(commit);
  return all;
}

View fold(const History& history, int commit) {
  std::map<int, View> memo;
  View view = fold_with(history, commit, memo);
  sort_conflicts(view);
  return view;
}

Prompt compile(const History& history, const View& view, const Options& options) {
  const auto commit_of = [&](int number) -> const Commit& {
    return history[static_cast<std::size_t>(number)];
  };
  std::vector<Line> lines;
  for (const Line& line : view.lines) {
    if (line.compressed_by < 0) lines.push_back(line);
  }

  std::map<int, std::string> why;  // Of what is out.
  std::map<std::string, int> last_of;
  for (const Line& line : lines) {
    const bool is_lifted =
        options.include_reasoning && line.type == "reasoning" && !line.is_explicit;
    if (line.priority == Priority::skip && !is_lifted) why[line.commit] = "skip";
    const std::string& name = commit_of(line.commit).directive;
    if (name.empty() || why.contains(line.commit)) continue;
    if (last_of.contains(name)) why[last_of[name]] = "directive";
    last_of[name] = line.commit;
  }

  Prompt prompt;
  std::vector<bool> pinned;
  std::vector<bool> is_user;
  std::map<int, std::size_t> groups;  // The place of a message by its first commit.
  const std::map<int, int> firsts = first_commits(history, view.lines, options.version);
  for (const Line& line : lines) {
    if (why.contains(line.commit)) continue;
    const std::string role = role_of(line.type);
    const std::size_t place =
        groups.try_emplace(firsts.at(line.commit), prompt.messages.size()).first->second;
    if (place == prompt.messages.size()) {
      prompt.messages.push_back({role, {}, "", {}, 0});
      pinned.push_back(false);
      is_user.push_back(line.type == "user");
    }
    Message& message = prompt.messages[place];
    message.commits.push_back(line.commit);
    message.text += line.text;
    message.calls.insert(message.calls.end(), line.calls.begin(), line.calls.end());
    message.tokens += count_tokens(line.text, line.calls);
    if (line.priority == Priority::pinned) pinned[place] = true;
  }

  const std::size_t count = prompt.messages.size();
  const auto pieces = pieces_of(
      count,
      [&](std::size_t i) {
        const Message& message = prompt.messages[i];
        return message.role == "tool" ? commit_of(message.commits[0]).call_id : std::string();
      },
      [&](std::size_t i, const std::string& id) { return makes(prompt.messages[i].calls, id); });
  std::vector<std::string> dropped(count);
  const auto drop_unless = [&](const std::string& reason,
                               const std::function<bool(std::size_t)>& keeps) {
    for (std::size_t piece = 0; piece < count; ++piece) {
      bool is_kept = false;
      for (std::size_t i = 0; i < count; ++i) is_kept = is_kept || (pieces[i] == piece && keeps(i));
      for (std::size_t i = 0; i < count && !is_kept; ++i) {
        if (pieces[i] == piece && dropped[i].empty()) dropped[i] = reason;
      }
    }
  };
  if (options.window) {
    int turns = 0;
    std::size_t start = 0;
    for (std::size_t i = count; i > 0 && turns < *options.window; --i) {
      if (is_user[i - 1] && ++turns == *options.window) start = i - 1;
    }
    drop_unless("window", [&](std::size_t i) { return i >= start || pinned[i]; });
  }
  const auto total = [&] {
    int sum = 0;
    for (std::size_t i = 0; i < count; ++i)
      sum += dropped[i].empty() ? prompt.messages[i].tokens : 0;
    return sum;
  };
  for (std::size_t piece = 0; options.budget && piece < count; ++piece) {
    if (total() <= *options.budget) break;
    const auto is_here = [&](std::size_t i) { return pieces[i] == piece && dropped[i].empty(); };
    bool is_held = false;
    for (std::size_t i = 0; i < count; ++i) is_held = is_held || (is_here(i) && pinned[i]);
    for (std::size_t i = 0; i < count && !is_held; ++i) {
      if (is_here(i)) dropped[i] = "budget";
    }
  }

  std::vector<Message> kept;
  for (std::size_t i = 0; i < count; ++i) {
    if (dropped[i].empty()) kept.push_back(prompt.messages[i]);
    for (const int commit : prompt.messages[i].commits) {
      if (!dropped[i].empty()) why[commit] = dropped[i];
    }
  }
  prompt.tokens = total();
  prompt.messages = std::move(kept);
  for (const Line& line : lines) {
    if (why.contains(line.commit)) prompt.left_out.emplace_back(line.commit, why[line.commit]);
  }
  for (const auto& [key, setting] : view.settings) {
    if (!setting.value.empty()) prompt.config[key] = setting.value;
  }
  return prompt;
}

std::vector<int> choose(const History& history, const View& view, int from_commit, int to_commit) {
  std::vector<Line> lines;
  for (const Line& line : view.lines) {
    if (line.compressed_by < 0) lines.push_back(line);
  }
  const auto place = [&](int commit) {
    return std::find_if(lines.begin(), lines.end(),
                        [&](const Line& line) { return line.commit == commit; }) -
           lines.begin();
  };
  const auto end = static_cast<std::ptrdiff_t>(lines.size());
  std::ptrdiff_t from = place(from_commit);
  std::ptrdiff_t to = place(to_commit);
  if (from == end || to == end || from > to) return {};

  const auto pieces = pieces_of(
      lines.size(),
      [&](std::size_t i) {
        return lines[i].type == "tool" ? history[static_cast<std::size_t>(lines[i].commit)].call_id
                                       : std::string();
      },
      [&](std::size_t i, const std::string& id) { return makes(lines[i].calls, id); });
  const auto is_inside = [&](std::size_t i) {
    return static_cast<std::ptrdiff_t>(i) >= from && static_cast<std::ptrdiff_t>(i) <= to;
  };
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (is_inside(i) == is_inside(pieces[i])) continue;
      from =
          std::min({from, static_cast<std::ptrdiff_t>(i), static_cast<std::ptrdiff_t>(pieces[i])});
      to = std::max({to, static_cast<std::ptrdiff_t>(i), static_cast<std::ptrdiff_t>(pieces[i])});
      grew = true;
    }
  }
  std::set<std::size_t> held;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool is_by_default = lines[i].type == "summary" && !lines[i].is_explicit;
    if (is_inside(i) && lines[i].priority == Priority::pinned && !is_by_default) {
      held.insert(pieces[i]);
    }
  }
  std::vector<int> targets;
  bool has_source = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_inside(i) || held.contains(pieces[i])) continue;
    targets.push_back(lines[i].commit);
    has_source = has_source || is_source(lines[i]);
  }
  return has_source ? targets : std::vector<int>();
}

}  // namespace spoor::naive
