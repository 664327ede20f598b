// Forward mode through loops: loops whose state has the tangents beside it.
#pragma once

#include <tracexpr/ad/forward.hpp>

namespace tx::ad {
namespace detail {

class loop_push_forward {
public:
    constexpr loop_push_forward(graph& g, node_id of, table_view<value> tangents, table_view<bool> moves)
        : g_{g}, of_{of}, tangents_{tangents}, copy_(g, of, moves), form_{copy_.form}, operands_{value_operands_of(g, of)},
          steps_(operands_.size(), node_id::none) {}

    // The tangents of all results.
    constexpr buffer<value> run() {
        buffer<std::size_t> const targets = record_body();
        buffer<node_id> operands, parameters;
        std::size_t counts[3]{};
        std::size_t const ends[]{form_.states, form_.states + form_.sequences, operands_.size()};
        for (std::size_t part = 0, first = 0; part < 3; first = ends[part++])
            for (bool const is_tangent : {false, true})
                for (std::size_t k = first; k < ends[part]; ++k) {
                    if (is_tangent && !copy_.active[k]) continue;
                    operands.push_back(is_tangent ? start(k) : operands_[k]);
                    parameters.push_back(is_tangent ? steps_[k] : copy_.parameters[k]);
                    ++counts[part];
                }
        buffer<std::int64_t> regions;
        if (g_[of_].code == op::while_loop) regions.push_back(condition(parameters));
        regions.push_back(append_with_parameters(g_, copy_.recorded.view(), parameters, outputs_));
        node_id const made =
            append_with_regions(g_, g_[of_].code, false, {counts[0], counts[1], form_.reversed}, operands, regions);
        buffer<value> out(result_count(g_.view(), g_[of_]));
        for (std::size_t k = 0; k < targets.size(); ++k) out[targets[k]] = {g_, append_result(g_, made, form_.states + k)};
        return out;
    }

private:
    constexpr node_id start(std::size_t k) const {
        value const x{g_, operands_[k]};
        return broadcast_like(tangents_[k].is_zero() ? zeros_like(x) : tangents_[k], x).id();
    }
    // The next state, its tangents, and those of the sequences. Which results these are.
    constexpr buffer<std::size_t> record_body() {
        buffer<node_id> const sources = copy_.active_parameters();
        buffer<node_id> wanted;
        buffer<std::size_t> targets;
        for (std::size_t k = 0; k < operands_.size(); ++k)
            if (copy_.active[k]) steps_[k] = parameter_for(copy_, copy_.at(copy_.parameters[k]));
        for (std::size_t k = 0; k < copy_.results.size(); ++k)
            if (k < form_.states ? copy_.active[k] : is_inexact(copy_.recorded[copy_.results[k]].type))
                targets.push_back(k), wanted.push_back(copy_.results[k]);
        forward_pass pass(copy_, sources);
        for (std::size_t k = 0; k < operands_.size(); ++k)
            if (copy_.active[k]) pass.set(copy_.parameters[k], copy_.at(steps_[k]));
        pass.run(wanted);
        for (std::size_t k = 0; k < form_.states; ++k) outputs_.push_back(copy_.results[k]);
        for (node_id const id : wanted) outputs_.push_back(or_zeros(copy_, pass.tangent(id), id));
        return targets;
    }
    // A while_loop's, which knows nothing of tangents.
    constexpr std::int64_t condition(table_view<node_id> parameters) {
        graph asked = without_effects(g_, of_, 0);
        buffer<node_id> const own(asked.view().parameters);
        buffer<node_id> order;
        for (node_id const id : parameters) {
            node_id mine = node_id::none;
            for (std::size_t k = 0; k < own.size(); ++k)
                if (copy_.parameters[k] == id) mine = own[k];
            if (mine == node_id::none)
                mine = asked.append_parameter(copy_.recorded[id].type, dims(copy_.recorded.shape_of(id)),
                                              asked.view().parameters.size());
            order.push_back(mine);
        }
        buffer<node_id> const outputs(asked.outputs());
        return append_with_parameters(g_, asked.view(), order, outputs);
    }

    graph& g_;
    node_id of_;
    table_view<value> tangents_;
    loop_copy copy_;
    loop_form form_;
    buffer<node_id> operands_, steps_, outputs_;
};

} // namespace detail

constexpr buffer<value> loops_pushed_forward(graph& g, node_id of, table_view<value> tangents) {
    buffer<bool> moves;
    bool any = false;
    for (value const& t : tangents) moves.push_back(!t.is_zero()), any = any || !t.is_zero();
    if (!any) return buffer<value>(result_count(g.view(), g[of]));
    return detail::loop_push_forward(g, of, tangents, moves).run();
}

} // namespace tx::ad
