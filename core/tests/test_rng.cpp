// Known answers of Philox, the exact draw rules, lanes = scalar, and the distributions.
#include "streamboost/data/lanes.hpp"
#include "streamboost/math/rng.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "check.hpp"

namespace sb = streamboost;
using checking::check;
using checking::check_bits;
using checking::check_equal;
using checking::check_near;
using sb::Key;
using sb::Purpose;

namespace {

void known_answers() {
  // The three vectors that the authors of Philox publish with their library.
  using Words = sb::detail::Words<std::uint32_t>;
  const auto expect = [](Words c, std::uint32_t k0, std::uint32_t k1, Words want) {
    const auto got = sb::detail::philox(c, k0, k1);
    check(got.r0 == want.r0 && got.r1 == want.r1 && got.r2 == want.r2 && got.r3 == want.r3, "philox known answer");
    const auto wide = sb::detail::philox<std::uint64_t>({c.r0, c.r1, c.r2, c.r3}, k0, k1);
    check(static_cast<std::uint32_t>(wide.r0) == want.r0 && static_cast<std::uint32_t>(wide.r3) == want.r3, "philox in words of 64 bits");
  };
  const std::uint32_t ones = 0xffffffffu;
  expect({0, 0, 0, 0}, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  expect({ones, ones, ones, ones}, ones, ones, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  expect({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  // The layout of key and counter: the same words arrive through a Key.
  const Key key{0x299f31d0a4093822u, 0x85a308d3243f6a88u, 0x13198a2e, Purpose::hedge, 0x707344};
  const auto via_key = sb::detail::words(key);
  const auto direct = sb::detail::philox<std::uint32_t>({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x04707344}, 0xa4093822, 0x299f31d0);
  check(via_key.r0 == direct.r0 && via_key.r3 == direct.r3, "layout of key and counter");
  // The plain definition of the two uniforms.
  const sb::Pair pair = sb::uniform_pair({0, 0, 0, Purpose::start});
  check_bits(pair.first, static_cast<double>(0xe169c58d6627e8d5u >> 11) * 0x1p-53);
  check_bits(pair.second, static_cast<double>(0x9b00dbd8bc57ac4cu >> 11) * 0x1p-53);
  check_bits(sb::detail::unit(0xffffffffu, 0xffffffffu), 1.0 - 0x1p-53);
  check_bits(sb::detail::unit(0, 0), 0.0);
  for (std::uint32_t i = 0; i < 20000; ++i) {
    const auto w = sb::detail::words({7, i, i * 3, Purpose::tie});
    const auto bits = (static_cast<std::uint64_t>(w.r1) << 32 | w.r0) >> 11;
    check(sb::detail::unit(w.r1, w.r0) == static_cast<double>(bits) * 0x1p-53, "unit = bits * 2^-53");
    check(sb::normal({7, i, i * 3, Purpose::tie}) == sb::normal_quantile((static_cast<double>(bits) + 0.5) * 0x1p-53), "normal = quantile");
  }
}

void lanes_equal_scalar() {
  std::vector<double> out(1000);
  for (std::size_t n : {0, 1, 5, 16, 63, 64, 65, 100, 1000}) {
    for (std::uint32_t first : {0u, 3u, 0xfffffff0u}) {
      const std::uint64_t seed = 0x123456789abcdefu + n;
      const std::uint64_t example = 0xfffffffffu + first;
      sb::uniform_lanes(seed, example, first, Purpose::fraction, out.data(), n);
      for (std::size_t i = 0; i < n; ++i) {
        check(out[i] == sb::uniform({seed, example, first + static_cast<std::uint32_t>(i), Purpose::fraction}), "uniform_lanes = uniform");
      }
      for (double lambda : {-1.0, 0.0, 1e-12, 0.01, 1.0, 2.5, 9.99, 10.0, 55.0, sb::detail::not_a_number}) {
        sb::poisson_lanes(lambda, seed, example, first, out.data(), n);
        for (std::size_t i = 0; i < n; ++i) {
          const Key key{seed, example, first + static_cast<std::uint32_t>(i), Purpose::poisson};
          check(out[i] == sb::poisson(lambda, key), "poisson_lanes = poisson");
          check(out[i] == sb::poisson(lambda, sb::uniform(key), key), "poisson with the first uniform = poisson");
        }
      }
    }
  }
}

void rates_equal_scalar() {
  for (std::size_t n : {1, 8, 63, 64, 100, 130}) {
    sb::AlignedVector<double> rate(sb::padded(n)), draw(sb::padded(n));
    for (std::uint32_t example = 0; example < 300; ++example) {
      bool all_small = true;
      for (std::size_t i = 0; i < n; ++i) {
        const sb::Pair p = sb::uniform_pair({5, example, static_cast<std::uint32_t>(i), Purpose::start});
        rate[i] = p.first < 0.1 ? 0.0 : p.first < 0.15 ? -1.0 : p.first < 0.2 && example % 3 == 0 ? 12.0 : p.second * p.second * 10;
        all_small = all_small && rate[i] < 10;
      }
      const double most = example % 2 ? 7.0 : 1e9;
      sb::uniform_lanes(5, example, 0, Purpose::poisson, draw.data(), n);
      check(sb::poisson_rates(rate.data(), draw.data(), n, most) == all_small, "poisson_rates tells of large rates");
      for (std::size_t i = 0; i < n; ++i) {
        if (rate[i] >= 10) continue;
        const double k = sb::poisson(rate[i], {5, example, static_cast<std::uint32_t>(i), Purpose::poisson});
        check(std::min(draw[i], most) == std::min(k, most), "poisson_rates = poisson");
      }
    }
  }
}

// The rule as written, without the short cut.
double plain_inversion(double lambda, double u) {
  double p = sb::exp(-lambda), s = p;
  int k = 0;
  while (u >= s && k < 1000) {
    k += 1;
    p *= lambda / k;
    s += p;
  }
  return k;
}

void inversion_rule() {
  for (std::uint32_t i = 0; i < 200000; ++i) {
    const sb::Pair p = sb::uniform_pair({1, i, 0, Purpose::poisson});
    const double lambda = i % 2 ? p.second * 10 : std::ldexp(p.second, -static_cast<int>(i % 60));
    // Half of the uniforms lie where the short cut ends.
    const double u = i % 3 ? p.first : std::clamp(1.0 - lambda + (p.first - 0.5) * 1e-8, 0.0, 1.0 - 0x1p-53);
    check(sb::detail::poisson_by_inversion(lambda, u) == plain_inversion(lambda, u), "inversion short cut");
  }
  check_bits(sb::poisson(0, Key{1, 2, 3, Purpose::poisson}), 0);
  check_bits(sb::poisson(-5, Key{1, 2, 3, Purpose::poisson}), 0);
  check_bits(sb::poisson(sb::detail::not_a_number, Key{1, 2, 3, Purpose::poisson}), 0);
  check_bits(sb::poisson(sb::detail::infinity, Key{1, 2, 3, Purpose::poisson}), sb::poisson(0x1p53, Key{1, 2, 3, Purpose::poisson}));
  // The first rejections of PTRS take the next attempt, not the attempt that the caller left in the key.
  check_bits(sb::poisson(50, Key{1, 2, 3, Purpose::poisson, 77}), sb::poisson(50, Key{1, 2, 3, Purpose::poisson}));
}

// Chi-square over values with an expected count of at least 10; the limit is 6 standard deviations of the statistic.
void poisson_distribution(double lambda) {
  const int n = 400000;
  const std::string name = "poisson at rate " + std::to_string(lambda);
  std::vector<double> draws(n);
  long double sum = 0;
  for (int i = 0; i < n; ++i) {
    draws[i] = sb::poisson(lambda, Key{99, static_cast<std::uint64_t>(i / 100), static_cast<std::uint32_t>(i % 100), Purpose::poisson});
    check(draws[i] >= 0 && draws[i] == std::floor(draws[i]), name + ": whole and not negative");
    sum += draws[i];
  }
  const long double mean = sum / n;
  long double square = 0;
  for (double d : draws) square += (d - mean) * (d - mean);
  const double variance = static_cast<double>(square / n);
  check_near(static_cast<double>(mean), lambda, 4.5 * std::sqrt(lambda / n), name + ": mean");
  check_near(variance, lambda, 4.5 * lambda * std::sqrt((2 + 1 / lambda) / n), name + ": variance");
  double statistic = 0;
  int cells = 0;
  if (lambda < 1000) {
    std::vector<double> counts(3000);
    for (double d : draws) counts[static_cast<std::size_t>(d)] += 1;
    double rest_expected = n, rest_observed = n;
    for (int k = 0; k < 3000; ++k) {
      const double expected = n * std::exp(static_cast<double>(-static_cast<long double>(lambda) +
                                                               k * std::log(static_cast<long double>(lambda)) - std::lgamma(k + 1.0L)));
      if (expected < 10) continue;
      statistic += (counts[k] - expected) * (counts[k] - expected) / expected;
      rest_expected -= expected;
      rest_observed -= counts[k];
      ++cells;
    }
    if (rest_expected >= 1) statistic += (rest_observed - rest_expected) * (rest_observed - rest_expected) / rest_expected;
  } else {
    // 40 cells of equal width over +-2.5 standard deviations, expected by the normal law with its skewness term.
    cells = 40;
    std::vector<double> counts(40), expected(40);
    const double sd = std::sqrt(lambda);
    const auto cdf = [&](double z) {
      return 0.5 * std::erfc(-z / std::sqrt(2.0)) - (z * z - 1) / (6 * sd) * std::exp(-z * z / 2) / std::sqrt(2 * 3.14159265358979323846);
    };
    for (double d : draws) {
      const double cell = ((d + 0.5 - lambda) / sd + 2.5) * 8;  // edges fall between whole numbers up to rounding
      if (cell >= 0 && cell < 40) counts[static_cast<std::size_t>(cell)] += 1;
    }
    for (int c = 0; c < 40; ++c) {
      const auto whole_edge = [&](int e) { return std::ceil(lambda - 0.5 + sd * (e / 8.0 - 2.5)) - 0.5; };
      expected[c] = n * (cdf((whole_edge(c + 1) - lambda) / sd) - cdf((whole_edge(c) - lambda) / sd));
      statistic += (counts[c] - expected[c]) * (counts[c] - expected[c]) / expected[c];
    }
  }
  std::printf("%-32s mean/rate %.6f variance/rate %.5f chi-square %.1f of %d\n", name.c_str(), static_cast<double>(mean) / lambda,
              variance / lambda, statistic, cells);
  check(statistic < cells + 6 * std::sqrt(2.0 * cells), name + ": chi-square");
}

void normal_moments() {
  const int n = 1000000;
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
  for (int i = 0; i < n; ++i) {
    const double z = sb::normal({5, static_cast<std::uint64_t>(i), 0, Purpose::start});
    check(std::isfinite(z), "normal is finite");
    m1 += z, m2 += z * z, m3 += z * z * z, m4 += z * z * z * z;
  }
  const double s = std::sqrt(static_cast<double>(n));
  check_near(m1 / n, 0, 4.5 / s, "normal mean");
  check_near(m2 / n, 1, 4.5 * std::sqrt(2.0) / s, "normal variance");
  check_near(m3 / n, 0, 4.5 * std::sqrt(15.0) / s, "normal third moment");
  check_near(m4 / n, 3, 4.5 * std::sqrt(96.0) / s, "normal fourth moment");
}

// Every part of the key opens its own stream: no 53-bit value twice among 10^5 keys (chance of that: 5e-7), and
// neighbours in any coordinate are uncorrelated.
void streams_apart() {
  std::vector<double> all;
  for (std::uint64_t seed : {0ull, 1ull, 1ull << 32}) {
    for (std::uint64_t example : {0ull, 1ull, 2ull, 1ull << 32, (1ull << 32) + 1}) {
      for (std::uint32_t lane = 0; lane < 100; ++lane) {
        for (std::uint32_t purpose = 0; purpose <= 10; ++purpose) {
          for (std::uint32_t attempt = 0; attempt < 3; ++attempt) {
            const sb::Pair p = sb::uniform_pair({seed, example, lane, static_cast<Purpose>(purpose), attempt});
            all.push_back(p.first);
            all.push_back(p.second);
          }
        }
      }
    }
  }
  std::sort(all.begin(), all.end());
  check(std::adjacent_find(all.begin(), all.end()) == all.end(), "no two keys share a draw");
  const int n = 200000;
  const Key steps[] = {{1, 0, 0, Purpose::start},
                       {0, 1, 0, Purpose::start},
                       {0, 0, 1, Purpose::start},
                       {0, 0, 0, Purpose::poisson},
                       {0, 0, 0, Purpose::start, 1}};
  for (const Key& step : steps) {
    double product = 0;
    for (int i = 0; i < n; ++i) {
      const auto e = static_cast<std::uint64_t>(2 * i);
      const double a = sb::uniform({42, e, 10, Purpose::poisson, 0});
      const double b = sb::uniform({42 + step.seed, e + step.example, 10 + step.lane,
                                    static_cast<Purpose>(1 + static_cast<std::uint32_t>(step.purpose)), step.attempt});
      product += (a - 0.5) * (b - 0.5);
    }
    check_near(product / n * 12, 0, 4.5 / std::sqrt(static_cast<double>(n)), "neighbouring keys are uncorrelated");
  }
}

}  // namespace

int main() {
  known_answers();
  lanes_equal_scalar();
  rates_equal_scalar();
  inversion_rule();
  for (double lambda : {0.01, 0.3, 1.0, 3.0, 9.9, 12.0, 100.0, 1e4, 1e7, 1e9, 1e15}) poisson_distribution(lambda);
  normal_moments();
  streams_apart();
  return checking::finish();
}
