// Calibration: probabilities that hold, learned from what the vote answered and what then happened.
//
// Papers    Platt: Probabilistic outputs for support vector machines (1999); Gupta, Ramdas: Online Platt scaling with calibeating (2023);
//           Kull, Silva Filho, Flach: Beta calibration (2017); Hazan, Agarwal, Kale: Logarithmic regret algorithms (2007), for the step.
//
//   symbol   here          meaning
//   q        q             the vote's probabilities of before this example, clipped to [1e-6, 1 - 1e-6]
//   x        feature       platt: (ln q/(1-q), 1)      beta: (ln q, -ln(1-q), 1)      with q that of class code 1
//   theta    pair_         two classes: p = sigmoid(theta . x), from (1, 0) or (1, 1, 0): nothing is changed
//   A        pair_curve_   sum of s g g^T, g the gradient (p - y) x of the logarithmic loss; starts as 100 I
//   a, b     class_        more classes: p ~ exp(a_c ln q_c + b_c), from (1, 0); A is its diagonal there (class_curve_)
//   f        keep          what of the past is kept at each example, 2^(-1 / half life); 1: everything
//
//   A <- f A + (1 - f) 100 I + s g g^T        theta <- theta - 2 s A^-1 g, then slopes in [0, 20] and the intercept in [-20, 20]
//
// temperature  one slope on the vote and one on the shares of the classes, for all classes together, by stages/vote_scaling.hpp: the labels stay.
//            Two numbers need few lessons: after the first 512 rows eight of every 64 are learned from, by their numbers, each for eight rows, so
//            that nobody has to answer the others. Not with a half life below 500 rows.
// bins       (platt+bins) a hundred and one points on [0, 1] for each class: weight, sum of p, weight of the rows of the class. A row counts for
//            the two points beside its p, by nearness, and fades with a half life of 5,000 rows, or f's if that is shorter: what is left
//            after the scaling moves as the ensemble learns. The answer is p plus the gap (of the class - of p) / (weight + 8), between the
//            two points in proportion, kept within [1e-3, 1 - 1e-3] unless p was outside: what two parameters cannot fit is put right
//            where there is evidence. Calibeating as printed answers the frequency of an interval; the gap keeps apart what p tells apart.
//            Weights grow by 1 / fading a row instead of fading all points, and are scaled down now and then.
// Choices    A class that was not known when its row was answered teaches nothing. Slopes are never negative, so with two classes the
//            order of the rows stays. The number of classes known at a row says which of the two forms speaks.
// Cost       two logarithms and one exponential per class and row, twice that when learning.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "streamboost/data/config.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/solve.hpp"
#include "streamboost/stages/reliability.hpp"
#include "streamboost/stages/vote_scaling.hpp"

namespace streamboost {

// What is kept of the past at each example.
inline double keep_of(std::optional<double> half_life) { return half_life ? exp(-0.69314718055994530942 / *half_life) : 1.0; }

class Calibrator {
 public:
  struct Params {
    std::size_t n;  // parameters with two classes: platt 2, beta 3; 0: a temperature
    bool bins;
    double keep;
    double keep_each;  // over the rows that one lesson stands for, where lessons are few
    static Params read(const Config& c) {
      struct Method {
        std::size_t n;
        bool bins;
      };
      const auto method = c.choice<Method>(
          "calibration", {{"temperature", {0, false}}, {"platt", {2, false}}, {"beta", {3, false}}, {"platt+bins", {2, true}}});
      const double keep = keep_of(c.number_or_none("calibration_half_life"));
      double each = 1;
      for (int i = 0; i < rows_each; ++i) each *= keep;
      return {method.n, method.bins, keep, each};
    }
  };

  explicit Calibrator(Params params) : params_(params), pair_(params.n, 1.0), pair_curve_(params.n * params.n) {
    if (!pair_.empty()) pair_.back() = 0;
    for (std::size_t i = 0; i < params.n; ++i) pair_curve_[i * params.n + i] = start;
    if (params.bins) bins_.assign(1, 1.0);
  }

  bool keeps_labels() const { return params_.n == 0; }

  bool learns_from(std::int64_t number) const { return !few_lessons(number) || number % (rows_each * in_a_row) < in_a_row; }

  void reserve(int n_classes) {
    const auto k = static_cast<std::size_t>(n_classes);
    if (keeps_labels()) return scaling_.reserve(k);
    for (std::size_t c = class_.size() / 2; c < k; ++c) {
      class_.insert(class_.end(), {1.0, 0.0});
      class_curve_.insert(class_curve_.end(), {start, start});
    }
    if (params_.bins) bins_.resize(1 + k * n_points * 3);
  }

  // What one answer works with: [class] each.
  struct Work {
    std::vector<double> log_q, scaled;
    int voted = -1;
    void reserve(std::size_t n_classes) {
      log_q.resize(std::max<std::size_t>(2 * n_classes, 3));
      scaled.resize(n_classes);
    }
  };

  // p from q over at least two known classes, `voted` the class that the vote has answered; `work` is what `learn` wants to see again.
  void answer(const double* q, int known, int voted, Work& work, double* p) const {
    work.voted = voted;
    if (keeps_labels()) return scaling_.answer(q, known, voted, work.log_q.data(), work.scaled.data(), p);
    scale(q, known, work);
    for (int c = 0; c < known; ++c) p[c] = work.scaled[static_cast<std::size_t>(c)];
    if (!params_.bins) return;
    if (known == 2) {
      p[1] = steadied(1, p[1]);
      p[0] = 1 - p[1];
      return;
    }
    double sum = 0;
    for (int c = 0; c < known; ++c) sum += p[c] = steadied(static_cast<std::size_t>(c), p[c]);
    for (int c = 0; c < known; ++c) p[c] /= sum;
  }

  // An example whose label was known, and that is not learned from.
  void pass(int label, double weight) { scaling_.count(label, weight); }

  // The example of this number that was answered with these; its label was known.
  void learn(std::int64_t number, const double* q, const double* p, int known, int label, double weight, const Work& work) {
    // Votes that are no chances came in a message that lies: they teach nothing.
    if (!std::all_of(q, q + known, [](double chance) { return chance >= 0 && chance < 2; })) return;
    const bool few = few_lessons(number);
    const double keep = few ? params_.keep_each : params_.keep, lesson = few ? rows_each * weight : weight;
    before_.add(q, known, label, lesson, keep);
    after_.add(p, known, label, lesson, keep);
    if (params_.bins) count(known, label, weight, work);
    if (keeps_labels()) {
      scaling_.learn(q, work.log_q.data(), work.scaled.data(), known, work.voted, label, lesson, keep);
      scaling_.count(label, weight);
    } else if (known == 2) {
      learn_pair(label, weight, work);
    } else {
      learn_classes(known, label, weight, work);
    }
  }

  void write_report(ModelReport& report) const {
    static constexpr const char* names[2][3] = {{"calibration_slope", "calibration_intercept"},
                                                {"calibration_slope", "calibration_slope_of_rest", "calibration_intercept"}};
    for (std::size_t i = 0; i < params_.n; ++i) report.totals[names[params_.n - 2][i]] = pair_[i];
    if (keeps_labels()) {
      report.totals["temperature"] = scaling_.of_votes();
      report.totals["weight_of_shares"] = scaling_.of_shares();
    }
    before_.write_report(report, "raw_");
    after_.write_report(report, "");
  }

  void fields(FieldVisitor& v) {
    if (keeps_labels()) {
      scaling_.fields(v);
    } else {
      v("pair", pair_);
      v("pair_curve", pair_curve_);
      v("class", class_);
      v("class_curve", class_curve_);
    }
    if (params_.bins) v("frequency", bins_);
    before_.fields(v, "bins_before", "losses_before");
    after_.fields(v, "bins_after", "losses_after");
  }
  void check() const {
    const std::size_t n = params_.n;
    scaling_.check();
    for (std::size_t i = 0; i < n; ++i) {
      require(pair_[i] >= (i + 1 < n ? 0 : -most) && pair_[i] <= most, "scaling of probabilities");
      require(pair_curve_[i * n + i] > 0, "curvature of a scaling");
      for (std::size_t j = 0; j < i; ++j) {
        const double off = pair_curve_[i * n + j];
        require(off == pair_curve_[j * n + i], "curvature of a scaling");
        require(off * off <= pair_curve_[i * n + i] * pair_curve_[j * n + j] * (1 + 1e-9), "curvature of a scaling");
      }
    }
    for (std::size_t i = 0; i < class_.size(); ++i) {
      require(class_[i] >= (i % 2 == 0 ? 0 : -most) && class_[i] <= most, "scaling of probabilities");
      require(class_curve_[i] > 0, "curvature of a scaling");
    }
    if (params_.bins) require(bins_[0] >= 1e-9 && bins_[0] <= 2 * largest_unit, "weight of a row among frequencies");
    for (std::size_t i = 1; i + 2 < bins_.size(); i += 3)
      for (std::size_t j = 1; j < 3; ++j) require(bins_[i + j] >= 0 && bins_[i + j] <= bins_[i] * (1 + 1e-9), "frequencies of a class");
    before_.check();
    after_.check();
  }

 private:
  static constexpr double start = 100, most = 20, rim = 1e-3, least = Reliability::least;
  static constexpr double pull = 8, largest_unit = 1e6, fading = 0.99986138;  // 2^(-1 / 5000)
  static constexpr std::size_t n_points = 101;
  static constexpr int rows_each = 8, in_a_row = 8, n_first = 512;  // rows of a lesson, lessons in a row, rows that are all learned from

  bool few_lessons(std::int64_t number) const { return keeps_labels() && params_.keep > 0.9986 && number >= n_first; }

  // The point below p and how near p is to the next one.
  struct Place {
    std::size_t point;
    double above;
  };
  static Place place(double p) {
    const double at = p * (n_points - 1);
    const std::size_t point = std::min(static_cast<std::size_t>(at), n_points - 2);
    return {point, at - static_cast<double>(point)};
  }
  static double gap(const double* bin, double held) { return (bin[2] - bin[1]) / (bin[0] + held); }

  // p and the mean gap between it and the class where p was like this.
  double steadied(std::size_t label, double p) const {
    const Place at = place(p);
    const double *bin = bins_.data() + 1 + 3 * (label * n_points + at.point), held = pull * bins_[0];
    const double moved = p + ((1 - at.above) * gap(bin, held) + at.above * gap(bin + 3, held));
    return std::clamp(moved, std::min(p, rim), std::max(p, 1 - rim));
  }

  void scale(const double* q, int known, Work& work) const {
    double* x = work.log_q.data();
    if (known == 2) {
      const double one = std::clamp(q[1], least, 1 - least), up = log(one), down = log1p(-one);
      double z;
      if (params_.n == 2) {
        x[0] = up - down;
        x[1] = 1;
        z = pair_[0] * x[0] + pair_[1];
      } else {
        x[0] = up;
        x[1] = -down;
        x[2] = 1;
        z = (pair_[0] * x[0] + pair_[1] * x[1]) + pair_[2];
      }
      work.scaled[1] = sigmoid(z);
      work.scaled[0] = 1 - work.scaled[1];
      return;
    }
    double highest = -detail::infinity, sum = 0;
    for (int c = 0; c < known; ++c) {
      const auto at = static_cast<std::size_t>(c);
      x[c] = log(std::clamp(q[c], least, 1 - least));
      work.scaled[at] = class_[2 * at] * x[c] + class_[2 * at + 1];
      highest = std::max(highest, work.scaled[at]);
    }
    for (int c = 0; c < known; ++c) {
      double& p = work.scaled[static_cast<std::size_t>(c)];
      sum += p = exp(p - highest);
    }
    for (int c = 0; c < known; ++c) work.scaled[static_cast<std::size_t>(c)] /= sum;
  }

  void count(int known, int label, double weight, const Work& work) {
    const auto add = [&](double* bin, double w, double p, bool hit) {
      bin[0] += w;
      bin[1] += w * p;
      if (hit) bin[2] += w;
    };
    age();
    for (int c = known == 2 ? 1 : 0; c < known; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const double p = work.scaled[at];
      const Place near = place(p);
      double* bin = bins_.data() + 1 + 3 * (at * n_points + near.point);
      add(bin, bins_[0] * weight * (1 - near.above), p, c == label);
      add(bin + 3, bins_[0] * weight * near.above, p, c == label);
    }
  }
  // One row later: the next one weighs more.
  void age() {
    bins_[0] /= std::min(params_.keep, fading);
    if (bins_[0] < largest_unit) return;
    for (std::size_t i = 1; i < bins_.size(); ++i) bins_[i] /= largest_unit;
    bins_[0] /= largest_unit;
  }

  double grown(double curve, double gradient, double weight) const {
    return params_.keep * curve + (1 - params_.keep) * start + weight * (gradient * gradient);
  }
  // Slopes come first, the intercept last.
  static double clipped(double x, bool slope) { return std::clamp(x, slope ? 0.0 : -most, most); }

  void learn_pair(int label, double weight, const Work& work) {
    const std::size_t n = params_.n;
    double g[3], step[3], A[9];
    for (std::size_t i = 0; i < n; ++i) g[i] = (work.scaled[1] - label) * work.log_q[i];
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j)
        pair_curve_[i * n + j] = pair_curve_[j * n + i] = params_.keep * pair_curve_[i * n + j] + weight * (g[i] * g[j]);
      pair_curve_[i * n + i] = grown(pair_curve_[i * n + i], g[i], weight);
      step[i] = 2 * weight * g[i];
    }
    std::copy(pair_curve_.begin(), pair_curve_.end(), A);
    solve_definite(A, step, n);
    for (std::size_t i = 0; i < n; ++i) pair_[i] = clipped(pair_[i] - step[i], i + 1 < n);
  }

  void learn_classes(int known, int label, double weight, const Work& work) {
    for (int c = 0; c < known; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const double error = work.scaled[at] - (c == label ? 1.0 : 0.0);
      const double g[2] = {error * work.log_q[at], error};
      for (std::size_t i = 0; i < 2; ++i) {
        double& curve = class_curve_[2 * at + i];
        curve = grown(curve, g[i], weight);
        class_[2 * at + i] = clipped(class_[2 * at + i] - 2 * weight * g[i] / curve, i == 0);
      }
    }
  }

  Params params_;
  VoteScaling scaling_;
  AlignedVector<double> pair_, pair_curve_;    // two classes: parameters, and [parameter][parameter]
  AlignedVector<double> class_, class_curve_;  // more: slope and intercept of each class
  AlignedVector<double> bins_;                 // the weight of a row now; then [class][point]: weight, of p, of the class
  Reliability before_, after_;                 // of the vote's probabilities and of ours
};

}  // namespace streamboost
