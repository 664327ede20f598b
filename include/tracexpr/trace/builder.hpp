// This file records functions that are composed of several ops: an untyped builder records them, given nodes and what is known of
// the operands, and one front end gives the results their types. A builder's code doesn't depend on dtypes and shapes, so it is
// compiled once for all.
#pragma once

#include <tracexpr/trace/lowering.hpp>
#include <tracexpr/trace/operand_checks.hpp>

#include <array>
#include <tuple>
#include <utility>

namespace tx::detail {

constexpr bool know_ranks(builder_specs given) {
    for (builder_spec const& s : given)
        if (s.shape.rank < 0) return false;
    return true;
}

constexpr bool is_real_number(dtype t) { return t != dtype::string && !is_complex(t); }
constexpr bool are_real(builder_specs given) {
    for (builder_spec const& s : given)
        if (!is_real_number(s.type)) return false;
    return true;
}
// float16 and bfloat16 are computed in float32.
constexpr dtype widened_dtype(dtype t) { return tx::is_small_float(t) ? dtype::float32 : t; }
// The dtype in which a function is computed whose results are not integers.
constexpr dtype computed_dtype(dtype t) { return widened_dtype(to_inexact(t)); }
// The common dtype of the operands; common_inexact counts integers as float64.
TRACEXPR_ONCE constexpr dtype common_type(builder_specs given) {
    dtype out = given[0].type;
    for (builder_spec const& s : given) out = promote(out, s.type);
    return out;
}
TRACEXPR_ONCE constexpr dtype common_inexact(builder_specs given) {
    dtype out = to_inexact(given[0].type);
    for (builder_spec const& s : given) out = promote(out, to_inexact(s.type));
    return out;
}

// A builder is a type with the following members. Each gets what is known of the operands, or the operands' nodes:
//     static constexpr char const* called;                                       the function's name in messages
//     static constexpr char const* problem(builder_specs given);                 what is wrong, or null; ranks may be unknown
//     static constexpr std::array<dtype, N> types(builder_specs given);          the dtype of each result
//     static constexpr std::array<dims, N> shapes(builder_specs given);          its shape; ranks are known
//     static constexpr std::array<node_id, N> record(lowering&, node_id const* operands);
//                                                                   records it; one that records loops takes a trace_scope&
// Any of these may meet unknown extents. The results are cast to their dtypes. C++ numbers among the operands have become scalars
// of the common dtype of all operands. A builder with template parameters should hand them on, as values, to a function
// that is no template. An array of one is named, std::array<dims, 1>{...}: nvcc 13 drops the inner braces of what templates
// return as {dependent}. Where types leave extents open, `problem` is asked again when a run knows them, before any op runs.
// A builder whose operands include options sets their bits in `hidden`, so that messages don't show their shapes; `asked` may
// hold text that messages put behind the shapes:
//     static constexpr std::uint32_t hidden;
//     static constexpr char const* asked;
template <class Builder> inline constexpr std::size_t built_results =
    std::tuple_size_v<decltype(Builder::types(std::declval<builder_specs>()))>;

// Where extents are not all known, the first operand with an unknown one is wrapped in a node that checks all operands at run
// time.
TRACEXPR_ONCE constexpr buffer<node_id> checked_operands(graph& g, table_view<node_id> operands, operand_check const& check) {
    std::size_t open = 0;
    while (open + 1 < operands.size() && g.shape_of(operands[open]).is_static()) ++open;
    buffer<node_id> out(operands);
    out[open] = record_checked(g, operands[open], operands, check);
    return out;
}

// A builder with its type forgotten, so that one function records all builders.
struct builder_rule {
    operand_check check;
    std::size_t results;
    void (*types)(builder_specs given, dtype* of_results);
    void (*record)(lowering& low, node_id const* operands, node_id* results);
};
template <class Builder> struct rule_of_builder {
    static constexpr void types(builder_specs given, dtype* of_results) {
        for (dtype const t : Builder::types(given)) *of_results++ = t;
    }
    static constexpr void record(lowering& low, node_id const* operands, node_id* results) {
        auto const nodes = [&] {
            if constexpr (requires { Builder::record(low.scope(), operands); }) return Builder::record(low.scope(), operands);
            else return Builder::record(low, operands);
        }();
        for (node_id const id : nodes) *results++ = id;
    }
    static constexpr builder_rule value{check_of<Builder>(), built_results<Builder>, types, record};
};

// Has the builder record its ops in a trace that knows the operands' ranks. Throws where the operands don't fit.
TRACEXPR_ONCE constexpr void record_built(trace_scope& scope, builder_rule const& rule, table_view<node_id> operands,
                                          node_id* results) {
    lowering low(scope);
    buffer<builder_spec> given;
    for (node_id const id : operands) given.push_back({low.type(id), low.shape(id)});
    if (!know_ranks(given))
        throw shape_error("tx: " + std::string(rule.check.called) + ": the operand's rank must be known while it is traced");
    buffer<node_id> const checked = checked_operands(scope.recorded, operands, rule.check);
    rule.record(low, checked.data(), results);
    buffer<dtype> types(rule.results);
    rule.types(given, types.data());
    for (std::size_t k = 0; k < rule.results; ++k) results[k] = record_cast(scope.recorded, results[k], types[k]);
}

// How a call of a function with a builder is recorded where its trace is made at run time.
struct builder_recorder : op_recorder {
    builder_rule const& rule;
    table_view<dtype> types; // of the operands

    constexpr builder_recorder(builder_rule const& of, table_view<dtype> operand_types, bool is_open)
        : op_recorder{record_one, is_open}, rule{of}, types{operand_types} {}
    TRACEXPR_ONCE static constexpr void record_one(op_recorder const& of, trace_scope& scope, node_id const* operands,
                                                   node_id* results) {
        auto const& r = static_cast<builder_recorder const&>(of);
        buffer<node_id> cast;
        for (std::size_t k = 0; k < r.types.size(); ++k) cast.push_back(record_cast(scope.recorded, operands[k], r.types[k]));
        record_built(scope, r.rule, cast, results);
    }
};

// The dtype of an operand in a call: a C++ number takes the common dtype of all operands. (Strings and numbers have none.)
template <class A, class... All> constexpr dtype dtype_in_call() {
    if constexpr (traits<A>::weak) return common_dtype<All...>;
    else return dtype_of_operand<A>;
}
// What the types of a call's operands tell about the call.
template <class Builder, class... A> struct builder_call {
    static constexpr std::size_t count = sizeof...(A), results = built_results<Builder>;
    static constexpr bool is_open = ((dims_of_operand<A>.rank < 0) || ...);
    static constexpr dtype types[count]{dtype_in_call<A, A...>()...};
    static constexpr builder_spec given[count]{{dtype_in_call<A, A...>(), dims_of_operand<A>}...};
    static constexpr char const* problem = Builder::problem(given);
    static constexpr std::array<dtype, results> result_types = [] {
        return problem ? std::array<dtype, results>{} : Builder::types(given);
    }();
    static constexpr std::array<dims, results> result_shapes = [] {
        std::array<dims, results> open{};
        for (dims& d : open) d = dims{{}, dims::unknown_rank};
        return problem || is_open ? open : Builder::shapes(given);
    }();
    template <std::size_t K> struct shape_of_result {
        static constexpr dims value = result_shapes[K];
    };
    template <std::size_t K> using value = ctype<result_types[K]>;
    template <std::size_t K> using shape = typename shape_of_dims<shape_of_result<K>>::type;
    static constexpr builder_recorder recorder{rule_of_builder<Builder>::value, {types, count}, is_open};
};
// What is wrong with operands of these types, or null.
template <class Builder, class... A> inline constexpr char const* built_problem = builder_call<Builder, A...>::problem;

// A single result is given as it is, two as a pair, more as a tuple.
template <class... Parts> constexpr auto built_tree(Parts const&... parts) {
    if constexpr (sizeof...(Parts) == 1) return (parts, ...);
    else if constexpr (sizeof...(Parts) == 2) return std::pair(parts...);
    else return std::tuple(parts...);
}

// The functor of a function with this builder, for tx::detail::apply_if.
template <class Builder> struct built_fn {
    static constexpr char const* called = Builder::called;
    static constexpr auto parts = std::make_index_sequence<built_results<Builder>>{};

    template <class... A, std::size_t... K> static auto tensors(std::index_sequence<K...>)
        -> decltype(built_tree(std::declval<tensor<typename builder_call<Builder, A...>::template value<K>,
                                                   typename builder_call<Builder, A...>::template shape<K>>>()...));
    template <class... A> using result = decltype(tensors<A...>(parts));
    template <class... A> static constexpr op_recorder const* recorder_for = &builder_call<Builder, A...>::recorder;

    template <class... A> constexpr auto operator()(A const&... a) const {
        return recorded(parts, std::make_index_sequence<sizeof...(A)>{}, a...);
    }

private:
    template <std::size_t... K, std::size_t... I, class... A>
    static constexpr auto recorded(std::index_sequence<K...>, std::index_sequence<I...>, A const&... a) {
        using call = builder_call<Builder, A...>;
        trace_scope& scope = *scope_among(a...);
        node_id const operands[]{record_operand<call::types[I]>(scope, a)...};
        node_id nodes[call::results]{};
        record_built(scope, rule_of_builder<Builder>::value, {operands, sizeof...(A)}, nodes);
        return built_tree(expr<typename call::template value<K>, typename call::template shape<K>>(scope, nodes[K])...);
    }
};

} // namespace tx::detail
