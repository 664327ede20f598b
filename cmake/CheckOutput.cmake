# cmake -DPROGRAM=path -DSOURCE=a.cpp -P CheckOutput.cmake: the program must succeed, and print something that matches the regular
# expression on its source's first line, "// expect-output: <regex>".
include("${CMAKE_CURRENT_LIST_DIR}/FirstLine.cmake")
tracexpr_first_line(expected "${SOURCE}" "expect-output:")
execute_process(COMMAND "${PROGRAM}" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM}: ended with ${status}")
endif()
if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "${PROGRAM}: its output does not match ${expected}")
endif()
