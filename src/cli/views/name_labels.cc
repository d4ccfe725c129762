#include "cli/views/name_labels.h"

#include "cli/terminal/width.h"

namespace spoor::cli {
namespace {

Style style_of_name(Decorations::Label::Kind kind) {
  using Kind = Decorations::Label::Kind;
  switch (kind) {
    case Kind::head:
    case Kind::view:
      return Style::head;
    case Kind::branch:
      return Style::branch;
    case Kind::tag:
      return Style::tag;
    case Kind::remote:
      break;
  }
  return Style::muted;
}

}  // namespace

void print_names(Output& out, const Decorations& names, const store::Oid& commit) {
  const auto& labels = names.labels(commit);
  if (labels.empty()) return;
  const char* before = " (";
  for (const Decorations::Label& label : labels) {
    out.print(Style::commit, before).print(style_of_name(label.kind), label.text);
    before = ", ";
  }
  out.print(Style::commit, ")");
}

int width_of_names(const Decorations& names, const store::Oid& commit) {
  int columns = 0;
  for (const auto& label : names.labels(commit)) columns += display_width(label.text) + 2;
  return columns == 0 ? 0 : columns + 1;  // " (", ", " between, ")".
}

}  // namespace spoor::cli
