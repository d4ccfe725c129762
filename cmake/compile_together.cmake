# spoor_compile_together(target)
#
# Where CMAKE_UNITY_BUILD is on, the target's sources of one folder become one translation unit: what
# they share, the standard library's templates above all, is then compiled once for all of them. Of
# tests, in which many helpers have one name, those whose own names begin with the same letter.
#
# Sources of one unit share their anonymous namespace: a second function of the same name and
# parameters is an error. The sources that match one of these stay alone. Either a folder's files are
# built to one pattern, or a helper in them has the name of another that their folder knows.
set(SPOOR_ALONE
  llm/render/ agent/builtin/ api/commands/ cli/commands/
  planners/react.cc
  export/prov.cc event/artifacts.cc redact/denied_keys.cc report/markdown.cc
  check/operands.cc check/reply.cc check/single_programs.cc
  debrief/graph_source.cc debrief/markdown.cc debrief/tree_text.cc
  cli/transfer/archive_import.cc cli/settings/capture.cc cli/settings/keys.cc cli/views/prompt_blocks.cc
  api/operations/writes.cc cli/repl/typed_command.cc cli/tui/curses_screen.cc
  compile/state.cc base/toml_values.cc graph/unified_diff.cc
  import/refs.cc import/claude_code/tool_result.cc
  import/formats/mini_swe_agent.cc import/formats/openhands.cc import/formats/openhands_sdk.cc import/formats/otel.cc
  llm/failure.cc llm/price.cc llm/schema.cc llm/sent_prompt.cc llm/http/recorded_transport.cc
  wire/gemini_reader.cc wire/openai_chat_reader.cc wire/openai_responses_reader.cc wire/sse.cc
  wire/usage_reading.cc
  base/base64.cc base/files.cc store/fsck.cc store/operation_walk.cc
  sqlite/names.cc sqlite/objects.cc sqlite/packed_text.cc sqlite/rebuild.cc sqlite/side_file.cc
  sqlite/table_query.cc sqlite/text_index.cc sqlite/wal.cc sqlite/walk.cc
  trace/tool_call.cc
  tests/report/debrief_ tests/report/e tests/guard/e tests/guard/rule_samples_test.cc
  tests/cli/arguments_test.cc tests/llm/re tests/store/erased_test.cc)

function(spoor_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  list(JOIN SPOOR_ALONE "|" alone)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${source})
    if(path MATCHES "(^|/)(${alone})")
      continue()
    endif()
    if(path MATCHES "^tests/")
      string(REGEX REPLACE "/([^/])[^/]*$" "_\\1" group ${path})
    else()
      cmake_path(GET path PARENT_PATH group)
    endif()
    string(MAKE_C_IDENTIFIER ${group} group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
