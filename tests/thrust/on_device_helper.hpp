// This file holds what the tests of tx::on_device share: tensors that a device can have, and callables that record where their
// operands are.
#pragma once

#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using wide = tx::tensor<float, tx::shape<200>>; // on the heap
using wide_spec = tx::spec<float, tx::shape<200>>;
using scalar = tx::tensor<float, tx::shape<>>;
using scalar_spec = tx::spec<float, tx::shape<>>;
using names = std::vector<std::string>;
constexpr tx::thrust_points points{};
std::string const name_there = tx::device_of(tx::to(points, tx::ones<float, tx::shape<200>>()));

names seen;  // where callables found their operands
template <class A> void note(A const& x) { seen.push_back(tx::device_of(x)); }

// Gives 1, 2, 3, ...
inline wide ramp() {
    wide out;
    for (int i = 0; i < 200; ++i) out.mutable_data()[i] = static_cast<float>(i + 1);
    return out;
}
// Runs a function on its argument's device.
template <class F> auto on_its_device(auto const& x, F const& f) {
    auto const placed = tx::on(points, f);
    tx::function const here{f};
    return tx::device_of(x) == "cpu" ? here(x) : placed(x);
}

inline wide values() { return ramp() * 0.01f; }
constexpr auto twice = [](auto const& x) {
    note(x);
    return on_its_device(x, [](auto const& a) { return a + a; });
};

// The elements of a tensor on another device.
struct distant_elements : tx::detail::remote_elements {
    static std::string name(remote_elements const&) { return "far away"; }
    static void const* copy(remote_elements&) {
        static constexpr float values[200]{10, 20, 30};
        return values;
    }
    distant_elements() { address = nullptr, read = copy, device = name; }
};
inline wide distant() {
    void* const place = tx::detail::allocate_block(sizeof(distant_elements));
    return tx::detail::tensor_access::from_remote<wide>(::new (place) distant_elements, tx::dims{{200}, 1});
}
template <class Error, class F> std::string message(F const& f) {
    try {
        f();
    } catch (Error const& e) {
        return e.what();
    }
    return "";
}

// Calls check(callable) with f as the compiler traces it and as a run does, on this device.
template <class Device, class F, class Check> void in_traces_on(Device const& device, F const& f, Check check) {
    auto const known = tx::on(device, f);
    static_assert(decltype(known)::is_static);
    int const kept = 1;
    auto const traced = tx::on(device, [f, kept](auto const&... a) {
        static_cast<void>(kept);
        return f(a...);
    });
    check(known), check(traced);
}

} // namespace
