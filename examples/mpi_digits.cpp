// expect-output: epoch 15: loss 0\.0[0-9]+ \(0x[0-9a-fp.-]+\).test accuracy: 9[5-9]\.[0-9] %
// Learns to read handwritten digits on many ranks: each reads its own images, and all take the mean gradient. The order of its
// sum does not depend on the number of ranks, so that 1, 2, 3, 4, 6 and 12 ranks print the same losses to the bit:
//     mpirun -n 4 ./mpi_digits
#include <tracexpr/files.hpp>
#include <tracexpr/mpi.hpp>
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

// A block of images is a twelfth of the file: 120 images to train with, 6 of them in each batch, and 29 or 30 to test with.
constexpr std::int64_t samples = 1797, blocks = 12, training_images = 120, batch_images = 6, pixels = 64, digits = 10,
                       hidden = 64;
constexpr int epochs = 15;

using images = tx::tensor<float, tx::shape<tx::dyn, pixels>>;
using labels = tx::tensor<std::int64_t, tx::shape<tx::dyn>>;

struct model {
    tx::tensor<float, tx::shape<pixels, hidden>> weights;
    tx::tensor<float, tx::shape<hidden>> bias;
    tx::tensor<float, tx::shape<hidden, digits>> out_weights;
    tx::tensor<float, tx::shape<digits>> out_bias;

    constexpr auto operator()(auto const& x) const {
        return tx::matmul(tx::relu(tx::matmul(x, weights) + bias), out_weights) + out_bias;
    }
};
constexpr auto cross_entropy = [](model const& m, auto const& x, auto const& y) {
    return -tx::mean(tx::sum(tx::one_hot<float>(y, tx::depth<digits>) * tx::log_softmax(m(x)), tx::axis<1>));
};
constexpr auto adam = tx::optim::adam({.learning_rate = 0.004});
tx::static_function update{[](model gradient, auto state, model now) { return adam.update(gradient, state, now); }};
tx::function correct{
    [](model const& m, auto const& x, auto const& y) { return tx::sum(tx::cast<double>(tx::argmax(m(x), tx::axis<1>) == y)); }};

// He et al., Delving Deep into Rectifiers, 2015
model initial(tx::random::key const& key) {
    auto const [first, second] = tx::random::split(key);
    return {tx::random::stateless_normal<float>(first, tx::shape<pixels, hidden>{}, 0, std::sqrt(2.0f / pixels)),
            tx::zeros<float, tx::shape<hidden>>(),
            tx::random::stateless_normal<float>(second, tx::shape<hidden, digits>{}, 0, std::sqrt(2.0f / hidden)),
            tx::zeros<float, tx::shape<digits>>()};
}

int main(int argc, char** argv) {
    tx::mpi::session session(argc, argv);
    auto const world = tx::mpi::world();
    if (blocks % world.size() != 0) {
        if (world.rank() == 0) std::puts("the number of ranks must divide 12");
        return 1;
    }
    std::string const folder = TRACEXPR_EXAMPLE_DATA;
    std::vector<images> train_x, test_x;
    std::vector<labels> train_y, test_y;
    std::int64_t const own_blocks = blocks / world.size(), first_block = world.rank() * own_blocks;
    for (std::int64_t block = first_block; block < first_block + own_blocks; ++block) {
        tx::part_of const part{block, blocks};
        auto const grey = tx::load_npy<std::uint8_t, tx::shape<tx::dyn, 8, 8>>(folder + "/digits_images.npy", part);
        images const x = tx::cast<float>(tx::reshape<-1, pixels>(grey)) / 16;
        labels const y =
            tx::cast<std::int64_t>(tx::load_npy<std::uint8_t, tx::shape<tx::dyn>>(folder + "/digits_labels.npy", part));
        constexpr auto front = tx::range<0, training_images>;
        constexpr auto behind = tx::range<training_images, tx::open>;
        train_x.push_back(tx::slice(x, front)), test_x.push_back(tx::slice(x, behind));
        train_y.push_back(tx::slice(y, front)), test_y.push_back(tx::slice(y, behind));
    }
    auto const x = tx::stack(tx::axis<0>, train_x); // (blocks of this rank, 120, 64)
    auto const y = tx::stack(tx::axis<0>, train_y);

    auto const step = tx::mpi::data_parallel(tx::value_and_grad(cross_entropy), world, {.deterministic = true, .blocks = blocks});
    model net = tx::mpi::broadcast(initial(tx::random::key(1)), 0, world);
    auto state = adam.init(net);
    for (int epoch = 1; epoch <= epochs; ++epoch) {
        auto const order = tx::random::stateless_permutation(tx::random::fold_in(tx::random::key(2), epoch), training_images);
        float sum = 0;
        for (std::int64_t k = 0; k < training_images; k += batch_images) {
            auto const places = tx::slice(order, tx::range(k, k + batch_images)); // in each block
            auto const [loss, gradient] = step(net, tx::reshape<-1, pixels>(tx::take(x, places, tx::axis<1>)),
                                               tx::reshape<-1>(tx::take(y, places, tx::axis<1>)));
            std::tie(net, state) = update(gradient, state, net);
            sum += loss.item();
        }
        float const mean = sum * batch_images / training_images;
        if (world.rank() == 0 && epoch % 3 == 0) std::printf("epoch %2d: loss %.6f (%a)\n", epoch, mean, mean);
    }

    images const unseen = tx::concat(tx::axis<0>, test_x);
    auto const found = tx::mpi::all_reduce(correct(net, unseen, tx::concat(tx::axis<0>, test_y)), tx::mpi::sum, world);
    if (world.rank() == 0) std::printf("test accuracy: %.1f %%\n", 100 * found.item() / (samples - blocks * training_images));
}
