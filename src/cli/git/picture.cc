#include "cli/git/picture.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "cli/git/turn_files.h"
#include "compile/fold.h"

namespace spoor::cli::git {

using api::JsonWriter;

namespace {

using compile::Entry;
using compile::State;

constexpr std::string_view kReadme =
    "# A history of an agent\n"
    "\n"
    "Written by `spoor export --git`: one git commit for each commit of a spoor store, with the\n"
    "same parents.\n"
    "\n"
    "- `prompt/` is the prompt at this commit, one turn after the other.\n"
    "- `left-out/` is what the prompt does not say: reasoning, what was skipped or summarised,\n"
    "  notes and decisions.\n"
    "- `config.json` holds the settings in force, if there are any.\n"
    "\n"
    "`0007-assistant.md` is a text, byte for byte, `0007-assistant.calls.json` the calls made "
    "with\n"
    "it, `0007-user.1.png` what is attached, and `0007-user.pinned.md` or `.skipped.md` says that\n"
    "a turn was pinned or skipped, and why.\n";

// Returns the folder of a hundred turns, inside one of ten thousand if there are that many.
std::string hundred_of(std::uint32_t number) {
  if (number < 10'000) return fmt::format("{:02}", number / 100);
  return fmt::format("x{:02}/{:02}", number / 10'000, number / 100 % 100);
}

std::string name_of_system(const Entry& entry) {
  return entry.type == store::Type::system && entry.fields ? entry.fields->name : std::string();
}

}  // namespace

Picture::Position Picture::place_of(Index index) const {
  const auto found = elsewhere_.find(index);
  return found != elsewhere_.end() ? found->second : Position{numbers_[index], {}};
}

// Returns true if the prompt shows the entry by default, by the rules of select() in
// compile/prompt.h.
bool Picture::is_shown(const State& state, Index index) const {
  const auto stands = [](const Entry& entry) {
    return !entry.is_compressed() && entry.priority != store::Priority::skip;
  };
  const Entry& entry = state.entries()[index];
  if (!stands(entry)) return false;
  const std::string name = name_of_system(entry);
  if (name.empty()) return true;
  const auto order = [this](Index each) {
    Position place = place_of(each);
    return std::pair(place.number, std::move(place.before) + "-");  // Sorts after every `+`.
  };
  return std::none_of(named_.begin(), named_.end(), [&](Index other) {
    const Entry& rival = state.entries()[other];
    return stands(rival) && name_of_system(rival) == name && order(other) > order(index);
  });
}

void Picture::number_new(const State& state, store::Op op) {
  const auto first_new = static_cast<Index>(numbers_.size());
  for (Index i = first_new; i < state.entries().size(); ++i) {
    numbers_.push_back(++came_);
    is_gone_.push_back(false);
    if (!name_of_system(state.entries()[i]).empty()) named_.push_back(i);
  }
  if (op == store::Op::merge) return place_between(state, first_new);
  if (op == store::Op::compress && state.entries()[first_new].next != State::kEnd) {
    // The summary takes the place of the source that follows it.
    elsewhere_.emplace(first_new, place_of(state.entries()[first_new].next));
  }
}

// A merge brings summaries of the other side that belong between turns already here.
void Picture::place_between(const State& state, Index first_new) {
  std::vector<Index> standing;
  for (Index i = state.first(); i != State::kEnd; i = state.entries()[i].next) {
    if (!state.entries()[i].is_compressed()) standing.push_back(i);
  }
  std::optional<Index> next_old;
  for (auto at = standing.rbegin(); at != standing.rend(); ++at) {
    if (*at < first_new) {
      next_old = *at;
    } else if (next_old) {
      Position place = place_of(*next_old);
      place.before += fmt::format("+{:06}", numbers_[*at]);
      elsewhere_.emplace(*at, std::move(place));
    }
  }
}

void Picture::erase(Index index) {
  // The summary of a compressed turn now has that turn's place.
  if (!is_gone_[index]) {
    const Position place = place_of(index);
    tree_.remove("prompt/" + hundred_of(place.number),
                 fmt::format("{:04}{}-", place.number, place.before));
  }
  tree_.remove("left-out/" + hundred_of(numbers_[index]), fmt::format("{:04}-", numbers_[index]));
}

Result<void> Picture::draw(const store::Reader& reader, Blobs& blobs, const State& state,
                           Index index) {
  const Entry& entry = state.entries()[index];
  is_gone_[index] = entry.is_compressed();
  const bool shown = is_shown(state, index);
  const Position place = shown ? place_of(index) : Position{numbers_[index], {}};
  const std::string base = fmt::format("{}/{}/{:04}{}-", shown ? "prompt" : "left-out",
                                       hundred_of(place.number), place.number, place.before);
  for (const TurnFile& file : TRY(files_of(reader, blobs, entry))) {
    tree_.put(base + file.ending, file.blob);
  }
  return {};
}

Result<void> Picture::draw_config(Blobs& blobs, const State& state) {
  const auto settings = state.config();
  tree_.remove("", "config.json");
  if (settings.empty()) return {};
  JsonWriter json;
  json.object();
  for (const auto& [key, value] : settings) json.key(key).json(value);
  tree_.put("config.json", TRY(blobs.of_text(indented_json(json.end().take_value()))));
  return {};
}

Result<void> Picture::apply(const store::Reader& reader, Blobs& blobs,
                            const store::NamedCommit& named, const State& state) {
  const store::Commit& commit = *named.commit;
  if (came_ == 0 && tree_.empty()) tree_.put("README.md", TRY(blobs.of_text(kReadme)));

  const auto first_new = static_cast<Index>(numbers_.size());
  number_new(state, commit.op);
  std::set<Index> changed;
  for (Index i = first_new; i < numbers_.size(); ++i) changed.insert(i);
  if (commit.op == store::Op::merge) {
    for (Index i = 0; i < first_new; ++i) {
      if (state.entries()[i].directives) changed.insert(i);
    }
  } else {
    for (const store::Oid& target : TRY(compile::targets_of(reader, commit))) {
      if (const Entry* entry = state.find(target)) {
        changed.insert(static_cast<Index>(entry - state.entries().data()));
      }
    }
  }
  const bool moves_names = std::any_of(changed.begin(), changed.end(), [&](Index i) {
    return !name_of_system(state.entries()[i]).empty();
  });
  if (moves_names) changed.insert(named_.begin(), named_.end());

  for (const Index i : changed) {
    if (i < first_new) erase(i);
  }
  for (const Index i : changed) TRY(draw(reader, blobs, state, i));

  const bool is_config = commit.type == store::Type::config;
  if (is_config || commit.op == store::Op::merge) TRY(draw_config(blobs, state));
  if (commit.op == store::Op::append && !is_config && !compile::is_prompt_type(*commit.type)) {
    const std::uint32_t number = ++came_;
    const TurnFile file = TRY(file_of(blobs, commit));
    tree_.put(fmt::format("left-out/{}/{:04}-{}", hundred_of(number), number, file.ending),
              file.blob);
  }
  return {};
}

}  // namespace spoor::cli::git
