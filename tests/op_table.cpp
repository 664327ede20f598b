// Prints the op registry as Markdown. docs/ops.md is this program's output: op_table > docs/ops.md
#include <tracexpr/graph/op.hpp>

#include <cstdio>
#include <string>

namespace {

struct section {
    tx::kind kind;
    char const* title;
    char const* text;
};
constexpr section sections[]{
    {tx::kind::leaf, "Leaves",
     "What a graph starts from. Users don't call these: arguments, constants and captured tensors become them."},
    {tx::kind::pointwise, "Element by element",
     "Operands broadcast. Neighbours of this kind share one loop.\n\n"
     "Integers wrap; divided by 0 they give 0. Their `power` with a negative exponent is the exact one, cut to a whole number: 1 or -1\n"
     "for a base of 1 or -1, else 0, also for a base of 0. (NumPy throws there.)"},
    {tx::kind::view, "Views",
     "The same elements under other indices. They cost nothing where they can be folded into the loads of what reads them."},
    {tx::kind::structure, "Structure", "Elements of several operands side by side."},
    {tx::kind::reduction, "Reductions",
     "Over any axes, with or without keeping them. Of no elements the sum is 0 and the product 1, `max` and `min` are an error: the\n"
     "compiler's where types show it, else `tx::shape_error`. Of bool they are `any` and `all`, and give false and true."},
    {tx::kind::arg_reduction, "Places", "Where a reduction's element stands. An axis of extent 0 is an error."},
    {tx::kind::scan, "Scans", "Running reductions along an axis."},
    {tx::kind::order, "Order",
     "Elements in ascending or descending order along an axis, or in order around one of them, and their places; the places of those that\n"
     "have some ranks. NaN counts as the greatest."},
    {tx::kind::lookup, "Lookups", "Elements at indices that are tensors themselves."},
    {tx::kind::contraction, "Contractions",
     "Products summed over a shared axis. dot, tensordot, einsum and their like are made of it."},
    {tx::kind::decomposition, "Matrices",
     "Taken apart, and equations solved with them; batches in the last two axes. `lu` has three results (the factors, the rows' places, the\n"
     "swaps' signs), `eigh` two (the vectors, the values), `qr` two (Q, R), `svd` three (U, the values, V transposed); `solve` is given the\n"
     "first two of `lu` besides the matrix. det, slogdet, inv, pinv, lstsq and norms of matrices are made of them."},
    {tx::kind::routine, "Routines",
     "What the header of a family brings a kernel for. `fft` is told its way (to coefficients or back, of complex or of real numbers) and\n"
     "its axis; `convolution` is one of the three products of signals, filters and results, of which each is a derivative of the others;\n"
     "`eig` has two results, the vectors and the values."},
    {tx::kind::update, "Updates",
     "A tensor with something added to a part of it, put in its place, or kept where it is greater or less: what views and lookups read.\n"
     "Derivatives of those are made of them."},
    {tx::kind::random, "Random numbers",
     "What a key tells: bits of Philox 4x32-10, and the order that Fisher and Yates's method makes with them. A second operand has the\n"
     "shape, where that is open. Distributions are made of them."},
    {tx::kind::control, "Control flow",
     "Nodes that own graphs. `cond` has two branches, of which a predicate, the first operand, takes one. `while_loop` and `scan` go "
     "round with a state, the first operands; a scan goes along sequences, the next. `with_range` gives its graph the numbers below "
     "its first operand. What else a graph needs of those around it are further operands."},
    {tx::kind::effect, "Effects",
     "What is done when the graph runs. The last operand is a token, the result another: effects have the order of their tokens."},
    {tx::kind::callback, "Callables of the user's",
     "Called when the graph runs. The first operand is the callable's address, the last a token; the results are what it gives, between a\n"
     "number and a token."},
    {tx::kind::projection, "Results", "The results of a node that are not its first."},
    {tx::kind::marker, "Markers",
     "Values of their first operand, by which derivatives know what they are taken for. A simplified graph has none."},
};

char const* words(tx::domain d) {
    switch (d) {
    case tx::domain::any: return "all";
    case tx::domain::numeric: return "all but bool";
    case tx::domain::real: return "all but complex";
    case tx::domain::ordered: return "integer, floating";
    case tx::domain::inexact: return "floating, complex";
    case tx::domain::floating: return "floating";
    case tx::domain::wide: return "float32, float64, duals of them";
    case tx::domain::machine: return "float32, float64";
    case tx::domain::field: return "float32, float64, complex";
    case tx::domain::integral: return "integer, bool";
    case tx::domain::integer: return "integer";
    case tx::domain::boolean: return "bool";
    case tx::domain::complex: return "complex";
    case tx::domain::string: return "string";
    }
    return "";
}
char const* words(tx::result_rule r) {
    switch (r) {
    case tx::result_rule::same: return "the same";
    case tx::result_rule::boolean: return "bool";
    case tx::result_rule::real_part: return "the same, real for complex";
    case tx::result_rule::index: return "int64";
    case tx::result_rule::declared: return "set when recorded";
    }
    return "";
}

} // namespace

int main() {
    std::printf("# Ops\n\n"
                "Every node of a graph is one of these %zu ops. This page is generated from the registry, "
                "`tracexpr/graph/op.hpp`. Functions that are\n"
                "not listed (`mean`, `softmax`, `einsum`, `roll`, ...) record several of them; [the "
                "guide](guide.md#what-there-is) lists all functions.\n\n"
                "*Dtypes* are those of the operands once they have met in one (see [the guide](guide.md#dtypes)): integers that "
                "a floating op is given have\n"
                "become float64 by then. Dual numbers are floating. *Result* is the dtype of the result. *Swaps* marks ops whose operands may be exchanged: "
                "`a + b` and `b + a` are one\n"
                "node. *ONNX* is the operator of the same meaning there; none means several are needed.\n",
                tx::op_count);
    for (section const& s : sections) {
        std::printf(
            "\n## %s\n\n%s\n\n| op | operands | dtypes | result | swaps | ONNX |\n| --- | --- | --- | --- | --- | --- |\n",
            s.title, s.text);
        for (tx::op_info const& row : tx::op_table) {
            if (row.kind != s.kind) continue;
            std::string const operands = row.arity < 0 ? "any" : std::to_string(row.arity);
            std::printf("| `%s` | %s | %s | %s | %s | %s |\n", std::string(row.name).c_str(), operands.c_str(), words(row.domain),
                        words(row.result), row.commutes ? "yes" : "", std::string(row.onnx).c_str());
        }
    }
}
