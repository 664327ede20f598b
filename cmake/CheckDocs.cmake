# What the documents show is what the programs do.
#   cmake -DPROGRAM=op_table -DFILE=docs/ops.md -P CheckDocs.cmake            the file is the program's output
#   cmake -DPROGRAM=first_steps -DFILE=README.md -DSOURCE=first_steps.cpp ... its first C++ block is the source without the
#                                                                             first line, the block after it the output
#   ... "-DLAUNCHER=mpirun -n 4"                                              what starts the program, if it isn't started by itself
separate_arguments(launcher UNIX_COMMAND "${LAUNCHER}")
execute_process(COMMAND ${launcher} "${PROGRAM}" RESULT_VARIABLE status OUTPUT_VARIABLE output)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM}: ended with ${status}")
endif()
file(READ "${FILE}" text)

if(NOT SOURCE)
    if(NOT text STREQUAL output)
        message(FATAL_ERROR "${FILE} is out of date; run ${PROGRAM} > ${FILE}")
    endif()
    return()
endif()

file(READ "${SOURCE}" code)
string(FIND "${code}" "\n" end)
math(EXPR start "${end} + 1")
string(SUBSTRING "${code}" ${start} -1 code)
string(FIND "${text}" "```cpp\n${code}```\n" position)
if(position LESS 0)
    message(FATAL_ERROR "${FILE} does not show ${SOURCE} as it is, but for its first line:\n${code}")
endif()
string(SUBSTRING "${text}" ${position} -1 rest)
string(FIND "${rest}" "```text\n${output}```\n" position)
if(position LESS 0)
    message(FATAL_ERROR "${FILE} does not show what ${PROGRAM} prints:\n${output}")
endif()
