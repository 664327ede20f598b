# cmake -DCOMPILER=g++ -DINCLUDE=include -DFOLDER=... -P link.cmake
# Checks that a program does not link without tracexpr::compiled nor, unless its files have no kernels of their own, with one for
# another processor, and that the linker's first error says what to link.
set(common "${COMPILER}" -std=c++20 -DTRACEXPR_COMPILED "-I${INCLUDE}" -x c++)
file(MAKE_DIRECTORY "${FOLDER}")
file(WRITE "${FOLDER}/user.cpp" "#include <tracexpr/base/config.hpp>\nvoid used();\nint main() { used(); }\nvoid other() { used(); }\n")
execute_process(COMMAND ${common} -march=x86-64-v2 -c "${FOLDER}/user.cpp" -o "${FOLDER}/user.o" COMMAND_ERROR_IS_FATAL ANY)
# All that this needs of compiled.cpp.
set(missing "link_tracexpr_compiled_or_add_compiled_cpp_compiled_for_this_processor_isa_sse4")
file(WRITE "${FOLDER}/library.cpp" "#define TRACEXPR_COMPILING\n#include <tracexpr/base/config.hpp>\nvoid used() {}\n")
execute_process(COMMAND "${COMPILER}" "${FOLDER}/user.o" -o "${FOLDER}/program" RESULT_VARIABLE status ERROR_VARIABLE output)
string(REGEX MATCH "[^\n]*undefined (reference|symbol)[^\n]*" first "${output}")
if(status EQUAL 0 OR NOT first MATCHES "${missing}")
    message(FATAL_ERROR "should not link without the library, and say first what to link:\n${output}")
endif()
foreach(processor x86-64-v2 x86-64-v3)
    execute_process(COMMAND ${common} -march=${processor} -c "${FOLDER}/library.cpp" -o "${FOLDER}/library.o" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND "${COMPILER}" "${FOLDER}/user.o" "${FOLDER}/library.o" -o "${FOLDER}/program"
        RESULT_VARIABLE status ERROR_VARIABLE output)
    if(processor STREQUAL "x86-64-v2" AND NOT status EQUAL 0)
        message(FATAL_ERROR "does not link with a library for the same processor:\n${output}")
    elseif(processor STREQUAL "x86-64-v3" AND (status EQUAL 0 OR NOT output MATCHES "${missing}"))
        message(FATAL_ERROR "should not link with a library for another processor, and say why:\n${output}")
    endif()
endforeach()
foreach(form TRACEXPR_KERNELS_NONE TRACEXPR_PREBUILT)
    execute_process(COMMAND ${common} -march=x86-64-v2 -D${form} -c "${FOLDER}/user.cpp" -o "${FOLDER}/user.o" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND "${COMPILER}" "${FOLDER}/user.o" "${FOLDER}/library.o" -o "${FOLDER}/program" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
