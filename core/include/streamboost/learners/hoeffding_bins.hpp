// The values of one class on one numeric column as a bounded number of intervals of about equal weight.
//
//   layout   n, then `most` lows, highs and weights: disjoint intervals [low, high] in ascending order
//   add      inside an interval: its weight grows. Outside of all: an interval of its own; if they are too many, the two neighbours
//            that weigh least together become one (ties: the lowest)
//   below    the weight of values <= t: exact outside of intervals, in proportion inside. While a class has shown no more than
//            `most` values every interval is one value, and all weights are exact.
#pragma once
#include <algorithm>
#include <cstddef>

namespace streamboost {

struct HoeffdingBins {
  static std::size_t size(std::size_t most) { return most == 0 ? 0 : 1 + 3 * most; }

  static std::size_t count(const double* at) { return static_cast<std::size_t>(at[0]); }
  static const double* lows(const double* at) { return at + 1; }
  static const double* highs(const double* at, std::size_t most) { return at + 1 + most; }
  static const double* weights(const double* at, std::size_t most) { return at + 1 + 2 * most; }

  static void add(double* at, std::size_t most, double x, double amount) {
    std::size_t n = count(at);
    double *low = at + 1, *high = low + most, *weight = high + most;
    const auto b = static_cast<std::size_t>(std::lower_bound(high, high + n, x) - high);  // the first that ends at x or later
    if (b < n && low[b] <= x) {
      weight[b] += amount;
      return;
    }
    // The pair to join among the n + 1 intervals with the new one at b.
    if (n == most) {
      const auto weigh = [&](std::size_t k) { return k == b ? amount : weight[k < b ? k : k - 1]; };
      std::size_t best = 0;
      for (std::size_t k = 1; k < n; ++k)
        if (weigh(k) + weigh(k + 1) < weigh(best) + weigh(best + 1)) best = k;
      if (best + 1 == b) {  // the one below takes the new value in
        high[b - 1] = x;
        weight[b - 1] += amount;
        return;
      }
      if (best == b) {
        low[b] = x;
        weight[b] += amount;
        return;
      }
      const std::size_t one = best < b ? best : best - 1;  // its number among the old ones
      high[one] = high[one + 1];
      weight[one] += weight[one + 1];
      for (double* row : {low, high, weight}) std::copy(row + one + 2, row + n, row + one + 1);
      --n;
      insert(at, most, n, best < b ? b - 1 : b, x, amount);
      return;
    }
    insert(at, most, n, b, x, amount);
  }

  static double below(const double* at, std::size_t most, double t) {
    const double *low = lows(at), *high = highs(at, most), *weight = weights(at, most);
    double sum = 0;
    for (std::size_t b = 0, n = count(at); b < n && low[b] <= t; ++b)
      sum += high[b] <= t ? weight[b] : weight[b] * ((t - low[b]) / (high[b] - low[b]));
    return sum;
  }

  static bool sound(const double* at, std::size_t most) {
    if (!(at[0] >= 0 && at[0] <= static_cast<double>(most)) || at[0] != static_cast<double>(count(at))) return false;
    const double *low = lows(at), *high = highs(at, most), *weight = weights(at, most);
    for (std::size_t b = 0; b < count(at); ++b)
      if (!(low[b] <= high[b] && weight[b] > 0 && (b == 0 || high[b - 1] < low[b]))) return false;
    return true;
  }

 private:
  static void insert(double* at, std::size_t most, std::size_t n, std::size_t b, double x, double amount) {
    double* row = at + 1;
    for (double value : {x, x, amount}) {
      std::copy_backward(row + b, row + n, row + n + 1);
      row[b] = value;
      row += most;
    }
    at[0] = static_cast<double>(n + 1);
  }
};

}  // namespace streamboost
