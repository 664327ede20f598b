// This file runs interpreted loops on a device.
#pragma once

#include <tracexpr/thrust/interpreted_build.hpp>
#include <tracexpr/thrust/interpreted_loops.hpp>
#include <tracexpr/thrust/teams.hpp>

#include <algorithm>

namespace tx::detail::inline TRACEXPR_DEVICE {

// The rules for the number of pieces that sums are divided into, which make threads enough, and for how threads share them.
struct piece_rules {
    std::int64_t threads, least_terms; // terms of a piece
    bool alternate;                    // whether adjacent threads read adjacent elements, so that several threads share a row
};
inline constexpr piece_rules gpu_pieces{1 << 15, 64, true}, host_pieces{64, 1024, false};

template <std::uint32_t Types> class interpreted_run {
public:
    interpreted_run(device_queue& queue, interpreted_form const& form, std::byte* const* buffers, piece_rules const& rules)
        : queue_{queue}, loop_{form.loop}, buffers_{buffers}, columns_{form.columns}, rules_{rules} {}

    void run() {
        std::int64_t const results = loop_.points(0, loop_.result_axes);
        if (results == 0) return;
        if (loop_.sums > 0) return run_sums(results, loop_.points(loop_.result_axes, loop_.rank));
        std::int64_t const threads = threads_for((results + points_at_once - 1) / points_at_once);
        run_alone({}, results, 1, threads);
    }

private:
    static constexpr std::int64_t cell = cell_bytes(Types);

    // Gives the number of threads; it is limited for loops whose slots need device memory.
    std::int64_t threads_for(std::int64_t wanted) {
        constexpr std::int64_t most = on_gpu ? 1 << 15 : 256;
        if (loop_.slots <= own_slots) return wanted;
        wanted = std::min(wanted, most);
        spilled_ = device_block(queue_, wanted * loop_.slots * slot_bytes<Types>);
        return wanted;
    }
    std::int64_t pieces_of(std::int64_t results, std::int64_t terms) const {
        constexpr std::int64_t side_by_side = 32; // the number of threads that read adjacent elements of a row
        std::int64_t const fit = (terms + rules_.least_terms - 1) / rules_.least_terms;
        std::int64_t count = std::min(fit, rules_.threads / results);
        if (rules_.alternate && !columns_) count = std::max(count, std::min(side_by_side, terms / (4 * points_at_once)));
        return std::max<std::int64_t>({count, (terms + most_terms - 1) / most_terms, 1});
    }
    void run_alone(interpreted_pieces const& pieces, std::int64_t results, std::int64_t terms, std::int64_t threads) {
        run_tasks(queue_, interpret_loops<Types>{buffers_, nullptr, 0, loop_, spilled_.data(), pieces, results, terms, threads},
                  threads);
    }
    void run_sums(std::int64_t results, std::int64_t terms) {
        interpreted_pieces pieces{nullptr, pieces_of(results, terms), rules_.alternate && !columns_, columns_};
        std::int64_t const row_bytes = loop_.sums * results * cell; // of one piece of each result
        device_block cells, fewer;
        if (pieces.count > 1) cells = device_block(queue_, row_bytes * pieces.count), pieces.cells = cells.data();
        std::int64_t const threads = threads_for(results * pieces.count);
        run_alone(pieces, results, terms, threads);
        for (std::int64_t before = pieces.count; before > 1;) {
            constexpr std::int64_t at_once = 64;
            std::int64_t const after = (before + at_once - 1) / at_once;
            if (after > 1) fewer = device_block(queue_, row_bytes * after);
            std::byte* const to = after > 1 ? fewer.data() : nullptr;
            run_tasks(queue_, merge_interpreted<Types>{loop_, buffers_, cells.data(), to, results, before, after},
                      results * after);
            std::swap(cells, fewer);
            before = after;
        }
    }

    device_queue& queue_;
    interpreted_loop loop_;
    std::byte* const* buffers_;
    bool columns_;
    piece_rules rules_;
    device_block spilled_;
};

} // namespace tx::detail::inline TRACEXPR_DEVICE
