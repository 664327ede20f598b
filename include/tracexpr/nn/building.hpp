// These helpers record layers: arithmetic on nodes with broadcasting, means over axes, and vectors of channels that broadcast.
#pragma once

#include <tracexpr/trace/builder.hpp>
#include <tracexpr/trace/channels.hpp>

namespace tx::detail {

// Returns whether two extents may be equal.
constexpr bool agree(std::int64_t a, std::int64_t b) { return a == b || a == dyn || b == dyn; }
constexpr std::int64_t last_extent(dims const& d, int from_end = 1) { return d.rank < from_end ? dyn : d[d.rank - from_end]; }

class layer_nodes {
public:
    constexpr explicit layer_nodes(lowering& low) : low_{low} {}

    constexpr node_id add(node_id a, node_id b) { return low_.append(op::add, a, b); }
    constexpr node_id subtract(node_id a, node_id b) { return low_.append(op::subtract, a, b); }
    constexpr node_id multiply(node_id a, node_id b) { return low_.append(op::multiply, a, b); }
    constexpr node_id divide(node_id a, node_id b) { return low_.append(op::divide, a, b); }
    constexpr node_id sigmoid(node_id x) { return low_.append(op::sigmoid, x); }
    constexpr node_id tanh(node_id x) { return low_.append(op::tanh, x); }

    // Records a reduction that keeps the reduced axes with extent 1.
    TRACEXPR_ONCE constexpr node_id reduce_in_place(op code, node_id x, attribute_list const& axes, std::int64_t flags = 1) {
        attribute_list reduce_attributes(flags);
        for (std::size_t i = 0; i < axes.count; ++i) reduce_attributes.push_back(axes[i]);
        return axes.count ? low_.append(code, x, reduce_attributes) : x;
    }
    // Returns the product of the extents of x along these axes, in the dtype of x.
    TRACEXPR_ONCE constexpr node_id count(node_id x, attribute_list const& axes) {
        std::int64_t known = 1;
        node_id open = node_id::none;
        for (std::size_t i = 0; i < axes.count; ++i) {
            int const a = static_cast<int>(axes[i]);
            if (low_.extent(x, a) != dyn) {
                known *= low_.extent(x, a);
                continue;
            }
            node_id const size = low_.axis_size<std::int64_t>(x, a);
            open = open == node_id::none ? size : multiply(open, size);
        }
        node_id const number = low_.number_like(x, static_cast<double>(known));
        return open == node_id::none ? number : multiply(low_.as(open, low_.type(x)), number);
    }
    TRACEXPR_ONCE constexpr node_id mean(node_id x, attribute_list const& axes) {
        return axes.count ? divide(reduce_in_place(op::sum, x, axes), count(x, axes)) : x;
    }
    // Splits axis a into several, of which one extent may be dyn.
    TRACEXPR_ONCE constexpr node_id split(node_id x, int a, attribute_list const& into) {
        attribute_list target;
        for (int k = 0; k < low_.rank(x); ++k) {
            if (k != a) target.push_back(low_.copied(x, k));
            else
                for (std::size_t i = 0; i < into.count; ++i) target.push_back(into[i]);
        }
        return low_.reshape(x, target);
    }
    // Merges axes a and a + 1.
    TRACEXPR_ONCE constexpr node_id merge(node_id x, int a) {
        std::int64_t const first = low_.extent(x, a), second = low_.extent(x, a + 1);
        attribute_list target;
        for (int k = 0; k < low_.rank(x); ++k)
            if (k == a) target.push_back(first == dyn || second == dyn ? dyn : first * second);
            else if (k != a + 1) target.push_back(low_.copied(x, k));
        return low_.reshape(x, target);
    }
    // Appends axes of extent 1 to a vector of channels, one for each axis of x behind that of the channels.
    TRACEXPR_ONCE constexpr node_id beside(node_id channels, int axes_behind) {
        attribute_list axes;
        for (int k = 0; k < axes_behind; ++k) axes.push_back(1 + k);
        return axes.count ? low_.append(op::expand_dims, channels, axes) : channels;
    }

private:
    lowering& low_;
};

} // namespace tx::detail
