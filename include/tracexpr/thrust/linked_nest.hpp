// This file turns a plan's row nest into work that keeps rows in registers. It decides which nests can be run so, and with how
// many threads and how many elements for each.
#pragma once

#include <tracexpr/passes/extents.hpp>
#include <tracexpr/passes/row_links.hpp>
#include <tracexpr/thrust/planned_points.hpp>
#include <tracexpr/thrust/register_rows.hpp>
#include <tracexpr/thrust/teams.hpp>

#include <array>

namespace tx::detail::inline TRACEXPR_DEVICE {

// The threads of a team, and the greatest number of units (of `lanes` adjacent elements) that each has.
struct row_team {
    int threads = 0, units = 0;
    constexpr bool holds(std::int64_t count) const { return count <= std::int64_t{threads} * units; }
};

template <class Form, std::size_t Step> class linked_nest {
    static constexpr plan_step form = Form::plan().steps[Step];
    static constexpr std::size_t first_loop = form.loops.first, loop_count = form.loops.count;
    using numbers = std::make_index_sequence<loop_count>;
    static constexpr std::size_t line_count = [] {
        std::size_t count = 0;
        for (std::size_t l = first_loop; l < first_loop + loop_count; ++l) count += Form::plan().loops[l].lines.count;
        return count;
    }();
    struct found {
        bool fits = false;
        std::int64_t elements = 0, bytes = 1; // the bytes that a thread holds for each element
        std::array<row_link, line_count> links{};
        std::array<held_values, line_count> held{};
        std::size_t held_count = 0;
    };
    static constexpr found known = [] {
        row_linking const linking(Form::plan(), form);
        found out{linking.fits(), linking.elements()};
        if (!out.fits) return out;
        for (std::size_t k = 0; k < line_count; ++k) out.links[k] = linking.links()[k];
        std::int64_t widest = 1;
        for (held_values const& h : linking.held()) {
            out.held[out.held_count++] = h;
            if (!h.is_single) widest = std::max(widest, row_linking::register_bytes(h.type));
        }
        out.bytes = std::max(widest, linking.bytes_between_loops() / 2);
        return out;
    }();
    // Does a row have the same number of elements in each run? Extents that the compiler doesn't know are assumed to be much
    // larger; each run checks this.
    static constexpr bool has_known_rows = Form::is_static || known.elements <= assumed_extent(Form::graph()) / 2;
    template <std::size_t L> static constexpr bool is_row = Form::plan().loops[first_loop + L].inner.rank == 1;

    // Gives how many adjacent elements a thread reads at once: 16 bytes of them; where extents are known, a number that divides
    // them.
    template <std::size_t... L> static constexpr int find_lanes(std::index_sequence<L...>) {
        int lanes = 16;
        ((lanes =
              is_row<L> ? std::min(lanes, simd::detail::point_lanes<simd::detail::loop_kernel<Form, first_loop + L>>) : lanes),
         ...);
        if (has_known_rows)
            while (lanes > 1 && !divides(lanes)) lanes /= 2;
        return lanes;
    }
    static constexpr bool divides(std::int64_t lanes) {
        bool whole = known.elements % lanes == 0;
        for (std::size_t l = first_loop; l < first_loop + loop_count; ++l)
            for (std::uint32_t k = 0; k < Form::plan().loops[l].accesses.count; ++k) {
                plan_access const& a = Form::plan().accesses[Form::plan().loops[l].accesses.first + k];
                if (a.buffer < 0 || a.mode != access_mode::contiguous || Form::plan().loops[l].inner.rank == 0) continue;
                whole = whole && a.offset % lanes == 0;
                for (int axis = 0; axis < form.outer.rank; ++axis) whole = whole && a.outer[axis] % lanes == 0;
            }
        return whole;
    }
    static constexpr int vector_lanes = known.fits ? find_lanes(numbers{}) : 1;

    // The number of elements that a thread may have with its registers.
    static constexpr int most_elements = static_cast<int>(std::max<std::int64_t>(256 / known.bytes, 1));
    static constexpr int most_units(int lanes) { return std::max(most_elements / lanes, 1); }
    static constexpr std::int64_t short_row = 8; // at most so many units are better left to a single thread
    // The teams for rows of unknown length, those for shorter rows first. With more registers for each thread fewer threads run
    // at once, and short rows need more threads.
    static constexpr std::array<row_team, 3> vector_teams{row_team{warp_threads, std::max(most_units(vector_lanes) / 4, 1)},
                                                          {warp_threads, most_units(vector_lanes)},
                                                          {block_threads, std::max(most_units(vector_lanes) / 2, 1)}};
    static constexpr std::array<row_team, 2> scalar_teams{row_team{warp_threads, std::max(most_units(1) / 2, 1)},
                                                          {block_threads, std::max(most_units(1) / 2, 1)}};
    // Gives the team for a row of known length, with as many units as it needs.
    static constexpr row_team team_of(std::int64_t units, int lanes) {
        for (row_team const t : {row_team{warp_threads, most_units(lanes)}, {block_threads, std::max(most_units(lanes) / 2, 1)}})
            if (t.holds(units)) return {t.threads, static_cast<int>((units + t.threads - 1) / t.threads)};
        return {};
    }
    static constexpr std::int64_t known_units = known.elements / vector_lanes;
    static constexpr row_team known_team = has_known_rows && known_units > short_row ? team_of(known_units, vector_lanes)
                                                                                     : row_team{};

public:
    // May a run use this? `always` says that no run needs another way.
    static constexpr bool fits = known.fits && (!Form::is_static || form.outer.size() <= simd::most_narrow_points) &&
                                 (!has_known_rows || known_team.threads > 0);
    static constexpr bool always = fits && Form::is_static;

    // Launches the work in the queue, or returns false where these rows need another way.
    template <class Queue> static bool run(Queue& queue, plan_view const& p, std::byte* const* buffers) {
        if (form_outer(p).size() > simd::most_narrow_points) return false;
        if (!Form::is_static && !links_as({known.links.data(), known.links.size()}, Form::plan(), p, Step)) return false;
        if constexpr (has_known_rows) {
            if (row_elements(p) != known.elements) return false;
            if (run_as<vector_lanes, known_team>(queue, p, buffers)) return true;
            if constexpr (vector_lanes > 1)
                return run_as<1, row_team{known_team.threads, known_team.units * vector_lanes}>(queue, p, buffers);
            return false;
        } else {
            std::int64_t const elements = row_elements(p);
            bool const is_whole = elements % vector_lanes == 0; // whether the row consists of whole units
            if (elements <= short_row * (is_whole ? vector_lanes : 1)) return false;
            if (is_whole && run_one_of<vector_lanes, vector_teams, 0>(queue, p, buffers, elements / vector_lanes)) return true;
            if constexpr (vector_lanes > 1) return run_one_of<1, scalar_teams, 0>(queue, p, buffers, elements);
            return false;
        }
    }

private:
    static std::int64_t row_elements(plan_view const& p) {
        std::int64_t elements = 0;
        for (std::size_t l = first_loop; l < first_loop + loop_count; ++l)
            if (p.loops[l].inner.rank == 1) elements = p.loops[l].inner.extent[0];
        return elements;
    }
    template <int Lanes, auto const& Teams, std::size_t K, class Queue>
    static bool run_one_of(Queue& queue, plan_view const& p, std::byte* const* buffers, std::int64_t units) {
        if constexpr (K < Teams.size()) {
            if (Teams[K].holds(units)) return run_as<Lanes, Teams[K]>(queue, p, buffers);
            return run_one_of<Lanes, Teams, K + 1>(queue, p, buffers, units);
        }
        return false;
    }

    template <std::size_t L, int Lanes> using loop_type =
        simd::point_loop<simd::detail::loop_kernel<Form, first_loop + L>, planned_axes<Form, first_loop + L, Step>, Lanes>;
    static constexpr std::size_t first_line(std::size_t loop) {
        std::size_t count = 0;
        for (std::size_t l = 0; l < loop; ++l) count += Form::plan().loops[first_loop + l].lines.count;
        return count;
    }
    template <std::size_t L, int Lanes, class Lines> struct linked;
    template <std::size_t L, int Lanes, std::size_t... K> struct linked<L, Lanes, std::index_sequence<K...>> {
        using type =
            simd::linked_loop<loop_type<L, Lanes>, is_row<L>,
                              simd::link_word(known.links[first_line(L) + K].held, known.links[first_line(L) + K].in_memory)...>;
    };
    template <std::size_t L, int Lanes> using linked_type =
        typename linked<L, Lanes, std::make_index_sequence<Form::plan().loops[first_loop + L].lines.count>>::type;
    template <class> struct list_of_held;
    template <std::size_t... H> struct list_of_held<std::index_sequence<H...>> {
        using type = simd::held_list<simd::held_word(known.held[H].type, known.held[H].is_single)...>;
    };
    using held_type = typename list_of_held<std::make_index_sequence<known.held_count>>::type;

    template <int Lanes, row_team Team, class Queue>
    static bool run_as(Queue& queue, plan_view const& p, std::byte* const* buffers) {
        return [&]<std::size_t... L>(std::index_sequence<L...>) {
            constexpr bool full = has_known_rows && known.elements == std::int64_t{Team.threads} * Team.units * Lanes;
            using share = simd::row_share<Team.threads, Team.units, Lanes, full>;
            using work = simd::register_rows<share, form.outer.rank, held_type, linked_type<L, Lanes>...>;
            simd::linked_loops<linked_type<L, Lanes>...> const loops =
                chained(linked_type<L, Lanes>{point_loop_maker<loop_type<L, Lanes>>(p, p.loops[first_loop + L], buffers)
                                                  .split(form_outer(p), no_row_buffers{})}...);
            if (Lanes > 1 && !is_vectorized(loops)) return false;
            run_tasks(queue, work{loops, static_cast<std::int32_t>(row_elements(p))}, form_outer(p).size(), {Team.threads, 0});
            return true;
        }(numbers{});
    }
    static walk const& form_outer(plan_view const& p) { return p.steps[Step].outer; }
    static simd::linked_loops<> chained() { return {}; }
    template <class Linked, class... Rest>
    static simd::linked_loops<Linked, Rest...> chained(Linked const& first, Rest const&... rest) {
        return {first, chained(rest...)};
    }
    static bool is_vectorized(simd::linked_loops<> const&) { return true; }
    template <class Linked, class... Rest> static bool is_vectorized(simd::linked_loops<Linked, Rest...> const& loops) {
        return (!Linked::is_row || loops.first.loop.vectorized) && is_vectorized(loops.rest);
    }
};

} // namespace tx::detail::inline TRACEXPR_DEVICE
