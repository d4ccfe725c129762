# Makes a source of a table that people read: INPUT is the file, OUTPUT the source, HEADER what
# declares FUNCTION, which returns the text, in NAMESPACE. A literal may have 65,536 bytes, says the
# standard, so it is made of pieces.
file(READ ${INPUT} text)
set(pieces "")
string(LENGTH "${text}" length)
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 16000 piece)
  string(APPEND pieces "    R\"spoor(${piece})spoor\",\n")
  math(EXPR at "${at} + 16000")
endwhile()
get_filename_component(name ${INPUT} NAME)
file(WRITE ${OUTPUT} "// Made from ${name} by cmake/embed_rules.cmake.
#include \"${HEADER}\"

#include <string>

namespace ${NAMESPACE} {
namespace {

constexpr std::string_view kPieces[] = {
${pieces}};

}  // namespace

std::string_view ${FUNCTION}() {
  static const std::string text = [] {
    std::string all;
    for (const std::string_view piece : kPieces) all += piece;
    return all;
  }();
  return text;
}

}  // namespace ${NAMESPACE}
")
