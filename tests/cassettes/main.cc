// spoor-cassettes [--chunk N] [--summary] FILE…: what the reply parsers read in recorded responses,
// one JSON line each. A recording of a wire that is not spoken here is a line too, with the reason.
// Exit 1 when a file cannot be read at all.

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/writer.h"
#include "llm/wire/reply_parser.h"
#include "tests/cassettes/recording.h"
#include "tests/cassettes/wire_of.h"

namespace {

namespace json = spoor::json;
using spoor::llm::Failure;
using spoor::llm::Piece;
using spoor::llm::Reply;

struct Options {
  std::size_t chunk = 0;  // 0: all at once.
  bool summary = false;
  std::vector<std::filesystem::path> files;
};

struct Counts {
  std::size_t files = 0, seen = 0, parsed = 0, failed = 0;
  std::map<std::string, std::size_t> refused;
  std::map<std::string, std::size_t> wires;
};

void add(json::Object& line, std::string_view key, const std::string& text) {
  if (!text.empty()) line.add_string(key, text);
}

void add(json::Object& line, std::string_view key, std::optional<std::uint64_t> count) {
  if (count) line.add_raw_token(key, std::to_string(*count));
}

std::string usage_of(const Reply& reply) {
  json::Object usage;
  add(usage, "input", reply.usage.input);
  add(usage, "cached", reply.usage.cached);
  add(usage, "cache_written", reply.usage.cache_written);
  add(usage, "output", reply.usage.output);
  add(usage, "reasoning", reply.usage.reasoning);
  return usage.write();
}

std::string failure_of(const Failure& failure) {
  json::Object told;
  told.add_string("kind", name_of(failure.kind));
  add(told, "type", failure.type);
  add(told, "message", failure.message);
  if (failure.status != 0) told.add_integer("status", failure.status);
  return told.write();
}

void add_reply(json::Object& line, const Reply& reply) {
  add(line, "id", reply.id);
  add(line, "model", reply.model);
  line.add_string("text", reply.text());
  if (const auto reasoning = reply.reasoning()) line.add_string("reasoning", *reasoning);
  add(line, "format", reply.format);
  add(line, "finish_reason", reply.finish_reason);
  add(line, "message", reply.raw);
  add(line, "transformations", reply.transformations);

  std::string kinds;
  std::vector<std::string> items, calls;
  for (const Piece& piece : reply.pieces) {
    kinds += "trco"[static_cast<std::size_t>(piece.kind)];
    if (!piece.raw.empty()) items.push_back(json::write_string(piece.raw));
    if (piece.kind != Piece::Kind::call) continue;
    json::Object call;
    add(call, "id", piece.call.id);
    call.add_string("name", piece.call.name);
    call.add_string("arguments", piece.call.arguments);
    calls.push_back(call.write());
  }
  add(line, "pieces", kinds);
  if (!items.empty()) line.add_json("items", json::write_array(items));
  if (!calls.empty()) line.add_json("calls", json::write_array(calls));
  if (const std::string usage = usage_of(reply); usage != "{}") line.add_json("usage", usage);
  if (reply.failure) line.add_json("failure", failure_of(*reply.failure));
}

Reply read(const cassettes::Recording& recording, spoor::llm::Wire wire, std::size_t chunk) {
  if (recording.status >= 400) {
    Reply reply;
    reply.failure = spoor::llm::wire::read_failure(recording.status, recording.body);
    return reply;
  }
  const auto parser = spoor::llm::wire::make_reply_parser(wire);
  const std::string_view body = recording.body;
  const std::size_t size = chunk == 0 ? body.size() + 1 : chunk;
  for (std::size_t at = 0; at < body.size(); at += size) {
    if (!parser->feed(body.substr(at, size), {})) break;
  }
  return parser->finish({});
}

// Events, or Gemini's array; a whole body is one object.
bool is_stream(std::string_view body) {
  const std::size_t begin = body.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && body[begin] != '{';
}

void take(const cassettes::Recording& recording, const std::filesystem::path& path,
          const Options& options, Counts& counts) {
  const cassettes::Origin origin = cassettes::origin_of(recording, path);
  ++counts.seen;
  json::Object line;
  line.add_string("file", path.filename().string());
  add(line, "provider", origin.provider);
  if (!origin.wire) {
    ++counts.refused[origin.refused];
    line.add_string("refused", origin.refused);
  } else {
    const Reply reply = read(recording, *origin.wire, options.chunk);
    ++(reply.failure ? counts.failed : counts.parsed);
    ++counts.wires[std::string(name_of(*origin.wire))];
    line.add_string("wire", name_of(*origin.wire));
    line.add_boolean("stream", is_stream(recording.body));
    add_reply(line, reply);
  }
  if (!options.summary) fmt::print("{}\n", line.write());
}

void print_summary(const Counts& counts) {
  fmt::print("{} files, {} interactions: {} replies, {} failures", counts.files, counts.seen,
             counts.parsed, counts.failed);
  std::size_t refused = 0;
  for (const auto& [why, count] : counts.refused) refused += count;
  fmt::print(", {} refused\n", refused);
  for (const auto& [wire, count] : counts.wires) fmt::print("  {:5} {}\n", count, wire);
  for (const auto& [why, count] : counts.refused) fmt::print("  {:5} refused: {}\n", count, why);
}

Options read_arguments(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    if (arguments[at] == "--summary") {
      options.summary = true;
    } else if (arguments[at] == "--chunk" && at + 1 < arguments.size()) {
      options.chunk = std::stoul(arguments[++at]);
    } else {
      options.files.emplace_back(arguments[at]);
    }
  }
  return options;
}

int run(const Options& options) {
  Counts counts;
  int status = 0;
  for (const std::filesystem::path& path : options.files) {
    try {
      ++counts.files;
      for (const auto& recording : cassettes::read_recordings(path)) {
        take(recording, path, options, counts);
      }
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}: {}\n", path.string(), error.what());
      status = 1;
    }
  }
  if (options.summary) print_summary(counts);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_arguments({argv + 1, argv + argc});
  if (options.files.empty()) {
    fmt::print(stderr, "usage: spoor-cassettes [--chunk N] [--summary] FILE...\n");
    return 2;
  }
  return run(options);
}
