// This file records derivatives of the user's callables. Each derivative is a call of its own, which uses what the differentiated
// call recorded, so the callable itself runs once. Higher derivatives use the same recording.
#pragma once

#include <tracexpr/ad/value.hpp>
#include <tracexpr/graph/regions.hpp>

#include <string>

namespace tx::ad {

[[noreturn]] inline void throw_host_derivative() {
    throw trace_error("tx: host_callback: it has no derivative; call it by tx::opaque, or give it tx::stop_gradient(x)");
}
[[noreturn]] inline void throw_too_many_derivatives() {
    throw trace_error("tx: opaque: it has at most " + std::to_string(call_form::most_derivatives) + " derivatives");
}

class callback_derivative {
public:
    constexpr callback_derivative(graph& g, node_id of) : g_{g}, of_{of}, attributes_(g.attributes_of(g[of])) {
        call_form const form = this->form();
        if (form.derivative >> call_form::most_derivatives) throw_too_many_derivatives();
        for (std::size_t k = 0; k < value_operands(g[of]); ++k) operands_.push_back(g.view().operand(g[of], k));
        for (std::size_t k = form.first_input(); k < operands_.size(); ++k)
            if (is_inexact(g[operands_[k]].type)) inputs_.push_back(k);
        for (std::size_t k = 0; k < form.results(); ++k)
            if (is_inexact(form.result_type(k))) outputs_.push_back(k + 1);
        if (form.derivative == 0 && !outputs_.empty()) throw_host_derivative();
    }
    // Gives the cotangent of each operand for the cotangents of all results.
    constexpr buffer<value> pulled_back(table_view<value> cotangents) {
        buffer<node_id> given;
        for (std::size_t const k : outputs_)
            given.push_back(cotangents[k].is_zero() ? zeros_like({g_, result_of(k)}).id() : cotangents[k].id());
        buffer<call_form::result> results;
        for (std::size_t k = 0; k < inputs_.size(); ++k) results.push_back(like_operand(k));
        buffer<value> out(operands_.size());
        return placed(append(0, given, results), inputs_, std::move(out));
    }
    // Gives the tangent of each result for the tangents of all operands.
    constexpr buffer<value> pushed_forward(table_view<value> tangents) {
        buffer<node_id> given;
        for (std::size_t const k : inputs_)
            given.push_back(tangents[k].is_zero() ? zeros_like({g_, operands_[k]}).id() : tangents[k].id());
        buffer<call_form::result> results;
        for (std::size_t const k : outputs_) results.push_back(like_result(k));
        buffer<value> out(form().results() + 2);
        if (outputs_.empty()) return out;
        return placed(append(1, given, results), outputs_, std::move(out));
    }

private:
    constexpr node_id result_of(std::size_t k) { return append_result(g_, of_, k); }
    constexpr call_form form() const { return call_form(attributes_); }
    // Gives the type of input k and its place among the derivative's operands, form().first_input() + k.
    constexpr call_form::result like_operand(std::size_t k) const {
        return {g_[operands_[inputs_[k]]].type, {}, static_cast<std::int64_t>(form().first_input() + k)};
    }
    // Gives the type of result k, and the shape or the operand that has it. A derivative's operands include the inputs of the
    // call that it differentiates, in the same order.
    constexpr call_form::result like_result(std::size_t k) const {
        std::int64_t const like = form().like(k - 1);
        if (like < 0) return {form().result_type(k - 1), form().result_shape({}, k - 1)};
        std::size_t at = 0;
        while (inputs_[at] != static_cast<std::size_t>(like)) ++at;
        return {form().result_type(k - 1), {}, static_cast<std::int64_t>(form().first_input() + at)};
    }
    constexpr node_id append(std::int64_t mode, table_view<node_id> given, table_view<call_form::result> results) {
        buffer<node_id> all;
        all.push_back(form().is_derivative() ? operands_[0] : of_);
        if (form().has_condition) all.push_back(operands_[1]);
        for (std::size_t const k : inputs_) all.push_back(operands_[k]);
        for (node_id const id : given) all.push_back(id);
        buffer<std::int64_t> made = call_form::attributes(results, 2 * form().derivative + mode);
        made[0] = form().batch_axes, made[1] = form().has_condition;
        return g_.append(op::opaque, dtype::uint64, dims(g_.shape_of(of_)), all, made, {0, 0});
    }
    constexpr buffer<value> placed(node_id made, table_view<std::size_t> places, buffer<value> out) {
        for (std::size_t k = 0; k < places.size(); ++k) out[places[k]] = {g_, append_result(g_, made, k + 1)};
        return out;
    }

    graph& g_;
    node_id of_;
    buffer<std::int64_t> attributes_; // a copy, as the graph grows
    buffer<node_id> operands_;
    buffer<std::size_t> inputs_, outputs_; // numbers of the operands and of the results that have derivatives
};

} // namespace tx::ad
