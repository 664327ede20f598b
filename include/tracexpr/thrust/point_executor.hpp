// This file runs a plan whose form the compiler knows on a device. It does what the static executor does, but its loops' kernels
// compute single points, which many threads share, and its calls are the device's. Everything is launched in the device's queue;
// the host waits only where it must know a value.
#pragma once

#include <tracexpr/backends/plans.hpp>
#include <tracexpr/backends/static_executor.hpp>
#include <tracexpr/thrust/call_foreign.hpp>
#include <tracexpr/thrust/calls.hpp>
#include <tracexpr/thrust/device.hpp>
#include <tracexpr/thrust/loop_memory.hpp>
#include <tracexpr/thrust/loops.hpp>

#include <array>
#include <vector>

namespace tx::detail::inline TRACEXPR_DEVICE {

template <class Form> void run_points(device_queue& queue, plan_view const& p, simd::io const& args);

// Gives the copy on a device of elements that stay the same as long as the program runs. It is made once for each device, and
// stays there.
template <class Source> std::byte* kept_on_device(device_queue& queue, void const* elements, std::int64_t bytes) {
    static std::mutex guard;
    static auto& known = *new std::vector<std::byte*>; // one for each device; it is never destroyed, as queues are not
    std::lock_guard const lock(guard);
    auto const at = static_cast<std::size_t>(queue.index());
    if (known.size() <= at) known.resize(at + 1);
    if (!known[at]) {
        std::byte* const fresh = queue.allocate_to_keep(bytes);
        queue.to_device(fresh, elements, bytes);
        known[at] = fresh;
    }
    return known[at];
}

// The addresses of a plan's buffers on the device.
template <class Form> class point_buffers {
    static constexpr std::size_t count = Form::plan().buffers.size();

public:
    point_buffers(device_queue& queue, plan_view const& p, simd::io const& args)
        : queue_{queue}, arena_(queue, p.arena_bytes[0]) {
        [&]<std::size_t... B>(std::index_sequence<B...>) {
            ((at_[B] = resolve<B>(p, args)), ...);
        }(std::make_index_sequence<count>{});
    }
    std::byte* const* data() const { return at_; }

private:
    template <std::size_t B> struct of_buffer {};
    static constexpr bool is_constant(captured const& c) { return c.see == nullptr; }

    template <std::size_t B> std::byte* resolve(plan_view const& p, simd::io const& args) {
        constexpr plan_buffer form = Form::plan().buffers[B];
        [[maybe_unused]] std::int64_t const bytes = p.buffers[B].bytes;
        if constexpr (form.place == buffer_place::argument) {
            return static_cast<std::byte*>(const_cast<void*>(args.arguments[form.number]));
        } else if constexpr (form.place == buffer_place::output) {
            return static_cast<std::byte*>(args.outputs[form.number]);
        } else if constexpr (form.place == buffer_place::arena) {
            return arena_.data() + p.buffers[B].offset;
        } else if constexpr (form.place == buffer_place::constant) {
            return kept_on_device<of_buffer<B>>(queue_, simd::detail::constant_elements<Form, B>::elements.data(), bytes);
        } else {
            constexpr captured c = Form::graph().captures[static_cast<std::size_t>(form.number)];
            if constexpr (is_constant(c)) return kept_on_device<of_buffer<B>>(queue_, c.data(c.address), bytes); // a constant
            else return captured_on_device(c, bytes);
        }
    }
    std::byte* captured_on_device(captured const& c, std::int64_t bytes) {
        remote_scope asking;
        void const* const here = c.data(c.address);
        if (remote_elements* const remote = asking.take_met())
            return static_cast<std::byte*>(require_on_device(*remote, queue_).address);
        copies_.emplace_back(queue_, bytes);
        queue_.to_device(copies_.back().data(), here, bytes);
        return copies_.back().data();
    }

    device_queue& queue_;
    device_block arena_;
    std::vector<device_block> copies_;
    std::byte* at_[count + 1]{};
};

// Runs a step on the host, with copies of the buffers that it reads and writes.
template <class Form, std::size_t Step>
void run_step_on_host(device_queue& queue, plan_view const& p, std::byte* const* buffers) {
    constexpr node_id call = Form::plan().steps[Step].call;
    constexpr std::size_t values = value_operands(Form::graph()[call]),
                          results = result_count(Form::graph(), Form::graph()[call]);
    std::byte* there[Form::plan().buffers.size() + 1]{};
    std::vector<std::vector<std::byte>> copies;
    auto const mirror = [&](std::int32_t b) {
        if (b < 0 || there[b]) return;
        copies.emplace_back(static_cast<std::size_t>(p.buffers[static_cast<std::size_t>(b)].bytes) + 64);
        there[b] = copies.back().data();
        queue.to_host(there[b], buffers[b], p.buffers[static_cast<std::size_t>(b)].bytes);
    };
    std::size_t const first = p.steps[Step].operands.first;
    for (std::size_t k = 0; k < values; ++k) mirror(p.accesses[first + k].buffer);
    auto const buffer_of_result = [&](std::size_t k) {
        return k == 0 ? p.buffer_of[index(call)] : p.accesses[first + values + k - 1].buffer;
    };
    for (std::size_t k = 0; k < results; ++k) mirror(buffer_of_result(k));
    simd::detail::run_as<Form::plan().steps[Step].strategy, Form, Step, simd::default_arch>::run(p, there);
    for (std::size_t k = 0; k < results; ++k)
        if (std::int32_t const b = buffer_of_result(k); b >= 0)
            queue.to_device(buffers[b], there[b], p.buffers[static_cast<std::size_t>(b)].bytes);
}

// Does the step call a user's function that takes tensors on the device, or a collective?
template <class Form, std::size_t Step> inline constexpr bool is_call_on_device = [] {
    constexpr node n = Form::graph()[Form::plan().steps[Step].call];
    return is_callback(n) && takes_elements_on_device(n.code, call_form(Form::graph().attributes_of(n)));
}();
// Gives an operand that such a call must have in this process's memory. A capture or constant is read in place, so that the host
// need not wait for the device; any other is copied to `own`.
template <class Form, std::size_t Step, std::size_t Operand> void const*
operand_for_host(device_queue& queue, std::byte* const* buffers, shown_value const& there, std::vector<std::byte>& own) {
    constexpr std::int32_t b = Form::plan().accesses[Form::plan().steps[Step].operands.first + Operand].buffer;
    constexpr plan_buffer form = Form::plan().buffers[static_cast<std::size_t>(b)];
    if constexpr (form.place == buffer_place::capture) {
        constexpr captured c = Form::graph().captures[static_cast<std::size_t>(form.number)];
        if (there.data == buffers[b]) return c.data(c.address);
    } else if constexpr (form.place == buffer_place::constant) {
        if (there.data == buffers[b]) return simd::detail::constant_elements<Form, static_cast<std::size_t>(b)>::elements.data();
    }
    std::int64_t const bytes = there.extents.size() * static_cast<std::int64_t>(size_in_bytes(there.type));
    own.resize(static_cast<std::size_t>(bytes));
    queue.to_host(own.data(), there.data, bytes);
    return own.data();
}
template <class Form, std::size_t Step> constexpr bool operand_is_for_host(std::size_t k) {
    constexpr graph_view g = Form::graph();
    node const& n = g[Form::plan().steps[Step].call];
    return is_for_host(n.code, call_form(g.attributes_of(n)), k);
}
template <class Form, std::size_t Step>
void run_call_of_users(device_queue& queue, plan_view const& p, std::byte* const* buffers) {
    constexpr graph_view g = Form::graph();
    constexpr node_id call = Form::plan().steps[Step].call;
    constexpr node n = g[call];
    constexpr std::size_t count = value_operands(n), results = call_form(g.attributes_of(n)).results() + 1;
    shown_value values[count];
    for (std::size_t k = 0; k < count; ++k) {
        node_id const id = g.operand(g[call], k);
        values[k] = {simd::detail::operand_of_step<Form, Step>(p, buffers, k), g[id].type, p.extents[index(id)]};
    }
    std::vector<std::byte> own[count];
    auto const fetch = [&](auto number) {
        constexpr std::size_t k = number.value;
        if constexpr (operand_is_for_host<Form, Step>(k))
            values[k].data = operand_for_host<Form, Step, k>(queue, buffers, values[k], own[k]);
    };
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        (fetch(std::integral_constant<std::size_t, K>{}), ...);
    }(std::make_index_sequence<count>{});
    std::byte* to[results];
    for (std::size_t k = 0; k < results; ++k) to[k] = simd::detail::wanted_result<Form, Step>(p, buffers, k);
    call_foreign_on_device(queue, n.code, g.attributes_of(n), {values, count}, p.extents[index(call)], {to, results});
}

// The machine that regions run on, with the values that they read and write: the device. See simd::detail::this_machine.
struct point_machine {
    device_queue& queue;

    using block = device_block;
    using flag = device_block;
    using loops = device_loop_buffers;
    block allocate(std::int64_t bytes) const { return {queue, bytes}; }
    flag make_flag() const { return {queue, sizeof(bool)}; }
    static std::byte* address(block const& b) { return b.data(); }
    template <class T> T read(std::byte const* at) const {
        T out{};
        queue.to_host(&out, at, sizeof(T));
        return out;
    }
    void write(std::byte* at, std::int64_t value) const { queue.to_device(at, &value, sizeof(value)); }
    template <class Count> device_range range(Count count) const { return {queue, count}; }
    template <class Region> void run(plan_view const& p, simd::io const& args) const { run_points<Region>(queue, p, args); }
    template <class Region> void iterate(plan_view const& p, simd::io const& args) const { run<Region>(p, args); }
    loops make_loops(loop_form const& form, table_view<simd::loop_value> operands, table_view<simd::loop_value> outputs) const {
        return {form, operands, outputs, queue};
    }
};

template <class Form, std::size_t Step>
void run_call_on_device(device_queue& queue, plan_view const& p, std::byte* const* buffers) {
    using call = simd::detail::known_call<Form, Step>;
    stored<typename call::operand_element> const number = call::literal();
    simd::call_operand operands[call::count];
    for (std::size_t k = 0; k < call::count; ++k) operands[k] = call::operand(p, buffers, k, nullptr);
    dims const& extents = p.extents[index(call::form.call)];
    std::byte* results[call::further + 1]{buffers[p.buffer_of[index(call::form.call)]]};
    device_block unneeded[call::further + 1];
    for (std::size_t k = 1; k <= call::further; ++k)
        results[k] = simd::detail::result_of_step<Form, Step>(
            point_machine{queue}, p, buffers, k, result_spec(call::g, call::n, extents, operands[0].extents, k), unneeded[k]);
    run_device_call<call::n.code, typename call::operand_element, typename call::index_element>(
        queue, table_view<simd::call_operand>(operands, call::count), results, extents, call::g.attributes_of(call::n),
        call::adds_literal ? &number : nullptr);
}
template <class Form, std::size_t Step>
void check_indices_on_device(device_queue& queue, plan_view const& p, std::byte* const* buffers) {
    constexpr graph_view g = Form::graph();
    constexpr node n = g[Form::plan().steps[Step].call];
    using index_element = ctype<g[g.operand(n, 1)].type>;
    plan_access const& a = p.accesses[p.steps[Step].operands.first];
    int const along = static_cast<int>(g.attributes_of(n)[0]);
    check_device_indices(queue, reinterpret_cast<index_element const*>(buffers[a.buffer]) + a.offset,
                         p.extents[index(g.operand(n, 1))].size(), p.extents[index(g.operand(n, 0))][along], along,
                         info(n.code).name.data());
}

template <class Form, std::size_t Step> void run_step(device_queue& queue, plan_view const& p, std::byte* const* buffers) {
    constexpr plan_step form = Form::plan().steps[Step];
    if constexpr (form.call == node_id::none) run_point_step<Form, Step>(queue, p, buffers);
    else if constexpr (form.strategy == strategy::routine) run_step_on_host<Form, Step>(queue, p, buffers);
    else if constexpr (form.strategy == strategy::effect) {
        if constexpr (is_call_on_device<Form, Step>) run_call_of_users<Form, Step>(queue, p, buffers);
        else run_step_on_host<Form, Step>(queue, p, buffers);
    } else if constexpr (form.strategy == strategy::check_indices) check_indices_on_device<Form, Step>(queue, p, buffers);
    else if constexpr (form.strategy == strategy::branches)
        simd::detail::run_regions<Form, Step>(point_machine{queue}, p, buffers);
    else run_call_on_device<Form, Step>(queue, p, buffers);
}

template <class Form, std::size_t Step>
void run_step_of_program(device_queue& queue, plan_view const& p, std::byte* const* buffers) {
    if constexpr (begins_collectives(Form::graph())) progress_begun_collectives();
    run_step<Form, Step>(queue, p, buffers);
}

// Does what simd::run_static does. All addresses are on the device.
template <class Form> void run_points(device_queue& queue, plan_view const& p, simd::io const& args) {
    point_buffers<Form> const buffers(queue, p, args);
    [&]<std::size_t... S>(std::index_sequence<S...>) {
        (run_step_of_program<Form, S>(queue, p, buffers.data()), ...);
    }(std::make_index_sequence<Form::plan().steps.size()>{});
    for (output_copy const& c : p.copies)
        if (args.outputs[c.to] != buffers.data()[c.from])
            queue.within(args.outputs[c.to], buffers.data()[c.from], p.buffers[static_cast<std::size_t>(c.from)].bytes);
}

} // namespace tx::detail::inline TRACEXPR_DEVICE
