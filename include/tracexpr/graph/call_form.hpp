// The attributes of a node that calls a function of the user's, or a derivative of one (op::opaque). Of the node's results the
// first is a handle of what the call did, by which its derivatives know it; then come what the function gives, and a token.
// A collective (op::collective) is such a call, too: of a communicator.
#pragma once

#include <tracexpr/graph/collective_form.hpp>
#include <tracexpr/graph/graph.hpp>

namespace tx {

struct value_spec {
    dtype type{};
    dims shape{};
};

constexpr bool is_callback(node const& n) { return info(n.code).kind == kind::callback; }
// Does it, or one of its regions?
constexpr bool calls_functions(graph_view const& g) {
    for (table_view<node> const& all : {g.nodes, g.region_nodes})
        for (node const& n : all)
            if (is_callback(n)) return true;
    return false;
}

struct call_form {
    std::int64_t batch_axes = 0; // in front, of operands and results: it is called for each example
    bool has_condition = false;  // the second operand: for these examples only
    bool on_device = false;      // the function takes tensors on the device that the graph runs on (tx::on_device)
    // 0: of a function without derivatives. 1: of one that has some. Else a derivative: of the form that the number without its
    // last bit tells, by reverse mode where that is 0. Its first operand is the handle; then come the operands of what it is a
    // derivative of, as far as those have derivatives, and a cotangent for each of its results, or a tangent for each operand.
    std::int64_t derivative = 0;
    // Or it is about what calls in a region gave, which a derivative of the region needs again: see graph/kept_results.hpp. Its
    // first operand then is the handle of what was kept.
    enum action : std::int64_t { call, keep, first_kept, next_kept, replay }; // replay + k: from value k on
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
    // The operand that a result's shape follows from, where the attributes don't tell that; else -1. How it follows: the result
    // has the same shape, one axis in front of it that has the extent of a communicator's ranks, or no first axis.
    enum class relation : std::int64_t { same, with_ranks, without_first };
    constexpr std::int64_t like(std::size_t k) const {
        std::int64_t const code = form_[place(k) + 1];
        return code < 0 ? (-1 - code) % relations_at : -1;
    }
    constexpr relation related(std::size_t k) const {
        std::int64_t const code = form_[place(k) + 1];
        return code < 0 ? static_cast<relation>((-1 - code) / relations_at) : relation::same;
    }
    // The shape of such a result; `ranks`: of the operand with an extent for the ranks.
    constexpr dims shape_like(std::size_t k, dims const& like, dims const& ranks) const {
        relation const how = related(k);
        if (how == relation::same || like.rank < 0) return like;
        dims out;
        if (how == relation::with_ranks) out.push_back(ranks.rank < 1 ? dyn : ranks[0]);
        for (int axis = how == relation::without_first ? 1 : 0; axis < like.rank; ++axis) out.push_back(like[axis]);
        return out;
    }
    // The attributes behind those that all calls have: a collective's own.
    constexpr table_view<std::int64_t> rest() const { return form_.subspan(place(results())); }
    // For all examples of the shape `first`.
    constexpr dims result_shape(dims const& first, std::size_t k) const {
        dims out = first;
        std::size_t const at = place(k);
        for (std::int64_t axis = 0; axis < form_[at + 1]; ++axis) out.push_back(form_[at + 2 + static_cast<std::size_t>(axis)]);
        return out;
    }

    // A result of any shape with -1: see `like`.
    struct result {
        dtype type{};
        dims shape{};
        std::int64_t like = -1;
        relation how = relation::same;
    };
    static constexpr buffer<std::int64_t> attributes(table_view<result> results, std::int64_t derivative,
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
    // The same call of more examples, or where a condition holds: that is an operand more, in front of the others.
    static constexpr buffer<std::int64_t> with(table_view<std::int64_t> form, std::int64_t more_batch_axes, bool has_condition) {
        buffer<std::int64_t> out(form);
        call_form const before(form);
        for (std::size_t k = 0; has_condition && !before.has_condition && k < before.results(); ++k)
            if (before.like(k) >= 0) --out[before.place(k) + 1];
        out[0] += more_batch_axes, out[1] |= has_condition;
        return out;
    }
    // What a call gave, again: value `from` of what was kept and those behind it.
    static constexpr buffer<std::int64_t> replayed(table_view<std::int64_t> form, std::size_t from) {
        buffer<std::int64_t> out(form);
        out[1] = (out[1] & 1) | (replay + static_cast<std::int64_t>(from))
                                    << 2; // the host keeps what was given, so the bit for devices goes
        return out;
    }
    // The same call, which isn't recorded; a derivative stays one.
    static constexpr buffer<std::int64_t> without_derivatives(table_view<std::int64_t> form) {
        buffer<std::int64_t> out(form);
        if (out[2] == 1) out[2] = 0;
        return out;
    }

private:
    static constexpr std::int64_t relations_at = 1 << 16; // operands have smaller numbers

    constexpr std::size_t place(std::size_t k) const {
        std::size_t at = numbers_in_front;
        for (; k > 0; --k) at += 2 + static_cast<std::size_t>(form_[at + 1] < 0 ? 0 : form_[at + 1]);
        return at;
    }

    table_view<std::int64_t> form_;
};

// What a node is called where it is shown: an op by its name, a collective by what it does.
constexpr std::string_view shown_name(graph_view const& g, node const& n) {
    if (n.code != op::collective) return name(n.code);
    return name(detail::collective_form(call_form(g.attributes_of(n)).rest()).what);
}

} // namespace tx
