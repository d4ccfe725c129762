#include "llm/render/dialogue.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/text.h"
#include "compile/commitment.h"
#include "compile/pictures.h"
#include "llm/document_item.h"
#include "llm/render/render.h"
#include "store/sha256.h"

namespace spoor::llm::render {
namespace {

using compile::Message;
using compile::Oid;
using compile::Part;
using compile::Thought;
using compile::ToolCall;
using compile::Type;
using Form = ReplayRule::Form;
using Scope = ReplayRule::Scope;
using Side = Utterance::Side;

Side side_of(const Message& message) {
  if (message.role == "system") return Side::system;
  if (message.role == "developer") return Side::developer;
  return message.role == "assistant" ? Side::assistant : Side::user;
}

// The call ids that a wire, or one provider, accepts.
struct IdRule {
  std::size_t most = 64;
  bool is_exact = false;  // Exactly this length.
  bool has_signs = true;  // `_` and `-` in addition to letters and digits.
};

IdRule id_rule(const Recipe& recipe) {
  if (recipe.provider == "mistral") return {9, true, false};
  if (wire_of_renderer(recipe.renderer) == Wire::openai_chat) return {40, false, true};
  return {};
}

bool fits(std::string_view id, const IdRule& rule) {
  if (id.empty() || id.size() > rule.most || (rule.is_exact && id.size() != rule.most))
    return false;
  return std::all_of(id.begin(), id.end(), [&](char c) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return is_word || (rule.has_signs && (c == '_' || c == '-'));
  });
}

// Whether a wire accepts the name of a call: Anthropic's page says ^[a-zA-Z0-9_-]{1,128}$, OpenAI's
// the same up to 64, Gemini's has `.` and `:` as well; Ollama's says nothing.
bool fits_name(std::string_view name, Wire wire) {
  const std::size_t most = wire == Wire::anthropic ? 128 : 64;
  const bool has_dots = wire == Wire::gemini || wire == Wire::ollama;
  return !name.empty() && name.size() <= most && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || (has_dots && (c == '.' || c == ':'));
  });
}

// Returns a name that every wire accepts, as like to `name` as that goes.
std::string fitted_name(std::string_view name) {
  std::string fitted(name.substr(0, 64));
  for (char& c : fitted) {
    if (!fits_name({&c, 1}, Wire::openai_chat)) c = '_';
  }
  return fitted.empty() ? "unnamed" : fitted;
}

bool is_text_form(Form form) {
  return form == Form::reasoning_content || form == Form::thinking || form == Form::think_tags;
}

// Returns the original bytes of a content; null if it was erased, or only hashed elsewhere.
std::shared_ptr<const std::string> known(std::shared_ptr<const std::string> stored,
                                         const compile::Scrubber& originals) {
  if (store::is_erasure_text(*stored)) return nullptr;
  if (!compile::is_commitment(*stored)) return stored;
  return originals.original_of(*stored);
}

Result<compile::Facts> facts_of(const store::Reader& reader, const Oid& oid) {
  return compile::read_facts(TRY(reader.commit(oid))->meta);
}

class Arranger {
 public:
  Arranger(const compile::Prompt& prompt, const Recipe& recipe, const store::Reader& reader,
           const compile::Scrubber& originals)
      : prompt_(prompt),
        recipe_(recipe),
        reader_(reader),
        originals_(originals),
        wire_(wire_of_renderer(recipe.renderer).value_or(Wire::openai_chat)),
        id_rule_(id_rule(recipe)) {}

  Result<Dialogue> run() {
    const auto& messages = prompt_.messages;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (messages[i].role == "user") last_user_ = i;
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const Message& message = messages[i];
      if (message.role == "tool") {
        for (const Part& part : message.parts) take_result(part);
      } else if (message.role == "assistant") {
        TRY(add_answer(i));
      } else {
        Utterance& said = start(side_of(message));
        for (const Part& part : message.parts)
          said.pieces.push_back({.part = &part, .calls = {}, .items = {}, .thoughts = {}});
      }
    }
    report_missing();
    TRY(read_items());
    drop_partial_items();
    if (recipe_.fits_order) fit_order();
    return std::move(dialogue_);
  }

 private:
  using Piece = Utterance::Piece;

  // The destination of a part's items, after they are read.
  struct Wanted {
    std::size_t utterance;
    std::size_t piece;
    std::size_t thought;  // kOwn: the part's own.
    const Part* part;
  };
  static constexpr std::size_t kOwn = static_cast<std::size_t>(-1);
  struct Slot {
    std::size_t utterance;
    std::size_t result;
  };

  Utterance& start(Side side) {
    dialogue_.utterances.push_back({side, {}, {}});
    return dialogue_.utterances.back();
  }

  void note(Treatment::Kind kind, const Oid& commit, std::string why = {}) {
    dialogue_.treatments.push_back({kind, commit, std::move(why)});
  }

  // The origin of a commit, from its facts.
  struct Maker {
    bool is_provider = false;     // The provider of this request.
    bool is_interrupted = false;  // It was cut off: items may be missing.
    bool is_altered = false;      // A key was removed from its items.
  };
  Result<Maker> maker_of(const Oid& oid) const {
    const compile::Facts facts = TRY(facts_of(reader_, oid));
    return Maker{facts.get(fact::provider) == recipe_.provider,
                 !facts.json(fact::interrupted).empty(), facts.get(fact::raw_altered)};
  }

  bool is_in_scope(std::size_t place) const {
    switch (recipe_.replay.scope) {
      case Scope::none:
        return false;
      case Scope::tool_loop:
        return !last_user_ || place > *last_user_;
      case Scope::with_calls:
        return !prompt_.messages[place].tool_calls().empty();
      case Scope::all:
        return true;
    }
    return false;
  }

  // True if the shown reasoning at `place` led to an answer in scope, which must be the next
  // message other than reasoning.
  bool leads_into_scope(std::size_t place) const {
    while (++place < prompt_.messages.size()) {
      const Message& next = prompt_.messages[place];
      if (next.role != "assistant") return false;
      if (next.type() != Type::reasoning) return is_in_scope(place);
    }
    return false;
  }

  // Returns true if this reasoning can be sent back under the rule; otherwise notes why not.
  Result<bool> goes_back(const Part& part) {
    const bool has_items = part.raw != nullptr && !part.raw->empty();
    const Form form = recipe_.replay.form;
    const Maker maker = TRY(maker_of(part.commit));
    const auto& gap = recipe_.replay_gap;
    if (gap && part.commit == gap->first) is_in_gap_ = true;
    const bool is_lost = is_in_gap_;
    if (gap && part.commit == gap->last) is_in_gap_ = false;
    if (is_lost) {
      note(Treatment::Kind::stripped, part.commit, "it is not valid any more");
    } else if (!maker.is_provider) {
      note(Treatment::Kind::stripped, part.commit, "it is not from this provider");
    } else if (part.is_edited) {
      note(Treatment::Kind::stripped, part.commit, "it was edited");
    } else if (!is_text_form(form) && !has_items) {
      note(Treatment::Kind::stripped, part.commit, "the provider's item was not kept");
    } else if (!is_text_form(form) && maker.is_altered) {
      note(Treatment::Kind::stripped, part.commit, "a key was taken out of the provider's item");
    } else if (is_text_form(form) && part.text->empty()) {
      note(Treatment::Kind::stripped, part.commit, "it has no text");
    } else {
      return true;
    }
    return false;
  }

  Result<void> add_thought(const Part& part, Piece& piece) {
    if (!TRY(goes_back(part))) {
      piece.lost_reasoning = true;
      return {};
    }
    piece.thoughts.push_back({&part, {}});
    return {};
  }

  // Some providers reject an answer without text, calls and items.
  static bool says_nothing(const Piece& piece) {
    return piece.part->text->empty() && piece.calls.empty() &&
           (piece.part->raw == nullptr || piece.part->raw->empty());
  }

  std::string wire_id(const ToolCall& call) {
    const std::size_t number = next_call_++;
    if (fits(call.id, id_rule_) && ids_.insert(call.id).second) return call.id;
    for (std::size_t turn = 0;; ++turn) {
      const auto hash = store::sha256(call.id, fmt::format("\n{}\n{}", number, turn)).hex();
      std::string id =
          id_rule_.has_signs ? "call_" + hash.substr(0, 24) : hash.substr(0, id_rule_.most);
      if (ids_.insert(id).second) return id;
    }
  }

  std::string wire_name(const ToolCall& call) const {
    const bool is_kept = !recipe_.fits_names || fits_name(call.name, wire_);
    return is_kept ? call.name : fitted_name(call.name);
  }

  Result<void> add_answer(std::size_t place) {
    const Message& message = prompt_.messages[place];
    if (message.type() == Type::reasoning && message.parts.size() == 1 && leads_into_scope(place)) {
      lifted_.push_back(&message.parts.front());
      return {};
    }
    const bool in_scope = is_in_scope(place);
    Utterance said{Side::assistant, {}, {}};
    std::size_t next_thought = 0;
    std::vector<const Part*> lifted = std::exchange(lifted_, {});
    for (std::size_t i = 0; i < message.parts.size(); ++i) {
      const Part& part = message.parts[i];
      if (in_scope && part.type == Type::reasoning && message.parts.size() > 1) {
        lifted.push_back(&part);  // Shown, but the provider needs it as items.
        continue;
      }
      Piece piece{.part = &part, .calls = {}, .items = {}, .thoughts = {}};
      if (const auto* calls = part.calls()) {
        for (const ToolCall& call : *calls) {
          piece.calls.push_back({&call, wire_id(call), wire_name(call)});
        }
      }
      const bool is_renamed =
          std::any_of(piece.calls.begin(), piece.calls.end(),
                      [](const WireCall& call) { return call.name != call.call->name; });
      if (is_renamed) note(Treatment::Kind::renamed, part.commit);
      for (const Part* shown : std::exchange(lifted, {})) TRY(add_thought(*shown, piece));
      for (; next_thought < message.thoughts.size(); ++next_thought) {
        const Thought& thought = message.thoughts[next_thought];
        if (thought.before > i) break;
        if (in_scope) TRY(add_thought(thought.part, piece));
      }
      if (says_nothing(piece)) continue;
      const bool has_items = part.raw != nullptr && !part.raw->empty() && !part.is_edited;
      if (has_items) {
        const Maker maker = TRY(maker_of(part.commit));
        const bool is_whole = !maker.is_interrupted && !maker.is_altered && !is_renamed;
        if (maker.is_provider && is_whole) want(said.pieces.size(), kOwn, part);
      }
      if (!is_text_form(recipe_.replay.form)) {
        for (std::size_t t = 0; t < piece.thoughts.size(); ++t) {
          want(said.pieces.size(), t, *piece.thoughts[t].part);
        }
      }
      said.pieces.push_back(std::move(piece));
    }
    if (said.pieces.empty()) return {};
    Utterance results = results_of(said);
    dialogue_.utterances.push_back(std::move(said));
    open(std::move(results));
    return {};
  }

  void want(std::size_t piece, std::size_t thought, const Part& part) {
    wanted_.push_back({dialogue_.utterances.size(), piece, thought, &part});
  }

  // Returns empty results for all calls, to be inserted directly after the answer.
  Utterance results_of(const Utterance& said) {
    Utterance results{Side::results, {}, {}};
    for (const Piece& piece : said.pieces) {
      for (const WireCall& call : piece.calls) {
        results.results.push_back({call, nullptr});
        callers_.push_back(piece.part->commit);
      }
    }
    return results;
  }

  void open(Utterance results) {
    if (results.results.empty()) return;
    std::map<std::string_view, std::deque<Slot>> opened;
    for (std::size_t i = 0; i < results.results.size(); ++i) {
      opened[results.results[i].call.call->id].push_back({dialogue_.utterances.size(), i});
    }
    for (auto& [id, slots] : opened) open_[id] = std::move(slots);  // The latest caller counts.
    dialogue_.utterances.push_back(std::move(results));
  }

  void take_result(const Part& part) {
    const auto found = open_.find(part.fields ? std::string_view(part.fields->call_id) : "");
    if (found == open_.end() || found->second.empty()) {
      return note(Treatment::Kind::orphan, part.commit, "no call waits for it");
    }
    const Slot slot = found->second.front();
    found->second.pop_front();
    dialogue_.utterances[slot.utterance].results[slot.result].part = &part;
  }

  void report_missing() {
    std::size_t caller = 0;
    for (const Utterance& said : dialogue_.utterances) {
      for (const CallResult& result : said.results) {
        const Oid& commit = callers_[caller++];
        if (result.part == nullptr) {
          note(Treatment::Kind::synthesized, commit,
               "'" + result.call.call->name + "' has no result");
        }
      }
    }
  }

  Result<void> read_items() {
    std::vector<Oid> oids;
    for (const Wanted& wanted : wanted_) {
      for (const store::Content& item : *wanted.part->raw) oids.push_back(item.oid);
    }
    auto texts = TRY(reader_.contents(oids));
    auto next = texts.begin();
    for (const Wanted& wanted : wanted_) {
      Piece& piece = dialogue_.utterances[wanted.utterance].pieces[wanted.piece];
      Items& items = wanted.thought == kOwn ? piece.items : piece.thoughts[wanted.thought].items;
      for (std::size_t i = 0; i < wanted.part->raw->size(); ++i)
        items.push_back(known(std::move(*next++), originals_));
    }
    drop_lost_items();
    return {};
  }

  // Removes items of which some are unavailable. The answer is then sent without items, like an
  // edited one; a thought is not sent at all.
  void drop_lost_items() {
    const auto is_lost = [](const Items& items) {
      return std::any_of(items.begin(), items.end(), [](const auto& item) { return !item; });
    };
    for (Utterance& said : dialogue_.utterances) {
      for (Piece& piece : said.pieces) {
        if (is_lost(piece.items)) piece.items.clear();
        std::erase_if(piece.thoughts, [&](const Piece::Replayed& thought) {
          const bool is_gone = is_lost(thought.items) || !known(thought.part->text, originals_);
          if (is_gone) {
            piece.lost_reasoning = true;
            note(Treatment::Kind::stripped, thought.part->commit, "it was erased, or only hashed");
          }
          return is_gone;
        });
      }
    }
  }

  // Items contain their calls' original ids. Gemini's have none, or need not be unique.
  void drop_partial_items() {
    for (Utterance& said : dialogue_.utterances) {
      for (Piece& piece : said.pieces) {
        const bool is_renamed =
            std::any_of(piece.calls.begin(), piece.calls.end(), [](const WireCall& call) {
              return !call.call->id.empty() && call.id != call.call->id;
            });
        if (is_renamed && wire_ != Wire::gemini) piece.items.clear();
      }
    }
  }

  // Many chat templates take one system prompt, in front ("System message must be at the
  // beginning"), and then users and answers in turns ("Conversation roles must alternate").
  // OpenAI's own models take any order, the other wires have a place for system prompts or join
  // turns.
  void fit_order() {
    const bool has_template = wire_ == Wire::openai_chat && !is_of_openai(recipe_);
    if (has_template || wire_ == Wire::ollama) join_systems();
    drop_silent_ends();
    if (has_template) join_neighbours();
    if (recipe_.provider == "mistral") answer_results();
  }

  void join_neighbours() {
    std::vector<Utterance> joined;
    for (Utterance& said : dialogue_.utterances) {
      const bool is_turn = said.side == Side::user || said.side == Side::assistant;
      if (!is_turn || joined.empty() || joined.back().side != said.side) {
        joined.push_back(std::move(said));
        continue;
      }
      auto& pieces = joined.back().pieces;
      const Part& first = *said.pieces.front().part;
      note(Treatment::Kind::reordered, first.commit, "it is sent with the turn before");
      if (!first.text->empty()) {
        Utterance between = made_of(said.side, first, "\n\n");
        pieces.push_back(std::move(between.pieces.front()));
      }
      for (Piece& piece : said.pieces) pieces.push_back(std::move(piece));
    }
    dialogue_.utterances = std::move(joined);
  }

  // Anthropic refuses an answer that ends with thinking, many others one without text and calls.
  void drop_silent_ends() {
    for (Utterance& said : dialogue_.utterances) {
      if (said.side != Side::assistant) continue;
      while (!said.pieces.empty() && is_silent(said.pieces.back())) {
        const Piece& last = said.pieces.back();
        note(Treatment::Kind::unsaid, last.part->commit);
        for (const auto& thought : last.thoughts) {
          note(Treatment::Kind::stripped, thought.part->commit, "its answer says nothing");
        }
        said.pieces.pop_back();
      }
    }
    std::erase_if(dialogue_.utterances, [](const Utterance& said) {
      return said.side == Side::assistant && said.pieces.empty();
    });
  }

  // Anthropic's writer leaves out blank text, but not the thinking before it.
  bool is_silent(const Piece& piece) const {
    const std::string& text = *piece.part->text;
    if (!piece.calls.empty()) return false;
    if (wire_ != Wire::anthropic) return text.empty() && piece.items.empty();
    const bool has_thinking = !piece.items.empty() || !piece.thoughts.empty();
    return has_thinking && trimmed(text).empty() &&
           std::all_of(piece.items.begin(), piece.items.end(), is_silent_block);
  }

  static bool is_silent_block(const std::shared_ptr<const std::string>& block) {
    const auto document = json::parse(*block);
    if (!document) return true;  // The writer leaves it out.
    const std::string type = document->root().find("type").text();
    return type == "thinking" || type == "redacted_thinking" ||
           (type == "text" && trimmed(document->root().find("text").text()).empty());
  }

  static bool is_system(const Utterance& said) {
    return said.side == Side::system || said.side == Side::developer;
  }

  void join_systems() {
    auto& all = dialogue_.utterances;
    if (all.empty() || std::none_of(all.begin() + 1, all.end(), is_system)) return;
    std::string text;
    const Part* first = nullptr;
    for (const Utterance& said : all) {
      if (!is_system(said)) continue;
      for (const Piece& piece : said.pieces) {
        if (first == nullptr) {
          first = piece.part;
        } else {
          text += "\n\n";
          note(Treatment::Kind::reordered, piece.part->commit, "it is sent with the first one");
        }
        text += *piece.part->text;
      }
    }
    if (!is_system(all.front())) {
      note(Treatment::Kind::reordered, first->commit, "a system prompt comes first");
    }
    std::erase_if(all, is_system);
    all.insert(all.begin(), made_of(Side::system, *first, std::move(text)));
  }

  // Mistral refuses "role 'user' after role 'tool'".
  void answer_results() {
    auto& all = dialogue_.utterances;
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (all[i].side != Side::user || all[i - 1].side != Side::results) continue;
      const Part& next = *all[i].pieces.front().part;
      note(Treatment::Kind::reordered, next.commit, "an answer comes before it");
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(i),
                 made_of(Side::assistant, next, std::string(kNoAnswer)));
    }
  }

  // An utterance in the name of a commit, with a text that no commit has.
  Utterance made_of(Side side, const Part& like, std::string text) {
    auto part = std::make_unique<Part>();
    part->commit = like.commit;
    part->type = side == Side::system ? Type::system
                 : side == Side::user ? Type::user
                                      : Type::assistant;
    part->text = std::make_shared<const std::string>(std::move(text));
    Utterance said{side, {}, {}};
    said.pieces.push_back({.part = part.get(), .calls = {}, .items = {}, .thoughts = {}});
    dialogue_.made.push_back(std::move(part));
    return said;
  }

  const compile::Prompt& prompt_;
  const Recipe& recipe_;
  const store::Reader& reader_;
  const compile::Scrubber& originals_;
  const Wire wire_;
  const IdRule id_rule_;
  Dialogue dialogue_;
  std::set<std::string, std::less<>> ids_;  // Ids of calls on the wire.
  std::size_t next_call_ = 0;
  std::optional<std::size_t> last_user_;
  bool is_in_gap_ = false;           // Of reasoning that is not valid any more.
  std::vector<const Part*> lifted_;  // Shown reasoning that belongs to the next answer.
  std::vector<Wanted> wanted_;
  std::map<std::string_view, std::deque<Slot>> open_;  // Call id to the slots of its results.
  std::vector<Oid> callers_;                           // The answer of every call, in order.
};

}  // namespace

std::string_view name_of(Treatment::Kind kind) {
  switch (kind) {
    case Treatment::Kind::replayed:
      return "replayed";
    case Treatment::Kind::unbound:
      return "unbound";
    case Treatment::Kind::unreadable:
      return "unreadable";
    case Treatment::Kind::stripped:
      return "stripped";
    case Treatment::Kind::synthesized:
      return "synthesized";
    case Treatment::Kind::orphan:
      return "orphan";
    case Treatment::Kind::unsendable:
      return "unsendable";
    case Treatment::Kind::renamed:
      return "renamed";
    case Treatment::Kind::reordered:
      return "reordered";
    case Treatment::Kind::unsaid:
      return "unsaid";
  }
  return {};
}

Result<Dialogue> arrange(const compile::Prompt& prompt, const Recipe& recipe,
                         const store::Reader& reader, const compile::Scrubber& originals) {
  return Arranger(prompt, recipe, reader, originals).run();
}

Result<std::vector<compile::Item>> pictures_of(const Part& part, const store::Reader& reader,
                                               const compile::Scrubber& originals) {
  std::vector<compile::Item> pictures;
  for (const store::Content& content : compile::pictures_in(part.attach.get())) {
    const auto picture = known(TRY(reader.content(content.oid)), originals);
    if (picture == nullptr) continue;
    pictures.push_back({*picture, content.media_type});
  }
  return pictures;
}

Result<std::vector<std::string>> documents_of(const Part& part, const store::Reader& reader,
                                              const compile::Scrubber& originals) {
  std::vector<std::string> documents;
  if (part.raw == nullptr || part.raw->empty() || part.is_edited) return documents;
  if (TRY(facts_of(reader, part.commit)).get(fact::raw_altered)) return documents;
  for (const store::Content& content : *part.raw) {
    const auto item = known(TRY(reader.content(content.oid)), originals);
    std::string document = item == nullptr ? std::string() : document_item(*item);
    if (!document.empty()) documents.push_back(std::move(document));
  }
  return documents;
}

}  // namespace spoor::llm::render
