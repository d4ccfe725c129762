# Runs the programs of compare/spoor with recorded replies and checks what they print.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

function(expect pattern program)
  execute_process(COMMAND ${PROGRAMS}/spoor_compare_${program} ${ARGN}
                  WORKING_DIRECTORY ${FOLDER} OUTPUT_VARIABLE printed RESULT_VARIABLE exit_code)
  if(NOT exit_code EQUAL 0)
    message(FATAL_ERROR "${program} ended with ${exit_code}")
  endif()
  if(NOT printed MATCHES "${pattern}")
    message(FATAL_ERROR "${program} printed:\n${printed}")
  endif()
endfunction()

set(data scripted/${SOURCE}/data)
expect("^refund {\"order\": ?\"7\"}.\n$" approval ${data}/refund-replies.jsonl start)
expect("^Order 7 was refunded.\n$" approval ${data}/refund-replies.jsonl yes)
expect("^It opened in 1889: 137 years. .\\$0.0047.\nwhy: the age follows from the year it opened\nsent: {.*How old is the Eiffel Tower.*Goal: In which year did the Eiffel Tower open"
       agents ${data}/tower-replies.jsonl ${data}/historian-replies.jsonl)
