// The smallest useful bank, a template for new ones: every learner answers the class that weighed most in what it was given.
// docs/extending.md walks through it; test_majority_bank.cpp runs it under real boosters.
#pragma once
#include "streamboost/data/config.hpp"
#include "streamboost/learners/bank.hpp"

namespace streamboost {

class MajorityBank final : public Bank, public AnswersAfter {
 public:
  struct Params {
    static Params read(const Config&) { return {}; }  // parameters come from the Python class, already judged there
  };

  MajorityBank(Params, Lanes lanes, std::uint64_t /*seed*/ = 0) : lanes_(lanes), n_(static_cast<std::size_t>(lanes.size())) {}

  Lanes lanes() const override { return lanes_; }
  IntakeNeeds needs() const override { return {}; }  // raw rows: not one-hot, not scaled
  std::unique_ptr<Bank> copy() const override { return std::make_unique<MajorityBank>(*this); }
  double least_numbers(const Schema& schema) const override { return schema.n_classes; }  // per lane, in a file
  Abilities abilities() override { return abilities_of(*this); }                          // what it has besides: here, AnswersAfter
  bool trained(int lane) const override { return best(static_cast<std::size_t>(lane), weight_.rows()).second > 0; }

  void reserve(const Schema& schema) override {  // the only place that allocates
    const auto k = static_cast<std::size_t>(schema.n_classes);
    if (weight_.lanes() == 0) weight_ = LaneArray<double>(k, n_);
    weight_.append(k - weight_.rows());
  }

  void ask(const Example& example, Request want, Answers& answers) const override {
    const auto k = static_cast<std::size_t>(example.n_classes);
    for (std::size_t i = 0; i < n_; ++i) {
      const double all = total(i, k);
      answers.vote[i] = best(i, k).first;
      if (want == Request::margins) answers.margin[i] = k > 1 && all > 0 ? (weight_[1][i] - weight_[0][i]) / all : 0.0;
      if (want == Request::distributions)
        for (std::size_t c = 0; c < k; ++c) answers.distribution[c * answers.stride + i] = all > 0 ? weight_[c][i] / all : 0.0;
    }
    answers.change = Change::right_stays_right;  // more of a class never makes it less than the others
  }

  void learn(const Example& example, Labels labels, const double* amount, Amount, Answers&) override {
    for (std::size_t i = 0; i < n_; ++i)  // counting treats a weight and as many copies alike
      weight_[static_cast<std::size_t>(labels.of(static_cast<int>(i)))][i] += amount[i];
    (void)example;
  }

  // What lane i would answer had it learned the example already: pure, so that boosters can weigh before they teach.
  Answer after(int lane, const Example& example, double amount, Amount, const Answers&) const override {
    const auto i = static_cast<std::size_t>(lane), k = static_cast<std::size_t>(example.n_classes_after);
    Answer answer;
    double most = 0, all = 0, margin = 0;
    for (std::size_t c = 0; c < k; ++c) {
      const double w = weight_[c][i] + (static_cast<int>(c) == example.label ? amount : 0.0);
      all += w;
      margin += c == 1 ? w : -w;
      if (w > most) most = w, answer.label = static_cast<int>(c);
    }
    if (k == 2 && all > 0) answer.margin = margin / all;
    return answer;
  }

  void check() const override {
    for (std::size_t c = 0; c < weight_.rows(); ++c)
      for (std::size_t i = 0; i < n_; ++i)
        if (!(weight_[c][i] >= 0 && weight_[c][i] < 1e300)) throw std::invalid_argument("a class weight is out of range");
  }

 protected:
  void begin(int lane) override { weight_.fill_lane(static_cast<std::size_t>(lane), 0.0); }  // a new-born learner
  void exchange(int lane, Bank& other) override {                                            // learners change places
    weight_.swap_lane(static_cast<std::size_t>(lane), static_cast<MajorityBank&>(other).weight_);
  }
  void fields(FieldVisitor& v) override { v("class_weight", weight_); }  // saving, loading, memory, comparing: all from this line

 private:
  double total(std::size_t i, std::size_t k) const {
    double all = 0;
    for (std::size_t c = 0; c < k; ++c) all += weight_[c][i];
    return all;
  }
  std::pair<int, double> best(std::size_t i, std::size_t k) const {  // ties: the lowest code; untrained: -1
    std::pair<int, double> most{-1, 0.0};
    for (std::size_t c = 0; c < k; ++c)
      if (weight_[c][i] > most.second) most = {static_cast<int>(c), weight_[c][i]};
    return most;
  }

  Lanes lanes_;
  std::size_t n_;
  LaneArray<double> weight_;  // [class][lane]
};

}  // namespace streamboost
