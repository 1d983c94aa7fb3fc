// Hedge over the prefixes of an ensemble: expert i says the sign of the first i learners' vote.
//
// Papers    Freund, Schapire 1997; Chen, Lin, Lu 2012 (OSBoost.EXP); Beygelzimer, Kale, Luo 2015 (AdaBoost.OL).
//
//   L_i += s 1{expert i wrong}        p_i ~ exp(-eta_t L_i)        s the sample weight
//   vote     the side with the larger share of p          sample   an expert drawn from p (purpose 4)
//   best     the expert with the least loss, the first of equals     full     the last expert: no Hedge in the answer
//
// The probability of class +1 is the share of p that says so, whatever the mode: under `sample` it is the chance of that answer.
// Cost        O(n) per example, n exponentials where the shares are needed. State: L.
//
// column = [prefix votes, padded | work, padded]
#pragma once
#include <algorithm>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/math/kernels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

class Hedge {
 public:
  enum class Mode { vote, sample, best, full };
  Mode mode = Mode::vote;

  Hedge(Mode m, const Ensemble& ensemble) : mode(m), seed_(ensemble.seed), n_(static_cast<std::size_t>(ensemble.n_estimators)), loss_(n_) {}
  static Mode read(const Config& c) {
    return c.choice<Mode>("hedge", {{"vote", Mode::vote}, {"sample", Mode::sample}, {"best", Mode::best}, {"full", Mode::full}});
  }

  // The share of p that answers +1. Writes the work half of the column.
  double share_of_plus(double* column, double eta) const {
    double* p = column + padded(n_);
    weights(p, eta);
    return hedge_share(column, p, n_);
  }

  // The index of the expert that speaks alone; after share_of_plus, whose weights it reads.
  std::size_t speaker(const double* column, std::int64_t number) const {
    if (mode == Mode::full) return n_ - 1;
    if (mode == Mode::best) return static_cast<std::size_t>(std::min_element(loss_.begin(), loss_.end()) - loss_.begin());
    const double* p = column + padded(n_);
    double sum = 0, reached = 0;
    for (std::size_t i = 0; i < n_; ++i) sum += p[i];
    const double drawn = uniform({seed_, static_cast<std::uint64_t>(number), 0, Purpose::hedge}) * sum;
    for (std::size_t i = 0; i < n_; ++i) {
      reached += p[i];
      if (drawn < reached) return i;
    }
    return n_ - 1;
  }

  // The verdict, and the share of class +1.
  double to_verdict(double* column, double eta, std::int64_t number, Verdict& verdict) const {
    const double plus = share_of_plus(column, eta);
    const double margin = mode == Mode::vote ? 2 * plus - 1 : column[speaker(column, number)] > 0 ? 1.0 : -1.0;
    verdict.set_margin(margin, plus);
    return plus;
  }

  void learn(const double* column, double y, double sample_weight) { hedge_losses(column, y, sample_weight, loss_.data(), n_); }

  double least_loss() const { return *std::min_element(loss_.begin(), loss_.end()); }
  std::size_t size() const { return n_; }

  void write_report(ModelReport& report, double eta) const {
    const double least = least_loss();
    auto& losses = report.lanes["expert_loss"];
    auto& logs = report.lanes["hedge_log_weight"];  // of the coming round, the best expert at 0
    for (std::size_t i = 0; i < n_; ++i) {
      losses.push_back(loss_[i]);
      logs.push_back(-eta * (loss_[i] - least));
    }
  }
  void fields(FieldVisitor& v) { v("expert_loss", loss_); }
  void check() const {
    for (double loss : loss_) require(loss >= 0, "losses of the experts");
  }

 private:
  void weights(double* p, double eta) const {
    hedge_exponents(loss_.data(), eta, p, n_);
    exp_lanes(p, p, n_);
  }
  std::uint64_t seed_;
  std::size_t n_;
  AlignedVector<double> loss_;
};

}  // namespace streamboost
