// Memory that runs out: the n-th allocation fails, for every n. A call then leaves the model as it was, or has done all of its work.
// Trees that grow in the middle of a lesson go on without what they could not have: they have learned all rows, are sound, and say so.
#include <atomic>
#include <cstdlib>
#include <new>

#include "streamboost/run/explain.hpp"
#include "streamboost/run/plan.hpp"
#include "test_model.hpp"

namespace {
std::atomic<long> countdown{-1};    // allocations left until one fails; negative: none fails
std::atomic<bool> struck{false};    // one has failed
std::atomic<std::size_t> asked{0};  // bytes, of all allocations

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (countdown >= 0 && countdown-- == 0) {
    struck = true;
    return nullptr;
  }
  asked += bytes;
  alignment = std::max(alignment, alignof(std::max_align_t));
  bytes = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
#ifdef _WIN32
  return _aligned_malloc(bytes, alignment);
#else
  return std::aligned_alloc(alignment, bytes);
#endif
}
void release(void* p) {
#ifdef _WIN32
  _aligned_free(p);
#else
  std::free(p);
#endif
}
void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* p = allocate(bytes, alignment)) return p;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t n) { return allocate_or_throw(n, 0); }
void* operator new[](std::size_t n) { return allocate_or_throw(n, 0); }
void* operator new(std::size_t n, std::align_val_t a) { return allocate_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, 0); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return allocate(n, static_cast<std::size_t>(a)); }
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }

using namespace testing;
using checking::check;
using checking::check_equal;

namespace {

struct Case {
  std::string booster, learner;
  Values changed;  // parameters of the learner
  bool nominal, multiclass;
  int threads = 1;
  std::string detector = "";  // of a guard against drift
};

// Rows with a new column, a new value of each nominal column and a new class, and the schema that goes with them.
Schema grown(const Stream& s, const Case& c) {
  Schema schema = s.schema();
  schema.declared = c.booster == "mbbm";
  for (auto& values : schema.n_values)
    if (values >= 0) values += 2;
  schema.n_values.push_back(c.nominal ? 2 : -1);
  if (c.multiclass) schema.n_classes += 1;
  return schema;
}

std::unique_ptr<Model> make_case(const Case& c, const Stream& s) {
  Ensemble ensemble = ensemble_of(19);
  if (!c.detector.empty()) ensemble.guard = eager_guard(c.detector);
  const Config learner = config_of(c.learner, c.changed);
  auto model = make_model(
      c.booster, config_of(c.booster), ensemble, [&](Lanes lanes) { return make_bank(c.learner, learner, lanes, ensemble); },
      cuts_of(c.booster, {8}));
  Schema schema = s.schema();
  schema.declared = c.booster == "mbbm";
  model->reserve(schema);
  return model;
}

void learn(Model& model, const Stream& s, int n, int threads = 1) {
  const Truth truth = model.answers_numbers() ? Truth::of_numbers(s.weight.data()) : Truth(s.y.data());
  if (threads > 1)
    team_of(threads).learn(model, s.block(0, n), truth, s.weight.data(), OutputBuffers{});
  else
    model.learn(s.block(0, n), truth, s.weight.data(), OutputBuffers{});
}

// The first rows of a stream with a new column, new values and, where there may be more, a new class.
Stream with_news(const Stream& s, const Case& c) {
  Stream wider{20, s.d + 1, {}, {}, {}, {}, s.n_classes};
  for (int r = 0; r < wider.n; ++r) {
    const auto at = static_cast<std::size_t>(r);
    for (std::size_t j = 0; j < s.n_values.size(); ++j) {
      const bool is_new = s.n_values[j] >= 0 && r % 3 == 0;
      wider.x.push_back(is_new ? static_cast<double>(s.n_values[j] + 1) : s.x[at * s.n_values.size() + j]);
    }
    wider.x.push_back(c.nominal ? r % 2 : 0.1 * r);
    wider.y.push_back(c.multiclass && r % 4 == 1 ? s.n_classes : s.y[at]);
    wider.weight.push_back(s.weight[at]);
  }
  return wider;
}

void grow_and_learn(Model& model, const Stream& s, const Schema& schema) {
  model.grow_and_learn(schema, std::numeric_limits<double>::infinity(), [&] { learn(model, s, s.n); });
}

template <class Call>
bool fails(Call call, long n) {
  countdown = n;
  struck = false;
  bool failed = false;
  try {
    call();
  } catch (const std::bad_alloc&) {
    failed = true;
  } catch (...) {
    countdown = -1;
    throw;
  }
  countdown = -1;
  return failed;
}

// A sanitizer or an emulator (CMakePresets.json says which) makes everything slow: fewer of the later allocations fail.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
const bool slow = true;
#else
const bool slow = std::getenv("STREAMBOOST_TESTS_SLOW") != nullptr;
#endif
const long all_up_to = slow ? 12 : 60, then_each = slow ? 4 : 20;

// Runs `call` with its n-th allocation failing, for all n until it succeeds; `fresh` makes the model anew. Every n at first, then some.
// Returns how often trees went on without. learns_more: there may be room enough.
template <class Fresh, class Call>
int every_failure(const std::string& what, Fresh fresh, Call call, bool learns_more = false) {
  auto model = fresh();
  const SavedState before = model->save();
  call(*model);
  const SavedState after = model->save();
  const std::int64_t learned = model->intake().n_learned();
  int waited = 0, kept = 0;
  model = fresh();
  for (long n = 0;; n += n < all_up_to ? 1 : 1 + n / then_each) {
    const bool failed = fails([&] { call(*model); }, n);
    if (!check(model->broken() == nullptr, what + ": sound after failure " + std::to_string(n))) return waited;
    if (failed) {
      ++kept;
      if (!check(equal(model->save(), before), what + ": unchanged after failure " + std::to_string(n))) return waited;
      continue;
    }
    if (model->starved()) {
      ++waited;
      check(model->intake().n_learned() == learned, what + ": all rows are learned");
      auto other = fresh();
      other->reserve(model->intake().schema());
      other->load(model->save());  // which looks at everything
      call(*model);
      call(*other);
      check(equal(model->save(), other->save()), what + ": a file of it goes on in the same way");
    } else {
      check(equal(model->save(), after), what + ": a call that went through has done all of its work");
    }
    if (!struck) break;
    model = fresh();
  }
  check(kept > 0 || learns_more, what + ": something was allocated");
  return waited;
}

void laws(const Case& c, const Stream& s) {
  const std::string what =
      c.booster + " over " + c.learner + (c.detector.empty() ? "" : ", guarded by " + c.detector) + (c.threads > 1 ? ", with threads" : "");
  const auto new_born = [&] { return make_case(c, s); };
  const auto fresh = [&] {
    auto model = make_case(c, s);
    learn(*model, s, 60);
    return model;
  };
  const int waited = every_failure(what + ", learn", new_born, [&](Model& m) { learn(m, s, 40, c.threads); }, c.threads > 1);
  const bool grows = c.learner == "hoeffding" || c.learner == "iti" || c.learner == "regression_tree";
  const bool draws = !c.detector.empty() && c.changed.count("feature_fraction") > 0;  // a new learner its columns
  check(waited > 0 ? grows || draws : !grows || c.booster == "batch_bagging",
        what + ": trees grow in the middle of a lesson, others do not");
  if (c.threads > 1) return;  // the rest works with one
  if (grows || !c.detector.empty()) every_failure(what + ", learn more", fresh, [&](Model& m) { learn(m, s, 40); }, true);
  every_failure(what + ", reserve", fresh, [&](Model& m) { m.reserve(grown(s, c)); });
  const Stream wider = with_news(s, c);
  every_failure(what + ", grow and learn", fresh, [&](Model& m) { grow_and_learn(m, wider, grown(s, c)); }, true);
  if (c.detector == "page-hinkley") {
    auto model = fresh();
    learn(*model, s, 40);
    check(!model->report().replacements.empty(), what + ": learners are replaced");
  }
  const SavedState saved = fresh()->save();
  every_failure(what + ", load", new_born, [&](Model& m) { m.load(saved); });
  every_failure(what + ", save", fresh, [&](Model& m) { m.save(); });
  every_failure(what + ", predict", fresh, [&](Model& m) {
    std::int32_t label[10];
    double value[10];
    m.predict(s.block(0, 10),
              m.answers_numbers() ? OutputBuffers{Output::number, nullptr, value} : OutputBuffers{Output::label, label, nullptr});
  });
}

// Fits over remembered rows begin at row 100: one that finds no memory is dropped, the rows are learned, the trees of before answer.
void fits_are_dropped(const std::string& booster) {
  const Stream s = make_stream(300, 4, 2, true);
  const Case c{booster, predicts_numbers(booster) ? "linear_regression" : "naive_bayes", {}, false, false};
  const auto fresh = [&] {
    auto model = make_case(c, s);
    learn(*model, s, 140);
    return model;
  };
  check_equal(fresh()->report().totals.at("fits"), 1.0);
  const int waited = every_failure(booster + ", learn through a fit", fresh, [&](Model& m) { learn(m, s, 60); }, true);
  check(waited > 0, booster + ": a fit was dropped");
  for (long n = 0;; ++n) {
    auto model = fresh();
    if (fails([&] { learn(*model, s, 60); }, n)) continue;
    if (!model->starved()) {
      check(!struck, booster + ": every fit that was struck is reported");
      break;
    }
    const auto totals = model->report().totals;
    check_equal(totals.at("fits_dropped"), 1.0);
    check(totals.at("trees") > 0, booster + ": the trees of before answer");
  }
}

// Columns that come one by one: tables are moved when their room is used up, not for every one of them.
void columns_come_one_by_one(const std::string& learner) {
  const Stream s = make_stream(4, 300, 2, false);
  const Ensemble ensemble = ensemble_of(64);
  const Config config = config_of(learner);
  auto model =
      make_model("bagging", config_of("bagging"), ensemble, [&](Lanes lanes) { return make_bank(learner, config, lanes, ensemble); }, {});
  Schema schema = s.schema();
  model->reserve(schema);
  learn(*model, s, 4);
  asked = 0;
  for (int i = 0; i < 300; ++i) {
    schema.n_values.push_back(numeric_column);
    model->reserve(schema);
  }
  const double copies = static_cast<double>(asked) / static_cast<double>(model->memory_bytes());
  // A copy of the tables for each would make it 225 more; what is left are lists of columns.
  check(copies < 130, learner + ": 300 columns asked for " + std::to_string(copies) + " times what the model takes");
}

// An order of many columns is asked about in parts: all its rows at once would be 128 MB.
void explains_wide_rows() {
  const Stream s = make_stream(20, 4000, 2, false);
  const Ensemble ensemble = ensemble_of(1);
  auto model = make_model("bagging", config_of("bagging"), ensemble,
                          [&](Lanes lanes) { return make_bank("naive_bayes", config_of("naive_bayes"), lanes, ensemble); }, {});
  model->reserve(s.schema());
  learn(*model, s, 20);
  std::vector<double> contributions(4000);
  asked = 0;
  Explainer(*model, 1, 1).explain(s.block(0, 1).row(0), 1, contributions.data());
  check(asked < 32e6, "explaining 4,000 columns asked for " + std::to_string(asked) + " bytes");
}

// Classes that come one by one, likewise: there is room for some before they come.
void classes_come_one_by_one(const std::string& learner) {
  const bool nominal = learner == "tan" || learner == "ban";
  Stream s = make_stream(40, 6, 2, false);
  if (nominal) s = all_nominal(s);
  const Ensemble ensemble = ensemble_of(64);
  const Config config = config_of(learner);
  auto model =
      make_model("bagging", config_of("bagging"), ensemble, [&](Lanes lanes) { return make_bank(learner, config, lanes, ensemble); }, {});
  Schema schema = s.schema();
  schema.n_classes = 300;
  schema.declared = false;
  model->reserve(schema);
  learn(*model, s, 40);
  asked = 0;
  for (int i = 0; i < 300; ++i) {
    schema.n_classes += 1;
    model->reserve(schema);
  }
  const double copies = static_cast<double>(asked) / static_cast<double>(model->memory_bytes());
  check(copies < 30, learner + ": 300 classes asked for " + std::to_string(copies) + " times what the model takes");
  auto at_once =
      make_model("bagging", config_of("bagging"), ensemble, [&](Lanes lanes) { return make_bank(learner, config, lanes, ensemble); }, {});
  at_once->reserve(schema);
  learn(*at_once, s, 40);
  check(equal(model->save(), at_once->save()), learner + ": the same, had all classes been known");
}

// All experts of a default model, and their pools, learn the rows, or none of them does.
void a_default_learns_all_or_nothing(const Plan& plan) {
  const Stream s = make_stream(300, 4, 2, true);
  const auto fresh = [&] {
    auto model = make_model(plan);
    model->reserve(s.schema());
    learn(*model, s, 140);
    return model;
  };
  every_failure("default over " + plan.learner, fresh, [&](Model& m) { learn(m, s, 20); }, true);
  const Case c{plan.booster, plan.learner, {}, false, false};
  const Stream wider = with_news(s, c);
  Schema schema = grown(s, c);
  schema.declared = true;
  every_failure("default over " + plan.learner + ", grow and learn", fresh, [&](Model& m) { grow_and_learn(m, wider, schema); }, true);
}

// Weights of classes and importances of columns move before the rows are read: where there is no memory for that they move back.
void stages_wait_for_the_rows() {
  Stream s = make_stream(60, 4, 2, true);
  std::fill(s.weight.begin(), s.weight.end(), 1.0);
  Plan plan = default_classifier(5);
  plan.ensemble.n_estimators = 4;
  plan.companions.clear();
  plan.outer_companions.clear();
  plan.pool = plan.outer_pool = {};
  plan.booster = "bagging";
  plan.booster_params = config_of("bagging");
  plan.learner = "logistic";
  plan.learner_params = config_of("logistic");
  plan.tokens = {{"view", word("pairs")}, {"bits", 8}};
  plan.stages = {{"class_weight", word("undersample")}, {"class_weight_keep", 0.9}, {"importances_half_life", 100.0}};
  for (const int learned : {32, 33}) {  // importances look at row 32
    const auto fresh = [&] {
      auto model = make_model(plan);
      model->reserve(s.schema());
      learn(*model, s, learned);
      return model;
    };
    const bool looks = learned == 32;  // a row that importances do not look at finds room enough
    every_failure("hashed tokens of weighed classes, learn", fresh, [&](Model& m) { learn(m, s, looks ? 1 : 10); }, !looks);
  }
}

}  // namespace

int main() {
  const Stream mixed = make_stream(80, 4, 2, true), nominal = all_nominal(mixed);
  const Values quick{{"grace_period", 10.0}, {"tie_threshold", 0.9}};  // trees that split while these rows are learned
  Values second_thoughts = quick;
  second_thoughts["reevaluate"] = 12.0;
  second_thoughts["nominal_split"] = word("grouped");
  std::vector<Case> cases;
  for (const std::string& booster : booster_names()) {
    if (learns_facts(booster)) continue;
    if (!has_learners(booster)) {
      cases.push_back({booster, predicts_numbers(booster) ? "linear_regression" : "naive_bayes", {}, false, false});
      continue;
    }
    if (predicts_numbers(booster)) {
      for (const char* learner : {"regression_tree", "linear_regression"})
        cases.push_back({booster, learner, learner[0] == 'r' ? quick : Values(), false, false});
      continue;
    }
    const bool many = booster == "bagging" || booster == "oza";
    cases.push_back({booster, "naive_bayes", {}, false, many});
    cases.push_back({booster, "hoeffding", quick, false, many});
    cases.push_back({booster, "stump", {}, false, many});
    if (booster != "bagging" && booster != "oza" && booster != "osboost") continue;
    cases.push_back({booster, "hoeffding", second_thoughts, false, many});
    cases.push_back({booster, "stump", {{"numeric", word("exact")}}, false, many});
    cases.push_back({booster, "stump", {{"max_bins", count(8)}}, false, many});
    for (const char* learner : {"mlp", "nearest_neighbors", "iti"}) cases.push_back({booster, learner, {}, false, many});
    for (const char* learner : {"tan", "ban"}) cases.push_back({booster, learner, {}, true, many});
    for (const char* learner : {"linear", "logistic"}) cases.push_back({booster, learner, {}, false, false});
  }
  cases.push_back({"batch_bagging", "iti", {}, false, false});
  cases.push_back({"bagging_regressor", "regression_tree", quick, false, false, 1, "page-hinkley"});
  for (const auto& [detector, params] : eager_detectors()) cases.push_back({"bagging", "naive_bayes", {}, false, true, 1, detector});
  for (const char* learner : {"naive_bayes", "hoeffding", "stump", "iti"}) {
    const Values changed = std::string(learner) == "hoeffding" ? quick : Values();
    cases.push_back({"bagging", learner, changed, false, true, 1, "page-hinkley"});
    cases.push_back({"bagging", learner, changed, false, true, 2});
  }
  // A learner that takes the place of another draws its columns in the middle of a lesson.
  for (const char* learner : {"naive_bayes", "hoeffding", "stump", "linear", "logistic"}) {
    Values changed = std::string(learner) == "hoeffding" ? quick : Values();
    changed["feature_fraction"] = 0.5;
    cases.push_back({"bagging", learner, changed, false, std::string(learner) != "linear", 1, "page-hinkley"});
  }
  Values part = quick;
  part["feature_fraction"] = 0.5;
  cases.push_back({"bagging_regressor", "regression_tree", part, false, false, 1, "page-hinkley"});
  for (const Case& c : cases) laws(c, c.nominal ? nominal : mixed);
  for (const char* learner : {"naive_bayes", "linear", "logistic", "mlp", "nearest_neighbors", "stump", "hoeffding"})
    columns_come_one_by_one(learner);
  for (const char* learner : {"naive_bayes", "logistic", "mlp", "nearest_neighbors", "stump", "hoeffding", "iti", "tan", "ban"})
    classes_come_one_by_one(learner);
  for (const char* booster : {"replay", "replay_regressor"}) fits_are_dropped(booster);
  explains_wide_rows();
  stages_wait_for_the_rows();
  for (const Plan& plan : {default_classifier(5), default_regressor(5)}) a_default_learns_all_or_nothing(plan);
  return checking::finish();
}
