// Detectors written in Python: one object holds those of all lanes (streamboost.drift.custom.CustomDetectors) and has
//   update(lane, error) -> (warning, drift)
//   reset(lane), width(lane), mean(lane)
// Their state travels by pickle; a copy of the model shares them, as it shares learners written in Python.
#pragma once
#include <nanobind/nanobind.h>

#include "streamboost/drift/detector.hpp"

namespace streamboost {

namespace nb = nanobind;

class PyDetectors final : public Detectors {
 public:
  PyDetectors(nb::object object, Lanes lanes) : object_(std::move(object)), lanes_(lanes) {}

  std::unique_ptr<Detectors> copy() const override { return std::make_unique<PyDetectors>(*this); }
  Signal update(std::size_t lane, double x) override {
    const auto said = nb::cast<nb::tuple>(call("update", lane, x));
    return {nb::cast<bool>(said[0]), nb::cast<bool>(said[1])};
  }
  void reset(std::size_t lane, bool) override { call("reset", lane); }
  void expect() override {}
  bool lasting() const override { return true; }
  std::int64_t width(std::size_t lane) const override { return nb::cast<std::int64_t>(call("width", lane)); }
  double mean(std::size_t lane) const override { return nb::cast<double>(call("mean", lane)); }
  void fields(FieldVisitor&) override {}
  bool needs_gil() const override { return true; }

 private:
  template <class... Args>
  nb::object call(const char* name, std::size_t lane, Args... args) const {
    return object_.attr(name)(static_cast<std::size_t>(lanes_.begin) + lane, args...);
  }

  nb::object object_;
  Lanes lanes_;
};

}  // namespace streamboost
