// tx::batches iterates over the data of an epoch, a batch at a time: for (auto const& [x, y] : tx::batches(std::tuple(images,
// labels), 32, key)).
#pragma once

#include <tracexpr/run/random/key.hpp>
#include <tracexpr/trace/misused.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tx {

// The options of tx::batches.
struct batches_options {
    bool drop_last = false; // whether to drop the last batch if it is shorter
};

namespace detail {

[[noreturn]] TRACEXPR_NOINLINE inline void throw_batches(char const* problem, std::int64_t given) {
    throw error(std::string("tx: batches: ") + problem + "; given " + std::to_string(given));
}
[[noreturn]] TRACEXPR_NOINLINE inline void throw_batches_shapes(char const* problem, dims const& first, dims const& other) {
    throw shape_error(std::string("tx: batches: ") + problem + "; given " + to_string(first) + ", " + to_string(other));
}

// batch_of is the shape of a batch of examples of this shape. batch_from is the shape of a batch of parts of tensors of this
// shape.
template <class Shape> struct batch_of;
template <std::int64_t... E> struct batch_of<shape<E...>> {
    using type = shape<dyn, E...>;
};
template <class Shape> struct batch_from;
template <std::int64_t First, std::int64_t... E> struct batch_from<shape<First, E...>> {
    using type = shape<dyn, E...>;
};
template <class... A> inline constexpr bool are_batchable = ((tensor_type<A> && dims_of_operand<A>.rank > 0) && ...);

// Holds examples that are the parts of tensors along their first axes.
template <class... X> class tensor_examples {
public:
    explicit tensor_examples(X const&... x) : all_(x...) {
        dims const shapes[]{x.dimensions()...};
        for (dims const& d : shapes)
            if (d[0] != shapes[0][0]) throw_batches_shapes("all tensors must have one extent along the first axis", shapes[0], d);
        count_ = shapes[0][0];
    }
    std::int64_t size() const { return count_; }
    auto gathered(std::int64_t const* places, std::int64_t count) const {
        return std::apply([&](X const&... x) { return std::tuple(rows_of(x, places, count)...); }, all_);
    }

private:
    template <class A> static auto rows_of(A const& x, std::int64_t const* places, std::int64_t count) {
        using batch = tensor<typename A::value_type, typename batch_from<typename A::shape_type>::type>;
        dims d = x.dimensions();
        d[0] = count;
        std::int64_t size = 1;
        for (int a = 1; a < d.rank; ++a) size *= d[a];
        batch out = batch::uninitialized(d);
        auto const* const from = x.data();
        auto* to = out.mutable_data();
        for (std::int64_t k = 0; k < count; ++k, to += size) std::copy_n(from + places[k] * size, size, to);
        return out;
    }

    std::tuple<X...> all_;
    std::int64_t count_ = 0;
};

// Holds examples that a callable makes from their numbers: each is a number, a tensor, or a tuple or pair of them.
template <class F> class called_examples {
public:
    called_examples(F const& f, std::int64_t count) : f_(f), count_{count} {
        if (count < 0) throw_batches("the number of examples must not be negative", count);
    }
    std::int64_t size() const { return count_; }
    auto gathered(std::int64_t const* places, std::int64_t count) const {
        using example = std::remove_cvref_t<decltype(f_(std::int64_t{}))>;
        struct held { // because std::vector<bool> can't give references to its elements
            example value;
        };
        std::vector<held> all;
        all.reserve(static_cast<std::size_t>(count));
        for (std::int64_t k = 0; k < count; ++k) all.push_back({f_(places[k])});
        auto const example_at = [&](std::int64_t k) -> example const& { return all[static_cast<std::size_t>(k)].value; };
        if constexpr (has_parts<example>)
            return [&]<std::size_t... I>(std::index_sequence<I...>) {
                return std::tuple(stacked([&](std::int64_t k) -> auto const& { return std::get<I>(example_at(k)); }, count)...);
            }(std::make_index_sequence<std::tuple_size_v<example>>{});
        else return std::tuple(stacked(example_at, count));
    }

private:
    template <class E> static constexpr bool has_parts = requires { std::tuple_size<E>::value; };

    template <class At> static auto stacked(At const& at, std::int64_t count) {
        using part = std::remove_cvref_t<decltype(at(0))>;
        if constexpr (tensor_type<part>) {
            using batch = tensor<typename part::value_type, typename batch_of<typename part::shape_type>::type>;
            dims const one = at(0).dimensions();
            dims d;
            d.push_back(count);
            for (int a = 0; a < one.rank; ++a) d.push_back(one[a]);
            batch out = batch::uninitialized(d);
            auto* to = out.mutable_data();
            for (std::int64_t k = 0; k < count; ++k, to += one.size()) {
                if (!(at(k).dimensions() == one))
                    throw_batches_shapes("all examples must have one shape", one, at(k).dimensions());
                std::copy_n(at(k).data(), one.size(), to);
            }
            return out;
        } else {
            using batch = tensor<canonical<part>, shape<dyn>>;
            batch out = batch::uninitialized(dims{{count}, 1});
            for (std::int64_t k = 0; k < count; ++k) out.mutable_data()[k] = static_cast<canonical<part>>(at(k));
            return out;
        }
    }

    F f_;
    std::int64_t count_;
};

// batch_range is the range that tx::batches returns. It holds the examples and their order, so each pass over it gives the same
// batches.
template <class Examples, bool IsOne> class batch_range {
public:
    batch_range(Examples examples, std::int64_t size, std::vector<std::int64_t> order, batches_options const& options)
        : examples_(std::move(examples)), order_(std::move(order)), size_{size} {
        if (size < 1) throw_batches("a batch must have an example at least", size);
        std::int64_t const all = examples_.size();
        count_ = options.drop_last ? all / size : all / size + (all % size != 0);
    }

    class iterator {
    public:
        using value_type = decltype(std::declval<batch_range const&>()[0]);
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::input_iterator_tag;
        using reference = value_type;
        using pointer = void;

        iterator() = default;
        iterator(batch_range const& of, std::int64_t number) : of_{&of}, number_{number} {}
        value_type operator*() const { return (*of_)[number_]; }
        iterator& operator++() {
            ++number_;
            return *this;
        }
        iterator operator++(int) { return {*of_, number_++}; }
        friend bool operator==(iterator const& a, iterator const& b) { return a.number_ == b.number_; }

    private:
        batch_range const* of_ = nullptr;
        std::int64_t number_ = 0;
    };

    // Returns the number of batches.
    std::int64_t size() const { return count_; }
    iterator begin() const { return {*this, 0}; }
    iterator end() const { return {*this, count_}; }
    // Returns the batch of this number, counted from 0.
    auto operator[](std::int64_t number) const {
        if (number < 0 || number >= count_) throw_batches("there is no batch of that number", number);
        std::int64_t const first = number * size_, count = std::min(size_, examples_.size() - first);
        std::vector<std::int64_t> in_order;
        if (order_.empty())
            for (std::int64_t k = 0; k < count; ++k) in_order.push_back(first + k);
        auto batch = examples_.gathered(order_.empty() ? in_order.data() : order_.data() + first, count);
        if constexpr (IsOne) return std::get<0>(std::move(batch));
        else return batch;
    }

private:
    Examples examples_;
    std::vector<std::int64_t> order_; // empty: the examples are not shuffled
    std::int64_t size_, count_ = 0;
};

// This is a template, so that files that shuffle nothing don't instantiate it.
template <class Key> std::vector<std::int64_t> shuffled_order(Key const& key, std::int64_t count) {
    auto const places = random::stateless_permutation(key, count);
    return {places.data(), places.data() + count};
}
template <bool IsOne, class Examples, class... Key>
auto batches_of(Examples examples, std::int64_t size, batches_options const& options, Key const&... key) {
    std::vector<std::int64_t> order;
    if constexpr (sizeof...(Key) > 0) order = shuffled_order(key..., examples.size());
    return batch_range<Examples, IsOne>(std::move(examples), size, std::move(order), options);
}
// Makes the range for a tensor, whose batches are tensors, or for several, whose batches are tuples.
template <class... X, class... Key>
auto batches_of_data(std::tuple<X...> const& data, std::int64_t size, batches_options const& options, Key const&... key) {
    constexpr bool fit = sizeof...(X) > 0 && are_batchable<X...>;
    static_assert(
        fit, "tx: batches: takes tensors whose types tell their rank, and that have an axis; the first one is that of examples");
    if constexpr (!fit) return failed{};
    else
        return std::apply([&](auto const&... x) { return batches_of<false>(tensor_examples<X...>(x...), size, options, key...); },
                          data);
}
template <class A, class B, class... Key>
auto batches_of_data(std::pair<A, B> const& data, std::int64_t size, batches_options const& options, Key const&... key) {
    return batches_of_data(std::tuple<A, B>(data), size, options, key...);
}
template <tensor_type X, class... Key>
auto batches_of_data(X const& data, std::int64_t size, batches_options const& options, Key const&... key) {
    constexpr bool fits = are_batchable<X>;
    static_assert(
        fits, "tx: batches: takes tensors whose types tell their rank, and that have an axis; the first one is that of examples");
    if constexpr (!fits) return failed{};
    else return batches_of<true>(tensor_examples<X>(data), size, options, key...);
}
template <class F> inline constexpr bool gives_tuples =
    requires { std::tuple_size<std::remove_cvref_t<decltype(std::declval<F const&>()(std::int64_t{}))>>::value; };

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Iterates over data, `size` examples at a time; the last batch may be shorter. Data are a tensor, whose first axis is that of
// examples, or a tuple or pair of tensors, which have tuples as batches. With a key the examples are shuffled, in the same order
// in each pass. Batches are tensors whose first extent is tx::dyn. for (auto const& [x, y] : tx::batches(std::tuple(images,
// labels), 32, key))
template <class Data> [[nodiscard]] auto batches(Data const& data, std::int64_t size, batches_options options = {}) {
    return detail::batches_of_data(data, size, options);
}
template <class Data>
[[nodiscard]] auto batches(Data const& data, std::int64_t size, random::key const& key, batches_options options = {}) {
    return detail::batches_of_data(data, size, options, key);
}
// Iterates over batches of f(0) ... f(count - 1), where f makes an example from its number: a number, a tensor, or a tuple or
// pair of them.
template <class F> requires std::is_invocable_v<F const&, std::int64_t>
[[nodiscard]] auto batches(F const& f, std::int64_t count, std::int64_t size, batches_options options = {}) {
    return detail::batches_of<!detail::gives_tuples<F>>(detail::called_examples<F>(f, count), size, options);
}
template <class F> requires std::is_invocable_v<F const&, std::int64_t>
[[nodiscard]] auto batches(F const& f, std::int64_t count, std::int64_t size, random::key const& key,
                           batches_options options = {}) {
    return detail::batches_of<!detail::gives_tuples<F>>(detail::called_examples<F>(f, count), size, options, key);
}
template <class Unused = void> constexpr detail::failed batches(detail::any_argument) {
    static_assert(always_false<Unused>, "tx: batches: takes the data, a tensor or a tuple of them, and how many examples a batch "
                                        "has: tx::batches(std::tuple(images, labels), 32, key)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace tx
