#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "streamboost/ensembles/booster_kernels.hpp"
#include "streamboost/math/levels.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost::STREAMBOOST_LEVEL {

bool watch_margins(const double* __restrict margin, const double* __restrict weight, double y, double* __restrict sum_weight,
                   double* __restrict sum_edge, double* __restrict mistakes, double* __restrict sum_margin, std::size_t n) {
  // Two numbers to choose from instead of two truths to compare: gcc makes masks of those, slowly.
  const double if_positive = y > 0 ? 0.0 : 1.0, if_not = 1.0 - if_positive;
  std::uint64_t zeros = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double z = y * margin[i];
    sum_weight[i] += weight[i];
    sum_edge[i] += weight[i] * z;
    sum_margin[i] += z;
    mistakes[i] += margin[i] > 0 ? if_positive : if_not;
    zeros |= (std::bit_cast<std::uint64_t>(margin[i]) << 1) == 0 ? std::uint64_t{1} : std::uint64_t{0};
  }
  return zeros != 0;
}

void watch_votes(const std::int32_t* __restrict vote, const double* __restrict weight, int label, double* __restrict sum_weight,
                 double* __restrict sum_edge, double* __restrict mistakes, double* __restrict sum_margin, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double wrong = vote[i] < 0 ? 0.0 : -1.0;
    const double z = vote[i] == label ? 1.0 : wrong;
    sum_weight[i] += weight[i];
    sum_edge[i] += weight[i] * z;
    sum_margin[i] += z;
    mistakes[i] += vote[i] == label ? 0.0 : 1.0;
  }
}

void watch_prefixes(const double* __restrict prefix, const double* __restrict weight, double sample_weight, double y, double theta,
                    int first, double* __restrict low, double* __restrict wrong, double* __restrict reduced, std::size_t n) {
  for (int i = 0; i < static_cast<int>(n); ++i) {
    const double ahead = y * prefix[i];
    low[i] += ahead <= theta * (first + i + 1) ? sample_weight : 0.0;
    wrong[i] += ahead <= 0.0 ? sample_weight : 0.0;
    reduced[i] += weight[i] < sample_weight ? 1.0 : 0.0;
  }
}

void watch_hinges(const double* __restrict margin, const double* __restrict prefix, const double* __restrict share, double sample_weight,
                  double y, double theta, double* __restrict single, double* __restrict mean, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double alone = theta - y * margin[i], together = theta - y * prefix[i] * share[i];
    single[i] += sample_weight * (alone > 0.0 ? alone : 0.0);
    mean[i] += sample_weight * (together > 0.0 ? together : 0.0);
  }
}

void prefixes_by_eights(const double* __restrict x, double* __restrict prefix, std::size_t n) {
  constexpr std::size_t block = 8;
  double before = 0;
  std::size_t begin = 0;
  for (; begin + block <= n; begin += block) {
    double sum[block];
    sum[0] = x[begin];
    for (std::size_t k = 1; k < block; ++k) sum[k] = sum[k - 1] + x[begin + k];
    for (std::size_t k = 0; k < block; ++k) prefix[begin + k] = before + sum[k];
    before += sum[block - 1];
  }
  for (; begin < n; ++begin) prefix[begin] = before += x[begin];
}

double weighted_prefixes(const double* __restrict alpha, const double* __restrict margin, double start, double* __restrict prefix,
                         std::size_t n) {
  double sum = start;
  for (std::size_t i = 0; i < n; ++i) prefix[i] = sum += alpha[i] * margin[i];
  return sum;
}

void smooth_sums(const double* __restrict margin, SmoothRule rule, double& vote, double& z, double* __restrict prefix,
                 double* __restrict exponent, std::size_t n) {
  double sum = vote, ahead = z;
  for (std::size_t i = 0; i < n; ++i) {
    prefix[i] = sum += margin[i];
    exponent[i] = rule.fall * (ahead > 0.0 ? ahead : 0.0);  // z <= 0 means weight 1: the min in the formula
    ahead += rule.y * margin[i] - rule.theta;
  }
  vote = sum;
  z = ahead;
}

void hedge_losses(const double* __restrict prefix, double y, double sample_weight, double* __restrict loss, std::size_t n) {
  const double if_positive = y > 0 ? 0.0 : sample_weight, if_not = sample_weight - if_positive;
  for (std::size_t i = 0; i < n; ++i) loss[i] += prefix[i] > 0 ? if_positive : if_not;
}

void hedge_exponents(const double* __restrict loss, double eta, double* __restrict out, std::size_t n) {
  constexpr std::size_t width = 8;  // the least of a set does not depend on the order
  double least[width];
  for (double& m : least) m = loss[0];
  std::size_t i = 0;
  for (; i + width <= n; i += width)
    for (std::size_t k = 0; k < width; ++k) least[k] = loss[i + k] < least[k] ? loss[i + k] : least[k];
  for (; i < n; ++i) least[0] = loss[i] < least[0] ? loss[i] : least[0];
  double m = least[0];
  for (double other : least) m = other < m ? other : m;
  for (i = 0; i < n; ++i) out[i] = -eta * (loss[i] - m);
}

// Eight partial sums in a fixed order, the same in every clone; the combiner's column is never cut into blocks.
double hedge_share(const double* __restrict prefix, const double* __restrict p, std::size_t n) {
  constexpr std::size_t width = 8;
  double all[width] = {}, plus[width] = {};
  std::size_t i = 0;
  for (; i + width <= n; i += width)
    for (std::size_t k = 0; k < width; ++k) {
      all[k] += p[i + k];
      plus[k] += prefix[i + k] > 0 ? p[i + k] : 0.0;
    }
  double sum = 0, positive = 0;
  for (std::size_t k = 0; k < width; ++k) {
    sum += all[k];
    positive += plus[k];
  }
  for (; i < n; ++i) {
    sum += p[i];
    positive += prefix[i] > 0 ? p[i] : 0.0;
  }
  return positive / sum;
}

std::size_t count_positive(const double* __restrict x, std::size_t n) {
  std::uint64_t positive = 0;
  for (std::size_t i = 0; i < n; ++i) positive += x[i] > 0.0 ? std::uint64_t{1} : std::uint64_t{0};
  return positive;
}

// Powers first: a division that follows its own waits for it, and the next one for that.
void loss_slopes(const double* __restrict score, double y, double* __restrict slope, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) slope[i] = exp_down(std::fabs(score[i]));
  for (std::size_t i = 0; i < n; ++i) slope[i] = (y * score[i] > 0.0 ? slope[i] : 1.0) / (1.0 + slope[i]);
}

void logistic_alphas(const double* __restrict margin, const double* __restrict next, double y, double rate, double* __restrict alpha,
                     std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double moved = alpha[i] + rate * (y * margin[i]) * next[i];
    alpha[i] = moved > 2.0 ? 2.0 : moved < -2.0 ? -2.0 : moved;
  }
}

void majority_exponents(const std::int32_t* __restrict vote, int y, int ahead, int rest, const MajorityTable& table,
                        double* __restrict margin, double* __restrict out, std::size_t n) {
  constexpr int block = 64;
  const double* __restrict base = table.base, * __restrict log_factorial = table.log_factorial, log_odds = table.log_odds;
  for (int begin = 0, size = static_cast<int>(n); begin < size; begin += block) {
    const int width = std::min(block, size - begin);
    // Signs first, in a loop of their own: beside the running sum they would be branches that nobody can foretell.
    std::int32_t sign[block], k[block];
    for (int i = 0; i < width; ++i) sign[i] = vote[begin + i] == 1 ? 1 : -1;
    for (int i = 0; i < width; ++i) margin[begin + i] = sign[i];
    for (int i = 0; i < width; ++i) {
      k[i] = (rest - begin - i - ahead + 1) >> 1;  // >> 1 floors, below 0 too
      ahead += y * sign[i];
    }
    for (int i = 0; i < width; ++i) {
      const int left = rest - begin - i;
      const bool possible = k[i] >= 0 && k[i] <= left;
      const int right = possible ? k[i] : 0;
      const double term = right * log_odds - log_factorial[right] - log_factorial[left - right];
      out[begin + i] = possible ? base[begin + i] + term : -1000.0;
    }
  }
}

void majority_weights(const std::int32_t* __restrict vote, int y, int ahead, int rest, const double* __restrict table,
                      double* __restrict margin, double* __restrict weight, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i, --rest) {
    const int h = 2 * static_cast<int>(vote[i] == 1) - 1, k = (rest - ahead + 1) >> 1;  // >> 1 floors, below 0 too
    const bool possible = static_cast<unsigned>(k) <= static_cast<unsigned>(rest);
    weight[i] = table[possible ? k : rest + 1];
    margin[i] = h;
    ahead += y * h;
    table += rest + 2;
  }
}

void add_scaled(const double* __restrict h, double step, double* __restrict v, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) v[i] += step * h[i];
}

double dot_product(const double* __restrict a, const double* __restrict b, std::size_t n) {
  constexpr std::size_t width = 8;  // partial sums
  double part[width] = {};
  std::size_t i = 0;
  for (; i + width <= n; i += width)
    for (std::size_t k = 0; k < width; ++k) part[k] += a[i + k] * b[i + k];
  double sum = 0;
  for (double p : part) sum += p;
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

void fill_open(const double* __restrict drawn, double most, double* __restrict amount, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double copies = drawn[i] < most ? drawn[i] : most;
    amount[i] = amount[i] < 0.0 ? copies : amount[i];
  }
}

// Adding 0 changes no sum, so the two run through all lanes side by side, in lane order.
void add_two_votes(const std::int32_t* __restrict vote, const double* __restrict weight, std::size_t n, double* __restrict votes) {
  constexpr std::size_t block = 64;
  double zeros = votes[0], ones = votes[1];
  for (std::size_t begin = 0; begin < n; begin += block) {
    const std::size_t size = std::min(block, n - begin);
    double zero[block], one[block];
    for (std::size_t i = 0; i < size; ++i) {
      zero[i] = vote[begin + i] == 0 ? weight[begin + i] : 0.0;
      one[i] = vote[begin + i] == 1 ? weight[begin + i] : 0.0;
    }
    for (std::size_t i = 0; i < size; ++i) {
      zeros += zero[i];
      ones += one[i];
    }
  }
  votes[0] = zeros;
  votes[1] = ones;
}

void error_odds(const double* __restrict correct, const double* __restrict wrong, double least, double* __restrict out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double sum = correct[i] + wrong[i];
    double error = wrong[i] / (sum > 0.0 ? sum : 1.0);
    error = sum > 0.0 ? error : 0.5;
    error = error > least ? error : least;
    error = error < 1.0 - least ? error : 1.0 - least;
    out[i] = (1.0 - error) / error;
  }
}

}  // namespace streamboost::STREAMBOOST_LEVEL
