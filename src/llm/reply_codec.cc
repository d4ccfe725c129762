#include "llm/reply_codec.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace spoor::llm {
namespace {

// The first bytes of an entry. If any member changes, change the number: old entries are then
// dropped.
constexpr std::string_view kMagic = "spoor reply 1\n";

// ---- Both directions ----
//
// One description of the members is used by writer and reader, so that they cannot differ. Numbers
// are in base 128, low digits first; the high bit of a byte means that more follow. Texts and lists
// begin with their length; optional values begin with 0 or 1.

template <class Pass>
void walk(Pass& pass, compile::ToolCall& call) {
  pass.text(call.id);
  pass.text(call.name);
  pass.text(call.arguments);
}

template <class Pass>
void walk(Pass& pass, Piece& piece) {
  pass.kind(piece.kind, Piece::Kind::other);
  pass.text(piece.text);
  walk(pass, piece.call);
  pass.text(piece.raw);
}

template <class Pass>
void walk(Pass& pass, KeptEvent& event) {
  pass.kind(event.kind, ReplyEvent::Kind::waiting);
  pass.text(event.text);
}

template <class Pass>
void walk(Pass& pass, Usage& usage) {
  for (auto* count :
       {&usage.input, &usage.cached, &usage.cache_written, &usage.output, &usage.reasoning}) {
    pass.optional(*count, [&](std::uint64_t& number) { pass.number(number); });
  }
  pass.text(usage.raw);
}

template <class Pass>
void walk(Pass& pass, Failure& failure) {
  pass.kind(failure.kind, Failure::Kind::interrupted);
  pass.integer(failure.status);
  pass.text(failure.type);
  pass.text(failure.message);
  pass.text(failure.raw);
  pass.optional(failure.retry_after, [&](std::chrono::milliseconds& time) { pass.duration(time); });
  pass.optional(failure.should_retry, [&](bool& should) { pass.boolean(should); });
}

template <class Pass>
void walk(Pass& pass, KeptReply& kept) {
  Reply& reply = kept.reply;
  pass.list(reply.pieces, [&](Piece& piece) { walk(pass, piece); });
  pass.text(reply.format);
  pass.text(reply.id);
  pass.text(reply.model);
  pass.text(reply.finish_reason);
  pass.boolean(reply.is_refusal);
  walk(pass, reply.usage);
  pass.text(reply.raw);
  pass.text(reply.transformations);
  pass.optional(reply.failure, [&](Failure& failure) { walk(pass, failure); });
  pass.list(kept.events, [&](KeptEvent& event) { walk(pass, event); });
}

// Interleaves negative and positive numbers, so that small ones stay short.
std::uint64_t folded(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ (value < 0 ? ~std::uint64_t{0} : 0);
}

std::int64_t unfolded(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1U) ^ ((value & 1U) != 0 ? ~std::uint64_t{0} : 0));
}

class Writer {
 public:
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) out_.push_back(static_cast<char>(value | 0x80U));
    out_.push_back(static_cast<char>(value));
  }
  void text(const std::string& text) {
    number(text.size());
    out_ += text;
  }
  void boolean(bool value) { number(value ? 1 : 0); }
  void integer(int value) { number(folded(value)); }
  void duration(std::chrono::milliseconds time) { number(folded(time.count())); }

  template <class Kind>
  void kind(Kind value, Kind /*last*/) {
    number(static_cast<std::uint64_t>(value));
  }
  template <class T, class Each>
  void optional(std::optional<T>& value, Each each) {
    boolean(value.has_value());
    if (value) each(*value);
  }
  template <class T, class Each>
  void list(std::vector<T>& values, Each each) {
    number(values.size());
    for (T& value : values) each(value);
  }

  std::string take() { return std::move(out_); }

 private:
  std::string out_{kMagic};
};

// After an error, all further members are empty and nothing more is read.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {
    is_sound_ = rest_.starts_with(kMagic);
    if (is_sound_) rest_.remove_prefix(kMagic.size());
  }

  void number(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; is_sound_; shift += 7) {
      if (rest_.empty() || shift > 63) return fail();
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      const std::uint64_t digit = byte & 0x7fU;
      if (shift == 63 && digit > 1) return fail();  // More than 64 bits.
      if (shift > 0 && byte == 0) return fail();    // Not the shortest form.
      value |= digit << shift;
      if ((byte & 0x80U) == 0) return;
    }
  }
  void text(std::string& text) {
    const std::uint64_t size = length();
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  void boolean(bool& value) {
    std::uint64_t written = 0;
    number(written);
    if (written > 1) fail();
    value = written == 1;
  }
  void integer(int& value) {
    std::uint64_t written = 0;
    number(written);
    const std::int64_t wide = unfolded(written);
    value = static_cast<int>(wide);
    if (value != wide) fail();
  }
  void duration(std::chrono::milliseconds& time) {
    std::uint64_t written = 0;
    number(written);
    time = std::chrono::milliseconds(unfolded(written));
  }

  template <class Kind>
  void kind(Kind& value, Kind last) {
    std::uint64_t written = 0;
    number(written);
    if (written > static_cast<std::uint64_t>(last)) return fail();
    value = static_cast<Kind>(written);
  }
  template <class T, class Each>
  void optional(std::optional<T>& value, Each each) {
    bool is_there = false;
    boolean(is_there);
    if (is_there && is_sound_) each(value.emplace());
  }
  template <class T, class Each>
  void list(std::vector<T>& values, Each each) {
    // Each element takes at least one byte, so the count cannot exceed the input.
    for (std::uint64_t count = length(); count > 0 && is_sound_; --count) {
      each(values.emplace_back());
    }
  }

  bool is_sound() const { return is_sound_ && rest_.empty(); }

 private:
  // Reads the length of a text or list; at most the number of remaining bytes.
  std::uint64_t length() {
    std::uint64_t size = 0;
    number(size);
    if (size > rest_.size()) fail();
    return is_sound_ ? size : 0;
  }
  void fail() {
    is_sound_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool is_sound_ = true;
};

}  // namespace

std::string encode_reply(const KeptReply& kept) {
  KeptReply copy = kept;  // The walk serves both directions, so it needs mutable values.
  Writer writer;
  walk(writer, copy);
  return writer.take();
}

Result<KeptReply> decode_reply(std::string_view bytes) {
  KeptReply kept;
  Reader reader(bytes);
  walk(reader, kept);
  if (!reader.is_sound()) {
    return corrupt("the bytes are not a stored reply of this version", "ask the model again");
  }
  return kept;
}

}  // namespace spoor::llm
