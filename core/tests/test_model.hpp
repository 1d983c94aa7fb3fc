// Small streams and models for the C++ tests: a keyed random stream, a model by name with some parameters changed.
#pragma once
#include "check.hpp"
#include "parameters.hpp"
#include "streamboost/run/models.hpp"
#include "streamboost/run/team.hpp"

namespace testing {

using namespace streamboost;

struct Stream {
  int n, d;
  std::vector<double> x;
  std::vector<std::int32_t> y;
  std::vector<double> weight;
  std::vector<std::int64_t> n_values;
  int n_classes;
  RowBlock block(int first, int count) const {
    RowBlock rows;
    rows.n_rows = count;
    rows.n_columns = d;
    rows.values = x.data() + static_cast<std::size_t>(first) * static_cast<std::size_t>(d);
    return rows;
  }
  Schema schema() const {
    Schema schema;
    schema.first_width = d;
    schema.n_values = n_values;
    schema.n_classes = n_classes;
    schema.declared = true;
    return schema;
  }
};

// Columns alternate numeric / nominal (three values) if mixed; every 13th cell is missing, every 7th weight is 0.
inline Stream make_stream(int n, int d, int n_classes, bool mixed, std::uint64_t seed = 1) {
  Stream s{n, d, {}, {}, {}, {}, n_classes};
  for (int j = 0; j < d; ++j) s.n_values.push_back(mixed && j % 2 == 1 ? 3 : -1);
  for (int r = 0; r < n; ++r) {
    const auto label = static_cast<std::int32_t>(uniform({seed, static_cast<std::uint64_t>(r), 1000, Purpose::learner}) * n_classes);
    s.y.push_back(label);
    s.weight.push_back(r % 7 == 6 ? 0.0 : 0.5 + 0.5 * (r % 3));
    for (int j = 0; j < d; ++j) {
      const double u = uniform({seed, static_cast<std::uint64_t>(r), static_cast<std::uint32_t>(j), Purpose::learner});
      double v =
          s.n_values[static_cast<std::size_t>(j)] < 0 ? u - 0.5 + 0.3 * label * (j % 3) : static_cast<double>(static_cast<int>(u * 3));
      if ((r * d + j) % 13 == 12) v = std::numeric_limits<double>::quiet_NaN();
      s.x.push_back(v);
    }
  }
  return s;
}

// One bank by itself.
template <class BankKind>
struct BankSetup {
  BankKind bank;
  Answers answers;
  BankSetup(const Config& config, const Stream& s, int lanes = 3) : bank(BankKind::Params::read(config), {0, lanes}, 7) {
    bank.reserve(s.schema());
    bank.prepare(static_cast<std::size_t>(s.n_classes), answers);
  }
  void learn(const Example& e, double amount) {
    AlignedVector<double> amounts(16, amount);
    bank.ask(e, Request::votes, answers);
    bank.learn(e, {e.label}, amounts.data(), Amount::weight, answers);
    bank.finish_example(e);
  }
};

inline Example example_of(const Stream& s, int r) {
  Example e;
  e.row = s.block(r, 1).row(0);
  e.label = s.y[static_cast<std::size_t>(r)];
  e.n_classes = e.n_classes_after = s.n_classes;
  return e;
}

// An ensemble of one thread whose learners nobody guards.
inline Ensemble ensemble_of(int n_estimators, std::uint64_t seed = 99) {
  Ensemble ensemble;
  ensemble.n_estimators = n_estimators;
  ensemble.seed = seed;
  return ensemble;
}

// Every detector of drift, so eager that learners are warned and replaced within the streams of the tests.
inline const std::map<std::string, Values>& eager_detectors() {
  static const std::map<std::string, Values> all{
      {"adwin", {{"delta", 0.3}, {"warning", 0.5}}},
      {"ddm", {{"warm_start", 10.0}, {"warning_threshold", 0.1}, {"drift_threshold", 0.5}}},
      {"hddm-a", {{"drift_confidence", 0.5}, {"warning_confidence", 0.9}, {"two_sided", true}}},
      {"hddm-w", {{"drift_confidence", 0.5}, {"warning_confidence", 0.9}, {"lambda_val", 0.2}, {"two_sided", true}}},
      {"kswin",
       {{"alpha", 0.9},
        {"window_size", std::int64_t{16}},
        {"stat_size", std::int64_t{6}},
        {"seed", std::int64_t{3}},
        {"mode", std::string("both")}}},
      {"page-hinkley", {{"min_instances", 5.0}, {"delta", 0.0}, {"threshold", 0.5}, {"alpha", 0.99}, {"mode", std::string("both")}}},
  };
  return all;
}
inline GuardParams eager_guard(const std::string& detector) {
  Config config;
  config.values.insert(eager_detectors().at(detector).begin(), eager_detectors().at(detector).end());
  config.values["detector"] = detector;
  return {make_detectors(config, Inputs::errors), true};
}

// The columns with numbers become nominal ones of two values.
inline Stream all_nominal(Stream s) {
  for (int j = 0; j < s.d; ++j) {
    if (s.n_values[static_cast<std::size_t>(j)] >= 0) continue;
    s.n_values[static_cast<std::size_t>(j)] = 2;
    for (int r = 0; r < s.n; ++r)
      if (double& x = s.x[static_cast<std::size_t>(r * s.d + j)]; !std::isnan(x)) x = x > 0.3 ? 1 : 0;
  }
  return s;
}

inline std::unique_ptr<Model> make(const std::string& booster, const std::string& learner, const Values& of_learner, const Stream& s,
                                   const std::vector<int>& cuts = {}, int n_estimators = 37, const Values& of_booster = {}) {
  const Config booster_config = config_of(booster, of_booster), learner_config = config_of(learner, of_learner);
  const Ensemble ensemble{n_estimators, 99, false, true, 1, 0, {}};
  auto model =
      make_model(booster, booster_config, ensemble, [=](Lanes lanes) { return make_bank(learner, learner_config, lanes, ensemble); }, cuts);
  model->reserve(s.schema());
  return model;
}

// Threads that hand each other eight rows at a time, whether that pays or not.
inline Team team_of(int threads) {
  Ensemble ensemble;
  ensemble.threads = threads;
  ensemble.wave_chunk = 8;
  return Team(ensemble);
}

inline std::vector<double> run(Model& model, const Stream& s, int first, int count, Output output = Output::score, Team* team = nullptr) {
  std::vector<double> value(static_cast<std::size_t>(count) * static_cast<std::size_t>(s.n_classes));
  std::vector<std::int32_t> label(static_cast<std::size_t>(count));
  OutputBuffers answers{output, label.data(), value.data()};
  if (team)
    team->learn(model, s.block(first, count), s.y.data() + first, s.weight.data() + first, answers);
  else
    model.learn(s.block(first, count), s.y.data() + first, s.weight.data() + first, answers);
  return value;
}

inline bool equal(const SavedState& a, const SavedState& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, field] : a) {
    const auto it = b.find(name);
    if (it == b.end() || it->second.shape != field.shape || it->second.integer != field.integer ||
        it->second.real.size() != field.real.size())
      return false;
    for (std::size_t i = 0; i < field.real.size(); ++i)
      if (!checking::same_bits(field.real[i], it->second.real[i])) return false;
  }
  return true;
}

inline Values words(std::initializer_list<std::pair<const char*, const char*>> options) {
  Values values;
  for (const auto& [name, value] : options) values[name] = word(value);
  return values;
}

}  // namespace testing
