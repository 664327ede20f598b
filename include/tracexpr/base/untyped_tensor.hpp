// This file makes tx::tensor x{1, 2, 3}, whose type names no dtype, an error in words, and a value that reports nothing more.
#pragma once

#include <tracexpr/base/tensor.hpp>

namespace tx {

namespace detail {
// `anything` is whatever stands in braces, and braces in braces.
struct anything {
    template <class A> constexpr anything(A const&) {}
    constexpr anything(std::initializer_list<anything>) {}
};
template <class T, class... A> inline constexpr bool is_no_value<tensor<T, no_dtype<A...>>> = true;
} // namespace detail

template <class T, class... A> class tensor<T, detail::no_dtype<A...>> : public detail::failed {
    static_assert(always_false<A...>, "tx: tensor: the type must name a dtype; write tx::tensor<int> x{1, 2, 3}, or "
                                      "tx::from_range(v) of a std::vector v");

public:
    template <class... Given> constexpr tensor(Given const&...) {}
    constexpr tensor(std::initializer_list<detail::anything>) {}
};

template <class... A> requires(sizeof...(A) > 0 && !(tensor_type<A> || ...))
tensor(A const&...) -> tensor<float, detail::no_dtype<A...>>;
template <class A> tensor(std::initializer_list<A>) -> tensor<float, detail::no_dtype<A>>;
template <class A> tensor(std::initializer_list<std::initializer_list<A>>) -> tensor<float, detail::no_dtype<A>>;
// g++ 12 takes {{1, 2}, {3, 4}} for two arguments.
template <class... A> requires(sizeof...(A) > 1) tensor(std::initializer_list<A>...) -> tensor<float, detail::no_dtype<A...>>;

} // namespace tx
