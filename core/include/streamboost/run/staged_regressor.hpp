// What comes around a model that answers numbers: the targets may be learned as logarithms, and intervals keep a promise.
//
//   target = log1p   z = ln(1 + y) is learned, e^z - 1 is answered: for targets above -1 that grow by factors. Answers keep to 1e100.
//   intervals        stages/intervals.hpp, about what the model inside answers; with log1p their ends go back like an answer
//   importances      run/explain.hpp, about the same
//
// The model inside answers every row of a slice before learning it; then the intervals go through the slice row by row. Nothing flows back
// to the model, so any slices, chunks and threads give the same bits.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "streamboost/math/math.hpp"
#include "streamboost/run/explain.hpp"
#include "streamboost/run/staged.hpp"
#include "streamboost/stages/intervals.hpp"

namespace streamboost {

struct NumberStages {
  bool logarithms = false;
  std::optional<ConformalIntervals> intervals;
  std::optional<Importances> importances;

  static NumberStages read(const Config& config) {
    NumberStages stages;
    if (config.has("target")) stages.logarithms = config.choice<bool>("target", {{"raw", false}, {"log1p", true}});
    if (config.has("coverages")) stages.intervals.emplace(*config.array("coverages"));
    stages.importances = Importances::read(config);
    return stages;
  }
  void reserve(const Schema& schema) {
    if (importances) importances->reserve(schema.width());
  }
  double forth(double y) const { return logarithms ? log1p(y) : y; }
  double back(double z) const {
    constexpr double most = 0x1.cc845b54b5451p+7;  // ln 1e100
    if (!logarithms || z == std::numeric_limits<double>::infinity()) return z;
    return expm1(std::min(z, most));
  }
  void fields(FieldVisitor& v) {
    v.prefix = "intervals/";
    if (intervals) intervals->fields(v);
    v.prefix = "importances/";
    if (importances) importances->fields(v);
  }
  void check() const {
    if (intervals) intervals->check();
    if (importances) importances->check();
  }
  void write_report(ModelReport& report) const {
    if (intervals) intervals->write_report(report);
    if (importances) importances->write_report(report);
  }
};

class StagedRegressor final : public Staged<StagedRegressor, NumberStages> {
 public:
  StagedRegressor(std::unique_ptr<Model> inside, NumberStages stages, std::uint64_t seed)
      : Staged(std::move(inside), std::move(stages)), seed_(seed) {}

  std::size_t n_coverages() const override { return stages_.intervals ? stages_.intervals->n() : 0; }

  void expect(const RowBlock& rows, const double* weight) override { inside_->expect(rows, weight); }

  void learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& out) override {
    std::vector<double> said(slice_rows), target(slice_rows);
    expect(rows, weight);
    for (int first = 0, n = 0; first < rows.n_rows; first += n) {
      n = std::min(slice_rows, rows.n_rows - first);
      if (stages_.importances)
        n = stages_.importances->look_at(*inside_, rows.row(first), weight ? weight[first] : 1.0, n, seed_, intake().n_learned() > 0);
      for (int r = 0; r < n; ++r) target[static_cast<std::size_t>(r)] = stages_.forth(truth.target[first + r]);
      inside_->learn(rows.part(first, n), Truth::of_numbers(target.data()), weight ? weight + first : nullptr,
                     {Output::number, nullptr, said.data()});
      for (int r = 0; r < n; ++r) {
        const auto at = static_cast<std::size_t>(r);
        write(first + r, said[at], out);
        if (stages_.intervals && !(weight && weight[first + r] == 0)) stages_.intervals->learn(said[at], target[at]);
      }
    }
  }

  void predict(const RowBlock& rows, const OutputBuffers& out) const override {
    std::vector<double> said(slice_rows);
    for (int first = 0; first < rows.n_rows; first += slice_rows) {
      const int n = std::min(slice_rows, rows.n_rows - first);
      inside_->predict(rows.part(first, n), {Output::number, nullptr, said.data()});
      for (int r = 0; r < n; ++r) write(first + r, said[static_cast<std::size_t>(r)], out);
    }
  }

  bool answers_numbers() const override { return true; }

 protected:
  std::unique_ptr<Model> copy() const override { return std::make_unique<StagedRegressor>(copy_of(*inside_), stages_, seed_); }

 private:
  static constexpr int slice_rows = 1024;

  std::uint64_t seed_;

  void write(int to, double said, const OutputBuffers& out) const {
    if (out.output == Output::number) out.value[to] = stages_.back(said);
    if (out.output != Output::set) return;
    double* ends = out.value + 2 * static_cast<std::size_t>(to);  // low and high; no numbers: the interval is empty
    const double reach = stages_.intervals->reach(out.coverage);
    ends[0] = reach < 0 ? std::numeric_limits<double>::quiet_NaN() : stages_.back(said - reach);
    ends[1] = reach < 0 ? std::numeric_limits<double>::quiet_NaN() : stages_.back(said + reach);
  }
};

}  // namespace streamboost
