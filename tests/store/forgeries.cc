#include "tests/store/forgeries.h"

namespace spoor::store::sample {
namespace {

Oid unknown() { return object_name(Kind::blob, "nobody has this"); }

std::string operation_subject(const World& world) {
  return "operation " + std::to_string(world.log.back().number);
}

// The commit at the end of main.
Oid tip(const World& world) { return world.refs.at(kMain); }

// Adds a commit to the end of main, whatever it says.
std::string put_on_main(World& world, const Commit& commit) {
  const Oid oid = world.add(commit);
  world.move(kMain, oid);
  return oid.hex();
}

// Adds bytes under their right name.
std::function<std::string(World&)> adds(Kind kind, std::string body) {
  return [kind, body = std::move(body)](World& world) { return world.add(kind, body).hex(); };
}

// Adds a sound object's text with one part of it replaced, under its right name.
std::function<std::string(World&)> replaces(Kind kind, std::string part, std::string by) {
  return [=](World& world) {
    std::string body = world.first(kind).body;
    return world.add(kind, body.replace(body.find(part), part.size(), by)).hex();
  };
}

// Adds the text of main's last commit with one part of it replaced.
std::function<std::string(World&)> replaces_in_tip(std::string part, std::string by) {
  return [=](World& world) {
    std::string body = serialize(world.commits.at(tip(world))).value();
    return world.add(Kind::commit, body.replace(body.find(part), part.size(), by)).hex();
  };
}

// Adds a turn to main in which `change` sets one name to what cannot stand there.
template <class Change>
std::function<std::string(World&)> misnames(Change change) {
  return [change](World& world) {
    Commit commit = world.turn({tip(world)}, "misnames", Type::decision);
    change(world, commit);
    return put_on_main(world, commit);
  };
}

// Logs one more operation, moving side to the tip of main, after `change`.
template <class Change>
std::function<std::string(World&)> logs(Change change) {
  return [change](World& world) {
    Operation operation = world.moving({{kSide, tip(world)}});
    change(world, operation);
    world.log_operation(operation);
    return operation_subject(world);
  };
}

std::vector<Forgery> object_forgeries() {
  return {
      {"a blob whose content changed", Rule::name, "name",
       [](World& world) {
         NewObject& blob = world.first(Kind::blob);
         blob.body.back() ^= 1;
         return blob.oid.hex();
       }},
      {"a blob whose salt changed", Rule::name, "name",
       [](World& world) {
         NewObject& blob = world.first(Kind::blob);
         blob.body.front() ^= 1;
         return blob.oid.hex();
       }},
      {"a commit whose text changed", Rule::name, "name",
       [](World& world) {
         NewObject& commit = world.first(Kind::commit);
         commit.body.replace(0, 9, "op append");
         commit.body.replace(commit.body.find("user"), 4, "tool");
         return commit.oid.hex();
       }},
      {"a blob that says it is a bundle", Rule::name, "name",
       [](World& world) {
         NewObject& blob = world.first(Kind::blob);
         blob.kind = Kind::bundle;
         return blob.oid.hex();
       }},
      {"a blob without its salt", Rule::shape, "shape", adds(Kind::blob, "short")},
      {"a blob over 1 MiB", Rule::shape, "shape",
       adds(Kind::blob, std::string(kMaxBlobContent + 17, 'x'))},
      {"chunks of what fits a blob", Rule::shape, "shape", adds(Kind::chunks, "size 1048576\n")},
      {"a rope of one piece", Rule::shape, "shape",
       adds(Kind::rope, "piece " + std::string(64, 'a') + " 1\n")},
      {"chunks with too few parts", Rule::shape, "chunks",
       [](World& world) {
         std::string body = world.first(Kind::chunks).body;
         body.resize(body.rfind("part "));
         return world.add(Kind::chunks, body).hex();
       }},
      {"a commit with an unknown line", Rule::shape, "shape",
       replaces_in_tip("op compress\n", "op compress\nnew thing\n")},
      {"a commit with a repeated line", Rule::shape, "shape",
       replaces_in_tip("op compress\n", "op compress\nop compress\n")},
      {"a commit with lines out of order", Rule::shape, "shape",
       [](World& world) {
         std::string body = serialize(world.turn({}, "order")).value();
         body.replace(body.find("depth 0\ngen 0\n"), 14, "gen 0\ndepth 0\n");
         return world.add(Kind::commit, body).hex();
       }},
      {"a commit with an empty line", Rule::shape, "shape",
       replaces_in_tip("op compress\n", "op compress\n\n")},
      {"a commit without its last line end", Rule::shape, "shape",
       [](World& world) {
         std::string body = serialize(world.turn({}, "cut")).value();
         body.pop_back();
         return world.add(Kind::commit, body).hex();
       }},
      {"a commit with a carriage return", Rule::shape, "shape",
       replaces_in_tip("op compress\n", "op compress\r\n")},
      {"a commit with a number that starts with zero", Rule::shape, "shape",
       replaces_in_tip("depth ", "depth 0")},
      {"a commit with upper-case digits", Rule::shape, "shape",
       [](World& world) {
         std::string body = serialize(world.turn({}, "case")).value();
         for (char& c : body)
           c = c >= 'a' && c <= 'f' && &c > &body[body.find("content ") + 7] &&
                       &c < &body[body.find("content ") + 72]
                   ? static_cast<char>(c - 32)
                   : c;
         return world.add(Kind::commit, body).hex();
       }},
      {"a commit with another op", Rule::shape, "shape",
       replaces_in_tip("op compress", "op squash")},
      {"an append without a type", Rule::shape, "shape",
       [](World& world) {
         std::string body = serialize(world.turn({}, "typeless")).value();
         body.erase(body.find("type user\n"), 10);
         return world.add(Kind::commit, body).hex();
       }},
      {"a compress with a type", Rule::shape, "shape",
       replaces_in_tip("op compress\n", "op compress\ntype user\n")},
      {"a root that says depth 1", Rule::shape, "shape",
       [](World& world) {
         std::string body = serialize(world.turn({}, "deep")).value();
         body.replace(body.find("depth 0\ngen 0"), 13, "depth 1\ngen 1");
         return world.add(Kind::commit, body).hex();
       }},
      {"a gen below the depth", Rule::shape, "shape",
       [](World& world) {
         const auto commit = world.turn({world.refs.at(tag_ref("v0"))}, "low");
         std::string body = serialize(commit).value();
         body.replace(body.find("gen 1"), 5, "gen 0");
         return world.add(Kind::commit, body).hex();
       }},
      {"a skip at depth 1", Rule::shape, "skip",
       [](World& world) {
         const Oid root = world.refs.at(tag_ref("v0"));
         std::string body = serialize(world.turn({root}, "skips")).value();
         body.insert(body.find("content"), "skip " + root.hex() + "\n");
         return world.add(Kind::commit, body).hex();
       }},
      {"no skip at depth 2 and more", Rule::shape, "skip",
       [](World& world) {
         std::string body = serialize(world.commits.at(tip(world))).value();
         const std::size_t begin = body.find("skip ");
         return world.add(Kind::commit, body.erase(begin, body.find('\n', begin) + 1 - begin))
             .hex();
       }},
      {"a merge with one parent", Rule::shape, "shape",
       [](World& world) {
         Commit merge = world.directive(Op::merge, {tip(world), world.refs.at(kSide)});
         merge.mode = Mode::ours;
         std::string body = serialize(merge).value();
         const std::size_t second = body.rfind("parent ");
         return world.add(Kind::commit, body.erase(second, 72)).hex();
       }},
      {"a merge of a commit with itself", Rule::shape, "shape",
       [](World& world) {
         const std::string line = "parent " + tip(world).hex() + "\n";
         const Commit after = world.directive(Op::merge, {tip(world)});
         std::string body = "op merge\nmode ours\n" + line + line + "depth " +
                            std::to_string(after.depth) + "\ngen " + std::to_string(after.gen) +
                            "\nskip " + after.skip->hex() + "\n";
         return world.add(Kind::commit, body).hex();
       }},
      {"a root that is no append", Rule::shape, "shape",
       [](World& world) {
         return world
             .add(Kind::commit, "op annotate\ndepth 0\ngen 0\ntarget " +
                                    world.refs.at(tag_ref("v0")).hex() + "\npriority skip\n")
             .hex();
       }},
      {"a media type with a blank", Rule::shape, "shape",
       replaces_in_tip("text/plain\n", "text/plain ; x\n")},
      {"an edit of nothing", Rule::shape, "shape",
       [](World& world) {
         Commit edit = world.directive(Op::edit, {tip(world)});
         edit.target = {tip(world)};
         edit.content = Content{world.content("x")};
         std::string body = serialize(edit).value();
         const std::size_t target = body.find("target ");
         return world.add(Kind::commit, body.erase(target, 72)).hex();
       }},
      {"a time that no calendar has", Rule::shape, "shape",
       [](World& world) {
         Commit commit = world.turn({}, "time");
         commit.time = at(0);
         std::string body = serialize(commit).value();
         body.replace(body.find("2030-01-01"), 10, "2030-02-30");
         return world.add(Kind::commit, body).hex();
       }},
      {"an author with a control character", Rule::shape, "shape",
       [](World& world) {
         Commit commit = world.turn({}, "author");
         commit.author = "a+b";
         std::string body = serialize(commit).value();
         body[body.find('+')] = '\x1b';
         return world.add(Kind::commit, body).hex();
       }},
      {"an author with an outer blank", Rule::shape, "shape",
       [](World& world) {
         Commit commit = world.turn({}, "author");
         commit.author = "ab";
         std::string body = serialize(commit).value();
         body.replace(body.find("author ab"), 9, "author ab ");
         return world.add(Kind::commit, body).hex();
       }},
      {"a meta that is no object", Rule::shape, "shape",
       [](World& world) {
         Commit commit = world.turn({}, "meta");
         commit.meta = "{\"a\":1}";
         std::string body = serialize(commit).value();
         body.replace(body.find("{\"a\":1}"), 7, "[1]");
         return world.add(Kind::commit, body).hex();
       }},
      {"a change id of 31 digits", Rule::shape, "shape",
       [](World& world) {
         Commit commit = world.turn({}, "change");
         commit.change = std::string(32, 'a');
         std::string body = serialize(commit).value();
         body.erase(body.size() - 2, 1);
         return world.add(Kind::commit, body).hex();
       }},
      {"a bundle without a renderer's number", Rule::shape, "",
       replaces(Kind::bundle, "anthropic/1", "anthropic")},
      {"a bundle with a cut digest", Rule::shape, "",
       replaces(Kind::bundle, "sha256 ", "sha256 0")},
      {"a tag without a name", Rule::shape, "", replaces(Kind::tag, "name v1\n", "")},
      {"a tombstone for nothing", Rule::shape, "", adds(Kind::tombstone, "author a\ntime x\n")},
      {"an attest with a long signature", Rule::shape, "", replaces(Kind::attest, "sig ", "sig 0")},
      {"an attest that its key never signed", Rule::signature, "",
       adds(Kind::attest, serialize(Attest()))},
      {"a content that is not there", Rule::missing, "missing",
       [](World& world) {
         const Oid content = world.commits.at(tip(world)).content->oid;
         world.drop(content);
         return content.hex();
       }},
      {"a parent that is not there", Rule::missing, "missing",
       [](World& world) {
         const Oid last = world.grow(std::nullopt, 3, "other");
         world.move(branch_ref("other"), last);
         const Oid parent = world.commits.at(last).parents[0];
         world.drop(parent);
         return parent.hex();
       }},
      {"a listed target that is not there", Rule::missing, "",
       [](World& world) {
         Commit commit = world.directive(Op::annotate, {tip(world)});
         commit.priority = Priority::skip;
         commit.targets = world.content(std::string(32 * 300, 'x'));
         put_on_main(world, commit);
         return Oid::from_bytes(std::string(32, 'x'))->hex();
       }},
      {"a part of chunks that is not there", Rule::missing, "missing",
       [](World& world) {
         const std::string body = world.first(Kind::chunks).body;
         const Oid part = *Oid::from_hex(body.substr(body.size() - 65, 64));
         world.drop(part);
         return part.hex();
       }},
      {"a bundle's stored request that is not there", Rule::missing, "",
       [](World& world) {
         const Oid stored = *parse_bundle(world.first(Kind::bundle).body)->stored;
         world.drop(stored);
         return stored.hex();
       }},
  };
}

std::vector<Forgery> kind_forgeries() {
  const auto a_bundle = [](World& world) { return world.first(Kind::bundle).oid; };
  const auto a_blob = [](World& world) { return world.first(Kind::blob).oid; };
  return {
      {"a content that is a commit", Rule::kind, "",
       misnames([](World& world, Commit& c) { c.content = Content{tip(world)}; })},
      {"fields that are a bundle", Rule::kind, "",
       misnames([=](World& world, Commit& c) { c.fields = a_bundle(world); })},
      {"a raw item that is a bundle", Rule::kind, "", misnames([=](World& world, Commit& c) {
         c.raw = {{a_bundle(world), "x/y"}};
       })},
      {"an extra that is a bundle", Rule::kind, "",
       misnames([=](World& world, Commit& c) { c.extra = a_bundle(world); })},
      {"an attachment that is a bundle", Rule::kind, "", misnames([=](World& world, Commit& c) {
         c.attach = {{a_bundle(world), "x/y"}};
       })},
      {"a prompt that is a blob", Rule::kind, "",
       misnames([=](World& world, Commit& c) { c.prompt = a_blob(world); })},
      {"an about that is a blob", Rule::kind, "",
       misnames([=](World& world, Commit& c) { c.about = {a_blob(world)}; })},
      {"a parent that is a blob", Rule::kind, "",
       [=](World& world) {
         Commit commit = world.turn({}, "child of a blob");
         commit.parents = {a_blob(world)};
         commit.depth = commit.gen = 1;
         return put_on_main(world, commit);
       }},
      {"a target that is a blob", Rule::kind, "",
       [=](World& world) {
         Commit commit = world.directive(Op::annotate, {tip(world)});
         commit.priority = Priority::skip;
         commit.target = {a_blob(world)};
         return put_on_main(world, commit);
       }},
      {"a part of chunks that is a bundle", Rule::kind, "",
       [=](World& world) {
         std::string body = world.first(Kind::chunks).body;
         body.replace(body.size() - 65, 64, a_bundle(world).hex());
         return world.add(Kind::chunks, body).hex();
       }},
      {"a bundle of no commit", Rule::kind, "",
       [=](World& world) {
         Bundle bundle = *parse_bundle(world.first(Kind::bundle).body);
         bundle.commit = a_blob(world);
         return world.add(Kind::bundle, serialize(bundle).value()).hex();
       }},
      {"a tag on a blob", Rule::kind, "",
       [=](World& world) {
         Tag tag = *parse_tag(world.first(Kind::tag).body);
         tag.target = a_blob(world);
         return world.add(Kind::tag, serialize(tag).value()).hex();
       }},
      {"a bundle of what was a rope's piece, and is a commit", Rule::kind, "",
       [=](World& world) {
         Bundle bundle = *parse_bundle(world.first(Kind::bundle).body);
         bundle.stored = tip(world);
         return world.add(Kind::bundle, serialize(bundle).value()).hex();
       }},
      {"a piece that is a rope", Rule::kind, "",
       [=](World& world) {
         const RopePiece inner{world.first(Kind::rope).oid, 5, false};
         return world.add(Kind::rope, serialize(Rope{{inner, inner}})).hex();
       }},
      {"a piece of another size", Rule::chunks, "chunks",
       [](World& world) {
         const RopePiece piece{world.content("not 5 bytes"), 5, false};
         return world.add(Kind::rope, serialize(Rope{{piece, piece}})).hex();
       }},
      {"a rope in a rope, of another size", Rule::chunks, "chunks",
       [](World& world) {
         const RopePiece piece{world.first(Kind::rope).oid, 6, true};
         return world.add(Kind::rope, serialize(Rope{{piece, piece}})).hex();
       }},
      {"a last part of another size", Rule::chunks, "chunks",
       [](World& world) {
         std::string body = world.first(Kind::chunks).body;
         body.replace(body.size() - 65, 64, world.content("not 5 bytes").hex());
         return world.add(Kind::chunks, body).hex();
       }},
      {"a part of another size in the middle", Rule::chunks, "chunks",
       [](World& world) {
         std::string body = world.first(Kind::chunks).body;
         body.replace(body.find("part ") + 5, 64, world.content("short").hex());
         return world.add(Kind::chunks, body).hex();
       }},
  };
}

std::vector<Forgery> graph_forgeries() {
  return {
      {"a depth that is too small", Rule::depth, "depth",
       [](World& world) {
         Commit commit = world.turn({tip(world)}, "shallow");
         Oid at = tip(world);
         commit.depth -= 1;
         while (world.commits.at(at).depth > skip_height(commit.depth)) {
           at = world.commits.at(at).parents[0];
         }
         commit.skip = at;
         return put_on_main(world, commit);
       }},
      {"a depth that is wrong in the middle of a chain", Rule::depth, "depth",
       [](World& world) {
         // A merge, so that its gen is right by the other parent.
         const Oid root = world.refs.at(tag_ref("v0"));
         Commit merge = world.directive(Op::merge, {root, tip(world)});
         merge.mode = Mode::append;
         merge.depth = 2;
         merge.skip = root;
         const Oid middle = world.add(merge);
         world.move(branch_ref("other"), world.grow(middle, 5, "behind it"));
         return middle.hex();
       }},
      {"a gen that is too large", Rule::gen, "gen",
       [](World& world) {
         Commit commit = world.turn({tip(world)}, "far");
         commit.gen += 1;
         return put_on_main(world, commit);
       }},
      {"a gen that passes over the second parent", Rule::gen, "gen",
       [](World& world) {
         const Oid root = world.refs.at(tag_ref("v0"));
         Commit merge = world.directive(Op::merge, {root, tip(world)});
         merge.mode = Mode::append;
         merge.gen = 1;
         return world.add(merge).hex();
       }},
      {"a skip to another ancestor", Rule::skip, "skip",
       [](World& world) {
         Commit commit = world.turn({tip(world)}, "skips badly");
         commit.skip = tip(world);
         return put_on_main(world, commit);
       }},
      {"a skip to the other side of a merge", Rule::skip, "skip",
       [](World& world) {
         const Oid root = world.refs.at(tag_ref("v0"));
         const Oid left = world.grow(root, 2, "left");
         const Oid right = world.grow(root, 1, "right");
         Commit merge = world.directive(Op::merge, {left, right});
         merge.mode = Mode::append;
         merge.skip = right;  // At the right depth, on the wrong line.
         return world.add(merge).hex();
       }},
      {"a list of targets that is too short", Rule::targets, "",
       [](World& world) {
         Commit commit = world.directive(Op::annotate, {tip(world)});
         commit.priority = Priority::skip;
         commit.targets = world.content(tip(world).view());
         return put_on_main(world, commit);
       }},
      {"a list of targets that is cut", Rule::targets, "",
       [](World& world) {
         Commit commit = world.directive(Op::annotate, {tip(world)});
         commit.priority = Priority::skip;
         commit.targets = world.content(std::string(32 * 300 + 1, 'x'));
         return put_on_main(world, commit);
       }},
      {"a list of targets that names no commits", Rule::targets, "",
       [](World& world) {
         Commit commit = world.directive(Op::annotate, {tip(world)});
         commit.priority = Priority::skip;
         std::string list;
         for (int i = 0; i < 300; ++i) list += world.first(Kind::blob).oid.view();
         commit.targets = world.content(list);
         return put_on_main(world, commit);
       }},
      {"an edit of what is on another line", Rule::ancestor, "",
       [](World& world) {
         const Oid other = world.grow(std::nullopt, 2, "elsewhere");
         world.move(branch_ref("other"), other);
         Commit edit = world.directive(Op::edit, {tip(world)});
         edit.target = {other};
         edit.content = Content{world.content("edited")};
         return put_on_main(world, edit);
       }},
      {"an edit of what comes later", Rule::ancestor, "",
       [](World& world) {
         Commit edit = world.directive(Op::edit, {world.refs.at(tag_ref("v0"))});
         edit.target = {tip(world)};
         edit.content = Content{world.content("edited")};
         return world.add(edit).hex();
       }},
  };
}

std::vector<Forgery> log_forgeries() {
  return {
      {"an operation whose text changed", Rule::op_name, "name",
       [](World& world) {
         std::string& body = world.log.back().body;
         body.replace(body.find("tester"), 6, "foster");
         return operation_subject(world);
       }},
      {"an operation in the middle whose text changed", Rule::op_name, "name",
       [](World& world) {
         std::string& body = world.log[1].body;
         body.replace(body.find("tester"), 6, "foster");
         return std::string("operation 2");
       }},
      {"an operation under another name", Rule::op_name, "name",
       [](World& world) {
         world.log[1].name.bytes[7] ^= 4;
         return std::string("operation 2");
       }},
      {"an operation with an unknown line", Rule::op_shape, "shape",
       [](World& world) {
         std::string body = world.log.back().body + "new thing\n";
         world.log.back() = {world.log.back().number, operation_name(body), body};
         return operation_subject(world);
       }},
      {"an operation that names refs out of order", Rule::op_shape, "",
       [](World& world) {
         const std::string after = " - " + tip(world).hex() + "\n";
         std::string body = serialize(world.moving({{"refs/heads/a", tip(world)}})).value();
         body.insert(body.find("ref "), "ref refs/heads/b" + after);
         world.log_text(body);
         return operation_subject(world);
       }},
      {"a checkpoint in the middle", Rule::op_shape, "",
       [](World& world) {
         Operation checkpoint = world.moving({});
         checkpoint.folded = checkpoint.prev;
         checkpoint.prev.reset();
         for (const auto& [name, target] : world.refs) {
           checkpoint.refs.push_back({name, std::nullopt, target});
         }
         world.log_operation(checkpoint);
         return operation_subject(world);
       }},
      {"an operation that is missing", Rule::op_number, "number",
       [](World& world) {
         world.log.back().number += 1;
         return operation_subject(world);
       }},
      {"an operation that follows another", Rule::op_prev, "prev",
       logs([](World&, Operation& operation) { operation.prev = unknown(); })},
      {"an operation that follows nothing", Rule::op_prev, "prev",
       logs([](World&, Operation& operation) { operation.prev.reset(); })},
      {"an operation before its predecessor", Rule::op_time, "time",
       logs([](World&, Operation& operation) { operation.time = at(-1); })},
      {"an operation that moves a ref from elsewhere", Rule::op_before, "was",
       logs([](World& world, Operation& operation) {
         operation.refs[0].before = world.commits.at(tip(world)).parents[0];
       })},
      {"an operation that makes a ref which is there", Rule::op_before, "was",
       logs([](World&, Operation& operation) { operation.refs[0].before.reset(); })},
      {"the undoing of no operation", Rule::op_undo, "",
       logs([](World&, Operation& operation) { operation.undo = unknown(); })},
      {"a ref that once pointed at nothing", Rule::op_commit, "",
       [](World& world) {
         world.move(branch_ref("gone"), unknown());
         world.move(branch_ref("gone"), std::nullopt);
         return unknown().hex();
       }},
      {"a copy that is not there", Rule::op_commit, "",
       [](World& world) {
         Operation operation = world.moving({{kSide, tip(world)}});
         operation.map = {{tip(world), unknown()}};
         world.log_operation(operation);
         return unknown().hex();
       }},
      {"a branch that once pointed at a blob", Rule::op_commit, "",
       [](World& world) {
         const Oid blob = world.first(Kind::blob).oid;
         world.move(branch_ref("gone"), blob);
         world.move(branch_ref("gone"), std::nullopt);
         return blob.hex();
       }},
      {"a ref that points at nothing", Rule::ref_commit, "ref_commit",
       [](World& world) {
         world.move(branch_ref("lost"), unknown());
         return branch_ref("lost");
       }},
      {"a branch that points at a tag", Rule::ref_commit, "ref_commit",
       [](World& world) {
         world.move(branch_ref("lost"), world.first(Kind::tag).oid);
         return branch_ref("lost");
       }},
      {"a tag that points at a blob", Rule::ref_commit, "ref_commit",
       [](World& world) {
         world.move(tag_ref("lost"), world.first(Kind::blob).oid);
         return tag_ref("lost");
       }},
      {"a ref that is elsewhere", Rule::ref_table, "ref_table",
       [](World& world) {
         world.refs[kMain] = world.refs.at(tag_ref("v0"));
         return kMain;
       }},
      {"a ref that no operation made", Rule::ref_table, "ref_table",
       [](World& world) {
         world.refs[branch_ref("new")] = world.refs.at(kMain);
         return branch_ref("new");
       }},
      {"a ref that is not there", Rule::ref_table, "ref_table",
       [](World& world) {
         world.refs.erase(kMain);
         return kMain;
       }},
  };
}

}  // namespace

std::vector<Forgery> forgeries() {
  std::vector<Forgery> all;
  for (auto* some : {object_forgeries, kind_forgeries, graph_forgeries, log_forgeries}) {
    for (Forgery& each : some()) all.push_back(std::move(each));
  }
  return all;
}

}  // namespace spoor::store::sample
