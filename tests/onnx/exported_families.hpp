// This file writes families of ops as ONNX models that are read again, and compares results with the reference executor's on the
// trace.
#pragma once

#include <onnx/test_folder.hpp>
#include <op_families.hpp>

#include <set>

namespace tx::testing {

inline host_array written_array(any_tensor const& t) {
    return std::visit(
        []<class T>(tensor<T> const& x) {
            auto const* const bytes = reinterpret_cast<std::byte const*>(x.data());
            return host_array{dtype_of<T>,
                              x.dimensions(),
                              {bytes, bytes + static_cast<std::size_t>(x.size()) * sizeof(typename tensor<T>::stored_type)}};
        },
        t);
}

class exported_families {
public:
    explicit exported_families(std::string called) : called_{std::move(called)} {}

    template <class... Family> void check(std::tuple<Family...>) { (check_family(Family{}), ...); }
    // Gives the messages about outputs that could not be written.
    std::set<std::string> const& missing() const { return missing_; }

private:
    template <class F, bool Special, int Epsilons, class... A> void check_family(family<F, Special, Epsilons, A...>) {
        auto const arguments = family_arguments<Special, A...>();
        check_outputs<Epsilons, F, A...>(arguments, std::tuple<A...>());
        // strings and structure roll all elements
        if constexpr (!std::is_same_v<F, ops::structure> && !std::is_same_v<F, ops::strings>)
            check_outputs<Epsilons, F, A...>(arguments, std::tuple<typename opened<A>::extents...>());
    }
    // Checks every output of a family by itself, so that one without a counterpart in ONNX doesn't hide the others.
    template <int Epsilons, class F, class... A, class... S>
    void check_outputs(std::vector<host_array> const& arguments, std::tuple<S...>) {
        std::vector<any_tensor> inputs;
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            (inputs.push_back(tensor_from<tensor<typename A::value_type>>(arguments[K])), ...);
        }(std::index_sequence_for<A...>{});
        auto const check_all = [&](onnx::detail::exported_graph const& all) {
            std::vector<host_array> const wanted = run_reference(all.graph, views_of(arguments));
            for (std::size_t k = 0; k < wanted.size(); ++k) {
                onnx::detail::exported_graph one = all;
                one.graph.outputs = all.graph.outputs.subspan(k, 1);
                std::string const bytes = bytes_of(one);
                if (bytes.empty()) continue;
                // For integers that overflow the other runtime has its own result.
                op const last = all.graph[all.graph.outputs[k]].code;
                bool const overflows = last == op::cast || (last == op::power && is_integer(wanted[k].type));
                if (!overflows) write_onnx_test(called_ + std::to_string(count_++), bytes, arguments, {wanted[k]});
                INFO("output ", k, " of ", to_text(all.graph));
                std::vector<any_tensor> const got = onnx::from_bytes(bytes).run(inputs);
                CHECK(strict_difference(std::vector{written_array(got[0])}, std::vector{wanted[k]}, Epsilons) == "");
            }
        };
        onnx::detail::with_exported(F{}, check_all, S{}...);
    }
    std::string bytes_of(onnx::detail::exported_graph const& one) {
        try {
            return onnx::detail::bytes_of_model(one, {});
        } catch (error const& e) {
            std::string const text = e.what(), before = "ONNX has no counterpart of ";
            auto const at = text.find(before);
            REQUIRE_MESSAGE(at != text.npos, text);
            missing_.insert(text.substr(at + before.size()));
            return "";
        }
    }

    std::string called_;
    std::set<std::string> missing_;
    int count_ = 0;
};

// Checks the families of one dtype: operators of ONNX take fewer dtypes than the library's.
template <class T> void check_exported_dtype(std::string const& name) {
    exported_families of(name);
    constexpr int exact = 0, some = sizeof(T) == 2 ? 4 : 64;
    of.check(std::tuple<family<ops::moves, false, exact, array<T, 3, 3>, array<T, 3, 3>>,
                        family<ops::totals, false, some, array<T, 3, 5>>, family<ops::extremes, false, exact, array<T, 3, 5>>,
                        family<ops::comparisons, false, exact, array<T, 2, 13>, array<T, 13>>>());
    if constexpr (std::is_integral_v<T>) of.check(std::tuple<family<ops::integers, true, exact, array<T, 29>, array<T, 29>>>());
    else
        of.check(std::tuple<family<ops::unary_floating_a, false, some, array<T, 13>>,
                            family<ops::unary_floating_b, false, some, array<T, 13>>,
                            family<ops::binary_floating, false, some, array<T, 13>, array<T, 13>>>());
}

} // namespace tx::testing
