// What `spoor proxy` adds to a request, beside a relay that only copies, and what it keeps.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "base/json/writer.h"
#include "bench/figures.h"
#include "bench/loopback.h"
#include "bench/names.h"
#include "bench/workload.h"

namespace spoor::bench {
namespace {

using Clock = std::chrono::steady_clock;

double micros_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

/// `spoor proxy` with a home of its own: a relay and a recorder, which are its children.
class Proxy {
 public:
  Proxy(const std::string& home, int upstream) : store_(home + "/store") {
    std::array<int, 2> ends{};
    must(::pipe(ends.data()) == 0, "no pipe");
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
      ::dup2(null, STDERR_FILENO);
      ::setenv("HOME", home.c_str(), 1);
      ::setenv("XDG_STATE_HOME", home.c_str(), 1);
      ::setenv("no_proxy", "127.0.0.1", 1);
      const std::string to = fmt::format("http://127.0.0.1:{}", upstream);
      ::execl(SPOOR_PROGRAM, "spoor", "--store", store_.c_str(), "proxy", "--upstream", to.c_str(),
              nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    std::string address;
    for (char byte = 0; ::read(ends[0], &byte, 1) == 1 && byte != '\n';) address += byte;
    ::close(ends[0]);
    const std::size_t colon = address.rfind(':');
    must(colon != address.npos, "spoor proxy says no address");
    port_ = std::stoi(address.substr(colon + 1));
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", process_));
    must(static_cast<bool>(children >> relay_), "spoor proxy has no relay");
  }
  ~Proxy() { end(); }
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  /// Ends it when everything is recorded.
  void end() {
    if (process_ < 0) return;
    ::kill(process_, SIGINT);
    ::waitpid(std::exchange(process_, -1), nullptr, 0);
  }

  int port() const { return port_; }
  pid_t relay() const { return relay_; }
  const std::string& store() const { return store_; }

 private:
  const std::string store_;
  pid_t process_ = -1;
  pid_t relay_ = -1;
  int port_ = 0;
};

/// Processor time of a process so far, in seconds.
double seconds_of(pid_t process) {
  clockid_t clock = 0;
  timespec time{};
  must(::clock_getcpuclockid(process, &clock) == 0 && ::clock_gettime(clock, &time) == 0,
       "no processor time of another process");
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

/// A member of /proc/PID/status, in megabytes.
double megabytes_of(pid_t process, const std::string& name) {
  std::ifstream file(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name)) return std::stod(line.substr(name.size() + 1)) * 1024 / 1e6;
  }
  throw Failed("no " + name);
}

std::string request_of(const std::string& body, std::size_t want,
                       const std::string& answer = "{}") {
  return fmt::format(
      "POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
      "Want: {}\r\nAnswer: {}\r\nContent-Length: {}\r\n\r\n{}",
      want, answer, body.size(), body);
}

/// Asks once, for `want` bytes; returns the microseconds to the first byte of the response.
double ask(Connection& to, const std::string& request, std::size_t want) {
  const auto begin = Clock::now();
  to.send(request);
  std::string_view part = to.receive();
  const double first = micros_since(begin);
  const std::size_t head = part.find("\r\n\r\n") + 4;  // It comes in one piece.
  for (std::size_t left = head + want; true; part = to.receive()) {
    must(!part.empty(), "a response has ended early");
    left -= std::min(left, part.size());
    if (left == 0) return first;
  }
}

/// Ways to the provider, asked in turn so that a slow moment of the machine is one of all.
struct Ways {
  Connection direct;
  Connection bare;
  Connection ours;
};

double at(std::vector<double>& values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(static_cast<double>(values.size()) * part)];
}

void measure_first_byte(Ways& ways, const std::string& name, std::size_t size, std::size_t count,
                        bool is_wanted, std::vector<Row>& rows) {
  constexpr std::size_t kInTurn = 10;
  constexpr std::size_t kWant = 2048;
  const std::string request = request_of(R"({"x":")" + std::string(size - 8, 'x') + R"("})", kWant);
  std::array<std::vector<double>, 3> times;
  const std::array<Connection*, 3> all = {&ways.direct, &ways.bare, &ways.ours};
  for (std::size_t done = 0; done < count; done += kInTurn) {
    for (std::size_t way = 0; way < all.size(); ++way) {
      for (std::size_t i = 0; i < kInTurn; ++i) {
        times[way].push_back(ask(*all[way], request, kWant));
      }
    }
  }
  for (const auto& [part, label, target] :
       {std::tuple(0.5, "half", 50.0), std::tuple(0.99, "99 of 100", 300.0)}) {
    const double direct = at(times[0], part);
    const double bare = at(times[1], part) - direct;
    const double ours = at(times[2], part) - direct;
    rows.push_back({fmt::format("proxy: added to the first byte, {} in {}", name, label), ours,
                    "µs", bare, ours, is_wanted ? std::optional(target) : std::nullopt,
                    Row::Want::at_most, "floor: a relay that only copies"});
  }
}

/// Requests and bytes for each second of the relay's processor time.
void measure_throughput(Ways& ways, const BareRelay& bare, const Proxy& proxy,
                        std::vector<Row>& rows) {
  const auto rate = [](Connection& way, pid_t process, const std::string& request, std::size_t want,
                       std::size_t count) {
    const double before = seconds_of(process);
    for (std::size_t i = 0; i < count; ++i) ask(way, request, want);
    return static_cast<double>(count) / (seconds_of(process) - before);
  };
  const auto add = [&](const std::string& name, std::size_t size, std::size_t want,
                       std::size_t count, double scale, const std::string& unit, double target) {
    const std::string request =
        request_of(R"({"x":")" + std::string(size - 8, 'x') + R"("})", want);
    const double floor = rate(ways.bare, bare.process(), request, want, count) * scale;
    const double ours = rate(ways.ours, proxy.relay(), request, want, count) * scale;
    rows.push_back(
        {"proxy: " + name, ours, unit, floor, ours, target, Row::Want::at_least,
         "for each second of the relay's processor time; floor: a relay that only copies"});
  };
  constexpr std::size_t kLarge = 32U << 20U;
  const double large = static_cast<double>(kLarge) / 1e9;
  add("requests of 10 kB", 10'000, 2048, sized(5'000), 1, "/s", 5'000);
  add("bytes of requests of 32 MB", kLarge, 2048, sized(50) + 1, large, "GB/s", 1);
  add("bytes of responses of 32 MB", 1'000, kLarge, sized(50) + 1, large, "GB/s", 1);
}

void measure_memory(Ways& ways, const Proxy& proxy, double idle, std::vector<Row>& rows) {
  rows.push_back({"proxy: memory of the relay after the requests above 100 kB", idle, "MB", 0, idle,
                  30, Row::Want::at_most, ""});
  constexpr std::size_t kBody = 100'000'000;
  const double live = static_cast<double>(kBody) / 1e6;
  ask(ways.ours, request_of(R"({"x":")" + std::string(kBody - 8, 'x') + R"("})", 2048), 2048);
  const double most = (megabytes_of(proxy.relay(), "VmHWM:") - idle) / live;
  rows.push_back({"proxy: memory for a body of 100 MB", most, "× its size", 0, most, 2,
                  Row::Want::at_most, ""});
}

/// A coding agent's requests: 15 kB of instructions and 80 kB of tools, the same in each, and all
/// messages so far, with a call and its result more in each request.
class Agent {
 public:
  explicit Agent(const std::vector<std::string>& texts) : texts_(texts) {
    for (std::size_t i = 0; i < kTools; ++i) {
      tools_ += fmt::format(R"({}{{"name":"tool_{}","description":{},"input_schema":{{)"
                            R"("type":"object","properties":{{"path":{{"type":"string"}}}}}}}})",
                            i == 0 ? "" : ",", i, json::write_string(text_of(i, 80'000 / kTools)));
    }
    system_ = fmt::format(R"({{"type":"text","text":{},"cache_control":{{"type":"ephemeral"}}}})",
                          json::write_string(text_of(kTools, 15'000)));
  }

  /// The model's part of a turn.
  static std::string content(std::size_t conversation, std::size_t turn) {
    return fmt::format(
        R"([{{"type":"text","text":"I read {0}/{1}."}},{{"type":"tool_use","id":"toolu_{0}_{1}",)"
        R"("name":"tool_1","input":{{"path":"{0}/{1}"}}}}])",
        conversation, turn);
  }

  static std::string answer(std::size_t conversation, std::size_t turn) {
    return fmt::format(
        R"({{"id":"msg_{0}_{1}","type":"message","role":"assistant","model":"claude-sonnet-4-5",)"
        R"("content":{2},"stop_reason":"tool_use","usage":{{"input_tokens":9,"output_tokens":9}}}})",
        conversation, turn, content(conversation, turn));
  }

  std::string request(std::size_t conversation, std::size_t turns) const {
    std::string messages = fmt::format(
        R"({{"role":"user","content":[{{"type":"text","text":"{} {{}}"}}]}})", conversation);
    for (std::size_t i = 0; i < turns; ++i) {
      const std::string& text = texts_[(conversation * 20 + i) % texts_.size()];
      messages +=
          fmt::format(R"(,{{"role":"assistant","content":{2}}},{{"role":"user","content":[{{)"
                      R"("type":"tool_result","tool_use_id":"toolu_{0}_{1}","content":{3}}}]}})",
                      conversation, i, content(conversation, i), json::write_string(text));
    }
    return fmt::format(
        R"({{"model":"claude-sonnet-4-5","max_tokens":32000,"system":[{}],"tools":[{}],)"
        R"("messages":[{}]}})",
        system_, tools_, messages);
  }

 private:
  static constexpr std::size_t kTools = 24;

  std::string text_of(std::size_t from, std::size_t size) const {
    std::string text;
    for (std::size_t i = from; text.size() < size; ++i) text += texts_[i * 7 % texts_.size()];
    text.resize(size);
    return text;
  }

  const std::vector<std::string>& texts_;
  std::string tools_;
  std::string system_;
};

void measure_store(std::vector<Row>& rows) {
  constexpr std::size_t kRequests = 20;  // Of a conversation.
  const std::size_t conversations = sized(100);
  const ScratchFolder home;
  const Provider provider;
  Proxy proxy(home.path("home"), provider.port());
  Connection to(proxy.port());
  const auto texts = make_texts(conversations * kRequests);
  const Agent agent(texts);
  double sent = 0;
  for (std::size_t i = 0; i < conversations; ++i) {
    for (std::size_t turns = 0; turns < kRequests; ++turns) {
      const std::string body = agent.request(i, turns);
      sent += static_cast<double>(body.size());
      const std::string answer = Agent::answer(i, turns);
      ask(to, request_of(body, answer.size(), answer), answer.size());
    }
  }
  proxy.end();
  {
    const auto repository = must(Repository::open(proxy.store()));
    must_be_sound(*repository);
    std::size_t recorded = 0;
    for (const store::Ref& ref : must(repository->store().refs(std::string(llm::kCaptures)))) {
      recorded += must(repository->reader().commit(ref.target))->depth + 1;
    }
    must(recorded == conversations * kRequests, fmt::format("{} requests are recorded", recorded));
  }
  const auto add = [&](const std::string& how, std::optional<double> wanted) {
    const double kept = static_cast<double>(std::filesystem::file_size(proxy.store())) / 1e6;
    rows.push_back({fmt::format("proxy: store of {} conversations of {} requests{}", conversations,
                                kRequests, how),
                    kept, "MB", sent / 1e6, kept / (sent / 1e6), wanted, Row::Want::at_most,
                    "floor: the bytes of their requests"});
  };
  trust(proxy.store());
  add("", std::nullopt);
  run_seconds({SPOOR_PROGRAM, "--store", proxy.store(), "store", "gc", "--vacuum"});
  add(", packed", 0.05);
}

}  // namespace

void measure_proxy(std::vector<Row>& rows) {
  const ScratchFolder home;
  const Provider provider;
  const BareRelay bare(provider.port());
  const Proxy proxy(home.path("home"), provider.port());
  Ways ways{Connection(provider.port()), Connection(bare.port()), Connection(proxy.port())};
  const std::size_t count = sized(5'000);
  measure_first_byte(ways, "100 B", 100, count, true, rows);
  measure_first_byte(ways, "10 kB", 10'000, count, true, rows);
  measure_first_byte(ways, "100 kB", 100'000, count, true, rows);
  const double idle = megabytes_of(proxy.relay(), "VmRSS:");
  measure_first_byte(ways, "1 MB", 1'000'000, count / 10, false, rows);
  measure_throughput(ways, bare, proxy, rows);
  measure_memory(ways, proxy, idle, rows);
  measure_store(rows);
}

}  // namespace spoor::bench
