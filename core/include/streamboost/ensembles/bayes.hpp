// The Bayesian ensemble: the weights of the learners are posterior means, given the losses they have suffered.
//
// Paper     Bai, Lam, Sclaroff: A Bayesian framework for online classifier ensemble (ICML 2014), Algorithm 2 and section 4.2.
//
//   paper          here             meaning
//   c_i(x)         c[i]             answer of learner i before it learns x: sign (0: abstains), margin in [-1, 1], or log odds
//   g_i            g[i]             its loss g(c_i(x), y) >= 0
//   sum_t g_i      loss_sum         S_i; with forgetting r:  S <- r S + s g,  n <- r n + s,  s the sample weight
//   T              count            n
//   lambda_i       lambda           its weight; with likelihood = gamma the shape alpha_i, and `rate` is beta_i
//   theta, alpha, beta  Params      scale of the likelihood, prior Gamma(alpha, beta): prior_shape and prior_rate
//
//   exponential   lambda_i = (alpha + n) / (beta + theta S_i)        answer: sign(sum_i lambda_i d_i),  d = g(c, -1) - g(c, +1)
//                 (for the logistic loss d is c itself)
//   gamma_rate    g ~ Gamma(lambda_i, theta):   density of lambda ~ exp(lambda (sum ln g + (1 + n) ln theta) - (1 + n) lnGamma(lambda))
//   gamma         g ~ Gamma(alpha_i, beta_i):   beta | alpha ~ Gamma(s alpha + 1, q),  s = 1 + n, q = 1 + S,
//                 alpha ~ exp((alpha - 1)(ln 1/2 + sum ln g) + lnGamma(s alpha + 1) - s lnGamma(alpha) - (s alpha + 1) ln q)
//                 answer of both: the class whose losses are the more likely under the posterior means (gamma_posterior.hpp)
//   vote = sgd         lambda_i <- clip(lambda_i - (rate / t) s (theta g_i - 1 / lambda_i))        uniform   lambda_i = 1
//
// Departures  Equal scores go to class code 0 (the paper: +1). Learners learn every example with weight s; learners = static
//             freezes them after n_pretrain examples and begins the posterior there, as the paper's text (not its caption) says.
//             Forgetting is not in the paper. In the Gamma likelihoods losses are clipped to [1e-6, 50].
// Cost        one ask, one teach, O(1) per lane; the Gamma likelihoods 128 nodes per lane every `refresh` examples.
#pragma once
#include <algorithm>

#include "streamboost/ensembles/bayes_kernels.hpp"
#include "streamboost/ensembles/booster.hpp"
#include "streamboost/ensembles/gamma_posterior.hpp"
#include "streamboost/ensembles/reverse_hoelder_bound.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

struct Bayes : BoosterDefaults {
  enum class Likelihood { exponential, gamma_rate, gamma };
  enum class Vote { bayes, sgd, uniform };
  enum class Hypothesis { sign, real, log_odds };
  struct Params {
    Likelihood likelihood;
    Vote vote;
    MarginLoss loss;
    Hypothesis hypothesis;
    bool static_learners;
    std::int64_t n_pretrain, refresh;
    double alpha, beta, theta, forgetting, learning_rate;
    bool numeric() const { return vote == Vote::bayes && likelihood != Likelihood::exponential; }

    static Params read(const Config& c) {
      Params p{};
      p.likelihood = c.choice<Likelihood>(
          "likelihood", {{"exponential", Likelihood::exponential}, {"gamma_rate", Likelihood::gamma_rate}, {"gamma", Likelihood::gamma}});
      p.vote = c.choice<Vote>("vote", {{"bayes", Vote::bayes}, {"sgd", Vote::sgd}, {"uniform", Vote::uniform}});
      p.loss = read_margin_loss(c, {MarginLoss::logistic, MarginLoss::hinge, MarginLoss::zero_one, MarginLoss::squared});
      p.hypothesis =
          c.choice<Hypothesis>("hypothesis", {{"sign", Hypothesis::sign}, {"real", Hypothesis::real}, {"log_odds", Hypothesis::log_odds}});
      p.static_learners = c.choice<bool>("learners", {{"online", false}, {"static", true}});
      p.n_pretrain = c.whole("n_pretrain");
      if (!p.static_learners) p.n_pretrain = 0;
      p.refresh = std::max<std::int64_t>(1, c.whole("refresh"));
      p.alpha = c.number("prior_shape");
      p.beta = c.number("prior_rate");
      p.theta = c.number("theta");
      p.forgetting = c.number("forgetting");
      p.learning_rate = c.number("learning_rate");
      return p;
    }
  };

  struct LaneState : LaneStateDefaults {
    LaneArray<double> lambda, rate, count, loss_sum, log_loss_sum;
    // for report(), where the monitor is on: sum of g^2, and what count and loss_sum were when the stream was half as long or less
    LaneArray<double> square_sum, early_count, early_sum;
    void reserve(Lanes lanes) {
      const auto n = static_cast<std::size_t>(lanes.size());
      lambda = rate = LaneArray<double>(1, n, 1.0);
      count = loss_sum = log_loss_sum = LaneArray<double>(1, n);
    }
    void fields(FieldVisitor& v) {
      v("lambda", lambda);
      v("rate", rate);
      v("count", count);
      v("loss_sum", loss_sum);
      v("log_loss_sum", log_loss_sum);
      if (square_sum.rows() == 0) return;
      v("square_sum", square_sum);
      v("early_count", early_count);
      v("early_sum", early_sum);
    }
    void check() const {
      for (std::size_t i = 0; i < lambda.lanes(); ++i)
        require(lambda[0][i] > 0 && rate[0][i] > 0 && count[0][i] >= 0 && loss_sum[0][i] >= 0, "posterior of a learner");
      for (std::size_t i = 0; i < early_count.lanes(); ++i)
        for (double sum : {square_sum[0][i], early_count[0][i], early_sum[0][i]})
          require(sum >= 0 && std::isfinite(sum), "early sums of a learner");
    }
  };
  struct Passage : PassageBase {
    double vote = 0;    // sum of lambda d over the lanes passed so far
    double weight = 0;  // sum of lambda
    double loss = 0;    // sum of lambda g
    auto scan() { return std::tie(vote, weight, loss); }
    // A row that nobody was asked about yet has passed no lane: all sums are 0.
    bool sound(int, int) const {
      const bool passed = weight > 0 && std::isfinite(weight) && loss >= 0;
      return std::isfinite(vote) && std::isfinite(loss) && (passed || (weight == 0 && vote == 0 && loss == 0));
    }
  };
  static constexpr BoosterTraits traits{.begin = true, .write_report = true};
  static constexpr double odds_limit = 20;  // one confident error must not decide for ever

  Params params;
  double n_estimators;
  double right, silent, wrong;  // the losses of signs
  double divisor;               // of g(c, -1) - g(c, +1) in d
  HolderMonitor holder;

  Bayes(Params p, const Ensemble& ensemble) : params(p), n_estimators(ensemble.n_estimators), holder(ensemble.monitor, !p.numeric()) {
    const double c[3] = {1, 0, -1};
    double g[3];
    loss_values(p.loss, c, 1, g, 3);
    right = g[0];
    silent = g[1];
    wrong = g[2];
    divisor = p.loss == MarginLoss::hinge ? 2 : p.loss == MarginLoss::squared ? 4 : 1;
  }
  void reserve(int) {}

  // Before any example a weight is its prior mean; equal weights: a plain vote.
  void begin(LaneState& state) const {
    if (holder.on()) state.square_sum = state.early_count = state.early_sum = LaneArray<double>(1, state.lambda.lanes());
    if (params.vote != Vote::bayes) return;
    if (params.numeric())
      integrate(state);
    else
      exponential_means(state.loss_sum[0], state.count[0], params.alpha, params.beta, params.theta, state.lambda[0], state.lambda.stride());
  }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    ask(example, block, scratch);
    weigh(block.state, scratch, passage);
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score(example, block, scratch, passage);
    const double y = example.label == 1 ? 1.0 : -1.0, *c = scratch.draw.data();
    const std::size_t n = scratch.draw.size();
    double* g = scratch.extra.data();
    if (params.hypothesis == Hypothesis::sign)
      losses_of_signs(c, y, right, silent, wrong, g, n);
    else
      loss_values(params.loss, c, y, g, n);
    if (holder.on() && holder.bounded) {
      const double* lambda = block.state.lambda[0];
      for (int i = 0; i < block.lanes().size(); ++i) passage.loss += lambda[i] * g[i];
    }
    const std::int64_t t = example.number + 1 - params.n_pretrain;
    if (t > 0) suffer(block.state, g, scratch.amount.data(), t, example.weight);
    std::fill(scratch.amount.begin(), scratch.amount.end(), example.weight);
    if (block.events.heard()) observe(example, block, scratch, y);
    if (!params.static_learners || t <= 0)
      block.bank->learn(example, {example.label}, scratch.amount.data(), Amount::weight, scratch.answers);
    else
      std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
  }

  void answer(const Example&, const Passage& passage, Verdict& verdict) const {
    const double score = passage.vote / passage.weight;
    const bool odds = params.numeric() || params.hypothesis == Hypothesis::log_odds;
    verdict.set_margin(score, odds ? sigmoid(score) : std::clamp(0.5 * (1 + score), 0.0, 1.0));
  }
  void conclude(const Example& example, const Passage& passage) {
    if (!holder.on()) return;
    const double gap = divisor * passage.vote / passage.weight * (example.label == 1 ? 1.0 : -1.0);
    holder.observe(example.number, passage.loss / passage.weight, gap, example.weight);
  }
  void write_report(ModelReport& report, std::int64_t) const { holder.write_report(report); }
  void fields(FieldVisitor& v) { holder.fields(v); }
  void check() const { holder.check(); }

 private:
  // c into scratch.draw. The notes of the bank stay as they are for `learn`.
  void ask(const Example& example, const Block<LaneState>& block, Scratch& scratch) const {
    Answers& answers = scratch.answers;
    const std::size_t n = scratch.draw.size();
    switch (params.hypothesis) {
      case Hypothesis::sign:
        block.bank->ask(example, Request::votes, answers);
        vote_signs(answers.vote.data(), scratch.draw.data(), n);
        break;
      case Hypothesis::real:
        block.bank->ask(example, Request::margins, answers);
        std::copy_n(answers.margin.data(), n, scratch.draw.data());
        break;
      case Hypothesis::log_odds:
        block.bank.log_odds(example, odds_limit, answers);
        std::copy_n(answers.margin.data(), n, scratch.draw.data());
        break;
    }
  }

  void weigh(const LaneState& state, Scratch& scratch, Passage& passage) const {
    const int lanes = static_cast<int>(state.lambda.lanes());
    const std::size_t n = scratch.draw.size();
    const double* c = scratch.draw.data();
    double *d = scratch.extra.data(), *favour = scratch.amount.data();
    if (params.numeric()) {
      loss_values(params.loss, c, -1, d, n);
      loss_values(params.loss, c, 1, favour, n);
      gamma_gaps(d, favour, state.lambda[0], state.rate[0], d, n);
      for (int i = 0; i < lanes; ++i) passage.vote += d[i];
      passage.weight += lanes;
      return;
    }
    const double* lambda = state.lambda[0];
    loss_gaps(params.loss, c, d, n);
    for (int i = 0; i < lanes; ++i) {
      passage.vote += lambda[i] * d[i];
      passage.weight += lambda[i];
    }
  }

  // The posterior takes the losses of one example; t counts the examples that it has taken, this one included.
  void suffer(LaneState& state, double* g, double* log_g, std::int64_t t, double weight) const {
    const std::size_t n = state.lambda.stride();
    double *lambda = state.lambda[0], *count = state.count[0], *sum = state.loss_sum[0];
    if (params.numeric()) {
      clip_log(g, log_g, n);
      double* sum_log = state.log_loss_sum[0];
      for (std::size_t i = 0; i < n; ++i) sum_log[i] = params.forgetting * sum_log[i] + weight * log_g[i];
    }
    if (holder.on()) {
      if (t > 1 && ((t - 1) & (t - 2)) == 0) {  // t - 1, the examples so far, is a power of two
        std::copy_n(count, n, state.early_count[0]);
        std::copy_n(sum, n, state.early_sum[0]);
      }
      add_squares(state.square_sum[0], g, weight, n);
    }
    discount_add(sum, count, g, params.forgetting, weight, n);
    if (params.vote == Vote::sgd) {
      sgd_weights(g, params.learning_rate / static_cast<double>(t) * weight, params.theta, lambda, n);
    } else if (params.vote == Vote::bayes) {
      if (!params.numeric())
        exponential_means(sum, count, params.alpha, params.beta, params.theta, lambda, n);
      else if ((t - 1) % params.refresh == 0)
        integrate(state);
    }
  }

  void integrate(LaneState& state) const {
    for (std::size_t i = 0; i < state.lambda.lanes(); ++i) {
      const double n = 1 + state.count[0][i], log_g = state.log_loss_sum[0][i];
      double& lambda = state.lambda[0][i];
      if (params.likelihood == Likelihood::gamma_rate) {
        lambda = GammaPosterior(log_g + n * streamboost::log(params.theta), n, 0).mean(lambda);
        state.rate[0][i] = params.theta;
      } else {
        const double q = 1 + state.loss_sum[0][i];
        lambda = GammaPosterior(log_g - 0x1.62e42fefa39efp-1 - n * streamboost::log(q), n, n).mean(lambda);
        state.rate[0][i] = (n * lambda + 1) / q;
      }
    }
  }

  void observe(const Example& example, Block<LaneState>& block, Scratch& scratch, double y) const {
    double* c = scratch.draw.data();
    if (params.hypothesis == Hypothesis::log_odds) {
      for (double& x : scratch.draw) x *= 0.5;
      tanh_lanes(c, c, scratch.draw.size());
    }
    block.events.signs(c, y, example.weight);
  }
};

}  // namespace streamboost
