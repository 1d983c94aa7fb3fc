// What every bank owes the layers above it: copies, new-born learners, learners that change places.
#include "test_model.hpp"

using namespace testing;
using checking::check;

namespace {

SavedState state_of(Bank& bank) {
  Saver saver;
  saver.n_lanes_all = bank.lanes().size();
  saver.lanes = bank.lanes();
  bank.visit(saver);
  return std::move(saver.state);
}

struct Kind {
  std::string learner;
  Values changed;
  enum Columns { mixed, nominal, counts } columns;
};

std::vector<Kind> kinds() {
  std::vector<Kind> all = {{"naive_bayes", {}, Kind::mixed},
                           {"stump", {}, Kind::mixed},
                           {"tan", {}, Kind::nominal},
                           {"ban", {}, Kind::nominal},
                           {"mlp", {}, Kind::mixed},
                           {"hoeffding", {}, Kind::mixed},
                           {"iti", {}, Kind::mixed},
                           {"linear", words({{"kind", "perceptron"}}), Kind::mixed},
                           {"linear", words({{"kind", "ogd"}}), Kind::mixed},
                           {"linear", words({{"kind", "logistic"}}), Kind::mixed},
                           {"logistic", {}, Kind::mixed},
                           {"nearest_neighbors", {}, Kind::mixed},
                           {"count_bayes", {}, Kind::counts}};
  all[5].changed["grace_period"] = 20.0;
  for (const char* learner : {"naive_bayes", "stump", "hoeffding", "linear", "logistic"}) {
    Kind part{learner, {}, Kind::mixed};
    part.changed["feature_fraction"] = 0.5;
    all.push_back(part);
  }
  return all;
}

constexpr int lanes = 5;

// A bank with rows of its own: the intake makes the view that it wants.
struct Setup {
  std::unique_ptr<Bank> bank;
  Intake intake;
  Answers answers;
  RowBuffer buffer;

  Setup(const Kind& kind, const Stream& s)
      : bank(make_bank(kind.learner, config_of(kind.learner, kind.changed), {0, lanes}, ensemble_of(lanes))), intake(bank->needs()) {
    bank->keep_births();
    intake.reserve(s.schema());
    bank->reserve(intake.schema());
    bank->prepare(static_cast<std::size_t>(s.n_classes), answers);
  }
  // Lane i learns the rows from first[i] on.
  void learn(const Stream& s, const std::vector<int>& first) {
    AlignedVector<double> amount(answers.stride, 0.0);
    for (int r = 0; r < s.n; ++r) {
      for (int i = 0; i < lanes; ++i) amount[static_cast<std::size_t>(i)] = r >= first[static_cast<std::size_t>(i)] ? 1 + i % 2 : 0;
      Example e;
      intake.admit(s.block(r, 1).row(0), s.y[static_cast<std::size_t>(r)], 1, true, buffer, e);
      bank->ask(e, Request::votes, answers);
      bank->learn(e, {e.label}, amount.data(), Amount::weight, answers);
      bank->finish_example(e);
    }
  }
};

void test_copies_are_equal(const Kind& kind, const Stream& s) {
  Setup a(kind, s);
  a.learn(s, {0, 0, 40, 90, 300});
  const auto copy = a.bank->copy();
  check(equal(state_of(*a.bank), state_of(*copy)), kind.learner + ": a copy has the same state");
  a.bank->reset(0, 1);
  check(!equal(state_of(*a.bank), state_of(*copy)), kind.learner + ": a copy has a life of its own");
}

// A learner born in the middle of a stream is the one that had learned nothing before.
void test_reset(const Kind& kind, const Stream& s) {
  Setup old(kind, s), young(kind, s);
  const int half = s.n / 2;
  Stream first = s, second = s;
  first.n = half;
  second.n = s.n - half;
  second.x.erase(second.x.begin(), second.x.begin() + static_cast<std::ptrdiff_t>(half) * s.d);
  second.y.erase(second.y.begin(), second.y.begin() + half);
  old.learn(first, {0, 0, 0, 0, 0});
  young.learn(first, {0, half, 0, half, 0});
  old.bank->reset(1, 0);
  old.bank->reset(3, 0);
  check(equal(state_of(*old.bank), state_of(*young.bank)), kind.learner + ": reset forgets everything");
  old.learn(second, {0, 0, 0, 0, 0});
  young.learn(second, {0, 0, 0, 0, 0});
  check(equal(state_of(*old.bank), state_of(*young.bank)), kind.learner + ": and learns like a new one");
}

// Lane i of a bank and of its twin change places: what was swapped in goes on as it would have where it was.
void test_swap(const Kind& kind, const Stream& s) {
  Setup a(kind, s), b(kind, s), c(kind, s);
  a.bank->reset(2, 7);
  c.bank->reset(2, 7);
  a.learn(s, {0, 0, 0, 0, 0});
  b.learn(s, {50, 50, 50, 50, 50});
  c.learn(s, {0, 0, 0, 0, 0});
  const SavedState before_a = state_of(*a.bank), before_b = state_of(*b.bank);
  a.bank->swap(2, *b.bank);
  check(a.bank->birth(2) == 0 && b.bank->birth(2) == 7, kind.learner + ": births go along");
  check(!equal(state_of(*a.bank), before_a) && !equal(state_of(*b.bank), before_b), kind.learner + ": the learners have changed places");
  a.learn(s, {0, 0, 1000, 0, 0});
  b.learn(s, {1000, 1000, 0, 1000, 1000});
  c.learn(s, {0, 0, 0, 0, 0});
  a.bank->swap(2, *b.bank);
  check(equal(state_of(*a.bank), state_of(*c.bank)), kind.learner + ": a learner that was away has learned the same");
}

// Births other than 0 draw anew, and a saved bank draws the same again.
void test_births(const Kind& kind, const Stream& s) {
  Setup a(kind, s), b(kind, s);
  const bool draws = kind.learner == "mlp" || kind.learner == "linear" || kind.changed.contains("feature_fraction");
  b.bank->reset(1, 3);
  a.learn(s, {0, 0, 0, 0, 0});
  b.learn(s, {0, 0, 0, 0, 0});
  SavedState of_a = state_of(*a.bank), of_b = state_of(*b.bank);
  of_a.erase("birth");
  of_b.erase("birth");
  check(equal(of_a, of_b) != draws, kind.learner + ": a birth number draws anew");
  Setup again(kind, s);
  const SavedState saved = state_of(*b.bank);
  Loader loader(saved);
  loader.n_lanes_all = lanes;
  loader.lanes = again.bank->lanes();
  again.bank->visit(loader);
  again.bank->check();
  again.intake = b.intake;
  again.learn(s, {0, 0, 0, 0, 0});
  b.learn(s, {0, 0, 0, 0, 0});
  check(equal(state_of(*again.bank), state_of(*b.bank)), kind.learner + ": a loaded learner of a later birth goes on the same");
}

}  // namespace

// A bank that the core's table has must be among the kinds above.
void test_every_bank_has_a_kind() {
  const std::vector<Kind> all = kinds();
  for (const std::string& name : bank_names())
    check(predicts_numbers(name) || std::any_of(all.begin(), all.end(), [&](const Kind& kind) { return kind.learner == name; }),
          "kinds() has the bank " + name);
}

int main() {
  test_every_bank_has_a_kind();
  const Stream mixed = make_stream(200, 6, 2, true);
  const Stream nominal = all_nominal(mixed);
  Stream counts = nominal;
  counts.n_values.assign(counts.n_values.size(), -1);
  for (const Kind& kind : kinds()) {
    const Stream& s = kind.columns == Kind::mixed ? mixed : kind.columns == Kind::nominal ? nominal : counts;
    test_copies_are_equal(kind, s);
    test_reset(kind, s);
    test_swap(kind, s);
    test_births(kind, s);
  }
  return checking::finish();
}
