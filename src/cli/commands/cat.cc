#include <array>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/interrupt.h"
#include "store/reader.h"

namespace spoor::cli {

using store::Oid;

namespace {

constexpr std::array kOptions = {
    Option{"name", "NAME", "the 64 digits of an object's name, or a commit", 0, Takes::revision,
           Count::optional},
    Option{"--all", "", "every object, in no order"},
    Option{"--framed", "", "a line before each: its name, its kind and its length in bytes"},
};

constexpr std::array kExamples = {
    Example{"spoor store cat 9620db3ceafdd6e722d95bb8c17a8aabde829146a7c6755d59f4dad5d0ca6a81",
            "it"},
    Example{"spoor store cat --all --framed | python3 verify.py my.spoor",
            "see verify.py in docs/format.md"},
};

void print_object(Output& out, const Oid& oid, const store::Object& object, bool framed) {
  if (framed) {
    out.verbatim(fmt::format("{} {} {}\n", oid.hex(), name_of(object.kind), object.body.size()));
  }
  out.verbatim(object.body);
  if (framed) out.newline();
}

Result<void> print_all(Session& session, const store::Store& store) {
  Result<void> result;
  const Cancellable cancellable;
  TRY(store.scan([&](const store::StoredObject& stored) {
    if (is_interrupted()) result = interrupted("stopped");
    if (result) print_object(session.out(), stored.oid, stored.object, true);
    return static_cast<bool>(result);
  }));
  return result;
}

Result<void> run(Session& session, const Arguments& arguments) {
  const bool all = arguments.has("--all");
  const bool framed = arguments.has("--framed");
  if (all != framed || all == arguments.has("name")) {
    return session.usage_error("'spoor store cat' needs a name, or --all --framed",
                               "to read turns, use 'spoor log' and 'spoor show'");
  }
  if (session.out().is_tty()) {
    return invalid("cannot print the bytes of objects on a terminal",
                   "redirect the output to a file or to another program");
  }
  Workspace& workspace = *TRY(session.workspace());
  if (all) return print_all(session, workspace.store());

  const std::string name = arguments.text("name", "");
  auto oid = Oid::from_hex(name);
  if (!oid) oid = TRY(workspace.resolve(name));
  const std::array wanted = {*oid};
  const auto found = TRY(workspace.store().get(wanted));
  if (!found.front()) {
    return not_found(fmt::format("no object '{}'", oid->hex()),
                     "it may have been erased, or be in another store");
  }
  TRY(store::verify(*oid, *found.front()));
  print_object(session.out(), *oid, *found.front(), false);
  return {};
}

}  // namespace

extern const Command kCat{
    .name = "store cat",
    .summary = "Print the exact bytes of an object, or of all",
    .options = kOptions,
    .run = run,
    .group = Group::care,
    .details =
        "Prints the bytes that the object's name is the hash of (docs/format.md): a blob\n"
        "begins with its 16 bytes of salt. The bytes are decompressed; a single object is\n"
        "also verified. With --all --framed, a line 'NAME KIND LENGTH' precedes each object\n"
        "and a newline follows it, so that a program can check a store without a\n"
        "decompressor.",
    .examples = kExamples,
};

}  // namespace spoor::cli
