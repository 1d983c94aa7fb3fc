// Why a pipeline answered as it did, in closed form: where its score is a weighted sum of what the lanes said, and the learners can say
// what their answers are made of (learners/explained.hpp).
#include <algorithm>
#include <cmath>

#include "streamboost/run/pipeline.hpp"

namespace streamboost {
namespace {

// What rounding (and bounds on log odds) have left between the sum and the score goes to the columns by their size; returns the base.
double settle(double base, double score, double* contributions, std::size_t width) {
  double sum = base, whole = 0;
  for (std::size_t j = 0; j < width; ++j) {
    sum += contributions[j];
    whole += std::fabs(contributions[j]);
  }
  if (!(whole > 0)) return score;
  for (std::size_t j = 0; j < width; ++j) contributions[j] += std::fabs(contributions[j]) / whole * (score - sum);
  return base;
}

}  // namespace

[[gnu::cold]] std::optional<ExplainedScore> Pipeline::explain(const RowBlock& row, int label, bool shapley, double* contributions) const {
  require_sound();
  const int known = intake_.n_classes_known();
  if (!runner_->traits.vote_weights || known < 2 || part() || needs_gil() || label >= known) return std::nullopt;
  CallMemory memory;
  prepare(memory, 1);
  Chunk& work = *memory.chunk;
  work.begin(0, 1);
  Example& example = work.example[0];
  intake_.look(row.row(0), work.row[0], example);
  runner_->open_to_answer(work);
  for (std::size_t b = 0; b < blocks_.size(); ++b) runner_->score(*blocks_[b], work, memory.scratch[b]);
  runner_->verdict(work);
  const double* score = work.score.data();
  ExplainedScore explained;
  explained.label = label >= 0 ? label : known == 2 ? 1 : static_cast<int>(std::max_element(score, score + known) - score);
  explained.score = score[explained.label] - (known == 2 ? score[1 - explained.label] : 0.0);
  const double size = runner_->votes_size(work);
  Explained out;
  out.column = contributions;
  runner_->open_to_answer(work);  // the passage begins anew
  for (std::size_t b = 0; b < blocks_.size() && size > 0; ++b) {
    AlignedVector<double> weight(memory.scratch[b].amount.size());
    const VoteWeights votes = runner_->vote_weights(*blocks_[b], work, memory.scratch[b], weight.data());
    const Explains* learners = blocks_[b]->bank.can().explain;
    if (!votes.linear || learners == nullptr) return std::nullopt;
    for (double& w : weight) w /= size;
    const ExplainRequest request{votes.of, votes.hard, explained.label, known, shapley};
    if (!learners->explain(example, request, weight.data(), memory.scratch[b].answers, out)) return std::nullopt;
  }
  const auto width = static_cast<std::size_t>(intake_.schema().width());
  explained.base = size > 0 ? settle(out.base, explained.score, contributions, width) : explained.score;
  return explained;
}

}  // namespace streamboost
