# docs/snippets/<page>: checks that the code which README.md and docs/*.md show compiles where a reader would paste it. All of a
# page is one file, and no code is generated: what the compiler traces runs on tiles, and what is traced at run time is declared
# only.
add_library(snippet_flags OBJECT EXCLUDE_FROM_ALL odr/b.cpp) # never built; its property says where headers are
target_link_libraries(snippet_flags PRIVATE tracexpr_program)
foreach(bridge IN LISTS TRACEXPR_BRIDGES)
    if(TARGET tracexpr_${bridge})
        target_link_libraries(snippet_flags PRIVATE tracexpr_${bridge})
    endif()
endforeach()
set(folder "${CMAKE_CURRENT_BINARY_DIR}/snippets")
configure_file(snippets/precompiled.hpp "${folder}/precompiled.hpp" COPYONLY)
set(compile "${CMAKE_CXX_COMPILER}" -std=c++20 -DTRACEXPR_KERNELS_TILES -DTRACEXPR_COMPILED -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP
    "-I$<JOIN:$<TARGET_PROPERTY:snippet_flags,INCLUDE_DIRECTORIES>,$<SEMICOLON>-I>")
add_test(NAME docs/snippets/precompiled COMMAND ${compile} -x c++-header "${folder}/precompiled.hpp" -o "${folder}/precompiled.hpp.gch"
    COMMAND_EXPAND_LISTS)
set_tests_properties(docs/snippets/precompiled PROPERTIES FIXTURES_SETUP precompiled_snippets)
file(GLOB pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/docs/*.md")
foreach(page IN LISTS pages)
    file(STRINGS "${page}" blocks REGEX "^ *```cpp" LIMIT_COUNT 1)
    if(blocks)
        get_filename_component(name "${page}" NAME_WE)
        add_test(NAME docs/snippets/${name} COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/snippets/snippets.py" "${page}"
            "${folder}/${name}.cpp" ${compile} -fsyntax-only -include "${folder}/precompiled.hpp" COMMAND_EXPAND_LISTS)
        set_tests_properties(docs/snippets/${name} PROPERTIES FIXTURES_REQUIRED precompiled_snippets)
    endif()
endforeach()
