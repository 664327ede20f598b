// Fourier transforms along the middle axis of (outer, n, inner) numbers, row-major, without factors: complex ones in either
// direction, real numbers to the first n / 2 + 1 of their transform, and back. Plans are made once for each n and are immutable;
// all threads share them.
#pragma once

#include <tracexpr/base/lasting.hpp>
#include <tracexpr/fft/bluestein.hpp>
#include <tracexpr/fft/lane_rows.hpp>
#include <tracexpr/fft/real.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tx::detail::inline TRACEXPR_TARGET::fourier {

enum class direction { forward, backward, from_real, to_real };

template <class T> class plan {
    static constexpr int W = native_width<T>;

public:
    // Of n numbers, at least one. Plans for real numbers are others than those for complex ones.
    plan(std::int64_t n, bool is_real)
        : n_(n), is_real_(is_real), pairs_(is_real && n % 2 == 0), length_(pairs_ ? n / 2 : n), one_(length_) {
        std::vector<int> const radices = radices_of(length_);
        bool const is_smooth = length_ == 1 || !radices.empty();
        constexpr std::int64_t most_bytes = std::int64_t(1) << 18;
        if (is_smooth && length_ * 2 * W * static_cast<std::int64_t>(sizeof(T)) <= most_bytes) many_.emplace(length_, radices);
        if (pairs_) factors_.emplace(n);
    }
    std::int64_t size() const { return n_; }
    bool is_real() const { return is_real_; }

    // The work is cut into so many parts, which threads may share.
    std::int64_t parts(std::int64_t outer, std::int64_t inner) const {
        std::int64_t const width = runs_lanes(outer, inner) ? W : inner == 1 ? 1 : together;
        return (outer * inner + width - 1) / width;
    }
    void run(direction d, T const* in, T* out, std::int64_t outer, std::int64_t inner, std::int64_t part,
             std::int64_t end) const {
        bool const by_lanes = runs_lanes(outer, inner);
        for (; part < end; ++part) {
            if (by_lanes) run_lanes(d, in, out, std::min(part * W, outer * inner - W), inner);
            else if (inner == 1) run_one(d, in + part * in_size(d), out + part * out_size(d));
            else run_gathered(d, in, out, part * together, std::min((part + 1) * together, outer * inner), inner);
        }
        this_scratch().give_back();
    }
    void run(direction d, T const* in, T* out, std::int64_t outer, std::int64_t inner) const {
        run(d, in, out, outer, inner, 0, parts(outer, inner));
    }

private:
    static constexpr std::int64_t together = 8;       // columns that are gathered and written at a time
    static constexpr std::int64_t shortest_row = 128; // whose transform is about as fast alone

    bool runs_lanes(std::int64_t outer, std::int64_t inner) const {
        return many_ && outer * inner >= W && (inner > 1 || length_ < shortest_row || !one_.uses_native_vectors());
    }
    // How many Ts a transform reads and writes.
    std::int64_t in_size(direction d) const {
        return d == direction::from_real ? n_ : d == direction::to_real ? 2 * (n_ / 2 + 1) : 2 * n_;
    }
    std::int64_t out_size(direction d) const {
        return d == direction::to_real ? n_ : d == direction::from_real ? 2 * (n_ / 2 + 1) : 2 * n_;
    }

    // One transform of numbers in a row.
    void run_one(direction d, T const* in, T* out) const {
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

    // W transforms in the lanes of vectors.
    void run_lanes(direction d, T const* in, T* out, std::int64_t first, std::int64_t inner) const {
        bool const real_in = d == direction::from_real, real_out = d == direction::to_real;
        std::int64_t const rows_in = in_size(d) / (real_in ? 1 : 2), rows_out = out_size(d) / (real_out ? 1 : 2);
        columns<T, W> const from = columns_at<T, W>(first, rows_in, inner, real_in ? 1 : 2);
        columns<T, W> const to = columns_at<T, W>(first, rows_out, inner, real_out ? 1 : 2);
        std::int64_t const room = (n_ / 2 + 1 > length_ ? n_ / 2 + 1 : length_) * 2 * W;
        T* const one = this_scratch().take<T>(purpose::pass_one, room);
        T* const two = this_scratch().take<T>(purpose::pass_two, room);
        T const sign = d == direction::backward ? T(-1) : T(1);
        if (!is_real_ && from.are_neighbours && to.are_neighbours) {
            matrix_rows<T, W> const rows{in + from.offset[0], from.stride, sign};
            return many_->template run<W>(rows, matrix_results<T, W>{out + to.offset[0], to.stride, sign}, one, two);
        }
        T* const results = this_scratch().take<T>(purpose::lanes_out, room);
        buffer_rows<T, W> const read{two}, written{results};
        if (!is_real_) {
            read_complex<T, W>(in, from, n_, two, sign);
            many_->template run<W>(read, written, one, two);
            write_complex<T, W>(results, to, n_, out, sign);
        } else if (real_in) {
            if (pairs_) read_pairs<T, W>(in, from, length_, two);
            else read_alone(in, from, two);
            many_->template run<W>(read, written, one, two);
            if (pairs_) factors_->template split_units<W>(results);
            else std::fill(results + W, results + 2 * W, T(0));
            write_complex<T, W>(results, to, rows_out, out, T(1));
        } else {
            read_complex<T, W>(in, from, rows_in, two, T(1));
            if (pairs_) factors_->template join_units<W>(two);
            else complete(two);
            many_->template run<W>(read, written, one, two);
            if (pairs_) write_pairs<T, W>(results, to, length_, out, T(-1));
            else write_alone(results, to, out);
        }
    }
    // Odd lengths: real numbers without imaginary parts, and the numbers that are conjugates of others.
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
    // Leaves conjugates, as the transform runs forwards, to a real result.
    void complete(T* units) const {
        for (int l = 0; l < W; ++l) units[W + l] = T(0);
        for (std::int64_t k = 1; k <= n_ / 2; ++k)
            for (int l = 0; l < W; ++l) {
                T const re = units[k * 2 * W + l], im = units[k * 2 * W + W + l];
                units[(n_ - k) * 2 * W + l] = re, units[(n_ - k) * 2 * W + W + l] = im;
                units[k * 2 * W + W + l] = -im;
            }
    }

    // Columns that are copied into rows, transformed one by one, and copied back.
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
    bool is_real_, pairs_;
    std::int64_t length_; // of the complex transforms
    single_transform<T> one_;
    std::optional<passes<T>> many_;
    std::optional<real_factors<T>> factors_;
};

// The last plans that were asked for.
template <class T> class plans {
public:
    std::shared_ptr<plan<T> const> find_or_make(std::int64_t n, bool is_real) {
        if (auto found = find(n, is_real)) return found;
        auto made = std::make_shared<plan<T> const>(n, is_real); // without the lock: it may take long
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
