// Strict text has one form: what parses is what serialize() writes. Held for
// values drawn at random, and for their texts changed at random.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "store/attest.h"
#include "store/blob.h"
#include "store/bundle.h"
#include "store/commit.h"
#include "store/lines.h"
#include "store/operation.h"
#include "store/rope.h"
#include "store/tag.h"
#include "store/tombstone.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;

namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool coin() { return below(2) == 0; }
  std::uint64_t integer() { return (random_() % (kMaxInteger + 1)) >> below(53); }

  Oid oid() {
    Oid oid;
    for (auto& byte : oid.bytes) byte = static_cast<std::uint8_t>(random_());
    return oid;
  }
  std::optional<Oid> maybe_oid() { return coin() ? std::optional(oid()) : std::nullopt; }
  std::vector<Oid> oids(std::uint64_t least, std::uint64_t most) {
    std::vector<Oid> all(least + below(most - least + 1));
    std::generate(all.begin(), all.end(), [this] { return oid(); });
    return all;
  }

  template <class T>
  T one_of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

  std::string line() {
    static const std::vector<std::string> kParts = {"a", "Z", "9", "ä", "☃", "😀", "-", "/", ".x"};
    std::string text = one_of(kParts);
    for (std::uint64_t i = below(12); i > 0; --i) text += (coin() ? " " : "") + one_of(kParts);
    return text;
  }
  std::string ref_part() {
    static const std::vector<std::string> kParts = {"a", "B", "0", "ü", "x-y", "f.g", "n/m"};
    std::string text = one_of(kParts);
    for (std::uint64_t i = below(4); i > 0; --i) text += "/" + one_of(kParts);
    return text;
  }
  Timestamp time() {
    return {static_cast<std::int64_t>(below(static_cast<std::uint64_t>(kLastMicro) + 1))};
  }
  std::vector<Content> contents(std::uint64_t most) {
    std::vector<Content> all;
    for (const Oid& each : oids(0, most)) {
      all.push_back(
          {each, one_of<std::string>({"text/plain", "application/json", "image/svg+xml"})});
    }
    return all;
  }

  Commit commit() {
    Commit c;
    c.op = static_cast<Op>(below(5));
    if (c.op == Op::append) c.type = static_cast<Type>(below(10));
    if (c.op == Op::merge) c.mode = static_cast<Mode>(below(4));
    if (c.op == Op::merge) {
      c.parents = oids(2, 2);
    } else if (c.op != Op::append || coin()) {
      c.parents = oids(1, 1);
    }
    if (!c.parents.empty()) {
      c.depth = 1 + std::min(integer(), kMaxInteger - 2);
      c.gen = c.depth + below(2);
    }
    if (c.depth >= 2) c.skip = oid();
    const bool is_digest = c.mode == Mode::digest;
    const bool speaks = c.op == Op::append || c.op == Op::compress || is_digest;
    if (speaks || (c.op != Op::merge && coin())) c.content = Content{oid()};
    if (speaks || c.op == Op::edit) c.fields = maybe_oid();
    if (c.op == Op::edit && !c.content) c.fields = oid();
    if (speaks) c.raw = contents(3);
    if (coin()) c.meta = "{\"k\":\"" + line() + "\"}";
    c.extra = maybe_oid();
    c.attach = contents(2);
    if (speaks) c.prompt = maybe_oid();
    const bool is_pick = c.mode == Mode::pick;
    if (c.op == Op::edit) c.target = oids(1, 1);
    if (c.op == Op::annotate || c.op == Op::compress || is_pick) {
      if (coin()) {
        c.target = oids(1, 5);
      } else {
        c.targets = oid();
      }
    }
    if (c.type == Type::note || c.type == Type::decision) c.about = oids(0, 3);
    if (c.op == Op::annotate) c.priority = static_cast<Priority>(below(3));
    if (coin()) c.author = line();
    if (coin()) c.time = time();
    if (coin()) c.change = oid().hex(32);
    return c;
  }

  Operation operation() {
    Operation o;
    (coin() ? o.prev : o.folded) = maybe_oid();
    o.time = time();
    o.actor = line();
    o.command = line();
    o.undo = maybe_oid();
    for (const Oid& each : oids(0, 3)) o.map.emplace_back(each, oid());
    for (std::uint64_t i = o.folded ? below(3) : 1 + below(4); i > 0; --i) {
      RefMove move{"refs/heads/" + ref_part(), maybe_oid(), oid()};
      if (o.folded) move.before.reset();
      if (move.before && coin()) move.after.reset();
      o.refs.push_back(move);
    }
    std::ranges::sort(o.refs, {}, &RefMove::name);
    const auto is_same = [](const RefMove& a, const RefMove& b) { return a.name == b.name; };
    o.refs.erase(std::unique(o.refs.begin(), o.refs.end(), is_same), o.refs.end());
    return o;
  }

  Bundle bundle() {
    Bundle b;
    b.commit = oid();
    b.renderer = one_of<std::string>({"anthropic/3", "openai-chat/1", "plain_text/12", "x.y/9"});
    if (coin()) b.model = line();
    b.options = maybe_oid();
    b.tools = maybe_oid();
    b.params = maybe_oid();
    b.hook = maybe_oid();
    b.digest = coin() ? Bundle::Digest::sha256 : Bundle::Digest::hmac;
    b.sent = oid();
    b.bytes = integer();
    b.stored = maybe_oid();
    return b;
  }

  Tag tag() { return {oid(), ref_part(), line(), time(), maybe_oid()}; }

  Tombstone tombstone() {
    Tombstone t{oids(1, 5), maybe_oid(), line(), time()};
    std::ranges::sort(t.erased);
    return t;
  }

  Attest attest() {
    Attest a;
    a.target = oid();
    a.key = oid().bytes;
    for (auto& byte : a.sig) byte = static_cast<std::uint8_t>(random_());
    return a;
  }

  ChunkList chunks() {
    ChunkList list;
    list.size = kMaxBlobContent + 1 + below(10 * kChunkPart);
    const std::size_t parts = (list.size + kChunkPart - 1) / kChunkPart;
    list.parts = oids(parts, parts);
    return list;
  }

  Rope rope() {
    Rope rope;
    for (std::uint64_t i = 2 + below(12); i > 0; --i) {
      const bool is_rope = coin();
      const std::uint64_t size = 1 + below(is_rope ? kMaxInteger / 16 : kMaxBlobContent);
      rope.pieces.push_back({oid(), size, is_rope});
    }
    return rope;
  }

  // A text that is a little, or much, different.
  std::string changed(std::string text) {
    const std::size_t at = below(text.size());
    switch (below(7)) {
      case 0:
        text[at] = static_cast<char>(random_());
        break;
      case 1:
        text[at] ^= static_cast<char>(1U << below(8));
        break;
      case 2:
        text.erase(at, 1);
        break;
      case 3:
        text.insert(at, 1, one_of<char>({' ', '\n', '0', 'a', '\r', '\0', 'A'}));
        break;
      case 4:
        text.resize(at);
        break;
      case 5: {  // A line twice.
        const std::size_t begin = text.rfind('\n', at) + 1;
        const std::size_t end = text.find('\n', begin);
        if (end != text.npos) text.insert(begin, text.substr(begin, end + 1 - begin));
        break;
      }
      default: {  // A line is moved to the end.
        const std::size_t end = text.find('\n', at);
        const std::size_t begin = end == text.npos ? text.npos : text.rfind('\n', end - 1) + 1;
        if (begin == text.npos || begin > end) break;
        const std::string moved = text.substr(begin, end + 1 - begin);
        text.erase(begin, moved.size());
        text += moved;
      }
    }
    return text;
  }

 private:
  std::mt19937_64 random_;
};

Result<std::string> text_of(Result<std::string> text) { return text; }

// Holds both directions for 400 values of one kind, and for changes of their texts.
template <class Make, class Parse>
void check_one_form(Make make, Parse parse) {
  Draw draw(spoor::testing::seeded(20300101));
  int refused = 0;
  for (int i = 0; i < spoor::testing::rounds(400); ++i) {
    const auto value = make(draw);
    const auto text = text_of(serialize(value));
    REQUIRE_MESSAGE(text, (text ? "" : text.error().message));
    const auto again = parse(*text);
    REQUIRE_MESSAGE(again, (again ? "" : again.error().message + "\n" + *text));
    CHECK(*again == value);
    for (int j = 0; j < 10; ++j) {
      const std::string changed = draw.changed(*text);
      const auto parsed = parse(changed);
      if (!parsed) {
        CHECK(parsed.error().code == Error::Code::corrupt);
        ++refused;
      } else {
        CHECK(text_of(serialize(*parsed)).value() == changed);
      }
    }
  }
  CHECK(refused > 400);  // Or nothing was tried.
}

}  // namespace

TEST_SUITE("store/strict_text") {
  TEST_CASE("commits have one text each") {
    check_one_form([](Draw& draw) { return draw.commit(); }, parse_commit);
  }
  TEST_CASE("operations have one text each") {
    check_one_form([](Draw& draw) { return draw.operation(); }, parse_operation);
  }
  TEST_CASE("bundles have one text each") {
    check_one_form([](Draw& draw) { return draw.bundle(); }, parse_bundle);
  }
  TEST_CASE("tags have one text each") {
    check_one_form([](Draw& draw) { return draw.tag(); }, parse_tag);
  }
  TEST_CASE("tombstones have one text each") {
    check_one_form([](Draw& draw) { return draw.tombstone(); }, parse_tombstone);
  }
  TEST_CASE("attests have one text each") {
    check_one_form([](Draw& draw) { return draw.attest(); }, parse_attest);
  }
  TEST_CASE("chunk lists have one text each") {
    check_one_form([](Draw& draw) { return draw.chunks(); }, parse_chunks);
  }

  TEST_CASE("ropes have one text each") {
    check_one_form([](Draw& draw) { return draw.rope(); }, parse_rope);
  }

  TEST_CASE("a rope has two pieces or more, and each of them a length") {
    const std::string name(64, 'a');
    const std::string piece = "piece " + name + " 1\n";
    CHECK(parse_rope(piece + piece));
    CHECK(parse_rope(piece + "rope " + name + " 9007199254740990\n"));
    std::string most;
    for (std::size_t i = 0; i < kMaxRopePieces; ++i) most += piece;
    CHECK(parse_rope(most));
    for (const std::string& text :
         {std::string(), piece, most + piece, piece + "piece " + name + "\n",
          piece + "piece " + name + " 0\n", piece + "piece " + name + " 01\n",
          piece + "piece " + name + " 1048577\n", piece + "rope " + name + " 9007199254740991\n",
          piece + "part " + name + " 1\n", piece + piece + "\n", piece + "size 1\n"}) {
      CAPTURE(text.substr(0, 300));
      CHECK_FALSE(parse_rope(text));
    }
  }

  TEST_CASE("a bundle without what it must say is none") {
    Bundle bundle;
    bundle.renderer = "anthropic/1";
    CHECK(serialize(bundle));
    for (const char* renderer : {"", "anthropic", "anthropic/", "anthropic/0", "anthropic/01", "/1",
                                 "Anthropic/1", "a b/1", "1a/1", "a/1/2"}) {
      CAPTURE(renderer);
      bundle.renderer = renderer;
      CHECK_FALSE(serialize(bundle));
    }
  }

  TEST_CASE("a tombstone names what it erased in order, and once") {
    Draw draw(1);
    Tombstone tombstone = draw.tombstone();
    tombstone.erased = {};
    CHECK_FALSE(serialize(tombstone));
    tombstone.erased = draw.oids(2, 2);
    std::ranges::sort(tombstone.erased, std::greater());
    CHECK_FALSE(serialize(tombstone));
    tombstone.erased[1] = tombstone.erased[0];
    CHECK_FALSE(serialize(tombstone));
  }

  TEST_CASE("a tag's name obeys the rules of refs") {
    Tag tag = Draw(1).tag();
    for (const char* name : {"", "a b", "-x", "x.lock", "a..b", "HEAD", "a\nb"}) {
      CAPTURE(name);
      tag.name = name;
      CHECK_FALSE(serialize(tag));
    }
  }

  TEST_CASE("what is signed is fixed") {
    Oid target;
    target.bytes.fill(0x41);
    CHECK(attested_message(target) == std::string("spoor1 attest\0", 14) + std::string(32, 'A'));
  }
}
