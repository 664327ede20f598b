// This file draws random bits and numbers by code without types; run/random/distributions.hpp does so with types, and for one key
// both give the same values. It also has loops over all elements in which some are drawn again until they are accepted.
#pragma once

#include <tracexpr/run/random/stateful.hpp>
#include <tracexpr/trace/builder.hpp>
#include <tracexpr/transforms/untyped_loops.hpp>

namespace tx::detail {

class random_source {
public:
    // `like` is a node of the shape, where the shape is not static.
    constexpr random_source(trace_scope& scope, node_id key, dims const& shape, node_id like = node_id::none)
        : scope_{&scope}, key_{key}, shape_{shape}, like_{shape.is_static() ? node_id::none : like} {
        if (like_ != node_id::none) lowering(scope).require_rank(op::random_bits, like_);
    }
    constexpr trace_scope& scope() const { return *scope_; }
    // Gives the source of a loop's region; its key and `like` are part of the loop's state.
    constexpr random_source within(trace_scope& region, node_id key, node_id like) const { return {region, key, shape_, like}; }

    constexpr random_source with_key(node_id key) const { return {*scope_, key, shape_, like_}; }

    constexpr ad::value bits(dtype type, std::uint32_t stream) const { return bits(type, stream, like_, shape_); }
    // Gives `count` times as many bits, along an axis in front.
    TRACEXPR_ONCE constexpr ad::value stacked_bits(dtype type, std::uint32_t stream, std::int64_t count) const {
        if (like_ == node_id::none) return bits(type, stream, node_id::none, with_leading(shape_, count));
        lowering low(*scope_);
        attribute_list to(count);
        for (int axis = 0; axis < low.rank(like_); ++axis) to.push_back(-1);
        return bits(type, stream, low.append(op::broadcast_to, low.expand(like_, 0), to), {});
    }
    // Gives a scalar key that is independent of what is drawn here.
    constexpr ad::value derived_key(std::uint32_t number = 0) const {
        return bits(dtype::uint64, 0xffffff00u + number, node_id::none, dims{});
    }

    // Gives numbers of [0, 1) in steps of 2^-24 or 2^-53.
    TRACEXPR_ONCE static constexpr ad::value unit(ad::value const& bits) {
        if (bits.type() == dtype::uint32) return cast(shifted(bits, 8), dtype::float32) * 0x1p-24;
        return cast(cast(shifted(bits, 11), dtype::int64), dtype::float64) * 0x1p-53;
    }
    // Gives numbers of (0, 1] from all bits, so that small ones are as fine as the dtype allows.
    TRACEXPR_ONCE static constexpr ad::value fine_unit(ad::value const& bits) {
        bool const is_single = bits.type() == dtype::uint32;
        ad::value const x = cast(bits, is_single ? dtype::float32 : dtype::float64);
        return ad::record(op::fma, {x, x.like(is_single ? 0x1p-32 : 0x1p-64), x.like(is_single ? 0x1p-33 : 0x1p-65)});
    }
    static constexpr ad::value normal(ad::value const& first, ad::value const& second) {
        return sqrt(log(fine_unit(first)) * -2.0) * cos(unit(second) * 6.283185307179586476925286766559);
    }
    constexpr ad::value unit(dtype noise, std::uint32_t stream) const { return unit(bits(bits_for(noise), stream)); }
    constexpr ad::value fine_unit(dtype noise, std::uint32_t stream) const { return fine_unit(bits(bits_for(noise), stream)); }
    constexpr ad::value normal(dtype noise, std::uint32_t stream) const {
        return normal(bits(bits_for(noise), stream), bits(bits_for(noise), stream + 1));
    }
    static constexpr dtype bits_for(dtype noise) { return noise == dtype::float64 ? dtype::uint64 : dtype::uint32; }

    // Gives x broadcast to the shape that is drawn.
    TRACEXPR_ONCE constexpr ad::value spread(ad::value const& x) const {
        if (like_ != node_id::none) return ad::record(op::broadcast_to, {x, ad::value(scope_->recorded, like_)});
        if (x.shape() == shape_) return x;
        return ad::unary(op::broadcast_to, x, attribute_span(shape_.extent, static_cast<std::size_t>(shape_.rank)));
    }

private:
    TRACEXPR_ONCE constexpr ad::value bits(dtype type, std::uint32_t stream, node_id like, dims const& shape) const {
        attribute_list attributes(stream, static_cast<std::int64_t>(size_in_bytes(type) / 4));
        node_id const operands[]{key_, like};
        lowering low(*scope_);
        if (like != node_id::none) return {scope_->recorded, low.append(op::random_bits, type, operands, attributes)};
        for (int axis = 0; axis < shape.rank; ++axis) attributes.push_back(shape[axis]);
        return {scope_->recorded, low.append(op::random_bits, type, {operands, 1}, attributes)};
    }
    static constexpr ad::value shifted(ad::value const& bits, int by) {
        return ad::record(op::right_shift, {bits, bits.like(by)});
    }

    trace_scope* scope_;
    node_id key_;
    dims shape_;
    node_id like_;
};

// Draws a number for each element again until it is accepted: draw(source, into) gives a candidate and whether it is accepted,
// where `source` is that of the iteration and into(x) brings a value from outside into the loop. Elements that aren't `pending`
// keep `start`.
template <class Draw> constexpr ad::value drawn_until_accepted(random_source const& from, ad::value const& pending,
                                                               ad::value const& start, Draw const& draw) {
    trace_scope& scope = from.scope();
    buffer<node_id> state;
    for (ad::value const& x : {from.derived_key(), from.spread(pending), from.spread(start)}) state.push_back(x.id());
    auto const is_pending = [](trace_scope& region, buffer<node_id> const& s) { return any_of({region.recorded, s[1]}).id(); };
    auto const next = [&](trace_scope& region, buffer<node_id> const& s) {
        random_source const now = from.within(region, s[0], s[1]);
        ad::value const waits{region.recorded, s[1]}, last{region.recorded, s[2]};
        auto const both = draw(now, [&](ad::value const& x) { return taken_into(region, scope, x); });
        buffer<node_id> out;
        out.push_back(now.derived_key().id());
        out.push_back(logical_and(waits, negated(both.second)).id());
        out.push_back(chosen(waits, both.first, last).id());
        return out;
    };
    return {scope.recorded, record_untyped_loop(scope, state, is_pending, next)[2]};
}

// This is a distribution over T whose numbers are made by Builder, code without types:
//     static constexpr char const* called;
//     static constexpr std::size_t least, most;                         how many parameters it takes
//     static constexpr bool is_of(dtype);                               which dtypes it gives
//     static constexpr dtype number(dtype of);                          the dtype of its parameters
//     static constexpr ad::value draw(random_source const&, dtype noise, table_view<ad::value> parameters);
template <class Builder, class T> struct built_recipe {
    static constexpr char const* called = Builder::called;
    static constexpr dtype number = Builder::number(dtype_of<drawn_in<T>>);
    template <class... A> static constexpr bool takes = Builder::is_of(dtype_of<T>) && sizeof...(A) >= Builder::least &&
                                                        sizeof...(A) <= Builder::most && (is_real_parameter<A> && ...);
    static constexpr bool gives = Builder::is_of(dtype_of<T>);
    using needed = dtypes_needed<noise_of<T>, ctype<number>, T, double, std::int64_t, bool>;

    template <class S, class... A> static constexpr auto draw(S const& from, A const&... a) {
        random_source const source(from.scope(), from.key(), dims_of<typename S::shape_type>, from.like());
        graph& g = from.scope().recorded;
        ad::value const parameters[]{{}, {g, record_operand<number>(from.scope(), a)}...};
        ad::value const out = drawn(source, {parameters + 1, sizeof...(A)});
        return expr<T, typename S::shape_type>(from.scope(), out.id());
    }

private:
    static constexpr ad::value drawn(random_source const& source, table_view<ad::value> parameters) {
        buffer<ad::value> spread;
        for (ad::value const& p : parameters) spread.push_back(p.rank() == 0 ? p : source.spread(p));
        return cast(source.spread(Builder::draw(source, dtype_of<noise_of<T>>, spread)), dtype_of<T>);
    }
};

// Draws numbers in the shape that the parameters broadcast to.
template <class Recipe> struct drawn_together_fn {
    static constexpr char const* called = Recipe::called;
    template <class K, class... A> constexpr auto operator()(K const& key, A const&... a) const {
        using shape = broadcast_of<A...>;
        need_random_routines(typename Recipe::needed{});
        node_id like = node_id::none;
        if constexpr (!dims_of<shape>.is_static()) {
            lowering low(key.scope());
            auto const join = [&](node_id id) { like = like == node_id::none ? id : low.append(op::add, like, id); };
            (join(record_operand<dtype::float64>(key.scope(), a)), ...);
        }
        return Recipe::draw(bit_source<shape>(key.scope(), key.id(), like), a...);
    }
};

inline namespace TRACEXPR_CALLS {

template <class Recipe, class K, class... A> constexpr auto draw_together(K const& key, A const&... a) {
    constexpr bool takes = Recipe::template takes<A...>, fit = can_broadcast<A...>;
    require_key<K>();
    static_assert(gives_dtype<Recipe>,
                  "tx: random: the distribution does not give numbers of this dtype, but float or double, or "
                  "of counts integers, too");
    static_assert(takes || !gives_dtype<Recipe>,
                  "tx: random: the distribution does not have parameters of these types, or as many of them");
    static_assert(fit,
                  "tx: random: without a shape the parameters must broadcast to one another; their shapes stand in the note");
    if constexpr (!is_random_key<K> || !takes || !fit) return failed{};
    else return detail::apply(drawn_together_fn<Recipe>{}, number_of_key(key), a...);
}

} // namespace TRACEXPR_CALLS
} // namespace tx::detail
