#include "store/archive_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "store/ancestry.h"
#include "store/attest.h"
#include "store/blob.h"
#include "store/fsck.h"
#include "store/own_tombstones.h"
#include "store/reader.h"
#include "store/references.h"
#include "store/rope.h"
#include "store/sha256.h"
#include "store/signature.h"
#include "store/tombstone.h"

namespace spoor::store {
namespace {

constexpr std::size_t kBatchBytes = 4U << 20U;
constexpr std::size_t kReaderCache = 32U << 20U;

Error bad(std::string_view what) { return damaged_archive(what); }

// Returns the error for an object that breaks a rule of docs/format.md; names the object and the
// fsck rule.
Error breaks(const Oid& oid, Kind kind, Rule rule, std::string_view what) {
  return bad(fmt::format("{} '{}' breaks the rule '{}': {}", name_of(kind), oid.hex(),
                         name_of(rule), what));
}

// Returns `rest` if `line` is `word rest\n`.
std::optional<std::string_view> after(std::string_view line, std::string_view word) {
  if (!line.starts_with(word) || line.size() < word.size() + 3 || line[word.size()] != ' ') {
    return std::nullopt;
  }
  line.remove_suffix(1);
  return line.substr(word.size() + 1);
}

class Receiver {
 public:
  Receiver(Store& store, const ReceiveOptions& options, const ByteSource& source)
      : store_(store), options_(options), reader_(store, kReaderCache), input_(source) {}

  Result<Received> run() {
    const std::string magic = TRY(input_.line());
    hash_ = sha256(hash_.view(), magic);
    if (magic == kArchiveMagic) {
      TRY(read_parts());
    } else if (magic == kPlainArchiveMagic || magic == kRopeArchiveMagic) {
      may_have_ropes_ = magic == kRopeArchiveMagic;
      TRY(read_stream());
    } else if (magic.starts_with("spoor archive ")) {
      return invalid("this archive was made by a newer spoor", "install the newer version");
    } else {
      return invalid("this is not a spoor archive");
    }
    TRY(flush());
    if (!TRY(input_.is_at_end())) return bad("there is data after its end");
    for (const Ref& ref : received_.head.refs) TRY(check_ref(ref));
    TRY(check_all_needed());
    Transaction change;
    change.objects = std::move(at_end_);
    do {
      TRY(list_tombstones(store_, tombstones_, change));
    } while (TRY(store_.commit(change)).is_stale);
    return std::move(received_);
  }

 private:
  // Format 3: the head, and parts that are verified and unpacked before they are looked at.
  Result<void> read_parts() {
    const std::string head = TRY(read_head_text(input_));
    std::string_view rest = head;
    TRY(read_head([&]() -> Result<std::string> {
      const std::size_t size = rest.find('\n') + 1;
      const std::string line(rest.substr(0, size));
      rest.remove_prefix(size);
      return line;
    }));
    if (!line_.empty()) return bad("a line is malformed");
    PartReader parts(input_, chain_of_head(std::string(kArchiveMagic) + head));
    std::string text;
    std::size_t at = 0;
    const ByteSource unpacked = [&](std::span<char> to) -> Result<std::size_t> {
      while (at == text.size()) {
        const auto piece = TRY(parts.next());
        if (!piece) return std::size_t{0};
        text = TRY(text_of_part(*piece));
        at = 0;
      }
      const std::size_t count = std::min(to.size(), text.size() - at);
      text.copy(to.data(), count, at);
      at += count;
      return count;
    };
    LineInput objects(unpacked);
    while (!TRY(objects.is_at_end())) {
      line_ = TRY(objects.line());
      TRY(read_object(objects));
    }
    has_parts_ = true;
    return {};
  }

  // Formats 1 and 2: one stream, with a running hash over its lines.
  Result<void> read_stream() {
    Oid before;
    const auto next_line = [&]() -> Result<std::string> {
      std::string line = TRY(input_.line());
      before = hash_;
      hash_ = sha256(hash_.view(), line);
      return line;
    };
    TRY(read_head(next_line));
    if (!received_.head.haves.empty()) return bad("its format has no haves");
    while (!after(line_, "end")) {
      TRY(read_object(input_));
      line_ = TRY(next_line());
    }
    if (*after(line_, "end") != before.hex()) return bad("its last line does not match the others");
    return {};
  }

  // Leaves the first line that is not the head's in `line_`.
  Result<void> read_head(const std::function<Result<std::string>()>& next) {
    line_ = TRY(next());
    if (line_ == "private yes\n") {
      received_.head.is_private = true;
      line_ = TRY(next());
    }
    if (received_.head.is_private != options_.is_private) {
      return options_.is_private
                 ? denied("the archive is of a store that is not private, and this one is",
                          "import it into a new store")
                 : denied("the archive is of a private store, and this one is not",
                          "make one with 'spoor init --private', and fetch or import it there");
    }
    if (const auto name = after(line_, "operation")) {
      received_.head.operation = Oid::from_hex(*name);
      if (!received_.head.operation) return bad("the operation's name is malformed");
      line_ = TRY(next());
    }
    while (const auto have = after(line_, "have")) {
      TRY(take_have(*have));
      line_ = TRY(next());
    }
    TRY(check_haves());
    while (const auto ref = after(line_, "ref")) {
      TRY(take_ref(*ref));
      line_ = TRY(next());
    }
    if (received_.head.refs.empty()) return bad("it contains no ref");
    return {};
  }

  Result<void> take_have(std::string_view text) {
    auto& haves = received_.head.haves;
    const auto oid = Oid::from_hex(text);
    if (!oid || (!haves.empty() && haves.back() >= *oid)) {
      return bad("an object that it builds on is malformed, or out of order");
    }
    haves.push_back(*oid);
    return {};
  }

  Result<void> check_haves() const {
    const auto& haves = received_.head.haves;
    const auto is_here = TRY(store_.has(haves));
    const auto absent = std::ranges::find(is_here, false);
    if (absent == is_here.end()) return {};
    const Oid& oid = haves[static_cast<std::size_t>(absent - is_here.begin())];
    return not_found(fmt::format("the archive builds on '{}', which is not here", oid.hex(12)),
                     "import first what it was made after, or make it again without '--since'");
  }

  Result<void> take_ref(std::string_view text) {
    const std::size_t space = text.rfind(' ');
    if (space == std::string_view::npos) return bad("a ref is malformed");
    const auto target = Oid::from_hex(text.substr(space + 1));
    Ref ref{std::string(text.substr(0, space)), target.value_or(Oid())};
    auto& refs = received_.head.refs;
    if (!target || !ref.name.starts_with("refs/") || !ref_name_problem(ref.name).empty() ||
        (!refs.empty() && refs.back().name >= ref.name)) {
      return bad("a ref is malformed");
    }
    refs.push_back(std::move(ref));
    return {};
  }

  // Reads the object of the current line.
  Result<void> read_object(LineInput& input) {
    const auto text = after(line_, "object");
    if (!text) return bad("a line is malformed");
    const std::size_t first = text->find(' ');
    const std::size_t second = text->rfind(' ');
    if (first == std::string_view::npos || second <= first) return bad("a line is malformed");
    const auto kind = kind_from(text->substr(0, first));
    const auto oid = Oid::from_hex(text->substr(second + 1));
    const std::string_view digits = text->substr(first + 1, second - first - 1);
    std::size_t size = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (!kind || !oid || problem != std::errc() || end != digits.data() + digits.size() ||
        size > kMaxBody || std::to_string(size) != digits) {
      return bad("a line is malformed");
    }
    std::string body = TRY(input.bytes(size + 1));
    if (body.back() != '\n') return bad("an object is longer than its size");
    body.pop_back();
    return take({*oid, *kind, std::move(body)});
  }

  Result<void> take(NewObject object) {
    const auto [oid, kind] = std::pair(object.oid, object.kind);
    if (object_name(kind, object.body) != oid) {
      return breaks(oid, kind, Rule::name, "its bytes do not match its name");
    }
    if (sizes_.contains(oid)) return bad(fmt::format("object '{}' occurs twice", oid.hex()));
    const bool is_content = kind == Kind::blob || kind == Kind::chunks || kind == Kind::rope;
    if (kind == Kind::rope && !may_have_ropes_) return bad("its format has no ropes");
    if (is_content && TRY(is_kept_out(oid))) {
      erased_.insert(oid);
      ++received_.left_out;
      return {};
    }
    const auto references = references_of(Object{kind, object.body});
    if (!references) return breaks(oid, kind, Rule::shape, references.error().message);
    if (kind == Kind::tombstone) {
      const Tombstone stone = TRY(parse_tombstone(object.body));
      erased_.insert(stone.erased.begin(), stone.erased.end());
      tombstones_.push_back(oid);
      if (tombstones_.size() > options_.most_tombstones) {
        return denied(
            fmt::format("the archive has more than {} tombstones", options_.most_tombstones));
      }
    }
    if (kind == Kind::attest && !is_genuine(TRY(parse_attest(object.body)))) {
      return breaks(oid, kind, Rule::signature, "it is not that of its key");
    }
    if (kind == Kind::blob) TRY(check_salt(oid, object.body));
    for (const Reference& needed : *references) TRY(check_reference(object, needed));
    if (kind == Kind::chunks) TRY(check_parts(object));
    if (kind == Kind::rope) TRY(check_pieces(object));
    if (options_.admits) TRY(options_.admits(object));

    ++received_.count.objects;
    received_.count.bytes += object.body.size();
    if (received_.count.objects > options_.most_objects ||
        received_.count.bytes > options_.most_bytes) {
      return denied(fmt::format("the archive has more than {} objects or {} bytes of them",
                                options_.most_objects, options_.most_bytes),
                    "send fewer commits at once");
    }
    if (kind == Kind::commit) ++received_.count.commits;
    sizes_.emplace(oid, size_in(kind, object.body));
    if (kind == Kind::tombstone || kind == Kind::attest) {
      at_end_.push_back(std::move(object));
      return {};
    }
    batch_bytes_ += object.body.size();
    batch_.push_back(std::move(object));
    if (batch_bytes_ > kBatchBytes || batch_.size() > 20'000) TRY(flush());
    return {};
  }

  // Returns whether this store erased the content: an archive does not bring it back.
  Result<bool> is_kept_out(const Oid& oid) const {
    if (!TRY(reader_.erased().reason_of(oid))) return false;
    if (!TRY(own_erasure_of(store_, oid))) return false;
    return !TRY(store_.has(std::array{oid}))[0];
  }

  Result<void> check_salt(const Oid& oid, std::string_view body) const {
    const bool is_salted =
        body.substr(0, std::tuple_size_v<Salt>).find_first_not_of('\0') != std::string_view::npos;
    if (is_salted == options_.is_private) return {};
    return bad(fmt::format("blob '{}' is salted as in another kind of store", oid.hex()));
  }

  // The kind of an object in the archive or the store, and the size of its text, if it is a blob or
  // a rope.
  struct Size {
    Kind kind;
    std::uint64_t text = 0;
    bool is_named = false;  // By another object or a ref of the archive.
  };
  static Size size_in(Kind kind, std::string_view body) {
    if (kind == Kind::blob) return {kind, body.size() - std::min(body.size(), sizeof(Salt))};
    if (kind != Kind::rope) return {kind};
    const auto rope = parse_rope(body);
    return {kind, rope ? rope.value().size() : 0};
  }

  Result<std::optional<Size>> size_of(const Oid& oid) {
    if (const auto here = sizes_.find(oid); here != sizes_.end())
      return std::optional(here->second);
    if (const auto known = outside_.find(oid); known != outside_.end()) return known->second;
    const auto found = TRY(store_.get(std::array{oid}))[0];
    if (found) TRY(verify(oid, *found));
    const auto size = found ? std::optional(size_in(found->kind, found->body)) : std::nullopt;
    outside_.emplace(oid, size);
    return size;
  }

  Result<void> check_reference(const NewObject& object, const Reference& needed) {
    if (const auto here = sizes_.find(needed.oid); here != sizes_.end()) {
      here->second.is_named = true;
    }
    const auto size = TRY(size_of(needed.oid));
    const bool is_content = accepts(needed.role, Kind::blob) || needed.role == Role::rope;
    const bool may_be_erased =
        is_content && !size &&
        (erased_.contains(needed.oid) || TRY(reader_.erased().reason_of(needed.oid)).has_value());
    if (!size && !may_be_erased) {
      return breaks(
          object.oid, object.kind, Rule::missing,
          fmt::format("its '{}', {}, is not before it", name_of(needed.role), needed.oid.hex()));
    }
    if (!size || accepts(needed.role, size->kind)) return {};
    return breaks(object.oid, object.kind, Rule::kind,
                  fmt::format("its '{}' names a {}", name_of(needed.role), name_of(size->kind)));
  }

  // Checks that the sizes of the parts add up to the content's; skips erased parts.
  Result<void> check_parts(const NewObject& object) {
    const ChunkList list = TRY(parse_chunks(object.body));
    std::uint64_t left = list.size;
    for (const Oid& part : list.parts) {
      const std::uint64_t expected = std::min<std::uint64_t>(left, kChunkPart);
      left -= expected;
      TRY(check_size(object, part, expected));
    }
    return {};
  }

  Result<void> check_pieces(const NewObject& object) {
    for (const RopePiece& piece : TRY(parse_rope(object.body)).pieces) {
      TRY(check_size(object, piece.oid, piece.size));
    }
    return {};
  }

  Result<void> check_size(const NewObject& object, const Oid& part, std::uint64_t expected) {
    const auto size = TRY(size_of(part));
    if (!size || size->text == expected) return {};
    return breaks(
        object.oid, object.kind, Rule::chunks,
        fmt::format("its part {} has {} bytes instead of {}", part.hex(), size->text, expected));
  }

  // Stores the batch. Checks depth, gen and skip of commits last, when their parents are readable.
  Result<void> flush() {
    TRY(store_.put(batch_));
    for (const NewObject& each : batch_) {
      if (each.kind != Kind::commit) continue;
      reader_.remember(each.oid, std::make_shared<const Commit>(TRY(parse_commit(each.body))));
    }
    for (const NewObject& each : batch_) {
      if (each.kind == Kind::commit) TRY(check_place(each.oid));
    }
    batch_.clear();
    outside_.clear();
    batch_bytes_ = 0;
    return {};
  }

  Result<void> check_place(const Oid& oid) const {
    const auto commit = TRY(reader_.commit(oid));
    std::uint64_t gen = 0;
    std::uint64_t depth = 0;
    std::optional<Oid> skip;
    for (const Oid& parent : commit->parents)
      gen = std::max(gen, TRY(reader_.commit(parent))->gen + 1);
    if (!commit->parents.empty()) {
      depth = TRY(reader_.commit(commit->parents[0]))->depth + 1;
      skip = TRY(skip_of_child(reader_, commit->parents[0], depth));
    }
    const auto stands_at = [&](Rule rule, std::uint64_t says, std::uint64_t is) {
      return breaks(oid, Kind::commit, rule,
                    fmt::format("it is {}, but its parents require {}", says, is));
    };
    if (commit->depth != depth) return stands_at(Rule::depth, commit->depth, depth);
    if (commit->gen != gen) return stands_at(Rule::gen, commit->gen, gen);
    if (commit->skip != skip) {
      return breaks(oid, Kind::commit, Rule::skip,
                    fmt::format("the ancestor there is {}", skip ? skip->hex() : "none"));
    }
    std::vector<Oid> targets = commit->target;
    if (commit->targets) TRY(add_listed(oid, *commit->targets, targets));
    for (const Oid& target : targets) {
      if (TRY(is_ancestor(reader_, target, oid))) continue;
      return breaks(oid, Kind::commit, Rule::ancestor,
                    fmt::format("its target {} is not an ancestor", target.hex()));
    }
    return {};
  }

  Result<void> add_listed(const Oid& oid, const Oid& list, std::vector<Oid>& targets) const {
    constexpr std::size_t kName = 32;
    const auto bytes = reader_.content(list);
    if (!bytes && bytes.error().code == Error::Code::not_found) return {};  // Erased.
    if (!bytes) return bytes.error();
    const std::string_view names = *bytes.value();
    if (erased_.contains(list) && is_erasure_text(names)) return {};
    if (names.size() % kName != 0 || names.size() / kName <= kMaxTargetLines) {
      return breaks(
          oid, Kind::commit, Rule::targets,
          fmt::format("it lists {} bytes: not more than {} names", names.size(), kMaxTargetLines));
    }
    for (std::size_t at = 0; at < names.size(); at += kName) {
      const Oid target = *Oid::from_bytes(names.substr(at, kName));
      const auto found = TRY(store_.get(std::array{target}))[0];
      if (!found || found->kind != Kind::commit) {
        return breaks(oid, Kind::commit, found ? Rule::targets : Rule::missing,
                      fmt::format("it lists {}, which is {}", target.hex(),
                                  found ? name_of(found->kind) : "missing"));
      }
      targets.push_back(target);
    }
    return {};
  }

  // Objects that nothing leads to would only take space.
  Result<void> check_all_needed() const {
    if (!has_parts_) return {};
    for (const auto& [oid, size] : sizes_) {
      const bool is_free = size.kind == Kind::tombstone || size.kind == Kind::attest;
      if (size.is_named || is_free) continue;
      return bad(fmt::format("no ref leads to its {} '{}'", name_of(size.kind), oid.hex()));
    }
    return {};
  }

  Result<void> check_ref(const Ref& ref) {
    if (const auto here = sizes_.find(ref.target); here != sizes_.end()) {
      here->second.is_named = true;
    }
    const auto object = TRY(store_.get(std::array{ref.target}))[0];
    const bool is_tag = object && object->kind == Kind::tag && ref.name.starts_with(tag_ref(""));
    if (is_tag || (object && object->kind == Kind::commit)) return {};
    return bad(fmt::format("'{}' breaks the rule '{}': {} is {}", ref.name,
                           name_of(Rule::ref_commit), ref.target.hex(),
                           object ? name_of(object->kind) : "missing"));
  }

  Store& store_;
  const ReceiveOptions& options_;
  const Reader reader_;
  LineInput input_;
  Received received_;
  std::string line_;
  Oid hash_;  // The lines of a stream.
  bool may_have_ropes_ = true;
  bool has_parts_ = false;          // It is of format 3.
  std::unordered_set<Oid> erased_;  // By a tombstone of the archive, or in this store.
  std::vector<Oid> tombstones_;
  std::vector<NewObject> at_end_;  // Tombstones and signatures of a whole archive.

  std::unordered_map<Oid, Size> sizes_;                   // For all objects of the archive so far.
  std::unordered_map<Oid, std::optional<Size>> outside_;  // For objects of the store.
  std::vector<NewObject> batch_;
  std::size_t batch_bytes_ = 0;
};

}  // namespace

Result<Received> receive_archive(Store& store, const ReceiveOptions& options,
                                 const ByteSource& source) {
  return Receiver(store, options, source).run();
}

Result<std::vector<PlacedRef>> place_refs(const Store& store, const ArchiveHead& head) {
  std::vector<PlacedRef> placed;
  const auto is_taken = [&](const std::string& name) {
    const auto by = [&name](const auto& each) { return each.name == name; };
    return std::any_of(head.refs.begin(), head.refs.end(), by);
  };
  for (const Ref& ref : head.refs) {
    std::string as = ref.name;
    auto there = TRY(store.ref(as));
    for (int number = 1; there && *there != ref.target; ++number) {
      as = ref.name + "-imported" + (number == 1 ? std::string() : fmt::format("-{}", number));
      if (!is_taken(as)) there = TRY(store.ref(as));
    }
    placed.push_back({ref.name, as, ref.target, !there});
  }
  return placed;
}

}  // namespace spoor::store
