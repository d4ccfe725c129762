# Checks that the quickstart has at most 14 lines, runs it with recorded replies in an empty folder,
# and checks the answer and its cost: (610 + 700) * $2 + (58 + 12) * $10 a million.
file(STRINGS ${SOURCE}/quickstart.cc lines)
list(LENGTH lines count)
if(count GREATER 14)
  message(FATAL_ERROR "quickstart.cc has ${count} lines, more than 14")
endif()
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${PROGRAM} scripted/${SOURCE}/data/price-replies.jsonl
                WORKING_DIRECTORY ${FOLDER} OUTPUT_VARIABLE printed RESULT_VARIABLE exit_code)
if(NOT exit_code EQUAL 0)
  message(FATAL_ERROR "quickstart ended with ${exit_code}")
endif()
if(NOT printed STREQUAL "Three tea tins cost 1305 cents. ($0.0033)\n")
  message(FATAL_ERROR "quickstart printed:\n${printed}")
endif()
