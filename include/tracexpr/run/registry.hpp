// What one function object has traced: which static signatures it has met, and its run-time traces. Shared by threads.
#pragma once

#include <tracexpr/run/graph_handle.hpp>
#include <tracexpr/run/runtime_trace.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tx::detail {

// Numbers the argument types with which functions of one type are called.
template <class Function> inline std::atomic<unsigned> signature_numbers = 0;
template <class Function, class... A> inline unsigned const signature_number = signature_numbers<Function>++;

class trace_registry {
public:
    constexpr trace_registry() = default;
    // A copy starts without traces: no two functions share any.
    constexpr trace_registry(trace_registry const&) {}
    constexpr trace_registry& operator=(trace_registry const&) { return *this; }

    // Counts a static signature the first time it is met; after that it costs one load.
    template <class Text> TRACEXPR_INLINE void note(unsigned number, Text text) {
        if (number < 64 && (seen_.load(std::memory_order_acquire) >> number & 1u)) return;
        note_new(number, text);
    }

    // The program for a key, traced at most once even by several threads. A trace that throws leaves no trace.
    template <class Make> std::shared_ptr<runtime_program const> find_or_trace(std::string const& key, Make make) {
        std::shared_ptr<slot> s;
        {
            std::lock_guard const lock(table().mutex);
            std::shared_ptr<slot>& known = table().programs[key];
            if (!known) known = std::make_shared<slot>();
            s = known;
        }
        std::lock_guard const lock(s->mutex);
        if (!s->program) {
            auto made = std::make_shared<runtime_program const>(make());
            std::lock_guard const table_lock(table().mutex);
            table().signatures.push_back(signature_text(made->traced.view()));
            s->program = std::move(made);
        }
        return s->program;
    }

    std::size_t size() const {
        if (!table_) return 0;
        std::lock_guard const lock(table().mutex);
        return table().signatures.size();
    }
    std::vector<std::string> signatures() const {
        if (!table_) return {};
        std::lock_guard const lock(table().mutex);
        return table().signatures;
    }
    void clear() {
        std::lock_guard const lock(table().mutex);
        table().signatures.clear();
        table().programs.clear();
        table().noted.clear();
        seen_ = 0;
    }

private:
    struct slot {
        std::mutex mutex;
        std::shared_ptr<runtime_program const> program;
    };
    struct tables {
        std::mutex mutex;
        std::vector<std::string> signatures;
        std::vector<unsigned> noted;
        std::map<std::string, std::shared_ptr<slot>> programs;
    };
    // Made on first use, so that a function can be constexpr.
    tables& table() const {
        tables* t = table_.load(std::memory_order_acquire);
        if (t) return *t;
        auto fresh = std::make_unique<tables>();
        if (table_.compare_exchange_strong(t, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
        return *t;
    }
    template <class Text> TRACEXPR_NOINLINE void note_new(unsigned number, Text text) {
        tables& t = table();
        std::lock_guard const lock(t.mutex);
        for (unsigned const known : t.noted)
            if (known == number) return;
        t.noted.push_back(number);
        t.signatures.push_back(text());
        if (number < 64) seen_.fetch_or(std::uint64_t{1} << number, std::memory_order_release);
    }

    std::atomic<std::uint64_t> seen_ = 0;
    mutable std::atomic<tables*> table_ = nullptr;

public:
    constexpr ~trace_registry() { if (!std::is_constant_evaluated()) delete table_.load(std::memory_order_acquire); }
};

// A run-time trace's key: the argument types, keys' values, and the extents that the types leave open.
template <class A> void append_signature(std::string& key, A const& a) {
    if constexpr (is_key<A>) {
        auto const hash = std::hash<decltype(a.value)>{}(a.value);
        key += "k" + std::to_string(hash) + ";";
        if constexpr (requires { std::to_string(a.value); }) key += std::to_string(a.value);
        else if constexpr (requires { key += a.value; }) key += a.value;
    } else {
        for_each_leaf(a, [&](auto const& part) {
            using access = leaf_access<std::remove_cvref_t<decltype(part)>>;
            if constexpr (std::is_same_v<typename access::shape_type, any_shape>) key += to_string(access::extents(part));
        });
    }
}
template <class... A> std::string runtime_signature(unsigned number, A const&... a) {
    std::string key = std::to_string(number) + ":";
    (append_signature(key, a), ...);
    return key;
}

template <class A> constexpr std::size_t leaves_of() {
    if constexpr (leaf<A>) return 1;
    else if constexpr (is_key<A> || std::is_empty_v<A> || !std::is_default_constructible_v<A>) return 0;
    else if constexpr (bound_aggregate<A> || is_tuple_like<A>) return count_leaves<A>();
    else return 0;
}

// An argument as the callable sees it when it runs eagerly.
template <class A> constexpr decltype(auto) plain_argument(A const& a) {
    if constexpr (is_key<A>) return (a.value);
    else if constexpr (is_tuple_like<A> && !std::is_same_v<traced_as<A>, A>)
        return map_parts(a, [](auto const& part) -> std::remove_cvref_t<decltype(plain_argument(part))> { return plain_argument(part); });
    else if constexpr (tensor_type<A> || element<A> || !leaf<A>) return (a);
    else {
        using access = leaf_access<A>;
        using made = tensor<typename access::value_type, typename access::shape_type>;
        made out = made::uninitialized(access::extents(a));
        std::memcpy(out.mutable_data(), access::data(a), static_cast<std::size_t>(out.size()) * sizeof(typename access::value_type));
        return out;
    }
}

} // namespace tx::detail
