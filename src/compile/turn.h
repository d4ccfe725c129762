#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/fact.h"
#include "store/blob.h"
#include "store/commit.h"
#include "store/reader.h"

/// The content of a store commit. Only this code reads and writes `fields`, `extra` and `meta`.
/// JSON is kept as text, so that numbers and provider strings are never rewritten.
namespace spoor::compile {

using store::Commit;
using store::Oid;
using store::Priority;
using store::Type;

/// A tool call requested by the model. `arguments` is the provider's own text, byte for byte;
/// usually, but not necessarily, a JSON object.
struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;

  bool operator==(const ToolCall&) const = default;
};

/// The data that the fold reads. JSON values are canonical JSON text, empty if absent.
struct Fields {
  std::optional<std::vector<ToolCall>> tool_calls;  ///< nullopt: not given (an edit keeps the old)
  std::string call_id;
  std::string name;  ///< of a tool, a directive or an artifact
  bool is_error = false;
  std::string format;     ///< of a reasoning: parsed, reasoning_content, think_tags, …
  std::string role;       ///< `developer` on a system turn
  std::string rationale;  ///< a JSON object
  std::string set;        ///< settings, a JSON object; null removes one

  bool operator==(const Fields&) const = default;
};

/// Text about the turn.
struct Extra {
  std::string message;   ///< a one-line summary; empty: a preview is generated for display
  std::string metadata;  ///< the user's own JSON object; empty: none
  std::vector<std::string> tags;

  bool operator==(const Extra&) const = default;
};

/// Machine facts (fact.h), sorted by key. At most 4 KiB when written.
class Facts {
 public:
  void set(const fact::Text& key, std::string_view value);  ///< an empty value is not stored
  void set(const fact::Integer& key, std::int64_t value);
  void set(const fact::Flag& key, bool value);  ///< false is not stored
  void set(const fact::Any& key, std::string json) { set_json(key.key, std::move(json)); }

  std::string get(const fact::Text& key) const { return text(key.key); }
  std::optional<std::int64_t> get(const fact::Integer& key) const;
  bool get(const fact::Flag& key) const { return json(key.key) == "true"; }
  std::string get(const fact::Any& key) const { return json(key.key); }

  /// Returns the JSON of a fact of any type; empty if there is none.
  std::string json(const fact::Key& key) const { return json(key.key); }

  // For keys of the caller or of a source.
  void set_text(std::string_view key, std::string_view value);
  void set_integer(std::string_view key, std::int64_t value);
  void set_json(std::string_view key, std::string json);
  std::string text(std::string_view key) const;  ///< empty if missing or not a string
  std::string json(std::string_view key) const;  ///< empty if missing

  bool empty() const { return values_.empty(); }
  const std::map<std::string, std::string, std::less<>>& values() const { return values_; }
  bool operator==(const Facts&) const = default;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// Bytes with their media type, to be stored.
struct Item {
  std::string bytes;
  std::string media_type = "application/json";

  bool operator==(const Item&) const = default;
};

/// A turn to be written, or one that was read.
struct Turn {
  Type type = Type::user;
  std::string text;
  std::string media_type = "text/plain";
  Fields fields;
  Extra extra;
  Facts facts;
  std::vector<Item> raw;
  std::vector<Item> attach;
  std::optional<Oid> prompt;
  std::vector<Oid> about;
  std::string author;             ///< empty: not written
  std::optional<Timestamp> time;  ///< nullopt: not written
};

/// Return the JSON of the structs above; empty text for an absent object. Code::invalid if a member
/// that must be JSON is not, or if `facts` are too long.
Result<std::string> write_fields(const Fields& fields);
Result<std::string> write_extra(const Extra& extra);
Result<std::string> write_facts(const Facts& facts);

/// Parse that JSON; ignore unknown keys. Erased text (store/erased.h) gives an empty result.
/// Code::corrupt if malformed.
Result<Fields> read_fields(std::string_view json);
Result<Extra> read_extra(std::string_view json);
Result<Facts> read_facts(std::string_view json);

/// Returns `message_id` without parsing the rest; empty if there is none.
std::string message_id_of(const Commit& commit);

/// Returns true if `format` may be the format of a reasoning: 1 to 64 printable ASCII characters,
/// no blanks. Providers may use words that this version does not know.
bool is_reasoning_format(std::string_view format);

/// Code::invalid unless `format` is a word that this version itself writes. For user input, in
/// which another word is a mistake.
Result<void> check_known_reasoning_format(std::string_view format);

/// Properties of a type, independent of a commit (design: the table of types).
std::string_view role_of(Type type);  ///< empty: never part of a prompt
Priority default_priority(Type type);
bool is_prompt_type(Type type);             ///< true if it can be an entry of the prompt
bool is_bookkeeping(const Commit& commit);  ///< true for annotate and config: hidden from log

/// Read the data of a commit and verify it.
Result<Fields> fields_of(const store::Reader& reader, const Commit& commit);
Result<Extra> extra_of(const store::Reader& reader, const Commit& commit);
Result<std::shared_ptr<const std::string>> text_of(const store::Reader& reader,
                                                   const Commit& commit);

/// Returns the word shown to users: the type of an append, else the op.
std::string_view kind_of(const Commit& commit);

/// Returns the *content hash*: equal for commits that differ only in parents, extra, meta or time.
/// Derived from type, content and fields.
Oid content_hash(const Commit& commit);

/// Returns one line of at most `columns` code points that summarizes a text: white space folded,
/// control characters dropped, an ellipsis if it was cut.
std::string preview(std::string_view text, std::size_t columns = 72);

/// Returns true for the roles of instructions to the model: system and developer.
constexpr bool is_instruction_role(std::string_view role) {
  return role == "system" || role == "developer";
}

}  // namespace spoor::compile
