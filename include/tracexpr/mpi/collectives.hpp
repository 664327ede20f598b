// Collectives on tensors and trees are ops, which are computed at once or recorded in a trace. This header doesn't depend on MPI:
// a communicator is anything that gives a rank_transport, a table of functions (graph/collective_form.hpp).
#pragma once

#include <tracexpr/mpi/reduction.hpp>
#include <tracexpr/run/function.hpp>
#include <tracexpr/run/recording/collective.hpp>
#include <tracexpr/run/trees/tree_map.hpp>
#include <tracexpr/trace/collectives.hpp>
#include <tracexpr/trace/effects.hpp>
#include <tracexpr/trace/extents.hpp>
#include <tracexpr/trace/pointwise.hpp>

#include <concepts>
#include <memory>
#include <utility>
#include <vector>

namespace tx::mpi {

// communicator_like is a type that can be the communicator of a collective: mpi::communicator, nccl::communicator, or what tests
// use instead.
template <class C> concept communicator_like = requires(C const& c) {
    { c.transport() } -> std::convertible_to<tx::detail::rank_transport const&>;
};

namespace detail::ops {
using namespace tx::detail;

// Records a communicator in a trace, and keeps a copy for as long as the trace's graph may run. (The world has static storage
// duration, as a trace that the compiler makes needs it.)
template <communicator_like C> constexpr traced_communicator communicator_in(trace_scope& scope, C const& among) {
    if (!__builtin_is_constant_evaluated() && scope.root->kept) scope.root->kept->push_back(std::make_shared<C const>(among));
    return record_communicator(scope, &among.transport());
}

template <collective_kind What, class Shape> struct collective_shape {
    static constexpr dims given = dims_of<Shape>;
    static constexpr bool fits = given.rank < 0 || (gathers(What) ? given.rank < max_rank : !takes_rows(What) || given.rank > 0);
    static constexpr dims value = [] {
        if (!fits || given.rank < 0 || !(gathers(What) || scatters(What))) return given;
        dims out;
        if (gathers(What)) out.push_back(dyn);
        for (int axis = scatters(What) ? 1 : 0; axis < given.rank; ++axis) out.push_back(given[axis]);
        return out;
    }();
};
template <collective_kind What, class A> using collective_result =
    tensor<ctype<dtype_of_operand<A>>, shape_from<collective_shape<What, typename traits<A>::shape_type>>>;

// Runs a collective now on a device, where `elements` are the elements of its operand. Returns false, and no result, if the
// transport can't run it there.
template <class Result>
bool give_on_device(collective_call call, rank_transport const& by, remote_elements const& elements, Result& out) {
    using T = typename Result::stored_type;
    device_memory const& memory = elements.memory(elements);
    std::int64_t const bytes = call.result_extents.size() * static_cast<std::int64_t>(sizeof(T));
    call.operand = elements.address;
    if constexpr (is_inline<typename Result::value_type, typename Result::shape_type>) { // no device has these
        scratch_on_device const made(memory, bytes);
        call.result = made.data();
        if (!takes_part_on_device(by, call, memory)) return false;
        out = Result::uninitialized(call.result_extents);
        if (bytes > 0) memory.to_host(out.mutable_data(), made.data(), bytes);
    } else {
        remote_elements* const made = memory.made(bytes);
        Result const on_device = tensor_access::from_remote<Result>(made, call.result_extents);
        call.result = made->address;
        if (!takes_part_on_device(by, call, memory)) return false;
        out = on_device;
    }
    return true;
}
// Returns the elements of a tensor on a device, if the transport can run this collective there; else null.
template <class X> remote_elements const* elements_for(rank_transport const& by, collective_kind kind, X const& x) {
    remote_elements const* const elements = tensor_access::remote(x);
    return elements && elements->memory && (by.run_on_device || kind == collective_kind::replicate) ? elements : nullptr;
}
// Runs a collective now. The elements of `x` and `more` must be computed already.
template <collective_kind What, class Result, class X, communicator_like C, class... More>
Result collective_now(collective_form const& form, X const& x, C const& among, More const&... more) {
    rank_transport const& by = among.transport();
    dims const extents = x.dimensions();
    require_rows(form, extents, by.size);
    dims const made = gathers(What) ? with_leading(extents, by.size) : scatters(What) ? without_leading(extents) : extents;
    collective_call call{form, dtype_of<typename X::value_type>, nullptr, extents, nullptr, made};
    Result out;
    remote_elements const* const elements = elements_for(by, What, x);
    if (!elements || !give_on_device(call, by, *elements, out)) {
        out = Result::uninitialized(made);
        call.operand = x.data();
        call.result = made.size() > 0 ? out.mutable_data() : nullptr;
        take_part(by, call);
    }
    if (innermost_recorder) [[unlikely]] {
        simd::tiles::detail::need_routines<typename X::value_type, std::int64_t, std::uint64_t, bool>();
        seen_value const inputs[]{seen(x), seen(more)...};
        record_collective<>(form, by, std::make_shared<C const>(among), inputs, seen(out));
    }
    return out;
}

// Records or runs a collective of one tensor. `more` has, for an exchange, the ranks to send to and to receive from.
template <collective_kind What, communicator_like C, class A, class... More>
constexpr auto collective_of_leaf(collective_form form, C const& among, A const& x, More const&... more) {
    constexpr bool is_number = dtype_of_operand<A> != dtype::string;
    static_assert(is_number, "tx: mpi: strings do not travel between ranks; send numbers");
    constexpr bool fits = collective_shape<What, typename traits<A>::shape_type>::fits;
    static_assert(fits, "tx: mpi: scatter, reduce_scatter and all_to_all take (size, ...), a row for each rank; gathers take at "
                        "most 7 axes");
    if constexpr (!is_number || !fits) {
        return failed{};
    } else {
        using result = collective_result<What, A>;
        constexpr bool has_expr = expr_type<A> || (expr_type<More> || ...);
        using symbol = expr<typename result::value_type, typename result::shape_type>;
        if (trace_scope* const scope = scope_of_call(x, more...)) {
            if (!__builtin_is_constant_evaluated())
                simd::tiles::detail::need_routines<typename result::value_type, std::int64_t, std::uint64_t, bool>();
            node_id const inputs[]{record_operand<dtype_of_operand<A>>(*scope, x), record_operand<dtype::int64>(*scope, more)...};
            symbol const out(*scope, append_collective(*scope, form, communicator_in(*scope, among), inputs));
            if constexpr (has_expr) return out;
            else return result(out);
        } else {
            if constexpr (sizeof...(More) == 2) {
                std::int64_t const ends[]{static_cast<std::int64_t>(value_now(more).item())...};
                form.to = ends[0], form.from = ends[1];
            }
            result const out =
                collective_now<What, result>(form, value_now(x), among, tensor<std::int64_t, shape<>>(value_now(more).item())...);
            if constexpr (has_expr) return lift(*scope_among(x, more...), out);
            else return out;
        }
    }
}
// A collective of a tree is one for each leaf, in order. The leaves of maps are in the order of their sorted keys.
template <collective_kind What, communicator_like C, class A, class... More>
constexpr auto collective(collective_form const& form, C const& among, A const& x, More const&... more) {
    auto const of_leaf = [&](auto const& part) {
        return collective_of_leaf<What>(form, among, plain_operand(part), plain_operand(more)...);
    };
    if constexpr (operand<A>) return of_leaf(x);
    else return tree_map(of_leaf, x);
}

} // namespace detail::ops
} // namespace tx::mpi
