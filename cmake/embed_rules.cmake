# Makes a source of src/audit/redact/rules.toml: INPUT is that file, OUTPUT the source. A literal may
# have 65,536 bytes, says the standard, so it is made of pieces.
file(READ ${INPUT} text)
set(pieces "")
string(LENGTH "${text}" length)
set(at 0)
set(names "")
set(number 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 16000 piece)
  string(APPEND pieces "    R\"spoor(${piece})spoor\",\n")
  math(EXPR at "${at} + 16000")
  math(EXPR number "${number} + 1")
endwhile()
file(WRITE ${OUTPUT} "// Made from src/audit/redact/rules.toml by cmake/embed_rules.cmake.
#include \"audit/redact/builtin.h\"

#include <string>

namespace spoor::audit {
namespace {

constexpr std::string_view kPieces[] = {
${pieces}};

}  // namespace

std::string_view builtin_rules() {
  static const std::string text = [] {
    std::string all;
    for (const std::string_view piece : kPieces) all += piece;
    return all;
  }();
  return text;
}

}  // namespace spoor::audit
")
