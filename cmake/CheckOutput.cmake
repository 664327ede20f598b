# cmake -DPROGRAM=path -DEXPECT=regex -P CheckOutput.cmake: the program must succeed and print something that matches.
execute_process(COMMAND "${PROGRAM}" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM}: ended with ${status}")
endif()
if(NOT output MATCHES "${EXPECT}")
    message(FATAL_ERROR "${PROGRAM}: its output does not match ${EXPECT}")
endif()
