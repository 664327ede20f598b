// Gradient tapes and forward accumulators run derivatives once these are nodes of a recorder's graph: this file computes the
// nodes, converts the results to tensors, and shows the computation to all recorders, so that it can be differentiated in turn.
#pragma once

#include <tracexpr/run/recording/collective.hpp>
#include <tracexpr/run/recording/recording.hpp>
#include <tracexpr/tape/explain.hpp>
#include <tracexpr/tape/gradient_question.hpp>
#include <tracexpr/transforms/grad.hpp>

#include <optional>

namespace tx {

// These choices say what takes the place of a derivative that does not exist because the target doesn't depend on the source.
// Without one of them a missing derivative is an error, which says why.
namespace unconnected {
struct none_t {}; // std::nullopt takes its place, as derivatives are std::optional
struct zero_t {}; // zeros take its place
// A source that the target doesn't depend on has no gradient: it is an empty std::optional.
inline constexpr none_t none{};
// A source that the target doesn't depend on has the gradient 0.
inline constexpr zero_t zero{};
} // namespace unconnected

namespace detail {

struct must_connect {};
template <class A> concept unconnected_choice =
    std::is_same_v<A, must_connect> || std::is_same_v<A, unconnected::none_t> || std::is_same_v<A, unconnected::zero_t>;

template <class A> concept recorded_value = (tensor_type<A> || variable_type<A>) && !captured_type<A>;

// Returns a name for messages: "source 1", and the name of a variable that has one.
template <class A> std::string source_text(std::size_t number, A const& leaf) {
    std::string out = "source " + std::to_string(number);
    if constexpr (variable_type<A>)
        if (!leaf.name().empty()) out += " (" + std::string(leaf.name()) + ")";
    return out;
}

// Returns the value that a tensor or variable has now.
template <recorded_value A> kept_value kept_now(A const& a) {
    if constexpr (variable_type<A>) return kept(a.unrecorded());
    else return kept(a);
}
// Returns the value that a tensor or variable has now, with a number by which it can be recognized.
template <recorded_value A> kept_value numbered(A const& a) {
    if constexpr (variable_type<A>) return numbered(a.unrecorded());
    else {
        tensor_access::identity(a).number_or(fresh_number());
        return kept(a);
    }
}
// Returns the nodes of a tensor or variable. InTree says that it is a part of a tuple or the like, in which a variable may be a
// copy of the one that is meant.
template <bool InTree = false, recorded_value A> buffer<node_id> nodes_of(recorder& r, A const& a) {
    buffer<node_id> out;
    if constexpr (variable_type<A>) {
        variable_record const* known = r.find_variable(a.number());
        if (InTree && !known && a.origin()) known = r.find_variable(a.origin());
        if (known) out = known->reads;
    } else {
        node_id const known = r.record().find(kept(a));
        node_id const id = known == node_id::none ? known : r.record().source_of(known);
        if (id != node_id::none) out.push_back(id);
    }
    return out;
}
// Calls f with each tensor or variable of a tree.
template <class A, class F> void for_each_value(A const& tree, F const& f) {
    static_assert(facts<A>.is_tree && !holds_foreign<A>,
                  "tx: gradient_tape: takes tensors, variables, and trees of them; make another library's array a tensor first");
    for_each_leaf(tree, [&]<class Part>(Part const& part) {
        static_assert(recorded_value<Part>, "tx: gradient_tape: takes tensors, variables, and trees of them, w.value() of a "
                                            "captured w; a C++ scalar is a constant");
        if constexpr (recorded_value<Part>) f(part);
    });
}

// Returns a tree of the same structure with f(x) in the place of each tensor or variable x.
template <class A, class F> auto map_values(A const& tree, F const& f) {
    if constexpr (recorded_value<A>) {
        return f(tree);
    } else if constexpr (parted<A>) {
        return map_parts(tree, [&](auto const& part) { return map_values(part, f); });
    } else {
        static_assert(aggregate<A>, "tx: gradient_tape: takes tensors, variables, and trees of them; a C++ scalar is a constant");
        A out = tree;
        for_each_leaf(out, [&]<class Part>(Part& part) { part = f(std::as_const(part)); });
        return out;
    }
}

inline namespace TRACEXPR_RUNS {

class derivative_run {
public:
    explicit derivative_run(recorder& from) : from_{from} {}

    // Adds a node to be computed, or node_id::none. The results are numbered in this order.
    void want(node_id id) {
        if (id != node_id::none) wanted_.push_back(id);
        connected_.push_back(id != node_id::none);
    }
    bool is_connected(std::size_t k) const { return connected_[k] != 0; }
    // Returns whether the derivative takes part in collectives. (One that find() found never does: derivative_cache has none
    // with tokens.)
    bool takes_part_in_collectives() const { return from_.record().derived_token != node_id::none; }
    // Returns whether an earlier tape has recorded the same graph and been asked for the same derivative; if so, its program is
    // used with the new values. It must be called before any node of the derivative is recorded, and only if no other recorder is
    // told of the results.
    template <class Unused = void> bool find(gradient_question asked);
    template <class Unused = void> void run();
    // Returns the next result. `shape` is the shape of zeros that may take its place.
    template <class Tensor, class Choice> auto take(dims const& shape) {
        using result = std::conditional_t<std::is_same_v<Choice, unconnected::none_t>, std::optional<Tensor>, Tensor>;
        if (!connected_[taken_++]) {
            if constexpr (std::is_same_v<Choice, unconnected::none_t>) return result();
            else return result(zeros<Tensor>(shape));
        }
        Tensor out{};
        host_array const& array = arrays_[results_.size()];
        out = Tensor::uninitialized(array.shape);
        if (!array.bytes.empty()) std::memcpy(static_cast<void*>(out.mutable_data()), array.bytes.data(), array.bytes.size());
        tensor_access::identity(out).renumber(fresh_number());
        results_.push_back(kept(out));
        return result(out);
    }
    // Shows the computation to other recorders. The recorder that it comes from knows the results only if `keeps` is true.
    template <class Unused = void> void tell(bool keeps);

private:
    template <class Tensor> static Tensor zeros(dims const& shape) {
        Tensor out = Tensor::uninitialized(shape);
        std::fill_n(out.mutable_data(), out.size(), typename Tensor::value_type{});
        return out;
    }

    recorder& from_;
    buffer<node_id> wanted_;
    buffer<char> connected_;
    recorded_part part_;
    std::shared_ptr<tiles::program const> made_;
    std::optional<std::pair<gradient_question, graph>> asked_; // set if the program is to be remembered
    std::vector<host_array> arrays_;
    buffer<kept_value> results_;
    std::size_t taken_ = 0;
};

} // namespace TRACEXPR_RUNS
} // namespace detail
} // namespace tx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/tape/derivatives_bodies.hpp>
#endif

namespace tx::detail::inline TRACEXPR_RUNS {
TRACEXPR_INSTANCE(bool derivative_run::find<void>(gradient_question))
TRACEXPR_INSTANCE(void derivative_run::run<void>())
TRACEXPR_INSTANCE(void derivative_run::tell<void>(bool))
} // namespace tx::detail::inline TRACEXPR_RUNS
