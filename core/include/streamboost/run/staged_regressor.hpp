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

  // A record: what the model inside said.
  std::size_t record_width(std::size_t k) const override { return inside_->record_width(k) + 1; }

  std::size_t n_coverages() const override { return stages_.intervals ? stages_.intervals->n() : 0; }

  void expect(const RowBlock& rows, const double* weight) override { inside_->expect(rows, weight); }

  void learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& out) override {
    Work work(std::min(rows.n_rows, slice_rows));
    expect(rows, weight);
    for (int first = 0, n = 0; first < rows.n_rows; first += n) {
      const MovesAhead columns(stages_.importances, kept_importances_, intake());
      n = std::min(slice_rows, rows.n_rows - first);
      const double* w = weight ? weight + first : nullptr;
      if (stages_.importances)
        n = stages_.importances->look_at(*inside_, rows.row(first), w ? *w : 1.0, n, seed_, intake().n_learned() > 0);
      for (int r = 0; r < n; ++r) work.target[static_cast<std::size_t>(r)] = stages_.forth(truth.target[first + r]);
      Truth inside = truth.from(first);
      inside.target = work.target.data();
      inside_->learn(rows.part(first, n), inside, w, work.answers(out.records.from(first)));
      stage_rows(n, work.target.data(), w, out.from(first, 2), work);
    }
  }

  // Importances look at the model inside as it is before a row: then all of it is one station.
  int enlist(Flow& flow, const FlowInput& in) override {
    if (stages_.importances) return Model::enlist(flow, in);
    struct OnTheWay {
      std::vector<double> target;  // of all rows
      std::vector<Work> work;      // [slot]
    };
    auto way = std::make_shared<OnTheWay>();
    for (int r = 0; r < in.rows.n_rows; ++r) way->target.push_back(stages_.forth(in.truth.target[r]));
    for (int s = 0; s < flow.slots(); ++s) way->work.emplace_back(flow.chunk_rows());
    FlowInput inside = in;
    inside.truth.target = way->target.data();
    inside.answers = [&flow, in, way](int c) { return way->work[flow.slot(c)].answers(in.answers(c).records); };
    const int voters = inside_->enlist(flow, inside);
    const auto task = [this, &flow, in, way](int c) {
      stage_rows(flow.size(c), way->target.data() + flow.first(c), in.weight_of(flow, c), in.answers(c), way->work[flow.slot(c)]);
    };
    return flow.add(task, {voters});
  }

  void predict(const RowBlock& rows, const OutputBuffers& out) const override {
    std::vector<double> said(slice_rows);
    for (int first = 0; first < rows.n_rows; first += slice_rows) {
      const int n = std::min(slice_rows, rows.n_rows - first);
      inside_->predict(rows.part(first, n), {Output::number, nullptr, said.data(), 0, out.records.from(first)});
      for (int r = 0; r < n; ++r) {
        write(first + r, said[static_cast<std::size_t>(r)], out);
        if (double* record = out.records.of(first + r)) own_part(record) = said[static_cast<std::size_t>(r)];
      }
    }
  }

  bool answers_numbers() const override { return true; }

 protected:
  std::unique_ptr<Model> copy() const override { return std::make_unique<StagedRegressor>(copy_of(*inside_), stages_, seed_); }

 private:
  static constexpr int slice_rows = 1024;
  struct Work {
    std::vector<double> said, target;  // [row], as the model inside knows them
    explicit Work(int n_rows) : said(static_cast<std::size_t>(n_rows)), target(said.size()) {}
    OutputBuffers answers(const Records& records) { return {Output::number, nullptr, said.data(), 0, records}; }
  };

  // The model inside has answered these rows, and learned them.
  void stage_rows(int n, const double* target, const double* weight, const OutputBuffers& out, Work& work) {
    for (int r = 0; r < n; ++r) {
      double& said = work.said[static_cast<std::size_t>(r)];
      const bool learns = !(weight && weight[r] == 0);
      if (double* record = out.records.of(r)) {
        double& noted = own_part(record);
        (learns ? said : noted) = learns ? noted : said;
      }
      write(r, said, out);
      if (stages_.intervals && learns) stages_.intervals->learn(said, target[r]);
    }
  }

  std::optional<Importances> kept_importances_;
  std::uint64_t seed_;
  double& own_part(double* record) const { return record[1 + inside_->record_width(Records::classes(record))]; }

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
