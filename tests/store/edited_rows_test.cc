// fsck on store files in which one row was edited into another that is well-formed: it names what
// was edited, and changes nothing.
#include <doctest/doctest.h>

#include <functional>
#include <set>

#include "store/fsck.h"
#include "tests/store/row_edits.h"
#include "tests/store/world_file.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

struct RowEdit {
  std::string what;
  std::string subject;  // What a problem must name.
  std::function<void(Editor&)> make;
  std::set<std::string> others = {};  // What may be named too.
};

std::string subject_of_operation(const LoggedOperation& logged) {
  return "operation " + std::to_string(logged.number);
}

std::vector<RowEdit> edits_of_objects(const World& world) {
  const Oid main =
      world.refs.at(kMain);  // The turn with an attachment; before it an edit, a merge.
  const Oid directive = world.commits.at(main).parents[0];
  const Oid merge = world.commits.at(directive).parents[0];
  const Oid side = world.refs.at(kSide);
  const Commit of_side = world.commits.at(side);
  Oid turn = world.commits.at(merge).parents[0];
  Oid child;
  for (int i = 0; i < 20; ++i) {
    child = turn;
    turn = world.commits.at(child).parents[0];
  }
  const Oid content = world.commits.at(turn).content->oid;
  const Oid list = world.commits.at(main).attach[0].oid;
  const Oid tag = world.refs.at(tag_ref("v1"));
  const Oid false_name = object_name(Kind::blob, "a name of nothing");
  const auto commit = [](const Oid& oid, const std::function<void(Commit&)>& change) {
    return [oid, change](Editor& file) { file.edit_commit(oid, change); };
  };
  const auto body = [](const Oid& oid, const std::function<void(std::string&)>& change) {
    return [oid, change](Editor& file) { file.edit(oid, change); };
  };
  const auto set = [](const std::string& what, const Oid& oid) {
    return [what, oid](Editor& file) {
      file.run("UPDATE " + what + " WHERE oid=" + sql_blob(oid.view()));
    };
  };
  const auto reword = [](std::string& text) { text.replace(text.find("word"), 4, "WORD"); };
  const std::string rename = "SET oid=" + sql_blob(false_name.view());
  return {
      {"a word of a content", content.hex(), body(content, reword)},
      {"the end of a content", content.hex(),
       body(content, [](std::string& text) { text += "."; })},
      {"the salt of a content", content.hex(),
       [content](Editor& file) {
         file.run("UPDATE objects SET codec=codec&~1 WHERE oid=" + sql_blob(content.view()));
       }},
      {"a size in a chunk list", list.hex(),
       body(list, [](std::string& text) { ++text[text.find('\n') - 1]; })},
      {"the name in a tag", tag.hex(),
       body(tag, [](std::string& text) { text.replace(text.find("name v1"), 7, "name v2"); })},
      {"the message of a commit", turn.hex(),
       commit(turn, [of_side](Commit& each) { each.content = of_side.content; })},
      {"the media type of a message", turn.hex(),
       commit(turn, [](Commit& each) { each.content->media_type = "text/markdown"; })},
      {"the metadata of a commit", turn.hex(),
       commit(turn,
              [](Commit& each) { each.meta.replace(each.meta.find("a-model"), 7, "b-model"); })},
      {"metadata taken away", turn.hex(), commit(turn, [](Commit& each) { each.meta.clear(); })},
      {"an author, where there was none", turn.hex(),
       commit(turn, [](Commit& each) { each.author = "somebody"; })},
      {"the parent of a commit", turn.hex(),
       commit(turn, [side](Commit& each) { each.parents = {side}; })},
      {"the other parent of a merge", merge.hex(),
       commit(merge, [of_side](Commit& each) { each.parents[1] = of_side.parents[0]; })},
      {"the depth of a commit", turn.hex(),
       commit(turn, [](Commit& each) { each.gen = ++each.depth; })},
      {"the skip of a commit", turn.hex(),
       commit(turn, [side](Commit& each) { each.skip = side; })},
      {"the type of a turn", turn.hex(),
       commit(turn, [](Commit& each) { each.type = Type::assistant; })},
      {"the op of a directive", directive.hex(),
       commit(directive,
              [](Commit& each) {
                each.op = Op::annotate;
                each.content.reset();
                each.priority = Priority::pinned;
              })},
      {"the target of a directive", directive.hex(),
       commit(directive, [turn](Commit& each) { each.target = {turn}; })},
      {"the mode of a merge", merge.hex(),
       commit(merge, [](Commit& each) { each.mode = Mode::ours; })},
      {"the kind of an object", content.hex(), set("objects SET kind=5", content)},
      {"the size of an object", content.hex(), set("objects SET size=size+1", content)},
      {"the codec of an object", content.hex(),
       set("objects SET codec=(codec&1)|(2-(codec&2))", content)},
      {"the name of an object",
       content.hex(),
       set("objects " + rename, content),
       {false_name.hex()}},
      {"the size of a commit", turn.hex(), set("commits SET size=size-1", turn)},
      {"the codec of a commit", turn.hex(), set("commits SET codec=(codec&1)|(2-(codec&2))", turn)},
      // Of its child the place says that it is behind another.
      {"the name of a commit",
       turn.hex(),
       set("commits " + rename, turn),
       {false_name.hex(), child.hex()}},
      {"the body of another commit", turn.hex(),
       [turn, side](Editor& file) {
         file.run(
             "UPDATE commits SET (codec,size,body)=(SELECT codec,size,body FROM commits WHERE "
             "oid=" +
             sql_blob(side.view()) + ") WHERE oid=" + sql_blob(turn.view()));
       }},
  };
}

std::vector<RowEdit> edits_of_operations(const World& world) {
  const Oid other = world.refs.at(branch_ref("start"));
  const Oid first = world.log[0].name;
  std::vector<RowEdit> edits;
  // Before the refs' snapshot, and after it: the second is the newest but two.
  for (const LoggedOperation& each : {world.log[20], world.log[world.log.size() - 3]}) {
    const std::string where = " of " + subject_of_operation(each);
    const auto add = [&](const std::string& what, const std::function<void(Operation&)>& change) {
      edits.push_back({what + where, subject_of_operation(each),
                       [each, change](Editor& file) { file.edit_operation(each, change); }});
    };
    add("the actor", [](Operation& operation) { operation.actor = "somebody"; });
    add("the command", [](Operation& operation) { operation.command = "other"; });
    add("the time", [](Operation& operation) { ++operation.time.micros; });
    add("the ref", [](Operation& operation) { operation.refs[0].name = branch_ref("other"); });
    add("the target", [other](Operation& operation) { operation.refs[0].after = other; });
    add("the place before", [other](Operation& operation) { operation.refs[0].before = other; });
    add("the operation before", [first](Operation& operation) { operation.prev = first; });
    add("a map", [other](Operation& operation) { operation.map = {{other, other}}; });
    const auto sql = [&](const std::string& what, const std::string& set) {
      edits.push_back({what + where, subject_of_operation(each), [each, set](Editor& file) {
                         file.run("UPDATE operations SET " + set +
                                  " WHERE number=" + std::to_string(each.number));
                       }});
    };
    sql("the name", "name=" + sql_blob(operation_name("a name of nothing").view()));
    sql("the size", "size=size+1");
    sql("the codec", "codec=0");
  }
  return edits;
}

std::vector<RowEdit> edits_of_refs(const World& world) {
  const std::string side = sql_blob(world.refs.at(kSide).view());
  const std::string start = branch_ref("start");
  const auto sql = [](const std::string& text) { return [text](Editor& file) { file.run(text); }; };
  return {
      {"the target of a ref", start,
       sql("UPDATE refs SET target=" + side + " WHERE name='" + start + "'")},
      {"the target of a ref that moved since", kMain,
       sql("UPDATE refs SET target=" + side + " WHERE name='" + kMain + "'")},
      {"the name of a ref",
       start,
       sql("UPDATE refs SET name='refs/heads/other' WHERE name='" + start + "'"),
       {branch_ref("other")}},
      {"a ref taken away", start, sql("DELETE FROM refs WHERE name='" + start + "'")},
      {"a ref that is new", branch_ref("other"),
       sql("INSERT INTO refs VALUES('refs/heads/other'," + side + ")")},
  };
}

std::set<std::string> edited_subjects(const FsckReport& report) {
  std::set<std::string> subjects;
  for (const auto& each : report.problems) subjects.insert(each.subject);
  return subjects;
}

}  // namespace

TEST_SUITE("store/edited_rows") {
  TEST_CASE("whatever is edited in a row, fsck names what it was, and changes nothing") {
    for (const bool is_packed : {false, true}) {
      CAPTURE(is_packed);
      const StoryFile story = story_file(is_packed ? StoryState::packed : StoryState::written);
      int count = 0;
      int framed = 0;
      for (const auto& edits : {edits_of_objects(story.world), edits_of_operations(story.world),
                                edits_of_refs(story.world)}) {
        for (const RowEdit& edit : edits) {
          CAPTURE(edit.what);
          bool is_framed = false;
          const FsckReport report = report_after(story.bytes, edit.make, &is_framed);
          framed += is_framed ? 1 : 0;
          INFO(shown_problems(report));
          std::set<std::string> subjects = edited_subjects(report);
          CHECK(subjects.contains(edit.subject));
          for (const std::string& other : edit.others) subjects.erase(other);
          CHECK(subjects == std::set{edit.subject});
          ++count;
        }
      }
      MESSAGE(count << " edits, " << framed << " of them of compressed bodies");
      CHECK(framed >= (is_packed ? 10 : 0));
    }
  }

  TEST_CASE("whatever is edited in a dictionary's row, fsck names it, and changes nothing") {
    const StoryFile story = story_file(StoryState::packed);
    const std::vector<RowEdit> edits = {
        {"its bytes", "dictionary 1",
         [](Editor& file) {
           file.run(
               "UPDATE dictionaries SET body=(SELECT body FROM dictionaries WHERE number=2) "
               "WHERE number=1");
         }},
        {"its bytes and their hash", "dictionary 1",
         [](Editor& file) {
           file.run(
               "UPDATE dictionaries SET (hash,body)=(SELECT hash,body FROM dictionaries "
               "WHERE number=2) WHERE number=1");
         }},
        {"its hash", "dictionary 2",
         [](Editor& file) {
           file.run("UPDATE dictionaries SET hash=zeroblob(32) WHERE number=2");
         }},
        {"its table", "dictionary 2",
         [](Editor& file) { file.run("UPDATE dictionaries SET serves='names' WHERE number=2"); }},
    };
    for (const RowEdit& edit : edits) {
      CAPTURE(edit.what);
      const FsckReport report = report_after(story.bytes, edit.make);
      INFO(shown_problems(report));
      CHECK(edited_subjects(report).contains(edit.subject));  // Rows that it served may be, too.
    }
  }
}
