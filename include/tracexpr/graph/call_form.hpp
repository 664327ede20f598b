// This file holds the attributes of op::opaque, which calls a function of the user's or a derivative of one. The first result of
// such a node is a handle of what the call did, which its derivatives use; then come the function's results, and a token which
// orders effects. An op::collective is such a call, too: of a communicator.
#pragma once

#include <tracexpr/graph/collective_form.hpp>
#include <tracexpr/graph/graph.hpp>

namespace tx {

struct value_spec {
    dtype type{};
    dims shape{};
};

constexpr bool is_callback(node const& n) { return info(n.code).kind == kind::callback; }
// True if a node of the graph or of one of its regions calls a function.
TRACEXPR_ONCE constexpr bool calls_functions(graph_view const& g) {
    for (table_view<node> const& all : {g.nodes, g.region_nodes})
        for (node const& n : all)
            if (is_callback(n)) return true;
    return false;
}

struct call_form {
    // The first axes of operands and results, as many as this says, are batch axes: the function is called for each example.
    std::int64_t batch_axes = 0;
    // If true, the second operand is a condition, and the function is called only for the examples for which it holds.
    bool has_condition = false;
    // True if the function takes tensors on the device that the graph runs on (tx::on_device).
    bool on_device = false;
    // 0 means a function without derivatives, and 1 a function that has some. Any greater number means a derivative: of the call
    // whose number is this one without its last bit, which is 0 for reverse and 1 for forward mode. The first operand of a
    // derivative is the handle. Then come those operands of the differentiated call that have derivatives, and a cotangent for
    // each result, or a tangent for each operand.
    std::int64_t derivative = 0;
    // A node may instead handle what calls in a region returned, which a derivative of the region needs again (see
    // graph/kept_results.hpp). Its first operand is then the handle of what was saved.
    // replay + k stands for the replay of the saved values from number k on.
    enum action : std::int64_t { call, keep, first_kept, next_kept, replay };
    std::int64_t does = call;

    static constexpr std::size_t numbers_in_front = 4;
    static constexpr int most_derivatives = 60;

    constexpr explicit call_form(table_view<std::int64_t> form)
        : batch_axes{form[0]}, has_condition{(form[1] & 1) != 0}, on_device{(form[1] & 2) != 0}, derivative{form[2]},
          does{form[1] >> 2}, form_{form} {}
    constexpr bool is_derivative() const { return derivative > 1; }
    constexpr bool takes_handle() const { return is_derivative() || does != call; }
    constexpr std::size_t first_input() const { return has_condition ? 2 : 1; }
    constexpr std::size_t results() const { return static_cast<std::size_t>(form_[3]); }
    constexpr dtype result_type(std::size_t k) const { return static_cast<dtype>(form_[place(k)]); }
    // Returns the number of the operand that the shape of result k follows from, or -1 where the attributes tell that shape.
    // `relation` says how it follows: the result has the same shape, one axis in front of it whose extent is the number of ranks
    // of a communicator, or no first axis.
    enum class relation : std::int64_t { same, with_ranks, without_first };
    TRACEXPR_ONCE constexpr std::int64_t like(std::size_t k) const {
        std::int64_t const code = form_[place(k) + 1];
        return code < 0 ? (-1 - code) % relations_at : -1;
    }
    TRACEXPR_ONCE constexpr relation related(std::size_t k) const {
        std::int64_t const code = form_[place(k) + 1];
        return code < 0 ? static_cast<relation>((-1 - code) / relations_at) : relation::same;
    }
    // Returns the shape of a result which follows from an operand of shape `like`. `ranks` is the shape of the operand that has
    // the number of ranks as its extent.
    TRACEXPR_ONCE constexpr dims shape_like(std::size_t k, dims const& like, dims const& ranks) const {
        relation const how = related(k);
        if (how == relation::same || like.rank < 0) return like;
        dims out;
        if (how == relation::with_ranks) out.push_back(ranks.rank < 1 ? dyn : ranks[0]);
        for (int axis = how == relation::without_first ? 1 : 0; axis < like.rank; ++axis) out.push_back(like[axis]);
        return out;
    }
    // Returns the attributes that follow those which all calls have: a collective has some of its own there.
    constexpr table_view<std::int64_t> rest() const { return form_.subspan(place(results())); }
    // Returns the shape of result k for all examples. `first` holds the extents of the batch axes.
    TRACEXPR_ONCE constexpr dims result_shape(dims const& first, std::size_t k) const {
        dims out = first;
        std::size_t const at = place(k);
        for (std::int64_t axis = 0; axis < form_[at + 1]; ++axis) out.push_back(form_[at + 2 + static_cast<std::size_t>(axis)]);
        return out;
    }

    // A result with like == -1 has its own shape; otherwise its shape follows from that operand.
    struct result {
        dtype type{};
        dims shape{};
        std::int64_t like = -1;
        relation how = relation::same;
    };
    TRACEXPR_ONCE static constexpr buffer<std::int64_t> attributes(table_view<result> results, std::int64_t derivative,
                                                                   std::int64_t does = call, bool on_device = false) {
        buffer<std::int64_t> out;
        for (std::int64_t const number :
             {std::int64_t{0}, does << 2 | (on_device ? 2 : 0), derivative, static_cast<std::int64_t>(results.size())})
            out.push_back(number);
        for (result const& r : results) {
            out.push_back(static_cast<std::int64_t>(r.type));
            out.push_back(r.like < 0 ? r.shape.rank : -1 - r.like - relations_at * static_cast<std::int64_t>(r.how));
            for (int axis = 0; r.like < 0 && axis < r.shape.rank; ++axis) out.push_back(r.shape[axis]);
        }
        return out;
    }
    // The attributes of the same call for more batch axes, or with a condition. A condition is one operand more, in front of the
    // others.
    TRACEXPR_ONCE static constexpr buffer<std::int64_t> with(table_view<std::int64_t> form, std::int64_t more_batch_axes,
                                                             bool has_condition) {
        buffer<std::int64_t> out(form);
        call_form const before(form);
        for (std::size_t k = 0; has_condition && !before.has_condition && k < before.results(); ++k)
            if (before.like(k) >= 0) --out[before.place(k) + 1];
        out[0] += more_batch_axes, out[1] |= has_condition;
        return out;
    }
    // Returns the attributes of a node that returns the results of an earlier call again: the saved value number `from` and those
    // after it.
    TRACEXPR_ONCE static constexpr buffer<std::int64_t> replayed(table_view<std::int64_t> form, std::size_t from) {
        buffer<std::int64_t> out(form);
        out[1] = (out[1] & 1) | (replay + static_cast<std::int64_t>(from))
                                    // The saved values are in the host's memory, so the bit for devices is cleared.
                                    << 2;
        return out;
    }
    // The attributes of the same call without a record for derivatives. A derivative stays a derivative.
    TRACEXPR_ONCE static constexpr buffer<std::int64_t> without_derivatives(table_view<std::int64_t> form) {
        buffer<std::int64_t> out(form);
        if (out[2] == 1) out[2] = 0;
        return out;
    }

private:
    static constexpr std::int64_t relations_at = 1 << 16; // Operand numbers are less than this.

    TRACEXPR_ONCE constexpr std::size_t place(std::size_t k) const {
        std::size_t at = numbers_in_front;
        for (; k > 0; --k) at += 2 + static_cast<std::size_t>(form_[at + 1] < 0 ? 0 : form_[at + 1]);
        return at;
    }

    table_view<std::int64_t> form_;
};

// The name of a node in texts and pictures: the name of its op, or the operation of a collective.
TRACEXPR_ONCE constexpr std::string_view shown_name(graph_view const& g, node const& n) {
    if (n.code != op::collective) return name(n.code);
    return name(detail::collective_form(call_form(g.attributes_of(n)).rest()).what);
}

} // namespace tx
