// This file holds einsum<"ij,jk->ik">(a, b): the compiler parses the subscripts, checks them against the operands' shapes and
// takes the products two at a time, each as a batched matmul (contract.hpp).
#pragma once

#include <tracexpr/trace/contraction.hpp>

namespace tx {

// A string as a template argument.
template <std::size_t N> struct fixed_string {
    char text[N]{};
    constexpr fixed_string(char const (&characters)[N]) {
        for (std::size_t at = 0; at < N; ++at) text[at] = characters[at];
    }
};

namespace detail {

enum class einsum_problem { none, characters, operands, ranks, extents, output, too_many_axes };

// The subscripts, parsed for operands of certain shapes. A letter is its own label; the axes of an ellipsis have the labels -1,
// -2, ... from the right.
class einsum_plan {
public:
    static constexpr int max_operands = 16;

    axis_labels term[max_operands]{};
    int terms = 0;
    axis_labels out{};
    einsum_problem problem = einsum_problem::none;
    bool rank_open = false;

    constexpr einsum_plan(table_view<char> text, table_view<dims> shapes) {
        parse(text);
        if (problem == einsum_problem::none && static_cast<std::size_t>(terms) != shapes.size())
            problem = einsum_problem::operands;
        for (dims const& d : shapes)
            if (d.rank < 0) rank_open = true;
        if (problem != einsum_problem::none || rank_open) return;
        for (int t = 0; t < terms && problem == einsum_problem::none; ++t) read_shape(t, shapes[static_cast<std::size_t>(t)]);
        if (problem == einsum_problem::none) read_output();
    }

    TRACEXPR_ONCE constexpr dims result() const {
        dims d;
        for (int k = 0; k < out.count; ++k) d.push_back(extent(out.name[k]));
        return d;
    }
    constexpr std::int64_t extent(int label) const { return extents_[slot(label)]; }

private:
    struct letters {
        char name[2 * max_rank]{};
        int count = 0, before_ellipsis = -1;
        TRACEXPR_ONCE constexpr bool has(char c) const {
            for (int k = 0; k < count; ++k)
                if (name[k] == c) return true;
            return false;
        }
    };
    static constexpr std::size_t slot(int label) { return static_cast<std::size_t>(label < 0 ? 127 - label : label); }
    static constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

    constexpr void fail(einsum_problem what) {
        if (problem == einsum_problem::none) problem = what;
    }
    TRACEXPR_ONCE constexpr void parse(table_view<char> text) {
        letters* to = &text_[0];
        terms = 1;
        for (std::size_t i = 0; i < text.size() && text[i] != '\0'; ++i) {
            bool const more = i + 1 < text.size();
            if (text[i] == ' ') continue;
            if (text[i] == ',' && !explicit_output_) {
                if (terms == max_operands) return fail(einsum_problem::operands);
                to = &text_[terms++];
            } else if (text[i] == '-' && more && text[i + 1] == '>' && !explicit_output_) {
                explicit_output_ = true;
                to = &output_;
                ++i;
            } else if (text[i] == '.' && i + 2 < text.size() && text[i + 1] == '.' && text[i + 2] == '.' &&
                       to->before_ellipsis < 0) {
                to->before_ellipsis = to->count;
                i += 2;
            } else if (is_letter(text[i])) {
                if (to->count == 2 * max_rank) return fail(einsum_problem::too_many_axes);
                to->name[to->count++] = text[i];
            } else {
                return fail(einsum_problem::characters);
            }
        }
    }
    // Gives term t its labels, and each of them its extent.
    TRACEXPR_ONCE constexpr void read_shape(int t, dims const& d) {
        letters const& from = text_[t];
        int const rest = d.rank - from.count;
        if (rest < 0 || (rest > 0 && from.before_ellipsis < 0)) return fail(einsum_problem::ranks);
        if (rest > ellipsis_rank_) ellipsis_rank_ = rest;
        for (int k = 0; k < from.count + (from.before_ellipsis < 0); ++k) {
            if (k == from.before_ellipsis)
                for (int left = rest; left > 0; --left) add_axis(t, d, -left);
            if (k < from.count) add_axis(t, d, from.name[k]);
        }
        if (from.before_ellipsis == from.count)
            for (int left = rest; left > 0; --left) add_axis(t, d, -left);
    }
    TRACEXPR_ONCE constexpr void add_axis(int t, dims const& d, int label) {
        std::int64_t const given = d[term[t].count];
        std::int64_t& known = extents_[slot(label)];
        term[t].push_back(label);
        if (!seen_[slot(label)]) known = given;
        else if (label < 0 ? !broadcast_extent(known, given, known) : known != given && known != dyn && given != dyn)
            fail(einsum_problem::extents);
        else if (label >= 0 && known == dyn) known = given;
        seen_[slot(label)] = true;
    }
    TRACEXPR_ONCE constexpr void read_output() {
        if (!explicit_output_) {
            for (int left = ellipsis_rank_; left > 0; --left) out.push_back(-left);
            for (char c = 'A'; c <= 'z'; ++c)
                if (is_letter(c) && occurrences(c) == 1) add_output(c);
            return;
        }
        if (ellipsis_rank_ > 0 && output_.before_ellipsis < 0) return fail(einsum_problem::output);
        for (int k = 0; k <= output_.count; ++k) {
            if (k == output_.before_ellipsis)
                for (int left = ellipsis_rank_; left > 0; --left) add_output(-left);
            if (k == output_.count) break;
            if (!seen_[slot(output_.name[k])] || out.has(output_.name[k])) return fail(einsum_problem::output);
            add_output(output_.name[k]);
        }
    }
    constexpr void add_output(int label) {
        if (out.count == max_rank) fail(einsum_problem::too_many_axes);
        out.push_back(label);
    }
    TRACEXPR_ONCE constexpr int occurrences(char c) const {
        int count = 0;
        for (int t = 0; t < terms; ++t)
            for (int k = 0; k < text_[t].count; ++k) count += text_[t].name[k] == c;
        return count;
    }

    letters text_[max_operands]{};
    letters output_{};
    bool explicit_output_ = false;
    int ellipsis_rank_ = 0;
    std::int64_t extents_[128 + max_rank]{};
    bool seen_[128 + max_rank]{};
};

// Takes the products two at a time, each time the pair whose product has the fewest elements compared with its operands; of equal
// pairs the first.
class einsum_lowering {
public:
    constexpr einsum_lowering(lowering& low, dtype type, einsum_plan const& plan) : low_{low}, type_{type}, plan_{plan} {}

    TRACEXPR_ONCE constexpr node_id record(table_view<node_id> operands) {
        for (std::size_t t = 0; t < operands.size(); ++t) left_[count_++] = without_repeats({operands[t], plan_.term[t]});
        if (count_ == 1) return contraction(low_, type_).single(left_[0], plan_.out);
        while (count_ > 1) join_best_pair();
        return left_[0].node;
    }

private:
    // Takes the diagonal of axes whose label repeats.
    TRACEXPR_ONCE constexpr labelled without_repeats(labelled x) {
        for (int first = 0; first < x.labels.count; ++first) {
            int second = first + 1;
            while (second < x.labels.count && x.labels.name[second] != x.labels.name[first]) ++second;
            if (second == x.labels.count) continue;
            if (low_.extent(x.node, first) != low_.extent(x.node, second) && low_.extent(x.node, first) != dyn &&
                low_.extent(x.node, second) != dyn)
                throw shape_error("tx: einsum: axes with the same letter must have the same extent; given " +
                                  to_string(low_.shape(x.node)));
            axis_labels rest;
            for (int k = 0; k < x.labels.count; ++k)
                if (k != first && k != second) rest.push_back(x.labels.name[k]);
            rest.push_back(x.labels.name[first]);
            x = {low_.append(op::diagonal, x.node, attribute_list(0, first, second)), rest};
            first = -1;
        }
        return x;
    }
    // Gives the labels of a times b that the output or another operand still needs: a's first, then b's.
    TRACEXPR_ONCE constexpr axis_labels needed(int a, int b) const {
        if (count_ == 2) return plan_.out;
        axis_labels out;
        for (int side : {a, b})
            for (int k = 0; k < left_[side].labels.count; ++k) {
                int const label = left_[side].labels.name[k];
                bool wanted = plan_.out.has(label);
                for (int other = 0; other < count_; ++other)
                    wanted = wanted || (other != a && other != b && left_[other].labels.has(label));
                if (!wanted || out.has(label)) continue;
                if (out.count == max_rank)
                    throw shape_error("tx: einsum: no product of two operands may have more than 8 axes; split the einsum");
                out.push_back(label);
            }
        return out;
    }
    // Gives the number of elements; an open extent counts as 64.
    TRACEXPR_ONCE constexpr double size(axis_labels const& labels) const {
        double out = 1;
        for (int k = 0; k < labels.count; ++k)
            out *= plan_.extent(labels.name[k]) == dyn ? 64.0 : static_cast<double>(plan_.extent(labels.name[k]));
        return out;
    }
    TRACEXPR_ONCE constexpr void join_best_pair() {
        int best_a = 0, best_b = 1;
        double least = 0;
        for (int a = 0; count_ > 2 && a < count_; ++a)
            for (int b = a + 1; b < count_; ++b) {
                double const growth = size(needed(a, b)) - size(left_[a].labels) - size(left_[b].labels);
                if ((a == 0 && b == 1) || growth < least) least = growth, best_a = a, best_b = b;
            }
        axis_labels const out = needed(best_a, best_b);
        left_[best_a] = {contract(low_, type_, left_[best_a], left_[best_b], out), out};
        for (int k = best_b + 1; k < count_; ++k) left_[k - 1] = left_[k];
        --count_;
    }

    lowering& low_;
    dtype type_;
    einsum_plan const& plan_;
    labelled left_[einsum_plan::max_operands]{};
    int count_ = 0;
};

template <fixed_string Subscripts> struct einsum_fn {
    static constexpr char const* called = "einsum";
    template <class... Dims> static void explain(Dims const&... d) {
        dims const shapes[]{d...};
        if (einsum_plan const plan{Subscripts.text, shapes}; plan.problem != einsum_problem::none) throw_misfit(shapes);
    }
    template <class... Shapes> struct result {
        static constexpr dims shapes[]{dims_of<Shapes>...};
        static constexpr einsum_plan plan{Subscripts.text, shapes};
        static constexpr inferred rule() {
            if (plan.problem != einsum_problem::none) return {{}, "subscripts must fit"};
            return {plan.rank_open ? dims{{}, dims::unknown_rank} : plan.result()};
        }
    };
    template <class... A> constexpr auto operator()(A const&... a) const {
        constexpr dtype common = common_dtype<A...>;
        constexpr dtype computed = is_floating(common) && size_in_bytes(common) < 4 ? dtype::float32 : common;
        using typed = result<typename traits<A>::shape_type...>;
        using result_type = expr<ctype<common>, shape_from<checked_shape<typed>>>;
        trace_scope& scope = *scope_among(a...);
        lowering low(scope);
        node_id const operands[]{record_operand<computed>(scope, a)...};
        node_id out{};
        if constexpr (typed::plan.rank_open) {
            dims shapes[sizeof...(A)];
            for (std::size_t t = 0; t < sizeof...(A); ++t) {
                low.require_rank(op::matmul, operands[t]);
                shapes[t] = low.shape(operands[t]);
            }
            einsum_plan const plan{Subscripts.text, shapes};
            if (plan.problem != einsum_problem::none) throw_misfit(shapes);
            out = einsum_lowering(low, computed, plan).record(operands);
        } else {
            out = einsum_lowering(low, computed, typed::plan).record(operands);
        }
        return result_type(scope, record_cast(scope.recorded, out, common));
    }
    [[noreturn]] static void throw_misfit(table_view<dims> shapes) {
        std::string message = "tx: einsum: the subscripts " + std::string(Subscripts.text) + " must fit the operands; given";
        for (dims const& d : shapes) message += " " + to_string(d);
        throw shape_error(message);
    }
};
template <fixed_string Subscripts, class... A> inline constexpr einsum_problem problem_of_einsum =
    einsum_fn<Subscripts>::template result<typename traits<A>::shape_type...>::plan.problem;

} // namespace detail

inline namespace TRACEXPR_CALLS {

// The sum of products that the subscripts name, one letter an axis: "ij,jk->ik" is a matrix product, "ii" a trace, "bij->bji" a
// transpose. Without "->" the result has the letters that occur once, in alphabetical order. "..." stands for axes that
// broadcast.
template <fixed_string Subscripts, array_operand... A> requires(sizeof...(A) > 0)
[[nodiscard]] constexpr auto einsum(A const&... a) {
    using detail::einsum_problem;
    constexpr einsum_problem problem = detail::problem_of_einsum<Subscripts, A...>;
    static_assert(problem != einsum_problem::characters,
                  "tx: einsum: subscripts are letters, commas, spaces, '...' and one '->'");
    static_assert(problem != einsum_problem::operands,
                  "tx: einsum: needs one list of subscripts for each operand, separated by commas; at most 16");
    static_assert(problem != einsum_problem::ranks,
                  "tx: einsum: each operand needs one letter for each of its axes; '...' stands for the rest");
    static_assert(problem != einsum_problem::extents,
                  "tx: einsum: a letter must mean the same extent wherever it stands; the shapes stand in the note above");
    static_assert(problem != einsum_problem::output,
                  "tx: einsum: each letter after '->' must occur before it and only once after it; '...' must stay");
    static_assert(problem != einsum_problem::too_many_axes, "tx: einsum: operands and result must have at most 8 axes");
    return detail::apply_if < problem == einsum_problem::none > (detail::einsum_fn<Subscripts>{}, a...);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
