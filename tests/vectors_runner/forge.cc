#include "tests/vectors_runner/forge.h"

#include "compile/turn.h"

namespace spoor::vectors {
namespace {

using store::Kind;
using store::Object;
using testing::Forgery;

Object blob(std::string_view bytes) {
  const store::NewObject encoded = store::encode_content(bytes, store::Salter()).back();
  return {encoded.kind, encoded.body};
}

Result<Forgery> forge_extra(const store::Reader& reader, const std::string& what,
                            const store::Commit& commit, const Json& to) {
  if (!commit.extra) return invalid("the commit has no explicit " + what + " to forge");
  compile::Extra extra = TRY(compile::extra_of(reader, commit));
  if (what == "message") {
    extra.message = to.get<std::string>();
  } else {
    extra.metadata = to.dump();
  }
  return Forgery{*commit.extra, blob(TRY(compile::write_extra(extra)))};
}

Result<Forgery> forge_parent(const store::Oid& oid, store::Commit commit, const Json& to) {
  const auto parent = store::Oid::from_hex(to.get<std::string>());
  if (!parent) return invalid("the forged parent is no hash");
  commit.parents = {*parent};
  return Forgery{oid, Object{Kind::commit, TRY(store::serialize(commit))}};
}

}  // namespace

Result<Forgery> forge(const store::Reader& reader, const std::string& what, const store::Oid& oid,
                      const Json& to) {
  const auto commit = TRY(reader.commit(oid));
  if (what == "remove") return Forgery{oid, std::nullopt};
  if (what == "parent") return forge_parent(oid, *commit, to);
  if (what == "message" || what == "metadata") return forge_extra(reader, what, *commit, to);
  if (what != "body") throw BadVector("tamper does not know '" + what + "'");
  if (!commit->content) return invalid("the commit has no text to forge");
  return Forgery{commit->content->oid, blob(to.get<std::string>())};
}

}  // namespace spoor::vectors
