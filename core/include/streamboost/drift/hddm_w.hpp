// HDDM-W: as HDDM-A, with means that weigh recent numbers more and McDiarmid's bound for them: slow changes are seen too.
//
// Paper     Frías-Blanco et al.: Online and non-parametric drift detection methods based on Hoeffding's bounds (IEEE TKDE 27, 2015),
//           the W-test.
//
//   paper            here             meaning
//   lambda           lambda           share of the newest number
//   X^_t, D_t        mean, squares    z <- lambda x + (1 - lambda) z;  v <- lambda^2 + (1 - lambda)^2 v, the sum of squared weights
//   X_cut            extreme          the point with the least z + sqrt(v ln(1/drift) / 2)
//   sample 2         since            a second mean, of the numbers after that point
//   H0 rejected                       z2 - z1 > sqrt((v1 + v2) ln(1/level) / 2)
//
// Departures  The point is chosen with the drift level at both levels. A mean starts with its first number at weight 1.
// Cost        O(1) per number.
#pragma once
#include <cmath>

#include "streamboost/drift/detector.hpp"
#include "streamboost/drift/hddm_a.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

class HddmW {
 public:
  struct Params {
    HddmLevels levels;
    double lambda;
    static Params read(const Config& c) { return {HddmLevels::read(c), c.number("lambda_val")}; }
  };
  static constexpr bool lasting = true;

  Signal update(double x, const Params& params, std::uint32_t) {
    if (over_) reset();
    n_ += 1;
    all_.add(x, params.lambda);
    const bool two_sided = params.levels.two_sided;
    rise_.observe(x, all_, 1, params);
    if (two_sided) fall_.observe(x, all_, -1, params);
    const auto moved = [&](double level) { return rise_.moved(1, level) || (two_sided && fall_.moved(-1, level)); };
    over_ = moved(params.levels.drift);
    return {moved(params.levels.warning), over_};
  }
  void reset(bool = true) { *this = HddmW(); }
  void expect(const Params&) {}

  std::int64_t width() const { return static_cast<std::int64_t>(n_); }
  double mean() const { return all_.mean; }

  std::vector<double> pack() const {
    std::vector<double> out{n_, over_ ? 1.0 : 0.0};
    for (const Weighted& w : {all_, rise_.extreme, rise_.since, fall_.extreme, fall_.since}) out.insert(out.end(), {w.mean, w.squares});
    return out;
  }
  void unpack(const std::vector<double>& packed, const Params&) {
    require(packed.size() == 12 && is_count(packed[0]), "drift detector");
    Weighted* const means[] = {&all_, &rise_.extreme, &rise_.since, &fall_.extreme, &fall_.since};
    for (std::size_t i = 0; i < 5; ++i) {
      const double mean = packed[2 + 2 * i], squares = packed[3 + 2 * i];
      require(mean >= 0 && mean <= 1.0000001 && squares >= 0 && squares <= 1.0000001, "drift detector");
      *means[i] = {mean, squares};
    }
    n_ = packed[0];
    over_ = packed[1] != 0;
  }

 private:
  // squares = 0: no number yet.
  struct Weighted {
    double mean = 0, squares = 0;
    void add(double x, double lambda) {
      const bool first = squares == 0;
      mean = first ? x : lambda * x + (1 - lambda) * mean;
      squares = first ? 1 : lambda * lambda + (1 - lambda) * (1 - lambda) * squares;
    }
    // How low (sign = 1) or high (-1) the mean may be said to lie.
    double edge(double sign, double level) const { return sign * mean + std::sqrt(0.5 * squares * log(1 / level)); }
  };
  // One direction of change: the extreme so far, and the mean since then.
  struct Side {
    Weighted extreme, since;
    void observe(double x, const Weighted& now, double sign, const Params& params) {
      const double level = params.levels.drift;
      if (extreme.squares == 0 || now.edge(sign, level) < extreme.edge(sign, level)) {
        extreme = now;
        since = {};
      } else {
        since.add(x, params.lambda);
      }
    }
    bool moved(double sign, double level) const {
      if (extreme.squares == 0 || since.squares == 0) return false;
      return sign * (since.mean - extreme.mean) > std::sqrt(0.5 * (extreme.squares + since.squares) * log(1 / level));
    }
  };

  double n_ = 0;
  Weighted all_;
  Side rise_, fall_;
  bool over_ = false;  // whether the last number was a drift
};

}  // namespace streamboost
