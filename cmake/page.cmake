# Puts the files of the page into the program. page/build.sh makes them; Node is not needed here.
# Run as a script, it writes OUTPUT from the files in FOLDER.
set(page_types "index.html|text/html" "style.css|text/css" "early.js|text/javascript" "app.js|text/javascript" "icon.svg|image/svg+xml")

if(CMAKE_SCRIPT_MODE_FILE)
  set(arrays "")
  set(rows "")
  foreach(line ${page_types})
    string(REPLACE "|" ";" parts "${line}")
    list(POP_FRONT parts name type)
    file(READ ${FOLDER}/${name} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
    string(MAKE_C_IDENTIFIER ${name} id)
    string(APPEND arrays "constexpr unsigned char ${id}[] = {\n${bytes}};\n")
    string(APPEND rows "    {\"/${name}\", \"${type}\", {reinterpret_cast<const char*>(${id}), sizeof ${id}}},\n")
  endforeach()
  file(WRITE ${OUTPUT} "// Made by cmake/page.cmake.\n#include \"cli/page/page_assets.h\"\n
namespace spoor::cli::page {\nnamespace {\n\n${arrays}\n}  // namespace\n
std::span<const PageFile> page_files() {\n  static const PageFile kFiles[] = {\n${rows}  };\n  return kFiles;\n}\n
}  // namespace spoor::cli::page\n")
  return()
endif()

set(page_inputs "")
foreach(line ${page_types})
  string(REGEX REPLACE "\\|.*" "" name "${line}")
  list(APPEND page_inputs ${PROJECT_SOURCE_DIR}/page/dist/${name})
endforeach()
set(page_source ${PROJECT_BINARY_DIR}/page_files.cc)
add_custom_command(OUTPUT ${page_source}
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/page/dist -DOUTPUT=${page_source}
    -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${page_inputs} ${CMAKE_CURRENT_LIST_FILE} VERBATIM)
target_sources(spoor_cli PRIVATE ${page_source})
set_source_files_properties(${page_source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
  SKIP_PRECOMPILE_HEADERS ON)
