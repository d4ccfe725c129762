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

/// What a commit of the store layer *says*: the one place that reads and writes
/// `fields`, `extra` and `meta`. JSON travels as text, so that numbers and
/// provider strings are never written anew.
namespace spoor::compile {

using store::Commit;
using store::Oid;
using store::Priority;
using store::Type;

/// A call that the model asked for. `arguments` is the provider's own text,
/// byte for byte; usually a JSON object, but nothing makes it one.
struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;

  bool operator==(const ToolCall&) const = default;
};

/// What the fold reads. JSON values are canonical JSON text, empty when absent.
struct Fields {
  std::optional<std::vector<ToolCall>> tool_calls;  ///< absent: none given (an edit keeps the old)
  std::string call_id;
  std::string name;  ///< a tool's, a directive's or an artifact's
  bool is_error = false;
  std::string format;     ///< of a reasoning: parsed, reasoning_content, think_tags, …
  std::string role;       ///< `developer` on a system turn
  std::string rationale;  ///< a JSON object
  std::string set;        ///< a JSON object: settings; null removes one

  bool operator==(const Fields&) const = default;
};

/// Text about the turn.
struct Extra {
  std::string message;   ///< an explicit one-line summary; empty: a preview is made when shown
  std::string metadata;  ///< the user's own, a JSON object; empty: none
  std::vector<std::string> tags;

  bool operator==(const Extra&) const = default;
};

/// Machine facts (fact.h), sorted by their keys. At most 4 KiB when written.
class Facts {
 public:
  void set(const fact::Text& key, std::string_view value);  ///< an empty one is none
  void set(const fact::Integer& key, std::int64_t value);
  void set(const fact::Flag& key, bool value);  ///< false is none
  void set(const fact::Any& key, std::string json) { set_json(key.key, std::move(json)); }

  std::string get(const fact::Text& key) const { return text(key.key); }
  std::optional<std::int64_t> get(const fact::Integer& key) const;
  bool get(const fact::Flag& key) const { return json(key.key) == "true"; }
  std::string get(const fact::Any& key) const { return json(key.key); }

  /// The JSON of a fact, whatever its type; empty when there is none.
  std::string json(const fact::Key& key) const { return json(key.key); }

  // Under keys of the caller's own, or of a source's.
  void set_text(std::string_view key, std::string_view value);
  void set_integer(std::string_view key, std::int64_t value);
  void set_json(std::string_view key, std::string json);
  std::string text(std::string_view key) const;  ///< empty when there is none, or it is no string
  std::string json(std::string_view key) const;  ///< empty when there is none

  bool empty() const { return values_.empty(); }
  const std::map<std::string, std::string, std::less<>>& values() const { return values_; }
  bool operator==(const Facts&) const = default;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// Bytes with their media type, on their way in.
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
  std::string author;             ///< empty: none is written
  std::optional<Timestamp> time;  ///< nothing: none is written
};

/// The forms of JSON above. An empty text stands for an absent object.
/// Code::invalid when a member that must be JSON is none, or `facts` are too long.
Result<std::string> write_fields(const Fields& fields);
Result<std::string> write_extra(const Extra& extra);
Result<std::string> write_facts(const Facts& facts);

/// Reads them back; unknown keys are passed over. What was erased (store/erased.h) says nothing.
/// Code::corrupt when malformed.
Result<Fields> read_fields(std::string_view json);
Result<Extra> read_extra(std::string_view json);
Result<Facts> read_facts(std::string_view json);

/// Only `message_id`, without reading the rest; empty when there is none.
std::string message_id_of(const Commit& commit);

/// Is `format` a word that a reasoning may have: 1 to 64 printable ASCII characters, no blanks?
/// Providers may use words that this version does not know.
bool is_reasoning_format(std::string_view format);

/// Code::invalid unless `format` is one of the words that this version itself gives: for what a
/// person writes, where another word is a mistake.
Result<void> check_known_reasoning_format(std::string_view format);

/// What belongs to a type whatever a commit says (design: the table of types).
std::string_view role_of(Type type);  ///< empty: never part of a prompt
Priority default_priority(Type type);
bool is_prompt_type(Type type);             ///< can be an entry of the prompt
bool is_bookkeeping(const Commit& commit);  ///< annotate and config: hidden from log

/// Reads what belongs to a commit, each verified.
Result<Fields> fields_of(const store::Reader& reader, const Commit& commit);
Result<Extra> extra_of(const store::Reader& reader, const Commit& commit);
Result<std::shared_ptr<const std::string>> text_of(const store::Reader& reader,
                                                   const Commit& commit);

/// The word users see: the type of an append, else the op.
std::string_view kind_of(const Commit& commit);

/// The *content hash*: equal for commits that differ only in parents, extra,
/// meta or time. Derived from type, content and fields.
Oid content_hash(const Commit& commit);

/// One line of at most `columns` code points that shows what a text says:
/// white space folded, control characters dropped, an ellipsis where it was cut.
std::string preview(std::string_view text, std::size_t columns = 72);

}  // namespace spoor::compile
