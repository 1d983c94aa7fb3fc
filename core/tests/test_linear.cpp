// Linear banks against the textbook loop over one learner at a time.
#include "streamboost/learners/linear.hpp"
#include "test_model.hpp"

using namespace testing;
using checking::check;
using checking::check_near;

namespace {

struct Setup {
  LinearBank<double> bank;
  Answers answers;
  explicit Setup(const Values& changed, int d, int lanes = 5)
      : bank(LinearParams::read(config_of("linear", changed)), {0, lanes}, lanes, 7) {
    Schema schema;
    schema.first_width = d;
    schema.n_values.assign(static_cast<std::size_t>(d), -1);
    schema.n_classes = 2;
    schema.declared = true;
    bank.reserve(schema);
    bank.prepare(2, answers);
  }
};

Example example_of(const std::vector<double>& x, int label) {
  Example e;
  e.row = {x.data(), nullptr, static_cast<int>(x.size()), 0};
  for (double v : x) e.row.squared_norm += v * v;
  e.label = label;
  e.n_classes = e.n_classes_after = 2;
  return e;
}

// Copies one by one against the closed form, and `after` against the answer after learning.
void copies(const char* kind) {
  for (double k : {0.0, 1.0, 2.0, 5.0, 17.0, 250.0}) {
    Setup many(words({{"kind", kind}}), 3), one(words({{"kind", kind}}), 3);
    for (int t = 0; t < 20; ++t) {
      const std::vector<double> x{0.5, 0.1 * (t % 5) - 0.2, 0.07 * t - 0.7, 0.3};
      const Example e = example_of(x, t % 3 == 0);
      many.bank.ask(e, Request::margins, many.answers);
      one.bank.ask(e, Request::margins, one.answers);
      for (int i = 0; i < 5; ++i)
        check_near(many.answers.margin[static_cast<std::size_t>(i)], one.answers.margin[static_cast<std::size_t>(i)], 1e-9, kind);
      std::vector<double> promised;
      for (int i = 0; i < 5; ++i) promised.push_back(many.bank.after(i, e, k, Amount::copies, many.answers).margin);
      AlignedVector<double> amount(16, k);
      many.bank.learn(e, {e.label}, amount.data(), Amount::copies, many.answers);
      const int repeats = std::string(kind) == "ogd" ? (k > 0) : static_cast<int>(std::min(k, std::string(kind) == "logistic" ? 100.0 : k));
      AlignedVector<double> unit(16, std::string(kind) == "ogd" ? k : 1.0);
      for (int r = 0; r < repeats; ++r) {
        one.bank.ask(e, Request::margins, one.answers);
        one.bank.learn(e, {e.label}, unit.data(), Amount::weight, one.answers);
      }
      many.bank.ask(e, Request::margins, many.answers);
      if (k > 0)
        for (int i = 0; i < 5; ++i)
          check_near(many.answers.margin[static_cast<std::size_t>(i)], promised[static_cast<std::size_t>(i)], 1e-9,
                     "after is the answer after");
    }
  }
}

}  // namespace

int main() {
  copies("perceptron");
  copies("ogd");
  copies("logistic");

  Setup zero(words({{"kind", "perceptron"}, {"start", "zero"}}), 2);
  const std::vector<double> x{0.5, 0.5, -0.25};
  const Example e = example_of(x, 1);
  zero.bank.ask(e, Request::votes, zero.answers);
  check(zero.answers.vote[0] == -1, "a zero start is untrained");
  AlignedVector<double> amount(16, 0.0);
  amount[1] = 2;
  zero.bank.learn(e, {1}, amount.data(), Amount::weight, zero.answers);
  zero.bank.ask(e, Request::votes, zero.answers);
  check(zero.answers.vote[0] == -1 && zero.answers.vote[1] == 1, "amount 0 skips the lane");
  zero.bank.reset(1, 0);
  zero.bank.ask(e, Request::votes, zero.answers);
  check(zero.answers.vote[1] == -1, "reset gives a new-born learner");

  // OGD stays in the unit ball and its regret obeys 2 sqrt(2) sqrt(sum w^2) against every u in the ball.
  Setup ogd(words({{"kind", "ogd"}, {"start", "zero"}}), 2, 1);
  double gain = 0, squares = 0, sum[3] = {0, 0, 0};
  for (int t = 0; t < 3000; ++t) {
    const double a = 6.28 * uniform({3, static_cast<std::uint64_t>(t), 0, Purpose::learner}),
                 w = uniform({3, static_cast<std::uint64_t>(t), 1, Purpose::learner});
    const std::vector<double> row{0.5, 0.8 * streamboost::cos(a), 0.8 * streamboost::sin(a)};
    const Example step = example_of(row, uniform({3, static_cast<std::uint64_t>(t), 2, Purpose::learner}) < 0.5 + 0.3 * row[1] ? 1 : 0);
    const double y = step.label ? 1 : -1;
    ogd.bank.ask(step, Request::margins, ogd.answers);
    check(ogd.answers.margin[0] <= 1 && ogd.answers.margin[0] >= -1, "hypothesis in [-1, 1]");
    gain += w * y * ogd.answers.margin[0];
    squares += w * w;
    for (int j = 0; j < 3; ++j) sum[j] += w * y * row[static_cast<std::size_t>(j)];
    AlignedVector<double> weight(16, w);
    ogd.bank.learn(step, {step.label}, weight.data(), Amount::weight, ogd.answers);
  }
  const double best = std::sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
  check(best - gain <= 2 * std::sqrt(2.0) * std::sqrt(squares), "regret bound of the sum-of-squares step");
  return checking::finish();
}
