# tracexpr::compiled: tracexpr, with what depends on no program's types compiled once, by the program's own compiler and flags. Built where
# somebody links it.
include_guard(GLOBAL)

# tracexpr_add_compiled(<target> <folder of the headers> <what it is compiled with> [SHARED])
function(tracexpr_add_compiled target headers with)
    set(kind STATIC)
    if(ARGC GREATER 3)
        set(kind "${ARGV3}")
    endif()
    file(GLOB files CONFIGURE_DEPENDS "${headers}/tracexpr/compiled*.cpp")
    add_library(${target} ${kind} EXCLUDE_FROM_ALL ${files})
    target_link_libraries(${target} PUBLIC ${with})
    target_compile_definitions(${target} PUBLIC TRACEXPR_COMPILED)
    target_compile_options(${target} PRIVATE $<$<CONFIG:>:-O2>) # a library that is not optimized is of no use
    if(TRACEXPR_KERNELS STREQUAL "none")
        target_compile_definitions(${target} INTERFACE $<BUILD_INTERFACE:TRACEXPR_KERNELS_NONE>)
    endif()
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# tracexpr::tracexpr is tracexpr::prebuilt, or where there is none tracexpr::compiled for files of any processor.
function(tracexpr_add_advised)
    add_library(tracexpr INTERFACE)
    add_library(tracexpr::tracexpr ALIAS tracexpr)
    if(TARGET tracexpr::prebuilt)
        target_link_libraries(tracexpr INTERFACE tracexpr::prebuilt)
    else()
        target_link_libraries(tracexpr INTERFACE tracexpr::compiled)
        target_compile_definitions(tracexpr INTERFACE TRACEXPR_PREBUILT)
    endif()
endfunction()
