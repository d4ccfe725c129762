#include "cli/git/object.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/hidden_text.h"
#include "base/text.h"
#include "base/utf8.h"

namespace spoor::cli::git {
namespace {

// Removes characters that git reads as structure or a terminal interprets, and the surrounding
// blanks.
std::string harmless(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const CodePoint next = decode_utf8(text);
    const bool is_structure = next.code == '<' || next.code == '>';
    const bool is_unseen = is_control(next.code) || is_hidden(next.code);
    if (next.valid && !is_unseen && !is_structure) {
      clean += text.substr(0, next.length);
    }
    text.remove_prefix(next.length);
  }
  return std::string(trimmed(clean, " "));
}

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::commit:
      return "commit";
    case Kind::tree:
      return "tree";
    case Kind::blob:
      return "blob";
    case Kind::tag:
      return "tag";
  }
  return {};
}

GitOid name_object(Kind kind, std::string_view bytes) {
  Sha1 hash;
  hash.add(fmt::format("{} {}", name_of(kind), bytes.size())).add(std::string_view("\0", 1));
  return hash.add(bytes).finish();
}

std::string Signature::text() const {
  return fmt::format("{} <{}> {} +0000", name, email, seconds);
}

Signature signature_of(std::string_view author, std::int64_t seconds) {
  std::string_view name = author;
  std::string_view email;
  const std::size_t open = author.find(" <");
  if (open != std::string_view::npos && author.ends_with('>')) {
    name = author.substr(0, open);
    email = author.substr(open + 2, author.size() - open - 3);
  }
  Signature signature{harmless(name), harmless(email), std::max<std::int64_t>(seconds, 0)};
  if (signature.name.empty()) signature.name = "unknown";
  if (signature.email.empty()) signature.email = signature.name;
  std::replace(signature.email.begin(), signature.email.end(), ' ', '-');
  if (signature.email.find('@') == std::string::npos) signature.email += "@spoor";
  return signature;
}

std::string encode(const Commit& commit) {
  std::string body = fmt::format("tree {}\n", commit.tree.hex());
  for (const GitOid& parent : commit.parents) body += fmt::format("parent {}\n", parent.hex());
  const std::string who = commit.author.text();
  return body + fmt::format("author {}\ncommitter {}\n\n{}", who, who, commit.message);
}

std::string encode(const Tag& tag) {
  return fmt::format("object {}\ntype commit\ntag {}\ntagger {}\n\n{}", tag.commit.hex(), tag.name,
                     tag.tagger.text(), tag.message);
}

std::string encode(const std::vector<TreeEntry>& entries) {
  std::string body;
  for (const TreeEntry& entry : entries) {
    body.append(entry.is_folder ? "40000 " : "100644 ").append(entry.name).push_back('\0');
    body += entry.oid.view();
  }
  return body;
}

}  // namespace spoor::cli::git
