// This file explains in words why a function isn't static: what its callable holds, or what it is called with.
#pragma once

#include <tracexpr/run/tracing.hpp>

#include <string_view>

namespace tx::detail {

// fixed_text is a text made in a constant expression.
class fixed_text {
public:
    constexpr fixed_text& operator<<(std::string_view part) {
        for (char const letter : part) letters_[count_++] = letter;
        return *this;
    }
    TRACEXPR_ONCE constexpr fixed_text& operator<<(std::size_t number) {
        if (number >= 10) *this << number / 10;
        letters_[count_++] = static_cast<char>('0' + number % 10);
        return *this;
    }
    constexpr std::string_view view() const { return {letters_, count_}; }

private:
    char letters_[320]{};
    std::size_t count_ = 0;
};
template <class Reason> struct reason_text {
    static constexpr fixed_text text = Reason::make();
};

// Is it a lambda that captures, or has references? (g++ 12 may only be asked this once the type is known to be no tree: see
// aggregate, run/trees/pytree.hpp.)
template <class F> inline constexpr bool is_capturing_lambda =
    std::conjunction_v<std::bool_constant<!callable_form<F>::state.is_tree>, std::negation<std::is_copy_assignable<F>>>;

template <class F> struct captures_reason {
    static constexpr fixed_text make() {
        return fixed_text{} << "the callable captures " << sizeof(F)
                            << " bytes that are not all tx::capture'd: write [w = tx::capture(w)], also of a number, and of a "
                               "callable that captures nothing; tensors need a type that tells their rank";
    }
};
template <class F> TRACEXPR_NAMES_TARGET constexpr std::string_view reason_of_form() {
    using form = callable_form<F>;
    using callee = std::remove_cvref_t<decltype(form::callee(std::declval<F const&>()))>;
    if constexpr (!TRACEXPR_TRACES_HERE)
        return "the file is compiled with TRACEXPR_KERNELS_NONE: the compiler traces nothing in it";
    else if constexpr (form::is_static) return {};
    else if constexpr (!form::state.is_tree && is_capturing_lambda<callee>)
        return reason_text<captures_reason<callee>>::text.view();
    else if constexpr (!form::state.is_tree)
        return "the callable is a class whose members can't be seen: make it an aggregate of tensors, without base class, "
               "constructor "
               "and private members";
    else if constexpr (form::state.has_lists)
        return "the callable has, or is bound to, a vector, map or optional, of which only the run tells how many parts it has: "
               "make "
               "it an array, tuple or struct";
    else if constexpr (form::state.has_values)
        return "the callable has, or is bound to, a number in a struct: make it a tx::tensor<float, tx::shape<>>";
    else if constexpr (form::state.has_open_rank)
        return "the callable has, or is bound to, a tensor of tx::any_shape: give its type a rank";
    else return "the callable, or what it is bound to, can't be made without arguments: give its type a default constructor";
}

template <std::size_t Number, class A> struct argument_reason {
    static constexpr std::string_view words = [] {
        if constexpr (!facts<A>.is_tree) return "is no tensor, C++ number, or tree of them";
        else if constexpr (is_key<A>)
            return "is a tx::key, of whose value the compiler knows nothing: pass a std::integral_constant";
        else if constexpr (is_trace_value<A>) return "is a value of the run that the trace is made for";
        else if constexpr (facts<A>.has_lists)
            return "has a vector, map or optional, of which only the run tells how many parts it has: make it an array, tuple or "
                   "struct";
        else if constexpr (facts<A>.has_values)
            return "has a tx::key, or a number in a struct: make that a tx::tensor<float, tx::shape<>>";
        else if constexpr (facts<A>.has_open_rank) return "has tx::any_shape: give the tensor's type a rank";
        else return "can't be made without arguments: give its type a default constructor";
    }();
    static constexpr fixed_text make() { return fixed_text{} << "argument " << Number << " " << words; }
};
template <std::size_t Number, class A, class... Rest> constexpr std::string_view reason_of_arguments() {
    if constexpr (!has_static_argument<A>) return reason_text<argument_reason<Number, A>>::text.view();
    else if constexpr (sizeof...(Rest) > 0) return reason_of_arguments<Number + 1, Rest...>();
    else return {};
}
// Explains why a call is not static; A... are the types that are traced.
template <class F, class... A> TRACEXPR_NAMES_TARGET constexpr std::string_view reason_of_call() {
    if constexpr (!has_static_form<F>) return reason_of_form<F>();
    else if constexpr (!(has_static_argument<A> && ...)) return reason_of_arguments<0, A...>();
    else if constexpr (!callable_with<F, A...>) return "the callable doesn't take these arguments";
    else if constexpr (gives_lists<F, A...>)
        return "the callable returns a vector, map or optional, of which only the run tells how many parts it has: return an "
               "array, "
               "tuple or struct";
    else if constexpr (!statically_traceable<F, A...>)
        return "the callable can't run in a constant expression: it prints, throws, reads a variable that is no constant, has an "
               "operator() that isn't constexpr, or an op on nothing but variables; or it records more than " TRACEXPR_TEXT(
                   TRACEXPR_MAX_NODES) " nodes; tx::static_function shows the compiler's words";
    else return {};
}

} // namespace tx::detail
