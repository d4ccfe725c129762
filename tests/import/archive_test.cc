// Archives: what a ZIP file holds, whatever is done to it, and the logs that Inspect writes so.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "import/zip.h"
#include "llm/source_usage.h"
#include "tests/import/loss.h"
#include "tests/import/support.h"
#include "tests/import/zip_writer.h"

using namespace import_test;
using spoor::Error;
using spoor::import::import_source;
using spoor::import::TextSource;
using spoor::import::ZipArchive;
using Json = nlohmann::json;

namespace {

constexpr std::size_t kPlenty = 1U << 20U;

std::string long_text() {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  return text;
}

const std::vector<ZipFile>& two_files() {
  static const std::vector<ZipFile> files = {{"a/first.json", long_text()}, {"empty", ""}};
  return files;
}

// All that an archive says, or that it cannot be read.
std::string contents(const std::string& bytes) {
  const auto archive = ZipArchive::open(bytes);
  if (!archive) return "error";
  std::string all;
  for (const ZipArchive::Entry& entry : archive->entries()) {
    const auto text = archive->read(entry, kPlenty);
    if (!text) return "error";
    all += entry.name + '=' + text.value() + '|';
  }
  return all;
}

std::string inspect_json() {
  return read_file(fs::path(SPOOR_SOURCE_DIR) / "tests/data/import/inspect/log.json");
}

// The archive that Inspect would have written of a log.
std::string inspect_archive(const std::string& log, const ZipStyle& style = {}) {
  Json header = Json::parse(log);
  const Json samples = header["samples"];
  header.erase("samples");
  std::vector<ZipFile> files = {
      {"_journal/start.json",
       Json{{"version", header["version"]}, {"eval", header["eval"]}}.dump(2)}};
  for (const Json& sample : samples) {
    files.push_back(
        {"samples/" + sample["id"].dump() + "_epoch_" + sample["epoch"].dump() + ".json",
         sample.dump()});
  }
  files.push_back({"_journal/summaries/1.json", R"([{"id":1,"epoch":1,"message_count":4}])"});
  files.push_back({"summaries.json", R"([{"id":1,"epoch":1,"message_count":4}])"});
  files.push_back({"header.json", header.dump(2)});
  return zip_of(files, style);
}

std::string inspect_header() {
  Json header = Json::parse(inspect_json());
  header.erase("samples");
  return header.dump();
}

std::string inspect_sample(std::size_t number) {
  return Json::parse(inspect_json())["samples"][number].dump();
}

std::string branches(const Repository& repository) {
  std::string out;
  for (const auto& ref : repository.store().refs("refs/heads/").value()) {
    out += ref.name + " " + ref.target.hex() + "\n";
  }
  return out;
}

spoor::Result<LossReport> import_bytes(Repository& repository, const std::string& bytes) {
  TextSource source("run.eval", bytes);
  return import_source(source, repository, {});
}

}  // namespace

TEST_SUITE("import/archive") {
  TEST_CASE("files come out as they went in, however they are packed") {
    const std::string expected = "a/first.json=" + long_text() + "|empty=|";
    for (const Packing packing : {Packing::stored, Packing::deflated, Packing::zstd}) {
      for (const bool is_long : {false, true}) {
        for (const char* comment : {"", "made by hand", "PK\x05\x06 looks like an end"}) {
          CAPTURE(static_cast<int>(packing));
          CAPTURE(is_long);
          CAPTURE(comment);
          CHECK((contents(zip_of(two_files(), {packing, is_long, comment})) == expected));
        }
      }
    }
  }

  TEST_CASE("of two files of one name the later one counts") {
    CHECK(contents(zip_of({{"x", "old"}, {"y", "y"}, {"x", "new"}})) == "x=new|y=y|");
  }

  TEST_CASE("no byte can be changed unseen") {
    for (const Packing packing : {Packing::stored, Packing::deflated, Packing::zstd}) {
      const std::string sound = zip_of({{"a", "spoor spoor spoor"}, {"b", "tracks"}}, {packing});
      const std::string expected = contents(sound);
      REQUIRE(expected == "a=spoor spoor spoor|b=tracks|");
      int refused = 0;
      for (std::size_t at = 0; at < sound.size(); ++at) {
        CAPTURE(at);
        for (const unsigned bit : {0U, 3U, 7U}) {
          std::string changed = sound;
          changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ (1U << bit));
          const std::string got = contents(changed);
          refused += got == "error";
          // Names and the number of files have no checksum.
          const bool is_text_of_files = got.find("spoor spoor spoor|") != std::string::npos ||
                                        got.find("=tracks|") != std::string::npos || got.empty();
          CHECK((got == "error" || is_text_of_files));
        }
      }
      CHECK(refused > 100);
    }
  }

  TEST_CASE("an archive that is cut off anywhere is refused") {
    const std::string sound = zip_of(two_files(), {Packing::zstd});
    for (std::size_t size = 0; size < sound.size(); size += 1 + size / 50) {
      CAPTURE(size);
      CHECK(contents(sound.substr(0, size)) == "error");
    }
  }

  TEST_CASE("what cannot be read is named") {
    const auto error_of = [](const std::string& bytes, std::size_t most) {
      const auto archive = ZipArchive::open(bytes).value();
      const auto read = archive.read(archive.entries().front(), most);
      REQUIRE_FALSE(read);
      CHECK(read.error().code == Error::Code::invalid);
      return read.error().message;
    };
    const std::string sound = zip_of({{"a", "spoor spoor spoor"}});
    CHECK(error_of(zip_of({{"a", "x"}}, {Packing::lzma}), kPlenty) ==
          "'a' is packed with method 14, which spoor does not read");
    CHECK(error_of(sound, 5) == "'a' is larger than 0 MiB");
    std::string encrypted = sound;
    encrypted[encrypted.find("PK\x01\x02") + 8] = '\x01';
    CHECK(error_of(encrypted, kPlenty) == "'a' is encrypted");
    std::string damaged = sound;
    damaged[42] = static_cast<char>(damaged[42] + 1);  // A byte of what is packed.
    CHECK(error_of(damaged, kPlenty).starts_with("the archive is damaged: 'a' "));
    CHECK(ZipArchive::open("PK\x03\x04 and no more").error().message ==
          "the archive is damaged: it has no directory; it may be cut off");
  }

  TEST_CASE("files that lie over each other are refused") {
    std::string bytes = zip_of({{"a", "spoor"}, {"b", "spoor"}});
    const std::size_t second = bytes.find("PK\x01\x02", bytes.find("PK\x01\x02") + 1);
    bytes.replace(second + 42, 4, little(0, 4));  // Where the first one is.
    CHECK(ZipArchive::open(bytes).error().message == "the archive is damaged: its files overlap");
  }

  TEST_CASE("a size that is not so takes no memory") {
    std::string bytes = zip_of({{"a", "spoor"}}, {Packing::deflated, true});
    const std::size_t size = bytes.find(little(5, 8));
    REQUIRE(size != std::string::npos);
    bytes.replace(size, 8, little(std::uint64_t{3} << 30U, 8));
    const auto archive = ZipArchive::open(bytes).value();
    CHECK(archive.entries().front().size == std::uint64_t{3} << 30U);
    CHECK_FALSE(archive.read(archive.entries().front(), std::size_t{1} << 31U));
    CHECK_FALSE(archive.read(archive.entries().front(), std::size_t{3} << 30U));
  }

  TEST_CASE("Inspect: an archive gives the lines that the log in JSON gives") {
    const std::string log = Json::parse(inspect_json()).dump();  // Calls are kept as spaced.
    const auto from_json = Repository::in_memory();
    import_bytes(*from_json, log).value();
    for (const Packing packing : {Packing::deflated, Packing::zstd}) {
      const std::string bytes = inspect_archive(log, {packing});
      const auto repository = Repository::in_memory();
      const LossReport report = import_bytes(*repository, bytes).value();
      CHECK(branches(*repository) == branches(*from_json));
      CHECK(report.is_clean());
      CHECK(report.sources == 1);
      CHECK(report.bytes == bytes.size());
      CHECK(report.main_ref == "refs/heads/inspect/f9WtbTGs-2-1");
      CHECK(report.kept ==
            LossReport::Counts{{"header", 1}, {"sample", 2}, {"start", 1}, {"summaries", 2}});
      for (const std::string& lost : lost_values(log, *repository)) FAIL_CHECK(lost);
      const LossReport again = import_bytes(*repository, bytes).value();
      CHECK(again.new_turns == 0);
      CHECK(again.new_notes == 0);
    }
  }

  TEST_CASE("Inspect: a run that was not finished is named by how it started") {
    const std::string log = inspect_json();
    Json header = Json::parse(log);
    const Json sample = header["samples"][0];
    header.erase("samples");
    const auto repository = Repository::in_memory();
    const LossReport report =
        import_bytes(*repository, zip_of({{"_journal/start.json", header.dump()},
                                          {"samples/1_epoch_1.json", sample.dump()}}))
            .value();
    CHECK(report.main_ref == "refs/heads/inspect/f9WtbTGs-1-1");
    const auto nameless =
        import_bytes(*repository, zip_of({{"samples/1_epoch_1.json", sample.dump()}}));
    REQUIRE_FALSE(nameless);
    CHECK(nameless.error().message ==
          "'run.eval': the archive has no readable header, so its run has no name");
  }

  TEST_CASE("Inspect: a picture that stands beside the messages is attached") {
    Json log = Json::parse(inspect_json());
    log["samples"][0]["messages"][1]["content"] =
        Json::array({{{"type", "text"}, {"text", "Look."}},
                     {{"type", "image"}, {"image", "attachment://4f2a"}, {"detail", "auto"}}});
    log["samples"][0]["attachments"] = {{"4f2a", "data:image/png;base64,cGljdHVyZQ=="}};
    const auto repository = Repository::in_memory();
    import_bytes(*repository, inspect_archive(log.dump())).value();
    const auto steps = history(*repository, "refs/heads/inspect/f9WtbTGs-1-1");
    REQUIRE(steps[1].turn.attach.size() == 2);  // And the rest of the message.
    CHECK(steps[1].turn.text == "Look.");
    CHECK(steps[1].turn.attach[0].bytes == "picture");
    CHECK(steps[1].turn.attach[0].media_type == "image/png");
    CHECK(steps[1].turn.attach[1].bytes.find("attachment://4f2a") != std::string::npos);
  }

  TEST_CASE("Inspect: a file that cannot be unpacked is reported, and all others are imported") {
    std::string bytes = zip_of({{"_journal/start.json", inspect_header()},
                                {"samples/bad\n\x1b[2J_epoch_1.json", inspect_sample(0)},
                                {"samples/2_epoch_1.json", inspect_sample(1)},
                                {"__MACOSX/._header.json", "\x05"},
                                {"notes.txt", "mine"},
                                {"header.json", inspect_header()}});
    const std::size_t name = bytes.find("bad\n");
    bytes[name + 60] = static_cast<char>(bytes[name + 60] ^ 0x55);
    const auto repository = Repository::in_memory();
    const LossReport report = import_bytes(*repository, bytes).value();
    CHECK(report.unreadable == 1);
    CHECK(report.oddities == 1);
    CHECK(report.remarks.at(0).message() == "run.eval/notes.txt: not a file of a log, skipped");
    CHECK(report.remarks.at(1).source == "run.eval/samples/bad??[2J_epoch_1.json");
    CHECK(report.main_ref == "refs/heads/inspect/f9WtbTGs-2-1");
    CHECK(report.kept == LossReport::Counts{{"header", 1}, {"sample", 1}, {"start", 1}});
    CHECK(repository->store().newest_operation().value()->number == 1);
  }

  TEST_CASE("Inspect: a log may begin with any of its files") {
    for (const char* first :
         {"header.json", "reductions.json", "summaries.json", "summaries/1.json", "results.json"}) {
      CAPTURE(first);
      const auto repository = Repository::in_memory();
      const std::string text = std::string(first) == "header.json" ? inspect_header() : "[1]";
      const LossReport report =
          import_bytes(*repository, zip_of({{first, text},
                                            {"header.json", inspect_header()},
                                            {"samples/2_epoch_1.json", inspect_sample(1)}}))
              .value();
      CHECK(report.main_ref == "refs/heads/inspect/f9WtbTGs-2-1");
    }
  }

  TEST_CASE("Inspect: the output says what the last answer cost, and an error what the model saw") {
    Json log = Json::parse(inspect_json());
    Json& sample = log["samples"][0];
    sample["messages"] =
        Json::array({{{"id", "a"}, {"role", "user"}, {"content", "Look."}},
                     {{"id", "b"}, {"role", "assistant"}, {"content", "I look."}},
                     {{"id", "c"},
                      {"role", "tool"},
                      {"content", ""},
                      {"function", "look"},
                      {"error", {{"type", "timeout"}, {"message", "too dark"}}}},
                     {{"id", "d"}, {"role", "assistant"}, {"content", "Nothing."}}});
    sample["output"] = {
        {"model", "lamp-1"},
        {"choices", {{{"message", sample["messages"][3]}, {"stop_reason", "stop"}}}},
        {"usage", {{"input_tokens", 7}, {"output_tokens", 2}, {"input_tokens_cache_read", 3}}}};
    const auto repository = Repository::in_memory();
    import_bytes(*repository, log.dump()).value();
    const auto steps = history(*repository, "refs/heads/inspect/f9WtbTGs-1-1");
    REQUIRE(steps.size() == 4);
    CHECK(steps[1].turn.facts.text("model").empty());
    CHECK(steps[2].turn.text == "Error: too dark");
    CHECK(steps[2].turn.fields.is_error);
    CHECK(steps[3].turn.facts.text("model") == "lamp-1");
    CHECK(steps[3].turn.facts.text("finish_reason") == "stop");
    CHECK(steps[3].turn.author == "lamp-1");
    const std::string told = steps[3].turn.facts.json("usage");
    const auto usage = spoor::json::parse(told).value();
    const auto read = spoor::llm::read_source_usage(usage.root()).usage;
    CHECK(read.input == 7);
    CHECK(read.cached == 3);
    CHECK(read.output == 2);
  }

  TEST_CASE("Inspect: answers without ids are told by their calls and texts, in order") {
    Json log = Json::parse(inspect_json());
    Json& sample = log["samples"][0];
    const Json call = {
        {"role", "assistant"},
        {"content", "I look."},
        {"tool_calls", {{{"id", "c1"}, {"function", "look"}, {"arguments", Json::object()}}}}};
    const Json same = {{"role", "assistant"}, {"content", "same"}};
    const Json long_one = {{"role", "assistant"}, {"content", "a long text"}};
    const Json ask = {{"role", "user"}, {"content", "And?"}};
    sample["messages"] = Json::array({ask, call, ask, same, ask, same, ask, long_one, ask});
    sample["attachments"] = {{"f00", "a long text"}};
    Json events = Json::array();
    int tokens = 0;
    for (Json answer : {call, same, same, long_one}) {
      if (answer == call) answer["content"] = "in other words";
      if (answer == long_one) answer["content"] = "attachment://f00";
      events.push_back({{"event", "model"},
                        {"output",
                         {{"model", "lamp-1"},
                          {"choices", {{{"message", answer}, {"stop_reason", "stop"}}}},
                          {"usage", {{"input_tokens", ++tokens}}}}}});
    }
    sample["events"] = events;
    const auto repository = Repository::in_memory();
    import_bytes(*repository, log.dump()).value();
    std::string told;
    for (const Step& step : history(*repository, "refs/heads/inspect/f9WtbTGs-1-1")) {
      if (step.turn.type != spoor::compile::Type::assistant) continue;
      CHECK(step.turn.author == "lamp-1");
      told += step.turn.facts.text("model") + step.turn.facts.json("usage") + " ";
    }
    CHECK(told == R"(lamp-1{"input_tokens":1} lamp-1{"input_tokens":2} lamp-1{"input_tokens":3} )"
                  R"(lamp-1{"input_tokens":4} )");
  }

  TEST_CASE("Inspect: an answer without an id that a cache gave has a model and no tokens") {
    Json log = Json::parse(inspect_json());
    Json& sample = log["samples"][0];
    const Json answer = {{"role", "assistant"}, {"content", "same"}};
    const Json ask = {{"role", "user"}, {"content", "And?"}};
    sample["messages"] = Json::array({ask, answer, ask});
    sample["events"] = Json::array({{{"event", "model"},
                                     {"cache", "read"},
                                     {"output",
                                      {{"model", "lamp-1"},
                                       {"choices", {{{"message", answer}}}},
                                       {"usage", {{"input_tokens", 5}}}}}}});
    const auto repository = Repository::in_memory();
    import_bytes(*repository, log.dump()).value();
    const auto steps = history(*repository, "refs/heads/inspect/f9WtbTGs-1-1");
    CHECK(steps[1].turn.facts.text("model") == "lamp-1");
    CHECK(steps[1].turn.facts.json("usage").empty());
  }

  TEST_CASE(
      "Inspect: what is no list is kept, a long name ends in its hash, an output counts once") {
    Json log = Json::parse(inspect_json());
    Json& sample = log["samples"][0];
    sample["id"] = std::string(100, 'b');
    const Json answer = {{"role", "assistant"}, {"content", "same"}};
    sample["messages"] = Json::array({{{"role", "user"}, {"content", "q"}},
                                      answer,
                                      {{"role", "user"}, {"content", "r"}},
                                      answer});
    sample["output"] = {
        {"model", "m"}, {"choices", {{{"message", answer}}}}, {"usage", {{"input_tokens", 5}}}};
    log["samples"][1]["messages"] = {{"odd", "no list at all"}};
    const auto repository = Repository::in_memory();
    const LossReport report = import_bytes(*repository, log.dump()).value();
    REQUIRE(report.refs.size() >= 1);
    const auto names = ref_names(*repository);
    const auto name = std::find_if(names.begin(), names.end(), [](const std::string& each) {
      return each.starts_with("refs/heads/inspect/f9WtbTGs-bbb");
    });
    REQUIRE(name != names.end());
    CHECK(name->size() == std::string("refs/heads/inspect/").size() + 64);
    CHECK(name->substr(name->size() - 13, 1) == "-");
    const auto steps = history(*repository, *name);
    REQUIRE(steps.size() == 4);
    CHECK(steps[1].turn.facts.json("usage").empty());
    CHECK(steps[3].turn.facts.json("usage") == R"({"input_tokens":5})");
    bool is_kept = false;
    REQUIRE(repository->store().scan([&](const spoor::store::StoredObject& each) {
      is_kept = is_kept || each.object.body.find("no list at all") != std::string::npos;
      return true;
    }));
    CHECK(is_kept);
  }

  TEST_CASE("Inspect: whatever is done to an archive, it is refused, or nothing is wrong") {
    const std::string sound = inspect_archive(inspect_json());
    std::mt19937 random(7);
    int refused = 0;
    for (int i = 0; i < 300; ++i) {
      CAPTURE(i);
      std::string bytes = sound;
      if (i % 3 == 0) {
        bytes.resize(random() % bytes.size());
      } else {
        bytes[random() % bytes.size()] ^= static_cast<char>(1U << random() % 8);
      }
      const auto repository = Repository::in_memory();
      const auto report = import_bytes(*repository, bytes);
      CHECK(repository->store().check().value().empty());
      if (report) {
        CHECK(report->records == report->turn_records + spoor::import::total(report->kept) +
                                     spoor::import::total(report->duplicates));
      } else {
        ++refused;
        CHECK(report.error().message.find("run.eval") != std::string::npos);
      }
    }
    CHECK(refused > 100);
  }

  TEST_CASE("an archive of something else is refused by name") {
    const auto repository = Repository::in_memory();
    const auto report = import_bytes(*repository, zip_of({{"word/document.xml", "<w/>"}}));
    REQUIRE_FALSE(report);
    CHECK(report.error().message == "'run.eval' is in zip, which spoor does not read");
  }
}
