// This file executes a plan element by element, with the reference executor's arithmetic, so that errors of the passes show
// before any kernel is involved. It checks all that it can: each access must stay inside its buffer, walk as its mode says, and
// read only what was written.
#pragma once

#include <tracexpr/backends/reference/reference.hpp>
#include <tracexpr/passes/plan.hpp>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace tx::testing {

class plan_interpreter {
public:
    plan_interpreter(graph_view const& g, plan_view const& p, tx::table_view<array_view> arguments) : g_{g}, p_{p}, arguments_{arguments} {}

    std::vector<host_array> run() {
        place_buffers();
        for (plan_step const& s : p_.steps) {
            if (s.call != node_id::none) run_call(s);
            else for_each(s.outer, [&](std::int64_t const* at) { run_loops(s, at); });
        }
        std::vector<host_array> out;
        for (std::size_t k = 0; k < g_.outputs.size(); ++k) {
            node const& n = g_[g_.outputs[k]];
            out.push_back({n.type, extents(g_.outputs[k]), std::vector<std::byte>(static_cast<std::size_t>(extents(g_.outputs[k]).size()) * size_in_bytes(n.type))});
        }
        for (std::size_t b = 0; b < p_.buffers.size(); ++b)
            if (p_.buffers[b].place == buffer_place::output) copy_to(out, static_cast<std::int32_t>(b), p_.buffers[b].number);
        for (output_copy const& c : p_.copies) copy_to(out, c.from, c.to);
        return out;
    }

private:
    using cell = reference::cell;
    // The bytes of one buffer, or of the whole arena, and which of them have been written.
    struct memory {
        std::vector<std::byte> bytes;
        std::vector<bool> written;
        explicit memory(std::size_t size = 0) : bytes(size), written(size, false) {}
    };

    static void require(bool holds, char const* what) {
        if (!holds) throw std::runtime_error(std::string("plan: ") + what);
    }
    dims const& extents(node_id id) const { return p_.extents[index(id)]; }

    void fill(memory& m, reference::values const& from) {
        m = memory(from.cells.size() * size_in_bytes(from.type));
        reference::store(from, m.bytes.data());
        m.written.assign(m.bytes.size(), true);
    }
    void place_buffers() {
        own_.resize(p_.buffers.size());
        arena_ = memory(static_cast<std::size_t>(p_.arena_bytes[0]));
        for (std::size_t b = 0; b < p_.buffers.size(); ++b) {
            plan_buffer const& buffer = p_.buffers[b];
            node const& n = g_[buffer.node];
            switch (buffer.place) {
            case buffer_place::argument: {
                array_view const& given = arguments_[static_cast<std::size_t>(buffer.number)];
                fill(own_[b], reference::loaded(given.type, given.shape, given.data));
                break;
            }
            case buffer_place::capture: fill(own_[b], reference::captured_values(g_, n)); break;
            case buffer_place::constant: fill(own_[b], reference::constant_values(g_, n)); break;
            case buffer_place::output: outputs_[buffer.number] = memory(static_cast<std::size_t>(buffer.bytes)); break;
            case buffer_place::arena:
                require(buffer.offset >= 0 && buffer.offset % (buffer.bytes > 8 ? 64 : 8) == 0 && buffer.offset + buffer.bytes <= p_.arena_bytes[0], "a buffer lies outside the arena");
                break;
            }
            require(own_[b].bytes.empty() || static_cast<std::int64_t>(own_[b].bytes.size()) == buffer.bytes, "a buffer's size");
        }
    }
    memory& memory_of(std::int32_t b, std::int64_t& offset) {
        plan_buffer const& buffer = p_.buffers[static_cast<std::size_t>(b)];
        if (buffer.place == buffer_place::output) return outputs_.at(buffer.number);
        if (buffer.place != buffer_place::arena) return own_[static_cast<std::size_t>(b)];
        offset += buffer.offset;
        return arena_;
    }

    cell read(std::int32_t b, dtype type, std::int64_t element) {
        std::int64_t const size = static_cast<std::int64_t>(size_in_bytes(type));
        std::int64_t at = element * size;
        require(element >= 0 && at + size <= p_.buffers[static_cast<std::size_t>(b)].bytes, "reads outside a buffer");
        memory const& m = memory_of(b, at);
        for (std::int64_t k = 0; k < size; ++k) require(m.written[static_cast<std::size_t>(at + k)], "reads what nobody wrote");
        return reference::loaded(type, dims{}, &m.bytes[static_cast<std::size_t>(at)])[0];
    }
    void write(std::int32_t b, dtype type, std::int64_t element, cell value) {
        std::int64_t const size = static_cast<std::int64_t>(size_in_bytes(type));
        std::int64_t at = element * size;
        plan_buffer const& buffer = p_.buffers[static_cast<std::size_t>(b)];
        require(buffer.place == buffer_place::output || buffer.place == buffer_place::arena, "writes what it was given");
        require(element >= 0 && at + size <= buffer.bytes, "writes outside a buffer");
        memory& m = memory_of(b, at);
        reference::values one(type, dims{});
        one[0] = value;
        reference::store(one, &m.bytes[static_cast<std::size_t>(at)]);
        for (std::int64_t k = 0; k < size; ++k) m.written[static_cast<std::size_t>(at + k)] = true;
    }
    // Calls f(indices) for every point of a walk.
    template <class F> static void for_each(walk const& w, F f) {
        std::int64_t at[max_rank]{};
        for (std::int64_t left = w.size(); left > 0; --left) {
            f(static_cast<std::int64_t const*>(at));
            for (int axis = w.rank - 1; axis >= 0 && ++at[axis] == w.extent[axis]; --axis) at[axis] = 0;
        }
    }
    static std::int64_t element_at(plan_access const& a, walk const& outer, std::int64_t const* at, walk const& inner, std::int64_t const* in) {
        std::int64_t element = a.offset;
        for (int axis = 0; axis < outer.rank; ++axis) element += a.outer[axis] * at[axis];
        for (int axis = 0; axis < inner.rank; ++axis) element += a.inner[axis] * in[axis];
        return element;
    }
    static void check_mode(plan_access const& a, walk const& inner) {
        int const last = inner.rank - 1;
        bool const moves = last >= 0 && inner.extent[last] > 1;
        if (a.mode == access_mode::splat) require(!moves || a.inner[last] == 0, "an access that should stay moves");
        if (a.mode == access_mode::contiguous) require((!moves || a.inner[last] == 1) && a.buffer >= 0, "an access that should be contiguous is not");
    }

    static cell neutral(op code, dtype type) {
        double const start = info(code).combines.start;
        if (type == dtype::boolean) return reference::flag(start > 0);
        return reference::cast(to_literal(start), dtype::float64, type);  // for integers the end of their range
    }

    void run_loops(plan_step const& s, std::int64_t const* outer) {
        for (std::uint32_t k = 0; k < s.loops.count; ++k) run_loop(s, p_.loops[s.loops.first + k], outer);
    }
    void run_loop(plan_step const& s, plan_loop const& l, std::int64_t const* outer) {
        tx::table_view<kernel_line> const lines = p_.lines.subspan(l.lines.first, l.lines.count);
        tx::table_view<plan_access> const accesses = p_.accesses.subspan(l.accesses.first, l.accesses.count);
        for (plan_access const& a : accesses) check_mode(a, l.inner);
        // Every reduction's elements begin as its neutral element. A column loop does not iterate over its last axis here.
        for (kernel_line const& line : lines) {
            if (line.role != role::reduce) continue;
            require(l.reduces, "a loop that does not reduce has a reduction");
            plan_access const& a = accesses[static_cast<std::size_t>(line.b)];
            walk kept = l.inner;
            for (int axis = 0; axis < kept.rank; ++axis)
                if (!(l.columns && axis == kept.rank - 1)) {
                    require(a.inner[axis] == 0, "a reduction's result moves along a reduced axis");
                    kept.extent[axis] = 1;
                }
            for_each(kept, [&](std::int64_t const* in) { write(a.buffer, a.type, element_at(a, s.outer, outer, l.inner, in), neutral(line.code, line.type)); });
        }
        // the extremes found so far, for reductions that give their places
        std::map<std::pair<int, std::int64_t>, cell> extremes;
        std::vector<cell> values(lines.size());
        for_each(l.inner, [&](std::int64_t const* in) {
            for (std::size_t i = 0; i < lines.size(); ++i) {
                kernel_line const& line = lines[i];
                require(line.role == role::load || line.role == role::index || line.role == role::literal || line.role == role::place || line.a < static_cast<int>(i), "a line uses a later one");
                auto const place = [&](int number) { return element_at(accesses[static_cast<std::size_t>(number)], s.outer, outer, l.inner, in); };
                switch (line.role) {
                case role::literal: {
                    literal_value const& v = p_.literals[l.literals.first + static_cast<std::size_t>(line.a)];
                    require(v.type == line.type, "a literal's dtype");
                    values[i] = v.bits;
                    break;
                }
                case role::index: values[i] = reference::cast({static_cast<std::uint64_t>(place(line.a)), 0}, dtype::int64, line.type); break;
                case role::load: values[i] = read(accesses[static_cast<std::size_t>(line.a)].buffer, line.type, place(line.a)); break;
                case role::place: {
                    literal_value const& table = p_.literals[l.literals.first + static_cast<std::size_t>(line.c)];
                    std::int64_t const n = static_cast<std::int64_t>(table.bits.high);
                    cell const given = reference::cast(read(accesses[static_cast<std::size_t>(line.a)].buffer, line.type, place(line.a)), line.type, dtype::int64);
                    std::int64_t const at = static_cast<std::int64_t>(given.low) + (static_cast<std::int64_t>(given.low) < 0 ? n : 0);
                    require(at >= 0 && at < n, "an index that was not checked");
                    values[i] = {static_cast<std::uint64_t>(at * static_cast<std::int64_t>(table.bits.low)), 0};
                    break;
                }
                case role::lookup:
                    values[i] = read(accesses[static_cast<std::size_t>(line.b)].buffer, line.type, place(line.b) + static_cast<std::int64_t>(values[static_cast<std::size_t>(line.a)].low));
                    break;
                case role::compute: values[i] = computed(lines, line, values); break;
                case role::store: write(accesses[static_cast<std::size_t>(line.b)].buffer, line.type, place(line.b), values[static_cast<std::size_t>(line.a)]); break;
                case role::reduce: {
                    std::int32_t const to = accesses[static_cast<std::size_t>(line.b)].buffer;
                    if (line.c >= 0) {  // the first NaN, or else the first extreme
                        dtype const type = lines[static_cast<std::size_t>(line.a)].type;
                        cell const value = values[static_cast<std::size_t>(line.a)];
                        auto const [best, is_first] = extremes.try_emplace({static_cast<int>(i), place(line.b)}, value);
                        cell const pair[]{value, best->second}, was[]{best->second, best->second};
                        bool const is_best_nan = reference::pointwise(op::not_equal, type, was).low != 0;
                        bool const is_within = reference::pointwise(line.code == op::argmax ? op::less_equal : op::greater_equal, type, pair).low != 0;
                        if (!is_first && (is_within || is_best_nan)) break;
                        best->second = value;
                        write(to, line.type, place(line.b), reference::cast(values[static_cast<std::size_t>(line.c)], lines[static_cast<std::size_t>(line.c)].type, line.type));
                        break;
                    }
                    cell const pair[]{read(to, line.type, place(line.b)), values[static_cast<std::size_t>(line.a)]};
                    write(to, line.type, place(line.b), reference::pointwise(info(line.code).combines.by, line.type, pair));
                    break;
                }
                }
            }
        });
    }
    static cell computed(tx::table_view<kernel_line> lines, kernel_line const& line, std::vector<cell> const& values) {
        int const from[]{line.a, line.b, line.c};
        cell operand[3]{};
        for (int k = 0; k < 3; ++k)
            if (from[k] >= 0) operand[k] = values[static_cast<std::size_t>(from[k])];
        dtype const given = lines[static_cast<std::size_t>(line.a)].type;
        if (line.code == op::cast) return reference::cast(operand[0], given, line.type);
        if (line.code == op::where) return operand[0].low ? operand[1] : operand[2];
        return reference::pointwise(line.code, given, operand);
    }

    cell literal_behind(node_id id) const {
        while (g_[id].code != op::literal) id = g_.operand(g_[id], 0);
        return {g_[id].bits[0], g_[id].bits[1]};
    }
    void run_call(plan_step const& s) {
        node const& n = g_[s.call];
        if (p_.buffer_of[index(s.call)] < 0) return; // each index is checked where it is read
        std::size_t const values = tx::value_operands(n), results = tx::result_count(g_, n);
        require(s.operands.count + 1 == values + results, "a call's operands");
        std::vector<reference::values> operands;
        for (std::uint32_t k = 0; k < values; ++k) {
            plan_access const& a = p_.accesses[s.operands.first + k];
            node_id const id = g_.operand(n, k);
            operands.emplace_back(g_[id].type, extents(id));
            reference::values& to = operands.back();
            std::int64_t packed = 1;
            bool const may_be_apart = info(n.code).kind == kind::contraction || info(n.code).kind == kind::structure || (k == 1 && a.buffer == p_.buffer_of[index(s.call)]); // what is set may be where it goes
            for (int axis = to.shape.rank - 1; axis >= 0 && !may_be_apart; packed *= to.shape[axis--])
                require(to.shape[axis] <= 1 || to.size() == 0 || a.outer[axis] == packed || (info(n.code).kind == kind::update && k == 1 && a.outer[axis] == 0),
                        "a call's operand is not contiguous");
            reference::for_each_position(to.shape, [&](dims const& at, std::int64_t number) {
                if (a.buffer < 0) {
                    to[number] = literal_behind(id);
                    return;
                }
                std::int64_t element = a.offset;
                for (int axis = 0; axis < at.rank; ++axis) element += a.outer[axis] * at[axis];
                to[number] = read(a.buffer, a.type, element);
            });
        }
        std::vector<reference::values const*> given;
        for (reference::values const& v : operands) given.push_back(&v);
        tx::buffer<reference::values> const made = results_of(n, given, extents(s.call));
        for (std::size_t k = 0; k < made.size(); ++k) {
            std::int32_t const to = k == 0 ? p_.buffer_of[index(s.call)] : p_.accesses[s.operands.first + values + k - 1].buffer;
            if (to < 0) continue; // nothing needs it
            for (std::int64_t i = 0; i < made[k].size(); ++i) write(to, made[k].type, i, made[k][i]);
        }
    }
    tx::buffer<reference::values> results_of(node const& n, std::vector<reference::values const*> const& given, dims const& shape) const {
        tx::buffer<reference::values> out;
        if (tx::has_regions(n)) {
            graph_view const branch = g_.region(g_.attributes_of(n)[cell((*given[0])[0]).low != 0 ? 0 : 1]);
            std::vector<array_view> arguments;
            for (std::size_t k = 1; k < given.size(); ++k) arguments.push_back(reference::view_of(*given[k]));
            for (host_array const& a : tx::run_reference(branch, arguments)) out.push_back(reference::loaded(a.type, a.shape, a.bytes.data()));
        } else if (info(n.code).results > 1) {
            out = reference::decomposed<>(n.code, given, shape, g_.attributes_of(n));
        } else {
            out.push_back(reference::node_values(n, given, shape, g_.attributes_of(n)));
        }
        return out;
    }

    void copy_to(std::vector<host_array>& out, std::int32_t from, std::int32_t to) {
        host_array& array = out[static_cast<std::size_t>(to)];
        reference::values v(array.type, array.shape);
        for (std::int64_t i = 0; i < v.size(); ++i) v[i] = read(from, array.type, i);
        reference::store(v, array.bytes.data());
    }

    graph_view g_;
    plan_view p_;
    tx::table_view<array_view> arguments_;
    std::vector<memory> own_;
    std::map<std::int32_t, memory> outputs_;  // by number; an output may overwrite what it is computed from
    memory arena_;
};

inline std::vector<host_array> interpret(graph_view const& g, plan_view const& p, tx::table_view<array_view> arguments) {
    return plan_interpreter(g, p, arguments).run();
}

} // namespace tx::testing
