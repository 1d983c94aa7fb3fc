// A plan out of Python: a dict of its parts, by the names that they have in the core (run/plan.hpp). What is left out stays as it is there.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "py_arrays.hpp"
#include "py_bank.hpp"
#include "py_detectors.hpp"
#include "streamboost/run/plan.hpp"

namespace streamboost {

inline Config read_config(const nb::dict& parameters) {
  Config config;
  for (auto [key, value] : parameters) {
    Config::Value out;
    if (value.is_none())
      out = std::monostate{};
    else if (nb::isinstance<nb::bool_>(value))
      out = nb::cast<bool>(value);
    else if (nb::isinstance<nb::int_>(value))
      out = nb::cast<std::int64_t>(value);
    else if (nb::isinstance<nb::float_>(value))
      out = nb::cast<double>(value);
    else if (nb::isinstance<nb::str>(value))
      out = nb::cast<std::string>(value);
    else {
      const auto array = nb::cast<Doubles>(value);
      out = std::vector<double>(array.data(), array.data() + array.shape(0));
    }
    config.values[nb::cast<std::string>(key)] = std::move(out);
  }
  return config;
}

// The detector is a name and its parameters among the others, or `detectors`, an object that holds those written in Python.
inline GuardParams read_guard(const nb::dict& parameters) {
  if (parameters.size() == 0) return {};
  auto plain = nb::cast<nb::dict>(parameters.attr("copy")());
  const nb::object own = plain.attr("pop")("detectors", nb::none());
  const Config config = read_config(plain);
  if (own.is_none()) return streamboost::read_guard(config);
  const GuardParams guard =
      GuardParams::read(config, [own](Lanes lanes) -> std::unique_ptr<Detectors> { return std::make_unique<PyDetectors>(own, lanes); });
  config.check_all_read("the guard against drift");
  return guard;
}

inline void fill(nb::handle from, Config& to) { to = read_config(nb::cast<nb::dict>(from)); }
inline void fill(nb::handle from, GuardParams& to) { to = read_guard(nb::cast<nb::dict>(from)); }
inline void fill(nb::handle from, std::vector<Companion>& to);
template <class T>
void fill(nb::handle from, T& to) {
  to = nb::cast<T>(from);
}

// A dict that is read part by part, and must have no other.
class Parts {
 public:
  explicit Parts(nb::dict parts) : parts_(std::move(parts)) {}
  template <class T>
  Parts& read(const char* name, T& to) {
    if (parts_.contains(name)) {
      fill(parts_[name], to);
      ++n_read_;
    }
    return *this;
  }
  void check_all_read(const char* what) const {
    if (n_read_ != parts_.size()) throw std::invalid_argument(std::string(what) + " has a part of an unknown name");
  }

 private:
  nb::dict parts_;
  std::size_t n_read_ = 0;
};

inline void fill(nb::handle from, std::vector<Companion>& to) {
  for (auto item : nb::cast<nb::list>(from)) {
    Companion& one = to.emplace_back();
    Parts parts(nb::cast<nb::dict>(item));
    parts.read("name", one.name).read("learner", one.learner).read("params", one.params).read("guard", one.guard);
    parts.read("booster", one.booster).read("booster_params", one.booster_params).read("size", one.size);
    parts.check_all_read("a companion");
  }
}

// Beside the parts of a Plan: `tie`, `lanes` of a part of an ensemble, and `lane_factory`, which makes learners written in Python.
inline Plan read_plan(const nb::dict& given) {
  Plan plan;
  Ensemble& ensemble = plan.ensemble;
  std::string tie = "lowest";
  nb::object lane_factory = nb::none();
  std::optional<std::tuple<int, int>> lanes;
  std::optional<double> max_bytes;
  Parts parts(given);
  parts.read("booster", plan.booster).read("booster_params", plan.booster_params);
  parts.read("learner", plan.learner).read("learner_params", plan.learner_params).read("lane_factory", lane_factory);
  parts.read("n_estimators", ensemble.n_estimators).read("seed", ensemble.seed).read("tie", tie).read("monitor", ensemble.monitor);
  parts.read("threads", ensemble.threads).read("wave_chunk", ensemble.wave_chunk).read("cuts", plan.cuts).read("lanes", lanes);
  parts.read("guard", ensemble.guard).read("unlabeled", ensemble.unlabeled).read("tokens", plan.tokens);
  parts.read("companions", plan.companions).read("pool", plan.pool);
  parts.read("outer_companions", plan.outer_companions).read("outer_pool", plan.outer_pool);
  parts.read("experts", plan.experts).read("referee", plan.referee);
  parts.read("encoding", plan.encoding).read("whole_companions", plan.whole_companions).read("whole_pool", plan.whole_pool);
  parts.read("lags", plan.lags).read("stages", plan.stages).read("max_bytes", max_bytes);
  parts.check_all_read("a plan");
  ensemble.random_ties = tie == "random";
  ensemble.threads = std::clamp(ensemble.threads, 1, Ensemble::most_threads);
  ensemble.wave_chunk = std::max(ensemble.wave_chunk, 0);
  if (max_bytes) plan.max_bytes = *max_bytes;
  const bool numbers = plan.learner == "black_box_regressor";
  if (plan.learner == "black_box" || numbers)
    plan.bank = [lane_factory, seed = ensemble.seed, numbers](Lanes own) -> std::unique_ptr<Bank> {
      return std::make_unique<PyBank>(lane_factory, own, seed, numbers);
    };
  if (lanes) {
    if (plan.bank) throw std::invalid_argument("learners written in Python stay in one process");
    take_part(ensemble, {std::get<0>(*lanes), std::get<1>(*lanes)});
  }
  return plan;
}

}  // namespace streamboost
