// Several regressors, one answer: how far to go from the first towards each of the others.
//
//   answer      a_0 + sum_m beta_m (a_m - a_0), beta in [0, 1] each: the first, corrected towards the others
//   beta        faded least squares, by the errors of before: with e_m = a_m - a_0 and r = y - a_0,
//               A <- h A + s e e',  b <- h b + s e r,  beta = clip((A + ridge diag A)^-1 b, 0, 1),  h = 1 - 1 / window
//   referee     the pool speaks while its faded sum of |y - answer| is not above that of the first, else the first does
//   late        where targets come `delay` examples late in use, a row in learning is answered by the pool of so many examples before, and
//               the pool is judged by that answer
//
// Cost        a system of as many equations as there are companions, per learned example. State: A, b, beta, two sums.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "streamboost/data/config.hpp"
#include "streamboost/data/fields.hpp"
#include "streamboost/ensembles/past_weights.hpp"
#include "streamboost/math/solve.hpp"

namespace streamboost {

class NumberPool {
 public:
  static constexpr double ridge = 0.02;
  struct Params {
    double window;
    std::int64_t delay;
    static Params read(const Config& c) { return {c.number("window"), c.whole("delay")}; }
  };

  NumberPool(Params p, std::size_t companions)
      : fading_(1 - 1 / p.window),
        m_(companions),
        A_(m_ * m_, 0.0),
        b_(m_, 0.0),
        beta_(m_, 0.0),
        missed_(2, 0.0),
        past_(p.delay, AlignedVector<double>(m_ + 1, 0.0)),
        M_(m_ * m_),
        x_(m_) {}

  // What the pool says, and what is heard: that, or the first expert. Now, or as of `delay` examples before example t.
  struct Said {
    double blend, heard;
  };
  Said answer(const double* a) const { return said(a, beta_.data(), missed_[1] > missed_[0]); }
  Said answer_before(std::int64_t t, const double* a) const {
    return past_.none() ? answer(a) : said(a, past_.before(t), past_.before(t)[m_] > 0);
  }

  // Example t: the experts answered a, the pool `blend`, and y was right. Nothing is learned where some expert had no answer.
  void learn(std::int64_t t, const double* a, double blend, double y, double weight) {
    if (!past_.none()) *std::copy(beta_.begin(), beta_.end(), past_.before(t)) = missed_[1] > missed_[0] ? 1.0 : 0.0;
    for (std::size_t k = 0; k <= m_; ++k)
      if (!std::isfinite(a[k])) return;
    missed_[0] = fading_ * missed_[0] + std::fabs(y - a[0]);
    missed_[1] = fading_ * missed_[1] + std::fabs(y - blend);
    for (std::size_t i = 0; i < m_; ++i) {
      for (std::size_t j = 0; j < m_; ++j) A_[i * m_ + j] = fading_ * A_[i * m_ + j] + weight * ((a[i + 1] - a[0]) * (a[j + 1] - a[0]));
      b_[i] = fading_ * b_[i] + weight * ((a[i + 1] - a[0]) * (y - a[0]));
    }
    solve();
  }

  const AlignedVector<double>& shares() const { return beta_; }
  void fields(FieldVisitor& v) {
    v("matrix", A_);
    v("vector", b_);
    v("share", beta_);
    v("missed", missed_);
    past_.fields(v, "past");
  }
  void check() const {
    for (std::size_t i = 0; i < m_; ++i) {
      require(beta_[i] >= 0 && beta_[i] <= 1, "share of a companion");
      require(A_[i * m_ + i] >= 0 && std::isfinite(b_[i]), "sums of the pool");
    }
    for (double x : A_) require(std::isfinite(x), "sums of the pool");
    require(missed_[0] >= 0 && missed_[1] >= 0, "errors of the pool");
    for (double x : past_.all()) require(x >= 0 && x <= 1, "past shares of the pool");
  }

 private:
  Said said(const double* a, const double* beta, bool first_speaks) const {
    double answer = a[0];
    for (std::size_t k = 0; k < m_; ++k)
      if (beta[k] > 0) answer += beta[k] * (a[k + 1] - a[0]);  // one that has just joined may have no answer
    return {answer, first_speaks ? a[0] : answer};
  }

  void solve() {
    std::copy(A_.begin(), A_.end(), M_.begin());
    std::copy(b_.begin(), b_.end(), x_.begin());
    for (std::size_t i = 0; i < m_; ++i) M_[i * m_ + i] += ridge * M_[i * m_ + i] + 1e-300;
    solve_definite(M_.data(), x_.data(), m_);
    for (std::size_t i = 0; i < m_; ++i) beta_[i] = std::isfinite(x_[i]) ? std::min(std::max(x_[i], 0.0), 1.0) : 0.0;
  }

  double fading_;
  std::size_t m_;
  AlignedVector<double> A_, b_, beta_, missed_;  // [companion][companion], [companion], [companion]; of the first, of the pool
  PastWeights past_;                             // the shares, then 1 if the first spoke
  std::vector<double> M_, x_;                    // what `solve` works with: a row that is half learned cannot wait for memory
};

}  // namespace streamboost
