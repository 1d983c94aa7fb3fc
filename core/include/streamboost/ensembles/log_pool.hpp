// A logarithmic opinion pool with a referee: how several experts become one answer.
//
// Papers    Genest, Zidek: Combining probability distributions (1986), for the pool; the weights are learned here, by Newton steps on
//           the logarithmic loss with fading memory (online Newton step: Hazan, Agarwal, Kale 2007).
//
//   symbol    here        meaning
//   L_mc      log_p       ln max(p_m(c), floor): expert m's opinion of class c
//   beta      beta_       weight of each expert, in [least, most]; with `total` all together at most that
//   A         curvature_  faded sum of the covariances of the opinions under the pool's own answer; `prior` on the diagonal at first
//   q         right_      faded right answers of each expert, and of the pool; n: of all that were asked
//   e         lost_       with `by_loss`: faded sum of how much more than the pool each expert has lost, ln max(P_y, floor) - L_my
//   g         gain        how much a row teaches: 1, or with `information` min(1, (1 - sum_c P_c^2) / information);  f = 1 - g / window
//
//   answer    P_c ~ exp(sum_m beta_m L_mc)            an expert answers alone while it has the highest q, and the pool's is lower by more
//                                                     than caution * sqrt(max(n - q, 1)) (the referee); with `by_loss` a quarter of that lead
//                                                     is enough where e < 0
//   learn     mu_m = sum_c P_c L_mc,   g_m = mu_m - L_my
//             A <- f A + s sum_c P_c (L_c - mu)(L_c - mu)^T + (1 - f) refill prior I        beta <- clip(beta - A^-1 s g, least, most)
//             q <- f' q + g - [was wrong], e likewise, all judged by their answers of before
//
// The pool minimises the logarithmic loss, the referee guards the share of right answers: a pool of good probabilities may still name
// the wrong class more often than its best expert does. Where another pool hears the answer, its probabilities count as well: `by_loss`.
// Choices     With `information`, rows that were never in doubt do not make the pool forget: of a stream in which one row in 400 is a yes, a
//             memory of the last 1,000 rows would hold two of them.
//             A class that the experts do not know yet has the floor for all of them, so a new class changes nothing. The system is solved
//             by elimination without pivoting, in a fixed order: A is positive definite. s is the sample weight.
// Cost        O(M^2 K + M^3) per example for M experts and K classes.
#pragma once
#include <algorithm>
#include <cmath>

#include "streamboost/data/config.hpp"
#include "streamboost/data/fields.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/solve.hpp"

namespace streamboost {

class LogPool {
 public:
  struct Params {
    double fading, referee_fading;  // f and f' of a row that teaches in full, in (0, 1)
    double prior, refill;           // the part of the prior that stays
    double least, most;
    double caution;
    double information;  // 0: every row fades the past alike
    bool referee, by_loss, temperature;
    bool first_alone;  // at the start the first expert has all the weight; else twice that of each other one
    double total;      // 0: no limit
    static constexpr double floor = 1e-4;
    static Params read(const Config& c) {
      return {1 - 1 / c.number("window"), 1 - 1 / c.number("referee_window"),
              c.number("prior"),          c.number("refill"),
              c.number("least"),          c.number("most"),
              c.number("caution"),        c.number("information"),
              c.flag("referee"),          c.flag("by_loss"),
              c.flag("temperature"),      c.flag("first_alone"),
              c.number("total")};
    }
  };

  // All experts together weigh 1 at the start.
  LogPool(Params params, int experts)
      : params_(params), m_(static_cast<std::size_t>(experts)), beta_(first_weights()), curvature_(m_ * m_), right_(m_ + 2), lost_(m_) {
    for (std::size_t i = 0; i < m_; ++i) curvature_[i * m_ + i] = params_.prior;
  }

  const Params& params() const { return params_; }
  // The expert that answers alone, or their number for the pool.
  std::size_t speaker() const {
    if (!params_.referee) return m_;
    std::size_t best = 0;
    for (std::size_t i = 1; i < m_; ++i)
      if (right_[i] > right_[best]) best = i;
    const double doubt = params_.caution * std::sqrt(std::max(right_[m_ + 1] - right_[best], 1.0));
    const double enough = params_.by_loss && lost_[best] < 0 ? doubt / 4 : doubt;
    return right_[best] - enough > right_[m_] ? best : m_;
  }

  // log_p[m * stride + c] from the experts' probabilities, for k classes of which the experts know `known`.
  void opinions(const double* const* proba, int known, int k, double* log_p) const {
    for (std::size_t i = 0; i < m_; ++i) {
      double* row = log_p + i * static_cast<std::size_t>(k);
      for (int c = 0; c < k; ++c) row[c] = c < known ? std::max(proba[i][c], Params::floor) : Params::floor;
      log_lanes(row, row, static_cast<std::size_t>(k));
    }
  }

  // P[c] over k classes.
  void answer(const double* log_p, int k, double* P) const {
    double highest = 0;
    for (int c = 0; c < k; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < m_; ++i) sum += beta_[i] * log_p[i * static_cast<std::size_t>(k) + static_cast<std::size_t>(c)];
      P[c] = sum;
      highest = c == 0 ? sum : std::max(highest, sum);
    }
    for (int c = 0; c < k; ++c) P[c] -= highest;
    exp_lanes(P, P, static_cast<std::size_t>(k));
    double sum = 0;
    for (int c = 0; c < k; ++c) sum += P[c];
    for (int c = 0; c < k; ++c) P[c] /= sum;
  }

  // How much a row, or a share of one, teaches, and how far it fades the past.
  struct Gain {
    double gain, fading, referee_fading, share;
  };
  Gain gain(const double* P, int k, double share) const {
    if (params_.information == 0 && share == 1) return {1, params_.fading, params_.referee_fading, 1};
    double gain = share;
    if (params_.information > 0) {
      double squares = 0;
      for (int c = 0; c < k; ++c) squares += P[c] * P[c];
      gain = share * std::clamp((1 - squares) / params_.information, 0.0, 1.0);
    }
    return {gain, 1 - gain * (1 - params_.fading), 1 - gain * (1 - params_.referee_fading), share};
  }

  // P is the answer for the same opinions. work: room for m (m + 2) numbers.
  void learn(const double* log_p, const double* P, int k, int label, double weight, double fading, double* work) {
    double *mu = work, *step = work + m_, *A = work + 2 * m_;
    for (std::size_t i = 0; i < m_; ++i) {
      const double* row = log_p + i * static_cast<std::size_t>(k);
      double mean = 0;
      for (int c = 0; c < k; ++c) mean += P[c] * row[c];
      mu[i] = mean;
      step[i] = weight * (mean - row[label]);
    }
    for (std::size_t i = 0; i < m_; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const double *a = log_p + i * static_cast<std::size_t>(k), *b = log_p + j * static_cast<std::size_t>(k);
        double covariance = 0;
        for (int c = 0; c < k; ++c) covariance += P[c] * ((a[c] - mu[i]) * (b[c] - mu[j]));
        double cell = fading * curvature_[i * m_ + j] + weight * covariance;
        if (i == j) cell += (1 - fading) * (params_.refill * params_.prior);
        curvature_[i * m_ + j] = curvature_[j * m_ + i] = std::min(cell, largest);
      }
    std::copy(curvature_.begin(), curvature_.end(), A);
    // The curvature is a covariance plus what is left of the prior on its diagonal, so no pivot is below that; where an enormous sample
    // weight has rounded it away, half of it stands in and the step stays finite.
    solve_definite(A, step, m_, params_.refill * params_.prior / 2);
    for (std::size_t i = 0; i < m_; ++i) beta_[i] = std::clamp(beta_[i] - step[i], params_.least, params_.most);
    limit();
  }

  // Of each expert, then of the pool, whether it was right; right(m): of expert m.
  template <class Right>
  void judge(const Right& right, bool pool_right, Gain g) {
    for (std::size_t i = 0; i < right_.size(); ++i) {
      const bool was_right = i < m_ ? right(i) : i > m_ || pool_right;
      right_[i] = g.referee_fading * right_[i] + (was_right ? g.gain : g.gain - g.share);
    }
  }

  // P is the answer for the same opinions.
  void compare(const double* log_p, const double* P, int k, int label, Gain g) {
    if (!params_.by_loss) return;
    const double pool = streamboost::log(std::max(P[label], Params::floor));
    for (std::size_t i = 0; i < m_; ++i)
      lost_[i] = g.referee_fading * lost_[i] + g.share * (pool - log_p[i * static_cast<std::size_t>(k) + static_cast<std::size_t>(label)]);
  }

  const AlignedVector<double>& weights() const { return beta_; }
  double right(std::size_t who) const { return right_[who]; }

  void fields(FieldVisitor& v) {
    v("pool_weights", beta_);
    v("pool_curvature", curvature_);
    v("pool_right", right_);
    if (params_.by_loss) v("pool_lost", lost_);
  }
  void check() const {
    for (double b : beta_) require(b >= params_.least && b <= params_.most, "weights of the pool");
    for (std::size_t i = 0; i < m_; ++i) {
      require(curvature_[i * m_ + i] > 0, "curvature of the pool");
      for (std::size_t j = 0; j < i; ++j) {
        const double off = curvature_[i * m_ + j];
        require(off == curvature_[j * m_ + i], "curvature of the pool");
        require(off * off <= curvature_[i * m_ + i] * curvature_[j * m_ + j] * (1 + 1e-9), "curvature of the pool");
      }
    }
    const double most = 1 / (1 - params_.referee_fading) * (1 + 1e-9);
    for (double q : right_) require((q >= 0 || params_.information > 0) && q <= most, "referee of the pool");
    for (double e : lost_) require(std::fabs(e) <= -streamboost::log(Params::floor) * most, "losses of the pool");
  }

 private:
  AlignedVector<double> first_weights() const {
    AlignedVector<double> first(m_, params_.first_alone ? 0.0 : 1.0 / static_cast<double>(m_ + 1));
    first[0] = params_.first_alone ? 1.0 : 2 * first[0];
    return first;
  }

  // Answers that are old when the truth comes are surer than they are right: then no sum of them is to be surer than they are.
  void limit() {
    double sum = 0;
    for (double b : beta_) sum += b;
    if (!(params_.total > 0 && sum > params_.total)) return;
    for (double& b : beta_) b *= params_.total / sum;
  }

  static constexpr double largest = 1e100;  // weights up to 2^53 stay far below; beyond it nothing would move anyway

  Params params_;
  std::size_t m_;
  AlignedVector<double> beta_, curvature_, right_, lost_;
};

}  // namespace streamboost
