// This file has one Fourier transform of n complex numbers in a row. With n = n1 n2 the numbers are a matrix (n1, n2): its
// columns are transformed, a vector of columns at a time, then multiplied by twiddle factors, and then its rows are transformed
// (Van Loan, 3.3; Bailey's four steps). Short transforms run number by number.
#pragma once

#include <tracexpr/fft/row.hpp>
#include <tracexpr/fft/scratch.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace tx::detail::inline TRACEXPR_TARGET::fourier {

// Gives an estimate of how long the passes of n numbers take.
inline double cost_of(std::vector<int> const& radices) {
    double cost = 0.3;
    for (int const r : radices) cost += r == 8 ? 1.6 : r <= 4 ? 1 + 0.1 * r : r == 5 ? 1.7 : 0.4 * r;
    return cost;
}

// `split` is how n is split for vectors of W numbers; n1 is 0 if it can't be split.
struct split {
    std::int64_t n1 = 0, n2 = 0;
    double cost = 0;
};
inline split best_split(std::int64_t n, std::int64_t width, std::int64_t most_rows) {
    split best;
    auto const consider = [&](std::int64_t n1, std::int64_t n2) {
        if (n1 < width || n2 < width) return;
        double const column_waste = static_cast<double>((n2 + width - 1) / width * width) / static_cast<double>(n2);
        double const row_waste = static_cast<double>((n1 + width - 1) / width * width) / static_cast<double>(n1);
        double cost = column_waste * cost_of(radices_of(n1)) + row_waste * (cost_of(radices_of(n2)) + 1);
        if (n1 > most_rows || n2 > most_rows) cost *= 2;
        if (best.n1 == 0 || cost < best.cost) best = {n1, n2, cost};
    };
    for (std::int64_t k = 1; k * k <= n; ++k)
        if (n % k == 0) consider(k, n / k), consider(n / k, k);
    return best;
}

// split_transform is the transform by vectors of W numbers.
template <class T, int W> class split_transform {
public:
    explicit split_transform(split const& cut)
        : n1_(cut.n1), n2_(cut.n2), columns_(n1_, radices_of(n1_)), rows_(n2_, radices_of(n2_)) {
        std::int64_t const n = n1_ * n2_;
        roots_of_unity<T> const root(n);
        has_numbers_ = n > (std::int64_t(1) << 14);
        for (std::int64_t b = 0; b < (has_numbers_ ? 1 : blocks()); ++b)
            for (std::int64_t k = 0; k < n1_; ++k) {
                for (int i = 0; i < W; ++i) factors_.push_back(root(k * (start(b, n2_) + order(i))).real());
                for (int i = 0; i < W; ++i) factors_.push_back(root(k * (start(b, n2_) + order(i))).imag());
            }
        if (!has_numbers_) return;
        for (std::int64_t b = 0; b < blocks(); ++b)
            for (std::int64_t k = 0; k < n1_; ++k) {
                std::complex<T> const w = root(k * start(b, n2_));
                numbers_.push_back(w.real()), numbers_.push_back(w.imag());
            }
    }
    // Transforms forwards, or with sign -1 backwards: then it reads and writes conjugates.
    void run(T const* in, T* out, T sign) const {
        scratch& memory = this_scratch();
        std::int64_t const most = (n1_ > n2_ ? n1_ : n2_) * 2 * W, pitch = row_pitch();
        T* const one = memory.take<T>(purpose::pass_one, most);
        T* const two = memory.take<T>(purpose::pass_two, most);
        T* const turned = memory.take<T>(purpose::halves, n1_ * pitch);
        for (std::int64_t b = 0; b < blocks(); ++b) {
            matrix_rows<T, W> const from{in + 2 * start(b, n2_), 2 * n2_, sign};
            T* const to = turned + b * 2 * W;
            if (has_numbers_) {
                T const* const numbers = numbers_.data() + b * 2 * n1_;
                columns_.template run<W>(from, twice_turned_results<T, W>{to, pitch, factors_.data(), numbers}, one, two);
            } else {
                columns_.template run<W>(from, turned_results<T, W>{to, pitch, factors_.data() + b * 2 * W * n1_}, one, two);
            }
        }
        for (std::int64_t k = 0; k < n1_; k += W) {
            std::int64_t const first = k + W > n1_ ? n1_ - W : k;
            read_rows(turned + first * pitch, two);
            rows_.template run<W>(buffer_rows<T, W>{two}, matrix_results<T, W>{out + 2 * first, 2 * n1_, sign}, one, two);
        }
    }

private:
    static constexpr int order(int i) { return interleaving<T, W>::order(i); }
    // Gives the start of a block. If n isn't a multiple of W, the last block begins earlier and computes some again.
    static std::int64_t start(std::int64_t block, std::int64_t n) { return block * W + W > n ? n - W : block * W; }
    std::int64_t blocks() const { return (n2_ + W - 1) / W; }
    // Gives the distance of rows. A multiple of large powers of two would put all rows into the same sets of the cache, so it is
    // avoided.
    std::int64_t row_pitch() const {
        std::int64_t const plain = blocks() * 2 * W;
        return plain * static_cast<std::int64_t>(sizeof(T)) % 1024 == 0 ? plain + 2 * W : plain;
    }
    // Reads W rows, each of which becomes a lane.
    TRACEXPR_NOINLINE void read_rows(T const* from, T* to) const {
        std::int64_t const pitch = row_pitch();
        for (std::int64_t b = 0; b < blocks(); ++b) {
            vec<T, W> re[W], im[W];
            unrolled<W>([&](auto l) TRACEXPR_INLINE_LAMBDA {
                T const* const row = from + order(l) * pitch + b * 2 * W;
                load_vector(re[l], row), load_vector(im[l], row + W);
            });
            transpose<T, W>(re), transpose<T, W>(im);
            T* const rows = to + start(b, n2_) * 2 * W;
            unrolled<W>([&](auto l) TRACEXPR_INLINE_LAMBDA { store_unit(rows + order(l) * 2 * W, unit<T, W>{re[l], im[l]}); });
        }
    }

    std::int64_t n1_, n2_;
    passes<T> columns_, rows_;
    bool has_numbers_ = false;
    std::vector<T> factors_, numbers_;
};

template <class T> class chirp_transform;

// single_transform is the transform of n numbers for any n.
template <class T> class single_transform {
public:
    explicit single_transform(std::int64_t n);
    void run(T const* in, T* out, T sign) const;
    std::int64_t size() const { return n_; }
    bool runs_along_row() const { return row_ || native_ || half_row_; }

private:
    std::int64_t n_;
    static constexpr int W = native_width<T>, half = W > 4 ? W / 2 : W, narrow = narrow_width<T>;
    static constexpr std::int64_t longest_row = 65536; // Longer rows don't stay in the cache.

    // Makes a transform along the row, if there is one for vectors of this width.
    template <int L> bool make_row(std::unique_ptr<row_transform<T, L> const>& made) const {
        if (n_ > longest_row || row_transform<T, L>::first_radix(n_) == 0) return false;
        made = std::make_unique<row_transform<T, L>>(n_);
        return true;
    }
    template <int L> bool make_split(std::unique_ptr<split_transform<T, L> const>& made) const {
        constexpr std::int64_t most_rows = (std::int64_t(1) << 18) / (2 * W * static_cast<std::int64_t>(sizeof(T)));
        split const cut = best_split(n_, L, most_rows);
        if (cut.n1 > 0) made = std::make_unique<split_transform<T, L>>(cut);
        return cut.n1 > 0;
    }

    // A transform is computed in one of these ways, and the pointers of all other ways are null.
    std::unique_ptr<row_transform<T, W> const> row_;
    std::unique_ptr<row_transform<T, half> const> half_row_;
    std::unique_ptr<row_transform<T, narrow> const> narrow_row_;
    std::unique_ptr<split_transform<T, W> const> native_;
    std::unique_ptr<split_transform<T, narrow> const> narrow_;
    std::unique_ptr<passes<T> const> numbers_;
    std::unique_ptr<chirp_transform<T> const> chirp_;
};

} // namespace tx::detail::inline TRACEXPR_TARGET::fourier
