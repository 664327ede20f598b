// This file runs a program that was traced at run time on a device. The host waits only where it must read a value: a condition,
// whether indices are in bounds, and what is shown or passed to user functions.
#pragma once

#include <tracexpr/backends/calls/iterated_values.hpp>
#include <tracexpr/thrust/call_foreign.hpp>
#include <tracexpr/thrust/loop_memory.hpp>
#include <tracexpr/thrust/program.hpp>
#include <tracexpr/thrust/program_calls.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE {

// Gives the address of a captured tensor's elements on the device, or null where they are only in the host's memory.
using capture_finder = std::byte const* (*)(device_queue& queue, captured const& what);

// The captures of a run. Each is copied to the device once, when it is first used.
class device_captures {
public:
    device_captures(device_queue& queue, capture_finder find) : queue_{queue}, find_{find} {}
    std::byte const* address(captured const& what, std::int64_t bytes) {
        if (bytes == 0) return nullptr;
        if (find_)
            if (std::byte const* const there = find_(queue_, what)) return there;
        void const* const from = what.data(what.address);
        for (known const& k : all_)
            if (k.from == from && k.to.bytes() >= bytes) return k.to.data();
        all_.push_back({from, device_block(queue_, bytes)});
        queue_.to_device(all_.back().to.data(), from, bytes);
        return all_.back().to.data();
    }
    // Gives the address of a capture in the host's memory, or null where it is on the device.
    std::byte const* host_address(captured const& what) const {
        if (find_ && find_(queue_, what)) return nullptr;
        return static_cast<std::byte const*>(what.data(what.address));
    }

private:
    struct known {
        void const* from;
        device_block to;
    };
    device_queue& queue_;
    capture_finder find_;
    std::vector<known> all_;
};

// Runs all rows of a nest.
template <std::uint32_t Types, class Queue> void run_interpreted_rows(Queue& queue, device_program const& of, plan_step const& s,
                                                                      interpreted_nest const& nest, std::byte* const* buffers) {
    interpret_loops<Types> const work{buffers, of.nested + s.loops.first, static_cast<int>(s.loops.count)};
    run_tasks(queue, work, s.outer.size(), {nest.team, nest.bytes});
}

template <std::uint32_t Types> class device_program_run {
public:
    device_program_run(device_queue& queue, device_program const& of, simd::io const& args, device_captures& captures)
        : queue_{queue}, of_{of}, g_{of.graph.view()}, p_{of.plan.view()}, args_{args}, captures_{captures},
          arena_(queue, p_.arena_bytes[0]), addresses_(queue, static_cast<std::int64_t>(p_.buffers.size() * sizeof(void*))) {
        require_dtypes();
        for (std::size_t b = 0; b < p_.buffers.size(); ++b) buffers_.push_back(resolved(b));
        if (!of_.loops.empty()) queue_.to_device(addresses_.data(), buffers_.data(), addresses_.bytes());
    }
    void run() {
        for (plan_step const& s : p_.steps) run_step(s);
        for (output_copy const& c : p_.copies)
            if (std::size_t const from = static_cast<std::size_t>(c.from); args_.outputs[c.to] != buffers_[from])
                queue_.within(args_.outputs[c.to], buffers_[from], p_.buffers[from].bytes);
    }

private:
    void require_dtypes() const {
        for (std::size_t t = 0; t < dtype_count; ++t)
            if (dtype const type = static_cast<dtype>(t); has_dtype(of_.types, type) && !has_dtype(Types, type))
                throw_device_error("function",
                                   "what is traced at run time computes " + std::string(name(type)) +
                                       (type == dtype::string
                                            ? ", which devices don't"
                                            : ", a dtype that none of the function's arguments, results and captures has; give "
                                              "it one of that dtype, or cast to a dtype that one has"));
    }
    std::byte* resolved(std::size_t b) {
        plan_buffer const& of = p_.buffers[b];
        switch (of.place) {
        case buffer_place::argument: return static_cast<std::byte*>(const_cast<void*>(args_.arguments[of.number]));
        case buffer_place::output: return static_cast<std::byte*>(args_.outputs[of.number]);
        case buffer_place::arena: return arena_.data() ? arena_.data() + of.offset : nullptr;
        case buffer_place::capture:
            if (!of_.is_used[b] && !is_copied(b)) return nullptr;
            return const_cast<std::byte*>(captures_.address(capture_of(of), of.bytes));
        case buffer_place::constant: return of_.constants[b];
        }
        return nullptr;
    }
    bool is_copied(std::size_t b) const {
        return std::any_of(p_.copies.begin(), p_.copies.end(),
                           [&](output_copy const& c) { return c.from == static_cast<std::int32_t>(b); });
    }
    captured const& capture_of(plan_buffer const& b) const { return g_.captures[static_cast<std::size_t>(b.number)]; }

    void run_step(plan_step const& s) {
        progress_begun_collectives();
        if (s.call == node_id::none) return run_loops(s);
        switch (s.strategy) {
        case strategy::branches: return run_regions(s);
        case strategy::effect: return do_effect(s);
        case strategy::routine: return run_routine(s);
        case strategy::check_indices: return check_places(s);
        default: return run_call(s);
        }
    }
    void run_loops(plan_step const& s) {
        auto* const buffers = reinterpret_cast<std::byte* const*>(addresses_.data());
        interpreted_nest const& nest = of_.nests[static_cast<std::size_t>(&s - p_.steps.data())];
        if (nest.team > 0) return run_interpreted_rows<Types>(queue_, of_, s, nest, buffers);
        for (std::uint32_t l = 0; l < s.loops.count; ++l)
            interpreted_run<Types>(queue_, of_.loops[s.loops.first + l], buffers, of_.rules).run();
    }

    std::byte* operand(plan_step const& s, std::size_t k) const {
        plan_access const& a = p_.accesses[s.operands.first + k];
        if (a.buffer < 0) return of_.literal_operands[s.operands.first + k];
        std::byte* const at = buffers_[static_cast<std::size_t>(a.buffer)];
        return at ? at + a.offset * static_cast<std::int64_t>(size_in_bytes(a.type)) : nullptr;
    }
    std::int64_t bytes_of(node_id id) const {
        return p_.extents[index(id)].size() * static_cast<std::int64_t>(size_in_bytes(g_[id].type));
    }
    // Gives the buffer of result k of a call; negative where the result is not needed.
    std::int32_t buffer_of_result(plan_step const& s, std::size_t k) const {
        if (k == 0) return p_.buffer_of[index(s.call)];
        return p_.accesses[s.operands.first + value_operands(g_[s.call]) + k - 1].buffer;
    }
    std::byte* result(plan_step const& s, std::size_t k) const {
        std::int32_t const b = buffer_of_result(s, k);
        return b < 0 ? nullptr : buffers_[static_cast<std::size_t>(b)];
    }
    // Gives the address for result k of a call; a result that is not needed gets memory of its own.
    std::byte* result(plan_step const& s, std::size_t k, std::int64_t bytes, std::vector<device_block>& unneeded) const {
        if (std::byte* const wanted = result(s, k)) return wanted;
        unneeded.emplace_back(queue_, bytes);
        return unneeded.back().data();
    }
    template <class T> T read(std::byte const* from) const {
        T out{};
        queue_.to_host(&out, from, sizeof out);
        return out;
    }

    // Gives indices as int64; converted ones are in `own`.
    std::byte const* indices(node_id id, std::byte const* from, device_block& own) const {
        dtype const type = g_[id].type;
        std::int64_t const count = p_.extents[index(id)].size();
        if (type == dtype::int64 || count == 0) return from;
        own = device_block(queue_, count * 8);
        calls::for_each_index(queue_, count,
                              convert_index{from, reinterpret_cast<std::int64_t*>(own.data()), type,
                                            static_cast<std::int64_t>(size_in_bytes(type))});
        return own.data();
    }
    void run_call(plan_step const& s) {
        node const& n = g_[s.call];
        std::size_t const count = value_operands(n);
        std::vector<simd::call_operand> operands(count);
        for (std::size_t k = 0; k < count; ++k)
            operands[k] = {operand(s, k), p_.extents[index(g_.operand(n, k))], p_.accesses[s.operands.first + k].outer};
        device_block converted;
        if (has_indices(n.code))
            operands[count - 1].data = indices(g_.operand(n, count - 1), operands[count - 1].data, converted);
        std::vector<device_block> unneeded;
        std::byte* results[4]{};
        for (std::size_t k = 0; k < static_cast<std::size_t>(info(n.code).results); ++k) {
            value_spec const spec = result_spec(g_, n, p_.extents[index(s.call)], operands[0].extents, k);
            results[k] = result(s, k, spec.shape.size() * static_cast<std::int64_t>(size_in_bytes(spec.type)), unneeded);
        }
        find_device_call<Types>(queue_, {n.code,
                                         g_[g_.operand(n, 0)].type,
                                         {operands.data(), count},
                                         results,
                                         p_.extents[index(s.call)],
                                         g_.attributes_of(n)});
    }
    void check_places(plan_step const& s) const {
        node const& n = g_[s.call];
        int const along = static_cast<int>(g_.attributes_of(n)[0]);
        node_id const places = g_.operand(n, 1);
        device_block converted;
        std::byte const* const from = indices(places, operand(s, 0), converted);
        check_device_indices(queue_, reinterpret_cast<std::int64_t const*>(from), p_.extents[index(places)].size(),
                             p_.extents[index(g_.operand(n, 0))][along], along, name(n.code).data());
    }

    // Gives an operand's elements in the host's memory, which may be copied to `own`.
    std::byte const* for_host(plan_step const& s, std::size_t k, std::vector<std::byte>& own) const {
        plan_access const& a = p_.accesses[s.operands.first + k];
        std::int64_t const bytes = bytes_of(g_.operand(g_[s.call], k)),
                           offset = a.offset * static_cast<std::int64_t>(size_in_bytes(a.type));
        plan_buffer const& b = p_.buffers[static_cast<std::size_t>(a.buffer)];
        if (b.place == buffer_place::capture)
            if (std::byte const* const there = captures_.host_address(capture_of(b))) return there + offset;
        own.resize(static_cast<std::size_t>(bytes) + 1);
        std::byte const* const from = for_device(s, k);
        if (bytes > 0) queue_.to_host(own.data(), from, bytes);
        return own.data();
    }
    std::byte const* for_device(plan_step const& s, std::size_t k) const {
        plan_access const& a = p_.accesses[s.operands.first + k];
        plan_buffer const& b = p_.buffers[static_cast<std::size_t>(a.buffer)];
        if (b.place != buffer_place::capture) return operand(s, k);
        return captures_.address(capture_of(b), b.bytes) + a.offset * static_cast<std::int64_t>(size_in_bytes(a.type));
    }
    void do_effect(plan_step const& s) {
        node const& n = g_[s.call];
        std::size_t const count = value_operands(n);
        bool const on_device = is_callback(n) && takes_elements_on_device(n.code, call_form(g_.attributes_of(n)));
        std::vector<std::vector<std::byte>> own(count);
        buffer<shown_value> values;
        for (std::size_t k = 0; k < count; ++k) {
            node_id const id = g_.operand(n, k);
            bool const for_the_host = !on_device || is_for_host(n.code, call_form(g_.attributes_of(n)), k);
            values.push_back({for_the_host ? for_host(s, k, own[k]) : for_device(s, k), g_[id].type, p_.extents[index(id)]});
        }
        if (on_device) return call_on_device(s, values);
        if (is_callback(n)) return call_foreign(s, values);
        auto const known = known_effects.load(std::memory_order_relaxed);
        if (!known)
            throw error("tx: " + std::string(name(n.code)) +
                        ": this program doesn't mention it; link tracexpr::compiled, which always has it");
        known(n.code, g_.attributes_of(n), values);
    }
    // Runs a step by the host's kernel, with copies of the operands and results.
    void run_routine(plan_step const& s) {
        node const& n = g_[s.call];
        std::vector<std::vector<std::byte>> own(value_operands(n));
        buffer<shown_value> values;
        for (std::size_t k = 0; k < own.size(); ++k) {
            node_id const id = g_.operand(n, k);
            values.push_back({for_host(s, k, own[k]), g_[id].type, p_.extents[index(id)]});
        }
        with_results_on_host(s, static_cast<std::size_t>(info(n.code).results), [&](std::byte* const* results) {
            tx::detail::run_routine<>({n.code, g_.attributes_of(n), values, n.type, p_.extents[index(s.call)], results});
        });
    }
    void call_on_device(plan_step const& s, table_view<shown_value> values) {
        attribute_span const form = g_.attributes_of(g_[s.call]);
        buffer<std::byte*> results;
        for (std::size_t k = 0; k <= call_form(form).results(); ++k) results.push_back(result(s, k));
        call_foreign_on_device(queue_, g_[s.call].code, form, values, p_.extents[index(s.call)], results);
    }
    void call_foreign(plan_step const& s, table_view<shown_value> values) {
        node const& n = g_[s.call];
        with_results_on_host(s, call_form(g_.attributes_of(n)).results() + 1, [&](std::byte* const* results) {
            tx::detail::call_foreign(n.code, g_.attributes_of(n), values, p_.extents[index(s.call)], results);
        });
    }
    // Calls `call` with addresses on the host for the results that are needed, null for others, and copies the results to the
    // device.
    template <class Call> void with_results_on_host(plan_step const& s, std::size_t count, Call const& call) {
        node const& n = g_[s.call];
        std::vector<std::vector<std::byte>> own(count);
        buffer<std::byte*> results;
        for (std::size_t k = 0; k < count; ++k) {
            if (buffer_of_result(s, k) < 0) {
                results.push_back(nullptr);
                continue;
            }
            value_spec const spec = result_spec(g_, n, p_.extents[index(s.call)], p_.extents[index(g_.operand(n, 0))], k);
            own[k].resize(static_cast<std::size_t>(spec.shape.size()) * size_in_bytes(spec.type) + 1);
            results.push_back(own[k].data());
        }
        call(results.data());
        for (std::size_t k = 0; k < count; ++k)
            if (results[k]) queue_.to_device(result(s, k), results[k], static_cast<std::int64_t>(own[k].size()) - 1);
    }

    void run_regions(plan_step const& s) {
        node const& n = g_[s.call];
        attribute_span const regions = g_.attributes_of(n);
        switch (n.code) {
        case op::cond: return run_branch(s, regions[read<bool>(operand(s, 0)) ? 0 : 1], nullptr, {});
        case op::with_range: {
            device_range const range(queue_, read<std::int64_t>(operand(s, 0)));
            return run_branch(s, regions[0], range.data(), range.extents());
        }
        default: return run_iterations(s);
        }
    }
    // Runs a region once; where it is given a range, the range replaces its first operand.
    void run_branch(plan_step const& s, std::int64_t region, std::byte const* range, dims const& range_extents) {
        node const& n = g_[s.call];
        bool const has_range = n.code == op::with_range;
        std::size_t const values = value_operands(n), before = has_range ? 0 : 1;
        std::vector<void const*> arguments(n.arity + 1u);
        buffer<dims> extents;
        if (has_range) arguments[0] = range, extents.push_back(range_extents);
        for (std::size_t k = 1; k < n.arity; ++k) {
            arguments[k - before] = k < values ? operand(s, k) : nullptr;
            extents.push_back(p_.extents[index(g_.operand(n, k))]);
        }
        auto const own = of_.branches->find(g_, region, extents);
        std::vector<void*> outputs;
        std::vector<device_block> unneeded;
        for (std::size_t k = 0; k < own->graph.outputs().size(); ++k)
            outputs.push_back(result(
                s, k, own->output_extents(k).size() * static_cast<std::int64_t>(size_in_bytes(own->output_type(k))), unneeded));
        device_program_run(queue_, *own, {arguments.data(), outputs.data()}, captures_).run();
    }
    void run_iterations(plan_step const& s) {
        node const& n = g_[s.call];
        simd::iterated_values values(
            g_, p_, n, [&](std::size_t k) { return operand(s, k); }, [&](std::size_t k) { return result(s, k); });
        auto const body = of_.branches->find(g_, values.body(), values.extents);
        values.note_outputs(*body);
        device_loop_buffers memory(values.form, values.all_operands(), values.all_outputs(), queue_);
        auto const run_body = [&](simd::io const& args) { device_program_run(queue_, *body, args, captures_).run(); };
        if (!values.is_while) return simd::run_scan(memory, values.form, values.length, run_body);
        std::int64_t const times = repeat(memory, *of_.branches->find(g_, values.condition(), values.extents), run_body);
        if (values.iterations) queue_.to_device(values.iterations, &times, sizeof times);
    }
    template <class Buffers, class Body>
    std::int64_t repeat(Buffers& memory, device_program const& condition, Body const& run_body) {
        device_block const truth(queue_, 1);
        auto const goes_on = [&](void const* const* arguments) {
            void* results[2]{truth.data(), nullptr};
            device_program_run(queue_, condition, {arguments, results}, captures_).run();
            return read<bool>(truth.data());
        };
        return simd::run_while(memory, goes_on, run_body);
    }

    device_queue& queue_;
    device_program const& of_;
    graph_view g_;
    plan_view p_;
    simd::io args_;
    device_captures& captures_;
    device_block arena_, addresses_; // the buffers' addresses
    std::vector<std::byte*> buffers_;
};

// Arguments and outputs, in the graph's order, are in the device's memory (null where there are no elements); outputs have the
// extents that the plan says, and don't overlap arguments. Captures are in the host's memory, or where `find` says. Types is
// interpreted_dtypes() of the function's leaves. When this returns the queue may still be at work. Throws device_error where the
// program computes a dtype that is not in Types, before it does anything.
template <std::uint32_t Types>
void run_device_program(device_queue& queue, device_program const& p, simd::io const& args, capture_finder find = nullptr) {
    recorded_calls const of_this_run;
    device_captures captures(queue, find);
    device_program_run<Types>(queue, p, args, captures).run();
}

} // namespace tx::detail::inline TRACEXPR_DEVICE
