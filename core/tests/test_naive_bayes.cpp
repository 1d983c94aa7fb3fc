// Naive Bayes: `after` is the answer after learning, learning never unlearns, order does not matter, k copies are weight k.
#include "streamboost/learners/naive_bayes.hpp"

#include "streamboost/learners/count_bayes.hpp"
#include "test_model.hpp"

using namespace testing;
using checking::check;
using checking::check_near;

namespace {

struct Setup : BankSetup<NaiveBayesBank> {
  Setup(const Values& changed, const Stream& s) : BankSetup(config_of("naive_bayes", changed), s) {}
};
struct CountSetup : BankSetup<CountBayesBank> {
  CountSetup(const Values& changed, const Stream& s) : BankSetup(config_of("count_bayes", changed), s) {}
};

template <class Kind = Setup>
void after_is_after(const Values& config, const Stream& s) {
  Kind setup(config, s);
  for (int r = 0; r < s.n; ++r) {
    const Example e = example_of(s, r);
    const double amount = r % 4 == 3 ? 3 : 1;
    setup.bank.ask(e, Request::votes, setup.answers);
    setup.bank.after_begin(e, setup.answers);
    const int before = setup.answers.vote[0];
    const bool keeps = setup.answers.right_stays_right();
    const Answer promised = setup.bank.after(0, e, amount, Amount::copies, setup.answers);
    setup.learn(e, amount);
    setup.bank.ask(e, Request::votes, setup.answers);
    const int now = setup.answers.vote[0];
    check(now == promised.label, "after is the answer after learning");
    if (keeps && before == e.label) check(now == e.label, "learning never unlearns");
    if (s.n_classes == 2) {
      setup.bank.ask(e, Request::margins, setup.answers);
      check_near(setup.answers.margin[0], promised.margin, 1e-9, "margin after");
    }
  }
}

}  // namespace

int main() {
  Values laplace;
  laplace["alpha"] = 1.0;
  for (int n_classes : {2, 4})
    for (bool mixed : {false, true}) {
      const Stream s = make_stream(200, 6, n_classes, mixed, 5);
      after_is_after({}, s);
      after_is_after(laplace, s);
      after_is_after(words({{"sparse", "always"}}), s);
      if (!mixed)
        for (const char* counts : {"multinomial", "complement", "bernoulli"}) after_is_after<CountSetup>(words({{"counts", counts}}), s);

      Setup forward({}, s), backward({}, s), copies({}, s);
      for (int r = 0; r < s.n; ++r) {
        forward.learn(example_of(s, r), 3);
        backward.learn(example_of(s, s.n - 1 - r), 3);
        for (int k = 0; k < 3; ++k) copies.learn(example_of(s, r), 1);
      }
      for (int r = 0; r < s.n; ++r) {
        for (auto* setup : {&forward, &backward, &copies}) setup->bank.ask(example_of(s, r), Request::distributions, setup->answers);
        for (int c = 0; c < n_classes; ++c) {
          const auto at = static_cast<std::size_t>(c) * forward.answers.stride;
          check_near(forward.answers.distribution[at], backward.answers.distribution[at], 1e-9, "order does not matter");
          check_near(forward.answers.distribution[at], copies.answers.distribution[at], 1e-9, "weight k is k copies");
        }
      }
    }
  const Stream s = make_stream(10, 3, 2, false);
  Setup empty({}, s);
  empty.bank.ask(example_of(s, 0), Request::margins, empty.answers);
  check(empty.answers.margin[0] == 0, "no data: margin 0, not NaN");
  Example first = example_of(s, 0);
  first.label = 1;
  empty.learn(first, 1e-3);
  empty.bank.ask(example_of(s, 1), Request::margins, empty.answers);
  check(empty.answers.margin[0] > 0 && empty.answers.margin[0] <= 1, "one class only: prior odds");
  const std::vector<double> huge{1e300, -1e300, 1e308};
  Example wild = first;
  wild.row = {huge.data(), nullptr, 3, 0};
  for (int t = 0; t < 5; ++t) {
    wild.label = t % 2;
    empty.learn(wild, 1e10);
  }
  empty.bank.ask(example_of(s, 1), Request::margins, empty.answers);
  check(empty.answers.margin[0] >= -1 && empty.answers.margin[0] <= 1, "huge values poison nothing");
  return checking::finish();
}
