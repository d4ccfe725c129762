#include "cli/repl/repl.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "cli/dispatch.h"
#include "cli/models/ask.h"
#include "cli/models/model_settings.h"
#include "cli/repl/file_terminal.h"
#include "cli/repl/line_source.h"
#include "cli/repl/person_source.h"
#include "cli/repl/typed_command.h"
#include "cli/terminal/interrupt.h"

namespace spoor::cli {
namespace {

// Stops a script that reads itself.
constexpr std::size_t kDeepestScript = 16;

// Asks the model of the settings, one request for each turn.
class ModelSpeaker final : public Speaker {
 public:
  explicit ModelSpeaker(Session& session) : session_(session) {}

  Result<void> say(std::string_view text) override {
    const std::string name = TRY(model_name(session_, {}));
    if (!model_ || model_->name() != name) {
      TRY(session_.require_trust());
      auto opened = OpenModel::open(session_, name);
      if (!opened) {
        TRY(keep_unasked(session_, text));
        return opened.error();
      }
      model_ = std::move(*opened);
    }
    Asking asking;
    asking.options.reasoning = TRY(commits_reasoning(session_));
    OpenModel* const model = model_.get();
    return ask(session_, {&model, 1}, std::string(text), std::move(asking));
  }

 private:
  Session& session_;
  std::unique_ptr<OpenModel> model_;  // The last model called; null: none yet.
};

// One session, from the first line to the last.
class Repl {
 public:
  Repl(Session& session, Arguments globals, std::unique_ptr<Speaker> speaker)
      : session_(session),
        globals_(std::move(globals)),
        state_(session.become_interactive()),
        speaker_(speaker ? std::move(speaker) : std::make_unique<ModelSpeaker>(session)) {}

  void run(std::unique_ptr<LineSource> source) {
    const bool is_person = source->is_person();
    state_.script_is_input = !is_person;
    sources_.push_back(std::move(source));
    while (!sources_.empty() && !state_.leave) {
      if (const auto input = read_input()) run_input(*input);
    }
    session_.exit_with(is_person ? kExitOk : status_);
  }

 private:
  // Reads a whole input: the lines up to one after which no quote is open. Returns nullopt if there
  // is none this time.
  std::optional<SourceLine> read_input() {
    begin_command({});
    LineSource& source = *sources_.back();
    SourceLine input;
    for (bool goes_on = false;; goes_on = true) {
      auto line = source.next(goes_on);
      if (!line) {
        if (line.error().code != Error::Code::interrupted) end_source(line.error());
        return std::nullopt;
      }
      if (!line.value()) {
        if (!goes_on) sources_.pop_back();
        return goes_on ? std::optional(std::move(input)) : std::nullopt;
      }
      if (goes_on) input.text += "\n" + line.value()->text;
      if (!goes_on) input = std::move(*line.value());
      if (!ends_open(input.text)) break;
    }
    source.remember(input.text);
    return input;
  }

  void begin_command(std::string place) {
    forget_interrupt();
    session_.begin_command(std::move(place));
  }

  void end_source(const Error& error) {
    fail(error);
    sources_.pop_back();
  }

  bool has_model() {
    const auto model = session_.config().get("model");
    return model && !model.value().text.empty();
  }

  bool ends_open(std::string_view input) {
    while (!input.empty()) {
      const TypedCommand typed = read_command(input, has_model());
      if (typed.is_open) return true;
      input.remove_prefix(typed.end);
    }
    return false;
  }

  // A pasted input may contain several commands, one a line.
  void run_input(const SourceLine& input) {
    std::string_view rest = input.text;
    while (!rest.empty() && !state_.leave) {
      const TypedCommand typed = read_command(rest, has_model());
      const std::string_view text = rest.substr(0, typed.end);
      rest.remove_prefix(typed.end);
      if (typed.is == TypedCommand::Is::nothing) continue;
      run_command(typed, text, input.place);
      if (session_.status() != kExitOk) return failed();
    }
  }

  void failed() {
    if (sources_.back()->is_person()) return;
    if (status_ == kExitOk) status_ = session_.status();
    if (!state_.bail) return;
    while (!sources_.empty() && !sources_.back()->is_person()) sources_.pop_back();
  }

  void run_command(const TypedCommand& typed, std::string_view text, const std::string& place) {
    const auto begin = std::chrono::steady_clock::now();
    begin_command(place);
    if (typed.is_open) return fail(invalid("a quote is not closed"));

    const std::unique_ptr<FileTerminal> file = take_once();
    if (session_.status() != kExitOk) return;
    if (typed.is == TypedCommand::Is::turn) {
      say(text);
    } else {
      dispatch(session_, typed.words, globals_);
    }
    if (file) give_back(*file);
    if (is_interrupted()) say_interrupted();
    if (sources_.back()->is_person()) begin_line();
    if (!state_.script.empty()) open_script();
    if (state_.timer) print_time(std::chrono::steady_clock::now() - begin);
  }

  void say(std::string_view text) {
    const auto used = session_.use(globals_, false);
    const auto said = used ? speaker_->say(text) : used;
    if (!said) session_.report(said.error());
    session_.finish();
  }

  // A prompt after half a line would look like a part of it.
  void begin_line() {
    if (session_.out().is_mid_line()) session_.out().newline().flush();
  }

  void say_interrupted() {
    if (session_.status() == kExitInterrupted) return;  // The command reported it.
    fail(spoor::interrupted("interrupted"));
  }

  // Returns the file of the last `.once` for the output, if there was one.
  std::unique_ptr<FileTerminal> take_once() {
    if (state_.once.empty()) return nullptr;
    auto file = FileTerminal::create(std::exchange(state_.once, {}), session_.terminal());
    if (!file) {
      fail(file.error());
      return nullptr;
    }
    session_.out().attach(*file.value());
    return std::move(file).value();
  }

  void give_back(FileTerminal& file) {
    session_.out().attach(session_.terminal());
    if (const auto written = file.finish(); !written) session_.report(written.error());
  }

  void open_script() {
    const std::string path = std::exchange(state_.script, {});
    auto text = read_file(path);
    if (!text) return fail(text.error());
    if (!text.value()) return fail(not_found(fmt::format("no file '{}'", path)));
    if (sources_.size() > kDeepestScript) {
      return fail(invalid(fmt::format("'{}' includes itself too deeply", path)));
    }
    sources_.push_back(std::make_unique<TextSource>(path, std::move(*text.value())));
  }

  void print_time(std::chrono::steady_clock::duration took) {
    const double milliseconds = std::chrono::duration<double, std::milli>(took).count();
    session_.err().print(Style::muted, fmt::format("{:.1f} ms", milliseconds)).newline().flush();
  }

  void fail(const Error& error) {
    session_.report(error);
    if (status_ == kExitOk && !sources_.back()->is_person()) status_ = session_.status();
  }

  Session& session_;
  const Arguments globals_;
  Interactive& state_;
  std::vector<std::unique_ptr<LineSource>> sources_;  // The last one is the current one.
  const std::unique_ptr<Speaker> speaker_;
  int status_ = kExitOk;
};

// A script has no pager, and colour only when it was asked for by name.
Arguments plain(Arguments globals) {
  globals.add("--no-pager", "");
  if (!globals.has("--color")) globals.add("--color", "never");
  return globals;
}

void greet(Session& session) {
  Output& out = session.out();
  if (const auto workspace = session.workspace(); !workspace) {
    session.report(workspace.error());
    session.begin_command({});
    return;
  }
  out.print(Style::muted, "'help' lists the commands, Tab completes, Ctrl-D leaves").newline();
  out.flush();
}

}  // namespace

void run_repl(Session& session, const Arguments& globals, std::unique_ptr<Speaker> speaker) {
  const OutlivesInterrupts outlives;
  const bool is_person = session.terminal().input_is_tty() && session.out().is_tty();
  if (!is_person) {
    Repl(session, plain(globals), std::move(speaker))
        .run(std::make_unique<PipeSource>(session.terminal()));
    return;
  }
  if (const auto used = session.use(globals, false); !used) return session.report(used.error());
  greet(session);
  auto person = PersonSource::open(session);
  if (!person) return session.report(person.error());
  Repl(session, globals, std::move(speaker)).run(std::move(person).value());
}

}  // namespace spoor::cli
