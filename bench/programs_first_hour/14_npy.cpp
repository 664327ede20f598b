// NumPy's files, written and read: an array, an archive of several, a struct of parameters by its fields' names, and a table as
// CSV.
#include <tracexpr/files.hpp>
#include <tracexpr/tracexpr.hpp>

#include <filesystem>
#include <iostream>

struct layer {
    tx::tensor<float, tx::shape<2, 3>> weights;
    tx::tensor<float, tx::shape<3>> bias;
};
struct model {
    std::array<layer, 2> layers;
    std::int64_t steps = 0;
};

int main() {
    auto const folder = std::filesystem::temp_directory_path() / "first_hour";
    std::filesystem::create_directories(folder);

    tx::tensor<double, tx::shape<tx::dyn, 2>> const x = {{1, 2}, {3, 4}, {5, 6}};
    tx::save_npy(folder / "x.npy", x);
    auto const back = tx::load_npy<double, tx::shape<tx::dyn, 2>>(folder / "x.npy");
    std::cout << "x.npy: the same " << tx::equal(x, back) << ", sum " << tx::sum(back) << '\n';

    tx::save_npz(folder / "two.npz", {{"x", x}, {"squares", x * x}});
    auto const squares = tx::load_npz<double>(folder / "two.npz", "squares");
    std::cout << "squares: " << squares[2] << '\n';
    for (auto const& [name, array] : tx::load_npz(folder / "two.npz"))
        std::visit([&](auto const& t) { std::cout << name << " has " << t.size() << " elements\n"; }, array);

    model m;
    m.layers[1].bias = {1, 2, 3};
    m.steps = 7;
    tx::save(folder / "model.safetensors", m);
    auto const loaded = tx::load<model>(folder / "model.safetensors");
    std::cout << "model: bias " << loaded.layers[1].bias << ", steps " << loaded.steps << '\n';

    tx::save_csv(folder / "x.csv", x, {.header = "a,b"});
    std::cout << "csv: column b " << tx::load_csv<double>(folder / "x.csv", {.header = "a,b", .columns = {1}}) << '\n';

    try {
        static_cast<void>(tx::load_npy<float>(folder / "x.npy"));
    } catch (tx::type_error const& e) {
        std::cout << "another dtype is an error\n";
    }
    std::filesystem::remove_all(folder);
}
