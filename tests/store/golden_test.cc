// The vectors of tests/golden/objects.json, which a Python script writes from
// docs/format.md alone: what is to be encoded, its bytes and its name.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "store/attest.h"
#include "store/blob.h"
#include "store/bundle.h"
#include "store/commit.h"
#include "store/operation.h"
#include "store/rope.h"
#include "store/sha256.h"
#include "store/tag.h"
#include "store/tombstone.h"
#include "tests/store/hex.h"
#include "tests/store/program.h"

using namespace spoor;
using namespace spoor::store;
using nlohmann::json;

namespace {

const std::string kFolder = SPOOR_SOURCE_DIR "/tests/golden/";

std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file, path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string text_at(const json& input, const char* key) { return input.value(key, std::string()); }

std::optional<Oid> oid_at(const json& input, const char* key) {
  if (!input.contains(key)) return std::nullopt;
  return Oid::from_hex(input[key].get<std::string>()).value();
}

std::vector<Oid> oids_at(const json& input, const char* key) {
  std::vector<Oid> all;
  for (const json& each : input.value(key, json::array())) {
    all.push_back(Oid::from_hex(each.get<std::string>()).value());
  }
  return all;
}

// "HEX media/type"
Content content_in(const std::string& text) {
  return {Oid::from_hex(text.substr(0, 64)).value(), text.substr(65)};
}

std::vector<Content> contents_at(const json& input, const char* key) {
  std::vector<Content> all;
  for (const json& each : input.value(key, json::array())) {
    all.push_back(content_in(each.get<std::string>()));
  }
  return all;
}

std::optional<Timestamp> time_at(const json& input) {
  if (!input.contains("time")) return std::nullopt;
  return parse_stored_time(input["time"].get<std::string>()).value();
}

Commit commit_in(const json& input) {
  Commit commit;
  commit.op = op_from(text_at(input, "op")).value();
  commit.type = type_from(text_at(input, "type"));
  commit.mode = mode_from(text_at(input, "mode"));
  commit.parents = oids_at(input, "parent");
  commit.depth = input.at("depth").get<std::uint64_t>();
  commit.gen = input.at("gen").get<std::uint64_t>();
  commit.skip = oid_at(input, "skip");
  if (input.contains("content")) commit.content = content_in(text_at(input, "content"));
  commit.fields = oid_at(input, "fields");
  commit.raw = contents_at(input, "raw");
  commit.meta = text_at(input, "meta");
  commit.extra = oid_at(input, "extra");
  commit.attach = contents_at(input, "attach");
  commit.prompt = oid_at(input, "prompt");
  commit.target = oids_at(input, "target");
  commit.targets = oid_at(input, "targets");
  commit.about = oids_at(input, "about");
  commit.priority = priority_from(text_at(input, "priority"));
  commit.author = text_at(input, "author");
  commit.time = time_at(input);
  commit.change = text_at(input, "change");
  return commit;
}

Bundle bundle_in(const json& input) {
  Bundle bundle;
  bundle.commit = oid_at(input, "commit").value();
  bundle.renderer = text_at(input, "renderer");
  bundle.model = text_at(input, "model");
  bundle.options = oid_at(input, "options");
  bundle.tools = oid_at(input, "tools");
  bundle.params = oid_at(input, "params");
  bundle.hook = oid_at(input, "hook");
  const std::string sent = text_at(input, "sent");
  const std::size_t digest = sent.find(' ') + 1;
  bundle.digest = sent.starts_with("hmac") ? Bundle::Digest::hmac : Bundle::Digest::sha256;
  bundle.sent = Oid::from_hex(sent.substr(digest, 64)).value();
  bundle.bytes = std::stoull(sent.substr(digest + 65));
  bundle.stored = oid_at(input, "stored");
  return bundle;
}

Tag tag_in(const json& input) {
  return {oid_at(input, "target").value(), text_at(input, "name"), text_at(input, "author"),
          time_at(input).value(), oid_at(input, "note")};
}

Tombstone tombstone_in(const json& input) {
  return {oids_at(input, "erased"), oid_at(input, "reason"), text_at(input, "author"),
          time_at(input).value()};
}

Attest attest_in(const json& input) {
  Attest attest;
  attest.target = oid_at(input, "target").value();
  attest.key = oid_at(input, "key")->bytes;
  const std::string sig = text_at(input, "sig");
  for (std::size_t i = 0; i < attest.sig.size(); ++i) {
    attest.sig[i] = static_cast<std::uint8_t>(std::stoi(sig.substr(2 * i, 2), nullptr, 16));
  }
  return attest;
}

Operation operation_in(const json& input) {
  Operation operation;
  operation.prev = oid_at(input, "prev");
  operation.folded = oid_at(input, "folded");
  operation.time = time_at(input).value();
  operation.actor = text_at(input, "actor");
  operation.command = text_at(input, "command");
  operation.undo = oid_at(input, "undo");
  for (const json& each : input.value("map", json::array())) {
    const std::string line = each;
    operation.map.emplace_back(Oid::from_hex(line.substr(0, 64)).value(),
                               Oid::from_hex(line.substr(65)).value());
  }
  for (const json& each : input.value("ref", json::array())) {
    const std::string line = each;
    const std::size_t before = line.find(' ') + 1;
    const std::size_t after = line.find(' ', before) + 1;
    operation.refs.push_back({line.substr(0, before - 1),
                              Oid::from_hex(line.substr(before, after - before - 1)),
                              Oid::from_hex(line.substr(after))});
  }
  return operation;
}

NewObject content_object(const json& input) {
  const std::string text =
      input.contains("byte")
          ? std::string(input["times"].get<std::size_t>(), input["byte"].get<std::string>().front())
          : text_at(input, "text");
  return encode_content(text, input.contains("key") ? Salter(text_at(input, "key")) : Salter())
      .back();
}

// Adds a text in pieces to `text`, and where it is cut to `cuts`.
void add_pieces(const json& pieces, std::string& text, std::vector<Cut>& cuts) {
  for (const json& piece : pieces) {
    Cut cut{.begin = text.size()};
    if (piece.is_array()) {
      add_pieces(piece, text, cut.inner);
    } else {
      text += piece.get<std::string>();
    }
    cut.end = text.size();
    cuts.push_back(std::move(cut));
  }
}

// The body that the library makes of an entry's input. What can be parsed must be
// parsed to the same input again.
std::string body_of(const std::string& kind, const json& input) {
  if (kind == "commit") {
    const std::string body = serialize(commit_in(input)).value();
    CHECK(parse_commit(body).value() == commit_in(input));
    return body;
  }
  if (kind == "bundle") {
    const std::string body = serialize(bundle_in(input)).value();
    CHECK(parse_bundle(body).value() == bundle_in(input));
    return body;
  }
  if (kind == "tag") {
    const std::string body = serialize(tag_in(input)).value();
    CHECK(parse_tag(body).value() == tag_in(input));
    return body;
  }
  if (kind == "tombstone") {
    const std::string body = serialize(tombstone_in(input)).value();
    CHECK(parse_tombstone(body).value() == tombstone_in(input));
    return body;
  }
  if (kind == "attest") {
    const std::string body = serialize(attest_in(input));
    CHECK(parse_attest(body).value() == attest_in(input));
    return body;
  }
  if (kind == "op") {
    const std::string body = serialize(operation_in(input)).value();
    CHECK(parse_operation(body).value() == operation_in(input));
    return body;
  }
  if (kind == "rope") {
    std::string text;
    std::vector<Cut> cuts;
    add_pieces(input["pieces"], text, cuts);
    const std::string body = encode_rope(text, cuts, Salter()).back().body;
    CHECK(parse_rope(body).value().size() == text.size());
    CHECK(serialize(parse_rope(body).value()) == body);
    return body;
  }
  const NewObject object = content_object(input);
  CHECK(name_of(object.kind) == kind);
  return object.body;
}

}  // namespace

TEST_SUITE("store/golden") {
  TEST_CASE("what the vectors encode has the bytes and the names that they say") {
    const json vectors = json::parse(file_content(kFolder + "objects.json"));
    std::set<std::string> kinds;
    for (const json& vector : vectors) {
      CAPTURE(vector["what"].get<std::string>());
      const std::string kind = vector["kind"];
      const std::string body = body_of(kind, vector["input"]);
      if (vector.contains("body")) CHECK(body == vector["body"].get<std::string>());
      if (vector.contains("body_hex")) CHECK(hex_of(body) == vector["body_hex"]);
      if (vector.contains("body_sha256")) CHECK(sha256(body).hex() == vector["body_sha256"]);
      const Oid name =
          kind == "op" ? operation_name(body) : object_name(kind_from(kind).value(), body);
      CHECK(name.hex() == vector["name"]);
      kinds.insert(kind == "commit" ? kind + " " + text_at(vector["input"], "op") : kind);
    }
    CHECK(kinds.size() == 13);  // Seven kinds, commits of five ops, operations.
  }

  TEST_CASE("the vectors are what the script writes") {
    const auto script = run_program({"python3", kFolder + "make.py"});
    if (!script) {
      MESSAGE("skipped: no python3");
      return;
    }
    CHECK(script->status == 0);
    CHECK(script->output == file_content(kFolder + "objects.json"));
  }
}
