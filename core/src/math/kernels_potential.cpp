#include "streamboost/math/clones.hpp"
#include "streamboost/math/kernels.hpp"
#include "streamboost/math/vec.hpp"

namespace streamboost {
namespace {

[[gnu::always_inline]] inline const Vec& at(const double* p) { return *reinterpret_cast<const Vec*>(p); }

struct Complex {
  Vec re, im;
  [[gnu::always_inline]] void multiply(const Complex& by) {
    const Vec real = re * by.re - im * by.im;
    im = re * by.im + im * by.re;
    re = real;
  }
};

}  // namespace

STREAMBOOST_CLONES double circle_sum(const CircleTables& tables, const CircleFactors& factors, const double* coefficient, int first,
                                     int last) {
  constexpr std::size_t most_blocks = 128;
  const std::size_t blocks = tables.nodes / vec_size;
  Vec sum[most_blocks];
  for (std::size_t b = 0; b < blocks; ++b) sum[b] = Vec{};
  for (int m = first; m <= last; ++m) {
    const std::size_t phase = static_cast<std::size_t>(m) * tables.nodes;
    for (std::size_t b = 0; b < blocks; ++b) {
      Complex product{at(tables.phase_re + phase + b * vec_size), at(tables.phase_im + phase + b * vec_size)};
      for (int g = 0; g < factors.n; ++g) {
        const int room = factors.room[g] + m;
        const std::size_t row = static_cast<std::size_t>(room < factors.cap ? room : factors.cap) * tables.nodes + b * vec_size;
        Complex base{at(tables.re + row), at(tables.im + row)};
        for (int power = factors.power[g];; base.multiply(base)) {
          if (power & 1) product.multiply(base);
          if ((power >>= 1) == 0) break;
        }
      }
      sum[b] += coefficient[m] * product.re;
    }
  }
  double total = 0;
  for (std::size_t b = 0; b < blocks; ++b)
    for (std::size_t i = 0; i < vec_size; ++i) total += sum[b][i];
  return total;
}

}  // namespace streamboost
