#include "cli/git/export.h"

#include <unordered_map>

#include <fmt/format.h>

#include "cli/git/message.h"
#include "cli/git/new_repository.h"
#include "cli/git/order.h"
#include "cli/git/picture.h"
#include "cli/git/ref_names.h"
#include "compile/apply.h"

namespace spoor::cli::git {

using api::read_view;
using api::TurnView;

namespace {

using compile::State;
using store::Oid;
using Id = Order::Id;

constexpr std::int64_t kMicros = 1'000'000;

// The state at a commit whose children are still to be written.
struct Line {
  State state;
  Picture picture;
};

class Export {
 public:
  Export(const store::Reader& reader, const Order& order, PackWriter& pack, const Step& step)
      : reader_(reader),
        order_(order),
        pack_(pack),
        step_(step),
        blobs_(reader, pack),
        made_(order.size()),
        seconds_(order.size(), 0),
        children_left_(order.size(), 0) {
    for (Id id = 0; id < order.size(); ++id) children_left_[id] = order.children(id);
  }

  Result<void> run() {
    return order_.each([this](Id id) -> Result<void> {
      TRY(step_(done_, order_.size()));
      TRY(take(id));
      ++done_;
      return {};
    });
  }

  const GitOid& made(const Oid& commit) const { return made_[order_.find(commit)]; }
  std::uint64_t absent() const { return blobs_.absent(); }
  Blobs& blobs() { return blobs_; }

 private:
  Result<void> take(Id id) {
    const TurnView turn = TRY(read_view(reader_, order_.name(id)));
    const store::NamedCommit named{turn.oid, turn.commit};
    const Id first = order_.first_parent(id);
    const Id second = order_.second_parent(id);
    // The other side first, since both parents may be the same.
    const auto theirs = second == Order::kNone ? nullptr : line_after(second);
    auto line = first == Order::kNone ? std::make_unique<Line>() : line_after(first);
    TRY(compile::apply(reader_, named, theirs ? &theirs->state : nullptr, line->state));
    TRY(line->picture.apply(reader_, blobs_, named, line->state));

    Commit commit;
    commit.tree = TRY(line->picture.write(pack_));
    for (const Id parent : {first, second}) {
      if (parent != Order::kNone) commit.parents.push_back(made_[parent]);
    }
    // A turn without a time takes that of the turn before it.
    seconds_[id] = first == Order::kNone ? 0 : seconds_[first];
    if (turn.commit->time) seconds_[id] = turn.commit->time->micros / kMicros;
    commit.author = signature_of(turn, seconds_[id]);
    commit.message = TRY(message_of(reader_, turn));
    made_[id] = TRY(pack_.put(Kind::commit, encode(commit)));
    if (children_left_[id] > 0) lines_.emplace(id, std::move(line));
    return {};
  }

  // Returns the line itself for the last child, a copy for earlier ones.
  std::unique_ptr<Line> line_after(Id parent) {
    const auto found = lines_.find(parent);
    if (--children_left_[parent] > 0) return std::make_unique<Line>(*found->second);
    auto line = std::move(found->second);
    lines_.erase(found);
    return line;
  }

  const store::Reader& reader_;
  const Order& order_;
  PackWriter& pack_;
  const Step& step_;
  Blobs blobs_;
  std::vector<GitOid> made_;
  std::vector<std::int64_t> seconds_;
  std::vector<std::uint32_t> children_left_;
  std::unordered_map<Id, std::unique_ptr<Line>> lines_;
  std::uint64_t done_ = 0;
};

// Writes a tag object as a git tag; else returns the commit.
Result<RefTarget> target_of(const store::Reader& reader, Export& made, PackWriter& pack,
                            const store::Ref& ref, const std::string& git_name) {
  const auto tag = TRY(reader.tag(ref.target));
  if (!tag) return RefTarget{made.made(ref.target), std::nullopt};
  const GitOid commit = made.made(tag->target);
  std::string note;
  if (tag->note) {
    const auto text = reader.content(*tag->note);
    if (!text && text.error().code != Error::Code::not_found) return text.error();
    if (text) note = *text.value();
  }
  constexpr std::string_view kTags = "refs/tags/";
  const bool is_tag = git_name.starts_with(kTags);
  const Tag object{commit, is_tag ? git_name.substr(kTags.size()) : tag->name,
                   signature_of(tag->author, tag->time.micros / kMicros), message_of(*tag, note)};
  return RefTarget{TRY(pack.put(Kind::tag, encode(object))), commit};
}

}  // namespace

Result<Exported> export_repository(const store::Reader& reader, const Request& request,
                                   const Step& step) {
  NewRepository repository = TRY(NewRepository::open(request.path));
  std::vector<Oid> tips;
  for (const store::Ref& ref : request.refs) tips.push_back(TRY(reader.peel(ref.target)));
  if (request.head_commit) tips.push_back(*request.head_commit);
  const Order order = TRY(Order::of(reader, tips));
  const auto pack = TRY(PackWriter::create(repository.pack_folder()));
  Export made(reader, order, *pack, step);
  TRY(made.run());

  std::vector<std::string> ours;
  for (const store::Ref& ref : request.refs) ours.push_back(ref.name);
  const auto names = git_names(std::move(ours));
  Exported exported;
  std::map<std::string, RefTarget> refs;
  for (const store::Ref& ref : request.refs) {
    const std::string& name = names.at(ref.name);
    if (name != ref.name) exported.new_names.emplace(ref.name, name);
    refs.emplace(name, TRY(target_of(reader, made, *pack, ref, name)));
  }
  std::string head = "ref: refs/heads/main";
  if (request.head_commit) {
    head = made.made(*request.head_commit).hex();
  } else if (!request.head_ref.empty()) {
    const auto name = names.find(request.head_ref);
    head = "ref: " + (name == names.end() ? request.head_ref : name->second);
  }
  TRY(pack->finish());
  TRY(repository.finish(refs, head));
  exported.commits = order.size();
  exported.objects = pack->objects();
  exported.absent = made.absent();
  return exported;
}

}  // namespace spoor::cli::git
