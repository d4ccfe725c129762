#include "cli/debrief_source.h"

#include <array>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "cli/settings/prices.h"
#include "import/source.h"
#include "report/debrief/fold.h"
#include "report/debrief/graph_source.h"
#include "report/debrief/trace_reader.h"

namespace spoor::cli {
namespace {

using report::debrief::Debrief;
using report::debrief::debrief_of;
using report::debrief::DebriefFold;
using report::debrief::Fact;
using report::debrief::GraphOptions;
using report::debrief::TraceReader;

Error no_such_subject(const std::string& word) {
  if (word == "latest") {
    return not_found("no run yet, and HEAD has no commit",
                     "start one with 'spoor run GOAL', or list branches with 'spoor branch'");
  }
  return not_found(fmt::format("no run or commit '{}'", word),
                   "list runs with 'spoor runs', branches with 'spoor branch'");
}

void write(JsonWriter& out, const json::Value& value) {
  if (value.is_object()) {
    out.object();
    for (const json::Member member : value.members()) {
      out.key(member.key.text());
      write(out, member.value);
    }
    out.end();
  } else if (value.is_array()) {
    out.array();
    for (const json::Value element : value.elements()) write(out, element);
    out.end();
  } else if (value.is_string()) {
    out.value(value.text());
  } else {
    out.json(value.raw());
  }
}

}  // namespace

Result<DebriefSubject> find_subject(const Workspace& workspace, const std::string& word) {
  using Code = Error::Code;
  const graph::Repository& repository = workspace.repository();
  auto run = agent::find_run(repository, word);
  if (run) return DebriefSubject{*run, run->head};
  if (run.error().code != Code::not_found) return run.error();
  // Without runs, `latest` means the imported session at HEAD.
  const auto commit = workspace.resolve(word == "latest" ? "HEAD" : word);
  if (!commit && commit.error().code == Code::not_found) return no_such_subject(word);
  const Oid at = TRY(commit);
  auto around = TRY(agent::run_of(repository, at));
  if (!around) return DebriefSubject{std::nullopt, at};
  const Oid head = around->head;
  return DebriefSubject{std::move(around), head};
}

Result<Debrief> read_debrief(Session& session, Workspace& workspace, const DebriefSubject& subject,
                             std::size_t most) {
  const llm::PriceList prices(TRY(read_prices(session.environment())));
  const GraphOptions options{.most = most, .prices = &prices};
  const graph::Repository& repository = workspace.repository();
  if (subject.run) return debrief_of(repository, *subject.run, options);
  Debrief debrief = TRY(debrief_of(repository, subject.head, options));
  debrief.run_id = subject.head.hex(16);  // The name in reports.
  return debrief;
}

Result<Debrief> read_trace(Session& session, const std::string& path, std::size_t most) {
  std::unique_ptr<import::Source> file;
  if (path != "-") file = TRY(import::open_file(path));
  DebriefFold fold(most);
  TraceReader reader([&fold](const Fact& fact) { fold.add(fact); });
  std::array<char, 1 << 16> buffer;
  while (true) {
    const std::size_t count =
        file ? TRY(file->read(buffer.data(), buffer.size())) : TRY(session.read_input(buffer));
    if (count == 0) break;
    reader.feed({buffer.data(), count});
  }
  reader.finish();
  Debrief debrief = fold.finish();
  debrief.skipped = reader.skipped();
  return debrief;
}

void write_value(JsonWriter& out, std::string_view text) {
  const auto document = json::parse(text);
  document ? write(out, document->root()) : void(out.null());
}

}  // namespace spoor::cli
