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
     "Graphs start from these. Users do not call them: arguments, constants and captured tensors become leaves."},
    {tx::kind::pointwise, "Element by element",
     "Operands broadcast. Neighbours of this kind share one loop.\n\n"
     "Integers wrap, and divided by 0 they give 0. `power` of integers with a negative exponent gives the exact result,\n"
     "cut to a whole number: 1 or -1 for a base of 1 or -1, and 0 for all others, 0 included. (NumPy throws there.)"},
    {tx::kind::view, "Views",
     "The same elements under other indices. A view costs nothing if it becomes part of the loads of the loop that reads\n"
     "it."},
    {tx::kind::structure, "Structure", "These join elements of several operands."},
    {tx::kind::reduction, "Reductions",
     "They go over any axes, and keep them or not. Of no elements the sum is 0 and the product 1; `max` and `min` are an\n"
     "error, of the compiler if types show it, else `tx::shape_error`. Of bool `max` and `min` are `any` and `all`, and\n"
     "give false and true."},
    {tx::kind::arg_reduction, "Places", "They give the index of a reduction's element. An axis of extent 0 is an error."},
    {tx::kind::scan, "Scans", "These are running reductions along an axis."},
    {tx::kind::order, "Order",
     "They sort elements along an axis, give the indices that sort them, or find the elements of some ranks. NaN counts as\n"
     "the greatest."},
    {tx::kind::lookup, "Lookups", "They give elements at indices that are tensors themselves."},
    {tx::kind::contraction, "Contractions",
     "Products are summed over a shared axis. dot, tensordot, einsum and their like use it."},
    {tx::kind::decomposition, "Matrices",
     "Decompositions of matrices, and equations that are solved with them. Matrices lie in the last two axes, batches\n"
     "before them. `lu` has three results (the factors, the rows' places, the swaps' signs), `eigh` two (the vectors, the\n"
     "values), `qr` two (Q, R), `svd` three (U, the values, V transposed). `solve` takes the matrix and the first two\n"
     "results of `lu`. det, slogdet, inv, pinv, lstsq and norms of matrices use them."},
    {tx::kind::routine, "Routines",
     "Each has a kernel in the header of its family. `fft` has attributes for its direction (to coefficients or back, of\n"
     "complex or of real numbers) and its axis. `convolution` is one of three products of signals, filters and results;\n"
     "each is a derivative of the others. `eig` has two results, the vectors and the values."},
    {tx::kind::update, "Updates",
     "They change a part of a tensor, which a view or a lookup would read: something is added to it, replaces it, or\n"
     "replaces it where it is greater or less. Derivatives of views and lookups use them."},
    {tx::kind::random, "Random numbers",
     "They depend on a key only: bits of Philox 4x32-10, and permutations by Fisher and Yates's method. A second operand\n"
     "has the shape, if that has dynamic extents. Distributions use them."},
    {tx::kind::control, "Control flow",
     "These nodes own graphs. `cond` has two branches, and its first operand, the predicate, chooses one. `while_loop` and\n"
     "`scan` repeat with a state, the first operands; a scan goes along sequences, the next operands. `with_range` gives\n"
     "its graph the numbers below its first operand. Other values from outside that a graph uses are further operands."},
    {tx::kind::effect, "Effects",
     "Something happens when the graph runs. The last operand is a token, and the result is another token: effects have\n"
     "the order of their tokens."},
    {tx::kind::callback, "Callables of the user's",
     "They are called when the graph runs. The first operand is the callable's address, the last a token. The results are\n"
     "what the callable gives, between a number and a token."},
    {tx::kind::projection, "Results", "These are the results of a node after its first."},
    {tx::kind::marker, "Markers",
     "Each has the value of its first operand, and tells derivatives what they are with respect to. A simplified graph has\n"
     "none."},
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
    std::printf(
        "# Ops\n\n"
        "Every node of a graph is one of these %zu ops. This page is generated from their table, `tracexpr/graph/op.hpp`.\n"
        "Functions that are not listed (`mean`, `softmax`, `einsum`, `roll`, ...) record several of them; [the\n"
        "guide](guide.md#what-there-is) lists all functions.\n\n"
        "*Dtypes* are those of the operands after they were brought to one dtype (see [the guide](guide.md#dtypes)): an\n"
        "integer operand of a floating op is float64 then. Dual numbers count as floating. *Result* is the dtype of the\n"
        "result. *Swaps* marks ops whose operands may be exchanged: `a + b` and `b + a` are one node. *ONNX* is the ONNX\n"
        "operator of the same meaning; if there is no single one, the cell is empty.\n",
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
