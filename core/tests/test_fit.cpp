// Boosters and learners that do not fit together are refused when the model is built, with a sentence that says why.
#include "test_model.hpp"

using namespace testing;
using checking::check;

namespace {

// A bank with nothing but the verbs that every bank has.
class BareBank final : public Bank {
 public:
  explicit BareBank(Lanes lanes) : lanes_(lanes) {}
  Lanes lanes() const override { return lanes_; }
  IntakeNeeds needs() const override { return {}; }
  Abilities abilities() override { return abilities_of(*this); }
  std::unique_ptr<Bank> copy() const override { return std::make_unique<BareBank>(*this); }
  double least_numbers(const Schema&) const override { return 0; }
  void ask(const Example&, Request, Answers& answers) const override { std::fill(answers.vote.begin(), answers.vote.end(), 0); }
  void learn(const Example&, Labels, const double*, Amount, Answers&) override {}
  bool trained(int) const override { return true; }
  void reserve(const Schema&) override {}

 protected:
  void begin(int) override {}
  void exchange(int, Bank&) override {}
  void fields(FieldVisitor&) override {}

 private:
  Lanes lanes_;
};

std::string why_refused(const std::string& booster, const BankFactory& bank, const Values& options = {}) {
  try {
    make_model(booster, config_of(booster, options), ensemble_of(4), bank, {});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

BankFactory named(const std::string& learner) {
  return [learner](Lanes lanes) { return make_bank(learner, config_of(learner), lanes, ensemble_of(4)); };
}

}  // namespace

int main() {
  const BankFactory bare = [](Lanes lanes) { return std::make_unique<BareBank>(lanes); };
  check(why_refused("bagging", bare).empty(), "a booster that needs nothing takes any learner");
  for (const char* booster : {"oza", "arcx4", "ogboost", "primed"})
    check(why_refused(booster, bare).find("answer again once they have learned") != std::string::npos, booster);
  check(why_refused("oza", bare, words({{"order", "test_first"}})).empty(), "Oza that tests first asks for no second answer");
  check(why_refused("bagging", named("linear_regression")).find("learners that answer classes") != std::string::npos, "a classifier");
  check(why_refused("bagging_regressor", named("naive_bayes")).find("learners that answer numbers") != std::string::npos, "a regressor");
  for (const char* booster : {"mbbm", "adaboost_olm"})
    check(why_refused(booster, named("naive_bayes"), words({{"costs", "leaf_costs"}})).find("collect costs") != std::string::npos, booster);
  return checking::finish();
}
