#include "proxy/sent_turns.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/json/reader.h"
#include "import/source.h"
#include "llm/reply.h"
#include "llm/tool_spec.h"
#include "proxy/conversation.h"
#include "store/reader.h"

namespace spoor::proxy {
namespace {

using compile::Oid;
using compile::Turn;

// Returns the turns after `from` up to `to`, the oldest first; from the root if there is no `from`.
// nullopt: the line has something else than turns, or does not have `from`.
Result<std::optional<std::vector<std::pair<Oid, Turn>>>> turns_after(const store::Reader& reader,
                                                                     const std::optional<Oid>& from,
                                                                     const Oid& to) {
  std::vector<Oid> commits;
  bool is_plain = true;
  bool is_found = !from;
  const auto look = [&](const store::NamedCommit& named) {
    if (named.oid == from) {
      is_found = true;
      return false;
    }
    const store::Commit& commit = *named.commit;
    is_plain = commit.op == store::Op::append && commit.type && !compile::is_bookkeeping(commit);
    if (is_plain && compile::is_prompt_type(*commit.type)) commits.push_back(named.oid);
    return is_plain;
  };
  TRY(reader.run(to, std::numeric_limits<std::size_t>::max(), look, store::Reader::Keep::nothing));
  std::optional<std::vector<std::pair<Oid, Turn>>> turns;
  if (!is_plain || !is_found) return turns;
  turns.emplace();
  for (auto oid = commits.rbegin(); oid != commits.rend(); ++oid) {
    turns->emplace_back(*oid, TRY(graph::read_turn(reader, *oid)));
  }
  return turns;
}

// A captured exchange, read.
struct Asked {
  Exchange exchange;
  llm::Wire wire = llm::Wire::anthropic;
  json::Document document;  // Borrows the body.

  json::Value body() const { return document.root(); }
  std::string previous() const { return body().find("previous_response_id").text(); }
};

// Returns the exchange of a captured request; nullptr if it cannot be rebuilt as it was sent.
Result<std::unique_ptr<Asked>> read_asked(const graph::Repository& repository,
                                          const llm::CapturedRequest& request) {
  std::unique_ptr<Asked> none;
  const Turn note = TRY(graph::read_turn(repository.reader(), request.note));
  llm::SentPrompt sent = TRY(llm::sent_prompt(repository, request.note));
  if (sent.body.empty() || sent.verdict == llm::SentPrompt::Verdict::differs) return none;
  auto asked = std::make_unique<Asked>();
  asked->exchange = TRY(read_description(note.text));
  asked->exchange.request = std::move(sent.body);
  if (!note.attach.empty()) asked->exchange.response = note.attach.front().bytes;
  const auto wire = wire_of(asked->exchange);
  auto document = wire ? read_request(*wire, asked->exchange.request) : std::nullopt;
  if (!document) return none;
  asked->wire = *wire;
  asked->document = std::move(*document);
  return asked;
}

// Returns the exchange and those whose responses it goes on from, the first one first. Empty if one
// of them is not known: then the provider has messages that are not in the requests.
Result<std::vector<std::unique_ptr<Asked>>> chain_of(const graph::Repository& repository,
                                                     const llm::CapturedRequest& request,
                                                     std::unique_ptr<Asked> last) {
  std::vector<std::unique_ptr<Asked>> chain;
  chain.push_back(std::move(last));
  if (chain.front()->body().find("conversation")) return std::vector<std::unique_ptr<Asked>>();
  std::vector<llm::CapturedRequest> earlier;
  if (!chain.front()->previous().empty()) {
    earlier = TRY(llm::captured_requests(repository, *request.answer));
  }
  for (auto each = earlier.rbegin(); each != earlier.rend(); ++each) {
    const std::string wanted = chain.front()->previous();
    if (wanted.empty()) break;
    if (each->time >= request.time) continue;
    auto asked = TRY(read_asked(repository, *each));
    if (!asked || asked->exchange.response.find(wanted) == std::string::npos) continue;
    if (read_reply(asked->wire, asked->exchange).id == wanted) {
      chain.insert(chain.begin(), std::move(asked));
    }
  }
  if (!chain.front()->previous().empty()) chain.clear();
  return chain;
}

void add_tools(const json::Value& request, std::vector<std::string>& all) {
  for (const json::Value& tool : llm::declared_tools(request)) {
    if (std::ranges::find(all, tool.raw()) == all.end()) all.emplace_back(tool.raw());
  }
}

// Adds the tools that are items of the input, which the provider keeps as it keeps messages.
void add_kept_tools(const json::Value& request, std::vector<std::string>& all) {
  for (const json::Value item : request.find("input").elements()) {
    if (item.find("type").equals("additional_tools")) add_tools(item.find("tools"), all);
  }
}

// Returns a request with these instructions, as JSON, in place of its own; empty: with none.
std::string with_instructions(const json::Value& request, std::string_view instructions) {
  std::string out = "{";
  const auto add = [&out](std::string_view key, std::string_view value) {
    if (out.size() > 1) out += ',';
    out.append(key).append(":").append(value);
  };
  if (!instructions.empty()) add(R"("instructions")", instructions);
  for (const json::Member member : request.members()) {
    if (!member.key.equals("instructions")) add(member.key.raw(), member.value.raw());
  }
  return out + "}";
}

// Gives the conversation the instructions of its last request: the provider keeps none.
Result<void> carry_instructions(std::vector<std::unique_ptr<Asked>>& chain) {
  if (chain.size() < 2) return {};
  const json::Value last = chain.back()->body().find("instructions");
  const std::string instructions(last ? last.raw() : std::string_view());
  for (const std::unique_ptr<Asked>& each : chain) {
    each->exchange.request =
        with_instructions(each->body(), each == chain.front() ? instructions : std::string());
    each->document = TRY(json::parse(each->exchange.request));
  }
  return {};
}

// Imports a conversation as far as it was sent. Returns its line; empty if there is none.
Result<std::string> import_sent(const std::vector<std::unique_ptr<Asked>>& chain,
                                SentTurns& found) {
  std::string ref;
  for (const std::unique_ptr<Asked>& each : chain) {
    const bool is_last = each == chain.back();
    const std::string conversation =
        document_of(each->wire, each->body(), {},
                    is_last ? llm::Reply() : read_reply(each->wire, each->exchange));
    import::TextSource source("captured", conversation);
    const auto report = TRY(importer_of(each->wire).read("proxy", source, *found.repository, {}));
    if (!report.main_tip) continue;  // It only warmed the connection up.
    ref = report.main_ref;
    found.tip = *report.main_tip;
  }
  return ref;
}

}  // namespace

Result<std::optional<SentTurns>> sent_turns(const graph::Repository& repository,
                                            const Oid& commit) {
  std::optional<SentTurns> none;
  const auto request = TRY(llm::last_captured_request(repository, commit));
  if (!request) return none;
  auto last = TRY(read_asked(repository, *request));
  if (!last) return none;
  SentTurns found;
  found.request = *request;
  found.wire = last->wire;
  add_tools(last->body(), found.tools);
  const std::string system = last->body().find("instructions").text();
  auto chain = TRY(chain_of(repository, *request, std::move(last)));
  TRY(carry_instructions(chain));
  found.has_messages = !chain.empty();
  for (const std::unique_ptr<Asked>& each : chain) add_kept_tools(each->body(), found.tools);
  const auto later =
      TRY(turns_after(repository.reader(),
                      found.has_messages ? std::optional(request->asked) : std::nullopt, commit));
  if (!later) return none;

  graph::Repository::Options options;
  // The store's repository keeps it.
  options.counter = {std::shared_ptr<const compile::TokenCounter>(), &repository.counter()};
  found.repository = graph::Repository::in_memory(std::move(options));
  std::string ref = TRY(import_sent(chain, found));
  if (found.has_messages && ref.empty()) return none;
  if (found.has_messages) found.later = later->size();
  if (ref.empty()) ref = "refs/heads/sent";
  TRY(found.repository->transact(
      "sent", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
        if (!found.has_messages && !system.empty()) {
          found.tip = TRY(draft.append(ref, {.type = compile::Type::system, .text = system}));
        }
        for (const auto& [name, turn] : *later) {
          if (!found.has_messages && !system.empty() && turn.type == compile::Type::system) {
            continue;
          }
          Turn copy = turn;
          copy.prompt.reset();
          copy.about.clear();
          found.tip = TRY(draft.append(ref, copy));
          found.names.emplace(found.tip, name);
        }
        return {};
      }));
  return std::optional(std::move(found));
}

}  // namespace spoor::proxy
