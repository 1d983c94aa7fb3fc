// Regressors that may differ by orders of magnitude in how good they are: a combination of their answers, and a referee over all.
//
//   combination  a_0 + sum_m beta_m d_m with d_m = a_m - a_0, by recursive least squares on what it missed:
//                s^2 a running mean of (y - a_0)^2,  z = clip(d / s, 5),  r = clip((y - combination) / s, 3),
//                H <- h H + w z z' + (1 - h) kept I,  beta <- beta + H^-1 w z r,  h = 1 - 1 / window
//   referee      the expert, or the combination, with the least faded sum of absolute errors speaks; the first of equals
//
// Where targets come `delay` examples late in use, a row in learning is answered by the pool of so many examples before, and the combination is
// judged by that answer.
//
// Cost: a system of as many equations as there are experts beside the first, per learned example.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "streamboost/data/config.hpp"
#include "streamboost/data/fields.hpp"
#include "streamboost/ensembles/past_weights.hpp"
#include "streamboost/math/solve.hpp"

namespace streamboost {

class RefereePool {
 public:
  static constexpr double prior = 20, kept = 4, most_difference = 5, most_missed = 3, spread_rows = 500;
  struct Params {
    double window, referee_window;
    std::int64_t delay;
    static Params read(const Config& c) { return {c.number("window"), c.number("referee_window"), c.whole("delay")}; }
  };

  RefereePool(Params p, std::size_t experts)
      : fading_(1 - 1 / p.window),
        forgetting_(1 - 1 / p.referee_window),
        m_(experts - 1),
        work_(m_),
        H_(m_ * m_, 0.0),
        beta_(m_, 0.0),
        missed_(experts + 1, 0.0),
        spread_(2, 0.0),
        past_(p.delay, AlignedVector<double>(m_ + 1, 0.0)) {
    for (std::size_t i = 0; i < m_; ++i) H_[i * m_ + i] = prior;
  }

  // What the combination says, and what is heard: that, or an expert. Now, or as of `delay` examples before example t.
  struct Said {
    double together, heard;
  };
  Said answer(const double* a) const { return said(a, beta_.data(), speaker()); }
  Said answer_before(std::int64_t t, const double* a) const {
    return past_.none() ? answer(a) : said(a, past_.before(t), static_cast<std::size_t>(past_.before(t)[m_]));
  }

  // Example t: the experts answered a, the combination `together`, and y was right. Nothing is learned where some expert had no answer.
  void learn(std::int64_t t, const double* a, double together, double y, double weight) {
    if (!past_.none()) *std::copy(beta_.begin(), beta_.end(), past_.before(t)) = static_cast<double>(speaker());
    for (std::size_t k = 0; k <= m_; ++k)
      if (!std::isfinite(a[k])) return;
    for (std::size_t k = 0; k <= m_ + 1; ++k) missed_[k] = forgetting_ * missed_[k] + weight * std::fabs(y - (k <= m_ ? a[k] : together));
    spread_[0] = std::min(spread_[0] + 1, spread_rows);
    spread_[1] += ((y - a[0]) * (y - a[0]) - spread_[1]) / spread_[0];
    const double s = std::sqrt(spread_[1]);
    if (s > 0 && std::isfinite(s)) step(a, (y - combination(a, beta_.data())) / s, s, weight);
  }

  const AlignedVector<double>& shares() const { return beta_; }
  const AlignedVector<double>& missed() const { return missed_; }
  void fields(FieldVisitor& v) {
    v("matrix", H_);
    v("share", beta_);
    v("missed", missed_);
    v("spread", spread_);
    past_.fields(v, "past");
  }
  void check() const {
    for (std::size_t i = 0; i < m_; ++i) require(H_[i * m_ + i] > 0, "matrix of the referee's pool");
    for (double x : missed_) require(x >= 0, "errors of the referee's pool");
    require(spread_[0] >= 0 && spread_[0] <= spread_rows && spread_[1] >= 0, "spread of the referee's pool");
    for (std::size_t i = m_; i < past_.all().size(); i += m_ + 1) {
      const double who = past_.all()[i];
      require(who >= 0 && who <= static_cast<double>(m_ + 1) && who == std::floor(who), "past speakers of the referee's pool");
    }
  }

 private:
  // Who speaks: an expert, or after them the combination.
  std::size_t speaker() const { return static_cast<std::size_t>(std::min_element(missed_.begin(), missed_.end()) - missed_.begin()); }
  double combination(const double* a, const double* beta) const {
    double answer = a[0];
    for (std::size_t k = 0; k < m_; ++k) answer += beta[k] * (a[k + 1] - a[0]);
    return answer;
  }
  Said said(const double* a, const double* beta, std::size_t who) const {
    const double together = combination(a, beta), heard = who <= m_ ? a[who] : together;
    return {together, std::isfinite(heard) ? heard : a[0]};
  }

  void step(const double* a, double missed, double s, double weight) {
    double *z = work_.z.data(), *x = work_.x.data();
    for (std::size_t i = 0; i < m_; ++i) {
      z[i] = std::clamp((a[i + 1] - a[0]) / s, -most_difference, most_difference);
      x[i] = weight * (z[i] * std::clamp(missed, -most_missed, most_missed));
    }
    for (std::size_t i = 0; i < m_; ++i) {
      for (std::size_t j = 0; j < m_; ++j) H_[i * m_ + j] = fading_ * H_[i * m_ + j] + weight * (z[i] * z[j]);
      H_[i * m_ + i] += (1 - fading_) * kept;
    }
    std::copy(H_.begin(), H_.end(), work_.M.begin());
    solve_definite(work_.M.data(), x, m_);
    for (std::size_t i = 0; i < m_; ++i)
      if (std::isfinite(x[i])) beta_[i] += x[i];
  }

  // What a step works with: a row that is half learned cannot wait for memory.
  struct Work {
    std::vector<double> z, x, M;
    explicit Work(std::size_t m) : z(m), x(m), M(m * m) {}
  };

  double fading_, forgetting_;
  std::size_t m_;
  Work work_;
  AlignedVector<double> H_, beta_;         // [expert][expert], [expert] without the first
  AlignedVector<double> missed_, spread_;  // [expert, then the combination]; rows up to spread_rows and the mean square
  PastWeights past_;                       // the shares, then who spoke
};

}  // namespace streamboost
