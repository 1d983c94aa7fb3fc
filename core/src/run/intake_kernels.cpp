#include <cmath>
#include <limits>

#include "streamboost/math/levels.hpp"
#include "streamboost/math/vec.hpp"
#include "streamboost/run/intake_kernels.hpp"

namespace streamboost::STREAMBOOST_LEVEL {
namespace {

constexpr double most = std::numeric_limits<double>::max();

[[gnu::always_inline]] inline double between(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

// One column; the rules stand in scaler.hpp. No branches: what is not so is computed all the same and left out. A column whose
// squares overflowed would say nothing; the face refuses values beyond 1e100, so none does.
template <bool keeps>
[[gnu::always_inline]] inline void standardise_columns(const ColumnMoments& c, const double* x_in, double clip, double* out,
                                                       std::size_t n) {
  // Everything is read before anything is chosen or written: gcc leaves loops as they are where a choice would be a load.
  const double *counts = c.count, *means = c.mean, *spread_in = c.spread, *firsts = c.first, *manies = c.many;
  double *new_counts = c.keep.count, *new_means = c.keep.mean, *new_spreads = c.keep.spread, *new_firsts = c.keep.first,
         *new_manies = c.keep.many;
  STREAMBOOST_NO_OVERLAP
  for (std::size_t j = 0; j < n; ++j) {
    double x = x_in[j];
    const bool here = x == x;
    const double count = counts[j], mean = means[j], spread = spread_in[j], old_first = firsts[j], old_many = manies[j];
    const double first = old_first == 0.0 ? x : old_first;
    const bool many = (old_many != 0.0) | (here & (x != 0.0) & (x != first));
    const bool clips = many & (count >= 20.0) & (spread > 0.0);
    const double room = clip * std::sqrt(spread / (count > 1.0 ? count : 1.0));
    x = clips ? between(x, mean - room, mean + room) : x;
    const double share = 1.0 / (count + 1.0);
    const double before = x - mean;
    const double new_mean = mean + before * share;
    const double after = x - new_mean;
    const double grown = spread + before * after;
    const double new_spread = grown > spread ? grown : spread;
    const double deviation = std::sqrt(new_spread * share);
    // 0 < new_spread <= most, said of the two it was chosen from: gcc would make a choice of truths of it, which it cannot vectorise
    const bool spreads = ((spread > 0.0) | (grown > 0.0)) & (spread <= most) & !(grown > most);
    const double centred = spreads ? after / (spreads ? deviation : 1.0) : 0.0;
    const double indicated = x == 0.0 ? 0.0 : x > 0.0 ? 1.0 : -1.0;
    out[j] = here ? (many ? centred : indicated) : 0.0;
    if constexpr (keeps) {
      new_counts[j] = here ? count + 1.0 : count;
      new_means[j] = here ? new_mean : mean;
      new_spreads[j] = here ? new_spread : spread;
      new_firsts[j] = here ? first : old_first;
      new_manies[j] = many ? 1.0 : 0.0;
    }
  }
}

}  // namespace

void standardise(const ColumnMoments& columns, const double* x, double clip, double* out, std::size_t n) {
  if (columns.keep.count)
    standardise_columns<true>(columns, x, clip, out, n);
  else
    standardise_columns<false>(columns, x, clip, out, n);
}

void rate_columns(const double* __restrict t, double slope, double pace, double* __restrict size, double* __restrict u, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double grown = size[i] + t[i] * t[i];
    const double q = slope * grown, root = std::sqrt(q);
    // The larger of 1 / (1 + q) and pace / root, with one division.
    const bool newton = root > pace * (1.0 + q);
    const double rate = (newton ? 1.0 : pace) / (newton ? 1.0 + q : root > 0.0 ? root : 1.0);
    u[i] = root > 0.0 ? rate * t[i] : 0.0;
    size[i] = grown;
  }
}

}  // namespace streamboost::STREAMBOOST_LEVEL
