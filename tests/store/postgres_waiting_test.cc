// A store in PostgreSQL waits for its server, and a lost answer is looked for.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "store/postgres/address.h"
#include "tests/store/cutting_proxy.h"
#include "tests/store/engines.h"
#include "tests/store/sample.h"
#include "tests/store/sound.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

using ProxyCut = CuttingProxy::Cut;
using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

const std::string kTrunk = branch_ref("main");

std::string folder_of(const std::string& address) {
  const std::size_t begin = address.find("host=") + 5;
  return address.substr(begin, std::min(address.find('&', begin), address.size()) - begin);
}

// With `hosts` in place of its own.
std::string with_hosts(std::string address, const std::string& hosts) {
  const std::string own = folder_of(address);
  return address.replace(address.find(own), own.size(), hosts);
}

// A socket that takes connections and says nothing.
class SilentServer {
 public:
  SilentServer() {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    const std::string path = folder_ / ".s.PGSQL.5432";
    path.copy(at.sun_path, sizeof at.sun_path - 1);
    REQUIRE(::bind(file_, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
    REQUIRE(::listen(file_, 64) == 0);
  }
  ~SilentServer() { ::close(file_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;

  const std::string& folder() const { return folder_.path(); }

 private:
  TempDir folder_;
  int file_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

// Takes connections over TCP, and says the same to each and nothing more.
class HalfServer {
 public:
  explicit HalfServer(std::string said) : said_(std::move(said)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    REQUIRE(::bind(file_, reinterpret_cast<const sockaddr*>(&at), size) == 0);
    REQUIRE(::listen(file_, 64) == 0);
    REQUIRE(::getsockname(file_, reinterpret_cast<sockaddr*>(&at), &size) == 0);
    address_ = "postgres://ann@127.0.0.1:" + std::to_string(ntohs(at.sin_port)) +
               "/team?sslmode=disable&gssencmode=disable&connect_timeout=2";
    thread_ = std::thread([this] { greet(); });
  }
  ~HalfServer() {
    is_done_ = true;
    thread_.join();
    for (const int each : clients_) ::close(each);
    ::close(file_);
  }
  HalfServer(const HalfServer&) = delete;
  HalfServer& operator=(const HalfServer&) = delete;

  const std::string& address() const { return address_; }

 private:
  void greet() {
    while (!is_done_) {
      pollfd ready{file_, POLLIN, 0};
      if (::poll(&ready, 1, 20) <= 0) continue;
      clients_.push_back(::accept4(file_, nullptr, nullptr, SOCK_CLOEXEC));
      (void)::send(clients_.back(), said_.data(), said_.size(), MSG_NOSIGNAL);
    }
  }

  const std::string said_;
  std::string address_;
  std::vector<int> clients_;
  std::atomic<bool> is_done_ = false;
  int file_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::thread thread_;
};

void run_as_owner(const std::string& address, const char* statement) {
  const auto server = postgres::parse_address(address).value().server;
  REQUIRE(postgres::Connection::open(server).value()->run(postgres::Statement(statement)));
}

// The server's own connection for tests of what others do on it.
class Owner {
 public:
  explicit Owner(const std::string& address)
      : connection_(
            postgres::Connection::open(postgres::parse_address(address).value().server).value()) {
    count("SELECT 1");  // Brings our settings, which are a transaction with it.
  }

  // The rows of a statement.
  std::size_t count(const char* statement) const {
    return connection_->run(postgres::Statement(statement)).value().size();
  }

  // Repeats a statement until it has a row; whether it had one within 20 s.
  bool until(const char* statement) const {
    const auto end = Steady::now() + std::chrono::seconds(20);
    while (count(statement) == 0) {
      if (Steady::now() > end) return false;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return true;
  }

 private:
  std::unique_ptr<postgres::Connection> connection_;
};

constexpr const char* kEndWaiting =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
    "wait_event = 'SyncRep' AND pid <> pg_backend_pid()";
constexpr const char* kCancelWaiting =
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE "
    "wait_event = 'SyncRep' AND pid <> pg_backend_pid()";

// A standby that must have each change, and is not there.
class AbsentStandby {
 public:
  // Returns when commits wait for it. That is not when a session sees the setting: a commit looks
  // at a flag in shared memory, which the checkpointer sets when it has read the setting itself.
  AbsentStandby(const Owner& owner, const std::string& address) : owner_(owner) {
    owner_.count("ALTER SYSTEM SET synchronous_standby_names = 'absent'");
    owner_.count("SELECT pg_reload_conf()");
    std::atomic<bool> is_given_up = false;
    std::thread probe([&] {
      const auto server = postgres::parse_address(address).value().server;
      const auto session = postgres::Connection::open(server).value();
      const postgres::Statement commit("SELECT pg_logical_emit_message(true, 'probe', '')");
      while (!is_given_up && session->run(commit)) {
      }
    });
    const bool is_waiting = owner_.until(kEndWaiting);
    is_given_up = true;
    probe.join();
    if (!is_waiting) release();
    REQUIRE(is_waiting);
  }
  ~AbsentStandby() { release(); }
  AbsentStandby(const AbsentStandby&) = delete;
  AbsentStandby& operator=(const AbsentStandby&) = delete;

  // Ends the need for it.
  void release() const {
    owner_.count("ALTER SYSTEM RESET synchronous_standby_names");
    owner_.count("SELECT pg_reload_conf()");
  }

 private:
  const Owner& owner_;
};

// The texts of a branch, newest first.
std::vector<std::string> texts_of(const Store& store, const std::string& ref) {
  std::vector<std::string> texts;
  const auto tip = store.ref(ref).value();
  if (!tip) return texts;
  REQUIRE(store.run(*tip, 1'000, Store::kAllContents, [&](const Store::RunStep& step) {
    for (const char* text : {"one", "two", "three"}) {
      if (step.content != nullptr && step.content->body == blob(text).body)
        texts.emplace_back(text);
    }
    return true;
  }));
  return texts;
}

}  // namespace

TEST_SUITE("store/postgres") {
  TEST_CASE(
      "several hosts are tried in turn, each with its own port, for the one that takes writes") {
    if (PostgresServer::get() == nullptr) return;  // Nor is there libpq, then.
    const auto attempts = [&](const std::string& server) {
      std::vector<std::string> said;
      const auto hosts = postgres::hosts_of(server).value();
      for (const auto& attempt : hosts.attempts) {
        std::string& one = said.emplace_back();
        for (const auto& [key, value] : attempt) one += key + "=" + value + " ";
      }
      return said;
    };
    CHECK(attempts("postgres://h/d") == std::vector<std::string>{""});
    CHECK(attempts("postgres://a:1,b:2/d") ==
          std::vector<std::string>{"host=a port=1 target_session_attrs=read-write ",
                                   "host=b port=2 target_session_attrs=read-write "});
    CHECK(attempts("postgres://a,b/d") ==
          std::vector<std::string>{"host=a port=5432 target_session_attrs=read-write ",
                                   "host=b port=5432 target_session_attrs=read-write "});
    CHECK(attempts("postgres:///d?host=a,b&port=7&target_session_attrs=any") ==
          std::vector<std::string>{"host=a port=7 target_session_attrs=any ",
                                   "host=b port=7 target_session_attrs=any "});
    CHECK(attempts("postgres://a,b/d?target_session_attrs=prefer-standby").size() == 4);
    CHECK(postgres::hosts_of("postgres:///d?host=a,b,c&port=1,2").error().code ==
          Error::Code::invalid);
  }

  TEST_CASE("a password with a character that ends it is quoted in no error") {
    if (PostgresServer::get() == nullptr) return;
    for (const std::string address :
         {"postgres://ann:sec/ret@h/d", "postgres://ann:sec@ret@h/d", "postgres://h:sec/d",
          "postgres://h/d?port=1,sec", "postgres:///d?host=a,x@sec"}) {
      CAPTURE(address);
      const auto hosts = postgres::hosts_of(address);
      REQUIRE_FALSE(hosts);
      CHECK(hosts.error().code == Error::Code::invalid);
      CHECK(hosts.error().message.find("sec") == std::string::npos);
    }
    CHECK(postgres::hosts_of("postgres://ann:s%2Fe%40c@h:5433/d"));
    CHECK(postgres::hosts_of("postgres:///d?host=/run/a@b"));
    CHECK(postgres::hosts_of("postgres:///d?host=@abstract"));
  }

  TEST_CASE(
      "a change whose connection is cut at any round trip is made once, and said to be made") {
    if (PostgresServer::get() == nullptr) return;
    for (const ProxyCut how : {ProxyCut::before, ProxyCut::after, ProxyCut::late}) {
      for (int cut = 1;; ++cut) {
        const std::string direct = PostgresServer::get()->new_address();
        REQUIRE(PostgresStore::create(direct, {}));
        CuttingProxy proxy(direct);
        proxy.cut_at(cut, how);
        const auto store = PostgresStore::open(proxy.address(), {}).value();
        History history;
        for (const char* text : {"one", "two"}) {
          const auto made = append(*store, history, "main", text);
          REQUIRE(made);
          CHECK_FALSE(made->was_there);
          CHECK(store->newest_operation().value()->name == made->operation);
        }
        CHECK(texts_of(*store, kTrunk) == std::vector<std::string>{"two", "one"});
        CHECK(store->operations(0, 10).value().size() == 2);
        check_is_sound(*store);
        if (proxy.trips() < cut) break;
      }
    }
  }

  TEST_CASE("a change is not said to be made before the standbys have it, whatever ends its wait") {
    if (PostgresServer::get() == nullptr) return;
    for (const char* end : {kEndWaiting, kCancelWaiting}) {
      const std::string address = PostgresServer::get()->new_address();
      REQUIRE(PostgresStore::create(address, {}));
      const Owner owner(address);
      const auto store = PostgresStore::open(address, {}).value();
      History history;
      REQUIRE(append(*store, history, "main", "one"));
      const AbsentStandby standby(owner, address);
      std::atomic<bool> is_made = false;
      std::thread writing([&] {
        CHECK(append(*store, history, "main", "two"));
        is_made = true;
      });
      for (int i = 0; i < 3; ++i) {
        CHECK(owner.until(end));
        std::this_thread::sleep_for(milliseconds(100));
      }
      CHECK_FALSE(is_made);
      standby.release();
      writing.join();
      CHECK(texts_of(*store, kTrunk) == std::vector<std::string>{"two", "one"});
      CHECK(store->operations(0, 10).value().size() == 2);
    }
  }

  TEST_CASE("a change that was made is not a conflict if another writer moved on from it") {
    if (PostgresServer::get() == nullptr) return;
    const std::string direct = PostgresServer::get()->new_address();
    REQUIRE(PostgresStore::create(direct, {}));
    const auto other = PostgresStore::open(direct, {}).value();
    CuttingProxy proxy(direct);
    const auto store = PostgresStore::open(proxy.address(), {}).value();
    History history;
    REQUIRE(append(*store, history, "main", "one"));
    auto objects = history.turn(history.last(), "two");
    const auto change = move_ref(kTrunk, store->ref(kTrunk).value(), history.last(), objects);
    proxy.cut_at(proxy.trips() + 1, ProxyCut::late);
    // The other one waits for the row of the ref, and moves it as soon as it may.
    std::thread moving([&] {
      while (texts_of(*other, kTrunk).size() < 2) {
      }
      REQUIRE(append(*other, history, "main", "three"));
    });
    const auto made = store->commit(change);
    moving.join();
    REQUIRE(made);
    CHECK_FALSE(made->was_there);
    CHECK(texts_of(*store, kTrunk) == std::vector<std::string>{"three", "two", "one"});
    CHECK(store->operations(0, 10).value().size() == 3);
  }

  TEST_CASE(
      "a server that starts or is full is waited for, by a store that opens and an open one") {
    if (PostgresServer::get() == nullptr) return;
    const std::string direct = PostgresServer::get()->new_address();
    REQUIRE(PostgresStore::create(direct, {}));
    CuttingProxy proxy(direct);
    int notices = 0;
    PostgresStore::Options options;
    options.patience.notice = [&](const std::string& reason) {
      CHECK(reason.find("not now") != std::string::npos);
      ++notices;
    };
    const auto opened = PostgresStore::open(proxy.address(), options).value();
    for (const char* state : {"57P03", "53300", "57P01"}) {
      proxy.refuse_with(state);
      std::thread later([&] {
        std::this_thread::sleep_for(milliseconds(1'300));
        proxy.refuse_with("");
      });
      History history;
      CHECK(append(*opened, history, state, "waited"));
      CHECK(PostgresStore::open(proxy.address(), options));
      later.join();
    }
    CHECK(notices == 3);
    proxy.refuse_with("57P03");
    options.patience.longest = milliseconds(0);
    const auto refused = PostgresStore::open(proxy.address(), options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Error::Code::unavailable);
    CHECK(refused.error().message.find("not now") != std::string::npos);
    CHECK_FALSE(refused.error().hint.empty());
  }

  TEST_CASE("who is refused for good hears it at once") {
    if (PostgresServer::get() == nullptr) return;
    const std::string direct = PostgresServer::get()->new_address();
    REQUIRE(PostgresStore::create(direct, {}));
    CuttingProxy proxy(direct);
    const auto begin = Steady::now();
    for (const auto& [state, code] :
         {std::pair("28P01", Error::Code::denied), std::pair("28000", Error::Code::denied),
          std::pair("3D000", Error::Code::not_found)}) {
      proxy.refuse_with(state);
      const auto refused = PostgresStore::open(proxy.address(), {});
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == code);
      CHECK(refused.error().message.find(state) == std::string::npos);
    }
    CHECK(Steady::now() - begin < milliseconds(3'000));
  }

  TEST_CASE("a server that only reads is waited for, and left for one that writes") {
    if (PostgresServer::get() == nullptr) return;
    const std::string address = PostgresServer::get()->new_address();
    REQUIRE(PostgresStore::create(address, {}));
    run_as_owner(address, "ALTER ROLE spoor SET default_transaction_read_only = on");
    PostgresStore::Options options;
    const auto store = PostgresStore::open(address, options).value();
    std::thread later([&] {
      std::this_thread::sleep_for(milliseconds(200));
      const auto server = postgres::parse_address(address).value().server;
      const auto own = postgres::Connection::open(server).value();
      CHECK(
          own->run({postgres::Statement("SET transaction_read_only = off"),
                    postgres::Statement("ALTER ROLE spoor RESET default_transaction_read_only")}));
    });
    History history;
    CHECK(append(*store, history, "main", "waited"));
    later.join();
  }

  TEST_CASE("a host that does not answer delays the next one, and no more") {
    if (PostgresServer::get() == nullptr) return;
    const std::string direct = PostgresServer::get()->new_address();
    REQUIRE(PostgresStore::create(direct, {}));
    const SilentServer silent;
    const auto begin = Steady::now();
    const auto store = PostgresStore::open(
        with_hosts(direct, "/nowhere," + silent.folder() + "," + folder_of(direct)), {});
    REQUIRE(store);
    CHECK(Steady::now() - begin < milliseconds(6'000));
    History history;
    CHECK(append(**store, history, "main", "found"));
    PostgresStore::Options options;
    options.patience.longest = milliseconds(0);
    const auto none = PostgresStore::open(
        with_hosts(direct, "/nowhere," + silent.folder()) + "&connect_timeout=1", options);
    REQUIRE_FALSE(none);
    CHECK(none.error().message.find("/nowhere") != std::string::npos);
    CHECK(none.error().message.find("'" + silent.folder() + "' does not answer") !=
          std::string::npos);
  }

  TEST_CASE("a server that stops within its greeting or its first answer is named and given up") {
    if (PostgresServer::get() == nullptr) return;
    using namespace std::string_literals;
    const std::string direct = PostgresServer::get()->new_address();
    REQUIRE(PostgresStore::create(direct, {}));
    CuttingProxy proxy(direct);
    const HalfServer silent("");
    const HalfServer cut("R\0\0"s);                            // A part of the first message.
    const HalfServer greets("R\0\0\0\10\0\0\0\0Z\0\0\0\5I"s);  // All that comes before questions.
    const std::string addresses[] = {silent.address(), cut.address(), greets.address(),
                                     proxy.address() + "&connect_timeout=2"};
    for (const std::string& address : addresses) {
      CAPTURE(address);
      proxy.cut_at(proxy.trips() + 1, ProxyCut::never);
      std::vector<std::string> said;
      PostgresStore::Options options;
      options.patience.longest = milliseconds(1'500);
      options.patience.notice = [&](const std::string& reason) { said.push_back(reason); };
      const auto begin = Steady::now();
      const auto none = PostgresStore::open(address, options);
      CHECK(Steady::now() - begin < milliseconds(4'000));
      REQUIRE_FALSE(none);
      CHECK(none.error().code == Error::Code::unavailable);
      CHECK(none.error().message.find("not answer") != std::string::npos);
      CHECK_FALSE(none.error().hint.empty());
      REQUIRE(said.size() == 1);
      CHECK(said.front().find("not answer") != std::string::npos);
    }
  }

  TEST_CASE("a server that stops later is named, and left when its user says so") {
    if (PostgresServer::get() == nullptr) return;
    const std::string direct = PostgresServer::get()->new_address();
    REQUIRE(PostgresStore::create(direct, {}));
    CuttingProxy proxy(direct);
    std::atomic<int> notices = 0;
    PostgresStore::Options options;
    options.patience.notice = [&](const std::string&) { ++notices; };
    options.patience.is_cancelled = [&] { return notices > 0; };
    const auto store = PostgresStore::open(proxy.address(), options).value();
    proxy.cut_at(proxy.trips() + 1, ProxyCut::never);
    const auto read = store->refs("");
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Error::Code::interrupted);
    CHECK(notices == 1);
    notices = 0;
    CHECK(store->refs("").value().empty());
  }

  TEST_CASE("a wait ends as soon as it is cancelled") {
    if (PostgresServer::get() == nullptr) return;
    const std::string direct = PostgresServer::get()->new_address();
    REQUIRE(PostgresStore::create(direct, {}));
    std::atomic<bool> is_cancelled = false;
    PostgresStore::Options options;
    options.patience.is_cancelled = [&] { return is_cancelled.load(); };
    const auto store = PostgresStore::open(direct, options).value();
    const auto other = PostgresStore::open(direct, {}).value();
    const SilentServer silent;
    // For a server that is away, one that is silent, and a lock that another has.
    const auto ends_soon = [&](const auto& call) {
      is_cancelled = false;
      std::thread later([&] {
        std::this_thread::sleep_for(milliseconds(1'200));
        is_cancelled = true;
      });
      const auto done = call();
      later.join();
      const auto begin = Steady::now();
      REQUIRE_FALSE(done);
      CHECK(done.error().code == Error::Code::interrupted);
      CHECK(Steady::now() - begin < milliseconds(500));
    };
    ends_soon([&] { return PostgresStore::open(with_hosts(direct, "/nowhere"), options); });
    ends_soon([&] { return PostgresStore::open(with_hosts(direct, silent.folder()), options); });
    REQUIRE(other->exclusive([&]() -> Result<void> {
      ends_soon([&] { return store->exclusive([] { return Result<void>(); }); });
      return {};
    }));
    // Work that is ended may still write its results.
    History history;
    CHECK(append(*store, history, "main", "kept"));
  }

  TEST_CASE("a change under a lock that is lost is made once, and the calls after it are refused") {
    if (PostgresServer::get() == nullptr) return;
    for (const ProxyCut how : {ProxyCut::before, ProxyCut::after, ProxyCut::late}) {
      const std::string direct = PostgresServer::get()->new_address();
      REQUIRE(PostgresStore::create(direct, {}));
      CuttingProxy proxy(direct);
      const auto store = PostgresStore::open(proxy.address(), {}).value();
      History history;
      REQUIRE(append(*store, history, "main", "one"));
      std::optional<Result<Receipt>> made;
      std::optional<Result<std::vector<Ref>>> read;
      const auto held = store->exclusive([&]() -> Result<void> {
        proxy.cut_at(proxy.trips() + 2, how);  // The change, after the tip is read.
        made = append(*store, history, "main", "two");
        if (how == ProxyCut::before) return {};
        read = store->refs("");
        return {};
      });
      CHECK(made->has_value() == (how != ProxyCut::before));
      REQUIRE_FALSE(held);
      CHECK(held.error().code == Error::Code::conflict);
      if (read) CHECK(read->error().code == Error::Code::conflict);
      CHECK(texts_of(*store, kTrunk).size() == (how == ProxyCut::before ? 1 : 2));
      REQUIRE(store->exclusive([&] { return Result<void>(); }));
    }
  }

  TEST_CASE("the end of patience says what is not known") {
    if (PostgresServer::get() == nullptr) return;
    const std::string direct = PostgresServer::get()->new_address();
    REQUIRE(PostgresStore::create(direct, {}));
    CuttingProxy proxy(direct);
    PostgresStore::Options options;
    options.patience.longest = milliseconds(1'100);
    const auto store = PostgresStore::open(proxy.address(), options).value();
    History history;
    REQUIRE(append(*store, history, "main", "one"));
    proxy.refuse_with("57P03");
    const auto read = store->refs("");
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Error::Code::unavailable);
    CHECK(read.error().message.find("waited for 1s") != std::string::npos);
    proxy.refuse_with("");
    const auto tip = store->ref(kTrunk).value();
    auto objects = history.turn(tip, "two");
    proxy.cut_at(proxy.trips() + 1, ProxyCut::after, "57P03");
    const auto made = store->commit(move_ref(kTrunk, tip, history.last(), std::move(objects)));
    REQUIRE_FALSE(made);
    CHECK(made.error().hint.find("not known") != std::string::npos);
    proxy.refuse_with("");
    CHECK(texts_of(*store, kTrunk) == std::vector<std::string>{"two", "one"});
  }
}
