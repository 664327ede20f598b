# A bridge `name` owns include/tracexpr/name.hpp and include/tracexpr/name/; all other headers are the core's.
include_guard()
include("${CMAKE_CURRENT_LIST_DIR}/tracexprFind.cmake") # which bridges there are

function(tracexpr_bridge_headers out name)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS
        "${PROJECT_SOURCE_DIR}/include/tracexpr/${name}.hpp" "${PROJECT_SOURCE_DIR}/include/tracexpr/${name}/*.hpp")
    list(FILTER headers INCLUDE REGEX "/include/tracexpr/${name}(/|\\.hpp$)") # GLOB_RECURSE matches in deeper folders too
    set(${out} "${headers}" PARENT_SCOPE)
endfunction()

function(tracexpr_headers out)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/tracexpr/*.hpp")
    foreach(bridge IN LISTS TRACEXPR_BRIDGES)
        tracexpr_bridge_headers(theirs ${bridge})
        list(REMOVE_ITEM headers ${theirs})
    endforeach()
    set(${out} "${headers}" PARENT_SCOPE)
endfunction()

# tracexpr_bridge(<name>) makes tracexpr::name.
function(tracexpr_bridge name)
    foreach(package IN LISTS tracexpr_packages_of_${name})
        tracexpr_depend(${package})
    endforeach()
    tracexpr_bridge_headers(headers ${name})
    add_library(tracexpr_${name} INTERFACE)
    add_library(tracexpr::${name} ALIAS tracexpr_${name})
    target_sources(tracexpr_${name} INTERFACE
        FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${headers})
    target_link_libraries(tracexpr_${name} INTERFACE tracexpr_header_only ${tracexpr_libraries_of_${name}})
    target_compile_definitions(tracexpr_${name} INTERFACE ${tracexpr_definitions_of_${name}})
endfunction()
