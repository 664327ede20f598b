// This file records special functions. Each is described by a `definition`: how its value is computed and what its slopes are;
// one builder makes an op of it. A definition only uses nodes: its value consists of pointwise ops, computed in double unless it
// says otherwise.
#pragma once

#include <tracexpr/ad/derivatives.hpp>
#include <tracexpr/trace/builder.hpp>

namespace tx::detail::special_functions {

using ad::value;

// compute(x) records the value y of the operands x, which broadcast.
// slope(scope, x, y, k) records the derivative of y with respect to operand k; it is zero where there is none.
struct definition {
    value (*compute)(value const* x) = nullptr;
    value (*slope)(trace_scope& scope, value const* x, value const& y, std::size_t k) = nullptr;
    std::size_t operands = 1;
    bool in_double = true;       // float32 is computed in double, too
    unsigned differentiated = 0; // bit k: the derivative with respect to operand k is that of what `compute` records
};

// Records the derivatives of a special function. Second derivatives are those of its slopes, which may be made of other
// functions.
class definition_rule final : public custom_rule {
public:
    constexpr definition_rule(trace_scope& scope, definition const& of) : scope_{scope}, definition_{of} {}
    constexpr ~definition_rule() override {} // g++ 12 uses the implicit one before it defines it

    TRACEXPR_ONCE constexpr buffer<node_id> pull_back(table_view<node_id> cotangents, table_view<bool> wanted) const override {
        graph& g = scope_.recorded;
        value const given(g, cotangents[0]);
        buffer<node_id> out;
        for (std::size_t k = 0; k < inputs.size(); ++k)
            out.push_back(wanted[k] ? ad::sum_to(ad::broadcast_like(given * slope(k), result()), {g, inputs[k]}).id()
                                    : node_id::none);
        return out;
    }
    TRACEXPR_ONCE constexpr buffer<node_id> push_forward(table_view<node_id> tangents) const override {
        value sum;
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (value const step(scope_.recorded, tangents[k]); !ad::is_literal(step, 0)) sum = sum + step * slope(k);
        buffer<node_id> out;
        out.push_back(ad::broadcast_like(sum, result()).id());
        return out;
    }

private:
    constexpr value result() const { return {scope_.recorded, outputs[0]}; }
    TRACEXPR_ONCE constexpr value slope(std::size_t k) const {
        is_read = true;
        buffer<value> x;
        for (node_id const in : inputs) x.push_back({scope_.recorded, in});
        if (!(definition_.differentiated >> k & 1u)) return definition_.slope(scope_, x.data(), result(), k);
        // Each element of the result depends on one element of each operand, so the gradient of the result's sum holds the
        // slopes.
        graph& g = scope_.recorded;
        for (value& v : x) v = {g, g.append_mark(ad::broadcast_like(v, result()).id())};
        node_id const from[]{x[k].id()}, to[]{definition_.compute(x.data()).id()},
            ones[]{ad::broadcast_like(result().like(1), result()).id()};
        return {g, ad::cotangents(scope_, from, to, ones)[0]};
    }

    trace_scope& scope_;
    definition const& definition_;
};

// Records a definition on operands of one floating dtype.
TRACEXPR_ONCE constexpr value record_definition(trace_scope& scope, definition const& of, value const* x) {
    std::size_t const first = scope.recorded.size();
    value const y = of.compute(x);
    if (is_dual(y.type())) return y;
    buffer<node_id> inputs;
    for (std::size_t k = 0; k < of.operands; ++k) inputs.push_back(x[k].id());
    node_id const computed[]{y.id()};
    return {scope.recorded,
            ad::append_ruled(scope, new definition_rule(scope, of), std::move(inputs), of.operands, computed, first, true)[0]};
}
constexpr value call(trace_scope& scope, definition const& of, value const& x) { return record_definition(scope, of, &x); }
constexpr value call(trace_scope& scope, definition const& of, value const& x, value const& y) {
    value const operands[]{x, y};
    return record_definition(scope, of, operands);
}
constexpr value call(trace_scope& scope, definition const& of, value const& x, value const& y, value const& z) {
    value const operands[]{x, y, z};
    return record_definition(scope, of, operands);
}

// Says why the operands don't fit, or returns null.
TRACEXPR_ONCE constexpr char const* problem(builder_specs given) {
    for (builder_spec const& s : given)
        if (is_complex(s.type) || s.type == dtype::string || s.type == dtype::token) return "takes real numbers";
    if (!know_ranks(given)) return nullptr;
    dims common = given[0].shape;
    for (builder_spec const& s : given) {
        if (!broadcastable(common, s.shape)) return "shapes must broadcast: extents, aligned from the right, are equal or 1";
        common = broadcast(common, s.shape);
    }
    return nullptr;
}
TRACEXPR_ONCE constexpr dims result_shape(builder_specs given) {
    dims common = given[0].shape;
    for (builder_spec const& s : given) common = broadcast(common, s.shape);
    return common;
}
TRACEXPR_ONCE constexpr node_id record_call(lowering& low, definition const& of, node_id const* operands) {
    buffer<builder_spec> given;
    for (std::size_t k = 0; k < of.operands; ++k) given.push_back({low.type(operands[k]), {}});
    dtype const type = to_inexact(common_type(given));
    dtype const computed = is_dual(type)              ? type
                           : of.in_double             ? dtype::float64
                           : tx::is_small_float(type) ? dtype::float32
                                                      : type;
    buffer<value> x;
    for (std::size_t k = 0; k < of.operands; ++k) x.push_back({low.scope().recorded, low.as(operands[k], computed)});
    return record_definition(low.scope(), of, x.data()).id();
}

// Builds an op named F::called of the definition F::recorded.
template <class F> struct builder {
    static constexpr char const* called = F::called;
    static constexpr char const* problem(builder_specs given) { return special_functions::problem(given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{to_inexact(common_type(given))};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{result_shape(given)}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        return std::array<node_id, 1>{record_call(low, F::recorded, operands)};
    }
};
template <class... A> constexpr bool require_real_operands() {
    constexpr bool are_real = have_common_dtype<A...> && accepts(domain::real, common_dtype<A...>);
    static_assert(are_real, "tx: special functions take real numbers; apply them to tx::real or tx::imag of complex ones");
    if constexpr (are_real) require_broadcast<typename traits<A>::shape_type...>();
    if constexpr (are_real) return can_broadcast<A...>;
    else return false;
}
template <class F, class... A> constexpr auto apply(A const&... a) {
    return detail::apply_if<require_real_operands<A...>()>(built_fn<builder<F>>{}, a...);
}

} // namespace tx::detail::special_functions
