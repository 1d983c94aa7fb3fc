// Verbs that only read may meet: every pair of them, in two threads at once, over every booster, every bank and the models around them. And the
// threads of one call that learns leave what one thread leaves. Meant for the thread sanitizer.
#include <thread>

#include "streamboost/run/plan.hpp"
#include "test_model.hpp"

using namespace testing;
using checking::check;

namespace {

using Said = std::vector<double>;

Said flat(const SavedState& state) {
  Said said;
  for (const auto& [name, field] : state) {
    said.insert(said.end(), field.real.begin(), field.real.end());
    said.insert(said.end(), field.integer.begin(), field.integer.end());
  }
  return said;
}

Said predicted(const Model& model, const Stream& s) {
  constexpr int n = 20;
  const Output output = model.answers_numbers() ? Output::number : Output::proba;
  Said said(static_cast<std::size_t>(n * s.n_classes));
  model.predict(s.block(0, n), {output, nullptr, said.data()});
  if (model.n_coverages() == 0) return said;
  Said sets(said.size());
  model.predict(s.block(0, n), {Output::set, nullptr, sets.data()});
  said.insert(said.end(), sets.begin(), sets.end());
  return said;
}

Said explained(const Model& model, const Stream& s) {
  Said said;
  for (const bool shapley : {false, true}) {
    Said contributions(static_cast<std::size_t>(s.d));
    if (const auto score = model.explain(s.block(1, 1), -1, shapley, contributions.data())) contributions.push_back(score->score);
    said.insert(said.end(), contributions.begin(), contributions.end());
  }
  return said;
}

Said reported(Model& model) {
  const ModelReport report = model.report();
  Said said = report.trace;
  for (const auto& [name, lanes] : report.lanes) said.insert(said.end(), lanes.begin(), lanes.end());
  for (const auto& [name, total] : report.totals) said.push_back(total);
  return said;
}

struct Verb {
  const char* name;
  Said (*say)(Model&, const Stream&);
};
const std::vector<Verb> verbs{
    {"predict", [](Model& model, const Stream& s) { return predicted(model, s); }},
    {"explain", [](Model& model, const Stream& s) { return explained(model, s); }},
    {"save", [](Model& model, const Stream&) { return flat(model.save()); }},
    {"clone", [](Model& model, const Stream& s) { return predicted(*model.clone(), s); }},
    {"memory_bytes", [](Model& model, const Stream&) { return Said{static_cast<double>(model.memory_bytes())}; }},
    {"report", [](Model& model, const Stream&) { return reported(model); }},
};

bool same(const Said& a, const Said& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end(), checking::same_bits); }

// Each pair meets in a clone of its own: what a first call might set up is not there yet.
void readers_meet(const std::string& what, const Model& model, const Stream& s) {
  std::vector<Said> alone;
  for (const Verb& verb : verbs) alone.push_back(verb.say(*model.clone(), s));
  for (std::size_t a = 0; a < verbs.size(); ++a)
    for (std::size_t b = a; b < verbs.size(); ++b) {
      const auto clone = model.clone();
      Said one, other;
      std::thread beside([&] { other = verbs[b].say(*clone, s); });
      one = verbs[a].say(*clone, s);
      beside.join();
      check(same(one, alone[a]) && same(other, alone[b]), what + ": " + verbs[a].name + " beside " + verbs[b].name);
    }
}

// The labels of a stream as each kind of model learns them: numbers, sets of one label, or a label that was played, whether it was right, with
// what probability, and the one thought best.
void learn(Model& model, const Stream& s, Team team) {
  std::vector<double> facts;
  const auto n_facts = static_cast<std::size_t>(model.facts() == Facts::bandit ? 4 : s.n_classes);
  for (int r = 0; r < s.n; ++r) {
    const std::int32_t label = s.y[static_cast<std::size_t>(r)];
    if (model.answers_numbers())
      facts.push_back(label + s.x[static_cast<std::size_t>(r * s.d)] * (r % 13 > 0));
    else if (model.facts() == Facts::bandit)
      facts.insert(facts.end(), {static_cast<double>(r % 2), label == r % 2 ? 1.0 : 0.0, 0.5, 0.0});
    else
      for (int c = 0; c < s.n_classes; ++c) facts.push_back(c == label);
  }
  for (double& x : facts) x = std::isnan(x) ? 0 : x;
  const Truth truth = model.answers_numbers()        ? Truth::of_numbers(facts.data())
                      : model.facts() != Facts::none ? Truth::of_facts(facts.data(), n_facts)
                                                     : Truth(s.y.data());
  team.learn(model, s.block(0, s.n), truth, s.weight.data(), OutputBuffers{});
}

template <class Make>
void laws(const std::string& what, const Stream& s, Make make) {
  const auto fresh = [&] {
    std::unique_ptr<Model> model = make();
    model->reserve(s.schema());
    const auto k = static_cast<std::size_t>(s.n_classes);
    model->describe(std::vector<double>(1 + k + k * k, 1.0));
    return model;
  };
  const auto alone = fresh(), together = fresh();
  learn(*alone, s, team_of(1));
  learn(*together, s, team_of(4));
  check(equal(alone->save(), together->save()), what + ": four threads learn what one learns");
  readers_meet(what, *together, s);
}

void over(const std::string& booster, const std::string& learner, const Stream& s, const std::string& detector = "") {
  Ensemble ensemble = ensemble_of(9);
  if (!detector.empty()) ensemble.guard = eager_guard(detector);
  const bool trees = learner == "hoeffding" || learner == "regression_tree";
  const Config config = config_of(learner, trees ? Values{{"grace_period", 10.0}, {"tie_threshold", 0.9}} : Values{});
  laws(booster + " over " + learner + detector, s, [&] {
    const auto bank = [&](Lanes lanes) { return make_bank(learner, config, lanes, ensemble); };
    return make_model(booster, config_of(booster), ensemble, bank, cuts_of(booster, {4}));
  });
}

// The default models, as they are and with everything around them.
void plans(const Stream& s) {
  for (Plan plan : {default_classifier(5), default_regressor(5)}) {
    plan.cuts = {8, 16};
    laws("default over " + plan.learner, s, [&] { return make_model(plan); });
    const bool numbers = predicts_numbers(plan.booster);
    plan.ensemble.n_estimators = 9;
    plan.cuts = {4};
    plan.encoding = {{"most_columns", 3}, {"sparse", false}, {"score_bits", 8}, {"open", true}};
    plan.lags = {{"lags", std::vector<double>{1, 2}}, {"delay", 0}};
    plan.stages = {{"coverages", std::vector<double>{0.8, 0.9}}};
    laws("encoded, lagged and with sets, over " + plan.learner, s, [&] { return make_model(plan); });
    plan.lags = {};
    plan.encoding = {{"most_columns", 3}, {"sparse", true}, {"score_bits", 0}, {"open", false}};
    plan.stages = {{"importances_half_life", 100.0}};
    if (!numbers) {
      plan.stages.values.insert({{"class_weight", word("balanced")}, {"class_weight_keep", 0.99}, {"health", true}});
      plan.stages.values.insert({{"calibration", word("platt+bins")}, {"calibration_half_life", 50.0}, {"decision", word("cost")}});
    }
    laws("sparse and with all other stages, over " + plan.learner, s, [&] { return make_model(plan); });
    plan.encoding = plan.stages = {};
    plan.tokens = {{"view", word("pairs")}, {"bits", 8}};
    plan.learner = numbers ? "linear_regression" : "logistic";
    plan.learner_params = config_of(plan.learner);
    laws("hashed tokens, over " + plan.learner, s, [&] { return make_model(plan); });
  }
}

}  // namespace

int main() {
  const Stream mixed = make_stream(160, 4, 2, true), nominal = all_nominal(mixed);
  Stream counts = make_stream(160, 4, 2, false);
  for (double& x : counts.x) x = std::isnan(x) ? 0 : std::floor(4 * std::abs(x));
  for (const std::string& booster : booster_names()) over(booster, predicts_numbers(booster) ? "regression_tree" : "hoeffding", mixed);
  for (const std::string& bank : bank_names()) {
    const Stream& s = bank == "count_bayes" ? counts : bank == "tan" || bank == "ban" ? nominal : mixed;
    over(predicts_numbers(bank) ? "bagging_regressor" : "bagging", bank, s);
  }
  for (const auto& [detector, params] : eager_detectors()) over("bagging", "naive_bayes", mixed, detector);
  plans(make_stream(240, 4, 2, true));
  return checking::finish();
}
