#include "cli/session.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "api/session.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/settings/capture.h"
#include "cli/settings/keys.h"
#include "cli/settings/prices.h"
#include "cli/settings/store_path.h"
#include "cli/settings/user_workspace.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/memory_terminal.h"
#include "cli/terminal/untrusted.h"
#include "cli/version.h"
#include "compile/known_keys.h"
#include "store/as_of.h"
#include "store/postgres/address.h"
#include "store/postgres/postgres_store.h"
#include "store/sha256.h"
#include "store/sqlite/files.h"
#include "store/sqlite/text_index.h"
#include "store/trusted_stores.h"

namespace spoor::cli {
namespace {

// Chooses colour by --color, else config, else NO_COLOR, else whether the output is a terminal.
bool wants_color(const std::string& mode, const Environment& environment, bool is_tty) {
  if (mode == "always") return true;
  if (mode == "never") return false;
  const auto no_color = environment.variable("NO_COLOR");
  if (no_color && !no_color->empty()) return false;
  const auto term = environment.variable("TERM");
  return is_tty && term != "dumb";
}

// Returns true also if it is unknown whether the store at `path` is writable.
bool may_write(const std::string& path) {
  const auto file = store::sqlite::find_store_file(path);
  return !file ||
         (store::sqlite::may_be_written(file->path) && store::sqlite::has_room(file->path));
}

// How a command waits for a server, which may be for as long as `longest`.
store::postgres::Patience for_server(std::chrono::seconds longest, Output& err) {
  const auto notice = [&err](const std::string& reason) {
    err.print("waiting: " + reason + "\n").flush();
  };
  return {.longest = longest, .is_cancelled = is_interrupted, .notice = notice};
}

}  // namespace

Session::Session(const Host& host)
    : host_(host),
      out_(host.terminal, Stream::out),
      err_(host.terminal, Stream::err),
      config_(host.environment) {}

Session::~Session() = default;

Interactive& Session::become_interactive() {
  interactive_.emplace();
  if (workspace_) workspace_->number_ids_in(&interactive_->printed);
  return *interactive_;
}

void Session::begin_command(std::string place) {
  place_ = std::move(place);
  status_ = kExitOk;
  if (capture_) {
    capture_->command_wants({});
    capture_->keep_originals(true);
    // Another process may have changed the store; on failure the earlier settings remain.
    (void)capture_->read_settings();
  }
  // Likewise: a store that cannot be read fails the command itself.
  if (workspace_) (void)workspace_->repository().forget_erased();
  out_.reopen();
  if (interactive_) interactive_->printed.begin_command();
}

Result<void> Session::use(const Arguments& options, bool pages) {
  // Ignores an unreadable file here: else every command would fail, also 'config'. Commands that
  // need it report it.
  const auto setting = [this](const char* key) {
    auto value = config_.get(key);
    return value ? std::move(value).value() : Config::Value{"", "default"};
  };
  std::string mode = options.text("--color");
  if (mode.empty()) mode = setting("color").text;
  const bool is_wrong = !mode.empty() && !check_setting(*TRY(find_config_key("color")), mode);
  if (is_wrong && options.has("--color")) {
    return usage_error("--color cannot be '" + mode + "'", "use auto, always or never");
  }
  if (is_wrong) mode = "auto";
  if (options.has("--store")) use_store(named_store_ = options.text("--store"));
  // Each line of a session opened with it has it again.
  const std::string operation = options.text("--at-op");
  if (workspace_ && operation != at_operation_) {
    return usage_error(
        operation.empty() ? "the session is at an earlier operation" : "the store is already open",
        "leave the session, then run 'spoor --at-op OP COMMAND'");
  }
  at_operation_ = operation;
  const bool raw = options.has("--raw");
  out_.use(wants_color(mode, environment(), out_.is_tty()), raw);
  err_.use(wants_color(mode, environment(), err_.is_tty()), raw);

  if (pages && out_.is_tty() && !options.has("--no-pager")) {
    Config::Value pager = setting("pager");
    if (pager.origin == "default") {
      pager.text = environment().variable("PAGER").value_or("less");
    }
    if (!pager.text.empty() && pager.text != "cat") host_.terminal.start_pager(pager.text);
  }
  return {};
}

Result<Workspace*> Session::workspace() {
  if (workspace_) return workspace_.get();
  const std::string path = find_store(environment(), store_path_);
  if (path.empty()) {
    return not_found("no store in this folder or any parent, and no store of your own",
                     "create one with 'spoor init', or import sessions with 'spoor import'");
  }
  auto repository = TRY(open_repository(path));
  return adopt(std::move(repository), path);
}

Result<api::Context> Session::context() {
  Workspace& opened = *TRY(workspace());
  if (!prices_) {
    const std::string file = prices_file(environment());
    const auto text = file.empty() ? std::nullopt : TRY(read_file(file));
    prices_.emplace(TRY(parse_prices(text.value_or(""), file)));
    prices_id_ = fmt::format("{} {}", kVersion, store::sha256(text.value_or("")).hex());
  }
  return api::Context{opened, *prices_, prices_id_, clock().now(), environment().directory()};
}

Result<Workspace*> Session::workspace_for_repair() {
  accepts_cut_log_ = true;
  auto found = workspace();
  accepts_cut_log_ = false;
  return found;
}

Result<Workspace*> Session::workspace_or_new() {
  if (workspace_) return workspace_.get();
  const std::string path = store_path();
  if (path.empty()) {
    return not_found("no home folder for a store of your own",
                     "name a file with '--store FILE', or create a store here with 'spoor init'");
  }
  std::error_code problem;
  if (store::postgres::is_address(path) || std::filesystem::exists(path, problem)) {
    use_store(path);
    return workspace();
  }
  auto made = create_workspace(path);
  if (!made && made.error().code == Error::Code::conflict) {  // Another process created it.
    use_store(path);
    return workspace();
  }
  TRY(made);
  err_.print("made a new store: " + path + "\n").flush();
  return made;
}

std::string Session::store_path() const {
  if (workspace_) return workspace_->path();
  std::string path = find_store(environment(), store_path_);
  return path.empty() ? user_store(environment()) : path;
}

Result<Workspace*> Session::create_workspace(const std::string& path, const std::string& keys) {
  if (!at_operation_.empty()) return usage_error("a new store has no earlier operation");
  if (store::postgres::is_address(path)) {
    TRY(store::PostgresStore::create(path, {.patience = for_server(TRY(patience()), err_)}, keys));
    return adopt(TRY(open_repository(path)), path);
  }
  TRY(store::TrustedStores(data_home(environment())).create(path));
  auto repository = open_repository(path);
  if (repository) return adopt(std::move(repository).value(), path);
  TRY(store::sqlite::remove_store(path));
  return repository.error();
}

Result<void> Session::discard_workspace() {
  const std::string path = TRY(workspace())->path();
  config_.ask_store({});
  capture_.reset();
  workspace_.reset();
  if (store::postgres::is_address(path)) return store::PostgresStore::remove(path);
  return store::sqlite::remove_store(path);
}

Result<Workspace*> Session::workspace_or_own() {
  const bool is_named = !named_store(environment(), store_path_).empty();
  return is_named ? workspace() : workspace_or_new();
}

void Session::use_own_store() {
  if (workspace_ || !named_store(environment(), store_path_).empty()) return;
  store_path_ = user_store(environment());
}

Result<void> Session::require_trust() {
  const auto opened = workspace();
  if (!opened && opened.error().code != Error::Code::not_found) return opened.error();
  if (distrust_) return *distrust_;
  return {};
}

Result<void> Session::require_writing() {
  TRY(require_trust());
  if (!workspace_ || store::postgres::is_address(workspace_->path()) ||
      store::sqlite::may_be_written(workspace_->path())) {
    return {};
  }
  return io_error(fmt::format("'{}' may not be written", workspace_->path()),
                  "check the permissions of the file and of its folder");
}

Result<bool> Session::trust_store() {
  const std::string path = TRY(workspace())->path();
  if (!distrust_) return false;
  config_.ask_store({});
  capture_.reset();
  workspace_.reset();
  TRY(store::TrustedStores(data_home(environment())).add(*TRY(open_file(path)), path, path));
  use_store(path);
  TRY(workspace());
  return true;
}

// Opens a store; read-only if the user does not trust it.
Result<std::unique_ptr<store::SqliteStore>> Session::open_trusted(const std::string& path) {
  distrust_.reset();
  auto opened = TRY(open_file(path));
  const auto objection = store::TrustedStores(data_home(environment())).objection(*opened, path);
  if (objection && objection.value().empty()) return opened;
  // This also prevents writes at its close.
  opened->refuse_writes(
      objection ? denied(fmt::format("'{}' {}, so it can only be read", path, objection.value()),
                         "if you know its origin, run 'spoor store trust'")
                : objection.error());
  if (!objection) return objection.error();
  distrust_ = opened->refusal();
  return opened;
}

// An address is the user's own word, so it needs no trust.
Result<std::unique_ptr<store::Store>> Session::open_address(const std::string& address) {
  distrust_.reset();
  store::PostgresStore::Options options;
  options.workspace = user_workspace();
  if (const auto files = files_of_store(environment(), address)) {
    options.index_file = store::text_index_path(*files);
  }
  options.patience = for_server(TRY(patience()), err_);
  return std::unique_ptr<store::Store>(TRY(store::PostgresStore::open(address, options)));
}

Result<std::unique_ptr<store::SqliteStore>> Session::open_file(const std::string& path) {
  store::SqliteStore::Options options;
  options.waiting.patience = TRY(patience());
  options.accepts_cut_log = accepts_cut_log_;
  options.waiting.notice = [this, path] {
    err_.print("waiting: another program is writing to '" + path + "'\n").flush();
  };
  auto opened = store::SqliteStore::open(path, options);
  if (!opened && opened.error().code == Error::Code::io && !may_write(path)) {
    // The file may still be readable; a write then reports the reason.
    options.mode = store::SqliteStore::Mode::read_only;
    auto readable = store::SqliteStore::open(path, options);
    if (readable || readable.error().code != Error::Code::io) opened = std::move(readable);
  }
  return opened;
}

Result<std::chrono::seconds> Session::patience() {
  constexpr std::chrono::seconds kUsual{60};
  const std::string text = TRY(checked_setting("patience"));
  if (text.empty()) return kUsual;
  return std::chrono::seconds(std::stoi(text));
}

// Returns an empty text if the setting is unset, or if it is wrong and the command repairs
// settings.
Result<std::string> Session::checked_setting(const char* name) {
  std::string text = TRY(config_.get(name)).text;
  if (text.empty()) return text;
  const auto checked = check_setting(*TRY(find_config_key(name)), text);
  if (!checked && !config_.is_lenient()) return checked.error();
  return checked ? text : std::string();
}

Result<ReadLimits> Session::read_limits() {
  ReadLimits limits;
  const std::string text = TRY(checked_setting("max-text"));
  if (text.empty()) return limits;
  limits.text = std::stoull(text) << 20U;
  return limits;
}

Result<std::unique_ptr<Repository>> Session::open_repository(const std::string& path) {
  std::unique_ptr<store::Store> opened;
  if (store::postgres::is_address(path)) {
    opened = TRY(open_address(path));
  } else {
    opened = TRY(open_trusted(path));
  }
  if (!distrust_) {
    config_.ask_store([store = opened.get()](std::string_view key) {
      const auto value = store->property("config." + std::string(key));
      return value ? value.value() : std::nullopt;
    });
  }
  auto repository = open_over(std::move(opened));
  if (!repository) config_.ask_store({});  // That store is closed.
  return repository;
}

Result<std::unique_ptr<Repository>> Session::open_over(std::unique_ptr<store::Store> opened) {
  if (!at_operation_.empty()) opened = TRY(store::as_of(std::move(opened), at_operation_));
  Repository::Options options;
  // The clock outlives the session and all objects the session opens.
  options.clock = std::shared_ptr<const Clock>(std::shared_ptr<void>(), &host_.clock);
  options.author = TRY(author());
  options.is_cancelled = is_output_cancelled;
  options.limits = TRY(read_limits());
  capture_ = std::make_shared<CaptureSwitch>(*opened, config_, environment());
  TRY(capture_->read_settings());
  options.scrubber = capture_;
  options.cache_key = [this] {  // Without a key nothing is kept, and every command works.
    auto key = cli::cache_key(config_, environment());
    return key ? std::move(key).value() : std::string();
  };
  if (const auto key = TRY(find_key(*opened, config_, environment()))) {
    options.blob_key = key->bytes;
  }
  return Repository::over(std::move(opened), std::move(options));
}

Workspace* Session::adopt(std::unique_ptr<Repository> repository, const std::string& path) {
  std::error_code problem;
  const auto files = files_of_store(environment(), path);
  const bool is_own = std::filesystem::equivalent(path, user_store(environment()), problem);
  workspace_ = std::make_unique<Workspace>(std::move(repository), path,
                                           is_own ? project_folder(environment()) : std::string(),
                                           files ? files.value() : std::string());
  if (interactive_) workspace_->number_ids_in(&interactive_->printed);
  workspace_->end_listings_when(is_output_cancelled);
  workspace_->find_branches_with([this](std::string_view word) -> Result<std::string> {
    const api::Context context = TRY(this->context());
    return TRY(api::find_session(context, word)).name();
  });
  return workspace_.get();
}

Result<void> Session::capture_at_most(compile::Capture capture) {
  return capture_at_most(guard::FieldModes{}.at_least(capture));
}

Result<void> Session::capture_at_most(const guard::FieldModes& modes) {
  TRY(workspace_or_new());
  capture_->command_wants(modes);
  return {};
}

Result<guard::FieldModes> Session::capture_modes() {
  TRY(workspace());
  return capture_->modes();
}

Result<compile::Capture> Session::capture() { return TRY(capture_modes()).all; }

Result<void> Session::forget_originals() {
  TRY(workspace());
  capture_->keep_originals(false);
  return {};
}

Result<void> Session::refresh_capture() {
  TRY(workspace());
  return capture_->read_settings();
}

Result<std::optional<std::string>> Session::scrubbed(std::string line, compile::Capture least) {
  using StoredLine = std::optional<std::string>;
  compile::take_out_known_keys(line);
  guard::FieldModes modes = TRY(modes_asked_for(config_, environment())).at_least(least);
  const auto opened = workspace();
  if (!opened && opened.error().code != Error::Code::not_found) return opened.error();
  if (opened) modes.restrict_to(capture_->modes());
  modes = modes.at_least(modes.all);
  // A line may contain any part of a turn.
  const auto most = std::max({modes.all, modes.text, modes.arguments, modes.labels, modes.raw});
  if (most == compile::Capture::full) return StoredLine(std::move(line));
  if (most == compile::Capture::hashed) return StoredLine();
  if (!opened) return StoredLine(TRY(redacted_without_store(config_, std::move(line))));
  const auto scrubber = TRY(capture_->at_least(most));
  const compile::Scrubber& asked = scrubber ? *scrubber : *capture_;
  return StoredLine(TRY(asked.scrub(compile::Slot::text, std::move(line))));
}

Result<std::string> Session::author() {
  std::string name = TRY(config_.get("author")).text;
  for (const char* variable : {"LOGNAME", "USER"}) {
    if (name.empty()) name = environment().variable(variable).value_or("");
  }
  if (name.empty()) name = "user";
  if (store::is_author(name)) return name;
  if (config_.is_lenient()) return std::string("user");
  return invalid(fmt::format("'{}' cannot be an author", visible_line(name)),
                 "set one of 1 to 128 bytes with 'spoor config author NAME'");
}

std::vector<RefName> Session::ref_names(bool all) {
  std::vector<RefName> names;
  const auto opened = workspace();
  if (!opened) return names;
  const auto add = [&](std::string_view prefix, const char* kind) {
    const auto refs = opened.value()->store().refs(prefix);
    if (!refs) return;
    for (const store::Ref& ref : refs.value()) {
      names.push_back({ref.name.substr(prefix.size()), kind});
    }
  };
  add("refs/heads/", "branch");
  if (!all) return names;
  add("refs/tags/", "tag");
  names.push_back({"HEAD", "HEAD"});
  return names;
}

Result<std::size_t> Session::read_input(std::span<char> buffer) {
  if (interactive_ && interactive_->script_is_input) {
    return invalid("standard input contains the script", "name a file, or quote the text");
  }
  if (!has_input_) return invalid("standard input contains requests", "give the text itself");
  return terminal().read(buffer);
}

Result<bool> Session::agrees(std::string_view question) {
  out().flush();
  err().print(std::string(question) + " [y/N] ").flush();
  std::string answer;
  char next = 0;
  while (answer.size() < 100 && TRY(read_input({&next, 1})) == 1 && next != '\n') answer += next;
  return !answer.empty() && (answer[0] == 'y' || answer[0] == 'Y');
}

bool Session::input_is_tty() {
  return has_input_ && interactive() == nullptr && terminal().input_is_tty();
}

bool Session::can_ask() {
  const bool is_script = interactive_ && interactive_->script_is_input;
  return has_input_ && !is_script && terminal().input_is_tty();
}

Result<void> Session::may_read(const std::string& path) const {
  if (files_ == Files::all) return {};
  if (files_ == Files::below_folder) {
    std::error_code problem;
    const std::filesystem::path here =
        std::filesystem::weakly_canonical(environment().directory(), problem);
    if (!problem && !here.empty()) {
      const std::filesystem::path there = std::filesystem::weakly_canonical(here / path, problem);
      if (!problem && is_at_or_below(there.string(), here.string())) return {};
    }
  }
  return denied(fmt::format("'{}' may not be read here", path),
                files_ == Files::none ? "name a phrase, or ask where the file is"
                                      : "only files of the working folder are read");
}

Result<std::string> Session::output_of(const Command& command, const Arguments& arguments) {
  MemoryTerminal aside;
  const int status = status_;
  out_.attach(aside);
  has_input_ = false;
  begin_command({});
  const auto done = command.run(*this, arguments);
  out_.attach(terminal());
  has_input_ = true;
  begin_command({});
  status_ = status;
  TRY(done);
  return std::move(aside.output);
}

Error Session::usage_error(std::string message, std::string hint) {
  status_ = kExitUsage;
  return invalid(std::move(message), std::move(hint));
}

namespace {

// Returns `--store STORE ` for a command that is to be typed; empty if it is not needed, or not one
// word. An address may have a password in it.
std::string store_option(const std::string& store) {
  const bool is_word = std::ranges::all_of(store, [](char c) {
    return (std::isalnum(static_cast<unsigned char>(c)) != 0) ||
           std::string_view("/._-:@%+=,").find(c) != std::string_view::npos;
  });
  if (store.empty() || !is_word || store::postgres::is_address(store)) return {};
  return "--store " + store + ' ';
}

// Adds the option to the commands that a hint quotes.
std::string with_option(std::string hint, const std::string& option) {
  constexpr std::string_view kBegin = "'spoor";
  constexpr std::string_view kHelp = " help ";
  if (option.empty()) return hint;
  for (std::size_t at = 0; (at = hint.find(kBegin, at)) != std::string::npos;) {
    at += kBegin.size();
    const std::string_view rest = std::string_view(hint).substr(at);
    const bool is_command = rest.starts_with('\'') || rest.starts_with(' ');
    if (!is_command || rest.starts_with(kHelp) || rest.starts_with(" --store")) continue;
    hint.insert(at, ' ' + option.substr(0, option.size() - 1));
  }
  return hint;
}

}  // namespace

void Session::report(const Error& error) {
  out_.flush();
  // The terminal has printed ^C in the current line.
  const bool has_echo = interactive_ && err_.is_tty();
  if (has_echo && error.code == Error::Code::interrupted) err_.newline();
  err_.print(Style::error, "error:");
  if (!place_.empty()) err_.print(" " + place_ + ":");
  err_.print(" " + error.message + "\n");
  if (!error.hint.empty()) {
    const std::string option = interactive_ ? std::string() : store_option(named_store_);
    const std::string hint = with_option(error.hint, option);
    err_.print(Style::hint, "hint:").print(" " + hint + "\n");
  }
  err_.flush();
  if (status_ == kExitOk) status_ = exit_status(error.code);
}

std::string Session::typed(std::string_view words) const {
  return fmt::format("spoor {}{}", interactive_ ? "" : store_option(named_store_), words);
}

void Session::finish() {
  out_.flush();
  err_.flush();
  if (const auto finished = host_.terminal.finish(); !finished) report(finished.error());
}

}  // namespace spoor::cli
