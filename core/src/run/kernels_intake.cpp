#include <cmath>
#include <limits>

#include "streamboost/math/clones.hpp"
#include "streamboost/math/kernels.hpp"

namespace streamboost {
namespace {

constexpr double most = std::numeric_limits<double>::max();

[[gnu::always_inline]] inline double between(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

// One column; the rules stand in scaler.hpp. No branches: what is not so is computed all the same and left out. A column whose
// squares overflowed would say nothing; the face refuses values beyond 1e100, so none does.
template <bool keeps>
[[gnu::always_inline]] inline void standardise_columns(const ColumnMoments& c, const double* x_in, double clip, double* out,
                                                       std::size_t n) {
#pragma GCC ivdep
  for (std::size_t j = 0; j < n; ++j) {
    double x = x_in[j];
    const bool here = x == x;
    const double count = c.count[j], mean = c.mean[j], spread = c.spread[j];
    const double first = c.first[j] == 0.0 ? x : c.first[j];
    const double many = (x != 0.0) & (x != first) ? 1.0 : c.many[j];
    const bool clips = (many != 0.0) & (count >= 20.0) & (spread > 0.0);
    const double room = clip * std::sqrt(spread / (count > 1.0 ? count : 1.0));
    x = clips ? between(x, mean - room, mean + room) : x;
    const double share = 1.0 / (count + 1.0);
    const double before = x - mean;
    const double new_mean = mean + before * share;
    const double after = x - new_mean;
    const double grown = spread + before * after;
    const double new_spread = grown > spread ? grown : spread;
    const double deviation = std::sqrt(new_spread * share);
    const bool spreads = (new_spread > 0.0) & (new_spread <= most);
    const double centred = spreads ? after / (spreads ? deviation : 1.0) : 0.0;
    const double indicated = x == 0.0 ? 0.0 : x > 0.0 ? 1.0 : -1.0;
    out[j] = here ? (many != 0.0 ? centred : indicated) : 0.0;
    if constexpr (keeps) {
      c.keep.count[j] = here ? count + 1.0 : count;
      c.keep.mean[j] = here ? new_mean : mean;
      c.keep.spread[j] = here ? new_spread : spread;
      c.keep.first[j] = here ? first : c.first[j];
      c.keep.many[j] = here ? many : c.many[j];
    }
  }
}

}  // namespace

STREAMBOOST_CLONES void standardise(const ColumnMoments& columns, const double* x, double clip, double* out, std::size_t n) {
  if (columns.keep.count)
    standardise_columns<true>(columns, x, clip, out, n);
  else
    standardise_columns<false>(columns, x, clip, out, n);
}

STREAMBOOST_CLONES void rate_columns(const double* __restrict t, double slope, double pace, double* __restrict size, double* __restrict u,
                                     std::size_t n) {
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

}  // namespace streamboost
