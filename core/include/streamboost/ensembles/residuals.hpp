// What the regressors share: how far every lane was off, and what is answered while no lane has learned anything.
//
//   miss[i], seen[i]    faded sums of |target - answer| and of 1, since the learner's birth: how far off the lane was lately
//   wrong[i]            for the guard against drift, which counts right and wrong: 1 where a lane misses by more than it usually does,
//                       |target - answer| > miss / seen of before. A learner that has become worse is wrong most of the time until its
//                       usual error has followed, which takes a thousand examples; the guard needs about fifty.
//   error_weight, absolute_error, squared_error    sums over everything learned, for report() (with monitor)
//
// Answers are those of before learning, of trained lanes; an untrained lane counts as wrong.
#pragma once
#include <cmath>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/ensembles/regressor_kernels.hpp"

namespace streamboost {

struct Residuals : LaneStateDefaults {
  static constexpr double fading = 0.999;
  LaneArray<double> miss, seen, error_weight, absolute_error, squared_error;
  bool on = true;

  void reserve(Lanes lanes) {
    miss = seen = error_weight = absolute_error = squared_error = LaneArray<double>(1, static_cast<std::size_t>(lanes.size()));
  }
  void reborn(std::size_t i) { miss[0][i] = seen[0][i] = 0; }

  // The lanes answered (Answers::margin) and should have answered target[lane], with an example of this weight.
  void meet(const Answers& answers, const double* target, double weight, double* wrong) {
    judge_numbers(answers.vote.data(), answers.margin.data(), target, fading, on ? weight : 0.0,
                  {miss[0], seen[0], error_weight[0], absolute_error[0], squared_error[0]}, wrong, miss.lanes());
  }

  void fields(FieldVisitor& v) {
    v("miss", miss);
    v("seen", seen);
    if (!on) return;
    v("error_weight", error_weight);
    v("absolute_error", absolute_error);
    v("squared_error", squared_error);
  }
  void check() const {
    for (std::size_t i = 0; i < miss.lanes(); ++i) {
      require(miss[0][i] >= 0 && seen[0][i] >= 0 && seen[0][i] <= 1001, "recent errors of a lane");
      require(error_weight[0][i] >= 0 && absolute_error[0][i] >= 0 && squared_error[0][i] >= 0, "errors of a lane");
    }
  }
};

// The mean of all targets so far.
struct TargetMean {
  AlignedVector<double> weight{0.0}, mean{0.0};
  double value() const { return weight[0] > 0 ? mean[0] : std::numeric_limits<double>::quiet_NaN(); }
  void add(double target, double w) {
    weight[0] += w;
    mean[0] += (target - mean[0]) * (w / weight[0]);
  }
  void fields(FieldVisitor& v) {
    v("target_weight", weight);
    v("target_mean", mean);
  }
  void check() const { require(weight[0] >= 0 && std::isfinite(mean[0]), "mean of the targets"); }
};

}  // namespace streamboost
