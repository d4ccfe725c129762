#include "tests/cassettes/recording.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "base/json/reader.h"
#include "tests/cassettes/gzip.h"
#include "tests/cassettes/yaml.h"

namespace cassettes {
namespace {

namespace json = spoor::json;

Recording refused(std::string why) {
  Recording recording;
  recording.refused = std::move(why);
  return recording;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot be read");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Recording from_interaction(const Yaml& interaction) {
  if (interaction.find("request").kind == Yaml::Kind::none) return refused("xAI's gRPC");
  const Yaml& request = interaction.find("request");
  const Yaml& response = interaction.find("response");

  Recording recording;
  recording.url = request.find("uri").text;
  const std::string& code = response.find("status").find("code").text;
  if (!code.empty()) recording.status = std::stoi(code);
  if (const Yaml& parsed = response.find("parsed_body"); parsed.kind != Yaml::Kind::none) {
    recording.body = to_json(parsed);
  } else {
    const Yaml& body = response.find("body");
    recording.body =
        unpacked(body.kind == Yaml::Kind::mapping ? body.find("string").text : body.text);
  }
  return recording;
}

std::vector<Recording> from_cassette(const std::string& text) {
  std::vector<Recording> all;
  const Yaml cassette = read_yaml(text);
  for (const Yaml& interaction : cassette.find("interactions").items) {
    all.push_back(from_interaction(interaction));
  }
  return all;
}

// A stream whose events are given as lines.
Recording from_chunks(const std::string& text) {
  Recording recording;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) recording.body += "data: " + line + "\n\n";
  }
  return recording;
}

// Gemini's CLI: a body a line, or all messages of a stream as an array.
std::vector<Recording> from_responses(const std::string& text) {
  std::vector<Recording> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto document = json::parse(line);
    if (!document) continue;  // A blank line.
    const std::string method = document->root().find("method").text();
    if (!method.starts_with("generateContent")) {
      all.push_back(refused("Gemini's " + method));
      continue;
    }
    Recording recording;
    recording.url = "https://generativelanguage.googleapis.com/v1beta/models/unknown:" + method;
    recording.body = document->root().find("response").raw();
    all.push_back(std::move(recording));
  }
  return all;
}

std::vector<Recording> from_json(const std::string& text) {
  const auto document = json::parse(text);
  if (!document) throw std::runtime_error("no JSON");
  const json::Value root = document->root();
  if (root.is_array()) return {refused("messages, no reply")};

  Recording recording;
  recording.body = text;
  if (root.find("messages") && root.find("response").is_object()) {
    recording.body = root.find("response").raw();
  }
  return {std::move(recording)};
}

}  // namespace

std::vector<Recording> read_recordings(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::string text = read_file(path);
  if (name.ends_with(".yaml")) return from_cassette(text);
  if (name.ends_with(".chunks.txt")) return {from_chunks(text)};
  if (name.ends_with(".responses")) return from_responses(text);
  if (name.ends_with(".jsonl")) return {refused("a session's events")};
  if (name.ends_with(".json")) return from_json(text);

  Recording recording;
  recording.body = text;
  return {std::move(recording)};
}

}  // namespace cassettes
