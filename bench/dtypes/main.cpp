void measure_integers();
void measure_words();
void measure_floats();
void measure_casts_of_integers();
void measure_casts_of_words();
void measure_casts_of_floats();
#include <cstdio>

int main() {
    measure_integers(), measure_words(), measure_floats();
    std::puts("---");
    measure_casts_of_integers(), measure_casts_of_words(), measure_casts_of_floats();
}
