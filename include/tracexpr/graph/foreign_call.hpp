// This file makes the calls of op::opaque and op::collective at run time: of user functions, their derivatives, and
// communicators.
#pragma once

#include <tracexpr/base/identity.hpp>
#include <tracexpr/base/user_calls.hpp>
#include <tracexpr/graph/begun_collectives.hpp>
#include <tracexpr/graph/call_form.hpp>
#include <tracexpr/graph/kept_results.hpp>
#include <tracexpr/graph/regions.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace tx::detail {

// A foreign_call is a function that a graph calls: `run` calls it once with the elements of its operands, and writes its results;
// the pointer to a result that nobody needs is null. `handle` gets the handle of what the call recorded, if that is wanted. The
// elements are in `memory`, or in this process's memory if that is null. The first operand of a node is a captured number, the
// address of such an object.
struct foreign_call {
    void (*run)(void const* state, table_view<shown_value> operands, std::byte* const* results, std::uint64_t* handle,
                device_memory const* memory) = nullptr;
    void const* state = nullptr;
};

// Makes one call, for one example.
TRACEXPR_ONCE void call_once(call_form const& form, std::uint64_t callee, table_view<shown_value> operands,
                             std::byte* const* results, std::uint64_t* handle, device_memory const* memory) {
    if (form.is_derivative()) {
        auto& call = object_at<recorded_call>(callee);
        call.derive(call, form.derivative, operands, results);
    } else if (form.does == call_form::call) {
        auto const& called = object_at<foreign_call const>(callee);
        called.run(called.state, operands, results, form.derivative ? handle : nullptr, memory);
    } else if (form.does < call_form::replay) {
        if (handle) *handle = address_of(kept_results::made(form.does, callee, operands));
    } else {
        object_at<kept_results const>(callee).give(static_cast<std::size_t>(form.does - call_form::replay), form.results(),
                                                   results, handle);
    }
}

// Throws where a collective takes a row for each rank, and the operand has another number of rows.
TRACEXPR_ONCE void require_rows(collective_form const& form, dims const& given, std::int64_t size) {
    if (!takes_rows(form.what) || (given.rank > 0 && given[0] == size)) return;
    throw shape_error("tx: mpi: " + std::string(name(form.what)) + ": the first axis of the operand must have the extent " +
                      std::to_string(size) + ", a row for each rank; its shape is " + to_string(given));
}
// Takes part in a collective. A replicated value needs no message: it is copied.
TRACEXPR_ONCE void take_part(rank_transport const& by, collective_call const& call) {
    if (call.form.what != collective_kind::replicate) return by.run(by, call);
    std::int64_t const bytes = call.extents.size() * static_cast<std::int64_t>(size_in_bytes(call.type));
    if (bytes > 0) std::memcpy(call.result, call.operand, static_cast<std::size_t>(bytes));
}
// Takes part in a collective whose operand and result are on a device. Returns false, and does nothing, if the transport does not
// take such elements.
TRACEXPR_ONCE bool takes_part_on_device(rank_transport const& by, collective_call const& call, device_memory const& memory) {
    if (call.form.what != collective_kind::replicate) return by.run_on_device && by.run_on_device(by, call, memory);
    memory.within(call.result, call.operand, call.extents.size() * static_cast<std::int64_t>(size_in_bytes(call.type)));
    return true;
}
// Takes part in a collective whose operand and result are on a device, by way of copies in this process's memory if the transport
// needs that.
TRACEXPR_ONCE void take_part(rank_transport const& by, collective_call const& call, device_memory const& memory) {
    if (takes_part_on_device(by, call, memory)) return;
    auto const each = static_cast<std::int64_t>(size_in_bytes(call.type));
    std::int64_t const operand_bytes = call.extents.size() * each, result_bytes = call.result_extents.size() * each;
    std::vector<std::byte> operand(static_cast<std::size_t>(operand_bytes) + 1),
        result(static_cast<std::size_t>(result_bytes) + 1);
    if (operand_bytes > 0) memory.to_host(operand.data(), call.operand, operand_bytes);
    collective_call here = call;
    here.operand = operand.data(), here.result = result.data();
    by.run(by, here);
    if (result_bytes > 0) memory.to_device(call.result, result.data(), result_bytes);
}
// Makes the call that a collective node stands for from its operands. The result's address is not set yet.
TRACEXPR_ONCE collective_call call_of(table_view<std::int64_t> own, table_view<shown_value> operands, rank_transport const& by) {
    namespace at = collective_operands;
    auto const number = [&](std::size_t k) { return *static_cast<std::int64_t const*>(operands[k].data); };
    collective_call call{collective_form(own), {}, nullptr, {}, nullptr, {}};
    if (call.form.what == collective_kind::begin_exchange) call.form.what = collective_kind::exchange;
    if (call.form.what == collective_kind::exchange) call.form.to = number(at::to), call.form.from = number(at::from);
    if (operands.size() <= at::input) return call;
    shown_value const& x = operands[at::input];
    call.type = x.type, call.operand = x.data, call.extents = x.extents;
    require_rows(call.form, x.extents, by.size);
    call.result_extents = gathers(call.form.what)    ? with_leading(x.extents, by.size)
                          : scatters(call.form.what) ? without_leading(x.extents)
                                                     : x.extents;
    return call;
}
// Takes part in the collective of a node; the operands are those of the node. If `memory` isn't null, the elements are in it, but
// for the operands that the host must read and the handle.
template <class Unused = void> TRACEXPR_NOINLINE void call_collective(table_view<std::int64_t> own,
                                                                      table_view<shown_value> operands, std::byte* const* results,
                                                                      device_memory const* memory) {
    namespace at = collective_operands;
    auto const& by = object_at<rank_transport const>(*static_cast<std::uint64_t const*>(operands[at::communicator].data));
    collective_form const form(own);
    if (form.what == collective_kind::sequence) {
        if (by.compare) by.compare(by, static_cast<std::uint64_t>(form.root), form.pairs);
        return;
    }
    auto* const request = reinterpret_cast<std::uint64_t*>(results[0]);
    if (request) *request = 0;
    if (form.what == collective_kind::begin_sums) {
        auto* const begun = begun_collective::begin_sums(by, form.by, operands.subspan(at::input), memory);
        if (request) *request = address_of(static_cast<recorded_call*>(begun));
        return;
    }
    if (form.what == collective_kind::finish) {
        auto& begun = object_at<recorded_call>(*static_cast<std::uint64_t const*>(operands[at::input].data));
        return static_cast<begun_collective&>(begun).finish(operands.subspan(at::input + 1), results + 1);
    }
    collective_call call = call_of(own, operands, by);
    if (form.what == collective_kind::begin_exchange) {
        auto* const begun = begun_collective::begin_exchange(by, call, memory, [&](void* result) {
            call.result = result;
            if (memory) take_part(by, call, *memory);
            else take_part(by, call);
        });
        if (request) *request = address_of(static_cast<recorded_call*>(begun));
        return;
    }
    if (form.what == collective_kind::barrier) return by.run(by, call);
    call.result = results[1];
    if (!call.result && form.what == collective_kind::replicate) return;
    // Even if nobody reads the result, this process must take part, because the other ranks wait for it.
    std::int64_t const bytes = call.result_extents.size() * static_cast<std::int64_t>(size_in_bytes(call.type));
    if (memory) {
        scratch_on_device const unwanted(*memory, call.result ? 0 : bytes);
        if (!call.result) call.result = unwanted.data();
        return take_part(by, call, *memory);
    }
    std::vector<std::byte> unwanted(call.result ? 0 : static_cast<std::size_t>(bytes) + 1);
    if (!call.result) call.result = unwanted.data();
    take_part(by, call);
}
TRACEXPR_INSTANCE(void call_collective<void>(table_view<std::int64_t>, table_view<shown_value>, std::byte* const*,
                                             device_memory const*))

// True if a call in a run on a device takes its elements in the memory of the device.
constexpr bool takes_elements_on_device(op code, call_form const& form) {
    return form.on_device || (code == op::collective && form.does == call_form::call);
}
// True if operand k of a call must be in this process's memory although the elements are on a device.
TRACEXPR_ONCE constexpr bool is_for_host(op code, call_form const& form, std::size_t k) {
    return code == op::collective ? is_for_host(collective_form(form.rest()).what, k) : k < form.first_input();
}

// Calls the function once for each example; with a condition, only for the examples for which it holds: then the results of all
// others are 0, and the handle of what was saved before stays. A function that takes tensors on the device of the run has its
// inputs and results in the device's memory; handles and conditions are in this process's memory all the same.
TRACEXPR_ONCE void call_foreign(op code, attribute_span attributes, table_view<shown_value> operands, dims const& extents,
                                std::byte* const* results) {
    call_form const form(attributes);
    if (code == op::collective && form.does == call_form::call) return call_collective(form.rest(), operands, results, nullptr);
    device_memory const* const memory = form.on_device ? remote_scope::memory() : nullptr;
    no_remote_scope const by_the_user;
    user_call const under_way;
    std::size_t const first = form.first_input(), count = form.results();
    auto* const handles = reinterpret_cast<std::uint64_t*>(results[0]);
    // A call without batch axes, condition or handle needs no copies of operands for each example.
    if (form.batch_axes == 0 && !form.has_condition && !form.takes_handle()) {
        if (handles) *handles = 0;
        return call_once(form, *static_cast<std::uint64_t const*>(operands[0].data), operands.subspan(first), results + 1,
                         handles, memory);
    }
    buffer<std::byte*> of_one(count + 1);
    for (std::int64_t i = 0; i < extents.size(); ++i) {
        auto const value = [&](std::size_t k) { return example_of(operands[k], i, form.batch_axes); };
        std::uint64_t const callee = static_cast<std::uint64_t const*>(operands[0].data)[operands[0].extents.rank ? i : 0];
        bool const is_called =
            (callee || form.does == call_form::keep) && !(form.has_condition && !*static_cast<bool const*>(value(1).data));
        if (handles) handles[i] = form.does == call_form::keep ? callee : 0;
        for (std::size_t k = 0; k < count; ++k) {
            std::int64_t const like = form.like(k);
            dims const shape =
                like < 0 ? form.result_shape({}, k)
                         : form.shape_like(k, value(static_cast<std::size_t>(like)).extents,
                                           code == op::collective ? operands[collective_operands::ranks].extents : dims{});
            std::int64_t const bytes = shape.size() * static_cast<std::int64_t>(size_in_bytes(form.result_type(k)));
            of_one[k] = results[k + 1] ? results[k + 1] + i * bytes : nullptr;
            if (!of_one[k] || (is_called && !form.is_derivative()) || bytes == 0) continue;
            if (memory) memory->clear(of_one[k], bytes);
            else std::memset(of_one[k], 0, static_cast<std::size_t>(bytes));
        }
        if (!is_called) continue;
        buffer<shown_value> values;
        for (std::size_t k = first; k < operands.size(); ++k) values.push_back(value(k));
        call_once(form, callee, values, of_one.data(), handles ? handles + i : nullptr, memory);
    }
}

} // namespace tx::detail
