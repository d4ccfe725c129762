#include "import/importers.h"
#include "import/records.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json/python.h"
#include "import/content.h"
#include "import/conversations.h"
#include "import/names.h"
#include "import/zip.h"

namespace spoor::import::formats {
namespace {

constexpr std::string_view kSamples = "samples/";
constexpr std::string_view kJournal = "_journal/";
constexpr std::string_view kAttachment = "attachment://";

// Files about the whole run: written at its end, at its beginning, and by earlier versions.
constexpr std::array<const char*, 3> kHeaders = {"header.json", "_journal/start.json",
                                                 "start.json"};

bool is_log(const json::Value& root) {
  return root.find("version") && root.find("eval").find("task").is_string();
}

/// Returns true if an Inspect log may begin with this file of a ZIP archive.
bool is_archive(std::string_view head) {
  std::string_view first;
  if (!is_zip(head, first)) return false;
  for (const std::string_view folder : {kSamples, kJournal, std::string_view("summaries/")}) {
    if (first.starts_with(folder)) return true;
  }
  for (const std::string_view file : {"header.json", "start.json", "reductions.json",
                                      "summaries.json", "summary.json", "results.json"}) {
    if (first == file) return true;
  }
  return false;
}

/// Returns true for a folder, or a file that an operating system adds to archives.
bool is_of_system(std::string_view name) {
  return name.starts_with("__MACOSX/") || name.ends_with('/');
}

bool is_of_log(std::string_view name) { return name.ends_with(".json") && !is_of_system(name); }

std::string name_of_log(const json::Value& root) {
  const json::Value eval = root.find("eval");
  std::string name = eval.find("eval_id").text();
  if (name.empty()) name = eval.find("run_id").text();
  return name.empty() ? RecordKey::of(eval.raw()).hex(12) : name;
}

class InspectSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  /// Sets the name of the next file in the archive of `log`. Without a name, a whole log follows.
  void begin_file(const std::string& log, std::string name) {
    log_ = log;
    file_ = std::move(name);
  }

  Result<void> add(const json::Value& root) override {
    if (file_.starts_with(kSamples)) return add_sample(root);
    if (!file_.empty()) {
      return keep(root, label_of(word_of_file()), true);
    }
    log_ = name_of_log(root);
    const json::Value samples = root.find("samples");
    for (const json::Value& sample : samples.elements()) TRY(add_sample(sample));
    Taken taken;
    if (samples.is_array()) taken(samples);
    return keep_rest(root, taken, "log");
  }

 private:
  /// Returns `header` for header.json, `summaries` for _journal/summaries/1.json.
  std::string_view word_of_file() const {
    std::string_view word = file_;
    if (word.starts_with(kJournal)) word.remove_prefix(kJournal.size());
    return word.substr(0, word.find_first_of("./"));
  }

  Result<void> add_sample(const json::Value& sample) {
    begin(ref_word(log_).substr(0, 8) + "-" + text_or_bytes(sample.find("id")) + "-" +
          text_or_bytes(sample.find("epoch")));
    const json::Value messages = sample.find("messages");
    attachments_.clear();
    for (const json::Member& each : sample.find("attachments").members()) {
      attachments_.insert_or_assign(each.key.text(), each.value);
    }
    learn_costs(sample.find("events"));
    output_ = sample.find("output");
    const json::Value choices = output_.find("choices");
    answer_ = choices.size() == 1 ? first_of(choices).find("message") : json::Value();
    answer_id_ = answer_.find("id");
    answer_content_ = answer_.find("content").raw();
    answer_calls_ = answer_.find("tool_calls").raw();
    last_answer_ = 0;
    for (const json::Value& message : messages.elements()) {
      if (is_answer(message)) last_answer_ = message.offset();
    }
    TRY(add_messages(messages, {}));
    Taken taken;
    if (messages.is_array()) taken(messages);
    return keep_rest(sample, taken, "sample");
  }

  void add_facts(const json::Value& message, TurnRecord& made) override {
    ConversationSink::add_facts(message, made);
    made.made_fact_text(fact::message_id, message.find("id").text());
    made.set_author(message.find("model").text());
    const std::optional<ModelCall> answered = answered_by(message);
    if (message.offset() == last_answer_) return add_output(message, made);
    if (!answered) return;
    add_model(answered->output, message, made);
    if (answered->is_cached) return;
    made.last_fact_told(fact::usage, std::string(answered->output.find("usage").raw()));
    const json::Value reason = first_of(answered->output.find("choices")).find("stop_reason");
    made.last_fact_told(fact::finish_reason, std::string(reason.raw()));
  }

  /// A call of a model and its answer.
  struct ModelCall {
    RecordKey said;
    json::Value output;
    bool is_cached = false;  // It cost nothing.
  };

  /// Reads the model events, each of which has an answer and its usage. Answers of early versions
  /// have no ids: they are found by their content, in the order of the events.
  void learn_costs(const json::Value& events) {
    answered_.clear();
    unnamed_.clear();
    next_unnamed_ = 0;
    for (const json::Value& event : events.elements()) {
      if (!event.find("event").equals("model")) continue;
      const json::Value output = event.find("output");
      const json::Value answer = first_of(output.find("choices")).find("message");
      const std::string id = answer.find("id").text();
      const ModelCall answered{key_of_answer(answer), output, event.find("cache").equals("read")};
      if (id.empty() && answer) unnamed_.push_back(answered);
      if (!id.empty() && !answered.is_cached) answered_.insert_or_assign(id, answered);
    }
  }

  std::optional<ModelCall> answered_by(const json::Value& message) {
    if (!message.find("role").equals("assistant")) return std::nullopt;
    if (const std::string id = message.find("id").text(); !id.empty()) {
      const auto found = answered_.find(id);
      return found == answered_.end() ? std::nullopt : std::optional<ModelCall>(found->second);
    }
    const RecordKey said = key_of_answer(message);
    const auto from = unnamed_.begin() + static_cast<std::ptrdiff_t>(next_unnamed_);
    const auto found = std::find_if(from, unnamed_.end(),
                                    [&](const ModelCall& each) { return each.said == said; });
    if (found == unnamed_.end()) return std::nullopt;
    next_unnamed_ = static_cast<std::size_t>(found - unnamed_.begin()) + 1;
    return *found;
  }

  /// Returns a key of an answer: the ids of its calls, else its text. A long text is an attachment
  /// of the sample.
  RecordKey key_of_answer(const json::Value& message) const {
    std::string calls;
    for (const json::Value& call : message.find("tool_calls").elements()) {
      calls += call.find("id").text() + '\n';
    }
    if (!calls.empty()) return RecordKey::of("calls\n" + calls);
    const json::Value content = message.find("content");
    std::string text = text_of(content);
    for (const json::Value& part : content.elements()) text += text_of(part.find("text"));
    return RecordKey::of("text\n" + text);
  }

  std::string text_of(const json::Value& value) const {
    std::string text = value.text();
    if (!text.starts_with(kAttachment)) return text;
    const auto found = attachments_.find(text.substr(kAttachment.size()));
    return found == attachments_.end() ? text : found->second.text();
  }

  /// Returns true if a message is the sample's output, which repeats the last message with its
  /// usage.
  bool is_answer(const json::Value& message) const {
    if (!message.find("role").equals("assistant")) return false;
    const std::string id = message.find("id").text();
    if (!id.empty()) return answer_id_.equals(id);
    return answer_ && answer_content_ == message.find("content").raw() &&
           answer_calls_ == message.find("tool_calls").raw();
  }

  void add_output(const json::Value& message, TurnRecord& made) const {
    if (!message.find("model")) {
      made.set_model(output_.find("model"));
    }
    made.last_fact(fact::usage, output_.find("usage"));
    made.last_fact(fact::finish_reason, first_of(output_.find("choices")).find("stop_reason"));
  }

  /// Adds the model of the answer if the message does not name it.
  static void add_model(const json::Value& output, const json::Value& message, TurnRecord& made) {
    if (message.find("model")) return;
    made.made_fact_text(fact::model, output.find("model").text());
    made.set_author(output.find("model").text());
  }

  void complete(TurnRecord& made) override {
    compile::Turn& turn = made.turns().back();
    std::set<std::string> attached;  // Each once, even if several blocks name it.
    for (const json::Value& block : made.root().find("content").elements()) {
      if (attached.insert(block.find("image").text()).second) attach(block, turn);
    }
    if (turn.type != compile::Type::tool) return;
    if (turn.fields.name.empty()) turn.fields.name = made.taken().text(made.root(), "function");
    // The text that models get for a failed call.
    const json::Value error = made.root().find("error").find("message");
    if (turn.text.empty() && error.is_string()) turn.text = "Error: " + made.taken().text(error);
  }

  /// Attaches a picture that is stored outside of the messages. Its name there stays in the
  /// message.
  void attach(const json::Value& block, compile::Turn& turn) const {
    const std::string name = block.find("image").text();
    if (!name.starts_with(kAttachment)) return;
    const auto data = attachments_.find(name.substr(kAttachment.size()));
    if (data == attachments_.end()) return;
    if (auto picture = picture_in(data->second.text())) turn.attach.push_back(std::move(*picture));
  }

  std::string file_;
  std::string log_;
  std::unordered_map<std::string, json::Value> attachments_;  // The sample's, as all that follow.
  std::unordered_map<std::string, ModelCall> answered_;       // Answers, by their ids.
  std::vector<ModelCall> unnamed_;                            // Answers without an id, in order.
  std::size_t next_unnamed_ = 0;                              // The first that was not found yet.
  json::Value output_;
  json::Value answer_;  // The output's message, and the parts that identify it.
  json::Value answer_id_;
  std::string_view answer_content_;
  std::string_view answer_calls_;
  std::size_t last_answer_ = 0;  // Position of the last message that is the output.
};

Result<std::string> read_all(Source& source) {
  constexpr std::size_t kStep = 1U << 20U;
  std::string bytes;
  while (bytes.size() <= kMostDocument) {
    const std::string more = TRY(read_head(source, kStep));
    if (more.empty()) return bytes;
    bytes += more;
  }
  return invalid(fmt::format("an archive is larger than {} MiB", kMostDocument >> 20U),
                 "let Inspect write fewer samples into one log");
}

/// Returns the log's name, for add(). Returns Code::invalid if no header can be read.
Result<std::string> name_in(const ZipArchive& archive) {
  for (const char* name : kHeaders) {
    const ZipArchive::Entry* header = archive.find(name);
    if (header == nullptr) continue;
    const std::string text = TRY(archive.read(*header, kMostDocument));
    json::Document document;
    if (json::parse_python(text, document) && is_log(document.root())) {
      return name_of_log(document.root());
    }
  }
  return invalid("the archive has no readable header, so its run has no name",
                 "Inspect writes one as header.json");
}

/// Returns the files with the samples first, as in a JSON log.
std::vector<const ZipArchive::Entry*> reading_order(const ZipArchive& archive) {
  std::vector<const ZipArchive::Entry*> order;
  for (const ZipArchive::Entry& entry : archive.entries()) {
    if (is_of_log(entry.name)) order.push_back(&entry);
  }
  std::stable_partition(order.begin(), order.end(), [](const ZipArchive::Entry* entry) {
    return entry->name.starts_with(kSamples);
  });
  return order;
}

/// Imports an archive. A file that cannot be unpacked is reported, like an unreadable line.
class ArchiveImport {
 public:
  ArchiveImport(std::string_view tool, Source& source, graph::Repository& repository,
                const ImportOptions& options)
      : source_(source),
        options_(options),
        inner_(options),
        sink_(tool, source, repository, inner_) {
    inner_.progress = {};  // Progress is that of the archive, not of each file.
  }

  Result<LossReport> run() {
    std::string bytes = TRY(read_all(source_));
    const std::uint64_t size = bytes.size();
    const ZipArchive archive = TRY(ZipArchive::open(std::move(bytes)));
    log_ = TRY(name_in(archive));
    std::uint64_t done = 0;
    for (const ZipArchive::Entry& entry : archive.entries()) {
      if (is_of_log(entry.name) || is_of_system(entry.name)) continue;
      sink_.report().remark({Remark::Kind::odd, source_.name() + "/" + entry.shown_name(), 0,
                             "not a file of a log, skipped"});
    }
    for (const ZipArchive::Entry* entry : reading_order(archive)) {
      if (const auto added = add_file(archive, *entry); !added) {
        return stopped(added.error(), sink_);
      }
      done += entry->packed;
      if (options_.progress) options_.progress({source_.name(), done, size});
    }
    TRY(sink_.writer().flush(sink_.lines()));
    LossReport report = std::move(sink_.report());
    report.sources = 1;
    report.bytes = size;
    return report;
  }

 private:
  Result<void> add_file(const ZipArchive& archive, const ZipArchive::Entry& entry) {
    std::string name = source_.name() + "/" + entry.shown_name();
    const auto text = archive.read(entry, kMostDocument);
    if (!text) {
      sink_.report().remark({Remark::Kind::unreadable, std::move(name), 0, text.error().message});
      return {};
    }
    sink_.begin_file(log_, entry.name);
    TextSource file(std::move(name), text.value());
    return import_file(file, sink_);
  }

  Source& source_;
  const ImportOptions& options_;
  ImportOptions inner_;
  InspectSink sink_;
  std::string log_;
};

int score_inspect(const Head& head) {
  return is_archive(head.bytes()) || is_log(head.first()) ? score::kSigned : score::kNone;
}

Result<LossReport> import_inspect(std::string_view tool, Source& source,
                                  graph::Repository& repository, const ImportOptions& options) {
  const std::string head = TRY(read_head(source, kHead));
  ResumedSource whole(source, head);
  if (is_archive(head)) return ArchiveImport(tool, whole, repository, options).run();
  return import_documents_into<InspectSink>(tool, whole, repository, options);
}

}  // namespace

/// Reads the logs of Inspect, as JSON or as an archive of JSON files (`.eval`). Each sample is a
/// line. The arguments of calls keep their bytes, so the same log with other white space gives
/// other commits. Sources: inspect.aisi.org.uk/eval-logs.html, and for the archive
/// src/inspect_ai/log/_recorders/eval.py of UKGovernmentBEIS/inspect_ai.
const Importer kInspect = {"inspect", "Inspect", score_inspect, import_inspect};

}  // namespace spoor::import::formats
