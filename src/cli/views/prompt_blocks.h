#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/json_writer.h"
#include "api/workspace.h"
#include "cli/terminal/output.h"
#include "compile/prompt.h"

namespace spoor::cli {

using api::JsonWriter;
using api::Workspace;
using store::Oid;

/// One message to show, in the prompt or left out of it.
struct Block {
  Oid commit;
  std::size_t commits = 1;  ///< the number of commits joined into it
  std::string role;
  store::Type type = store::Type::user;
  std::string text;
  std::vector<compile::ToolCall> calls;
  std::vector<store::Content> pictures;
  std::string call_id;
  std::string name;
  std::string tool;  ///< its name, or that of the call it answers; for people
  bool is_error = false;
  bool is_edited = false;
  store::Priority priority = store::Priority::normal;
  bool is_explicit = false;  ///< the priority was set by an annotation
  std::uint64_t tokens = 0;
  bool tokens_estimated = true;
  std::optional<compile::Why> why;  ///< why it is left out; nothing: it is in
  std::string reason;               ///< the annotation's reason

  bool is_reasoning() const { return type == store::Type::reasoning; }
};

/// Returns the messages of a prompt in order; with `all`, also the omitted ones at their places.
Result<std::vector<Block>> blocks_of(const Workspace& workspace, const compile::Prompt& prompt,
                                     bool all);

/// Prints a block as part of a conversation: a rule with its role, then the text. Long arguments of
/// calls are shortened unless `in_full`.
void print_chat(Output& out, const Workspace& workspace, const Block& block, bool in_full);

/// Prints a block on one line.
void print_compact(Output& out, const Workspace& workspace, const Block& block);

/// Prints all blocks in columns.
void print_table(Output& out, const Workspace& workspace, const std::vector<Block>& blocks);

/// Writes a block as the next JSON value.
void write_block(JsonWriter& json, const Block& block);

}  // namespace spoor::cli
