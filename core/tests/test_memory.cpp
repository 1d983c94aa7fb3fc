// Memory that runs out: the n-th allocation fails, for every n. A call then leaves the model as it was, or has done all of its work;
// where a tree grows in the middle of a lesson the model says that it is broken, and why.
#include <cstdlib>
#include <new>

#include "test_model.hpp"

namespace {
long countdown = -1;  // allocations left until one fails; negative: none fails

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (countdown >= 0 && countdown-- == 0) return nullptr;
  if (bytes == 0) bytes = 1;
  return alignment <= alignof(std::max_align_t) ? std::malloc(bytes)
                                                : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
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
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

using namespace testing;
using checking::check;

namespace {

struct Case {
  std::string booster, learner;
  Values changed;  // parameters of the learner
  bool nominal, multiclass;
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
  const Ensemble ensemble = ensemble_of(19);
  const Config learner = config_of(c.learner, c.changed);
  auto model = make_model(c.booster, config_of(c.booster), ensemble,
                          [&](Lanes lanes) { return make_bank(c.learner, learner, lanes, ensemble); }, {8});
  Schema schema = s.schema();
  schema.declared = c.booster == "mbbm";
  model->reserve(schema);
  return model;
}

template <class Call>
bool fails(Call call, long n) {
  countdown = n;
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

// Runs `call` with its n-th allocation failing, for all n until it succeeds; `fresh` makes the model anew. Every n up to 60, then some.
template <class Fresh, class Call>
void every_failure(const std::string& what, Fresh fresh, Call call, bool may_break) {
  auto model = fresh();
  const SavedState before = model->save();
  call(*model);
  const SavedState after = model->save();
  long broken = 0, kept = 0;
  model = fresh();
  for (long n = 0;; n += n < 60 ? 1 : 1 + n / 20) {
    const bool failed = fails([&] { call(*model); }, n);
    if (!failed) {
      check(equal(model->save(), after), what + ": a call that went through has done all of its work");
      break;
    }
    if (model->broken() != nullptr) {
      check(may_break, what + ": broken although nothing grows in the middle of a lesson");
      bool refuses = false;
      try {
        model->save();
      } catch (const std::runtime_error& error) {
        refuses = std::string(error.what()).find("memory") != std::string::npos;
      }
      check(refuses, what + ": a broken model refuses and says why");
      ++broken;
      model = fresh();
      continue;
    }
    ++kept;
    if (!check(equal(model->save(), before), what + ": unchanged after failure " + std::to_string(n))) return;
  }
  check(kept > 0, what + ": something was allocated");
}

void laws(const Case& c, const Stream& s) {
  const std::string what = c.booster + " over " + c.learner;
  const auto fresh = [&] {
    auto model = make_case(c, s);
    run(*model, s, 0, 60, Output::none);
    return model;
  };
  every_failure(what + ", reserve", fresh, [&](Model& m) { m.reserve(grown(s, c)); }, false);
  const bool grows = c.learner == "iti" || c.learner == "hoeffding" || c.learner == "stump" || c.booster == "batch_bagging";
  every_failure(
      what + ", learn",
      [&] {
        auto model = make_case(c, s);
        return model;
      },
      [&](Model& m) { m.learn(s.block(0, 40), s.y.data(), s.weight.data(), OutputBuffers{}); }, grows);
  auto model = fresh();
  const SavedState saved = model->save();
  every_failure(what + ", load", [&] { return make_case(c, s); }, [&](Model& m) { m.load(saved); }, false);
  every_failure(what + ", save", fresh, [&](Model& m) { m.save(); }, false);
  every_failure(
      what + ", predict", fresh,
      [&](Model& m) {
        std::int32_t label[10];
        m.predict(s.block(0, 10), OutputBuffers{Output::label, label, nullptr});
      },
      false);
}

}  // namespace

int main() {
  const Stream mixed = make_stream(80, 4, 2, true), nominal = all_nominal(mixed);
  const Values quick{{"grace_period", 10.0}, {"tie_threshold", 0.9}};  // trees that split while these rows are learned
  std::vector<Case> cases;
  for (const std::string& booster : booster_names()) {
    if (predicts_numbers(booster)) continue;
    const bool many = booster == "bagging" || booster == "oza";
    cases.push_back({booster, "naive_bayes", {}, false, many});
    cases.push_back({booster, "hoeffding", quick, false, many});  // learners that grow in the middle of a lesson
    cases.push_back({booster, "stump", {}, false, many});
    if (booster != "bagging" && booster != "oza" && booster != "osboost") continue;
    for (const char* learner : {"mlp", "nearest_neighbors", "iti"}) cases.push_back({booster, learner, {}, false, many});
    for (const char* learner : {"tan", "ban"}) cases.push_back({booster, learner, {}, true, many});
    for (const char* learner : {"linear", "logistic"}) cases.push_back({booster, learner, {}, false, false});
  }
  for (const Case& c : cases) laws(c, c.nominal ? nominal : mixed);
  return checking::finish();
}
