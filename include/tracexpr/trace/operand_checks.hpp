// This file checks the operands of functions that are composed of several ops, before any op runs: extents as soon as the types,
// a trace or a run shows them; values where the call has them.
#pragma once

#include <tracexpr/trace/apply.hpp>

#include <array>
#include <string_view>

namespace tx::detail {

// Throws where these operands don't fit, as far as the trace knows their extents. Otherwise gives `value`; where extents are
// open, it is wrapped in a node that checks all operands at run time before `value` is read.
TRACEXPR_ONCE constexpr node_id record_checked(graph& g, node_id value, table_view<node_id> operands,
                                               operand_check const& check) {
    buffer<builder_spec> given;
    bool is_open = false;
    for (node_id const id : operands) {
        given.push_back({g[id].type, g.shape_of(id)});
        is_open = is_open || !given.back().shape.is_static();
    }
    require_operands(check, given);
    return is_open ? g.append_checked(value, operands, check) : value;
}
// The checks of a builder, or of another type with `called` and `problem`.
template <class Check> constexpr operand_check check_of() {
    operand_check out{Check::called, Check::problem};
    if constexpr (requires { Check::hidden; }) out.hidden = Check::hidden;
    if constexpr (requires { Check::asked; }) out.asked = Check::asked;
    return out;
}
// Checks operands of these types: `problem` is null, or says what is wrong.
template <class Check, class... A> struct checked_types {
    static constexpr builder_spec given[]{{dtype_of_operand<A>, dims_of_operand<A>}...};
    static constexpr char const* problem = Check::problem(given);
};
// Calls record_checked for `value` with exprs and numbers as operands.
template <class Check, class X, class... A> constexpr X with_check(X const& x, A const&... operands) {
    trace_scope& scope = x.scope();
    node_id const ids[]{record_operand<dtype_of_operand<A>>(scope, operands)...};
    return X(scope, record_checked(scope.recorded, x.id(), ids, check_of<Check>()));
}

inline namespace TRACEXPR_CALLS {

template <class Check> struct checked_fn {
    static constexpr char const* called = Check::called;
    template <class X, class... A> constexpr auto operator()(X const& x, A const&... operands) const {
        return with_check<Check>(x, operands...);
    }
};
// Checks operands outside of ops: at once where the extents are known, and in the trace where the call is part of one.
template <class Check, class X, class... A> constexpr X checked(X const& x, A const&... operands) {
    builder_spec const given[]{{dtype_of_operand<A>, shape_of_operand(operands)}...};
    bool is_open = false;
    for (builder_spec const& s : given) is_open = is_open || !s.shape.is_static();
    if (is_open) return detail::apply(checked_fn<Check>{}, x, operands...);
    require_operands(check_of<Check>(), given);
    return x;
}

} // namespace TRACEXPR_CALLS

// A message text, Text::value, where each # is replaced by a number that types show.
template <class Text, std::int64_t... Numbers> struct text_with {
private:
    static constexpr std::size_t room = std::string_view(Text::value).size() + 20 * sizeof...(Numbers) + 1;
    static constexpr std::array<char, room> made = [] {
        std::array<char, room> out{};
        std::int64_t const numbers[]{Numbers..., 0};
        std::size_t next = 0, size = 0;
        for (char const c : std::string_view(Text::value)) {
            if (c != '#') {
                out[size++] = c;
                continue;
            }
            std::int64_t rest = numbers[next++], power = 1;
            if (rest < 0) out[size++] = '-', rest = -rest;
            while (rest / power >= 10) power *= 10;
            for (; power > 0; power /= 10) out[size++] = static_cast<char>('0' + rest / power % 10);
        }
        return out;
    }();

public:
    static constexpr char const* value = made.data();
};

// Does the call have the operand's elements? It does not for operands in a trace, or ones that a trace under way reads at each
// run.
template <class A> constexpr bool has_values([[maybe_unused]] A const& a) {
    if constexpr (scalar_type<A>) return true;
    else if constexpr (!tensor_type<A>) return false;
    else return !__builtin_is_constant_evaluated() && !scope_of(a) && !scope_of_live(a) && a.readable();
}
// Calls f with each element, where the call has the elements.
template <class A, class F> constexpr void for_each_known(A const& a, F const& f) {
    if constexpr (scalar_type<A>) {
        f(static_cast<double>(a));
    } else if constexpr (tensor_type<A>) {
        if (!has_values(a)) return;
        auto const* const elements = a.data();
        for (std::int64_t i = 0; i < a.size(); ++i) f(static_cast<double>(elements[i]));
    }
}
// This is a template because printing a tensor takes a header that not all of the core needs.
template <class T> [[noreturn]] TRACEXPR_NOINLINE void throw_value(char const* function, char const* problem, T given) {
    throw error("tx: " + std::string(function) + ": " + problem + "; given " + to_string(tensor<T, shape<>>(given)));
}

} // namespace tx::detail
