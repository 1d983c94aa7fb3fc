// The template bank of docs/extending.md under real boosters: a new bank needs no change to any of them.
#include "majority_bank.hpp"
#include "test_model.hpp"

using namespace testing;
using checking::check;

namespace {

std::unique_ptr<Model> majority(const std::string& booster, const Stream& s, const std::vector<int>& cuts = {}) {
  const Ensemble ensemble = ensemble_of(20);
  auto model = make_model(
      booster, config_of(booster), ensemble, [](Lanes lanes) { return std::make_unique<MajorityBank>(MajorityBank::Params{}, lanes); },
      cuts);
  model->reserve(s.schema());
  return model;
}

void by_hand() {
  const Stream s = make_stream(4, 2, 2, false);
  BankSetup<MajorityBank> setup(Config{}, s);
  Example e = example_of(s, 0);
  setup.bank.ask(e, Request::votes, setup.answers);
  check(setup.answers.vote[0] == -1 && !setup.bank.trained(0), "untrained abstains");
  e.label = 1;
  setup.learn(e, 2.0);
  e.label = 0;
  setup.learn(e, 0.5);
  setup.bank.ask(e, Request::margins, setup.answers);
  check(setup.answers.margin[0] == (2.0 - 0.5) / 2.5, "margin");
  check(setup.bank.after(0, e, 1.0, Amount::weight, setup.answers).label == 1, "one more of the other class is not enough");
  check(setup.bank.after(0, e, 3.0, Amount::weight, setup.answers).label == 0, "three more are");
}

void laws(const std::string& booster) {
  const Stream s = make_stream(120, 4, 2, false);
  auto whole = majority(booster, s), cut = majority(booster, s, {6});
  const auto answers = run(*whole, s, 0, s.n);
  check(run(*cut, s, 0, s.n) == answers, booster + ": lanes cut into blocks answer alike");
  auto first = majority(booster, s), second = majority(booster, s);
  run(*first, s, 0, 50);
  second->load(first->save());
  run(*second, s, 50, s.n - 50);
  check(equal(second->save(), whole->save()), booster + ": saved, loaded, gone on");
}

}  // namespace

int main() {
  by_hand();
  for (const char* booster : {"bagging", "oza", "osboost", "arcx4"}) laws(booster);
  return checking::finish();
}
