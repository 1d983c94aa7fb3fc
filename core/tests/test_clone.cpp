// A clone is the model once more: the bits of a save and a load, for every booster over every bank, and a life of its own.
#include "test_model.hpp"

using namespace testing;
using checking::check;

namespace {

struct Kind {
  std::string learner;
  Values changed;
  bool nominal;
};

Ensemble guarded(const std::string& detector) {
  Ensemble ensemble = ensemble_of(19);
  ensemble.guard = eager_guard(detector);
  return ensemble;
}

std::unique_ptr<Model> build(const std::string& booster, const Kind& kind, const Stream& s, const Ensemble& ensemble) {
  const Config learner = config_of(kind.learner, kind.changed);
  auto model = make_model(
      booster, config_of(booster), ensemble, [&](Lanes lanes) { return make_bank(kind.learner, learner, lanes, ensemble); },
      cuts_of(booster, {16}));
  model->reserve(s.schema());
  return model;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), checking::same_bits);
}

void law(const std::string& booster, const Kind& kind, const Stream& s, const Ensemble& ensemble) {
  const std::string what = booster + " over " + kind.learner + (ensemble.guard.on() ? ", guarded" : "");
  const int half = s.n / 2;
  const auto model = build(booster, kind, s, ensemble), loaded = build(booster, kind, s, ensemble);
  run(*model, s, 0, half);
  const SavedState saved = model->save();
  const auto clone = model->clone();
  loaded->load(saved);
  check(equal(clone->save(), saved), what + ": a clone has the state of its model");
  const auto said = run(*clone, s, half, s.n - half), expected = run(*loaded, s, half, s.n - half);
  check(same(said, expected), what + ": a clone goes on like a model from a file");
  check(equal(clone->save(), loaded->save()), what + ": and ends where that ends");
  check(equal(model->save(), saved), what + ": its model has not noticed");
  check(same(run(*model, s, half, s.n - half), expected), what + ": and goes on as well");
}

}  // namespace

int main() {
  const Stream mixed = make_stream(160, 4, 2, true), nominal = all_nominal(mixed);
  std::vector<Kind> kinds;
  for (const char* learner : {"naive_bayes", "nearest_neighbors", "stump", "mlp", "iti", "linear", "logistic"})
    kinds.push_back({learner, {}, false});
  for (const char* learner : {"tan", "ban"}) kinds.push_back({learner, {}, true});
  kinds.push_back({"hoeffding", {{"grace_period", 10.0}, {"tie_threshold", 0.9}}, false});
  kinds.push_back({"naive_bayes", {{"feature_fraction", 0.5}}, false});
  // Counts take no nominal columns: their laws are with the sparse streams of the Python tests.
  for (const std::string& bank : bank_names())
    check(predicts_numbers(bank) || bank == "count_bayes" ||
              std::any_of(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind.learner == bank; }),
          bank + " is cloned here");
  for (const std::string& booster : booster_names())
    for (const Kind& kind : kinds)
      // One that has no learners would do the same over each of them.
      if (!predicts_numbers(booster) && !learns_facts(booster) && (has_learners(booster) || &kind == kinds.data()))
        law(booster, kind, kind.nominal ? nominal : mixed, ensemble_of(19));
  for (const char* booster : {"bagging", "adaptive_bagging", "oza", "osboost"})
    for (const Kind& kind : kinds) law(booster, kind, kind.nominal ? nominal : mixed, guarded("adwin"));
  for (const auto& [detector, params] : eager_detectors()) law("oza", {"naive_bayes", {}, false}, mixed, guarded(detector));
  return checking::finish();
}
