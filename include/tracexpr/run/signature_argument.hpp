// This file converts arguments of functions with a given signature to its tensors, and explains what is wrong with arguments that
// don't convert.
#pragma once

#include <tracexpr/run/function_core.hpp>

namespace tx::detail {

[[noreturn]] TRACEXPR_ONCE void throw_unfit(std::size_t argument, dtype type, dims const& wanted, dims const& given) {
    throw signature_error("tx: function: argument " + std::to_string(argument) + " must be " + spec_text(type, wanted) +
                          ", as the signature says; given " + spec_text(type, given));
}

// signature_argument is argument number I of a function whose signature has S there.
template <std::size_t I, class S> struct signature_argument {
    tensor_of<S> value;
    constexpr signature_argument(tensor_of<S> const& given) : value(given) {}
};
template <std::size_t I, class T, class Shape> struct signature_argument<I, spec<T, Shape>> {
    tensor<T, Shape> value;

    template <class Other> constexpr signature_argument(tensor<T, Other> const& given) : value(fitted(given)) {}
    template <class U, class Other> requires(!std::is_same_v<U, T>) constexpr signature_argument(tensor<U, Other> const&) {
        static_assert(always_false<U>,
                      "tx: function: the argument must have its spec's dtype, as the signature says; use tx::cast");
    }
    template <scalar_for<T> U> constexpr signature_argument(U given) : value(fitted(tensor<T, shape<>>(given))) {}
    constexpr signature_argument(typename brace_list<T, Shape>::type given)
        requires(!std::is_same_v<typename brace_list<T, Shape>::type, no_braces>)
        : value(listed(given)) {}
    template <foreign A> signature_argument(A const& given) : value(converted(foreign_access<A>::borrow(given))) {}

private:
    template <class Other> static constexpr tensor<T, Shape> fitted(tensor<T, Other> const& given) {
        static_assert(
            may_equal(dims_of<Other>, dims_of<Shape>),
            "tx: function: the argument's shape must fit its spec, as the signature says; the shapes stand in the note");
        if constexpr (may_equal(dims_of<Other>, dims_of<Shape>)) {
            if (!widens<Other, Shape> && !tensor_access::is_symbolic(given) && !may_equal(dims_of<Shape>, given.dimensions()))
                throw_unfit(I, dtype_of<T>, dims_of<Shape>, given.dimensions());
            return tensor<T, Shape>(given);
        } else {
            return failed{};
        }
    }
    static constexpr tensor<T, Shape> listed(typename brace_list<T, Shape>::type given) {
        dims extents;
        append_extents(given, extents);
        if (!may_equal(dims_of<Shape>, extents)) throw_unfit(I, dtype_of<T>, dims_of<Shape>, extents);
        return tensor_access::from_list<tensor<T, Shape>>(given);
    }
    template <scalar_for<T> U> static constexpr tensor<T, Shape> converted(U given) { return fitted(tensor<T, shape<>>(given)); }
    template <class U, class Other> static tensor<T, Shape> converted(borrowed<U, Other> const& given) {
        if (!may_equal(dims_of<Shape>, given.extents)) throw_unfit(I, dtype_of<T>, dims_of<Shape>, given.extents);
        auto out = tensor<T, Shape>::uninitialized(given.extents);
        auto const* const from = static_cast<U const*>(leaf_access<borrowed<U, Other>>::data(given));
        T* const to = out.mutable_data();
        for (std::int64_t i = 0; i < out.size(); ++i) to[i] = static_cast<T>(from[i]);
        return out;
    }
};

template <class F, class Indices, class... S> class signature_function;
template <class F, std::size_t... I, class... S> class signature_function<F, std::index_sequence<I...>, S...>
    : public function_core<F, true, knowledge::as_little_as_it_can> {
public:
    using function_core<F, true, knowledge::as_little_as_it_can>::function_core;

    TRACEXPR_NAMES_TARGET constexpr auto operator()(signature_argument<I, S> const&... a) const { return this->call(a.value...); }
    template <class... A> requires(facts<A>.has_exprs || ...)
    TRACEXPR_NAMES_TARGET constexpr auto operator()(A const&... a) const {
        return this->call(a...);
    }
    template <class Result> TRACEXPR_NAMES_TARGET void into(Result& out, signature_argument<I, S> const&... a) const {
        this->call_into(out, a.value...);
    }
};

} // namespace tx::detail
