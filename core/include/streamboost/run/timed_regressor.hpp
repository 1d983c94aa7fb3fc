// A regressor and experts of time around it (specs/replay.md section 7): streams of numbers mostly are time series.
//
//   last         the last target
//   differences  boosted trees over remembered rows of target - last target
//   residuals    the same of target - the regressor's own answer, as it was before the row was learned
//   replay       the same of the target itself
//
// The trees see the columns, and before them the last target and the last step. All fit the same ring. The regressor inside answers every row
// of a slice before learning it; then the experts and their pool (ensembles/referee_pool.hpp) go through the slice row by row. Nothing
// flows back, so any slices, chunks and threads give the same bits.
//
// delay  targets come that many rows late in use: a row is learned with the last target of so many rows before, as it will be answered. One of
//        weight 0 is only asked about.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "streamboost/ensembles/referee_pool.hpp"
#include "streamboost/replay/replay_expert.hpp"
#include "streamboost/run/model.hpp"

namespace streamboost {

class TimedRegressor final : public Model {
 public:
  struct Params {
    RefereePool::Params pool;
    std::int64_t delay, max_bytes;
    bool last;
  };
  // Boosted trees of the target beyond a base.
  struct Expert {
    std::string name;
    ReplayExpert trees;
  };
  enum Base { last_target, own_answer, n_bases, no_base = -1 };

  TimedRegressor(std::unique_ptr<Model> inside, std::vector<Expert> experts, const Params& params)
      : inside_(std::move(inside)),
        experts_(std::move(experts)),
        params_(params),
        ring_(n_bases),
        pool_(params.pool, 1 + (params.last ? 1 : 0) + experts_.size()) {
    if (params.delay < 0 || params.delay > replay::most_rows || !(params.pool.window > 1) || !(params.pool.referee_window > 1))
      throw std::invalid_argument("a parameter of the experts of time is out of range");
    for (const Expert& expert : experts_) memory_ = std::max(memory_, expert.trees.params().memory);
  }

  std::unique_ptr<Growth> prepare(const Schema& schema) override {
    auto growth = std::make_unique<Grown>(*this);
    growth->inside = inside_->prepare(schema);
    growth->columns.n_values.insert(growth->columns.n_values.end(), schema.n_values.begin(), schema.n_values.end());
    const int width = growth->columns.width();
    growth->ring = width == ring_.width() ? ring_ : ring_.grown(width);
    return growth;
  }

  void expect(const RowBlock& rows, const double* weight) override {
    inside_->expect(rows, weight);
    recent_.reserve(static_cast<std::size_t>(params_.delay) + 2);
    if (memory(ring_.width_after(seen_width_, rows, weight, own_columns)) > 0) ring_.expect(rows.n_rows);
  }

  void learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& out) override {
    Work work(*this, rows.n_rows);
    expect(rows, weight);
    for (int first = 0; first < rows.n_rows; first += slice_rows) {
      const int n = std::min(slice_rows, rows.n_rows - first);
      std::int64_t t = intake().n_learned();
      inside_->learn(rows.part(first, n), truth.from(first), weight ? weight + first : nullptr, {Output::number, nullptr, work.own.data()});
      for (int r = 0; r < n; ++r) {
        const double w = weight ? weight[first + r] : 1.0;
        consider(rows.row(first + r), r, w > 0 ? params_.delay : 0, work);
        if (out.output == Output::number) out.value[first + r] = pool_.answer(work.said.data());
        if (w > 0) learn_row(truth.target[first + r], w, ++t, work);
      }
    }
  }

  void predict(const RowBlock& rows, const OutputBuffers& out) const override {
    Work work(*this, rows.n_rows);
    for (int first = 0; first < rows.n_rows; first += slice_rows) {
      const int n = std::min(slice_rows, rows.n_rows - first);
      inside_->predict(rows.part(first, n), {Output::number, nullptr, work.own.data()});
      for (int r = 0; r < n; ++r) {
        consider(rows.row(first + r), r, 0, work);
        out.value[first + r] = pool_.answer(work.said.data());
      }
    }
  }

  void visit(FieldVisitor& v) override {
    inside_->visit(v);
    v.prefix = "time/";
    v.growing("targets", recent_);
    pool_.fields(v);
    v("seen_width", seen_width_);
    if (!experts_.empty()) ring_.fields(v);
    for (Expert& expert : experts_) {
      v.prefix = "time/" + expert.name + "_";
      expert.trees.fields(v);
    }
    if (v.loads()) check();
  }
  void swap_scratch(Model& other) noexcept override { inside_->swap_scratch(*static_cast<TimedRegressor&>(other).inside_); }
  std::size_t memory_bytes() override {
    std::size_t bytes = own_bytes() + inside_->memory_bytes() + ring_.bytes() + columns_.n_values.size() * 8;
    for (const Expert& expert : experts_) bytes += expert.trees.bytes();
    return bytes;
  }
  ModelReport report() override {
    ModelReport report = inside_->report();
    std::vector<std::string> names{"forest"};
    if (params_.last) names.emplace_back("last");
    for (const Expert& expert : experts_) {
      names.push_back(expert.name);
      report.totals["fits/" + expert.name] = static_cast<double>(expert.trees.fits());
    }
    for (std::size_t k = 0; k < names.size(); ++k) {
      report.totals["recently_missed/" + names[k]] = pool_.missed()[k];
      if (k > 0) report.totals["pool_weight/" + names[k]] = pool_.shares()[k - 1];
    }
    report.totals["recently_missed/combination"] = pool_.missed()[names.size()];
    report.totals["remembered_rows"] = static_cast<double>(ring_.end() - std::max(ring_.begin(), ring_.end() - memory()));
    report.totals["too_wide"] = experts_.empty() || awake() ? 0 : 1;
    return report;
  }
  const Intake& intake() const override { return inside_->intake(); }
  bool needs_gil() const override { return inside_->needs_gil(); }
  bool answers_numbers() const override { return true; }
  bool starved() const override {
    return inside_->starved() || std::any_of(experts_.begin(), experts_.end(), [](const Expert& e) { return e.trees.starved(); });
  }
  const char* broken() const override { return inside_->broken(); }
  std::vector<const BankHandle*> banks() const override { return inside_->banks(); }

 protected:
  std::unique_ptr<Model> copy() const override { return std::unique_ptr<Model>(new TimedRegressor(*this)); }
  void take(Model& other) override {
    auto& them = static_cast<TimedRegressor&>(other);
    take_all(*inside_, *them.inside_);
    experts_ = std::move(them.experts_);
    columns_ = std::move(them.columns_);
    ring_ = std::move(them.ring_);
    pool_ = std::move(them.pool_);
    recent_ = std::move(them.recent_);
    seen_width_ = them.seen_width_;
  }

 private:
  static constexpr int slice_rows = 1024;
  static constexpr int own_columns = 2;  // the last target, the last step

  TimedRegressor(const TimedRegressor& other)
      : inside_(copy_of(*other.inside_)),
        experts_(other.experts_),
        params_(other.params_),
        columns_(other.columns_),
        ring_(other.ring_),
        pool_(other.pool_),
        recent_(other.recent_),
        memory_(other.memory_),
        seen_width_(other.seen_width_) {}

  struct Grown final : Growth {
    TimedRegressor& model;
    std::unique_ptr<Growth> inside;
    Schema columns;
    RowRing ring;
    explicit Grown(TimedRegressor& m) : model(m) { columns.n_values.assign(own_columns, -1); }
    void commit() noexcept override {
      Model::commit(inside.get(), *model.inside_);
      model.columns_ = std::move(columns);
      model.ring_ = std::move(ring);
    }
    std::size_t bytes() override { return bytes_of(inside.get(), *model.inside_) + columns.n_values.size() * 8 + model.own_bytes(); }
  };
  // Beside the model inside, the remembered rows and the experts over them.
  std::size_t own_bytes() {
    MemoryCounter counter;
    pool_.fields(counter);
    return counter.bytes + recent_.capacity() * sizeof(double) + sizeof(*this);
  }

  struct Work {
    std::vector<double> own, value, said;  // the regressor's own answers; of the row at hand: columns, answers of the experts
    std::vector<float> cell;
    double base[n_bases] = {};
    Work(const TimedRegressor& model, int n_rows)
        : own(static_cast<std::size_t>(std::min(n_rows, slice_rows))),
          value(static_cast<std::size_t>(model.columns_.width())),
          said(1 + (model.params_.last ? 1 : 0) + model.experts_.size()),
          cell(value.size()) {}
    Row row() const { return {value.data(), nullptr, static_cast<int>(value.size())}; }
  };

  // Rows that fit into the memory, as far as columns have had values: how many rows were learned in one call does not matter.
  std::int64_t memory() const { return memory(seen_width_); }
  std::int64_t memory(std::int64_t width) const {
    const auto n = static_cast<std::int64_t>(experts_.size());
    std::int64_t rows = memory_;
    for (const Expert& expert : experts_) rows = std::min(rows, expert.trees.params().rows_within(params_.max_bytes, n, width, 1, n_bases));
    return rows;
  }
  bool awake() const { return memory() > 0; }

  // The target of so many rows ago; missing before the first.
  double target(std::int64_t ago) const {
    const auto n = static_cast<std::int64_t>(recent_.size());
    return ago < n ? recent_[static_cast<std::size_t>(n - 1 - ago)] : std::numeric_limits<double>::quiet_NaN();
  }

  // The experts' answers to a row.
  void consider(const Row& raw, int r, std::int64_t delay, Work& work) const {
    work.base[last_target] = target(delay);
    work.base[own_answer] = work.own[static_cast<std::size_t>(r)];
    std::size_t next = 0;
    work.said[next++] = work.base[own_answer];
    if (params_.last) work.said[next++] = work.base[last_target];
    if (experts_.empty()) return;
    std::fill(work.value.begin(), work.value.end(), raw.dense() ? std::numeric_limits<double>::quiet_NaN() : 0.0);
    work.value[0] = work.base[last_target];
    work.value[1] = work.base[last_target] - target(delay + 1);
    for (int i = 0; i < raw.size; ++i) work.value[static_cast<std::size_t>(own_columns + raw.column(i))] = raw.value[i];
    for (const Expert& expert : experts_) work.said[next++] = answer(expert.trees, work);
  }
  double answer(const ReplayExpert& trees, Work& work) const {
    const int base = trees.params().less;
    const BoostedForest& forest = trees.forest();
    if (!forest.fitted()) return work.base[base == no_base ? own_answer : base];
    double sum = 0;
    forest.read(work.row(), work.cell);
    forest.sum(work.cell.data(), &sum);
    return base == no_base ? sum : work.base[base] + sum;
  }

  // The row at hand is example number t - 1.
  void learn_row(double y, double weight, std::int64_t t, Work& work) {
    pool_.learn(work.said.data(), y, weight);
    if (recent_.size() == static_cast<std::size_t>(params_.delay) + 2) recent_.erase(recent_.begin());
    recent_.push_back(y);
    if (experts_.empty()) return;
    seen_width_ = RowRing::width_after(seen_width_, work.row());
    if (!awake()) {
      for (Expert& expert : experts_) expert.trees.sleep();
      return ring_.forget(ring_.end());
    }
    for (double& base : work.base)
      if (!std::isfinite(y - base)) base = y;  // nothing was known before: there is nothing beyond it
    ring_.add(work.row(), y, weight, work.base);
    std::int64_t needed = t;
    for (const Expert& expert : experts_) needed = std::min(needed, expert.trees.needs_from(t, memory()));
    ring_.forget(needed);
    for (Expert& expert : experts_) expert.trees.learned(t, ring_, memory(), columns_, static_cast<int>(seen_width_));
  }

  void check() const {
    pool_.check();
    const std::int64_t t = intake().n_learned();
    require(static_cast<std::int64_t>(recent_.size()) == std::min(t, params_.delay + 2), "last targets");
    for (double y : recent_) require(std::isfinite(y), "last targets");
    require(seen_width_ >= 0 && seen_width_ <= columns_.width(), "columns seen");
    if (experts_.empty()) return;
    require(awake() ? ring_.end() == t && ring_.begin() <= std::max<std::int64_t>(0, t - memory())
                    : ring_.begin() == ring_.end() && ring_.end() <= t,
            "remembered rows");
    require(ring_.end() - ring_.begin() <= 2 * memory_ + RowRing::segment_rows, "remembered rows");
    ring_.check(columns_, true);
    for (const Expert& expert : experts_) expert.trees.check(awake() ? t : 0, ring_, columns_.width(), 1);
  }

  std::unique_ptr<Model> inside_;
  std::vector<Expert> experts_;
  Params params_;
  Schema columns_;  // of the trees
  RowRing ring_;
  RefereePool pool_;
  std::vector<double> recent_;  // the last targets, the newest at the end
  std::int64_t memory_ = 0, seen_width_ = 0;
};

}  // namespace streamboost
