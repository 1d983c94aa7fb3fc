// What this machine can do with the state of each bank if an example costs nothing but its passes over that state, and what the
// machine can do at all: reading, updating and multiplying.
//
// Layouts as in the product: the lanes innermost and padded (naive Bayes, stump), one leaf after the other (trees). No weights of
// a booster, votes, monitor, validation or missing values; every instruction of the host and fast-math are allowed, which the
// product (same bits everywhere) must not use. The weight of a lane depends on its answer, so that asking and teaching cannot be
// fused into one pass.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "register_width.hpp"

namespace {

constexpr double kFloor = 1e-3;
constexpr int kMostLanes = 1024;

// Weighted Welford of one row of cells, and the precision that the next question needs.
inline void learn_normal(double* __restrict mean, double* __restrict spread, double* __restrict precision, const double* x, int stride,
                         const double* share, const double* weight, const double* mass, int n) {
  for (int i = 0; i < n; ++i) {
    const double value = x[i * stride];
    const double delta = value - mean[i];
    mean[i] += delta * share[i];
    spread[i] += weight[i] * delta * (value - mean[i]);
    precision[i] = mass[i] / (spread[i] + kFloor * mass[i]);
  }
}

// raw = W x and the constant, a block of lanes in registers at a time; returns |x|^2 + 1.
inline double ask_linear(const double* w, int lanes, const double* x, int d, double* raw) {
  constexpr int kBlock = 7;
  double norm = 1;
  for (int j = 0; j < d; ++j) norm += x[j] * x[j];
  for (int i = 0; i + kBlock * kVector <= lanes; i += kBlock * kVector) {
    Vector h[kBlock] = {};
    for (int j = 0; j <= d; ++j)
      for (int b = 0; b < kBlock; ++b) h[b] += (j < d ? x[j] : 1.0) * *reinterpret_cast<const Vector*>(w + j * lanes + i + b * kVector);
    for (int b = 0; b < kBlock; ++b) *reinterpret_cast<Vector*>(raw + i + b * kVector) = h[b];
  }
  return norm;
}
inline void teach_linear(double* __restrict w, int lanes, const double* x, int d, const double* __restrict step) {
  for (int j = 0; j <= d; ++j) {
    const double value = j < d ? x[j] : 1.0;
    for (int i = 0; i < lanes; ++i) w[j * lanes + i] += value * step[i];
  }
}

// A number in [0, 1) of a row and a lane, by the generator that the product draws with.
inline double philox(std::uint64_t row, std::uint64_t lane) {
  std::uint64_t r0 = row, r1 = 0, r2 = lane, r3 = 0;
  std::uint32_t key0 = 1, key1 = 2;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t even = 0xD2511F53u * (r0 & 0xFFFFFFFFu), odd = 0xCD9E8D57u * (r2 & 0xFFFFFFFFu);
    r0 = (odd >> 32) ^ r1 ^ key0;
    r1 = odd;
    r2 = (even >> 32) ^ r3 ^ key1;
    r3 = even;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return static_cast<double>((r0 & 0xFFFFFFFFu) + 0.5) * 0x1p-32;
}

}  // namespace

extern "C" {

// Perceptrons under smooth boosting: the two passes over the weights, and between them what the paper asks of every lane: a hypothesis in
// [-1, 1] (a root and a division), the sum along the lanes, an exponential. squares: |w|^2 [lane].
void roofline_smooth(double* __restrict w, double* __restrict squares, int lanes, const double* X, const double* y, long rows, int d) {
  constexpr double theta = 0.05, fall = 0.05;
  alignas(64) double raw[kMostLanes], h[kMostLanes], weight[kMostLanes];
  for (long t = 0; t < rows; ++t) {
    const double *x = X + t * d, norm = ask_linear(w, lanes, x, d, raw);
    for (int i = 0; i < lanes; ++i) {
      const double one = raw[i] / std::sqrt(squares[i] > 1 ? squares[i] : 1.0);
      h[i] = one > 1 ? 1.0 : one < -1 ? -1.0 : one;
    }
    double ahead = 0;
    for (int i = 0; i < lanes; ++i) {
      weight[i] = ahead > 0 ? -fall * ahead : 0.0;
      ahead += y[t] * h[i] - theta;
    }
    for (int i = 0; i < lanes; ++i) {
      const double step = raw[i] * y[t] > 0 ? 0.0 : std::exp(weight[i]) * y[t];
      squares[i] += step * (2 * raw[i] + step * norm);
      h[i] = step;
    }
    teach_linear(w, lanes, x, d, h);
  }
}

// What Oza's boosting does to a weight on its way through the lanes, each of which waits for the one before: two sums and a division. Nothing
// else: who is right is read off the rows. sums: [right, wrong][lane].
void roofline_chain(double* __restrict sums, int lanes, const double* X, const double* y, long rows, int d) {
  for (long t = 0; t < rows; ++t) {
    const double* x = X + t * d;
    double lambda = 1;
    for (int i = 0; i < lanes; ++i) {
      double& own = sums[(x[i % d] * y[t] > -0.5 ? 0 : lanes) + i];
      const double whole = sums[i] + sums[lanes + i] + lambda;
      own += lambda;
      lambda = 0.5 * lambda * whole / own;
      lambda = lambda < 1e3 ? lambda : 1e3;
    }
  }
}

// Perceptrons under Oza's boosting: the two passes, the chain, a logarithm for every lane's vote, and for lanes that are wrong the
// exponential that a Poisson number begins with; the draws themselves cost nothing here.
void roofline_oza(double* __restrict w, double* __restrict sums, int lanes, const double* X, const double* y, long rows, int d) {
  alignas(64) double raw[kMostLanes], step[kMostLanes], vote[kMostLanes];
  double *right = sums, *wrong = sums + lanes;
  for (long t = 0; t < rows; ++t) {
    const double* x = X + t * d;
    ask_linear(w, lanes, x, d, raw);
    for (int i = 0; i < lanes; ++i) vote[i] = std::log((right[i] + 1e-10) / (wrong[i] + 1e-10)) * raw[i];
    double lambda = 1;
    for (int i = 0; i < lanes; ++i) {
      const bool good = raw[i] * y[t] > 0;
      step[i] = good ? 0.0 : (std::exp(-lambda) < 0.5 ? 1.0 : 0.0) * y[t] + 1e-300 * vote[i];
      const double whole = right[i] + wrong[i] + lambda, own = (good ? right[i] : wrong[i]) + lambda;
      (good ? right[i] : wrong[i]) = own;
      lambda = 0.5 * lambda * whole / own;
      lambda = lambda < 1e3 ? lambda : 1e3;
    }
    teach_linear(w, lanes, x, d, step);
  }
}

// The same with all that the algorithm asks for: ten rounds of Philox for every lane's draw, votes of both classes, and for lanes that are
// wrong the number of copies, which decides how far the weights move and whether the lane is right afterwards.
void roofline_drawn(double* __restrict w, double* __restrict sums, int lanes, const double* X, const double* y, long rows, int d) {
  constexpr double kMostCopies = 10;
  alignas(64) double raw[kMostLanes], step[kMostLanes], vote[kMostLanes], draw[kMostLanes], enough[kMostLanes];
  double *right = sums, *wrong = sums + lanes, heard = 0;
  for (long t = 0; t < rows; ++t) {
    const double *x = X + t * d, norm = ask_linear(w, lanes, x, d, raw);
    for (int i = 0; i < lanes; ++i) draw[i] = philox(static_cast<std::uint64_t>(t), static_cast<std::uint64_t>(i));
    for (int i = 0; i < lanes; ++i) vote[i] = std::log((right[i] + 1e-10) / (wrong[i] + 1e-10));
    double votes[2] = {};
    for (int i = 0; i < lanes; ++i) {
      votes[0] += raw[i] > 0 ? 0.0 : vote[i];
      votes[1] += raw[i] > 0 ? vote[i] : 0.0;
      enough[i] = std::floor(-(raw[i] * y[t]) / norm) + 1;
    }
    heard += votes[1] - votes[0];
    double lambda = 1;
    for (int i = 0; i < lanes; ++i) {
      bool good = raw[i] * y[t] > 0;
      step[i] = 0;
      if (!good) {
        double probability = std::exp(-lambda), sum = probability, copies = 0;
        while (draw[i] >= sum && copies < kMostCopies) {
          copies += 1;
          probability *= lambda / copies;
          sum += probability;
        }
        good = copies >= enough[i];
        step[i] = y[t] * (good ? enough[i] : copies);
      }
      const double whole = right[i] + wrong[i] + lambda, own = (good ? right[i] : wrong[i]) + lambda;
      (good ? right[i] : wrong[i]) = own;
      lambda = 0.5 * lambda * whole / own;
      lambda = lambda < 1e3 ? lambda : 1e3;
    }
    teach_linear(w, lanes, x, d, step);
  }
  sums[0] += 1e-300 * heard;
}

// Gaussian naive Bayes, two classes: state [mean, spread, precision][column][class][lane], mass [class][lane].
void roofline_gaussian(double* __restrict state, double* __restrict mass, int lanes, const double* X, const double* y, long rows, int d) {
  const std::size_t plane = static_cast<std::size_t>(d) * 2 * static_cast<std::size_t>(lanes);
  double *mean = state, *spread = state + plane, *precision = state + 2 * plane;
  alignas(64) double h[2][kMostLanes], weight[kMostLanes], share[kMostLanes];
  for (long t = 0; t < rows; ++t) {
    const double* x = X + t * d;
    for (int c = 0; c < 2; ++c)
      for (int i = 0; i < lanes; ++i) h[c][i] = 0;
    for (int j = 0; j < d; ++j)
      for (int c = 0; c < 2; ++c) {
        const double *m = mean + (j * 2 + c) * lanes, *p = precision + (j * 2 + c) * lanes;
        for (int i = 0; i < lanes; ++i) h[c][i] += (x[j] - m[i]) * (x[j] - m[i]) * p[i];
      }
    const int c = y[t] > 0 ? 1 : 0;
    for (int i = 0; i < lanes; ++i) {
      weight[i] = h[c][i] < h[1 - c][i] ? 0.5 : 1.0;
      mass[c * lanes + i] += weight[i];
      share[i] = weight[i] / mass[c * lanes + i];
    }
    for (int j = 0; j < d; ++j) {
      const int at = (j * 2 + c) * lanes;
      learn_normal(mean + at, spread + at, precision + at, x + j, 0, share, weight, mass + c * lanes, lanes);
    }
  }
}

// Nominal naive Bayes, two classes: counts [column][value][class][lane]; products of counts, no logarithm per cell.
void roofline_nominal(double* __restrict count, int values, int lanes, const double* X, const double* y, long rows, int d) {
  alignas(64) double h[2][kMostLanes], weight[kMostLanes];
  for (long t = 0; t < rows; ++t) {
    const double* x = X + t * d;
    for (int c = 0; c < 2; ++c)
      for (int i = 0; i < lanes; ++i) h[c][i] = 1;
    for (int j = 0; j < d; ++j)
      for (int c = 0; c < 2; ++c) {
        const double* n = count + ((j * values + static_cast<int>(x[j])) * 2 + c) * lanes;
        for (int i = 0; i < lanes; ++i) h[c][i] *= n[i];
      }
    const int c = y[t] > 0 ? 1 : 0;
    for (int i = 0; i < lanes; ++i) weight[i] = h[c][i] > h[1 - c][i] ? 0.5 : 1.0;
    for (int j = 0; j < d; ++j) {
      double* n = count + ((j * values + static_cast<int>(x[j])) * 2 + c) * lanes;
      for (int i = 0; i < lanes; ++i) n[i] += weight[i];
    }
  }
}

// Stump on nominal columns, two classes: counts as above, and x log x of every count and of every leaf, so that a leaf that changes costs
// two logarithms; gain [column][lane] moves by the difference. The best column is found by one pass over the gains.
void roofline_stump(double* __restrict count, double* __restrict term, double* __restrict leaf, double* __restrict gain,
                    double* __restrict best, int values, int lanes, const double* X, const double* y, long rows, int d) {
  alignas(64) double weight[kMostLanes], top[kMostLanes];
  for (long t = 0; t < rows; ++t) {
    const double* x = X + t * d;
    const int c = y[t] > 0 ? 1 : 0;
    for (int i = 0; i < lanes; ++i) {
      const int j = static_cast<int>(best[i]);
      const double* n = count + (j * values + static_cast<int>(x[j])) * 2 * lanes + i;
      weight[i] = n[c * lanes] > n[(1 - c) * lanes] ? 0.5 : 1.0;
      top[i] = -1e300;
    }
    for (int j = 0; j < d; ++j) {
      const int at = j * values + static_cast<int>(x[j]);
      double *n = count + (at * 2 + c) * lanes, *f = term + (at * 2 + c) * lanes, *l = leaf + at * lanes, *g = gain + j * lanes;
      const double* other = count + (at * 2 + 1 - c) * lanes;
      for (int i = 0; i < lanes; ++i) {
        n[i] += weight[i];
        const double all = n[i] + other[i], one = n[i] * std::log(n[i]), both = all * std::log(all);
        g[i] += one - f[i] - both + l[i];
        f[i] = one;
        l[i] = both;
      }
      for (int i = 0; i < lanes; ++i) {
        best[i] = g[i] > top[i] ? j : best[i];
        top[i] = g[i] > top[i] ? g[i] : top[i];
      }
    }
  }
}

// Trees with Gaussian leaves, two classes: to the leaf by `depth` comparisons, then the leaf's [class][mean, spread, precision][column]
// is asked and the class of the example is taught; mass [tree][leaf][class].
void roofline_tree(double* __restrict state, double* __restrict mass, const std::int32_t* column, const double* threshold, int trees,
                   int depth, const double* X, const double* y, long rows, int d) {
  const int nodes = (1 << depth) - 1, leaves = 1 << depth;
  alignas(64) double share[kMostLanes], weights[kMostLanes], masses[kMostLanes];
  for (long t = 0; t < rows; ++t) {
    const double* x = X + t * d;
    const int c = y[t] > 0 ? 1 : 0;
    for (int tree = 0; tree < trees; ++tree) {
      int at = 0;
      for (int step = 0; step < depth; ++step) at = 2 * at + 1 + (x[column[tree * nodes + at]] > threshold[tree * nodes + at]);
      const int leaf = tree * leaves + at - nodes;
      double* cells = state + static_cast<std::size_t>(leaf) * 6 * d;
      double h[2] = {0, 0};
      for (int k = 0; k < 2; ++k) {
        const double *m = cells + k * 3 * d, *p = m + 2 * d;
        for (int j = 0; j < d; ++j) h[k] += (x[j] - m[j]) * (x[j] - m[j]) * p[j];
      }
      const double weight = h[c] < h[1 - c] ? 0.5 : 1.0;
      const double n = mass[leaf * 2 + c] += weight;
      for (int j = 0; j < d; ++j) {
        share[j] = weight / n;
        weights[j] = weight;
        masses[j] = n;
      }
      double* mine = cells + c * 3 * d;
      learn_normal(mine, mine + d, mine + 2 * d, x, 1, share, weights, masses, d);
    }
  }
}

// n doubles read, again and again: eight independent sums of vectors. n is a multiple of 64, a is aligned.
double roofline_read(const double* a, long n, long passes) {
  Vector sum[8] = {};
  for (long p = 0; p < passes; ++p) {
    asm volatile("" ::: "memory");  // every pass is a pass
    for (long i = 0; i < n; i += 8 * kVector)
      for (int k = 0; k < 8; ++k) sum[k] += *reinterpret_cast<const Vector*>(a + i + kVector * k);
  }
  double all = 0;
  for (int k = 0; k < 8; ++k)
    for (int i = 0; i < kVector; ++i) all += sum[k][i];
  return all;
}

// n doubles read and written, again and again.
void roofline_update(double* a, long n, long passes, double step) {
  for (long p = 0; p < passes; ++p) {
    asm volatile("" ::: "memory");
    for (long i = 0; i < n; ++i) a[i] += step;
  }
}

// Multiply-adds that wait for nothing: 12 independent chains, 96 multiply-adds a pass.
double roofline_multiply(long passes, double factor, double* out) {
  Vector chain[12];
  for (int k = 0; k < 12; ++k) chain[k] = Vector{} + k;
  for (long p = 0; p < passes * (8 / kVector); ++p)
    for (int k = 0; k < 12; ++k) chain[k] = chain[k] * factor + factor;
  for (int k = 0; k < 12; ++k) out[0] += chain[k][0];
  return out[0];
}

}  // extern "C"
