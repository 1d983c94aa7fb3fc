// DDM, the drift detection method: an error rate so far above its lowest point that chance does not explain it.
//
// Paper     Gama, Medas, Castillo, Rodrigues: Learning with drift detection (SBIA 2004).
//
//   paper            here                  meaning
//   p_i              p = sum / n           mean of the errors since the last drift
//   s_i              s = sqrt(p (1-p)/n)   its standard deviation
//   p_min, s_min     low_p, low_s          those of the moment with the least p + s
//   2, 3             warning, drift        p + s > p_min + 2 s_min is a warning, p + s > p_min + 3 s_min is a drift
//   30               least                 numbers before the first judgement
//
// Departures  p + s is compared with strict signs; where p_min = s_min = 0 any error at all would pass both levels with `>=`.
//             Numbers between 0 and 1 are taken as shares of an error.
// Cost        O(1) per number.
#pragma once
#include <algorithm>
#include <cmath>

#include "streamboost/drift/detector.hpp"

namespace streamboost {

class Ddm {
 public:
  struct Params {
    double least, warning, drift;
    static Params read(const Config& c) { return {c.number("warm_start"), c.number("warning_threshold"), c.number("drift_threshold")}; }
  };
  static constexpr bool lasting = true;

  Signal update(double x, const Params& params, std::uint32_t) {
    if (over_) reset();
    n_ += 1;
    sum_ += x;
    if (n_ < params.least) return {};
    const double p = mean(), s = std::sqrt(std::max(p * (1 - p), 0.0) / n_);
    if (!low_ || p + s <= low_p_ + low_s_) {
      low_ = true;
      low_p_ = p;
      low_s_ = s;
    }
    over_ = p + s > low_p_ + params.drift * low_s_;
    return {p + s > low_p_ + params.warning * low_s_, over_};
  }
  void reset(bool = true) { *this = Ddm(); }
  void expect(const Params&) {}

  std::int64_t width() const { return static_cast<std::int64_t>(n_); }
  double mean() const { return n_ > 0 ? sum_ / n_ : 0.0; }

  std::vector<double> pack() const { return {n_, sum_, low_p_, low_s_, low_ ? 1.0 : 0.0, over_ ? 1.0 : 0.0}; }
  void unpack(const std::vector<double>& packed, const Params&) {
    require(packed.size() == 6 && is_count(packed[0]) && packed[1] >= 0 && packed[1] <= packed[0], "drift detector");
    for (std::size_t i : {2, 3, 4, 5}) require(packed[i] >= 0 && packed[i] <= 1, "drift detector");
    n_ = packed[0];
    sum_ = packed[1];
    low_p_ = packed[2];
    low_s_ = packed[3];
    low_ = packed[4] != 0;
    over_ = packed[5] != 0;
  }

 private:
  double n_ = 0, sum_ = 0, low_p_ = 0, low_s_ = 0;
  bool low_ = false, over_ = false;  // whether there is a lowest point; whether the last number was a drift
};

}  // namespace streamboost
