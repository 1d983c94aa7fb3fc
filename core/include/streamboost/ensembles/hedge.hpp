// Hedge: experts weighed by what they have lost. What experts say, and how that becomes an answer, is up to those who own one.
//
// Paper     Freund, Schapire: A decision-theoretic generalization of on-line learning and an application to boosting (1997).
//
//   L_i += s 1{expert i wrong}        p_i = exp(-eta (L_i - least L))        s the sample weight
//   vote     the answer with the largest share of p       sample   that of an expert drawn from p (purpose 4)
//   best     of the expert with the least loss, the first of equals     full     of the last expert: no Hedge in the answer
//
// Cost      O(n) per example, n exponentials where the shares are needed. State: L.
#pragma once
#include <algorithm>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/ensembles/booster_kernels.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

class Hedge {
 public:
  enum class Mode { vote, sample, best, full };

  Hedge(Mode mode, std::uint64_t seed, std::size_t n) : mode_(mode), seed_(seed), loss_(n, 0.0) {}

  Mode mode() const { return mode_; }
  std::size_t size() const { return loss_.size(); }
  const AlignedVector<double>& losses() const { return loss_; }
  double least_loss() const { return *std::min_element(loss_.begin(), loss_.end()); }

  // p, not divided by its sum.
  const double* weights(double eta, double* p) const {
    hedge_exponents(loss_.data(), eta, p, size());
    exp_lanes(p, p, size());
    return p;
  }

  // The expert that speaks alone, where it is not the vote of all.
  std::size_t speaker(const double* p, std::int64_t number) const {
    if (mode_ == Mode::full) return size() - 1;
    if (mode_ == Mode::best) return static_cast<std::size_t>(std::min_element(loss_.begin(), loss_.end()) - loss_.begin());
    double sum = 0, reached = 0;
    for (std::size_t i = 0; i < size(); ++i) sum += p[i];
    const double drawn = uniform({seed_, static_cast<std::uint64_t>(number), 0, Purpose::hedge}) * sum;
    for (std::size_t i = 0; i < size(); ++i) {
      reached += p[i];
      if (drawn < reached) return i;
    }
    return size() - 1;
  }

  void charge(std::size_t expert, double amount) { loss_[expert] += amount; }
  double* losses_to_charge() { return loss_.data(); }

  // What the weights of the coming round are, the best expert at 0.
  void write_report(ModelReport& report, double eta, const char* name) const {
    report.lane("expert_loss", loss_);
    auto& logs = report.lanes[name];
    const double least = least_loss();
    for (double loss : loss_) logs.push_back(-eta * (loss - least));
  }
  void fields(FieldVisitor& v) { v("expert_loss", loss_); }
  void check() const {
    for (double loss : loss_) require(loss >= 0, "losses of the experts");
  }

 private:
  Mode mode_;
  std::uint64_t seed_;
  AlignedVector<double> loss_;
};

// Two classes: expert i says the sign of column[i]. column = [what they say, padded | work, padded]
// The probability of class +1 is the share of p that says so, whatever the mode: under `sample` it is the chance of that answer.
class SignHedge : public Hedge {
 public:
  using Hedge::Hedge;
  static Mode read(const Config& c) {
    return c.choice<Mode>("hedge", {{"vote", Mode::vote}, {"sample", Mode::sample}, {"best", Mode::best}, {"full", Mode::full}});
  }

  // The share of p that answers +1. Experts that agree need no weights, and mostly they do; else the work half of the column has p.
  double share_of_plus(double* column, double eta) const {
    const std::size_t plus = count_positive(column, size());
    if (plus == 0 || plus == size()) return plus > 0 ? 1.0 : 0.0;
    return hedge_share(column, weights(eta, column + padded(size())), size());
  }

  // The verdict, and the share of class +1.
  double to_verdict(double* column, double eta, std::int64_t number, Verdict& verdict) const {
    const double plus = share_of_plus(column, eta);
    double margin = 2 * plus - 1;
    if (mode() != Mode::vote) {
      const double* p = mode() == Mode::sample ? weights(eta, column + padded(size())) : nullptr;
      margin = column[speaker(p, number)] > 0 ? 1.0 : -1.0;
    }
    verdict.set_margin(margin, plus);
    return plus;
  }

  void learn(const double* column, double y, double sample_weight) { hedge_losses(column, y, sample_weight, losses_to_charge(), size()); }
};

// Any number of classes: expert i says label(i). The rate is 1; `work` has room for a number per expert.
class LabelHedge : public Hedge {
 public:
  using Hedge::Hedge;
  static Mode read(const Config& c) {
    return c.choice<Mode>("hedge", {{"vote", Mode::vote}, {"sample", Mode::sample}, {"best", Mode::best}});
  }

  template <class Label>
  void to_verdict(std::int64_t number, int k, Label label, double* work, Verdict& verdict) const {
    const double* p = weights(1, work);
    double sum = 0;
    std::fill_n(verdict.proba, k, 0.0);
    for (std::size_t i = 0; i < size(); ++i) {
      sum += p[i];
      verdict.proba[label(i)] += p[i];
    }
    for (int c = 0; c < k; ++c) verdict.score[c] = verdict.proba[c] = verdict.proba[c] / sum;
    if (mode() == Mode::vote) return;
    std::fill_n(verdict.score, k, 0.0);
    verdict.score[label(speaker(p, number))] = 1;
  }

  // Returns the share of the experts that were wrong.
  template <class Label>
  double learn(int truth, double sample_weight, Label label, double* work) {
    const double* p = weights(1, work);
    double sum = 0, wrong = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      sum += p[i];
      if (label(i) == truth) continue;
      wrong += p[i];
      charge(i, sample_weight);
    }
    return wrong / sum;
  }
};

}  // namespace streamboost
