// This file has the version, facts about the compiler, and all of the library's macros.
#pragma once

#if defined(__cplusplus) && __cplusplus < 202002L
#error "tx: tracexpr needs C++20: compile with -std=c++20"
#endif

#define TRACEXPR_VERSION_MAJOR 0
#define TRACEXPR_VERSION_MINOR 1
#define TRACEXPR_VERSION_PATCH 0

// A program of several files may compile what depends on none of its types in one of them. That file defines
// TRACEXPR_IMPLEMENTATION, which stands for all of compiled*.cpp, and the others define TRACEXPR_COMPILED.
#if defined(TRACEXPR_IMPLEMENTATION)
#if !defined(TRACEXPR_COMPILED)
#define TRACEXPR_COMPILED
#endif
#define TRACEXPR_COMPILING
#define TRACEXPR_COMPILING_ROUTINES
#endif
#if defined(TRACEXPR_COMPILING) || defined(TRACEXPR_COMPILING_ROUTINES)
#define TRACEXPR_IS_COMPILED_PART true
#else
#define TRACEXPR_IS_COMPILED_PART false
#endif
// With TRACEXPR_PREBUILT the compiled part was built elsewhere, perhaps for another processor than this file; then this file
// doesn't use its kernels.
#if defined(TRACEXPR_PREBUILT) && TRACEXPR_IS_COMPILED_PART
#error "tx: TRACEXPR_PREBUILT: says that the compiled part was built elsewhere, and this file has it"
#endif
#if defined(TRACEXPR_PREBUILT) && !defined(TRACEXPR_COMPILED)
#define TRACEXPR_COMPILED
#endif
// TRACEXPR_TRACES_HERE tells whether the compiler traces callables in this file and compiles kernels of what it traced. With
// TRACEXPR_KERNELS_NONE the running program does all tracing, by code that is compiled once, and the compiler doesn't read the
// headers that tracing needs.
#if !defined(TRACEXPR_KERNELS_NONE) || TRACEXPR_IS_COMPILED_PART
#define TRACEXPR_TRACES_HERE 1
#elif !defined(TRACEXPR_COMPILED)
#error "tx: TRACEXPR_KERNELS_NONE: link tracexpr::compiled, or tracexpr::prebuilt (TRACEXPR_PREBUILT and libtracexpr)"
#define TRACEXPR_TRACES_HERE 1
#elif defined(__CUDACC__)
#error "tx: TRACEXPR_KERNELS_NONE: nvcc compiles kernels of what the compiler traced; leave the macro to other files"
#else
#define TRACEXPR_TRACES_HERE 0
#endif

// TRACEXPR_HD marks functions that a CUDA kernel may call, too.
#if defined(__CUDACC__)
#define TRACEXPR_HD __host__ __device__
#else
#define TRACEXPR_HD
#endif

// TRACEXPR_UNROLL stands in front of a loop in device code so that the elements of local arrays can be registers.
#if defined(__CUDACC__)
#define TRACEXPR_UNROLL _Pragma("unroll")
#else
#define TRACEXPR_UNROLL
#endif
// TRACEXPR_CALLS_HOST stands in front of a function template with TRACEXPR_HD that may call host functions, depending on its
// arguments' types.
#if defined(__CUDACC__)
#define TRACEXPR_CALLS_HOST _Pragma("nv_exec_check_disable")
#else
#define TRACEXPR_CALLS_HOST
#endif

// TRACEXPR_HAS_VECTORS is false while nvcc compiles a file for the device. Functions that device code may call must not name
// vectors then, even where only host code calls them.
#if defined(__CUDA_ARCH__)
#define TRACEXPR_HAS_VECTORS false
#else
#define TRACEXPR_HAS_VECTORS true
#endif

// Kernels must be inlined into their callers to be fast.
#if defined(__GNUC__)
#define TRACEXPR_INLINE inline __attribute__((always_inline))
#define TRACEXPR_NOINLINE __attribute__((noinline))
#define TRACEXPR_INLINE_LAMBDA __attribute__((always_inline)) // after a lambda's parameters
#define TRACEXPR_RESTRICT __restrict__
#else
#define TRACEXPR_INLINE inline
#define TRACEXPR_NOINLINE
#define TRACEXPR_INLINE_LAMBDA
#define TRACEXPR_RESTRICT
#endif

// These stand around what the library's own headers include. Programs share what threads store and count with a library that was
// built elsewhere, even programs that are compiled with -fvisibility=hidden.
#if defined(TRACEXPR_PREBUILT) && defined(__ELF__)
#define TRACEXPR_BEGIN_SHARED _Pragma("GCC visibility push(default)")
#define TRACEXPR_END_SHARED _Pragma("GCC visibility pop")
#else
#define TRACEXPR_BEGIN_SHARED
#define TRACEXPR_END_SHARED
#endif

// TRACEXPR_LIFETIMEBOUND stands after a parameter to which the result refers: Clang warns if the argument is destroyed before the
// result.
#if defined(__clang__)
#define TRACEXPR_LIFETIMEBOUND [[clang::lifetimebound]]
#else
#define TRACEXPR_LIFETIMEBOUND
#endif

// TRACEXPR_SYMBOL stands after a function's declaration and gives the name of its symbol. Apple's C names begin with an
// underscore.
#if defined(__APPLE__)
#define TRACEXPR_SYMBOL(name) __asm__("_" name)
#else
#define TRACEXPR_SYMBOL(name) __asm__(name)
#endif

// This is defined where GCC's libraries need a workaround: base/per_thread.hpp and base/waited_atomic.hpp.
#if defined(__MINGW32__) && !defined(__clang__)
#define TRACEXPR_GCC_ON_WINDOWS
#endif

// TRACEXPR_READABLE is true where `object` may be read in the constant evaluation under way; a namespace-scope variable may not.
// g++ answers this for a plain member and never for a mutable one. Clang also answers true for constant-initialised const
// objects, which it then refuses to read, unless the member is mutable.
#if defined(__clang__)
#define TRACEXPR_READABLE(plain, mutable_probe) __builtin_constant_p(mutable_probe)
#else
#define TRACEXPR_READABLE(plain, mutable_probe) __builtin_constant_p(plain)
#endif

// The library asks __builtin_is_constant_evaluated(), not std::is_constant_evaluated(): g++ knows the builtin's value where it
// reads it, while it drops what std::is_constant_evaluated() rules out only when it inlines that, after it has compiled all that
// could be called.

// TRACEXPR_IN_RANGE checks an index in g++'s constant evaluations. g++ 12 takes half the time and memory for passes over large
// graphs when the accessors that they call ask whether this is a constant evaluation. The macro has its own semicolon, because
// the other compilers count even an empty statement as a step.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define TRACEXPR_IN_RANGE(condition)                                                                                             \
    if (__builtin_is_constant_evaluated() && !(condition)) __builtin_unreachable();
#else
#define TRACEXPR_IN_RANGE(condition)
#endif

// TRACEXPR_FUSES stands in front of a function's statements: Clang then contracts products and sums to FMAs even across inlined
// functions, as g++ does by default.
#if defined(__clang__) && !defined(__CUDACC__)
#define TRACEXPR_FUSES _Pragma("clang fp contract(fast)")
#else
#define TRACEXPR_FUSES
#endif

// These stand around the code that makes programs, which runs once for each trace. At -O1 g++ takes half the time to compile it,
// and the code is about as fast. With TRACEXPR_COMPILED the code is compiled once, so that time doesn't matter.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && defined(__OPTIMIZE__) && !defined(TRACEXPR_COMPILED)
#define TRACEXPR_BEGIN_PASSES _Pragma("GCC push_options") _Pragma("GCC optimize(\"O1\")")
#define TRACEXPR_END_PASSES _Pragma("GCC pop_options")
#elif defined(__clang__) && !defined(__CUDACC__) && defined(__OPTIMIZE__) && !defined(TRACEXPR_COMPILED)
#define TRACEXPR_BEGIN_PASSES _Pragma("clang attribute push(__attribute__((minsize)), apply_to = function)")
#define TRACEXPR_END_PASSES _Pragma("clang attribute pop")
#else
#define TRACEXPR_BEGIN_PASSES
#define TRACEXPR_END_PASSES
#endif

#if defined(TRACEXPR_COMPILED)
#define TRACEXPR_HAS_ROUTINES true
#else
#define TRACEXPR_HAS_ROUTINES false
#endif
#if defined(TRACEXPR_COMPILED) && !defined(TRACEXPR_PREBUILT)
#define TRACEXPR_HAS_KERNELS true
#else
#define TRACEXPR_HAS_KERNELS false
#endif

// Files of a program may be compiled for several processors, and of a function that several files have, the linker keeps any one
// copy. So code that plans and runs kernels stands in an inline namespace TRACEXPR_TARGET, whose name differs with the processor.
// A file without kernels is the same for all processors.
#if TRACEXPR_TRACES_HERE
#define TRACEXPR_PROCESSOR                                                                                                       \
    TRACEXPR_JOINED(isa, TRACEXPR_IF(__SSE4_2__, _sse4), TRACEXPR_IF(__AVX__, _avx), TRACEXPR_IF(__AVX2__, 2),                   \
                    TRACEXPR_IF(__FMA__, _fma), TRACEXPR_IF(__BMI2__, _bmi2), TRACEXPR_IF(__AVX512F__, _avx512),                 \
                    TRACEXPR_IF(__AVX512DQ__, dq), TRACEXPR_IF(__AVX512VBMI__, _vbmi), TRACEXPR_IF(__AVX512BITALG__, _bitalg),   \
                    TRACEXPR_IF(__ARM_FEATURE_SVE, _sve))
#else
#define TRACEXPR_PROCESSOR any_processor
#endif
// Files whose kernels use the compiled part have types of their own.
#if !TRACEXPR_HAS_ROUTINES || !TRACEXPR_TRACES_HERE
#define TRACEXPR_TARGET TRACEXPR_PROCESSOR
#elif TRACEXPR_HAS_KERNELS
#define TRACEXPR_TARGET TRACEXPR_JOINED(TRACEXPR_PROCESSOR, _compiled, , , , , , , , , )
#else
#define TRACEXPR_TARGET TRACEXPR_JOINED(TRACEXPR_PROCESSOR, _prebuilt, , , , , , , , , )
#endif
// TRACEXPR_RUNS is the namespace of what runs programs that are made at run time. With the compiled part it is there once, for
// one processor, and files for all processors call it.
#if defined(TRACEXPR_COMPILED)
#define TRACEXPR_RUNS compiled_once
#else
#define TRACEXPR_RUNS TRACEXPR_TARGET
#endif
// Some files leave kernels to the tile executor, or all tracing to the running program. The code that chooses stands in the
// namespace TRACEXPR_CALLS; TRACEXPR_NAMES_TARGET stands in front of such functions in a class that files share.
#if !TRACEXPR_TRACES_HERE
#define TRACEXPR_PREFERS_TILES true
#define TRACEXPR_CALLS without_kernels
#elif defined(TRACEXPR_KERNELS_TILES)
#define TRACEXPR_PREFERS_TILES true
#define TRACEXPR_CALLS TRACEXPR_JOINED(TRACEXPR_TARGET, _tiles, , , , , , , , , )
#else
#define TRACEXPR_PREFERS_TILES false
#define TRACEXPR_CALLS TRACEXPR_TARGET
#endif
// Some files use another of Thrust's systems, which TRACEXPR_DEVICE names, too. It is for thrust/system.hpp and what includes it.
#define TRACEXPR_DEVICE                                                                                                          \
    TRACEXPR_JOINED(TRACEXPR_TARGET, _thrust, THRUST_DEVICE_SYSTEM, TRACEXPR_IF(TRACEXPR_USE_CUBLAS, _cublas),                   \
                    TRACEXPR_IF(TRACEXPR_USE_CUSOLVER, _cusolver), , , , , , )
#define TRACEXPR_ON_GPU (THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA)
// TRACEXPR_CALLS_LIBRARIES tells whether a device calls cuBLAS and cuSOLVER where TRACEXPR_USE_CUBLAS and TRACEXPR_USE_CUSOLVER
// say that they are linked. A host's system calls them in tests only, which have LAPACK behind headers of those names.
#if defined(TRACEXPR_LIBRARIES_ON_HOST)
#define TRACEXPR_CALLS_LIBRARIES 1
#else
#define TRACEXPR_CALLS_LIBRARIES TRACEXPR_ON_GPU
#endif
#define TRACEXPR_NAMES_TARGET __attribute__((abi_tag(TRACEXPR_TEXT(TRACEXPR_CALLS))))
#if defined(__CUDACC__)
#pragma nv_diag_suppress 2648 // nvcc 13 meets the tag of a template twice, and says that it ignores the first.
#endif

#define TRACEXPR_JOINED(...) TRACEXPR_JOINED_OF(__VA_ARGS__)
#define TRACEXPR_JOINED_OF(a, b, c, d, e, f, g, h, i, j, k) a##b##c##d##e##f##g##h##i##j##k
#define TRACEXPR_TEXT(macro) TRACEXPR_TEXT_OF(macro)
#define TRACEXPR_TEXT_OF(text) #text
// TRACEXPR_IF gives `name` where the macro is defined as 1, and nothing otherwise.
#define TRACEXPR_IF(macro, name) TRACEXPR_IF_OF(macro, name)
#define TRACEXPR_IF_OF(value, name) TRACEXPR_SECOND(TRACEXPR_COMMA_FOR_##value name, , )
#define TRACEXPR_COMMA_FOR_1 ,
#define TRACEXPR_SECOND(...) TRACEXPR_SECOND_OF(__VA_ARGS__)
#define TRACEXPR_SECOND_OF(first, second, ...) second

// TRACEXPR_INSTANCE stands after a function template and instantiates it for programs that call it at run time, whatever their
// own types. With TRACEXPR_COMPILED the instance comes from compiled.cpp, which also defines TRACEXPR_COMPILING, and callers
// don't compile it again.
#if defined(TRACEXPR_COMPILING)
#define TRACEXPR_INSTANCE(...) template __VA_ARGS__;
#elif defined(TRACEXPR_COMPILED)
#define TRACEXPR_INSTANCE(...) extern template __VA_ARGS__;
#else
#define TRACEXPR_INSTANCE(...)
#endif
// TRACEXPR_HAS_BODIES tells whether this file has the bodies of such instances. Bodies that need a standard header which nothing
// else needs are left out of other files, together with that header.
#if defined(TRACEXPR_COMPILED) && !defined(TRACEXPR_COMPILING)
#define TRACEXPR_HAS_BODIES 0
#else
#define TRACEXPR_HAS_BODIES 1
#endif
// TRACEXPR_BODY stands in front of the body of a function that is no template, in a header that is included where
// TRACEXPR_HAS_BODIES is 1: the compiled part then has the function even if it doesn't call it. (It doesn't work for constructors
// and destructors, which Clang leaves out even so.) Bodies of onnx/ are in compiled_onnx.cpp, which defines
// TRACEXPR_COMPILING_ONNX, and those of files/ and plot/ in compiled_files.cpp, which defines TRACEXPR_COMPILING_FILES.
#if defined(TRACEXPR_COMPILING) || defined(TRACEXPR_COMPILING_ONNX) || defined(TRACEXPR_COMPILING_FILES)
#define TRACEXPR_BODY [[gnu::used]] inline
#else
#define TRACEXPR_BODY inline
#endif
// TRACEXPR_ONCE stands in place of `inline` in front of a function that is no template and whose body all files read, mostly
// because constant evaluations need it. The compiled part has the function's code, and files that link the compiled part make
// none: gnu_inline says that the code is elsewhere, and what follows it keeps the compiler from optimising the body only to
// inline it. (It doesn't work for constructors and destructors either, nor where a parameter's type stands in a namespace that
// differs with the processor. All declarations of the function need it.)
#if defined(TRACEXPR_COMPILING)
#define TRACEXPR_ONCE [[gnu::used]] inline
#elif !defined(TRACEXPR_COMPILED) || defined(__CUDACC__) || !defined(__GNUC__)
#define TRACEXPR_ONCE inline
#elif defined(__clang__)
#define TRACEXPR_ONCE                                                                                                            \
    _Pragma("clang diagnostic ignored \"-Wgnu-inline-cpp-without-extern\"") [[gnu::gnu_inline, gnu::noinline]] inline
#else
#define TRACEXPR_ONCE [[gnu::gnu_inline, gnu::optimize(0)]] inline
#endif
// TRACEXPR_HAS_KERNEL_BODIES tells whether this file has the bodies of instances that run its kernels.
#if TRACEXPR_HAS_BODIES || (TRACEXPR_TRACES_HERE && !TRACEXPR_HAS_KERNELS)
#define TRACEXPR_HAS_KERNEL_BODIES 1
#else
#define TRACEXPR_HAS_KERNEL_BODIES 0
#endif
// TRACEXPR_HERE_OR_ONCE stands after a function `here` and defines a function `name` that does the same: in a constant evaluation
// it is evaluated in place, and for the running program it is an instance that is compiled once. The parameters and arguments are
// given in parentheses.
#if TRACEXPR_TRACES_HERE
#define TRACEXPR_HERE_OR_ONCE(result, name, here, parameters, arguments)                                                         \
    template <class Unused = void> TRACEXPR_NOINLINE result name##_once parameters { return here arguments; }                    \
    TRACEXPR_INSTANCE(result name##_once<void> parameters)                                                                       \
    constexpr result name parameters {                                                                                           \
        if (__builtin_is_constant_evaluated()) return here arguments;                                                            \
        else return name##_once<> arguments;                                                                                     \
    }
#else
#define TRACEXPR_HERE_OR_ONCE(result, name, here, parameters, arguments)                                                         \
    template <class Unused = void> result name##_once parameters;                                                                \
    TRACEXPR_INSTANCE(result name##_once<void> parameters)                                                                       \
    constexpr result name parameters {                                                                                           \
        if (__builtin_is_constant_evaluated()) return tx::detail::not_a_constant_with_kernels_none<result>();                    \
        else return name##_once<> arguments;                                                                                     \
    }
namespace tx::detail {
// With TRACEXPR_KERNELS_NONE no expression of tensors is a constant expression.
template <class Result> constexpr Result not_a_constant_with_kernels_none() {
    throw "tx: TRACEXPR_KERNELS_NONE: computed by the program only; leave out constexpr, or the macro";
}
} // namespace tx::detail
#endif
// TRACEXPR_KERNEL_INSTANCE is TRACEXPR_INSTANCE for code that runs kernels. A compiled part that was built elsewhere doesn't have
// it for this file.
#if defined(TRACEXPR_COMPILING)
#define TRACEXPR_KERNEL_INSTANCE(...) template __VA_ARGS__;
#elif TRACEXPR_HAS_KERNELS
#define TRACEXPR_KERNEL_INSTANCE(...) extern template __VA_ARGS__;
#else
#define TRACEXPR_KERNEL_INSTANCE(...)
#endif
// compiled.cpp leaves the routines of the tile executor to files beside it, compiled_<group>.cpp, one for each group of dtypes,
// which define TRACEXPR_COMPILING_ROUTINES. If one of these files is missing, the linker reports the missing function of that
// name.
#define TRACEXPR_ROUTINE_GROUPS(each) each(float32) each(float64) each(complex) each(dual) each(other) each(integer)
#define TRACEXPR_NAMES_ROUTINES(group) group,
#define TRACEXPR_DECLARES_ROUTINES(group) void add_compiled_##group##_cpp();
#define TRACEXPR_KNOWS_ROUTINES(group) add_compiled_##group##_cpp();
#define TRACEXPR_DEFINES_ROUTINES(group)                                                                                         \
    void tx::TRACEXPR_TARGET::simd::tiles::detail::add_compiled_##group##_cpp() { know_routines_in<routine_group::group>(); }

// A program doesn't link if the compiled part is missing or was compiled for another processor. compiled.cpp has variables whose
// symbols tell the user what to do: files without kernels refer to one of them, other files to the one for their processor.
#if defined(TRACEXPR_COMPILED)
#define TRACEXPR_PART_FOR_ANY "link_libtracexpr_or_tracexpr_compiled_or_add_compiled_cpp"
#if TRACEXPR_HAS_KERNELS && TRACEXPR_TRACES_HERE
#define TRACEXPR_PART_FOR_THIS                                                                                                   \
    "link_tracexpr_compiled_or_add_compiled_cpp_compiled_for_this_processor_" TRACEXPR_TEXT(TRACEXPR_PROCESSOR)
#else
#define TRACEXPR_PART_FOR_THIS TRACEXPR_PART_FOR_ANY
#endif
namespace tx::inline TRACEXPR_TARGET {
#if defined(TRACEXPR_COMPILING)
extern char const compiled_part_for_this TRACEXPR_SYMBOL(TRACEXPR_PART_FOR_THIS);
extern char const compiled_part_for_any TRACEXPR_SYMBOL(TRACEXPR_PART_FOR_ANY);
char const compiled_part_for_this = 0, compiled_part_for_any = 0;
#elif !TRACEXPR_IS_COMPILED_PART
extern char const compiled_part TRACEXPR_SYMBOL(TRACEXPR_PART_FOR_THIS);
[[gnu::used]] static char const* const needed_by_this_file = &compiled_part;
// The linker reports missing symbols in the order in which an object refers to them, and this reference comes before all
// functions. (A reference to a shared library may only be made by the place of an address.)
#if defined(__ELF__) && !defined(__CUDACC__) && !defined(TRACEXPR_PREBUILT)
asm(".pushsection .text\n.reloc ., BFD_RELOC_NONE, " TRACEXPR_PART_FOR_THIS "\n.popsection");
#elif defined(__ELF__) && !defined(__CUDACC__) && defined(__x86_64__)
asm(".pushsection .text\n.balign 4\n.long " TRACEXPR_PART_FOR_THIS "@GOTPCREL\n.popsection");
#endif
#endif
} // namespace tx::inline TRACEXPR_TARGET
#endif

// The bridge to MPI includes mpi.h without its C++ interface, which MPI 3 removed.
#if !defined(OMPI_SKIP_MPICXX)
#define OMPI_SKIP_MPICXX 1
#endif
#if !defined(MPICH_SKIP_MPICXX)
#define MPICH_SKIP_MPICXX 1
#endif

// The compiler doesn't make graphs with more nodes than this: it would take minutes, and give up in the end.
#if !defined(TRACEXPR_MAX_NODES)
#define TRACEXPR_MAX_NODES 4032
#endif

namespace tx {

inline constexpr unsigned most_nodes = TRACEXPR_MAX_NODES;

// Passes over graphs with more nodes than this are cut into several constant evaluations. Clang gives each evaluation 1,048,576
// steps, and nvcc about as many. g++ counts differently, gets further, and takes longer to hand the result of one evaluation to
// the next.
#if defined(__clang__) || defined(__CUDACC__)
inline constexpr unsigned nodes_per_evaluation = 1000;
#else
inline constexpr unsigned nodes_per_evaluation = 8000;
#endif

} // namespace tx
