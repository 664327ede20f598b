// This file has Fourier transforms along the middle axis of (outer, n, inner) numbers in row-major order, without factors:
// complex ones in either direction, from real numbers to the first n / 2 + 1 of their transform, and back. Plans are made once
// for each n and are immutable, and all threads share them.
#pragma once

#include <tracexpr/base/lasting.hpp>
#include <tracexpr/fft/bluestein.hpp>
#include <tracexpr/fft/lane_rows.hpp>
#include <tracexpr/fft/real.hpp>
#include <tracexpr/fft/short.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tx::detail::inline TRACEXPR_TARGET::fourier {

template <class T> class plan {
    static constexpr int W = native_width<T>;

public:
    // Makes a plan for n numbers, at least one. Plans for real numbers differ from those for complex numbers.
    plan(std::int64_t n, bool is_real)
        : n_(n), is_real_(is_real), pairs_(is_real && n % 2 == 0), length_(pairs_ ? n / 2 : n), one_(length_) {
        std::vector<int> const radices = radices_of(length_);
        bool const is_smooth = length_ == 1 || !radices.empty();
        constexpr std::int64_t most_bytes = std::int64_t(1) << 18;
        if (is_smooth && length_ * 2 * W * static_cast<std::int64_t>(sizeof(T)) <= most_bytes) many_.emplace(length_, radices);
        if (pairs_) factors_.emplace(n);
        is_short_ = is_short(length_) && pairs_ == is_real;
    }
    std::int64_t size() const { return n_; }
    bool is_real() const { return is_real_; }

    // Gives the number of parts into which the work is cut; threads may share them.
    std::int64_t parts(std::int64_t outer, std::int64_t inner) const {
        std::int64_t const width = runs_lanes(outer, inner) ? W : inner == 1 ? 1 : together;
        return (outer * inner + width - 1) / width;
    }
    void run(direction d, T const* in, T* out, std::int64_t outer, std::int64_t inner, std::int64_t part,
             std::int64_t end) const {
        if (part >= end) return;
        if (runs_lanes(outer, inner)) {
            run_lanes(d, in, out, part * W, std::min(end * W, outer * inner), inner);
        } else if (inner == 1) {
            for (; part < end; ++part) run_one(d, in + part * in_size(d), out + part * out_size(d));
        } else {
            for (; part < end; ++part)
                run_gathered(d, in, out, part * together, std::min((part + 1) * together, outer * inner), inner);
        }
        this_scratch().give_back();
    }
    void run(direction d, T const* in, T* out, std::int64_t outer, std::int64_t inner) const {
        run(d, in, out, outer, inner, 0, parts(outer, inner));
    }

private:
    static constexpr std::int64_t together = 8; // This many columns are gathered and written at a time.
    // Rows from these lengths on are as fast alone as in lanes; real numbers need one more step in lanes.
    static constexpr std::int64_t shortest_row = sizeof(T) == 8 ? 16 : 64, shortest_real_row = 128;

    bool runs_lanes(std::int64_t outer, std::int64_t inner) const {
        if (!many_ || outer * inner < W) return false;
        return inner > 1 || length_ < (is_real_ ? shortest_real_row : shortest_row) || !one_.runs_along_row();
    }
    // These give the number of Ts that a transform reads and writes.
    std::int64_t in_size(direction d) const {
        return d == direction::from_real ? n_ : d == direction::to_real ? 2 * (n_ / 2 + 1) : 2 * n_;
    }
    std::int64_t out_size(direction d) const {
        return d == direction::to_real ? n_ : d == direction::from_real ? 2 * (n_ / 2 + 1) : 2 * n_;
    }

    template <int L> void run_short_rows(direction d, T const* in, T* out) const {
        T const* const powers = factors_ ? factors_->powers() : nullptr;
        run_short<T, L>(static_cast<int>(length_), d, {in, out, in_size(d), out_size(d)}, powers);
    }
    // Transforms the numbers of one row.
    void run_one(direction d, T const* in, T* out) const {
        if (is_short_) return run_short_rows<1>(d, in, out);
        switch (d) {
        case direction::forward: return one_.run(in, out, T(1));
        case direction::backward: return one_.run(in, out, T(-1));
        case direction::from_real:
            if (!pairs_) return run_odd_real(in, out);
            one_.run(in, out, T(1));
            return factors_->split_row(out);
        case direction::to_real:
            if (!pairs_) return run_odd_back(in, out);
            T* const joined = this_scratch().take<T>(purpose::lanes_in, n_);
            factors_->join_row(in, joined);
            return one_.run(joined, out, T(-1));
        }
    }
    void run_odd_real(T const* in, T* out) const {
        T* const all = this_scratch().take<T>(purpose::lanes_in, 2 * n_);
        T* const results = this_scratch().take<T>(purpose::lanes_out, 2 * n_);
        for (std::int64_t k = 0; k < n_; ++k) all[2 * k] = in[k], all[2 * k + 1] = T(0);
        one_.run(all, results, T(1));
        std::copy(results, results + 2 * (n_ / 2 + 1), out);
        out[1] = T(0);
    }
    void run_odd_back(T const* in, T* out) const {
        T* const all = this_scratch().take<T>(purpose::lanes_in, 2 * n_);
        T* const results = this_scratch().take<T>(purpose::lanes_out, 2 * n_);
        all[0] = in[0], all[1] = T(0);
        for (std::int64_t k = 1; k <= n_ / 2; ++k) {
            all[2 * k] = all[2 * (n_ - k)] = in[2 * k];
            all[2 * k + 1] = in[2 * k + 1], all[2 * (n_ - k) + 1] = -in[2 * k + 1];
        }
        one_.run(all, results, T(-1));
        for (std::int64_t k = 0; k < n_; ++k) out[k] = results[2 * k];
    }

    // Transforms columns first to end - 1, W at a time in the lanes of vectors. The last W columns begin earlier if the number
    // isn't a multiple of W, and some are transformed again.
    void run_lanes(direction d, T const* in, T* out, std::int64_t first, std::int64_t end, std::int64_t inner) const {
        bool const real_in = d == direction::from_real, real_out = d == direction::to_real;
        std::int64_t const rows_in = in_size(d) / (real_in ? 1 : 2), rows_out = out_size(d) / (real_out ? 1 : 2);
        std::int64_t const room = (n_ / 2 + 1 > length_ ? n_ / 2 + 1 : length_) * 2 * W;
        lane_buffers const at{this_scratch().take<T>(purpose::pass_one, room), this_scratch().take<T>(purpose::pass_two, room),
                              this_scratch().take<T>(purpose::lanes_out, room)};
        for (; first < end; first += W) {
            if (first + W > end) first = end - W;
            columns<T, W> const from = columns_at<T, W>(first, rows_in, inner, real_in ? 1 : 2);
            columns<T, W> const to = columns_at<T, W>(first, rows_out, inner, real_out ? 1 : 2);
            if (is_short_ && inner == 1) run_short_rows<W>(d, in + from.offset[0], out + to.offset[0]);
            else if (real_in) run_lanes_from_real(in, from, out, to, at);
            else if (real_out) run_lanes_to_real(in, from, out, to, at);
            else run_lanes_complex(in, from, out, to, at, d == direction::backward ? T(-1) : T(1));
        }
    }
    struct lane_buffers {
        T *one, *two, *results;
    };
    void transform_lanes(lane_buffers const& at) const {
        many_->template run<W>(buffer_rows<T, W>{at.two}, buffer_rows<T, W>{at.results}, at.one, at.two);
    }
    void run_lanes_complex(T const* in, columns<T, W> const& from, T* out, columns<T, W> const& to, lane_buffers const& at,
                           T sign) const {
        if (from.are_neighbours && to.are_neighbours) {
            matrix_rows<T, W> const rows{in + from.offset[0], from.stride, sign};
            return many_->template run<W>(rows, matrix_results<T, W>{out + to.offset[0], to.stride, sign}, at.one, at.two);
        }
        read_complex<T, W>(in, from, n_, at.two, sign);
        transform_lanes(at);
        write_complex<T, W>(at.results, to, n_, out, sign);
    }
    void run_lanes_from_real(T const* in, columns<T, W> const& from, T* out, columns<T, W> const& to,
                             lane_buffers const& at) const {
        if (pairs_) read_pairs<T, W>(in, from, length_, at.two);
        else read_alone(in, from, at.two);
        transform_lanes(at);
        if (pairs_) factors_->template split_units<W>(at.results);
        else std::fill(at.results + W, at.results + 2 * W, T(0));
        write_complex<T, W>(at.results, to, n_ / 2 + 1, out, T(1));
    }
    void run_lanes_to_real(T const* in, columns<T, W> const& from, T* out, columns<T, W> const& to,
                           lane_buffers const& at) const {
        read_complex<T, W>(in, from, n_ / 2 + 1, at.two, T(1));
        if (pairs_) factors_->template join_units<W>(at.two);
        else complete(at.two);
        transform_lanes(at);
        if (pairs_) write_pairs<T, W>(at.results, to, length_, out, T(-1));
        else write_alone(at.results, to, out);
    }
    // For odd lengths, these read real numbers without imaginary parts and write real parts.
    void read_alone(T const* in, columns<T, W> const& from, T* to) const {
        for (std::int64_t k = 0; k < n_; ++k)
            for (int l = 0; l < W; ++l) {
                to[k * 2 * W + l] = in[from.offset[interleaving<T, W>::order(l)] + k * from.stride];
                to[k * 2 * W + W + l] = T(0);
            }
    }
    void write_alone(T const* from, columns<T, W> const& to, T* out) const {
        for (std::int64_t k = 0; k < n_; ++k)
            for (int l = 0; l < W; ++l) out[to.offset[interleaving<T, W>::order(l)] + k * to.stride] = from[k * 2 * W + l];
    }
    // Fills in the coefficients that follow from the given ones, and leaves all conjugated, because the transform runs forwards,
    // to a real result.
    void complete(T* units) const {
        for (int l = 0; l < W; ++l) units[W + l] = T(0);
        for (std::int64_t k = 1; k <= n_ / 2; ++k)
            for (int l = 0; l < W; ++l) {
                T const re = units[k * 2 * W + l], im = units[k * 2 * W + W + l];
                units[(n_ - k) * 2 * W + l] = re, units[(n_ - k) * 2 * W + W + l] = im;
                units[k * 2 * W + W + l] = -im;
            }
    }

    // Copies columns into rows, transforms these one by one, and copies the results back.
    void run_gathered(direction d, T const* in, T* out, std::int64_t first, std::int64_t end, std::int64_t inner) const {
        std::int64_t const parts_in = d == direction::from_real ? 1 : 2, parts_out = d == direction::to_real ? 1 : 2;
        std::int64_t const rows_in = in_size(d) / parts_in, rows_out = out_size(d) / parts_out, count = end - first;
        T* const gathered = this_scratch().take<T>(purpose::gathered, count * in_size(d));
        T* const results = this_scratch().take<T>(purpose::scattered, count * out_size(d));
        auto const offset = [&](std::int64_t c, std::int64_t rows) {
            return (first + c) / inner * rows * inner + (first + c) % inner;
        };
        for (std::int64_t k = 0; k < rows_in; ++k)
            for (std::int64_t c = 0; c < count; ++c)
                copy_number(in + (offset(c, rows_in) + k * inner) * parts_in, gathered + c * in_size(d) + k * parts_in, parts_in);
        for (std::int64_t c = 0; c < count; ++c) run_one(d, gathered + c * in_size(d), results + c * out_size(d));
        for (std::int64_t k = 0; k < rows_out; ++k)
            for (std::int64_t c = 0; c < count; ++c)
                copy_number(results + c * out_size(d) + k * parts_out, out + (offset(c, rows_out) + k * inner) * parts_out,
                            parts_out);
    }
    static void copy_number(T const* from, T* to, std::int64_t parts) {
        to[0] = from[0];
        if (parts == 2) to[1] = from[1];
    }

    std::int64_t n_;
    bool is_real_, pairs_, is_short_ = false;
    std::int64_t length_; // the length of the complex transforms
    single_transform<T> one_;
    std::optional<passes<T>> many_;
    std::optional<real_factors<T>> factors_;
};

// `plans` holds the plans that were asked for last.
template <class T> class plans {
public:
    std::shared_ptr<plan<T> const> find_or_make(std::int64_t n, bool is_real) {
        if (auto found = find(n, is_real)) return found;
        auto made = std::make_shared<plan<T> const>(n, is_real); // done without the lock, as it may take long
        hold const locked(*this);
        if (all_.size() == most) all_.erase(all_.begin());
        all_.push_back(made);
        return made;
    }

private:
    static constexpr std::size_t most = 32;
    struct hold {
        plans& of;
        explicit hold(plans& p) : of(p) {
            while (of.is_locked_.exchange(true, std::memory_order_acquire)) {}
        }
        ~hold() { of.is_locked_.store(false, std::memory_order_release); }
    };
    std::shared_ptr<plan<T> const> find(std::int64_t n, bool is_real) {
        hold const locked(*this);
        for (std::size_t k = all_.size(); k-- > 0;) {
            if (all_[k]->size() != n || all_[k]->is_real() != is_real) continue;
            std::rotate(all_.begin() + static_cast<std::ptrdiff_t>(k), all_.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                        all_.end());
            return all_.back();
        }
        return nullptr;
    }
    std::atomic<bool> is_locked_ = false;
    std::vector<std::shared_ptr<plan<T> const>> all_;
};

template <class T> std::shared_ptr<plan<T> const> plan_of(std::int64_t n, bool is_real) {
    return lasting<plans<T>, plans<T>>().find_or_make(n, is_real);
}

} // namespace tx::detail::inline TRACEXPR_TARGET::fourier
