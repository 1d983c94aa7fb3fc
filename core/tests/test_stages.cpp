// The stages around the vote: cut anywhere, loaded or never stopped, they are the same bits; files that break a promise are refused.
#include "streamboost/run/staged_model.hpp"
#include "test_model.hpp"

using namespace testing;
using checking::check;
using checking::check_bits;

namespace {

Config all_stages() {
  Config config;
  config.values["class_weight"] = std::string("balanced");
  config.values["class_weight_keep"] = 0.99;
  config.values["calibration"] = std::string("platt+bins");
  config.values["calibration_half_life"] = 50.0;
  config.values["decision"] = std::string("cost");
  config.values["coverages"] = std::vector<double>{0.8, 0.9};
  config.values["health"] = true;
  config.values["importances_half_life"] = 100.0;
  return config;
}

std::unique_ptr<StagedModel> staged(const Stream& s) {
  const Config config = all_stages();
  const Ensemble ensemble{5, 99, false, true, 1, 0, {}};
  auto model = std::make_unique<StagedModel>(make("bagging", "naive_bayes", {}, s, {}, 5), Stages::read(config), ensemble);
  config.check_all_read("stages");
  model->reserve(s.schema());
  const auto k = static_cast<std::size_t>(s.n_classes);
  std::vector<double> facts(1 + k + k * k, 1.0);
  for (std::size_t c = 0; c < k; ++c) facts[1 + k + c * k + c] = 0;
  model->describe(facts);
  return model;
}

void test_chunks(int n_classes) {
  const Stream s = make_stream(200, 4, n_classes, true);
  auto whole = staged(s), parts = staged(s), resumed = staged(s);
  const auto one = run(*whole, s, 0, 200, Output::proba);
  std::vector<double> two;
  for (int first = 0, n = 1; first < 200; first += n, n = n % 7 + 1) {
    const int rows = std::min(n, 200 - first);
    const auto answers = run(*parts, s, first, rows, Output::proba);
    two.insert(two.end(), answers.begin(), answers.end());
    n = rows;
  }
  check(one == two, "answers do not depend on the cut");
  check(equal(whole->save(), parts->save()), "nor does the state");
  run(*resumed, s, 0, 90);
  auto again = staged(s);
  again->load(resumed->save());
  run(*again, s, 90, 110);
  check(equal(whole->save(), again->save()), "loaded and never stopped are the same");
}

template <class Change>
void refuse(const Stream& s, const char* what, Change change) {
  auto model = staged(s);
  run(*model, s, 0, 60);
  SavedState state = model->save();
  const SavedState before = state;
  change(state);
  bool refused = false;
  try {
    model->load(state);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  check(refused, what);
  check(equal(model->save(), before), "a refused file changes nothing");
}

void test_hostile() {
  const Stream s = make_stream(60, 3, 2, false);
  refuse(s, "a negative slope", [](SavedState& x) { x["calibration/pair"].real[0] = -1; });
  refuse(s, "a curvature that is no such", [](SavedState& x) { x["calibration/pair_curve"].real[0] = 0; });
  refuse(s, "negative counts", [](SavedState& x) { x["class_weight/count"].real[0] = -1; });
  refuse(s, "negative costs", [](SavedState& x) { x["decision/cost"].real[1] = -1; });
  refuse(s, "alpha out of reach", [](SavedState& x) { x["sets/alpha"].real[0] = 7; });
  refuse(s, "a missing field", [](SavedState& x) { x.erase("sets/tree"); });
  refuse(s, "a field too many", [](SavedState& x) { x["sets/more"] = x["sets/tree"]; });
  refuse(s, "importances below 0", [](SavedState& x) { x["importances/sums"].real[0] = -1; });
}

// score = base + contributions, sampled and exactly.
void test_explanations() {
  const Stream s = make_stream(120, 5, 3, true);
  auto model = staged(s);
  run(*model, s, 0, 120);
  std::vector<double> contributions(5), score(3);
  for (int orders : {0, 1, 5})
    for (int r = 0; r < 20; ++r) {
      Explainer explainer(*model, 3, orders);
      const auto told = explainer.explain(s.block(r, 1).row(0), -1, contributions.data());
      double sum = told.base;
      for (double c : contributions) sum += c;
      model->predict(s.block(r, 1), {Output::score, nullptr, score.data()});
      check(std::fabs(sum - told.score) < 1e-9, "contributions add up");
      check_bits(told.score, score[static_cast<std::size_t>(told.label)], "to the score");
    }
}

}  // namespace

int main() {
  test_chunks(2);
  test_chunks(3);
  test_hostile();
  test_explanations();
  return checking::finish();
}
