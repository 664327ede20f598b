# cmake -DCOMPILER=g++ -DINCLUDE=include -DFOLDER=... -P link.cmake
# A program does not link with a tracexpr::compiled for another processor.
set(common "${COMPILER}" -std=c++20 -DTRACEXPR_COMPILED "-I${INCLUDE}" -x c++)
file(MAKE_DIRECTORY "${FOLDER}")
file(WRITE "${FOLDER}/user.cpp" "#include <tracexpr/base/config.hpp>\nint main() {}\n")
execute_process(COMMAND ${common} -march=x86-64-v2 -c "${FOLDER}/user.cpp" -o "${FOLDER}/user.o" COMMAND_ERROR_IS_FATAL ANY)
# All that this needs of compiled.cpp.
file(WRITE "${FOLDER}/library.cpp" "#define TRACEXPR_COMPILING\n#include <tracexpr/base/config.hpp>\n")
foreach(processor x86-64-v2 x86-64-v3)
    execute_process(COMMAND ${common} -march=${processor} -c "${FOLDER}/library.cpp" -o "${FOLDER}/library.o" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND "${COMPILER}" "${FOLDER}/user.o" "${FOLDER}/library.o" -o "${FOLDER}/program"
        RESULT_VARIABLE status ERROR_VARIABLE output)
    if(processor STREQUAL "x86-64-v2" AND NOT status EQUAL 0)
        message(FATAL_ERROR "does not link with a library for the same processor:\n${output}")
    elseif(processor STREQUAL "x86-64-v3" AND (status EQUAL 0 OR NOT output MATCHES "isa_sse4[^ ]*compiled_for_this_processor"))
        message(FATAL_ERROR "should not link with a library for another processor, and say why:\n${output}")
    endif()
endforeach()
