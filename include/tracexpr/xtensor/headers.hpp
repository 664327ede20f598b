// This file includes the headers of xtensor, under the names that they have had since 0.26, and before. It leaves out xtensor's
// printing, which Clang 19 does not compile in 0.24 unless it is given -fno-relaxed-template-template-args.
#pragma once

#if __has_include(<xtensor/containers/xtensor.hpp>)
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/containers/xarray.hpp>
#include <xtensor/containers/xfixed.hpp>
#include <xtensor/containers/xtensor.hpp>
#include <xtensor/core/xnoalias.hpp>
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xstorage.hpp>

// Clang 19 finds two partial specialisations of rebind_container that fit a small vector, one for its template and one for any
// template with a type and a number, because it takes default template arguments into account (P0522). xtensor rebinds shapes to
// strides and back; these can go when 0.24 and 0.25 are not supported any more.
#if defined(__clang__)
namespace xt {
template <> struct rebind_container<std::ptrdiff_t, svector<std::size_t>> {
    using type = svector<std::ptrdiff_t>;
};
template <> struct rebind_container<std::size_t, svector<std::ptrdiff_t>> {
    using type = svector<std::size_t>;
};
} // namespace xt
#endif

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>
#endif
