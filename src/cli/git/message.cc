#include "cli/git/message.h"

#include <fmt/format.h>

#include "cli/terminal/untrusted.h"
#include "compile/fold.h"

namespace spoor::cli::git {

using api::TurnView;

namespace {

constexpr std::size_t kColumns = 72;
constexpr std::size_t kTrailerColumns = 300;
constexpr std::size_t kShownTargets = 16;

// Returns the summary of a turn, with its kind in front unless the summary names the action.
std::string subject_of(const TurnView& turn) {
  const bool is_directive = turn.commit->op == store::Op::edit ||
                            turn.commit->op == store::Op::annotate ||
                            (turn.commit->op == store::Op::merge && !turn.commit->content);
  const std::string line = turn.summary(kColumns);
  const bool says_it = is_directive && turn.extra.message.empty();
  return visible_line(
      compile::preview(says_it ? line : fmt::format("{}: {}", turn.kind(), line), kColumns));
}

class Trailers {
 public:
  explicit Trailers(std::string& message) : message_(message) {}

  // Adds nothing for an empty value.
  void add(std::string_view name, std::string_view value) {
    const std::string line = visible_line(compile::preview(value, kTrailerColumns));
    if (!line.empty()) message_ += fmt::format("Spoor-{}: {}\n", name, line);
  }

 private:
  std::string& message_;
};

}  // namespace

Result<std::string> message_of(const store::Reader& reader, const TurnView& turn) {
  const store::Commit& commit = *turn.commit;
  std::string message = subject_of(turn) + "\n\n";
  Trailers trailers(message);
  trailers.add("Commit", turn.oid.hex());
  trailers.add("Type", turn.kind());
  if (commit.mode) trailers.add("Mode", name_of(*commit.mode));
  if (commit.priority) trailers.add("Priority", name_of(*commit.priority));
  if (commit.op == store::Op::annotate) trailers.add("Reason", turn.text_or_empty());

  const auto targets = TRY(compile::targets_of(reader, commit));
  for (std::size_t i = 0; i < targets.size() && i < kShownTargets; ++i) {
    trailers.add("Target", targets[i].hex());
  }
  if (targets.size() > kShownTargets) trailers.add("Targets", std::to_string(targets.size()));
  for (const store::Oid& about : commit.about) trailers.add("About", about.hex());

  trailers.add("Model", turn.model());
  trailers.add("Usage", turn.facts.json(fact::usage));
  if (!turn.fields.call_id.empty()) {
    trailers.add("Call", fmt::format("{} {}", turn.fields.call_id, turn.fields.name));
  }
  if (turn.fields.is_error) trailers.add("Error", "true");
  for (const std::string& tag : turn.extra.tags) trailers.add("Tag", tag);
  return message;
}

Signature signature_of(const TurnView& turn, std::int64_t seconds) {
  if (!turn.commit->author.empty()) return signature_of(turn.commit->author, seconds);
  const std::string model = compile::preview(turn.model());
  return signature_of(model.empty() ? turn.kind() : std::string_view(model), seconds);
}

std::string message_of(const store::Tag& tag, std::string_view note) {
  std::string message = visible(note);
  if (message.empty()) message = tag.name;
  if (message.back() != '\n') message += '\n';
  return message + fmt::format("\nSpoor-Commit: {}\n", tag.target.hex());
}

}  // namespace spoor::cli::git
