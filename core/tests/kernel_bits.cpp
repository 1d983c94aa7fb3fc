// Prints one digest per kernel. Given a file of such lines, it fails if they are not the same: ctest runs it at every level of the
// processor with kernel_bits.txt, by whatever compiler, on whatever system. `make kernel-bits` writes that file anew.
//
// To add a kernel, add one line to main: its name and a call that reads `in` (n doubles in (-4, 4), all distinct) and
// writes or updates `out` (n doubles, filled with other such values).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "streamboost/drift/adwin_kernels.hpp"
#include "streamboost/ensembles/bayes_kernels.hpp"
#include "streamboost/ensembles/booster_kernels.hpp"
#include "streamboost/ensembles/regressor_kernels.hpp"
#include "streamboost/learners/class_joints_kernels.hpp"
#include "streamboost/learners/hoeffding_kernels.hpp"
#include "streamboost/learners/hoeffding_outlook_kernels.hpp"
#include "streamboost/learners/linear_kernels.hpp"
#include "streamboost/learners/linear_regression_kernels.hpp"
#include "streamboost/learners/logistic_kernels.hpp"
#include "streamboost/learners/mlp_kernels.hpp"
#include "streamboost/learners/naive_bayes_kernels.hpp"
#include "streamboost/learners/nearest_neighbors_kernels.hpp"
#include "streamboost/learners/zero_score_kernels.hpp"
#include "streamboost/math/levels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/potential_kernels.hpp"
#include "streamboost/math/rng.hpp"
#include "streamboost/replay/replay_kernels.hpp"
#include "streamboost/run/intake_kernels.hpp"

namespace sb = streamboost;

namespace {

constexpr std::size_t n = 1003;  // odd: the last lanes of a loop take another path

using Values = std::array<double, n>;

Values values(std::uint64_t seed) {
  Values result;
  for (std::size_t i = 0; i < n; ++i) result[i] = 8.0 * sb::uniform({seed, i, 0, sb::Purpose::learner}) - 4.0;
  return result;
}

// FNV-1a over the bits. NaNs count as one value: which operand's payload survives is the compiler's choice.
std::uint64_t digest(const Values& numbers) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (double number : numbers) {
    std::uint64_t bits = number == number ? std::bit_cast<std::uint64_t>(number) : 0x7ff8000000000000u;
    for (int byte = 0; byte < 8; ++byte, bits >>= 8) hash = (hash ^ (bits & 0xff)) * 0x100000001b3u;
  }
  return hash;
}

std::vector<std::string> lines;

template <class Call>
void kernel(const char* name, Call call) {
  alignas(64) const Values in = values(1);
  alignas(64) Values out = values(2);
  call(in.data(), out.data());
  char line[64];
  std::snprintf(line, sizeof line, "%-18s %016llx", name, static_cast<unsigned long long>(digest(out)));
  lines.push_back(line);
}

// A scalar function over inputs of all scales: in[i]^9 reaches from 1e-20 to 2.6e5.
template <class Function>
void scalar(const char* name, Function function) {
  kernel(name, [&](const double* in, double* out) {
    for (std::size_t i = 0; i < n; ++i) {
      const double cube = in[i] * in[i] * in[i];
      out[i] = function(i % 2 != 0 ? in[i] : cube * cube * cube);
    }
  });
}

// Lane kernels: `in` is a table of 8 rows of 112 lanes.
constexpr std::size_t lanes = 112;
constexpr std::array<double, 5> row_values{0.3, -1.7, 2.5, 1e-3, -0.25};
constexpr std::array<std::int32_t, 5> table_rows{0, 2, 3, 5, 7};
constexpr sb::Entries row{row_values.data(), table_rows.data(), 5};
const double* at(const double* table, std::size_t r) { return table + r * lanes; }
double* at(double* table, std::size_t r) { return table + r * lanes; }

void absolute(const double* in, double* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = in[i] < 0 ? -in[i] : in[i];
}

alignas(64) Values positive_lanes;

void lane_kernels() {
  kernel("linear_ask", [](const double* in, double* out) { sb::linear_ask(in, lanes, row, out); });
  kernel("linear_teach", [](const double* in, double* out) { sb::linear_teach(out, lanes, row, in); });
  kernel("linear_masked", [](const double* in, double* out) { sb::linear_teach_masked(out, in, lanes, row, in); });
  kernel("linear_mask_norm", [](const double* in, double* out) { sb::linear_masked_norm(in, lanes, row, in, out); });
  kernel("standardise", [](const double* in, double* out) {
    absolute(out, out, n);
    for (std::size_t j = 0; j < lanes; ++j) at(out, 0)[j] = static_cast<double>(j), at(out, 4)[j] = static_cast<double>(j % 2);
    sb::standardise(
        {at(out, 0), at(out, 1), at(out, 2), at(out, 3), at(out, 4), {at(out, 0), at(out, 1), at(out, 2), at(out, 3), at(out, 4)}}, in, 1.5,
        at(out, 5), lanes);
  });
  kernel("rate_columns", [](const double* in, double* out) {
    absolute(out, out, n);
    sb::rate_columns(in, 0.1, 0.7, out, at(out, 1), lanes);
  });
  kernel("logistic_margins", [](const double* in, double* out) { sb::logistic_margins(in, at(out, 1), at(out, 2), out, lanes); });
  kernel("logistic_pair", [](const double* in, double* out) { sb::logistic_pair(in, at(out, 2), at(out, 3), out, at(out, 1), lanes); });
  kernel("softmax_votes", [](const double* in, double* out) {
    alignas(64) std::array<std::int32_t, lanes> vote;
    sb::softmax_votes(in, 4, lanes, vote.data(), out);
    for (std::size_t i = 0; i < lanes; ++i) at(out, 1)[i] = vote[i];
  });
  kernel("softmax_powers", [](const double* in, double* out) {
    sb::softmax_powers(in, 3, lanes, out, at(out, 7));
    sb::softmax_others(out, 3, lanes, at(out, 3));
  });
  kernel("logistic_steps", [](const double* in, double* out) {
    absolute(out, out, n);
    alignas(64) Values y = values(3);
    for (double& v : y) v = v > 0 ? 1 : -1;
    alignas(64) std::array<double, lanes> power, large, h, trained{};
    sb::logistic_margins(in, power.data(), large.data(), h.data(), lanes);
    const sb::LogisticLanes near{y.data(), at(out, 1), false, at(out, 0), at(out, 2), 3.0, at(out, 3), trained.data()};
    sb::logistic_margin_steps(in, power.data(), large.data(), near, at(out, 4), lanes);
    sb::logistic_odds_steps(at(out, 0), at(out, 1), near, at(out, 7), lanes);
    const sb::LogisticLanes far{y.data(), at(out, 1), true, at(out, 0), at(out, 2), 1e-6, at(out, 5), trained.data()};
    sb::logistic_margin_steps(in, nullptr, nullptr, far, at(out, 6), lanes);
  });
  kernel("squared_steps", [](const double* in, double* out) {
    absolute(in, positive_lanes.data(), n);
    for (std::size_t i = 0; i < lanes; i += 3) positive_lanes[i] = 0;  // lanes that skip the example
    const double *amount = positive_lanes.data(), *product = at(amount, 1), *pace = at(amount, 2);
    for (std::size_t i = 0; i < lanes; ++i) {
      at(out, 0)[i] = static_cast<double>(i % 40);
      at(out, 2)[i] *= at(out, 2)[i];
      at(out, 5)[i] *= at(out, 5)[i];
    }
    const sb::ConstTargetLanes seen{at(out, 0), at(out, 1), at(out, 2), at(out, 3), at(out, 4)};
    sb::target_answers(in, seen, at(out, 6), at(out, 7), lanes);
    alignas(64) std::array<double, lanes> deviation, step;
    std::copy_n(at(out, 6), lanes, deviation.data());
    sb::squared_steps(in, deviation.data(), {at(in, 4), amount, product, pace, 30, 1.5, at(out, 5)},
                      {at(out, 0), at(out, 1), at(out, 2), at(out, 3), at(out, 4)}, step.data(), lanes);
    std::copy_n(step.data(), lanes, at(out, 6));
  });
  for (int loss = 0; loss < 4; ++loss)
    kernel("descend_losses", [=](const double* in, double* out) {
      const sb::SlopeRule rule{{-0.6, 0.7, loss % 2 == 1}, 0.3, loss / 2 == 1, 1.7, 1.1, 0.2, 0.9};
      sb::descend_losses(in, rule, out, at(out, 1), at(out, 2), at(out, 3), 101);
      alignas(64) std::array<std::int32_t, lanes> vote;
      for (std::size_t i = 0; i < lanes; ++i) vote[i] = in[i] > 2 ? -1 : 0;
      sb::watch_slopes(in, vote.data(), at(in, 1), 0.9, at(out, 4), at(out, 5), 101);
      const sb::ResidualLanes sums{at(out, 2), at(out, 3), at(out, 4), at(out, 5), at(out, 6)};
      sb::judge_numbers(vote.data(), at(in, 2), at(in, 3), 0.999, 0.9, sums, at(out, 7), 101);
    });
  kernel("linear_norms", [](const double* in, double* out) { sb::linear_squared_norms(in, 8, lanes, out); });
  kernel("perceptron_h", [](const double* in, double* out) { sb::perceptron_hypothesis(in, at(in, 2), out, lanes); });
  kernel("clip_h", [](const double* in, double* out) { sb::clip_hypothesis(in, out, lanes); });
  kernel("perceptron_weight",
         [](const double* in, double* out) { sb::perceptron_weight_steps(in, at(in, 1), at(in, 2), at(in, 3), out, at(out, 1), lanes); });
  kernel("perceptron_copies",
         [](const double* in, double* out) { sb::perceptron_copy_steps(in, at(in, 1), at(in, 2), at(in, 3), out, at(out, 1), lanes); });
  kernel("ogd_steps", [](const double* in, double* out) {
    sb::ogd_steps(in, at(in, 1), at(in, 2), at(in, 3), at(in, 4), out, at(out, 1), at(out, 2), lanes);
  });
  kernel("logistic_steps", [](const double* in, double* out) { sb::logistic_steps(in, at(in, 1), at(in, 2), at(in, 3), out, lanes); });
  alignas(64) static Values positive;
  kernel("gaussian_ask", [](const double* in, double* out) {
    absolute(in, positive.data(), n);
    sb::gaussian_ask(in, positive.data(), lanes, row, out, at(out, 1), at(out, 2));
    sb::gaussian_ask_gaps(in, positive.data(), lanes, row, at(out, 3), at(out, 4), at(out, 5));
    sb::gaussian_ask_few(in, positive.data(), lanes, row, at(out, 6), at(out, 6) + 4, at(out, 6) + 8);
  });
  kernel("joints", [](const double* in, double* out) {
    absolute(in, positive.data(), n);
    sb::square_joints(positive.data(), 0.01, at(positive.data(), 1), in, at(positive.data(), 2), at(in, 3), at(positive.data(), 4), lanes,
                      out, at(out, 1));
    sb::halve_and_add(out, at(out, 1), lanes);
  });
  kernel("best_class", [](const double* in, double* out) {
    alignas(64) static std::array<std::int32_t, lanes> vote;
    sb::best_class(in, at(in, 4), 3, lanes, vote.data(), out);
    for (std::size_t i = 0; i < lanes; ++i) out[lanes + i] = vote[i];
  });
  kernel("joint_gaps", [](const double* in, double* out) { sb::joint_gaps(in, at(in, 4), at(in, 3), 3, lanes - 1, lanes, out); });
  kernel("joint_shares", [](const double* in, double* out) {
    absolute(in, positive.data(), n);
    for (std::size_t i = 0; i < lanes; i += 3) positive[i] = 0;                                    // a class without weight
    for (std::size_t i = 0; i < lanes; i += 9) positive[lanes + i] = positive[2 * lanes + i] = 0;  // no class with any
    absolute(in + 1, out, 3 * lanes);
    sb::joint_shares(positive.data(), 0.01, 3, lanes - 1, lanes, out);
  });
  kernel("gaussian_teach", [](const double* in, double* out) {
    absolute(in, positive.data(), n);
    for (std::size_t i = 0; i < lanes; i += 3) positive[i] = 0;  // lanes that skip the example
    alignas(64) static Values mean = values(3), spread = values(4);
    sb::gaussian_teach(mean.data(), spread.data(), out, lanes, row, positive.data(), at(positive.data(), 1), 1e-3,
                       {at(positive.data(), 4), at(positive.data(), 5), at(positive.data(), 6), at(positive.data(), 7)});
    for (std::size_t i = 0; i < n; ++i) out[i] += mean[i] * 3 + spread[i];
  });
  kernel("nominal_ask", [](const double* in, double* out) {
    absolute(in, positive.data(), n);
    positive[5] = positive[2 * lanes + 9] = 0;  // a value never seen: the floor
    const double* base = positive.data();
    const std::array<const double*, 5> weight{at(base, 1), at(base, 4), at(base, 1), at(base, 6), at(base, 1)};
    const std::array<double, 5> alpha{};
    sb::nominal_ask(base, lanes, {table_rows.data(), weight.data(), alpha.data(), 5}, 0, out, at(out, 1), at(out, 2));
  });
  kernel("nominal_plain", [](const double* in, double* out) {
    absolute(in, positive.data(), n);
    sb::nominal_ask_plain(positive.data(), lanes, table_rows.data(), 5, at(positive.data(), 4), out, at(out, 1));
  });
  kernel("odds_margins", [](const double* in, double* out) {
    absolute(in, positive.data(), n);
    sb::odds_margins(positive.data(), at(in, 2), lanes, out);
  });
  kernel("linear_floats", [](const double* in, double* out) {
    alignas(64) static std::array<float, n> table;
    for (std::size_t i = 0; i < n; ++i) table[i] = static_cast<float>(in[i]);
    sb::linear_teach(table.data(), lanes, row, in);
    sb::linear_ask(table.data(), lanes, row, out);
    sb::linear_squared_norms(table.data(), 8, lanes, at(out, 1));
  });
  kernel("poisson_rates", [](const double* in, double* out) {
    absolute(in, positive.data(), lanes);
    sb::uniform_lanes(3, 1, 0, sb::Purpose::poisson, out, lanes);
    out[lanes] = sb::poisson_rates(positive.data(), out, lanes, 1e9) ? 1.0 : 0.0;
  });
  kernel("votes", [](const double* in, double* out) {
    alignas(64) static std::array<std::int32_t, lanes> vote;
    absolute(in, positive.data(), lanes);
    sb::sign_votes(in, positive.data(), vote.data(), lanes);
    sb::watch_votes(vote.data(), at(in, 1), 1, out, at(out, 1), at(out, 2), at(out, 3), lanes);
    sb::add_two_votes(vote.data(), at(in, 2), lanes, at(out, 4));
    sb::fill_open(at(in, 3), 2.0, at(out, 3), lanes);
  });
  kernel("error_odds", [](const double* in, double* out) {
    absolute(in, positive.data(), n);
    sb::error_odds(positive.data(), at(positive.data(), 1), 1e-10, out, lanes);
  });
  kernel("mlp_output", [](const double* in, double* out) { sb::mlp_output(in, at(in, 1), 2, 2, 2, lanes, out); });
  kernel("mlp_backward", [](const double* in, double* out) { sb::mlp_backward(in, at(in, 2), out, 2, 2, 2, lanes, at(out, 6)); });
  kernel("window_distances", [](const double* in, double* out) {
    const double query[] = {0.7, in[lanes + 3], -1.5};
    const unsigned char nominal[] = {0, 1, 0};
    sb::window_distances(in, lanes, query, nominal, 3, 1e300, out, 7);
    sb::window_distances(in + 1, lanes, query, nominal, 3, 1e300, out + 7, sb::window_block);
  });
  kernel("any_border", [](const double* in, double* out) {
    for (int i = 0; i < 40; ++i) {
      sb::WindowBorders borders;
      for (int b = 0; b < 7 + i % 5; ++b) borders.add(10 + b, 300 - b, 5 + in[b], 150 - 8 * i - in[b]);
      out[i] = sb::any_border_differs(borders, 0.25, 0.5 + 0.1 * i) ? 1 : 0;
    }
  });
  kernel("those_below", [](const double* in, double* out) {
    for (int i = 0; i < 40; ++i) out[i] = static_cast<double>(sb::those_below(in + i, -4 + 0.2 * i, static_cast<std::size_t>(i)));
  });
  kernel("add_lanes", [](const double* in, double* out) { sb::add_lanes(out, in, lanes); });
  kernel("watch_margins",
         [](const double* in, double* out) { sb::watch_margins(in, at(in, 1), -1, out, at(out, 1), at(out, 2), at(out, 3), 101); });
  kernel("watch_prefixes",
         [](const double* in, double* out) { sb::watch_prefixes(in, at(in, 1), 0.7, 1, 0.01, 3, out, at(out, 1), at(out, 2), 101); });
  kernel("watch_hinges",
         [](const double* in, double* out) { sb::watch_hinges(in, at(in, 1), at(in, 2), 0.7, 1, 0.05, out, at(out, 1), 101); });
  kernel("hedge_losses", [](const double* in, double* out) { sb::hedge_losses(in, -1, 0.7, out, n); });
  kernel("hedge_exponents", [](const double* in, double* out) { sb::hedge_exponents(in, 0.3, out, n); });
  kernel("hedge_share", [](const double* in, double* out) {
    absolute(in, positive.data(), n);
    out[0] = sb::hedge_share(in, positive.data(), n);
  });
  kernel("majority_exponents", [](const double* in, double* out) {
    static std::array<std::int32_t, 101> vote;
    for (std::size_t i = 0; i < vote.size(); ++i) vote[i] = in[i] > 0 ? 1 : in[i] < -2 ? -1 : 0;
    sb::majority_exponents(vote.data(), -1, 2, 120, {in, at(in, 3), 0.4}, out, at(out, 1), vote.size());
  });
  kernel("logistic_alphas", [](const double* in, double* out) { sb::logistic_alphas(in, at(in, 1), -1, 0.4, out, 101); });
  kernel("loss_slopes", [](const double* in, double* out) { sb::loss_slopes(in, -1, out, 101); });
  kernel("dot_product", [](const double* in, double* out) {
    out[1] = sb::dot_product(in, out, n);
    out[0] = static_cast<double>(sb::count_positive(in, n));
  });
  kernel("add_scaled", [](const double* in, double* out) { sb::add_scaled(in, -0.3, out, n); });
  kernel("circle_sum", [](const double* in, double* out) {
    const std::array<std::int32_t, 3> room{-1, 0, 2}, power{1, 5, 2};  // tables of 16 nodes; rooms 0 to 6
    const sb::CircleTables tables{in, in + 112, in + 224, in + 336, 16};
    for (int m = 1; m < 6; ++m) out[m] = sb::circle_sum(tables, {room.data(), power.data(), 3, 6}, in + 448, 1, m);
  });
}

void bayes_kernels() {
  kernel("vote_signs", [](const double* in, double* out) {
    std::array<std::int32_t, n> vote;
    for (std::size_t i = 0; i < n; ++i) vote[i] = in[i] > 1 ? 1 : in[i] > -1 ? 0 : -1;
    sb::vote_signs(vote.data(), out, n);
  });
  kernel("watch_signs",
         [](const double* in, double* out) { sb::watch_signs(in, -1, 0.7, out, at(out, 1), at(out, 2), at(out, 3), lanes); });
  kernel("add_squares", [](const double* in, double* out) { sb::add_squares(out, in, 0.7, n); });
  kernel("margin_log_odds", [](const double* in, double* out) {
    sb::clip_hypothesis(in, out, n);
    sb::margin_log_odds(out, 20, out, n);
  });
  using sb::MarginLoss;
  for (const auto loss : {MarginLoss::exponential, MarginLoss::squared_hinge, MarginLoss::doom, MarginLoss::savage})
    kernel("loss_values", [=](const double* in, double* out) { sb::loss_values(loss, in, -1, out, n); });
  for (const auto loss : {MarginLoss::logistic, MarginLoss::exponential, MarginLoss::hinge, MarginLoss::squared_hinge, MarginLoss::squared,
                          MarginLoss::doom, MarginLoss::savage})
    kernel("loss_pulls", [=](const double*, double* out) { sb::loss_pulls(loss, out, n); });
  for (const auto loss : {MarginLoss::logistic, MarginLoss::hinge, MarginLoss::zero_one, MarginLoss::squared}) {
    kernel("loss_values", [=](const double* in, double* out) { sb::loss_values(loss, in, -1, out, n); });
    kernel("loss_gaps", [=](const double* in, double* out) { sb::loss_gaps(loss, in, out, n); });
  }
  kernel("losses_of_signs", [](const double* in, double* out) { sb::losses_of_signs(in, 1, 0.1, 0.3, 0.9, out, n); });
  kernel("discount_add", [](const double* in, double* out) { sb::discount_add(out, at(out, 1), in, 0.9, 0.3, lanes); });
  kernel("exponential_means", [](const double* in, double* out) { sb::exponential_means(in, at(in, 1), 1, 5, 0.1, out, lanes); });
  kernel("sgd_weights", [](const double* in, double* out) { sb::sgd_weights(in, 0.3, 0.1, out, n); });
  kernel("gamma_gaps", [](const double* in, double* out) { sb::gamma_gaps(in, at(in, 1), at(in, 2), at(in, 3), out, lanes); });
  kernel("clip_log", [](const double*, double* out) { sb::clip_log(out, at(out, 4), 4 * lanes); });
  kernel("gamma_density", [](const double* in, double* out) {
    sb::gamma_density({-3.1, 4.2, 0, 0.5}, 0.1, 1.5, in, out, at(out, 4), 4 * lanes);
    sb::gamma_density({-30, 9, 9, 0.5}, 0.1, 1.5, in, at(out, 2), at(out, 6), 2 * lanes);
  });
}

void replay_kernels() {
  namespace replay = sb::replay;
  static Values y, weight;
  static std::vector<std::int64_t> words(4 * n);
  const auto put = [](std::size_t count, double* out) { std::memcpy(out, words.data(), count * sizeof(double)); };
  kernel("logistic_gradients", [=](const double* in, double* out) {
    for (std::size_t i = 0; i < n; ++i) y[i] = in[i] > 0 ? 1 : 0;
    absolute(in, weight.data(), n);
    replay::logistic_gradients(in, y.data(), weight.data(), n / 2, words.data());
    put(n, out);
  });
  kernel("softmax_gradients", [](const double* in, double* out) {
    for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<double>(i % 3);
    absolute(in, weight.data(), n);
    for (std::size_t i = 0; i < n; i += 3) weight[i] = 1;
    replay::softmax_gradients(in, 3, y.data(), weight.data(), n / 3, out);
  });
  for (const std::size_t drawn : {1, 3})
    kernel("sketch_rows", [=](const double* in, double* out) {
      constexpr std::size_t classes = 5, of[] = {3, 0, 4};
      for (std::size_t i = 0; i < n; ++i) weight[i] = 1e3 + std::fabs(in[i]);
      const auto lanes = static_cast<int>(drawn) + 1;
      double g = 0, h = 0;
      replay::sketch_rows(in, classes, of, drawn, weight.data(), 1.25, n / classes, words.data());
      replay::find_largest(words.data(), lanes, n / classes, &g, &h);
      replay::pack_words(words.data(), lanes, 0x1p20, 0x1p20, n / classes - 3);  // the others stay as they are
      put(n / classes * (drawn + 1), out);
      out[n - 2] = g;
      out[n - 1] = h;
    });
  kernel("leaf_sums", [](const double* in, double* out) {
    constexpr std::size_t classes = 15;
    std::vector<std::uint32_t> listed;
    for (std::uint32_t i = 0; i < n / classes; i += 2) listed.push_back(i);
    for (std::size_t i = 0; i < n; ++i) weight[i] = 1e3 + std::fabs(in[i]);
    replay::leaf_sums(in, classes, weight.data(), listed.data(), listed.size(), out, out + classes);
    replay::add_values(in, 2, listed.data(), listed.size(), out + 2 * classes);
  });
  kernel("bin_cells", [](const double* in, double* out) {
    std::vector<float> cell(in, in + n), cut{-3, -1.5, -0.25, 0, 0.125, 2, 3.5};
    std::vector<std::uint8_t> bin(n);
    for (std::size_t i = 0; i < n; i += 7) cell[i] = std::numeric_limits<float>::quiet_NaN();
    replay::bin_cells({cut.data(), cut.size(), 3.9F}, cell.data(), 1, n, bin.data(), 1);
    std::copy(bin.begin(), bin.end(), out);
  });
  for (const int lanes : {2, 4})
    kernel("cut_gains", [=](const double* in, double* out) {
      const auto rows = static_cast<std::size_t>(n) / 4, width = static_cast<std::size_t>(lanes);
      constexpr std::size_t bins = 29;
      absolute(in, weight.data(), n);
      std::vector<std::int64_t> words(rows * width), cell(bins * width), total(width);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t s = 0; s + 1 < width; ++s) words[i * width + s] = std::bit_cast<std::int64_t>(in[s * rows + i]);
        words[i * width + width - 1] = std::bit_cast<std::int64_t>(weight[i]);
      }
      replay::pack_words(words.data(), lanes, 0x1p30, 0x1p30, rows);
      for (std::size_t w = 0; w < words.size(); ++w) {
        cell[(w / width * w / width % bins) * width + w % width] += words[w];
        total[w % width] += words[w];
      }
      const replay::CutSearch search{total.data(), 0x1p-30, 0x1p-30, 1, 20};
      out[n - 1] = replay::cut_gains(search, lanes, cell.data() + width, bins - 1, cell.data(), out);
    });
}

void tree_kernels() {
  static Values positive, x;
  constexpr std::size_t width = 96;
  const auto prepare = [](const double* in) {
    absolute(in, positive.data(), n);
    std::copy_n(in, n, x.data());
    for (std::size_t i = 0; i < width; i += 7) x[i] = std::numeric_limits<double>::quiet_NaN();  // missing
    for (std::size_t i = 0; i < width; i += 5) positive[i] = 0;                                  // cells without data
  };
  const auto put = [](const sb::CellDensity& d, double* out) {
    out[0] = d.quadratic;
    out[1] = d.mantissa;
    out[2] = d.exponent;
  };
  kernel("cells_quadratics", [&](const double* in, double* out) {
    prepare(in);
    std::vector<double> block(in + 1, in + 1 + width);
    block.insert(block.end(), positive.begin(), positive.begin() + static_cast<std::ptrdiff_t>(width));
    const double* blocks[] = {block.data(), block.data()};
    sb::cells_quadratics(in, blocks, 2, width, width, out);
    sb::cells_quadratics(in, blocks, 2, width, width - 4, out + 2);
  });
  kernel("value_logs", [&](const double* in, double* out) {
    prepare(in);
    const std::int32_t weight_at[] = {0, 3, 0, 7, 0}, count_at[] = {1, 4, 2, 8, 6};
    const double smoothing[] = {0.5, 0.25, 1, 2, 0.125};
    std::vector<double> counts(positive.begin(), positive.begin() + 9);
    const double* blocks[] = {counts.data(), positive.data(), counts.data(), positive.data(), counts.data()};
    sb::value_logs(blocks, 5, {weight_at, count_at, smoothing, 5}, 0.01, out);
    sb::value_logs(blocks + 1, 2, {weight_at, count_at, smoothing, 5}, 0.01, out + 5);
    sb::value_logs(blocks, 3, {weight_at, count_at, smoothing, 4}, 0.01, out + 7);
  });
  kernel("split_positions", [&](const double* in, double* out) {
    const sb::ClassSummary seen[] = {{3, in[1], 1 + std::fabs(in[2]), -0.5, 0.7}, {0, 0, 1, 0, 0}, {2, in[3], 0.5, 0.1, 0.2}};
    const double threshold[] = {-0.6, -0.3, 0.0, 0.1, 0.15, 0.2, 0.4, 0.9};
    sb::PointRange range[3];
    out[0] = static_cast<double>(sb::split_positions(seen, 3, threshold, 8, 40, range, out + 1));
  });
  kernel("split_shares", [&](const double* in, double* out) {
    const double weight[] = {3, 0.5};
    const sb::PointRange range[] = {{1, 5}, {2, 2}};
    for (int i = 0; i < 4; ++i) out[i] = std::fabs(in[1 + i]) / (1 + std::fabs(in[1 + i]));
    for (int i = 8; i < 24; ++i) out[i] = 0;
    sb::split_shares(weight, range, 2, 8, out, out + 4, out + 8, out + 16);
  });
  kernel("split_insides", [&](const double* in, double* out) {
    const double whole[] = {3, 0.5};
    const sb::PointRange range[] = {{1, 5}, {2, 3}};
    sb::split_insides(whole, range, 2, 8, in + 1, in + 7, out);
  });
  kernel("cells_density", [&](const double* in, double* out) {
    prepare(in);
    sb::CellDensity density{};
    sb::cells_density(x.data(), in + 1, positive.data(), width, &density);
    put(density, out);
  });
  kernel("cells_observe", [&](const double* in, double* out) {
    prepare(in);
    sb::CellDensity density{};
    std::copy_n(positive.data(), width, out + 2 * width);
    absolute(out + 3 * width, out + 3 * width, width);
    sb::cells_observe({out, out + width, out + 2 * width, out + 3 * width, out + 4 * width, out + 5 * width}, x.data(), width, 1.7, 1e-6,
                      &density);
    put(density, out + 6 * width);
  });
  kernel("outlook", [&](const double* in, double* out) {
    constexpr std::size_t columns = 19, points = 10;
    prepare(in);
    std::vector<double> cells(positive.begin() + 100, positive.begin() + 100 + 6 * columns);  // weight, mean, scale, low, high; whole
    for (std::size_t q = 0; q < columns; ++q) {
      cells[3 * columns + q] = cells[columns + q] - in[q] * in[q];
      cells[4 * columns + q] = cells[columns + q] + in[q] * in[q];
      cells[5 * columns + q] += cells[q];
    }
    const auto at_row = [&](std::size_t r) { return cells.data() + r * columns; };
    const sb::OutlookClass c{at_row(0), at_row(1), at_row(2), at_row(3), at_row(4)};
    std::vector<float> share(columns * points), entropy(columns), z(columns * points), left(z), right(z), inside(z), best(2 * columns, -1);
    sb::outlook_scales(c, columns);
    sb::outlook_shares(c, at_row(5), share.data(), entropy.data(), columns);
    for (std::size_t i = columns; i < share.size(); ++i) share[i] = share[i - columns];
    sb::outlook_positions(c, in + 50, positive.data() + 70, points, columns, z.data());
    sb::outlook_masses(z.data(), share.data(), left.data(), right.data(), inside.data(), z.size());
    sb::outlook_merits({left.data(), right.data(), inside.data()}, entropy.data(), 0.01f, 1e-4f, points, columns, best.data(),
                       best.data() + columns);
    double* to = out;
    for (const auto* part : {&share, &entropy, &z, &left, &right, &inside, &best})
      to = std::copy_n(part->begin(), std::min<std::size_t>(part->size(), 130), to);
  });
  kernel("normal_cdf_lanes", [](const double* in, double* out) { sb::normal_cdf_lanes(in, out, n); });
  kernel("x_log_x_lanes", [](const double* in, double* out) { sb::x_log_x_lanes(in, out, n); });
}

void all_kernels() {
  kernel("exp_down_lanes", [](const double* in, double* out) {
    absolute(in, out, n);
    sb::exp_down_lanes(out, out, n);
  });
  kernel("exp_lanes", [](const double* in, double* out) { sb::exp_lanes(in, out, n); });
  kernel("log_lanes", [](const double* in, double* out) { sb::log_lanes(in, out, n); });
  kernel("tanh_lanes", [](const double* in, double* out) { sb::tanh_lanes(in, out, n); });
  kernel("sigmoid_lanes", [](const double* in, double* out) { sb::sigmoid_lanes(in, out, n); });
  kernel("uniform_lanes", [](const double*, double* out) { sb::uniform_lanes(7, 1u << 20, 5, sb::Purpose::fraction, out, n); });
  kernel("poisson_lanes 1", [](const double*, double* out) { sb::poisson_lanes(1.0, 7, 3, 5, out, n); });
  kernel("poisson_lanes 9.5", [](const double*, double* out) { sb::poisson_lanes(9.5, 7, 3, 5, out, n); });
  kernel("poisson_lanes 200", [](const double*, double* out) { sb::poisson_lanes(200.0, 7, 3, 5, out, n); });
  lane_kernels();
  bayes_kernels();
  replay_kernels();
  tree_kernels();
  scalar("exp", [](double x) { return sb::exp(x); });
  scalar("log", [](double x) { return sb::log(x); });
  scalar("expm1", [](double x) { return sb::expm1(x); });
  scalar("log1p", [](double x) { return sb::log1p(x); });
  scalar("tanh", [](double x) { return sb::tanh(x); });
  scalar("sigmoid", [](double x) { return sb::sigmoid(x); });
  scalar("log1p_exp", [](double x) { return sb::log1p_exp(x); });
  scalar("sin", [](double x) { return sb::sin(x); });
  scalar("cos", [](double x) { return sb::cos(x); });
  scalar("erf", [](double x) { return sb::erf(x); });
  scalar("lgamma", [](double x) { return sb::lgamma(x); });
  scalar("lgamma_positive", [](double x) { return sb::lgamma_positive(x < 0 ? -x : x); });
  scalar("digamma", [](double x) { return sb::digamma(x < 0 ? -x : x); });
  scalar("trigamma", [](double x) { return sb::trigamma(x < 0 ? -x : x); });
  scalar("normal_quantile", [](double x) { return sb::normal_quantile(sb::sigmoid(x)); });
  scalar("poisson", [](double x) { return sb::poisson(x * x, sb::Key{std::bit_cast<std::uint64_t>(x), 1, 2, sb::Purpose::poisson}); });
}

std::vector<std::string> lines_of(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> result;
  for (std::string line; std::getline(file, line);) result.push_back(line);
  return result;
}

}  // namespace

int main(int n_arguments, char** argument) {
  if (!sb::level_problem().empty()) {
    std::puts(sb::level_problem().c_str());
    return 77;  // ctest: not run
  }
  all_kernels();
  if (n_arguments < 2) {
    for (const std::string& line : lines) std::puts(line.c_str());
    return 0;
  }
  const std::vector<std::string> expected = lines_of(argument[1]);
  const std::size_t most = std::max(lines.size(), expected.size());
  int differ = 0;
  for (std::size_t i = 0; i < most; ++i) {
    const std::string found = i < lines.size() ? lines[i] : "-", wanted = i < expected.size() ? expected[i] : "-";
    if (found == wanted) continue;
    std::printf("found %s, expected %s\n", found.c_str(), wanted.c_str());
    ++differ;
  }
  std::printf("%s: %d of %d kernels differ\n", std::string(sb::level()).c_str(), differ, static_cast<int>(most));
  return differ == 0 ? 0 : 1;
}
