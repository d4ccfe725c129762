#include "store/archive_parts.h"

#include <array>
#include <charconv>

#include <fmt/format.h>
#include <zstd.h>

#include "store/sha256.h"

namespace spoor::store {
namespace {

constexpr int kLevel = 3;
constexpr std::size_t kMostText = kMaxBody + kPartText;

// A part begins with `part SIZE HEX\n`, and ends with a line feed after SIZE bytes.
struct PartLine {
  std::size_t size = 0;
  Oid hash;
};

std::optional<PartLine> parse_part_line(std::string_view line) {
  constexpr std::string_view kWord = "part ";
  constexpr std::size_t kHash = 65;  // With its space.
  if (!line.starts_with(kWord) || line.size() < kWord.size() + kHash + 2) return std::nullopt;
  line.remove_prefix(kWord.size());
  line.remove_suffix(1);
  PartLine part;
  const std::string_view digits = line.substr(0, line.size() - kHash);
  const auto [end, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), part.size);
  const auto hash = Oid::from_hex(line.substr(line.size() - kHash + 1));
  if (problem != std::errc() || std::to_string(part.size) != digits || !hash ||
      line[digits.size()] != ' ' || part.size > ZSTD_compressBound(kMostText)) {
    return std::nullopt;
  }
  part.hash = *hash;
  return part;
}

std::string_view packed_bytes(std::string_view piece) {
  piece.remove_prefix(piece.find('\n') + 1);
  piece.remove_suffix(1);
  return piece;
}

}  // namespace

Error damaged_archive(std::string_view what) {
  return corrupt(fmt::format("the archive is damaged: {}", what),
                 "get it again from its source; nothing of it was stored");
}

Result<void> PartWriter::begin(std::string_view head) {
  chain_ = chain_of_head(head);
  return sink_(head);
}

Result<void> PartWriter::add(std::string_view line, std::string_view body) {
  if (!text_.empty() && text_.size() + line.size() + body.size() + 1 > kPartText) TRY(flush());
  text_.append(line).append(body) += '\n';
  return {};
}

Result<void> PartWriter::flush() {
  std::string bytes(ZSTD_compressBound(text_.size()), '\0');
  const std::size_t size =
      ZSTD_compress(bytes.data(), bytes.size(), text_.data(), text_.size(), kLevel);
  if (ZSTD_isError(size) != 0) return io_error("cannot compress a part of the archive");
  bytes.resize(size);
  text_.clear();
  chain_ = sha256(chain_.view(), bytes);
  return sink_(fmt::format("part {} {}\n{}\n", size, chain_.hex(), bytes));
}

Result<void> PartWriter::finish() {
  if (!text_.empty()) TRY(flush());
  return sink_(fmt::format("end {}\n", chain_.hex()));
}

Result<std::string_view> LineInput::peek_line() {
  std::size_t end = 0;
  while ((end = buffer_.find('\n', at_)) == std::string::npos) {
    if (buffer_.size() - at_ > kMaxArchiveLine) return damaged_archive("a line is too long");
    if (!TRY(more())) return damaged_archive("it ends too early");
  }
  const std::string_view text = std::string_view(buffer_).substr(at_, end + 1 - at_);
  if (text.size() > kMaxArchiveLine) return damaged_archive("a line is too long");
  return text;
}

Result<std::string> LineInput::line() {
  std::string text(TRY(peek_line()));
  at_ += text.size();
  return text;
}

Result<std::string> LineInput::bytes(std::size_t count) {
  while (buffer_.size() - at_ < count) {
    if (!TRY(more())) return damaged_archive("it ends too early");
  }
  std::string text = buffer_.substr(at_, count);
  at_ += count;
  return text;
}

Result<bool> LineInput::is_at_end() {
  if (at_ < buffer_.size()) return false;
  return !TRY(more());
}

Result<bool> LineInput::more() {
  buffer_.erase(0, at_);
  at_ = 0;
  std::array<char, 65'536> block{};
  const std::size_t count = TRY(source_(block));
  buffer_.append(block.data(), count);
  return count > 0;
}

Result<std::optional<std::string>> PartReader::next() {
  if (is_ended_) return std::optional<std::string>();
  std::string piece = TRY(input_.line());
  if (piece == fmt::format("end {}\n", chain_.hex())) {
    is_ended_ = true;
    return std::optional(std::move(piece));
  }
  const auto part = parse_part_line(piece);
  if (!part) return damaged_archive("a line is malformed");
  piece += TRY(input_.bytes(part->size + 1));
  if (piece.back() != '\n') return damaged_archive("a part is longer than its size");
  chain_ = chain_after(chain_, piece);
  if (chain_ != part->hash) return damaged_archive("the hash of a part does not match its bytes");
  return std::optional(std::move(piece));
}

Result<std::string> read_head_text(LineInput& input) {
  std::string head;
  while (true) {
    const std::string_view line = TRY(input.peek_line());
    if (line.starts_with("part ") || line.starts_with("end ")) return head;
    if (head.size() > kMaxHead) return damaged_archive("its head is too long");
    head += TRY(input.line());
  }
}

Result<std::string> text_of_part(std::string_view piece) {
  if (!piece.starts_with("part ")) return std::string();
  const std::string_view bytes = packed_bytes(piece);
  const auto size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size > kMostText) return damaged_archive("a part is not compressed as it should be");
  std::string text(size, '\0');
  const std::size_t done = ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(done) != 0 || done != size) {
    return damaged_archive("a part is not compressed as it should be");
  }
  return text;
}

Oid chain_of_head(std::string_view head) { return sha256(head); }

Oid chain_after(const Oid& before, std::string_view piece) {
  if (!piece.starts_with("part ")) return before;
  return sha256(before.view(), packed_bytes(piece));
}

}  // namespace spoor::store
