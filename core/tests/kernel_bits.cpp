// Prints one digest per kernel. tests/unit/test_kernel_bits.py builds this program, with all of core/src/kernels_*.cpp,
// for each x86-64 level and with target_clones: the outputs must be identical.
//
// To add a kernel, add one line to main: its name and a call that reads `in` (n doubles in (-4, 4), all distinct) and
// writes or updates `out` (n doubles, filled with other such values).
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "streamboost/math.hpp"
#include "streamboost/rng.hpp"

namespace sb = streamboost;

namespace {

constexpr std::size_t n = 1003;  // odd: the last lanes of a loop take another path

using Values = std::array<double, n>;

Values values(std::uint64_t seed) {
  Values result;
  for (std::size_t i = 0; i < n; ++i) result[i] = 8.0 * sb::uniform({seed, i, 0, sb::Purpose::learner}) - 4.0;
  return result;
}

// FNV-1a over the bits. NaNs count as one value: which operand's payload survives is the compiler's choice.
std::uint64_t digest(const Values& numbers) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (double number : numbers) {
    std::uint64_t bits = number == number ? std::bit_cast<std::uint64_t>(number) : 0x7ff8000000000000u;
    for (int byte = 0; byte < 8; ++byte, bits >>= 8) hash = (hash ^ (bits & 0xff)) * 0x100000001b3u;
  }
  return hash;
}

template <class Call>
void kernel(const char* name, Call call) {
  const Values in = values(1);
  Values out = values(2);
  call(in.data(), out.data());
  std::printf("%-18s %016llx\n", name, static_cast<unsigned long long>(digest(out)));
}

// A scalar function over inputs of all scales: in[i]^9 reaches from 1e-20 to 2.6e5.
template <class Function>
void scalar(const char* name, Function function) {
  kernel(name, [&](const double* in, double* out) {
    for (std::size_t i = 0; i < n; ++i) {
      const double cube = in[i] * in[i] * in[i];
      out[i] = function(i % 2 != 0 ? in[i] : cube * cube * cube);
    }
  });
}

}  // namespace

int main() {
  kernel("exp_lanes", [](const double* in, double* out) { sb::exp_lanes(in, out, n); });
  kernel("log_lanes", [](const double* in, double* out) { sb::log_lanes(in, out, n); });
  kernel("tanh_lanes", [](const double* in, double* out) { sb::tanh_lanes(in, out, n); });
  kernel("sigmoid_lanes", [](const double* in, double* out) { sb::sigmoid_lanes(in, out, n); });
  kernel("uniform_lanes", [](const double*, double* out) { sb::uniform_lanes(7, 1u << 20, 5, sb::Purpose::fraction, out, n); });
  kernel("poisson_lanes 1", [](const double*, double* out) { sb::poisson_lanes(1.0, 7, 3, 5, out, n); });
  kernel("poisson_lanes 9.5", [](const double*, double* out) { sb::poisson_lanes(9.5, 7, 3, 5, out, n); });
  kernel("poisson_lanes 200", [](const double*, double* out) { sb::poisson_lanes(200.0, 7, 3, 5, out, n); });
  scalar("exp", [](double x) { return sb::exp(x); });
  scalar("log", [](double x) { return sb::log(x); });
  scalar("expm1", [](double x) { return sb::expm1(x); });
  scalar("log1p", [](double x) { return sb::log1p(x); });
  scalar("tanh", [](double x) { return sb::tanh(x); });
  scalar("sigmoid", [](double x) { return sb::sigmoid(x); });
  scalar("log1p_exp", [](double x) { return sb::log1p_exp(x); });
  scalar("sin", [](double x) { return sb::sin(x); });
  scalar("cos", [](double x) { return sb::cos(x); });
  scalar("erf", [](double x) { return sb::erf(x); });
  scalar("lgamma", [](double x) { return sb::lgamma(x); });
  scalar("normal_quantile", [](double x) { return sb::normal_quantile(sb::sigmoid(x)); });
  scalar("poisson", [](double x) { return sb::poisson(x * x, sb::Key{std::bit_cast<std::uint64_t>(x), 1, 2, sb::Purpose::poisson}); });
}
