// Defines the functions that tape/function_recording.hpp declares.
#pragma once

#include <tracexpr/ad/derivatives.hpp>
#include <tracexpr/tape/derivatives_bodies.hpp>
#include <tracexpr/tape/function_recording.hpp>

#include <cstring>
#include <memory>

namespace tx::detail::inline TRACEXPR_RUNS {

template <class Unused> class function_recording : public recorded_call {
public:
    function_recording(tape_record& of, buffer<node_id> inputs, buffer<node_id> outputs)
        : record_{of.shared_from_this()}, inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
        derive = [](recorded_call& call, std::int64_t derivative, table_view<shown_value> operands, std::byte* const* results) {
            static_cast<function_recording&>(call).compute(derivative, operands, results);
        };
        discard = [](recorded_call* call) { delete static_cast<function_recording*>(call); };
    }

private:
    // Holds the inputs and outputs of a derivative. An output that doesn't depend on the inputs is node_id::none.
    struct level {
        buffer<node_id> inputs, outputs;
    };

    void compute(std::int64_t derivative, table_view<shown_value> operands, std::byte* const* results) {
        level at{inputs_, outputs_};
        std::size_t next = at.inputs.size();
        int modes = 0;
        while (derivative >> (modes + 1)) ++modes;
        while (modes-- > 0) {
            bool const forward = derivative >> modes & 1;
            buffer<node_id> given;
            for (std::size_t k = forward ? at.inputs.size() : at.outputs.size(); k > 0; --k)
                given.push_back(watched(operands[next++]));
            at = forward ? pushed(std::move(at), given) : pulled(std::move(at), given);
        }
        buffer<node_id> wanted;
        for (node_id const id : at.outputs)
            if (id != node_id::none) wanted.push_back(id);
        std::vector<host_array> const arrays =
            record_->template extract<Unused>(with_effects(*record_, wanted)).template run<Unused>();
        std::size_t from = 0;
        for (std::size_t k = 0; k < at.outputs.size(); ++k) {
            if (at.outputs[k] == node_id::none) continue; // the result is zeros already
            host_array const& array = arrays[from++];
            if (results[k] && !array.bytes.empty()) std::memcpy(results[k], array.bytes.data(), array.bytes.size());
        }
    }
    node_id watched(shown_value const& from) {
        return record_->watch({nullptr, from.data, from.type, from.extents, fresh_number()});
    }
    level pulled(level at, table_view<node_id> cotangents) {
        buffer<node_id> targets, given;
        for (std::size_t k = 0; k < at.outputs.size(); ++k)
            if (at.outputs[k] != node_id::none) targets.push_back(at.outputs[k]), given.push_back(cotangents[k]);
        level out{at.inputs, ad::gradients(*record_, at.inputs, targets, given, at.inputs, {})};
        for (node_id const id : cotangents) out.inputs.push_back(id);
        return out;
    }
    level pushed(level at, table_view<node_id> tangents) {
        buffer<node_id> targets;
        for (node_id const id : at.outputs)
            if (id != node_id::none) targets.push_back(id);
        buffer<node_id> const changes = ad::tangents(*record_, at.inputs, tangents, targets, {});
        level out{at.inputs, {}};
        std::size_t next = 0;
        for (node_id const id : at.outputs) out.outputs.push_back(id == node_id::none ? id : changes[next++]);
        for (node_id const id : tangents) out.inputs.push_back(id);
        return out;
    }

    std::shared_ptr<tape_record> record_;
    buffer<node_id> inputs_, outputs_;
};

template <class Unused> recorded_call* new_function_recording(tape_record& of, buffer<node_id> inputs, buffer<node_id> outputs) {
    return new function_recording<Unused>(of, std::move(inputs), std::move(outputs));
}

} // namespace tx::detail::inline TRACEXPR_RUNS
