// What every importer promises (import/importer.h), over the samples in tests/data/import: a
// folder for each importer, called as it is called.

#include <doctest/doctest.h>
#include <malloc.h>

#include <cstdlib>
#include <ctime>
#include <random>

#include "store/ancestry.h"
#include "tests/import/loss.h"
#include "tests/import/support.h"
#include "tests/support/soak.h"

using namespace import_test;
using spoor::import::Importer;
using spoor::import::importers;
using spoor::import::Source;
using spoor::import::TextSource;
using spoor::import::total;
using Json = nlohmann::json;

namespace {

struct Sample {
  const Importer* importer = nullptr;
  fs::path path;
  std::string text;
  bool is_lines = false;  // One record a line; else one document, or a text.
  bool is_text = false;   // Neither is JSON.
};

std::vector<Sample> samples() {
  std::vector<Sample> all;
  for (const Importer* importer : importers()) {
    const bool is_claude = importer->name == "claude-code";  // It has samples of its own.
    const fs::path folder =
        is_claude ? kFixtures
                  : fs::path(SPOOR_SOURCE_DIR) / "tests/data/import" / std::string(importer->name);
    std::vector<fs::path> paths;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const fs::path extension = entry->path().extension();
      if (extension == ".json" || extension == ".jsonl" || extension == ".md") {
        paths.push_back(entry->path());
      }
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      const std::string extension = path.extension();
      all.push_back({importer, path, read_file(path), extension == ".jsonl", extension == ".md"});
    }
  }
  return all;
}

LossReport import_as(const Sample& sample, Repository& repository, std::string_view text,
                     const std::string& name = "sample", const ImportOptions& options = {}) {
  TextSource source(name, text);
  return sample.importer->import(source, repository, options).value();
}

void check_sum(const LossReport& report) {
  CHECK(report.records == report.turn_records + total(report.kept) + total(report.duplicates));
}

/// Is `commit` in the history of a ref?
bool is_reached(const Repository& repository, const Oid& commit) {
  for (const auto& ref : repository.store().refs("refs/").value()) {
    const auto held = spoor::store::is_ancestor(repository.reader(), commit, ref.target);
    if (held && held.value()) return true;
  }
  return false;
}

/// Does a ref hold `commit`, or another commit that says all that it says? The end of a front may
/// be read again in a longer copy, with more in it.
bool is_said_in(const Repository& whole, const Repository& alone, const Oid& tip) {
  std::vector<Turn> left;
  for (const auto& ref : whole.store().refs("refs/heads/").value()) {
    for (const Step& step : history(whole, ref.name)) left.push_back(step.turn);
  }
  for (std::optional<Oid> at = tip; at && !is_reached(whole, *at);) {
    const Turn turn = spoor::graph::read_turn(alone.reader(), *at).value();
    const auto same = std::find_if(left.begin(), left.end(), [&](const Turn& each) {
      return each.type == turn.type && each.time == turn.time && each.text.starts_with(turn.text);
    });
    if (same == left.end()) return false;
    left.erase(same);
    const auto commit = alone.reader().commit(*at).value();
    at = commit->parents.empty() ? std::nullopt : std::optional<Oid>(commit->parents.front());
  }
  return true;
}

std::vector<std::string> line_fronts(const std::string& text) {
  std::vector<std::string> fronts;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    fronts.push_back(text.substr(0, at + 1));
  }
  return fronts;
}

/// Another value in place of one, somewhere in a document.
void replace_somewhere(Json& json, std::mt19937& random) {
  static const std::vector<Json> kOthers = {
      nullptr,
      true,
      7,
      -1.5e300,
      "",
      "\xf0\x9f\x8c\x8a",
      "user",
      "assistant",
      "tool",
      "system",
      Json::array(),
      Json::object(),
      Json::array({Json::array({1}), Json::object({{"text", Json::array()}})}),
      Json::object({{"type", 3}, {"content", "x"}})};
  Json* at = &json;
  while (at->is_structured() && !at->empty()) {
    auto child = at->begin();
    std::advance(child, static_cast<long>(random() % at->size()));
    at = &*child;
    if (random() % 6 == 0) break;
  }
  *at = kOthers[random() % kOthers.size()];
}

/// The lines of a text in another order, one of them cut.
std::string shuffled(const std::string& text, std::mt19937& random) {
  std::vector<std::string> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  for (int i = 0; i < 4; ++i) std::swap(all[random() % all.size()], all[random() % all.size()]);
  std::string& victim = all[random() % all.size()];
  victim.resize(random() % (victim.size() + 1));
  std::string out;
  for (const std::string& line : all) out += line + "\n";
  return out;
}

std::string changed(const Sample& sample, std::mt19937& random) {
  std::string text = sample.text;
  switch (random() % 5) {
    case 0:
      return text.substr(0, random() % text.size());
    case 1:
      text.insert(random() % text.size(), random() % 5 + 1, '\0');
      return text;
    case 2:
      for (int i = 0; i < 3; ++i) text[random() % text.size()] = static_cast<char>(random());
      return text;
    case 3: {
      const std::size_t digit = text.find_first_of("0123456789", random() % text.size());
      if (digit != std::string::npos) text.insert(digit, "9999999999999999999999999999");
      return text;
    }
    default:
      break;
  }
  if (sample.is_text) return shuffled(text, random);
  if (!sample.is_lines) {
    Json json = Json::parse(text);
    replace_somewhere(json, random);
    return json.dump();
  }
  std::string out;
  std::istringstream lines(text);
  const std::size_t count = line_fronts(text).size();
  const std::size_t victim = random() % count;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    Json json = Json::parse(line);
    if (number == victim) replace_somewhere(json, random);
    out += json.dump() + "\n";
  }
  return out;
}

std::size_t heap() { return ::mallinfo2().uordblks; }

/// A source of some megabytes that is made while it is read.
class LongSource final : public Source {
 public:
  LongSource(std::string front, std::string again, std::size_t times)
      : front_(std::move(front)), again_(std::move(again)), left_(times) {}
  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  spoor::Result<std::size_t> read(char* to, std::size_t room) override {
    most_ = std::max(most_, heap());
    if (at_ == front_.size() && left_ > 0) {
      front_ = again_;
      at_ = 0;
      --left_;
    }
    const std::size_t count = std::min(room, front_.size() - at_);
    std::copy_n(front_.data() + at_, count, to);
    at_ += count;
    return count;
  }
  std::size_t most() const { return most_; }

 private:
  std::string name_ = "long";
  std::string front_, again_;
  std::size_t left_;
  std::size_t at_ = 0;
  std::size_t most_ = 0;
};

/// The objects and the texts in a document, as pointers into it.
void collect(const Json& json, const Json::json_pointer& at,
             std::vector<Json::json_pointer>& objects, std::vector<Json::json_pointer>& texts) {
  if (json.is_object()) objects.push_back(at);
  if (json.is_string() && !json.get_ref<const std::string&>().empty()) texts.push_back(at);
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) collect(value, at / key, objects, texts);
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) collect(json[i], at / i, objects, texts);
  }
}

/// What says behind which record one hangs is the graph's.
const std::set<std::string> kPointers = {"parentUuid", "parentId", "sourceToolAssistantUUID"};

/// Does anything that is stored hold this text?
bool holds(const Repository& repository, std::string_view text) {
  bool found = false;
  REQUIRE(repository.store().scan([&](const spoor::store::StoredObject& stored) {
    found = stored.object.body.find(text) != std::string::npos;
    return !found;
  }));
  return found;
}

/// The records of a sample, and how they stand in it.
std::vector<Json> records_of(const Sample& sample) {
  if (!sample.is_lines) return {Json::parse(sample.text)};
  std::vector<Json> records;
  std::istringstream lines(sample.text);
  for (std::string line; std::getline(lines, line);) {
    if (Json::accept(line)) records.push_back(Json::parse(line));
  }
  return records;
}

std::string text_of(const std::vector<Json>& records) {
  std::string text;
  for (const Json& record : records) text += record.dump() + "\n";
  return text;
}

}  // namespace

TEST_SUITE("import/contract") {
  TEST_CASE("every importer has a sample, for which it alone has the highest score") {
    std::vector<const Importer*> with_sample;
    for (const Sample& sample : samples()) {
      CAPTURE(sample.path.string());
      const std::string name = std::string(sample.importer->name) + " ";
      CHECK(importers_of(sample.text) == name);
      // Also when it sees less of it.
      const std::string_view text = sample.text;
      CHECK(importers_of(text.substr(0, text.size() * 3 / 4)) == name);
      with_sample.push_back(sample.importer);
    }
    for (const Importer* importer : importers()) {
      CAPTURE(importer->name);
      CHECK(std::count(with_sample.begin(), with_sample.end(), importer) > 0);
    }
  }

  TEST_CASE("no file of others has two importers with the highest score") {
    std::error_code error;
    std::size_t files = 0;
    for (fs::recursive_directory_iterator entry(kSharedData, error), end; !error && entry != end;
         entry.increment(error)) {
      if (!entry->is_regular_file()) continue;
      const std::string names = importers_of(read_file(entry->path()));
      CAPTURE(entry->path().string());
      CAPTURE(names);
      CHECK(std::count(names.begin(), names.end(), ' ') <= 1);
      files += 1;
    }
    if (files == 0) MESSAGE("no shared data: nothing checked");
  }

  TEST_CASE("a record that nobody knows in front of a session does not refuse it") {
    for (const Sample& sample : samples()) {
      if (!sample.is_lines) continue;
      CAPTURE(sample.path.string());
      const std::string text = R"({"type":"nobody-knows","payload":{}})"
                               "\n" +
                               sample.text;
      CHECK(importers_of(text) == std::string(sample.importer->name) + " ");
    }
  }

  TEST_CASE("a session is imported with all that it says") {
    for (const Sample& sample : samples()) {
      CAPTURE(sample.path.string());
      const auto repository = Repository::in_memory();
      const LossReport report = import_as(sample, *repository, sample.text);
      CHECK(report.is_clean());
      CHECK(report.turn_records > 0);
      CHECK(report.sources == 1);
      CHECK(report.bytes == sample.text.size());
      CHECK(report.main_ref.starts_with("refs/heads/" + std::string(sample.importer->name) + "/"));
      check_sum(report);
      for (const std::string& lost : lost_values(sample.text, *repository)) FAIL_CHECK(lost);
    }
  }

  TEST_CASE("what nobody has seen before is kept wherever it stands, or reported as unread") {
    constexpr std::string_view kKey = "zq-new-key";
    constexpr std::string_view kValue = "zq new value";
    for (const Sample& sample : samples()) {
      CAPTURE(sample.path.string());
      if (sample.is_text) continue;
      const std::vector<Json> records = records_of(sample);
      for (std::size_t i = 0; i < records.size(); ++i) {
        std::vector<Json::json_pointer> objects;
        std::vector<Json::json_pointer> texts;
        collect(records[i], Json::json_pointer(), objects, texts);
        for (const auto& at : objects) {
          std::vector<Json> changed = records;
          changed[i][at][std::string(kKey)] = kValue;
          const auto repository = Repository::in_memory();
          const LossReport report = import_as(sample, *repository, text_of(changed));
          CAPTURE(i);
          CAPTURE(at.to_string());
          CHECK((!report.is_clean() || holds(*repository, kKey)));
          CHECK((!report.is_clean() || holds(*repository, kValue)));
        }
        for (const auto& at : texts) {
          std::vector<Json> changed = records;
          changed[i][at] = kValue;
          const auto repository = Repository::in_memory();
          const LossReport report = import_as(sample, *repository, text_of(changed));
          CAPTURE(i);
          CAPTURE(at.to_string());
          if (kPointers.contains(at.back())) continue;
          CHECK((!report.is_clean() || holds(*repository, kValue)));
        }
      }
    }
  }

  TEST_CASE("the oracle of loss finds what is not stored") {
    const auto repository = Repository::in_memory();
    const Sample sample = samples().front();
    import_as(sample, *repository, sample.text);
    CHECK(lost_values(R"({"a":"nobody said this","b":[123454321]})", *repository).size() == 2);
  }

  TEST_CASE("importing again writes nothing") {
    for (const Sample& sample : samples()) {
      CAPTURE(sample.path.string());
      const auto repository = Repository::in_memory();
      const LossReport first = import_as(sample, *repository, sample.text);
      CHECK(first.new_turns > 0);
      const std::string refs = refs_text(*repository);
      const LossReport again = import_as(sample, *repository, sample.text);
      CHECK(again.new_turns == 0);
      CHECK(again.new_notes == 0);
      CHECK(refs_text(*repository) == refs);
    }
  }

  TEST_CASE("another name, another time zone: the same commits") {
    for (const Sample& sample : samples()) {
      CAPTURE(sample.path.string());
      const auto here = Repository::in_memory();
      import_as(sample, *here, sample.text, "/home/a/session.jsonl");
      const char* zone = std::getenv("TZ");
      const std::string before = zone == nullptr ? "" : zone;
      ::setenv("TZ", "Asia/Kathmandu", 1);
      ::tzset();
      const auto there = Repository::in_memory();
      import_as(sample, *there, sample.text, "C:\\b.json");
      zone == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", before.c_str(), 1);
      ::tzset();
      CHECK(refs_text(*here) == refs_text(*there));
    }
  }

  TEST_CASE("lines: the front gives the front of its history, a longer copy what is new") {
    for (const Sample& sample : samples()) {
      if (!sample.is_lines) continue;
      CAPTURE(sample.path.string());
      const auto whole = Repository::in_memory();
      import_as(sample, *whole, sample.text);
      const auto grown = Repository::in_memory();
      for (const std::string& front : line_fronts(sample.text)) {
        CAPTURE(front.size());
        const auto alone = Repository::in_memory();
        import_as(sample, *alone, front);
        for (const auto& ref : alone->store().refs("refs/").value()) {
          CAPTURE(ref.name);
          CHECK((is_reached(*whole, ref.target) || is_said_in(*whole, *alone, ref.target)));
        }
        import_as(sample, *grown, front);
      }
      CHECK(refs_text(*grown) == refs_text(*whole));
    }
  }

  TEST_CASE("a text: a front that ends within a line gives the front of its commits") {
    for (const Sample& sample : samples()) {
      if (!sample.is_text) continue;
      CAPTURE(sample.path.string());
      const auto whole = Repository::in_memory();
      import_as(sample, *whole, sample.text);
      const auto grown = Repository::in_memory();
      for (std::size_t size = 1; size < sample.text.size(); ++size) {
        if (sample.text[size - 1] == '\n') continue;
        CAPTURE(size);
        const std::string front = sample.text.substr(0, size);
        const auto alone = Repository::in_memory();
        const LossReport report = import_as(sample, *alone, front);
        CHECK(report.torn == 1);
        for (const auto& ref : alone->store().refs("refs/").value()) {
          CAPTURE(ref.name);
          CHECK(is_reached(*whole, ref.target));
        }
        import_as(sample, *grown, front);
      }
      import_as(sample, *grown, sample.text);
      CHECK(refs_text(*grown) == refs_text(*whole));
    }
  }

  TEST_CASE("a document that is cut off is reported, and nothing of it stored") {
    for (const Sample& sample : samples()) {
      if (sample.is_lines || sample.is_text) continue;
      CAPTURE(sample.path.string());
      const auto repository = Repository::in_memory();
      const LossReport report =
          import_as(sample, *repository, sample.text.substr(0, sample.text.size() / 2));
      CHECK_FALSE(report.is_clean());
      CHECK(report.torn == 1);
      CHECK(ref_names(*repository).empty());
    }
  }

  TEST_CASE("with --keep-source the turns are the same, and more is kept") {
    for (const Sample& sample : samples()) {
      CAPTURE(sample.path.string());
      const auto usual = Repository::in_memory();
      const auto all = Repository::in_memory();
      const LossReport few = import_as(sample, *usual, sample.text);
      const LossReport many = import_as(sample, *all, sample.text, "sample", {.keep_source = true});
      CHECK(few.turns == many.turns);
      CHECK(many.new_notes > few.new_notes);
      for (const auto& ref : usual->store().refs("refs/heads/").value()) {
        CHECK(all->store().ref(ref.name).value() == ref.target);
      }
    }
  }

  TEST_CASE("whatever a session is made into: no crash, the sum is right, again writes nothing") {
    for (const Sample& sample : samples()) {
      CAPTURE(sample.path.string());
      std::mt19937 random(spoor::testing::seeded(20'260'301));
      for (int i = 0; i < spoor::testing::rounds(150); ++i) {
        CAPTURE(i);
        const std::string text = changed(sample, random);
        const auto repository = Repository::in_memory();
        check_sum(import_as(sample, *repository, text));
        const std::string refs = refs_text(*repository);
        const LossReport again = import_as(sample, *repository, text);
        CHECK(again.new_turns == 0);
        CHECK(refs_text(*repository) == refs);
      }
    }
  }

  TEST_CASE("nesting as deep as a text can hold is reported, not followed") {
    for (const Sample& sample : samples()) {
      if (sample.is_text) continue;  // Nothing is nested there.
      CAPTURE(sample.path.string());
      const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
      std::string text = sample.text;
      text.insert(text.find(':') + 1, deep + ",\"x\":");
      const auto repository = Repository::in_memory();
      const LossReport report = import_as(sample, *repository, text);
      CHECK_FALSE(report.is_clean());
      check_sum(report);
    }
  }

  TEST_CASE("lines and texts: memory is bounded by a record, not by the source") {
    for (const Sample& sample : samples()) {
      if (!sample.is_lines && !sample.is_text) continue;
      CAPTURE(sample.path.string());
      // A kind of record that nobody knows, which is kept: the same each time, so that the store
      // in memory grows by a commit only.
      const std::string text(60'000, 'x');
      const std::string unknown =
          sample.is_text ? "> " + text + "  \n"
                         : R"({"type":"nobody-knows","payload":{},"text":")" + text + "\"}\n";
      const auto repository = Repository::in_memory();
      const std::size_t before = heap();
      LongSource source(sample.text, unknown, 1'500);
      const LossReport report = sample.importer->import(source, *repository, {}).value();
      CHECK(report.bytes > 90'000'000);
      CHECK(report.records > 1'500);
      if (before > 0) CHECK(source.most() < before + 40'000'000);
    }
  }
}
