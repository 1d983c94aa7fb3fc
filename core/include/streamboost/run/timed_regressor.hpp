// A regressor and experts of time around it: streams of numbers mostly are time series.
//
//   last         the last target
//   differences  boosted trees over remembered rows of target - last target
//   residuals    the same of target - the regressor's own answer, as it was before the row was learned
//   replay       the same of the target itself
//
// The trees see the columns, and before them the last target and the last step. All fit the same ring. The regressor inside answers every row
// of a slice before learning it; then the ring remembers the slice, each of the experts goes through it row by row, and so does their pool
// (ensembles/referee_pool.hpp). Nothing flows back, so any slices, chunks and threads give the same bits.
//
// delay  targets come that many rows late in use: a row is learned with the last target of so many rows before, as it will be answered. One of
//        weight 0 is only asked about. Trees and pool, too, are those of so many rows before.
// A row that is learned with its record (run/outputs.hpp) is one of what was known, and teaches what was said, when it was asked about.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
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
    std::int64_t max_bytes;
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
    if (!(params.pool.window > 1) || !(params.pool.referee_window > 1))
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
    recent_.reserve(static_cast<std::size_t>(params_.pool.delay) + 2);
    if (memory(ring_.width_after(seen_width_, rows, weight, own_columns)) > 0) ring_.expect(rows.n_rows);
  }

  // A record: the last target, the last step, what the regressor and the experts said, and the combination.
  std::size_t record_width(std::size_t k) const override { return inside_->record_width(k) + own_columns + n_said() + 1; }

  void learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& out) override {
    Work work(*this, std::min(rows.n_rows, slice_rows));
    expect(rows, weight);
    std::int64_t t = intake().n_learned();
    for (int first = 0; first < rows.n_rows; first += slice_rows) {
      const Slice slice{rows.part(first, std::min(slice_rows, rows.n_rows - first)), truth.target + first,
                        weight ? weight + first : nullptr, out.from(first, 1)};
      inside_->learn(slice.rows, truth.from(first), slice.weight, work.answers(slice.out.records));
      remember(slice, t, work);
      for (std::size_t e = 0; e < experts_.size(); ++e) go_through(slice, e, work);
      pool_rows(slice, work);
      forget(t);
    }
  }

  int enlist(Flow& flow, const FlowInput& in) override {
    struct OnTheWay {
      std::int64_t t;
      std::vector<Work> work;  // [slot]
    };
    auto way = std::make_shared<OnTheWay>(OnTheWay{intake().n_learned(), {}});
    for (int s = 0; s < flow.slots(); ++s) way->work.emplace_back(*this, flow.chunk_rows());
    const auto slice = [&flow, in](int c) {
      return Slice{in.rows_of(flow, c), in.truth.target + flow.first(c), in.weight_of(flow, c), in.answers(c)};
    };
    FlowInput inside = in;
    inside.answers = [&flow, in, way](int c) { return way->work[flow.slot(c)].answers(in.answers(c).records); };
    const int regressor = inside_->enlist(flow, inside);
    const int memory = flow.add([=, this, &flow](int c) { remember(slice(c), way->t, way->work[flow.slot(c)]); }, {regressor});
    std::vector<int> experts{memory};
    for (std::size_t e = 0; e < experts_.size(); ++e)
      experts.push_back(flow.add([=, this, &flow](int c) { go_through(slice(c), e, way->work[flow.slot(c)]); }, {memory}));
    const auto pool = [=, this, &flow](int c) {
      pool_rows(slice(c), way->work[flow.slot(c)]);
      if (c + 1 == flow.n_chunks()) forget(way->t);
    };
    return flow.add(pool, experts);
  }

  void predict(const RowBlock& rows, const OutputBuffers& out) const override {
    Work work(*this, std::min(rows.n_rows, slice_rows));
    for (int first = 0; first < rows.n_rows; first += slice_rows) {
      const int n = std::min(slice_rows, rows.n_rows - first);
      inside_->predict(rows.part(first, n), work.answers(out.records.from(first)));
      for (int r = 0; r < n; ++r) {
        Known& known = work.row(r);
        look(rows.row(first + r), false, work.own[static_cast<std::size_t>(r)], known);
        for (std::size_t e = 0; e < experts_.size(); ++e)
          known.said[said_by(e)] = estimate(experts_[e].trees, experts_[e].trees.forest(), known, work.cell[e]);
        const RefereePool::Said answer = pool_.answer(known.said);
        out.value[first + r] = answer.heard;
        double* record = out.records.of(first + r);
        if (record == nullptr) continue;
        note(record, known);
        for (std::size_t k = said_by(0); k < n_said(); ++k) said_in(record, k) = known.said[k];
        together_in(record) = answer.together;
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
      report.totals["fits_dropped/" + expert.name] = static_cast<double>(expert.trees.dropped());
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
    void exchange() noexcept override {
      Model::exchange(inside.get(), *model.inside_);
      std::swap(model.columns_, columns);
      std::swap(model.ring_, ring);
    }
    std::size_t bytes() override { return bytes_of(inside.get(), *model.inside_) + columns.n_values.size() * 8 + model.own_bytes(); }
  };
  // Beside the model inside, the remembered rows and the experts over them.
  std::size_t own_bytes() {
    MemoryCounter counter(true);
    pool_.fields(counter);
    return counter.total() + recent_.size() * sizeof(double) + sizeof(*this);
  }

  // Rows to learn, the first of them the first of everything here.
  struct Slice {
    RowBlock rows;
    const double* target;
    const double* weight;
    OutputBuffers out;
    double weight_of(int r) const { return weight ? weight[r] : 1.0; }
  };
  // Of one row: what was known before its target, and what the regressor and the experts said.
  struct Known {
    std::int64_t t;                   // examples learned, with this one
    std::int64_t memory, seen_width;  // rows that count for a fit, columns that have had a value
    double* base;                     // [n_bases]
    double* value;                    // the columns as the trees see them
    double* said;                     // by the regressor, the last target, and each of the experts
  };
  struct Work {
    std::vector<double> own;               // [row]: the regressor's own answers
    std::vector<std::vector<float>> cell;  // [expert]
    Work(const TimedRegressor& model, int n_rows)
        : own(static_cast<std::size_t>(n_rows)),
          cell(model.experts_.size(), std::vector<float>(static_cast<std::size_t>(model.columns_.width()))),
          width_(model.experts_.empty() ? own_columns : static_cast<std::size_t>(model.columns_.width())),
          row_(own.size()) {
      const std::size_t each = n_bases + width_ + model.n_said();
      numbers_.resize(each * own.size());
      for (std::size_t r = 0; r < own.size(); ++r) {
        double* base = numbers_.data() + r * each;
        row_[r] = {0, 0, 0, base, base + n_bases, base + n_bases + width_};
      }
    }
    OutputBuffers answers(const Records& records) { return {Output::number, nullptr, own.data(), 0, records}; }
    Known& row(int r) { return row_[static_cast<std::size_t>(r)]; }

   private:
    std::size_t width_;
    std::vector<double> numbers_;
    std::vector<Known> row_;
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

  std::size_t n_said() const { return 1 + (params_.last ? 1 : 0) + experts_.size(); }

  // What is known before a row: as of now, or for one that is learned as of `delay` rows ago.
  void look(const Row& raw, bool learned, double own, Known& known) const {
    const std::int64_t delay = learned ? params_.pool.delay : 0;
    known.base[last_target] = target(delay);
    known.base[own_answer] = known.said[0] = own;
    if (params_.last) known.said[1] = known.base[last_target];
    read(raw, known.base[last_target] - target(delay + 1), known);
  }
  // The columns as the trees see them.
  void read(const Row& raw, double last_step, Known& known) const {
    if (experts_.empty()) return;
    std::fill_n(known.value, columns_.width(), raw.dense() ? std::numeric_limits<double>::quiet_NaN() : 0.0);
    known.value[0] = known.base[last_target];
    known.value[1] = last_step;
    for (int i = 0; i < raw.size; ++i) known.value[own_columns + raw.column(i)] = raw.value[i];
  }
  Row row_of(const Known& known) const { return {known.value, nullptr, columns_.width()}; }

  // A row may be asked about and learned in one call, so whoever says something notes it and recalls it at the same station.
  double* own_part(double* record) const { return record + 1 + inside_->record_width(Records::classes(record)); }
  double& said_in(double* record, std::size_t k) const { return own_part(record)[own_columns + k]; }
  double& together_in(double* record) const { return said_in(record, n_said()); }
  std::size_t said_by(std::size_t expert) const { return n_said() - experts_.size() + expert; }
  void note(double* record, const Known& known) const {
    double* to = own_part(record);
    *to++ = known.base[last_target];
    *to++ = experts_.empty() ? 0.0 : known.value[1];
    std::copy_n(known.said, said_by(0), to);
  }
  void recall(double* record, const Row& raw, Known& known) const {
    const double* from = own_part(record);
    std::copy_n(from + own_columns, said_by(0), known.said);
    known.base[last_target] = from[0];
    known.base[own_answer] = known.said[0];
    read(raw, from[1], known);
  }

  // The regressor has answered these rows, and learned them: what was known before each, and a ring that has all of them. t: examples learned.
  void remember(const Slice& slice, std::int64_t& t, Work& work) {
    const std::scoped_lock lock(ring_guard_);
    for (int r = 0; r < slice.rows.n_rows; ++r) {
      const double w = slice.weight_of(r);
      Known& known = work.row(r);
      double* record = slice.out.records.of(r);
      if (w > 0 && record != nullptr)
        recall(record, slice.rows.row(r), known);
      else
        look(slice.rows.row(r), w > 0, work.own[static_cast<std::size_t>(r)], known);
      if (w > 0)
        remember_row(slice.target[r], w, known);
      else if (record != nullptr)
        note(record, known);
      known.t = w > 0 ? ++t : t;
    }
  }
  void remember_row(double y, double weight, Known& known) {
    if (recent_.size() == static_cast<std::size_t>(params_.pool.delay) + 2) recent_.erase(recent_.begin());
    recent_.push_back(y);
    if (experts_.empty()) return;
    known.seen_width = seen_width_ = RowRing::width_after(seen_width_, row_of(known));
    known.memory = memory();
    if (known.memory == 0) return;
    double base[n_bases];
    for (int b = 0; b < n_bases; ++b) base[b] = std::isfinite(y - known.base[b]) ? known.base[b] : y;  // nothing known: nothing beyond it
    ring_.add(row_of(known), y, weight, base);
  }

  // An expert answers each of these rows before learning it. The ring may have later rows already.
  void go_through(const Slice& slice, std::size_t e, Work& work) {
    ReplayExpert& trees = experts_[e].trees;
    const auto rows = [&](std::int64_t begin, std::int64_t end) {
      const std::scoped_lock lock(ring_guard_);
      return ring_.rows(begin, end, trees.params().less);
    };
    for (int r = 0; r < slice.rows.n_rows; ++r) {
      const Known& known = work.row(r);
      const bool learned = slice.weight_of(r) > 0;
      double& said = known.said[said_by(e)];
      double* record = slice.out.records.of(r);
      said = learned && record != nullptr
                 ? said_in(record, said_by(e))
                 : estimate(trees, learned ? trees.forest_before(known.t - 1) : trees.forest(), known, work.cell[e]);
      if (!learned && record != nullptr) said_in(record, said_by(e)) = said;
      if (!learned) continue;
      if (known.memory > 0)
        trees.learned(known.t, rows, known.memory, columns_, static_cast<int>(known.seen_width));
      else
        trees.sleep();
    }
  }
  double estimate(const ReplayExpert& trees, const BoostedForest& forest, const Known& known, std::vector<float>& cell) const {
    const int base = trees.params().less;
    if (!forest.fitted()) return known.base[base == no_base ? own_answer : base];
    double sum = 0;
    forest.read(row_of(known), cell);
    forest.sum(cell.data(), &sum);
    return base == no_base ? sum : known.base[base] + sum;
  }

  // The experts have answered these rows, too.
  void pool_rows(const Slice& slice, Work& work) {
    for (int r = 0; r < slice.rows.n_rows; ++r) {
      const Known& known = work.row(r);
      const double w = slice.weight_of(r);
      double* record = slice.out.records.of(r);
      const RefereePool::Said answer = !(w > 0)            ? pool_.answer(known.said)
                                       : record == nullptr ? pool_.answer_before(known.t - 1, known.said)
                                                           : RefereePool::Said{together_in(record), known.said[0]};
      if (slice.out.output == Output::number) slice.out.value[r] = answer.heard;
      if (w > 0)
        pool_.learn(known.t - 1, known.said, answer.together, slice.target[r], w);
      else if (record != nullptr)
        together_in(record) = answer.together;
    }
  }
  // Rows that nobody will ask for again, with t examples learned.
  void forget(std::int64_t t) {
    std::int64_t needed = awake() ? t : ring_.end();
    for (const Expert& expert : experts_)
      if (awake()) needed = std::min(needed, expert.trees.needs_from(t, memory()));
    ring_.forget(needed);
  }

  void check() const {
    pool_.check();
    const std::int64_t t = intake().n_learned();
    require(static_cast<std::int64_t>(recent_.size()) == std::min(t, params_.pool.delay + 2), "last targets");
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
  std::mutex ring_guard_;  // between threads of one call: the ring grows while a fit takes its rows
};

}  // namespace streamboost
