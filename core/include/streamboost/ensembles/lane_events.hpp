// What an example did to each lane of a block: how it answered before it learned, what it was offered, what it was taught.
//
// A booster tells it once per block and example, in the form it has at hand (votes, margins or signs), before it teaches; the
// pipeline knows what was taught when the lanes have learned (Scratch::amount). Two read it: the sums for report() (lane_stats.hpp), and
// the guard against drift (drift/guard.hpp), which may act on a lane before the next example. Learning may depend on it only through state
// of the same lane, so that lanes can be cut into blocks anywhere.
#pragma once
#include "streamboost/ensembles/lane_stats.hpp"

namespace streamboost {

class LaneEvents {
 public:
  LaneStats stats;
  bool kept = false;  // whether wrong() is wanted

  bool heard() const { return stats.on || kept; }
  void reserve(std::size_t lanes) {
    stats.reserve(lanes);
    wrong_.assign(padded(lanes), 0.0);
  }

  // Labels, -1 where a lane is untrained; of the first n lanes, the others did not take part.
  void votes(const std::int32_t* vote, const double* offered, int label, std::size_t n) {
    stats.observe_votes(vote, offered, label, n);
    if (!kept) return;
    std::fill(wrong_.begin(), wrong_.end(), 0.0);
    for (std::size_t i = 0; i < std::min(n, wrong_.size()); ++i) wrong_[i] = vote[i] == label ? 0.0 : 1.0;
  }
  void votes(const std::int32_t* vote, const double* offered, int label) { votes(vote, offered, label, wrong_.size()); }
  // Two classes, y = +1 or -1. An untrained lane is wrong whatever its margin says; its margin is 0, or a sign, and then votes were asked.
  void margins(const Bank& bank, const Answers& answers, bool signs, const double* offered, double y) {
    stats.observe_margins(bank, answers, signs, offered, y);
    if (!kept) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(bank.lanes().size()); ++i) {
      const bool untrained = signs ? answers.vote[i] < 0 : answers.margin[i] == 0 && !bank.trained(static_cast<int>(i));
      wrong_[i] = untrained || (answers.margin[i] > 0) != (y > 0) ? 1.0 : 0.0;
    }
  }
  // Answers +1, 0 (untrained) and -1, or real ones, all offered the same weight.
  void signs(const double* c, double y, double offered) {
    stats.observe_signs(c, y, offered);
    if (!kept) return;
    for (std::size_t i = 0; i < wrong_.size(); ++i) wrong_[i] = c[i] * y > 0 ? 0.0 : 1.0;
  }

  // What a regressor's lanes answered is judged by itself (ensembles/residuals.hpp).
  double* judged() { return wrong_.data(); }

  // [lane]: 1 if the lane answered the example at hand wrong before learning it (an untrained lane is wrong), else 0.
  const double* wrong() const { return wrong_.data(); }

 private:
  AlignedVector<double> wrong_;
};

}  // namespace streamboost
