// Linear regression that needs no tuning: the scale-free learner of learners/logistic.hpp with the squared loss.
//
// Papers    Karampatziakis, Langford: Online importance weight aware updates (2011); Ross, Mineiro, Langford: Normalized online
//           learning (2013).
//
//   t, u, Q, n   row.value, row.teach, row.squared_norm, row.n_rows     the row, rates times row, their product, rows so far
//   m, s         count_, mean_, spread_    running mean and deviation of the lane's targets, the one at hand included, which counts once
//                                          whatever its weight; from the 20th on a target is pulled in to `clip` deviations
//   y            (target - m) / s          what is learned; 0 while all targets were equal
//   z_i          notes                     sum_j W_ji t_j;  answer: m + s z, within the range of the targets seen
//   B_i          squares_                  sum of w g^2, g = y - z
//   S            logistic_time             w Q kappa sqrt(v n / B), v = 1;  k copies: w = k
//   D            g (1 - e^-S)              how far the step moves z: never past y, however large w;  W_j += (D / Q) u_j
//
// Choices     Each lane has statistics of its own targets: boosting teaches every lane another one. They are those of plain weights, so
//             lanes that learn the same rows agree.
// Cost        two passes over the weights of the row's nonzeros; per lane one exponential, three roots and five divisions.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "streamboost/learners/linear_regression_kernels.hpp"
#include "streamboost/learners/linear_table.hpp"

namespace streamboost {

struct LinearRegressionParams : LinearTableParams {
  double rate_spread, target_clip;
  static LinearRegressionParams read(const Config& c) {
    LinearRegressionParams p{};
    p.read_table(c);
    p.needs.scale = c.choice<Scale>(
        "scale", {{"auto", Scale::automatic}, {"none", Scale::none}, {"maxabs", Scale::maxabs}, {"standard", Scale::standard}});
    p.needs.clip = p.target_clip = c.number_or_none("clip").value_or(std::numeric_limits<double>::infinity());
    p.needs.unit_ball = false;
    p.needs.rates = true;
    p.needs.rate = c.number("learning_rate");
    p.needs.squared_slope = 1;
    p.rate_spread = c.number("learning_rate_spread");
    return p;
  }
};

template <class Real>
class LinearRegressionBank final : public LinearTable<Real> {
 public:
  using Params = LinearRegressionParams;

  LinearRegressionBank(const Params& params, Lanes lanes, int n_estimators, std::uint64_t seed)
      : LinearTable<Real>(params, lanes, n_estimators, seed, padded(static_cast<std::size_t>(lanes.size()))),
        clip_(params.target_clip),
        pace_(rate_paces(params.rate_spread, lanes)),
        squares_(1, n_),
        count_(1, n_),
        mean_(1, n_),
        spread_(1, n_),
        low_(1, n_),
        high_(1, n_) {}

  Abilities abilities() override {
    Abilities all = abilities_of(*this);
    all.numbers = true;
    return all;
  }
  NoteRoom make_notes() const override { return {4, nullptr}; }  // z, step, Q, deviation of the targets
  std::unique_ptr<Bank> copy() const override { return std::make_unique<LinearRegressionBank>(*this); }
  double least_numbers(const Schema& schema) const override { return this->weights_of(schema, 1) + 7; }

  void reserve(const Schema& schema) override {
    Journal unread;
    if (this->grow_table(schema, 1, unread))
      for (std::size_t lane = 0; lane < n_; ++lane) begin(static_cast<int>(lane));
  }

  void grow(const Schema& schema, Journal& journal) override { this->grow_table(schema, 1, journal); }

  void ask(const Example& example, Request, Answers& answers) const override {
    linear_ask(weights_[0], cells(), entries(example.row), answers.notes.data());
    target_answers(answers.notes.data(), {count_[0], mean_[0], spread_[0], low_[0], high_[0]}, answers.notes.data() + 3 * stride_,
                   answers.margin.data(), stride_);
    for (std::size_t i = 0; i < n_; ++i) answers.vote[i] = trained_[0][i] != 0 ? 0 : -1;
  }

  void learn(const Example& example, Labels truth, const double* amount, Amount, Answers& answers) override {
    double *z = answers.notes.data(), *step = z + stride_, *product = step + stride_, *trained = trained_[0];
    for (std::size_t i = 0; i < stride_; ++i) trained[i] = amount[i] > 0 ? 1.0 : trained[i];
    const Entries lesson{example.row.teach, example.row.index, example.row.size};
    if (mask_.rows() == 0)
      std::fill_n(product, stride_, example.row.squared_norm);
    else
      linear_masked_norm(mask_[0], stride_, entries(example.row), lesson.x, product);
    squared_steps(z, product + stride_, {truth.target, amount, product, pace_[0], example.row.n_rows, clip_, squares_[0]},
                  {count_[0], mean_[0], spread_[0], low_[0], high_[0]}, step, stride_);
    this->teach(lesson, step);
  }

  void check() const override {
    this->check_trained();
    for (std::size_t i = 0; i < n_; ++i) {
      require(squares_[0][i] >= 0, "sum of squared slopes");
      require(count_[0][i] >= 0 && (trained_[0][i] != 0) == (count_[0][i] > 0), "number of targets");
      require(std::isfinite(mean_[0][i]) && std::isfinite(spread_[0][i]) && spread_[0][i] >= 0, "statistics of the targets");
      require(std::isfinite(low_[0][i]) && std::isfinite(high_[0][i]) && low_[0][i] <= high_[0][i], "range of the targets");
    }
  }

 protected:
  void begin(int lane) override {
    this->start(static_cast<std::size_t>(lane), 1);
    for (LaneArray<double>* each : {&squares_, &count_, &mean_, &spread_, &low_, &high_})
      each->fill_lane(static_cast<std::size_t>(lane), 0);
  }
  void exchange(int lane, Bank& other) override {
    auto& them = static_cast<LinearRegressionBank&>(other);
    const auto i = static_cast<std::size_t>(lane);
    this->exchange_table(i, them);
    squares_.swap_lane(i, them.squares_);
    count_.swap_lane(i, them.count_);
    mean_.swap_lane(i, them.mean_);
    spread_.swap_lane(i, them.spread_);
    low_.swap_lane(i, them.low_);
    high_.swap_lane(i, them.high_);
  }
  void fields(FieldVisitor& v) override {
    v("weights", weights_);
    v("trained", trained_);
    v("squares", squares_);
    v("target_count", count_);
    v("target_mean", mean_);
    v("target_spread", spread_);
    v("target_low", low_);
    v("target_high", high_);
  }

 private:
  using Base = LinearTable<Real>;
  using Base::cells, Base::entries, Base::mask_, Base::n_, Base::stride_, Base::trained_, Base::weights_;

  double clip_;
  LaneArray<double> pace_;                                          // a function of the lane: not part of the state
  LaneArray<double> squares_, count_, mean_, spread_, low_, high_;  // spread: sum of squared deviations
};

}  // namespace streamboost
