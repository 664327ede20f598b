# tracexpr::compiled: tracexpr, with what depends on no program's types compiled once, by the program's own compiler and flags. Built where
# somebody links it.
include_guard(GLOBAL)

# tracexpr_add_compiled(<folder of the headers>)
function(tracexpr_add_compiled headers)
    add_library(tracexpr_compiled STATIC EXCLUDE_FROM_ALL "${headers}/tracexpr/compiled.cpp")
    add_library(tracexpr::compiled ALIAS tracexpr_compiled)
    target_link_libraries(tracexpr_compiled PUBLIC tracexpr::tracexpr)
    target_compile_definitions(tracexpr_compiled PUBLIC TRACEXPR_COMPILED)
    set_target_properties(tracexpr_compiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
