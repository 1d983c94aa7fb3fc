// AdaBoost.M1: the batch phase of primed boosting, and by itself the batch counterpart of Oza's online boosting.
//
// Papers    Freund, Schapire: Experiments with a new boosting algorithm (1996); Oza: thesis (2001), figure 4.1.
//
//   paper        here             meaning
//   D_m(n)       BatchPhase::share     weight of row n for learner m; sums to 1
//   epsilon_m    eps              share of the rows that learner m, trained on them, gets wrong
//   N            W                sum of the sample weights s (the number of rows without them): D_1(n) = s_n / W
//
//   learner m learns every row once, in presented order, with weight W D_m(n) (n_passes times over, where order matters);
//   resample: it learns N rows instead, drawn by D_m, one after the other as they were drawn (the same ones n_passes times over);
//   epsilon_m = sum of D_m(n) over the rows it gets wrong;
//   right rows: D /= 2 (1 - epsilon), wrong rows: D /= 2 epsilon, so that each kind holds half of the weight;
//   epsilon >= 1/2: the learner is dropped and the phase ends. epsilon = 0: it is kept and the phase ends.
//   Left behind: sum_correct = W (1 - epsilon), sum_wrong = W epsilon, which is what votes, and what an online phase goes on with.
//
// Choices     Weights have mean 1, not sum 1: a learner that goes on online would forget counts that sum to 1 at the next example.
//             keep_one: a first learner with epsilon >= 1/2 is kept with that error, so that there is something to update.
//             Both groups are scaled by their own sums, so D cannot drift. A lane never reached has both sums 0.
// Draws       draw j of learner i is the row at which the running sum of D passes u times its total, u keyed by (seed, j, i, purpose 1).
// Cost        per learner two or three passes over the rows with one block of lanes (16 lanes by default: see make_model).
#pragma once
#include <algorithm>

#include "streamboost/data/batch_phase.hpp"
#include "streamboost/ensembles/booster.hpp"
#include "streamboost/ensembles/oza.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

struct AdaBoostM1 {
  bool keep_one = false;
  int n_passes = 1;
  bool resample = false;
  std::uint64_t seed = 0;

  void batch_phase(BatchPhase& batch_phase, Block<OzaBoost::LaneState>& block, Scratch& scratch) const {
    const BankHandle& bank = block.bank;
    const Lanes lanes = block.lanes();
    if (lanes.begin == 0) begin(batch_phase);
    std::vector<char> right(batch_phase.example.size());
    for (int i = 0; i < lanes.size() && !batch_phase.stopped; ++i) {
      teach(batch_phase, bank, lanes.begin, i, scratch);
      double correct = 0, wrong = 0;
      for (std::size_t n = 0; n < batch_phase.example.size(); ++n) {
        bank->ask(batch_phase.example[n], Request::votes, scratch.answers);
        right[n] = scratch.answers.vote[static_cast<std::size_t>(i)] == batch_phase.example[n].label;
        (right[n] ? correct : wrong) += batch_phase.share[n];
      }
      const bool bad = wrong >= correct, kept = !bad || (keep_one && lanes.begin + i == 0);
      batch_phase.stopped = bad || wrong == 0;
      if (!kept) {
        bank->reset(i, bank->birth(i));
        break;
      }
      const double error = wrong / (correct + wrong);
      block.state.sum_correct[0][i] = batch_phase.weight * (1 - error);
      block.state.sum_wrong[0][i] = batch_phase.weight * error;
      if (batch_phase.stopped) break;
      for (std::size_t n = 0; n < batch_phase.example.size(); ++n) batch_phase.share[n] *= 0.5 / (right[n] ? correct : wrong);
    }
  }

 private:
  static void begin(BatchPhase& batch_phase) {
    batch_phase.share.clear();
    for (const Example& example : batch_phase.example) batch_phase.share.push_back(example.weight / batch_phase.weight);
  }

  void teach(const BatchPhase& batch_phase, const BankHandle& bank, int first, int lane, Scratch& scratch) const {
    std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
    const std::vector<std::size_t> drawn = resample ? draw(batch_phase, first + lane) : std::vector<std::size_t>();
    bank.batch_begin();
    for (int pass = 0; pass < n_passes; ++pass)
      for (std::size_t n = 0; n < batch_phase.example.size(); ++n) {
        const Example& example = batch_phase.example[resample ? drawn[n] : n];
        scratch.amount[static_cast<std::size_t>(lane)] = resample ? 1.0 : batch_phase.weight * batch_phase.share[n];
        bank->ask(example, Request::votes, scratch.answers);
        bank->learn(example, {example.label}, scratch.amount.data(), resample ? Amount::copies : Amount::weight, scratch.answers);
      }
    bank.batch_end();
  }

  std::vector<std::size_t> draw(const BatchPhase& batch_phase, int learner) const {
    std::vector<double> sum;
    std::vector<std::size_t> drawn;
    double total = 0, u = 0;
    for (const double share : batch_phase.share) sum.push_back(total += share);
    for (std::size_t j = 0; j < sum.size(); ++j) {
      uniform_lanes(seed, j, static_cast<std::uint32_t>(learner), Purpose::poisson, &u, 1);
      const auto row = static_cast<std::size_t>(std::upper_bound(sum.begin(), sum.end(), u * total) - sum.begin());
      drawn.push_back(std::min(row, sum.size() - 1));
    }
    return drawn;
  }
};

}  // namespace streamboost
