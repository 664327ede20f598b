// Loops whose numbers turn out otherwise than the compiler took them for: an access that walks otherwise, or rows of a few
// elements. What an access meets in a block of elements is packed, unless it lies in one piece anyway, and the kernel runs on the
// block as on a row whose accesses are all contiguous. Columns are summed up in blocks of a few rows; many short rows that are
// reduced are columns as well, of those that follow each other. Here is what kernels differ in; form_walk.hpp has the rest.
#pragma once

#include <tracexpr/backends/loops/form_walk.hpp>
#include <tracexpr/backends/loops/loop_kernel.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// The same line where accesses are packed. What counts is written out as well; only tables are read where they are.
constexpr kernel_line packed_line(kernel_line line) {
    if (line.role == role::index) line.role = role::load;
    if (line.role == role::load || line.role == role::store || line.role == role::place) line.mode = access_mode::contiguous;
    if (line.role == role::lookup) line.mode = access_mode::strided;
    return line;
}
constexpr std::uint64_t packed_word(std::uint64_t word) {
    kernel_line const l = packed_line(decode(word));
    return encode({l.role, l.code, l.type, l.a, l.b, l.c}, l.mode);
}
template <class Kernel> struct packed_kernel;
template <std::uint64_t... Words> struct packed_kernel<kernel<Words...>> {
    using type = kernel<packed_word(Words)...>;
};

// Elements of a block: so many that scratch memory stays in the first cache, or in the second where accesses are many.
constexpr std::int64_t block_elements(int accesses) {
    return accesses <= 3 ? 1024 : accesses <= 8 ? 512 : accesses <= 32 ? 256 : 128;
}

template <class T>
void count_block(std::byte* to, std::int64_t from, moves::block_strides by, std::int64_t rows, std::int64_t columns) {
    T* out = reinterpret_cast<T*>(to);
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) *out++ = cast_element<T>(from + r * by.row + c * by.column);
}

template <class Kernel, int I> constexpr decltype(form_access::count) counting_of() {
    if constexpr (Kernel::lines[I].role == role::index) return count_block<ctype<Kernel::lines[I].type>>;
    else return nullptr;
}

template <class Planned, bool Overwrites, class Arch> class any_form {
    using kernel_type = typename packed_kernel<Planned>::type;
    using target = vector_target<kernel_type, Arch>;
    using used = lanes_used;
    static constexpr int A = access_count<kernel_type>, lanes = target::lanes;
    static constexpr std::int64_t block = std::max(block_elements(A), std::int64_t{form_strip_vectors} * lanes);
    static constexpr std::size_t scratch_bytes = static_cast<std::size_t>(block) * most_access_bytes<kernel_type>;

    struct sums {
        accumulators<kernel_type, target> rows[form_most_vectors];
        cascades<kernel_type, target> all[form_strip_vectors];
    };

    static void in_memory(form_call const& call) {
        cursor at[A + 1];
        std::int64_t row_bytes[A + 1]{};
        form_packed packed[A + 1];
        plan_access turned[A + 1];
        sums own;
        alignas(64) std::byte scratch[A + 1][scratch_bytes];
        walk_form(call, {at, row_bytes, packed, turned, &own, scratch[0]});
    }
    static void run(void* to, cursor const* given, std::int64_t const* row_bytes, literal_bits const* literals, std::int64_t rows,
                    std::int64_t n, int next) {
        cursor at[A + 1]; // a copy that no store can change, so that it stays in registers
        std::copy_n(given, A, at);
        auto const fixed = run_invariants<kernel_type, target>(at, literals);
        for (; rows > 0; --rows) {
            std::int64_t i = 0;
            auto* acc = static_cast<sums*>(to)->rows;
            for (; i + lanes <= n; i += lanes, acc += next)
                run_body<kernel_type, target, used::all_cached>(fixed, *acc, at, literals, i, lanes);
            if (i < n) run_body<kernel_type, target, used::first>(fixed, *acc, at, literals, i, n - i);
            for (int k = 0; k < A; ++k) at[k].at += row_bytes[k];
        }
    }

    static void reset(void* of, std::int64_t count) {
        for (std::int64_t k = 0; k < count; ++k) detail::reset<kernel_type, target>(static_cast<sums*>(of)->rows[k]);
    }
    static void clear(void* of, std::int64_t count) {
        for (std::int64_t k = 0; k < count; ++k) detail::clear<kernel_type, target>(static_cast<sums*>(of)->all[k]);
    }
    static void push(void* of, std::int64_t count) {
        sums& s = *static_cast<sums*>(of);
        for (std::int64_t k = 0; k < count; ++k) detail::push<kernel_type, target>(s.all[k], s.rows[k]);
    }
    static void store_total(void const* of, cursor const* results) {
        store_totals<kernel_type, target>(static_cast<sums const*>(of)->all[0], results);
    }
    static void store_columns(void const* of, form_columns const& c) {
        sums const& s = *static_cast<sums const*>(of);
        for_each_line<kernel_type, is_reduction>([&](auto line) {
            constexpr kernel_line l = kernel_type::lines[line.value];
            using T = ctype<l.type>;
            T totals[form_most_vectors * lanes];
            for (std::int64_t k = 0; k * lanes < c.abreast * c.n; ++k)
                if (c.low) store_value<T, lanes>(totals + k * lanes, detail::at<line.value>(s.rows[k]));
                else store_value<T, lanes>(totals + k * lanes, detail::at<line.value>(s.all[k]).lanes_total());
            std::int64_t const step = c.along >= 0 ? c.accesses[l.b].inner[c.along] : 0;
            T* const to = element_pointer<T>(c.results[l.b]) + c.first * step;
            if (c.abreast == 1 && step == 1) return static_cast<void>(std::copy_n(totals, c.n, to));
            for (std::int64_t i = 0; i < c.n; ++i) {
                for (std::int64_t k = 1; k < c.abreast; ++k)
                    totals[i] = combine<simd::target<1, kernel_type::widest, Arch>, l.code, T>(totals[i], totals[k * c.n + i]);
                to[i * step] = totals[i];
            }
        });
    }

    struct access_list {
        form_access of[A + 1];
    };
    static constexpr access_list accesses = []<int... I>(std::integer_sequence<int, I...>) {
        constexpr decltype(form_access::count) counting[]{counting_of<Planned, I>()...};
        access_list out{};
        for (int i = 0; i < Planned::size; ++i) {
            kernel_line const& l = Planned::lines[i];
            int const access = access_of(l);
            if (access < 0) continue;
            std::int64_t const bytes = access_bytes<kernel_type>[static_cast<std::size_t>(access)];
            out.of[access] = {l.role == role::place ? role::load : l.role, bytes, counting[i]};
        }
        return out;
    }(line_numbers<Planned>{});

public:
    static constexpr form_kernel kernel = [] {
        form_kernel k{A,
                      lanes,
                      block,
                      static_cast<std::int64_t>(scratch_bytes),
                      Planned::reduces,
                      Overwrites,
                      Planned::facts.looks_up,
                      accesses.of,
                      in_memory,
                      run};
        if constexpr (Planned::reduces)
            k.reset = reset, k.clear = clear, k.push = push, k.store_total = store_total, k.store_columns = store_columns;
        return k;
    }();
};

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::any_form, Form, Step, Arch> {
    static constexpr stretch loops = Form::plan().steps[Step].loops;

    static void run(plan_view const& p, std::byte* const* buffers) {
        if (loops.count > 1 && p.steps[Step].outer.size() == 0) return;
        [&]<std::size_t... L>(std::index_sequence<L...>) {
            constexpr form_kernel const* kernels[]{&kernel_of<loops.first + L>::kernel...};
            cursor here[(planned_loop<Form, loops.first + L>::known.accesses.count + ... + 0)];
            literal_bits literals[(planned_loop<Form, loops.first + L>::known.literals.count + ... + 1)];
            run_forms(p, Step, kernels, buffers, here, literals);
        }(std::make_index_sequence<loops.count>{});
    }

private:
    template <std::size_t Loop> using kernel_of =
        any_form<loop_kernel<Form, Loop>, planned_loop<Form, Loop>::known.rows.overwritten, Arch>;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
