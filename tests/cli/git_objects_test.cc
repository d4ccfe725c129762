// Git's own bytes, against names that git itself gives.
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "cli/git/message.h"
#include "cli/git/object.h"
#include "cli/git/pack.h"
#include "cli/git/ref_names.h"
#include "cli/git/tree.h"
#include "graph/repository.h"
#include "tests/cli/temporary_folder.h"

using namespace spoor;
using namespace spoor::cli::git;

TEST_SUITE("cli/git/objects") {
  TEST_CASE("objects have the names that git hash-object prints") {
    CHECK(name_object(Kind::blob, "").hex() == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
    CHECK(name_object(Kind::blob, "test content\n").hex() ==
          "d670460b4b4aece5915caf5c68d12f560a9fe3e4");
    CHECK(name_object(Kind::tree, "").hex() == "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
  }

  TEST_CASE("an author is a name and an address, whatever it holds") {
    CHECK(signature_of("agent/a17", 7).text() == "agent/a17 <agent/a17@spoor> 7 +0000");
    CHECK(signature_of("Ada L. <ada@example.org>", 7).text() == "Ada L. <ada@example.org> 7 +0000");
    CHECK(signature_of("two words", 7).text() == "two words <two-words@spoor> 7 +0000");
    CHECK(signature_of("a<b>\nc", 7).text() == "abc <abc@spoor> 7 +0000");
    CHECK(signature_of("<>", -7).text() == "unknown <unknown@spoor> 0 +0000");
    CHECK(signature_of("x <>", 0).text() == "x <x@spoor> 0 +0000");
    CHECK(signature_of("a\u202eb\u2066c", 0).text() == "abc <abc@spoor> 0 +0000");
  }

  TEST_CASE("a subject and a note show marks of text direction, and follow none") {
    const auto repository = graph::Repository::in_memory();
    auto main = repository->branch("main");
    const store::Oid oid = main.user("abc\u202edef").value();
    const auto turn = api::read_view(repository->reader(), oid).value();
    const std::string message = message_of(repository->reader(), turn).value();
    CHECK(message.starts_with("user: abc<U+202E>def\n\n"));
    const store::Tag tag{.target = oid, .name = "v1"};
    CHECK(message_of(tag, "one\u2066\ntwo").starts_with("one<U+2066>\ntwo\n"));
  }

  TEST_CASE("a pack holds each object once, and is called after its names") {
    const test::TemporaryFolder folder;
    auto pack = PackWriter::create(folder.path).value();
    const GitOid blob = pack->put(Kind::blob, "test content\n").value();
    CHECK(pack->put(Kind::blob, "test content\n").value() == blob);
    CHECK(pack->objects() == 1);
    REQUIRE(pack->finish());
    const std::string base = folder.path + "/pack-" + Sha1().add(blob.view()).finish().hex();
    std::stringstream index;
    index << std::ifstream(base + ".idx", std::ios::binary).rdbuf();
    CHECK(index.str().size() == 8 + 256 * 4 + 20 + 4 + 4 + 20 + 20);
    CHECK(std::ifstream(base + ".pack").good());
  }

  TEST_CASE("a pack that is not finished leaves nothing") {
    const test::TemporaryFolder folder;
    PackWriter::create(folder.path).value()->put(Kind::blob, "x").value();
    CHECK(std::filesystem::is_empty(folder.path));
  }

  TEST_CASE("a pack needs a folder") {
    const auto pack = PackWriter::create("/nonexistent/folder");
    REQUIRE(!pack);
    CHECK(pack.error().code == spoor::Error::Code::io);
  }

  TEST_CASE("a tree is sorted as git sorts it, and says what it is whatever it was") {
    const test::TemporaryFolder folder;
    auto pack = PackWriter::create(folder.path).value();
    const GitOid blob = pack->put(Kind::blob, "").value();
    // A folder `a` sorts behind `a.b`, for it counts as `a/`.
    const GitOid inner = name_object(Kind::tree, encode({{"c", false, blob}}));
    const GitOid expected =
        name_object(Kind::tree, encode({{"a.b", false, blob}, {"a", true, inner}}));
    Tree tree;
    tree.put("a/c", blob);
    tree.put("a.b", blob);
    CHECK(tree.write(*pack).value() == expected);

    Tree copy = tree;
    copy.put("a/d", blob);
    copy.put("x/y/z", blob);
    CHECK(copy.write(*pack).value() != expected);
    CHECK(tree.write(*pack).value() == expected);
    copy.remove("x/y", "z");
    copy.remove("a", "d");
    copy.remove("no/such", "file");
    CHECK(copy.write(*pack).value() == expected);
    copy.remove("a", "");
    copy.remove("", "a.b");
    CHECK(copy.empty());
  }

  TEST_CASE("names of refs that git refuses are changed, each to one of its own") {
    CHECK(is_git_ref("refs/heads/a/b-c.d"));
    for (const char* bad :
         {"heads/a", "refs/heads/a.lock", "refs/heads/a.lock/b", "refs/heads/.a", "refs/heads/a..b",
          "refs/heads/a b", "refs/heads/a@{1}", "refs/heads/"}) {
      CAPTURE(bad);
      CHECK(!is_git_ref(bad));
    }
    const auto names =
        git_names({"refs/heads/a", "refs/heads/a/b", "refs/heads/a_b", "refs/heads/x.lock/y",
                   "refs/heads/x_lock/y", "refs/heads/p/q/r", "refs/heads/p/q", "refs/tags/a"});
    CHECK(names.at("refs/heads/a") == "refs/heads/a");
    CHECK(names.at("refs/heads/a_b") == "refs/heads/a_b");
    CHECK(names.at("refs/heads/a/b") == "refs/heads/a_b-2");
    CHECK(names.at("refs/heads/x_lock/y") == "refs/heads/x_lock/y");
    CHECK(names.at("refs/heads/x.lock/y") == "refs/heads/x_lock/y-2");
    CHECK(names.at("refs/heads/p/q/r") == "refs/heads/p/q_r");
    CHECK(names.at("refs/tags/a") == "refs/tags/a");
    for (const auto& [ours, theirs] : names) CHECK(is_git_ref(theirs));
  }
}
