#include "cli/transfer/peer.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <sys/wait.h>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/recording/child.h"
#include "cli/settings/capture.h"
#include "cli/settings/store_path.h"
#include "cli/settings/user_workspace.h"
#include "cli/terminal/interrupt.h"
#include "cli/transfer/admission.h"
#include "cli/transfer/remote_tokens.h"
#include "store/postgres/address.h"
#include "store/postgres/postgres_store.h"
#include "store/sha256.h"
#include "store/sqlite/files.h"
#include "store/trusted_stores.h"
#include "sync/folder_link.h"
#include "sync/local_link.h"

namespace spoor::cli {
namespace {

constexpr std::string_view kSsh = "ssh://";

constexpr std::string_view kFolder = "folder:";

bool is_web(std::string_view address) {
  const std::string scheme = lowered(address.substr(0, 8));
  return scheme.starts_with("http://") || scheme == "https://";
}

// Returns how a store with a limit of tokens moves refs: like all that is written there.
Result<void> settle_within_limit(const Repository& repository,
                                 std::unique_ptr<store::Quarantine> aside,
                                 const store::Transaction& change) {
  const auto together = TRY(repository.sibling(std::move(aside)));
  TRY(together->transact(change.command, graph::OnConflict::fail,
                         [&](graph::Draft& draft) -> Result<void> {
                           for (const store::RefMove& move : change.refs) {
                             if (TRY(draft.tip(move.name)) != move.before) {
                               return conflict(fmt::format("'{}' has moved", move.name),
                                               "fetch and merge first: spoor pull");
                             }
                             TRY(draft.move(move.name, move.after));
                           }
                           return {};
                         }));
  return {};
}

// `ssh` with spoor at the other end.
class SshLink final : public sync::Link {
 public:
  SshLink(Descriptor socket, pid_t child)
      : link_(std::make_unique<sync::SocketLink>(std::move(socket), is_interrupted)),
        child_(child) {}
  ~SshLink() override {
    link_.reset();
    // It ends by itself when the other side does; a silent one is not waited for.
    constexpr int kTries = 40;
    for (int i = 0; i < kTries && !is_interrupted(); ++i) {
      if (::waitpid(child_, nullptr, WNOHANG) != 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(i < kTries / 2 ? 5 : 100));
    }
    ::kill(child_, SIGTERM);
    ::waitpid(child_, nullptr, 0);
  }

  Result<sync::ByteSource> ask(
      const std::function<Result<void>(const sync::ByteSink&)>& write) override {
    return link_->ask(write);
  }

 private:
  std::unique_ptr<sync::SocketLink> link_;
  const pid_t child_;
};

std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

struct SshAddress {
  std::string host;  // With the user.
  std::string port;
  std::string path;
};

Result<SshAddress> parse_ssh(const std::string& address) {
  const std::string rest = address.substr(kSsh.size());
  const std::size_t slash = rest.find('/');
  SshAddress parts{.host = rest.substr(0, slash)};
  if (slash != std::string::npos) parts.path = rest.substr(slash);
  const std::size_t end = parts.host.rfind(']');  // Those of an address of IPv6.
  const std::size_t colon = parts.host.find(':', end == std::string::npos ? 0 : end);
  if (colon != std::string::npos) {
    parts.port = parts.host.substr(colon + 1);
    parts.host.resize(colon);
  }
  if (end != std::string::npos) {
    parts.host.erase(end, 1);
    std::erase(parts.host, '[');
  }
  if (parts.path.starts_with("/~/")) parts.path.replace(0, 3, "./");
  const bool is_port = parts.port.find_first_not_of("0123456789") == std::string::npos;
  // A host that begins with '-' would be an option.
  if (!parts.host.empty() && !parts.host.starts_with('-') && parts.path.size() > 1 && is_port) {
    return parts;
  }
  return invalid(fmt::format("'{}' is not an address", address),
                 "give ssh://[USER@]HOST[:PORT]/PATH");
}

Result<std::unique_ptr<sync::Link>> open_ssh(const std::string& address) {
  const SshAddress parts = TRY(parse_ssh(address));
  std::vector<std::string> words = {"ssh"};
  if (!parts.port.empty()) words.insert(words.end(), {"-p", parts.port});
  words.insert(words.end(), {"--", parts.host, "spoor serve --stdio " + shell_quoted(parts.path)});
  auto [ours, theirs] = TRY(sync::socket_pair());
  const pid_t child =
      TRY(start_program(std::move(words), environment_with({}), theirs.number(), theirs.number()));
  return std::unique_ptr<sync::Link>(std::make_unique<SshLink>(std::move(ours), child));
}

// Opens a link to a folder of pushes. Its mirror is in the folder of spoor's state.
Result<std::unique_ptr<sync::Link>> open_folder(Session& session, const std::string& folder) {
  const std::string mirrors = TRY(require_state_home(session.environment())) + "/folders";
  TRY(make_folder(mirrors));
  constexpr std::size_t kDigits = 16;
  const std::string path = mirrors + "/" + store::sha256(folder).hex(kDigits);
  const auto open_mirror = [&](bool anew) -> Result<std::unique_ptr<store::Store>> {
    std::error_code problem;
    if (anew) TRY(store::sqlite::remove_store(path));
    if (!std::filesystem::exists(path, problem)) TRY(store::sqlite::create_store_file(path));
    return std::unique_ptr<store::Store>(TRY(store::SqliteStore::open(path, {})));
  };
  return std::unique_ptr<sync::Link>(TRY(sync::FolderLink::open(
      folder, path, open_mirror, session.clock(), TRY(session.author()), is_interrupted)));
}

// Opens a file that may be another user's.
Result<std::unique_ptr<store::SqliteStore>> open_file(const std::string& path) {
  auto opened = store::SqliteStore::open(path, {});
  const bool may_be_readable =
      !opened && opened.error().code == Error::Code::io && !store::sqlite::may_be_written(path);
  if (!may_be_readable) return opened;
  store::SqliteStore::Options options;
  options.mode = store::SqliteStore::Mode::read_only;
  return store::SqliteStore::open(path, options);
}

// A store of others, and whether this user may write it.
struct OpenedStore {
  std::unique_ptr<store::Store> store;
  bool may_write = true;
  std::string why_not = {};
};

Result<OpenedStore> open_store(const Environment& environment, const std::string& path) {
  if (store::postgres::is_address(path)) {
    store::PostgresStore::Options options;
    options.workspace = user_workspace();
    options.patience.is_cancelled = is_interrupted;
    return OpenedStore{TRY(store::PostgresStore::open(path, options))};
  }
  auto opened = TRY(open_file(path));
  const std::string objection =
      TRY(store::TrustedStores(data_home(environment)).objection(*opened, path));
  if (!objection.empty()) {
    opened->refuse_writes(
        denied(fmt::format("'{}' {}, so it can only be read", path, objection),
               fmt::format("if you know its origin, run there: spoor store trust")));
  }
  if (!objection.empty()) {
    return OpenedStore{
        std::move(opened), false,
        fmt::format("it {}; if its user knows its origin: spoor store trust", objection)};
  }
  return OpenedStore{std::move(opened), store::sqlite::may_be_written(path),
                     "its file may not be written"};
}

}  // namespace

ServedStore::ServedStore() = default;
ServedStore::~ServedStore() = default;

Result<std::unique_ptr<ServedStore>> ServedStore::open(Session& session, const std::string& path,
                                                       const std::optional<serve::Token>& asker) {
  auto [opened, may_write, why_not] = TRY(open_store(session.environment(), path));
  std::unique_ptr<ServedStore> served(new ServedStore);
  served->capture_ =
      std::make_unique<CaptureSwitch>(*opened, session.config(), session.environment());
  TRY(served->capture_->read_settings());
  Repository::Options with;
  const std::string actor = asker ? asker->name : TRY(session.author());
  with.author = actor;
  with.clock = std::shared_ptr<const Clock>(std::shared_ptr<void>(), &session.clock());
  served->workspace_ =
      std::make_unique<Workspace>(TRY(Repository::over(std::move(opened), std::move(with))), path);
  sync::ServerOptions options;
  options.intake = {.file = TRY(files_of_store(session.environment(), path)), .actor = actor};
  admit_only_scrubbed(options.intake, *served->capture_);
  const Repository& repository = served->workspace_->repository();
  if (TRY(repository.token_limit())) {
    options.intake.settle = [&repository](std::unique_ptr<store::Quarantine> aside,
                                          const store::Transaction& change) {
      return settle_within_limit(repository, std::move(aside), change);
    };
  }
  const api::Head head = TRY(served->workspace_->head());
  if (!head.is_detached()) options.head = store::branch_ref(head.branch);
  options.may_write = may_write && (!asker || asker->right != serve::Right::read);
  options.why_not = may_write ? "the token may only fetch" : why_not;
  options.may_force = !asker || asker->right == serve::Right::admin;
  if (asker) {
    options.prefix = asker->prefix;
    options.intake.most_bytes = std::uint64_t{4} << 30U;
    options.intake.most_objects = 5'000'000;
  }
  served->server_ = std::make_unique<sync::Server>(served->workspace_->store(), session.clock(),
                                                   std::move(options));
  return served;
}

Result<void> ServedStore::answer(const sync::ByteSource& request, const sync::ByteSink& sink) {
  return server_->answer(request, sink);
}

Result<sync::Intake> intake_of(Session& session, const Workspace& workspace) {
  sync::Intake intake{.file = workspace.files(), .actor = TRY(session.author())};
  admit_only_scrubbed(intake, workspace.repository().scrubber());
  return intake;
}

Result<std::string> full_address(const Environment& environment, const std::string& address) {
  if (address.starts_with(kSsh)) {
    TRY(parse_ssh(address));
    return address;
  }
  if (store::postgres::is_address(address)) {
    TRY(store::postgres::parse_address(address));
    if (shown_store(address) == address) return address;
    return denied("the address has a password, which a store would keep",
                  "leave it out: ~/.pgpass is read");
  }
  if (is_web(address)) return serve::normal_url(address);
  if (address.starts_with(kFolder)) {
    const auto path = std::filesystem::path(environment.directory()) /
                      expand_home(environment, address.substr(kFolder.size()));
    return std::string(kFolder) + path.lexically_normal().string();
  }
  if (address.find("://") != std::string::npos) {
    return invalid(fmt::format("'{}' is not an address", address),
                   "give a path, ssh://HOST/PATH, https://HOST/PATH, folder:PATH or "
                   "postgres://HOST/DATABASE?store=NAME");
  }
  return std::filesystem::path(named_store(environment, address)).lexically_normal().string();
}

serve::HttpAddress web_address(const Environment& environment, std::string url, std::string token) {
  return {std::move(url), std::move(token), environment.variable("SSL_CERT_FILE").value_or("")};
}

Result<std::unique_ptr<sync::Link>> open_link(Session& session, const std::string& address) {
  if (address.starts_with(kSsh)) return open_ssh(address);
  const std::string path = TRY(full_address(session.environment(), address));
  if (is_web(path)) {
    return serve::http_link(
        web_address(session.environment(), path, TRY(remote_token(session, path))), is_interrupted);
  }
  if (path.starts_with(kFolder)) return open_folder(session, path.substr(kFolder.size()));
  std::shared_ptr<ServedStore> served = TRY(ServedStore::open(session, path));
  return std::unique_ptr<sync::Link>(TRY(sync::LocalLink::open(
      [served](const sync::ByteSource& request, const sync::ByteSink& sink) {
        return served->answer(request, sink);
      },
      is_interrupted)));
}

}  // namespace spoor::cli
