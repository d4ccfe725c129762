#include "proxy/raw_bodies.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/os/file_times.h"
#include "import/known_agents.h"
#include "import/source.h"
#include "llm/sent_prompt.h"
#include "proxy/conversation.h"
#include "proxy/recorder.h"

namespace spoor::proxy {
namespace {

using compile::Oid;

constexpr std::string_view kRequest = ".request.json";
constexpr std::string_view kResponse = ".response.json";
constexpr std::string_view kAgent = "claude-code";

// What a request ends with: results of calls, or the text of a user.
struct Last {
  std::set<std::string> results;
  std::string text;
};

struct RequestFile {
  std::string path;
  Timestamp written;
  std::string session;
  Last last;
  bool is_used = false;
};

struct ResponseFile {
  std::string path;
  Timestamp written;
  std::string id;
};

// An answer in the store.
struct Answer {
  std::string session;
  Last before;
  Oid commit;  // Its last one.
};

Timestamp written_at(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  const timespec time = os::written_at(found);
  return {time.tv_sec * std::int64_t{1'000'000} + time.tv_nsec / 1000};
}

Result<std::string> read_whole(const std::string& path) {
  const auto source = TRY(import::open_file(path));
  std::string bytes;
  while (true) {
    constexpr std::size_t kPart = 1U << 20U;
    const std::size_t size = bytes.size();
    bytes.resize(size + kPart);
    const std::size_t read = TRY(source->read(bytes.data() + size, kPart));
    bytes.resize(size + read);
    if (read == 0) return bytes;
  }
}

// The session is in a string of JSON in the request's metadata.
std::string session_of(const json::Value& request) {
  const std::string user = request.find("metadata").find("user_id").text();
  const auto document = json::parse(user);
  return document ? document->root().find("session_id").text() : std::string();
}

// It is the last message of the user; others may follow that the program adds.
Last last_of(const json::Value& request) {
  Last last;
  for (const json::Value& message : request.find("messages").elements()) {
    if (!message.find("role").equals("user")) continue;
    last = {};
    const json::Value content = message.find("content");
    last.text = content.text();
    for (const json::Value& block : content.elements()) {
      const std::string id = block.find("tool_use_id").text();
      if (!id.empty()) last.results.insert(id);
      last.text += block.find("text").text();
    }
  }
  return last;
}

bool follows(const Last& before, const Last& asked) {
  if (!before.results.empty() || !asked.results.empty()) return before.results == asked.results;
  return !before.text.empty() && asked.text.ends_with(before.text);
}

// Adds the answers of a line, by the provider's ids of their messages.
Result<void> add_answers(const graph::Repository& repository, const std::string& line,
                         std::unordered_map<std::string, Answer>& answers) {
  const auto tip = TRY(repository.store().ref(line));
  if (!tip) return {};
  std::vector<Oid> commits;
  const auto look = [&](const store::NamedCommit& named) {
    if (named.commit->type) commits.push_back(named.oid);
    return true;
  };
  TRY(repository.reader().run(*tip, std::numeric_limits<std::size_t>::max(), look,
                              store::Reader::Keep::nothing));
  Last last;
  bool is_answering = false;
  for (auto oid = commits.rbegin(); oid != commits.rend(); ++oid) {
    const compile::Turn turn = TRY(graph::read_turn(repository.reader(), *oid));
    if (turn.type == compile::Type::user || turn.type == compile::Type::tool) {
      if (is_answering) last = {};
      is_answering = false;
      if (turn.type == compile::Type::tool) last.results.insert(turn.fields.call_id);
      if (turn.type == compile::Type::user) last.text = turn.text;
      continue;
    }
    const std::string id = turn.facts.get(fact::message_id);
    if (id.empty()) continue;
    is_answering = true;
    answers.try_emplace(id, Answer{turn.facts.get(fact::session), last, *oid})
        .first->second.commit = *oid;
  }
  return {};
}

// Returns the lines of a session and of its subagents.
Result<std::vector<std::string>> lines_of(const graph::Repository& repository,
                                          const std::string& session) {
  constexpr std::size_t kDigits = 8;
  const std::string begin =
      store::branch_ref(fmt::format("{}/{}", kAgent, session.substr(0, kDigits)));
  std::vector<std::string> lines;
  for (const store::Ref& ref : TRY(repository.store().refs(begin))) lines.push_back(ref.name);
  return lines;
}

struct Files {
  std::vector<RequestFile> requests;  // In order of time, as the others.
  std::vector<ResponseFile> responses;
};

Result<Files> read_files(const std::vector<std::string>& paths) {
  Files files;
  for (const std::string& path : paths) {
    const std::string bytes = TRY(read_whole(path));
    const auto document = json::parse(bytes);
    const json::Value body = document ? document->root() : json::Value();
    const Timestamp written = written_at(path);
    if (path.ends_with(kRequest)) {
      files.requests.push_back({path, written, session_of(body), last_of(body)});
    } else {
      files.responses.push_back({path, written, body.find("id").text()});
    }
  }
  const auto by_time = [](const auto& one, const auto& other) {
    return std::pair(one.written.micros, one.path) < std::pair(other.written.micros, other.path);
  };
  std::sort(files.requests.begin(), files.requests.end(), by_time);
  std::sort(files.responses.begin(), files.responses.end(), by_time);
  return files;
}

// Returns the request that a response is to.
RequestFile* request_of(std::vector<RequestFile>& requests, const ResponseFile& response,
                        const Answer& answer) {
  RequestFile* found = nullptr;
  for (RequestFile& each : requests) {
    const bool is_it = !each.is_used && each.session == answer.session &&
                       each.written.micros <= response.written.micros &&
                       follows(answer.before, each.last);
    if (is_it) found = &each;
  }
  return found;
}

// A session in the store.
struct Session {
  std::vector<std::string> lines;              // Also of its subagents.
  std::vector<llm::CapturedRequest> captured;  // Before this.
};

Result<Session> read_session(const graph::Repository& repository, const std::string& name,
                             std::unordered_map<std::string, Answer>& answers) {
  Session session{.lines = TRY(lines_of(repository, name)), .captured = {}};
  for (const std::string& line : session.lines) {
    TRY(add_answers(repository, line, answers));
    const auto tip = TRY(repository.store().ref(line));
    for (auto& each : TRY(llm::captured_requests(repository, *tip))) {
      session.captured.push_back(std::move(each));
    }
  }
  return session;
}

// Whether a request was captured before. The proxy sees it a moment after it was written.
bool is_known(const Session& session, const RequestFile& request, const Answer* answer) {
  constexpr std::int64_t kMoment = 1'000'000;  // Microseconds.
  const auto is_it = [&](const llm::CapturedRequest& each) {
    if (answer != nullptr) return each.answer == answer->commit;
    if (each.answer || !each.time) return false;
    const std::int64_t after = each.time->micros - request.written.micros;
    return after == 0 || (each.is_exact && std::abs(after) < kMoment);
  };
  return std::any_of(session.captured.begin(), session.captured.end(), is_it);
}

Result<void> record(graph::Repository& repository, const Session& session,
                    const RequestFile& request, const ResponseFile* response) {
  Exchange exchange{.agent = std::string(kAgent),
                    .method = "POST",
                    .target = "/v1/messages",
                    .request_headers = {{"x-claude-code-session-id", request.session}},
                    .begun = request.written,
                    .is_copy = true};
  exchange.request = TRY(read_whole(request.path));
  if (response != nullptr) {
    exchange.status = 200;
    exchange.response_headers = {{"content-type", "application/json"}};
    exchange.response = TRY(read_whole(response->path));
    exchange.end = response->written.micros - request.written.micros;
  }
  const auto import = [&session](const import::KnownAgent&, Timestamp) {
    return Result<std::vector<std::string>>(session.lines);
  };
  TRY(Recorder(repository, import).record(exchange, true));
  return {};
}

}  // namespace

bool is_raw_body(const std::string& path) {
  if (path.ends_with(kResponse)) {
    // Only beside requests; a name that others use as well.
    return path.substr(path.rfind('/') + 1).starts_with("req_");
  }
  if (!path.ends_with(kRequest)) return false;
  const auto bytes = read_whole(path);
  if (!bytes) return false;
  const auto document = json::parse(bytes.value());
  return document && document->root().find("messages").is_array() &&
         !session_of(document->root()).empty();
}

Result<RawBodies> record_raw_bodies(graph::Repository& repository,
                                    const import::ImportSessions& import,
                                    const std::vector<std::string>& paths) {
  RawBodies all;
  Files files = TRY(read_files(paths));
  if (files.requests.empty()) return all;
  TRY(import(*import::find_agent(kAgent), files.requests.front().written));
  std::map<std::string, Session> sessions;
  std::unordered_map<std::string, Answer> answers;
  for (const RequestFile& each : files.requests) {
    if (sessions.contains(each.session)) continue;
    sessions[each.session] = TRY(read_session(repository, each.session, answers));
  }
  const auto add = [&](const RequestFile& request, const Answer* answer,
                       const ResponseFile* response) -> Result<void> {
    const Session& session = sessions[request.session];
    if (session.lines.empty()) {
      all.unplaced.push_back(request.path);
    } else if (is_known(session, request, answer)) {
      ++all.known;
    } else {
      TRY(record(repository, session, request, response));
      ++all.requests;
    }
    return {};
  };
  for (const ResponseFile& response : files.responses) {
    const auto answer = answers.find(response.id);
    if (answer == answers.end()) continue;
    RequestFile* request = request_of(files.requests, response, answer->second);
    if (request == nullptr) continue;
    request->is_used = true;
    TRY(add(*request, &answer->second, &response));
  }
  for (const RequestFile& request : files.requests) {
    if (!request.is_used) TRY(add(request, nullptr, nullptr));
  }
  return all;
}

}  // namespace spoor::proxy
