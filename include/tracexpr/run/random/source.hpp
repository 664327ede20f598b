// This file draws random numbers by code without types: what a key's bits are, what is made of them, and how a draw is recorded
// in a trace.
#pragma once

#include <tracexpr/ad/value_functions.hpp>
#include <tracexpr/trace/builder.hpp>

#include <cstdint>

namespace tx::detail {

// These are a key's streams that no distribution draws from.
inline constexpr std::uint32_t split_stream = 0xffffffff, fold_stream = 0xfffffffe, permutation_stream = 0xfffffffd;

// random_source draws elements of a shape from a key.
class random_source {
public:
    // `like` is a node of the shape, where the shape is not static.
    constexpr random_source(trace_scope& scope, node_id key, dims const& shape, node_id like = node_id::none)
        : scope_{&scope}, key_{key}, shape_{shape}, like_{shape.is_static() ? node_id::none : like} {
        if (like_ != node_id::none) lowering(scope).require_rank(op::random_bits, like_);
    }
    constexpr trace_scope& scope() const { return *scope_; }
    constexpr graph& recorded() const { return scope_->recorded; }
    constexpr node_id key() const { return key_; }
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
    // Gives the numbers 0 ... n - 1 of an axis in random order.
    constexpr ad::value places() const { return drawn(op::random_permutation, dtype::int64, permutation_stream, like_, shape_); }
    // Gives a scalar key that is independent of what is drawn here.
    constexpr ad::value derived_key(std::uint32_t number = 0) const {
        return bits(dtype::uint64, 0xffffff00u + number, node_id::none, dims{});
    }

    static constexpr ad::value shifted(ad::value const& bits, int by) {
        return ad::record(op::right_shift, {bits, bits.like(by)});
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
    constexpr ad::value bits(dtype type, std::uint32_t stream, node_id like, dims const& shape) const {
        return drawn(op::random_bits, type, stream, like, shape);
    }
    TRACEXPR_ONCE constexpr ad::value drawn(op code, dtype type, std::uint32_t stream, node_id like, dims const& shape) const {
        attribute_list attributes(stream, static_cast<std::int64_t>(size_in_bytes(type) / 4));
        node_id const operands[]{key_, like};
        lowering low(*scope_);
        if (like != node_id::none) return {scope_->recorded, low.append(code, type, operands, attributes)};
        for (int axis = 0; axis < shape.rank; ++axis) attributes.push_back(shape[axis]);
        return {scope_->recorded, low.append(code, type, {operands, 1}, attributes)};
    }

    trace_scope* scope_;
    node_id key_;
    dims shape_;
    node_id like_;
};

// What tells the extents of a draw that its type leaves open: nothing, as there are none; the operand behind the key; or all
// parameters, which broadcast to the shape.
enum class shape_of { type, operand, parameters };

struct random_draw;
using draw_rule = ad::value (*)(random_draw const&);

// random_call is what types tell about a draw. The rule's result is cast to `type`.
struct random_call {
    draw_rule draw;
    dtype type{};
    dims shape{};
    shape_of extents{};
    std::uint32_t numbers = 0; // bit k: parameter k is a C++ number
};

// random_draw is what a rule makes numbers of.
struct random_draw {
    random_source from;
    dtype type{};                  // of the result
    ad::value told{};              // the operand behind the key, if it tells the shape
    table_view<ad::value> given{}; // the parameters
    std::uint32_t numbers = 0;

    constexpr std::size_t count() const { return given.size(); }
    constexpr bool is_number(std::size_t k) const { return (numbers >> k & 1) != 0; }
    // Gives the dtype in which noise is made, and the one in which it is combined with parameters.
    constexpr dtype noise() const { return primal(type) == dtype::float64 ? dtype::float64 : dtype::float32; }
    constexpr dtype number() const { return widened_dtype(type); }
    // Casts a value, and a number in place.
    constexpr ad::value as(ad::value const& x, dtype wanted) const {
        return {from.recorded(), record_cast(from.recorded(), x.id(), wanted)};
    }
    // Gives a parameter in that dtype, broadcast to the shape unless it is a scalar.
    TRACEXPR_ONCE constexpr ad::value parameter(std::size_t k, dtype wanted) const { return spread(as(given[k], wanted)); }
    constexpr ad::value spread(ad::value const& x) const { return x.rank() == 0 ? x : from.spread(x); }

    // Gives numbers of mean 0 and deviation 1 moved and scaled by the parameters: a mean, or a mean and a deviation.
    TRACEXPR_ONCE constexpr ad::value located(ad::value const& standard) const {
        if (count() == 0) return standard;
        ad::value const x = as(standard, number());
        if (count() == 1) return ad::record(op::add, {x, parameter(0, number())});
        ad::value const deviation = parameter(1, number());
        return ad::record(op::fma, {x, deviation, parameter(0, number())});
    }
};

TRACEXPR_ONCE constexpr node_id record_draw_here(trace_scope& scope, random_call const& call, table_view<node_id> operands) {
    graph& g = scope.recorded;
    std::size_t const first = call.extents == shape_of::operand ? 2 : 1;
    buffer<ad::value> given;
    for (std::size_t k = first; k < operands.size(); ++k) given.push_back({g, operands[k]});
    node_id like = first == 2 ? operands[1] : node_id::none;
    if (call.extents == shape_of::parameters && !call.shape.is_static()) {
        lowering low(scope);
        for (ad::value const& x : given) {
            node_id const number = record_cast(g, x.id(), dtype::float64);
            like = like == node_id::none ? number : low.append(op::add, like, number);
        }
    }
    random_draw const draw{random_source(scope, operands[0], call.shape, like), call.type,
                           first == 2 ? ad::value(g, operands[1]) : ad::value{}, given, call.numbers};
    return record_cast(g, call.draw(draw).id(), call.type);
}
TRACEXPR_HERE_OR_ONCE(node_id, record_draw, record_draw_here,
                      (trace_scope & scope, random_call const& call, table_view<node_id> operands), (scope, call, operands))

// How a draw is recorded where its trace is made at run time.
struct draw_recorder : op_recorder {
    random_call call;
    std::size_t operands;

    constexpr draw_recorder(random_call const& of, std::size_t count, bool is_open)
        : op_recorder{record_one, is_open}, call{of}, operands{count} {}
    TRACEXPR_ONCE static constexpr void record_one(op_recorder const& of, trace_scope& scope, node_id const* in,
                                                   node_id* results) {
        draw_recorder const& r = static_cast<draw_recorder const&>(of);
        results[0] = record_draw(scope, r.call, {in, r.operands});
    }
};
template <class... A> inline constexpr std::uint32_t numbers_among = [] {
    std::uint32_t out = 0, bit = 1;
    ((out |= traits<A>::weak ? bit : 0, bit <<= 1), ...);
    return out;
}();

} // namespace tx::detail
