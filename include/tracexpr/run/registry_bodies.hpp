// This file holds the bodies of run/registry.hpp.
#pragma once

#include <tracexpr/run/registry.hpp>
#include <tracexpr/run/tracing_turn.hpp>

#include <mutex>

namespace tx::detail {

template <class Unused> line_handler& retrace_warnings() {
    static line_handler handler(stderr);
    return handler;
}

// Do tensors of shape `given` fit a trace made for `traced`?
inline bool shape_fits(dims const& traced, dims const& given) {
    if (traced.rank < 0) return true;
    if (traced.rank != given.rank) return false;
    for (int axis = 0; axis < given.rank; ++axis)
        if (traced[axis] != dyn && traced[axis] != given[axis]) return false;
    return true;
}
inline bool shapes_fit(buffer<dims> const& traced, table_view<dims> given) {
    for (std::size_t k = 0; k < traced.size(); ++k)
        if (!shape_fits(traced[k], given[k])) return false;
    return true;
}
// Do tensors that the callable captured, or asked for their extents, have the shapes that they had when it was traced?
inline bool captures_fit(runtime_program const& program) {
    graph_view const g = program.traced.view();
    if (g.captures.size() == 0) return true;
    for (node const& n : g) {
        if (n.code != op::capture) continue;
        captured const& capture = g.captures[n.bits[0]];
        if (!shape_fits(g.shape_of(n), capture.shape(capture.address))) return false;
    }
    return true;
}
inline int open_extents(buffer<dims> const& shapes) {
    int count = 0;
    for (dims const& d : shapes) {
        if (d.rank < 0) count += max_rank + 1;
        for (int axis = 0; axis < d.rank; ++axis) count += d[axis] == dyn;
    }
    return count;
}
// Returns the shapes with the extents that differ left open; empty if ranks differ.
inline buffer<dims> relaxed(buffer<dims> shapes, table_view<dims> given) {
    for (std::size_t k = 0; k < shapes.size(); ++k) {
        if (shapes[k].rank < 0) continue;
        if (shapes[k].rank != given[k].rank) return {};
        for (int axis = 0; axis < given[k].rank; ++axis)
            if (shapes[k][axis] != given[k][axis]) shapes[k][axis] = dyn;
    }
    return shapes;
}

// traced_call is one run-time trace: what it is for, and, once it is made, its program, which doesn't change any more.
struct traced_call {
    unsigned number;
    key_values keys;
    buffer<dims> shapes;
    tracing_turn turn;
    std::shared_ptr<runtime_program const> program;
    std::atomic<bool> is_made = false;

    traced_call(unsigned of, key_values values, buffer<dims> of_shapes)
        : number{of}, keys(std::move(values)), shapes(std::move(of_shapes)) {}
    bool is_for(unsigned other, key_values const& values) const { return number == other && keys == values; }
    bool is_ready() const { return is_made.load(std::memory_order_acquire); }
};
// A list that is shared is never changed, so it is read without a lock: comparing keys may run users' code.
struct traced_calls {
    buffer<std::shared_ptr<traced_call>> all;

    // Returns the trace that knows most of the given shapes.
    traced_call const* best(unsigned number, key_values const& keys, table_view<dims> given) const {
        traced_call const* found = nullptr;
        int least = 0;
        for (auto const& t : all) {
            if (!t->is_ready() || !t->is_for(number, keys) || !shapes_fit(t->shapes, given) || !captures_fit(*t->program))
                continue;
            int const open = open_extents(t->shapes);
            if (!found || open < least) found = t.get(), least = open;
        }
        return found;
    }
    // Returns the shapes with all extents left open that have differed from call to call. (tf.function: reduce_retracing)
    buffer<dims> shared_shapes(unsigned number, key_values const& keys, buffer<dims> shapes) const {
        for (auto const& t : all) {
            if (!t->is_ready() || !t->is_for(number, keys)) continue;
            buffer<dims> wider = relaxed(shapes, t->shapes);
            if (wider.size() == shapes.size()) shapes = std::move(wider);
        }
        return shapes;
    }
    std::shared_ptr<traced_call> find(unsigned number, key_values const& keys, buffer<dims> const& shapes) const {
        for (auto const& t : all)
            if (t->shapes == shapes && t->is_for(number, keys) && (!t->is_ready() || captures_fit(*t->program))) return t;
        return nullptr;
    }
    bool contains(traced_call const& call) const {
        for (auto const& t : all)
            if (t.get() == &call) return true;
        return false;
    }
};

struct trace_registry::tables {
    mutable std::mutex mutex;
    buffer<signature_text> signatures;
    buffer<unsigned> noted;
    std::shared_ptr<traced_calls const> traced = std::make_shared<traced_calls>();
    std::atomic<std::size_t> calls = 0; // number of calls with run-time traces
    std::atomic<std::uint64_t> number = fresh_holder_number();
    std::size_t made = 0, last = 0; // number of run-time traces, and where the last one's signature is
    std::size_t recent[5]{};        // the numbers of the calls that made the last five
    bool warned = false;

    std::shared_ptr<traced_calls const> list() const {
        std::lock_guard const lock(mutex);
        return traced;
    }
    void clear() {
        std::shared_ptr<traced_calls const> none = std::make_shared<traced_calls>();
        std::lock_guard const lock(mutex);
        signatures.clear();
        made = 0;
        noted.clear();
        traced.swap(none);
        number.store(fresh_holder_number(), std::memory_order_release);
    }
    // Records a run-time trace, and returns the warning that is due, or an empty text. If it throws nothing has changed.
    [[gnu::cold]] TRACEXPR_NOINLINE text record(signature_text written, bool may_reduce) {
        signatures.make_room();
        std::size_t const now = calls.load(std::memory_order_relaxed) + 1;
        bool const is_due = !warned && made >= 4 && now - recent[1] < 10;
        text out = is_due ? warning(signatures[last], written, now - recent[1] + 1, may_reduce) : text{};
        warned = warned || is_due;
        for (int k = 0; k < 4; ++k) recent[k] = recent[k + 1];
        recent[4] = now;
        calls.store(now, std::memory_order_relaxed);
        ++made, last = signatures.size();
        signatures.push_back(std::move(written));
        return out;
    }
    static text warning(signature_text const& before, signature_text const& now, std::size_t of_calls, bool may_reduce) {
        text out;
        out += "tx: function: traced 5 times in ";
        out += static_cast<std::int64_t>(of_calls);
        out += " calls; a trace is costly at run time.";
        for (std::size_t k = 0; k < before.arguments() && k < now.arguments(); ++k) {
            if (before.argument(k) == now.argument(k)) continue;
            out += " Argument ";
            out += static_cast<std::int64_t>(k);
            out += " was ";
            out += before.argument(k);
            out += ", then ";
            out += now.argument(k);
            out += ".";
        }
        if (before.arguments() != now.arguments()) out += " The number of arguments differs.";
        out += may_reduce ? " Use tx::options{.reduce_retracing = true}, a" : " Use a";
        out += " tx::signature with tx::dyn or tx::any_shape, or a scalar argument instead of a tx::key.";
        return out;
    }
};

template <class Unused> trace_registry::tables& trace_registry::table() const {
    tables* t = table_.load(std::memory_order_acquire);
    if (t) return *t;
    auto fresh = std::make_unique<tables>();
    if (table_.compare_exchange_strong(t, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
    return *t;
}
template <class Unused>
std::shared_ptr<traced_call> trace_registry::slot(unsigned number, key_values const& keys, buffer<dims> const& shapes) {
    for (;;) {
        std::shared_ptr<traced_calls const> const before = table<Unused>().list();
        if (auto known = before->find(number, keys, shapes)) return known;
        auto const after = std::make_shared<traced_calls>(*before);
        after->all.push_back(std::make_shared<traced_call>(number, keys, shapes));
        std::lock_guard const lock(table<Unused>().mutex);
        if (table<Unused>().traced != before) continue;
        table<Unused>().traced = after;
        return after->all.back();
    }
}
template <class Unused>
std::shared_ptr<runtime_program const> trace_registry::store(traced_call& call,
                                                             std::shared_ptr<runtime_program const> const& made,
                                                             signature_text written, bool reduces_retracing) {
    text warning;
    {
        std::lock_guard const lock(table<Unused>().mutex);
        if (call.is_ready()) return call.program;
        if (!table<Unused>().traced->contains(call)) return made;
        warning = table<Unused>().record(std::move(written), !reduces_retracing);
        call.program = made;
        call.is_made.store(true, std::memory_order_release);
    }
    if (warning.size()) retrace_warnings<>()(warning.view());
    return made;
}
template <class Unused>
std::shared_ptr<runtime_program const> trace_registry::find_or_make(unsigned number, key_values const& keys,
                                                                    buffer<dims> const& shapes, bool reduces_retracing,
                                                                    trace_maker const& maker) {
    std::shared_ptr<traced_call> const call = slot<Unused>(number, keys, shapes);
    tracing_turn::holder const turn(call->turn);
    if (call->is_ready()) return call->program;
    auto const made = std::make_shared<runtime_program const>(maker.make(maker.call, shapes));
    return store<Unused>(*call, made, maker.describe(maker.call, made->traced.view()), reduces_retracing);
}
template <class Unused> std::shared_ptr<runtime_program const>
trace_registry::find_or_trace(unsigned number, key_values const& keys, buffer<buffer<dims>> const& known_shapes,
                              table_view<dims> given, bool reduce_retracing, trace_maker const& maker) {
    std::shared_ptr<traced_calls const> const traced = table<Unused>().list();
    if (traced_call const* const known = traced->best(number, keys, given)) {
        table<Unused>().calls.fetch_add(1, std::memory_order_relaxed);
        return known->program;
    }
    buffer<buffer<dims>> choices;
    if (reduce_retracing) choices.push_back(traced->shared_shapes(number, keys, known_shapes[0]));
    for (buffer<dims> const& shapes : known_shapes) choices.push_back(shapes);
    for (std::size_t k = 0; k + 1 < choices.size(); ++k) {
        try {
            return find_or_make<Unused>(number, keys, choices[k], reduce_retracing, maker);
        } catch (shape_error const&) {
        } catch (unknown_extent const&) {}
    }
    return find_or_make<Unused>(number, keys, choices.back(), reduce_retracing, maker);
}
template <class Unused> void trace_registry::adopt(unsigned number, key_values const& keys, buffer<dims> const& shapes,
                                                   std::shared_ptr<runtime_program const> const& program,
                                                   signature_text written) {
    store<Unused>(*slot<Unused>(number, keys, shapes), program, std::move(written), false);
}

template <class Unused> std::uint64_t trace_registry::number() const {
    return table<Unused>().number.load(std::memory_order_acquire);
}
template <class Unused> void trace_registry::count_call() const { table<Unused>().calls.fetch_add(1, std::memory_order_relaxed); }
template <class Unused> std::size_t trace_registry::size_now() const {
    tables const* const known = table_.load(std::memory_order_acquire);
    if (!known) return 0;
    std::lock_guard const lock(known->mutex);
    return known->signatures.size();
}
template <class Unused> std::vector<std::string> trace_registry::signatures_now() const {
    tables const* const known = table_.load(std::memory_order_acquire);
    if (!known) return {};
    std::lock_guard const lock(known->mutex);
    std::vector<std::string> out;
    for (signature_text const& s : known->signatures) out.push_back(s.line.str());
    return out;
}
template <class Unused> void trace_registry::clear_now() {
    if (tables* const known = table_.load(std::memory_order_acquire))
        known->clear(), settled_.store(0, std::memory_order_release);
}
template <class Unused> void trace_registry::destroy_now(tables* made) { delete made; }
template <class Unused>
void trace_registry::note_now(unsigned number, signature_text (*describe)(void const*), void const* call) {
    tables& t = table<Unused>();
    auto const note = [&](signature_text* written) {
        std::lock_guard const lock(t.mutex);
        bool known = false;
        for (unsigned const n : t.noted) known = known || n == number;
        if (!known && !written) return false;
        if (!known) {
            t.noted.make_room();
            t.signatures.push_back(std::move(*written));
            t.noted.push_back(number);
        }
        settled_.fetch_or(bit_of_signature(number), std::memory_order_release);
        return true;
    };
    if (note(nullptr)) return;
    signature_text written = describe(call); // while no lock is held
    note(&written);
}

} // namespace tx::detail
