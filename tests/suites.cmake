# Two suites of the same tests.
#   everyday  ./run tests. Each file once, linked to what is compiled once. Where a test's subject is the language, the graph, derivatives or
#             messages, its traces run on tiles and it is compiled without optimisation, which takes a third of the compiler's time; where the
#             subject is what the compiler makes of loops (native_tests), as kernels with optimisation. Tables of ops by dtypes run there as
#             graphs through the routines that are compiled once.
#   all       ./run all-tests. Every file as kernels with optimisation, and long_tests: every dtype of every table as a kernel of its own,
#             more random graphs, Thrust's serial system, every header alone, all files for nvcc. CI runs another part of it each day.
set(TRACEXPR_TEST_SUITE everyday CACHE STRING "Which tests are built, and how: everyday or all")
set_property(CACHE TRACEXPR_TEST_SUITE PROPERTY STRINGS everyday all)
if(NOT TRACEXPR_TEST_SUITE MATCHES "^(everyday|all)$")
    message(FATAL_ERROR "TRACEXPR_TEST_SUITE is everyday or all, not ${TRACEXPR_TEST_SUITE}")
endif()

set(native_tests
    "backends/.*" "thrust/.*" docs/devices
    "base/.*" bridges/onnx_static "ad/(kernels_.*|linalg_kernels|extents.*|transforms)"
    "run/ops_(known_.*|floating|views|reductions|along|updates|adjoints)"
    "run/(columns|parts|boxes|scan_states|register_tiles|register_tiles_axes|window_products|kept_between|nests|nests_open|run_axes|short_rows_known|long_kernels|long_rows_open|tails|no_elements_across)"
    "run/(strides|slice_open|open_spaces|open_forms|split_axes|joined_slices|in_place|in_place_beside|in_place_rows|into)"
    "run/(blocks|blocks_open|elements|elements_products|bags|lookups|updates|updates_last_use|batched_products|random_static_0|on|on_matrices)"
    "run/(eager|globals|kernels_tiles|kernels_tiles_macro|eager_most_axes|tracing_memory|profile|profile_forms|run_eagerly)")
# What everyday runs in files that the compiler traces nothing in (TRACEXPR_KERNELS_NONE): they compile fastest. So it does with all of
# families/ but those whose names end in _static.
set(untraced_tests
    "collectives/.*" "files/.*" plot/plot "ad/(jacobians|tape|tape_errors|tape_jacobian|tape_memory|tape_writes|tape_custom|tape_repeated|vmap_custom|vmap_gradients)"
    "ad/(kinks|least_squares_calls|masks|masks_orders|masks_reductions|quantiles|registry|sorting)"
    "run/(calls_within|counting|element_references|errors|check_gradients|gradient_errors|conditions|extents_asked|extremes_nan|handlers)"
    "run/(groups|histogram|live|numbers_that_do_not_fit|no_elements|ops_coverage|optim_edges|variables|variables_steady|tf_variables|tensorflow_function)"
    "run/(linalg_.*|quantiles.*|random_(continuous|gamma|inverses|stateful|stateless|threads)|trees_lists_(loops|nested|optim)|updates_places.*)"
    "run/(associative_scan_open|lax_while_vmap|opaque_loops|tapes_loops)" run/kernels_none)
# Of families that are tested alike in several files, or by several sets of kernels, one or two run every day.
set(long_tests
    "run/(in_place_beside|in_place_rows|joined_slices|slice_open|open_forms|run_axes|on_matrices|short_rows_known|tails|kept_between)"
    "run/(elements_products|blocks_open|bags|updates|ops_known_arrays|eager_most_axes|kernels_tiles_ops|large_constants_ops|one_hot_products)"
    "run/(small_functions_products|small_functions_interp|updates_indices|updates_gradients|ops_eager_dual|ops_eager_exact|opaque_regions)"
    "run/(random_programs_failing|random_derivatives|jax_distributions|trees_lists_lbfgs|capture_proxy_run_time|dtypes_small_floats)"
    "ad/(linalg_kernels|kernels_arrays)" bridges/blas_linalg_identities
    "thrust/(device_points|device_edges|interpreter_programs|interpreter_random|interpreter_loops)"
    "run/random_static_[123]" "run/(bags_dtypes|bags_long|blocks_products|blocks_sums|elements_open|elements_second)"
    "bridges/blas_linalg_(edges|rectangles)" "run/(lookups_dtypes|lookups_reduced|updates_dtypes)" "run/(short_rows|short_rows_open|split_axes_open|open_forms_views)"
    "thrust/(loops_dtypes.*|loops_random|loops_rows_norms|ops_.*|interpreter_ops_.*)"
    "thrust/calls_(cublas|cusolver_edges|decompositions|extremes|updates|products_.*)"
    "families/arrays_(order|insertions|places_in_axes|segment_products|stacks)" "families/conv_(folding|operands|pool_places)"
    "families/distributions_(choice|forms)" "families/fft_(cosine|spectra)" families/image_sampling "families/matrices_(banded|special)"
    "families/nn_(activations|batch_norms|losses_sequences|recurrent_gates)" "families/statistics_(interpolation|samples|slopes)"
    "families/special_(bessel_slopes|contexts|incomplete_slopes|integrals|parts)"
    bridges/onnx_mutations_long "bridges/onnx_dtypes_(signed|floats)" "collectives/(checkpoints_batched|regions_batched|values_inexact|values_integers)")

# tracexpr_take_suite(<list>): leaves those files of it that the suite has.
function(tracexpr_take_suite list)
    if(TRACEXPR_TEST_SUITE STREQUAL "everyday")
        foreach(test IN LISTS long_tests)
            list(FILTER ${list} EXCLUDE REGEX "^${test}\\.cpp$")
        endforeach()
        set(${list} "${${list}}" PARENT_SCOPE)
    endif()
endfunction()
# tracexpr_traces_nothing(<name> <variable>): whether the suite has the compiler trace nothing in this test.
function(tracexpr_traces_nothing name out)
    set(${out} FALSE PARENT_SCOPE)
    if(name MATCHES "^(bridges|docs)/onnx" AND NOT name MATCHES "_(ops|dtypes.*|programs|static)$") # models are traced while the program runs in every case
        set(${out} TRUE PARENT_SCOPE)
    endif()
    if(TRACEXPR_TEST_SUITE STREQUAL "everyday" AND name MATCHES "^families/" AND NOT name MATCHES "_static$")
        set(${out} TRUE PARENT_SCOPE)
    endif()
    foreach(test IN LISTS untraced_tests)
        if(name MATCHES "^(run/kernels_none|families/matrices_implicit)$" OR (TRACEXPR_TEST_SUITE STREQUAL "everyday" AND name MATCHES "^${test}$"))
            set(${out} TRUE PARENT_SCOPE)
        endif()
    endforeach()
endfunction()
# tracexpr_runs_kernels(<name> <variable>): whether the suite compiles this test's traces to kernels.
function(tracexpr_runs_kernels name out)
    set(${out} FALSE PARENT_SCOPE)
    if(name MATCHES "^families/special_(incomplete|contexts|gamma)|^bridges/onnx_(ops|dtypes.*|programs)$") # whose loops take the compiler minutes as kernels
        return()
    endif()
    foreach(test IN LISTS native_tests)
        if(TRACEXPR_TEST_SUITE STREQUAL "all" OR name MATCHES "^${test}$")
            set(${out} TRUE PARENT_SCOPE)
        endif()
    endforeach()
endfunction()
