#include "streamboost/math/potential_kernels.hpp"
#include "streamboost/math/levels.hpp"
#include "streamboost/math/vec.hpp"

namespace streamboost::STREAMBOOST_LEVEL {
namespace {

template <class Width>
struct Complex {
  typename Width::Values re, im;
  [[gnu::always_inline]] void multiply(const Complex& by) {
    const typename Width::Values real = re * by.re - im * by.im;
    im = re * by.im + im * by.re;
    re = real;
  }
};

}  // namespace

double circle_sum(const CircleTables& tables, const CircleFactors& factors, const double* coefficient, int first, int last) {
  using Width = RegisterLanes;
  using Values = Width::Values;
  constexpr std::size_t most_nodes = 1024;
  const std::size_t blocks = tables.nodes / Width::size;
  Values sum[most_nodes / Width::size];
  for (std::size_t b = 0; b < blocks; ++b) sum[b] = Values{};
  for (int m = first; m <= last; ++m) {
    const std::size_t phase = static_cast<std::size_t>(m) * tables.nodes;
    for (std::size_t b = 0; b < blocks; ++b) {
      Complex<Width> product{lanes_at<Width>(tables.phase_re + phase + b * Width::size),
                             lanes_at<Width>(tables.phase_im + phase + b * Width::size)};
      for (int g = 0; g < factors.n; ++g) {
        const int room = factors.room[g] + m;
        const std::size_t row = static_cast<std::size_t>(room < factors.cap ? room : factors.cap) * tables.nodes + b * Width::size;
        Complex<Width> base{lanes_at<Width>(tables.re + row), lanes_at<Width>(tables.im + row)};
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
    for (std::size_t i = 0; i < Width::size; ++i) total += sum[b][i];
  return total;
}

}  // namespace streamboost::STREAMBOOST_LEVEL
