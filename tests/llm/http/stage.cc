#include "tests/llm/http/stage.h"

#include "llm/client.h"
#include "llm/http/curl_transport.h"
#include "llm/http/recorded_transport.h"
#include "llm/scripted.h"
#include "tests/llm/http/raw_server.h"
#include "tests/support/ports.h"

namespace spoor::testing {
namespace {

using llm::Failure;
using llm::Piece;
using llm::Wire;

const char* const kBaseUrl = "http://recorded";

std::string refusal(Wire wire) {
  return error_body(wire, 429, "rate_limit_error", "too many requests");
}

/// The parts of a response's body, in the order they are sent.
std::vector<std::string> frames_of(const Subject& subject, const Talk& talk) {
  if (subject.streams) return stream_frames(subject.wire, talk);
  return {whole_body(subject.wire, talk)};
}

std::vector<std::string> first_half(std::vector<std::string> frames) {
  frames.resize((frames.size() + 1) / 2);
  return frames;
}

llm::Profile profile_at(Wire wire, std::string url) {
  return {.name = "stage", .wire = wire, .base_url = std::move(url), .needs_key = false};
}

// --- Scripted ---

llm::Reply scripted_reply(const Talk& talk) {
  llm::Reply reply;
  reply.id = talk.id;
  reply.model = talk.model;
  if (!talk.thinking.empty()) {
    reply.pieces.push_back({.kind = Piece::Kind::reasoning, .text = talk.thinking});
  }
  reply.pieces.push_back({.kind = Piece::Kind::text, .text = talk.text});
  if (talk.call) reply.pieces.push_back({.kind = Piece::Kind::call, .call = *talk.call});
  reply.usage.output = static_cast<std::uint64_t>(talk.output_tokens);
  return reply;
}

llm::ScriptedAnswer scripted_answer(Scene scene, const Talk& talk) {
  llm::ScriptedAnswer answer{.reply = scripted_reply(talk)};
  if (scene == Scene::refused) answer.reply = llm::fail({.kind = Failure::Kind::rate_limited});
  if (scene == Scene::broken) {
    answer.reply.pieces = {answer.reply.pieces.front()};
    answer.reply.failure = Failure{.kind = Failure::Kind::network};
  }
  return answer;
}

class ScriptedStage final : public Stage {
 public:
  ScriptedStage(Scene scene, const Talk& talk)
      : provider_(
            {.name = "stage", .needs_key = false},
            [scene, talk](const llm::Request&, std::size_t) {
              return scripted_answer(scene, talk);
            },
            waiting_) {}
  llm::Provider& provider() override { return provider_; }

 private:
  llm::NoWaiting waiting_;
  llm::ScriptedProvider provider_;
};

// --- Recorded ---

llm::http::Exchange exchange(const Subject& subject, Scene scene, const Talk& talk) {
  if (scene == Scene::refused) return {.status = 429, .body = refusal(subject.wire)};
  auto frames = frames_of(subject, talk);
  if (scene == Scene::broken) frames = first_half(std::move(frames));
  llm::http::Exchange made;
  for (const std::string& frame : frames) {
    made.body += frame;
    made.chunks.push_back(frame.size());
  }
  if (scene == Scene::broken) {
    made.failure = Failure{.kind = Failure::Kind::network, .message = "reset"};
  }
  return made;
}

class RecordedStage final : public Stage {
 public:
  RecordedStage(const Subject& subject, Scene scene, const Talk& talk)
      : transport_(std::vector(16, exchange(subject, scene, talk))),
        provider_(profile_at(subject.wire, kBaseUrl), {}, transport_, clock_) {}
  llm::Provider& provider() override { return provider_; }

 private:
  ManualClock clock_;
  llm::http::RecordedTransport transport_;
  llm::HttpProvider provider_;
};

// --- HTTP ---

RawServer::Handler handler(const Subject& subject, Scene scene, const Talk& talk) {
  return [=](RawServer::Connection& connection, const std::string&) {
    if (scene == Scene::refused) {
      return connection.send(response("429 Too Many Requests", refusal(subject.wire)));
    }
    auto frames = frames_of(subject, talk);
    std::size_t size = 0;
    for (const std::string& frame : frames) size += frame.size();
    if (scene != Scene::whole) frames = first_half(std::move(frames));
    connection.send(
        "HTTP/1.1 200 OK\r\nContent-Type: " + media_type(subject.wire, subject.streams) +
        "\r\nContent-Length: " + std::to_string(size + (scene != Scene::whole)) + "\r\n\r\n");
    for (const std::string& frame : frames) connection.send(frame);
    if (scene == Scene::stuck) connection.wait_for_close();
    return scene == Scene::whole;
  };
}

class HttpStage final : public Stage {
 public:
  HttpStage(const Subject& subject, Scene scene, const Talk& talk)
      : server_(handler(subject, scene, talk)),
        provider_(profile_at(subject.wire, server_.url()), {}, transport_, clock_) {}
  llm::Provider& provider() override { return provider_; }

 private:
  RawServer server_;
  ManualClock clock_;
  llm::http::CurlTransport transport_;
  llm::HttpProvider provider_;
};

}  // namespace

std::vector<Subject> all_subjects() {
  std::vector<Subject> subjects = {
      {"scripted", Wire::openai_chat, true, [](const Subject&, Scene scene, const Talk& talk) {
         return std::unique_ptr<Stage>(std::make_unique<ScriptedStage>(scene, talk));
       }}};
  for (const Wire wire :
       {Wire::openai_chat, Wire::openai_responses, Wire::anthropic, Wire::gemini, Wire::ollama}) {
    for (const bool streams : {true, false}) {
      const std::string name = std::string(name_of(wire)) + (streams ? ", stream" : ", whole");
      subjects.push_back({"recorded " + name, wire, streams,
                          [](const Subject& subject, Scene scene, const Talk& talk) {
                            return std::unique_ptr<Stage>(
                                std::make_unique<RecordedStage>(subject, scene, talk));
                          }});
      subjects.push_back({"http " + name, wire, streams,
                          [](const Subject& subject, Scene scene, const Talk& talk) {
                            return std::unique_ptr<Stage>(
                                std::make_unique<HttpStage>(subject, scene, talk));
                          }});
    }
  }
  return subjects;
}

}  // namespace spoor::testing
