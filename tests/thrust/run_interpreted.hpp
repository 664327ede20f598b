// This file runs graphs that are known only at run time on a device of Thrust's.
#pragma once

#include <doctest/doctest.h>

#include <thrust/device_memory.hpp>
#include <tracexpr/thrust/program_run.hpp>

namespace tx::testing {

inline constexpr std::uint32_t all_dtypes =
    detail::interpreted_dtypes<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, half, bfloat16, float, double, std::complex<float>, std::complex<double>>();

template <std::uint32_t Types> std::vector<host_array> run_interpreted(detail::device_program const& p, std::vector<array_view> const& arguments) {
    device_results results;
    for (std::size_t r = 0; r < value_outputs(p.graph.view()); ++r) results.add(p.output_type(r), p.output_extents(r));
    detail::run_device_program<Types>(device(), p, {on_device(arguments).data.data(), results.addresses()});
    return results.fetch();
}
template <std::uint32_t Types>
std::vector<host_array> run_interpreted(graph_view const& g, std::vector<array_view> const& arguments, pass_options const& options = {},
                                        detail::piece_rules const& rules = detail::host_pieces) {
    std::vector<dims> shapes;
    for (array_view const& a : arguments) shapes.push_back(a.shape);
    return run_interpreted<Types>(*detail::make_device_program<>(device(), g, shapes, options, rules), arguments);
}

} // namespace tx::testing
