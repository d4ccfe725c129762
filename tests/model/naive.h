#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/oid.h"

/// What a prompt means, written down a second time: as simply as possible, from
/// the design alone, and with none of the library's code but its names. Every fold
/// begins at the root; nothing is kept between two of them.
namespace spoor::naive {

enum class Op { append, edit, annotate, compress, merge };
enum class Mode { append, digest, pick, ours };
enum class Priority { skip, normal, pinned };

struct Call {
  std::string id;
  std::string name;
  std::string arguments;

  bool operator==(const Call&) const = default;
};

/// One commit, by its number in the history; parents and targets are numbers too.
struct Commit {
  store::Oid name;
  std::vector<int> parents;
  Op op = Op::append;
  std::string type;  ///< of an append: "user", …
  std::optional<std::string> text;
  std::optional<std::vector<Call>> calls;
  std::string call_id;
  std::string directive;
  std::string message_id;
  std::map<std::string, std::string> settings;  ///< empty value: removed
  std::vector<int> targets;
  Priority priority = Priority::normal;
  Mode mode = Mode::append;
};

using History = std::vector<Commit>;

/// One message on its way into the prompt.
struct Line {
  int commit = 0;
  std::string type;
  std::string text;
  std::vector<Call> calls;
  Priority priority = Priority::normal;
  bool is_explicit = false;
  int compressed_by = -1;  ///< the compress that took it out for good
};

struct Conflict {
  bool is_edit = true;
  int target = 0;
  int ours = 0;
  int theirs = 0;
  bool is_settled = false;  ///< version 2 lists it no more

  bool operator==(const Conflict&) const = default;
};

struct View {
  struct Setting {
    std::string value;  ///< empty: removed
    int by = 0;
  };
  std::vector<Line> lines;  ///< in prompt order, compressed ones included
  std::map<std::string, Setting> settings;
  std::vector<Conflict> conflicts;  ///< in prompt order, those too that only version 1 lists
};

struct Options {
  bool include_reasoning = false;
  std::optional<int> window;
  std::optional<int> budget;
  int version = 2;
};

struct Message {
  std::string role;
  std::vector<int> commits;
  std::string text;
  std::vector<Call> calls;
  int tokens = 0;

  bool operator==(const Message&) const = default;
};

struct Prompt {
  std::vector<Message> messages;
  std::vector<std::pair<int, std::string>> left_out;
  std::map<std::string, std::string> config;
  int tokens = 0;
};

/// For each commit: is it this one, or does this one descend from it?
std::vector<bool> ancestors(const History& history, int commit);

/// A commit's history in chain order, oldest first.
std::vector<int> chain(const History& history, int commit);

bool is_message(const std::string& type);

/// The conflicts that a version of the fold lists.
std::vector<Conflict> unsettled(const View& view, int version);

View fold(const History& history, int commit);
Prompt compile(const History& history, const View& view, const Options& options);

/// What a compress of the messages `from` to `to` names; nothing when it is refused.
std::vector<int> choose(const History& history, const View& view, int from, int to);

}  // namespace spoor::naive
