# Runs the conversation in an empty folder and checks what it prints.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${PROGRAM} ${FOLDER}/conversation.spoor
                OUTPUT_VARIABLE printed RESULT_VARIABLE exit_code)
if(NOT exit_code EQUAL 0)
  message(FATAL_ERROR "conversation ended with ${exit_code}")
endif()
if(NOT printed MATCHES "^6 messages now, 5 at the answer\n.*\"arguments\":\"{\\\\\"pattern\\\\\":\\\\\"argv\\\\\"}\"")
  message(FATAL_ERROR "conversation printed:\n${printed}")
endif()
