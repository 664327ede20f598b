// Prints docs/from_numpy.md.
#include <tracexpr/arrays.hpp>
#include <tracexpr/conv.hpp>
#include <tracexpr/fft.hpp>
#include <tracexpr/matrices.hpp>
#include <tracexpr/special.hpp>
#include <tracexpr/statistics.hpp>

#include "sheet.hpp"

using tx::shape;
using tx::tensor;
using namespace tx::testing;

int main() {
    tensor<float, shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
    tensor<float, shape<3>> const v{1, 2, 3};
    tensor<float, shape<2, 2>> const m{{2, 1}, {1, 3}};
    tensor<int, shape<2>> const i{2, 0};
    int const k = 1;

    page("From NumPy", "Expressions side by side: `x` is a 2 x 3 matrix, `v` a vector of 3, `m` a 2 x 2 matrix, `i` a vector of places, `k` an int. Each\n"
                       "expression on the right is compiled and gives what NumPy prints for the left one. Broadcasting, dtypes and printing are NumPy's; axes\n"
                       "are template arguments, so that the compiler knows every shape. [The guide](guide.md) has the whole story.\n"
         "`shape` and `tensor` are `tx::shape` and `tx::tensor`.");
    section("Arrays", "NumPy");
    SAME("x = np.array([[1, 2], [3, 4]], np.float32)", tensor<float, shape<2, 2>> a{{1, 2}, {3, 4}});
    ROW("np.zeros((2, 3), np.float32)", "[[0. 0. 0.]\n [0. 0. 0.]]", tx::zeros<float>(shape<2, 3>{}));
    ROW("np.full(3, 7, np.float32)", "[7. 7. 7.]", tx::full<float>(shape<3>{}, 7));
    ROW("np.eye(2, dtype=np.float32)", "[[1. 0.]\n [0. 1.]]", tx::eye<float>(shape<2, 2>{}));
    ROW("np.arange(3, dtype=np.float32)", "[0. 1. 2.]", tx::arange<float, 3>());
    ROW("np.linspace(0, 1, 3)", "[0.  0.5 1. ]", tx::linspace<double, 3>(0, 1));
    ROW("np.ones_like(v)", "[1. 1. 1.]", tx::ones_like(v));
    ROW("x.ndim", "2", x.rank());
    SAME("s = x.shape", auto const s = x.extents());
    ROW("s[0]", "2", s[0]);
    ROW("x.shape[1]", "3", x.extent(1));
    ROW("x.size", "6", x.size());
    ROW("x.astype(np.int32)", "[[1 2 3]\n [4 5 6]]", tx::cast<int>(x));
    ROW("x[1, 0]", "4", x(1, 0));
    SAME("x[1, 0] = 7", a(1, 0) = 7);

    section("Parts", "NumPy");
    ROW("x[1]", "[4. 5. 6.]", x[1]);
    ROW("x[:, 0]", "[1. 4.]", tx::slice(x, tx::range<>, tx::at<0>));
    ROW("x[:, 1:]", "[[2. 3.]\n [5. 6.]]", tx::slice(x, tx::range<>, tx::range<1, tx::open>));
    ROW("x[:, ::-1]", "[[3. 2. 1.]\n [6. 5. 4.]]", tx::slice(x, tx::range<>, tx::range<tx::open, tx::open, -1>));
    ROW("x[..., k]", "[2. 5.]", tx::slice(x, tx::ellipsis, k));
    ROW("v[i]", "[3. 1.]", tx::slice(v, i));
    ROW("v[v > 1]", "[2. 3.]", tx::compress(v > 1, v));
    ROW("np.take(v, i)", "[3. 1.]", tx::take(v, i));
    ROW("v[0] = 9 (of a copy)", "[9. 2. 3.]", tx::set(v, 9, tx::at<0>));
    ROW("np.add.at(v, i, 10) (of a copy)", "[11.  2. 13.]", tx::add_at(v, 10, i));
    ROW("np.where(v > 1, v, 0)", "[0. 2. 3.]", tx::where(v > 1, v, 0));

    section("Shapes", "NumPy");
    ROW("x.reshape(3, -1)", "[[1. 2.]\n [3. 4.]\n [5. 6.]]", tx::reshape<3, -1>(x));
    ROW("x.T", "[[1. 4.]\n [2. 5.]\n [3. 6.]]", tx::transpose(x));
    ROW("v[:, None]", "[[1.]\n [2.]\n [3.]]", tx::expand_dims<1>(v));
    ROW("np.broadcast_to(v, (2, 3))", "[[1. 2. 3.]\n [1. 2. 3.]]", tx::broadcast_to<2, 3>(v));
    ROW("np.flip(v)", "[3. 2. 1.]", tx::flip(v));
    ROW("np.roll(v, 1)", "[3. 1. 2.]", tx::roll<1>(v));
    ROW("np.tile(v, 2)", "[1. 2. 3. 1. 2. 3.]", tx::tile<2>(v));
    ROW("np.repeat(v, 2)", "[1. 1. 2. 2. 3. 3.]", tx::repeat<2>(v));
    ROW("np.concatenate([v, v])", "[1. 2. 3. 1. 2. 3.]", tx::concat(tx::axis<0>, v, v));
    ROW("np.concatenate([v, x], axis=None)", "[1. 2. 3. 1. 2. 3. 4. 5. 6.]", tx::concat(v, x));
    ROW("np.stack([v, v], axis=1)", "[[1. 1.]\n [2. 2.]\n [3. 3.]]", tx::stack(tx::axis<1>, v, v));
    ROW("np.pad(v, 1)", "[0. 1. 2. 3. 0.]", tx::pad(v, tx::widths<1>));

    section("Reductions and scans", "NumPy");
    ROW("x.sum()", "21.0", tx::sum(x));
    ROW("x.sum(axis=0)", "[5. 7. 9.]", tx::sum(x, tx::axis<0>));
    ROW("x.mean(axis=-1, keepdims=True)", "[[2.]\n [5.]]", tx::mean(x, tx::axis<-1>, tx::keepdims));
    ROW("x.max(axis=1)", "[3. 6.]", tx::max(x, tx::axis<1>));
    ROW("x.argmax(axis=1)", "[2 2]", tx::argmax(x, tx::axis<1>));
    ROW("v.var(ddof=1)", "1.0", tx::var(v, tx::ddof<1>));
    ROW("np.cumsum(v)", "[1. 3. 6.]", tx::cumsum(v));
    ROW("np.sort(v)[::-1]", "[3. 2. 1.]", tx::sort(v, tx::descending));
    ROW("np.sort(m, axis=0)", "[[1. 1.]\n [2. 3.]]", tx::sort(m, tx::axis<0>));
    ROW("np.argsort(m)", "[[1 0]\n [0 1]]", tx::argsort(m));
    ROW("np.sort(v)[::-1][:2]", "[3. 2.]", tx::topk<2>(v).first);
    ROW("np.median(x, axis=0)", "[2.5 3.5 4.5]", tx::median(x, tx::axis<0>));
    ROW("np.quantile(v, 0.25)", "1.5", tx::quantile(v, 0.25));
    ROW("np.bincount(i)", "[1 0 1]", tx::bincount(i));
    ROW("np.bincount(i, minlength=4)", "[1 0 1 0]", tx::bincount<4>(i));
    ROW("np.histogram(v, 2, (1, 3))[0]", "[1 2]", tx::histogram<2>(v, 1, 3).first);
    ROW("np.nonzero(v > 1)[0]", "[1 2]", tx::nonzero(v > 1)[0]);
    ROW("np.unique(m)", "[1. 2. 3.]", tx::unique(m));
    ROW("np.unique(m, return_counts=True)[1]", "[2 1 1]", tx::unique_counts(m).second);
    ROW("np.unique(m, return_inverse=True)[1]", "[[1 0]\n [0 2]]", tx::unique_inverse(m).second);
    ROW("np.unique(m, return_index=True)[1]", "[1 0 3]", std::get<1>(tx::unique_all(m)));
    ROW("np.diff(v)", "[1. 1.]", tx::diff(v));
    ROW("np.count_nonzero(v > 1)", "2", tx::count_nonzero(v > 1));

    section("With headers of their own", "NumPy");
    ROW("np.percentile(x, 50, axis=0)", "[2.5 3.5 4.5]", tx::percentile(x, 50, tx::axis<0>));
    ROW("np.average(x, axis=1, weights=v)", "[2.3333333 5.3333335]", tx::average(x, v, tx::axis<1>));
    ROW("np.gradient(v * v)", "[3. 4. 5.]", tx::gradient(v * v));
    ROW("np.digitize(v, [1, 3])", "[1 1 2]", tx::digitize(v, tensor<float, shape<2>>{1, 3}));
    ROW("np.polyval([1, 0, 2], v)", "[ 3.  6. 11.]", tx::polyval(tensor<float, shape<3>>{1, 0, 2}, v));
    ROW("np.hstack([v, v])", "[1. 2. 3. 1. 2. 3.]", tx::hstack(v, v));
    ROW("np.convolve(v, v)", "[ 1.  4. 10. 12.  9.]", tx::convolve(v, v));
    ROW("np.fft.rfft(v).real", "[ 6.  -1.5]", tx::real(tx::fft::rfft(v)));
    ROW("np.fft.fftfreq(4, 0.5)", "[ 0.   0.5 -1.  -0.5]", tx::fft::fftfreq<double>(4, 0.5));
    ROW("np.linalg.eigvals(m).size", "2", tx::linalg::eigvals(m).size());
    ROW("scipy.special.expit(v - v)", "[0.5 0.5 0.5]", tx::special::expit(v - v));
    text("`#include <tracexpr/statistics.hpp>`, `arrays.hpp`, `fft.hpp`, `conv.hpp`, `matrices.hpp`, `special.hpp`: [the guide](guide.md#what-there-is) lists them.");

    section("Elements and products", "NumPy");
    ROW("x * 2 + v", "[[ 3.  6.  9.]\n [ 9. 12. 15.]]", x * 2 + v);
    ROW("np.maximum(v, 2)", "[2. 2. 3.]", tx::maximum(v, 2));
    ROW("np.clip(v, 1, 2)", "[1. 2. 2.]", tx::clip(v, 1, 2));
    ROW("v ** 2", "[1. 4. 9.]", tx::pow(v, 2));
    ROW("v > 1", "[False  True  True]", v > 1);
    ROW("x @ v", "[14. 32.]", tx::matmul(x, v));
    ROW("np.outer(v, v)", "[[1. 2. 3.]\n [2. 4. 6.]\n [3. 6. 9.]]", tx::outer(v, v));
    ROW("np.einsum(\"ij,j->i\", x, v)", "[14. 32.]", tx::einsum<"ij,j->i">(x, v));
    ROW("np.trace(m)", "5.0", tx::trace(m));
    ROW("np.array_equal(v, v)", "True", tx::array_equal(v, v));

    text("Linear algebra is in `tx::linalg` under NumPy's names, files are `tx::save_npy` and `tx::load_npz` with `tracexpr/files.hpp`. What NumPy changes\n"
         "in place here gives a new tensor; in a function the old one's memory is taken where nobody needs it.");
    return wrong_rows == 0 ? 0 : 1;
}
