// What a bank says about why its lanes answered as they did, in closed form.
//
// A lane's answer is split into a base and one contribution for each column, which add up to it. Ensembles whose score is a weighted sum
// of their lanes' answers add these with the weights of the lanes (run/pipeline.hpp).
//
//   answer       two classes: that of `label` less that of the other (a margin, the difference of two probabilities, or +-1 for a vote);
//                more: the probability of `label`, or 1 for a vote for it
//   chords       a learner that adds up scores z_c = z0_c + sum_j t_jc and answers f(z) has the base f(z0); its columns share
//                f(z) - f(z0) as they moved the scores. With two classes f depends on z_1 - z_0 alone and column j gets
//                (t_j1 - t_j0) (f(z) - f(z0)) / ((z_1 - z_0) - (z0_1 - z0_0)). With more classes the differences to the score of `label`
//                move one after the other, in the order of codes, each along its own chord: for two classes that is the same.
//   trees        learners/tree_shap.hpp
#pragma once
#include <vector>

#include "streamboost/learners/bank.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

// What is asked of every lane.
struct ExplainRequest {
  Request of = Request::votes;  // what the lanes were asked for
  bool hard = false;            // margins that are votes
  int label = 1, n_classes = 2;
  bool shapley = false;  // exact Shapley values, or nothing

  bool votes() const { return hard || of == Request::votes; }
  bool two() const { return n_classes == 2; }
  // What a class code stands for as an answer; -1: a lane that abstains.
  double of_vote(int code) const {
    if (code < 0) return hard && two() ? (label == 0 ? 1.0 : -1.0) : 0.0;
    return code == label ? 1.0 : two() ? -1.0 : 0.0;
  }
  // What a leaf answers that has seen these weights of the classes.
  double of_masses(const double* mass, double alpha) const {
    double total = 0, highest = 0;
    int best = -1;
    for (int c = 0; c < n_classes; ++c) {
      total += mass[c];
      if (mass[c] > highest) highest = mass[best = c];
    }
    if (votes()) return of_vote(best);
    if (!(total > 0)) return 0;
    return (two() ? 2 * mass[label] - total : mass[label] + alpha) / (total + n_classes * alpha);
  }
  double said(const Answers& answers, std::size_t i) const {
    if (of == Request::margins) return label == 1 ? answers.margin[i] : -answers.margin[i];
    if (of == Request::votes) return of_vote(answers.vote[i]);
    const auto p = [&](int c) { return answers.distribution[static_cast<std::size_t>(c) * answers.stride + i]; };
    return two() ? p(label) - p(1 - label) : p(label);
  }
};

struct Explained {
  double base = 0;
  double* column = nullptr;  // [column], added to
  std::vector<double> work;
};

// The chords of one lane. live[c]: whether class c takes part; of two both must, of more the label. whole: what the live classes share.
class Chords {
 public:
  explicit Chords(const ExplainRequest& question)
      : question_(question), slope_(static_cast<std::size_t>(question.n_classes)), distance_(slope_.size()) {}

  // Gives f(start); slope(c) is what a step of z_c counts for.
  template <class Start, class End>
  double draw(const Start& start, const End& end, const char* live, double whole) {
    const int l = question_.label;
    std::fill(slope_.begin(), slope_.end(), 0.0);
    for (int c = 0; c < question_.n_classes; ++c) distance_[index(c)] = live[c] ? start(c) - start(l) : 0.0;
    const double first = answer(live, whole);
    double before = first;
    for (int c = 0; c < question_.n_classes; ++c) {
      if (c == l || !live[c]) continue;
      const double to = end(c) - end(l), step = to - distance_[index(c)];
      distance_[index(c)] = to;
      const double after = answer(live, whole);
      if (step != 0) {
        slope_[index(c)] = (after - before) / step;
        slope_[index(l)] -= slope_[index(c)];
      }
      before = after;
    }
    last_ = before;
    return first;
  }
  double slope(int c) const { return slope_[index(c)]; }
  double last() const { return last_; }  // f(end)

 private:
  static std::size_t index(int c) { return static_cast<std::size_t>(c); }
  double answer(const char* live, double whole) const {
    const int l = question_.label;
    if (question_.votes()) {
      for (int c = 0; c < question_.n_classes; ++c)
        if (c != l && live[c] && (distance_[index(c)] > 0 || (distance_[index(c)] == 0 && c < l))) return question_.two() ? -1.0 : 0.0;
      return 1;
    }
    if (question_.two()) return -streamboost::tanh(0.5 * distance_[index(1 - l)]);
    double sum = 1;
    for (int c = 0; c < question_.n_classes; ++c)
      if (c != l && live[c]) sum += streamboost::exp(std::min(distance_[index(c)], 700.0));
    return whole / sum;
  }

  const ExplainRequest& question_;
  std::vector<double> slope_, distance_;  // [class]; of its score from the label's
  double last_ = 0;
};

}  // namespace streamboost
