// Local response normalization divides elements by a function of the same pixel's values in neighbouring channels.
#pragma once

#include <tracexpr/image/options.hpp>
#include <tracexpr/trace/builder.hpp>

namespace tx {
namespace detail {

struct response_call {
    std::int64_t size = 1;
    image_choices options;
};
TRACEXPR_ONCE constexpr char const* response_problem(response_call const& call, builder_specs given) {
    dims const& x = given[0].shape;
    if (call.size < 1) return "needs a window of at least one channel";
    if (!is_floating(given[0].type)) return "x must be floating";
    for (std::size_t k = 1; k < given.size(); ++k)
        if (given[k].shape.rank > 0) return "alpha, beta and k must be scalars";
    return x.rank == 0 || x.rank == 1 ? "x must have an axis for the batch and one for channels" : nullptr;
}
// The result is x / (k + alpha / size * sum of squares in the window)^beta. (A. Krizhevsky, I. Sutskever, G. Hinton, ImageNet
// classification with deep convolutional neural networks, 2012, section 3.3)
TRACEXPR_ONCE constexpr node_id record_response(lowering& low, response_call const& call, node_id const* operands) {
    dtype const wanted = low.type(operands[0]), t = computed_dtype(wanted);
    node_id const x = low.as(operands[0], t), alpha = low.as(operands[1], t), beta = low.as(operands[2], t),
                  k = low.as(operands[3], t);
    int const a = call.options.channels_first ? 1 : low.rank(x) - 1;
    // A window of 2 * channels + 1 reaches all channels from each of them, so wider ones are cut to that. The bound keeps the sum
    // from overflowing.
    constexpr std::int64_t most_channels = std::int64_t{1} << 40;
    std::int64_t const given = low.extent(x, a), channels = given == dyn || given > most_channels ? most_channels : given;
    std::int64_t const size = call.size < 2 * channels + 1 ? call.size : 2 * channels + 1;
    attribute_list widths;
    for (int other = 0; other < low.rank(x); ++other) {
        widths.push_back(other == a ? (size - 1) / 2 : 0);
        widths.push_back(other == a ? size / 2 : 0);
    }
    node_id const squares = low.append(op::pad, low.append(op::square, x), low.zero_like(x), widths);
    node_id const windows = low.append(op::sliding_window_view, squares, attribute_list(a, size));
    node_id const sums = low.reduce(op::sum, windows, attribute_list(low.rank(x)));
    node_id const share = low.append(op::divide, alpha, low.number_like(x, static_cast<double>(call.size)));
    node_id const base = low.append(op::add, low.append(op::multiply, sums, share), k);
    return low.as(low.append(op::divide, x, low.append(op::power, base, beta)), wanted);
}
template <class Call> struct response_builder {
    static constexpr char const* called = "local_response_norm";
    static constexpr char const* problem(builder_specs given) { return response_problem(Call::value, given); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_response(low, Call::value, x)};
    }
};
template <std::int64_t Size, class... Options> struct response_of {
    static constexpr response_call value{Size, image_choices_of<Options...>()};
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Computes x / (k + alpha / Size times the sum of squares of Size neighbouring channels)^beta: local_response_norm<5>(x) or
// local_response_norm<5>(x, alpha, beta, k), (n, ..., c), or (n, c, ...) with tx::channels_first. With an even Size the window
// has one more channel behind than before. (ONNX: LRN)
template <std::int64_t Size, array_operand A, operand Alpha, operand Beta, operand K, detail::channel_tag... Options>
[[nodiscard]] constexpr auto local_response_norm(A const& x, Alpha const& alpha, Beta const& beta, K const& k, Options...) {
    using builder = detail::response_builder<detail::response_of<Size, Options...>>;
    constexpr bool fits = detail::built_problem<builder, A, Alpha, Beta, K> == nullptr;
    static_assert(fits,
                  "tx: local_response_norm: takes floating x (n, ..., c), scalars alpha, beta and k, and needs a window of at "
                  "least one channel in <>: tx::local_response_norm<5>(x)");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x, alpha, beta, k);
}
template <std::int64_t Size, array_operand A, detail::channel_tag... Options>
[[nodiscard]] constexpr auto local_response_norm(A const& x, Options... options) {
    return local_response_norm<Size>(x, 1e-4, 0.75, 1.0, options...);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
