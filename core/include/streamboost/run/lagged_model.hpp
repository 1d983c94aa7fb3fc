// Past targets, or labels, as further columns before the others: target[-1], target[-2], ... for whatever is inside.
//
// They come from the learned rows in order. delay: targets come that many rows late in use, so a row is learned with the lags of so many
// rows before, as it will be answered; one of weight 0 is only asked about. A row that is learned with its record (run/outputs.hpp) has the
// lags with which it was asked about. A lag that is not there yet is missing. Lags of labels are nominal.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "streamboost/run/view_model.hpp"
#include "streamboost/run/wider_rows.hpp"

namespace streamboost {

class LaggedModel final : public ViewModel {
 public:
  static constexpr std::int64_t longest = 100'000;
  struct Params {
    std::vector<std::int64_t> lags;
    std::int64_t delay;
    static Params read(const Config& c) {
      Params params{{}, c.whole("delay")};
      for (double lag : *c.array("lags")) params.lags.push_back(static_cast<std::int64_t>(lag));
      return params;
    }
  };

  LaggedModel(std::unique_ptr<Model> inside, Params params) : ViewModel(std::move(inside)), params_(std::move(params)) {
    const auto [least, most] = std::minmax_element(params_.lags.begin(), params_.lags.end());
    if (params_.lags.empty() || *least < 1 || *most > longest || params_.delay < 0 || params_.delay > longest)
      throw std::invalid_argument("a lag is out of range");
    kept_ = static_cast<std::size_t>(*most + params_.delay);
  }

  std::unique_ptr<Growth> prepare(const Schema& schema) override {
    auto growth = std::make_unique<Longer>(*this);
    growth->inside =
        inside_->prepare(WiderRows::schema(schema, static_cast<int>(n()), answers_numbers() ? numeric_column : schema.n_classes));
    growth->intake.reserve(schema);
    return growth;
  }

  // The lags, then the record of the model inside: a part of an ensemble has not all that is inside of the whole, but the same lags.
  std::size_t record_width(std::size_t k) const override { return n() + 1 + inside_->record_width(k); }

  void expect(const RowBlock& rows, const double* weight) override { expect(wider(rows), weight); }

  void learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& out) override {
    WiderRows wider = this->wider(rows);
    expect(wider, weight);
    add_lags(0, rows.n_rows, truth, weight, out.records, wider);
    inside_->learn(wider.block(), truth, weight, for_inside(out));
  }

  int enlist(Flow& flow, const FlowInput& in) override {
    auto wider = std::make_shared<WiderRows>(this->wider(in.rows));
    const auto task = [this, &flow, in, wider](int c) {
      add_lags(flow.first(c), flow.size(c), in.truth.from(flow.first(c)), in.weight_of(flow, c), in.answers(c).records, *wider);
    };
    FlowInput inside = in;
    inside.rows = wider->block();
    inside.answers = [this, in](int c) { return for_inside(in.answers(c)); };
    inside.after = {flow.add(task, in.after)};
    return inside_->enlist(flow, inside);
  }

  void predict(const RowBlock& rows, const OutputBuffers& out) const override {
    WiderRows wider = this->wider(rows);
    for (int r = 0; r < rows.n_rows; ++r) {
      put_lags(wider, r, 0, out.records.of(r));
      if (rows.lags != nullptr) std::copy_n(rows.lags + static_cast<std::size_t>(r) * n(), n(), wider.further(r));
    }
    begin_inside(rows.n_rows, out.records);
    inside_->predict(wider.block(), for_inside(out));
  }

  std::vector<double> lags() const override {
    std::vector<double> now;
    for (std::int64_t lag : params_.lags) now.push_back(truth(lag));
    return now;
  }

  std::optional<ExplainedScore> explain(const RowBlock& row, int label, bool shapley, double* contributions) const override {
    WiderRows wider = this->wider(row);
    put_lags(wider, 0, 0, nullptr);
    std::vector<double> all(n() + static_cast<std::size_t>(row.n_columns));
    auto explained = inside_->explain(wider.block(), label, shapley, all.data());
    if (explained) std::rotate_copy(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n()), all.end(), contributions);
    return explained;
  }

  void visit(FieldVisitor& v) override {
    inside_->visit(v);
    v.prefix = "lags/";
    intake_.fields(v);
    v.growing("past", past_);
    if (v.loads()) check();
  }
  std::size_t memory_bytes() override { return ViewModel::memory_bytes() + past_.capacity() * sizeof(double); }
  ModelReport report() override {
    ModelReport report = inside_->report();
    if (const auto gain = report.lanes.find("importances/gain"); gain != report.lanes.end() && gain->second.size() >= n())
      gain->second.erase(gain->second.begin(), gain->second.begin() + static_cast<std::ptrdiff_t>(n()));
    return report;
  }

 protected:
  std::unique_ptr<Model> copy() const override { return std::unique_ptr<Model>(new LaggedModel(*this)); }
  void take(Model& other) override {
    auto& them = static_cast<LaggedModel&>(other);
    ViewModel::take(other);
    past_ = std::move(them.past_);
  }

 private:
  LaggedModel(const LaggedModel&) = default;

  struct Longer final : Grown {
    using Grown::Grown;
    std::size_t bytes() override { return Grown::bytes() + static_cast<LaggedModel&>(model).kept_ * sizeof(double); }
  };

  WiderRows wider(const RowBlock& rows) const {
    WiderRows wider(rows, static_cast<int>(n()), rows.n_rows);
    wider.take(rows);
    return wider;
  }
  void put_lags(WiderRows& wider, int r, std::int64_t delay, double* record) const {
    double* to = wider.further(r);
    for (std::int64_t lag : params_.lags) *to++ = truth(lag + delay);
    if (record != nullptr) std::copy_n(wider.further(r), n(), own_part(record));
  }

  // For n rows that are learned, the first of them row `first` of the wider ones.
  void add_lags(int first, int n_rows, Truth truth, const double* weight, const Records& records, WiderRows& wider) {
    for (int r = 0; r < n_rows; ++r) {
      const double w = count(truth, weight, r);
      double* record = records.of(r);
      if (w > 0 && record != nullptr)
        std::copy_n(own_part(record), n(), wider.further(first + r));
      else
        put_lags(wider, first + r, w > 0 ? params_.delay : 0, record);
      if (w == 0) continue;
      if (past_.size() == kept_) past_.erase(past_.begin());
      past_.push_back(truth.label ? truth.label[r] : truth.target[r]);
    }
    begin_inside(n_rows, records);
  }

  std::size_t n() const { return params_.lags.size(); }
  static double* own_part(double* record) { return record + 1; }
  // The records of the model inside begin as those of this one do.
  void begin_inside(int n_rows, const Records& records) const {
    if (!has_room(records)) return;
    for (int r = 0; r < n_rows; ++r) {
      const std::int64_t at = records.place ? records.place[r] : r;
      double* record = records.value + at * static_cast<std::int64_t>(records.stride);
      if (at >= 0) own_part(record)[n()] = record[0];
    }
  }
  OutputBuffers for_inside(OutputBuffers out) const {
    if (has_room(out.records))
      out.records.value += 1 + n();
    else
      out.records = {};
    return out;
  }
  // Else nothing was said to any of the rows.
  bool has_room(const Records& records) const { return records.value != nullptr && records.stride > 1 + n(); }

  void expect(const WiderRows& wider, const double* weight) {
    inside_->expect(wider.block(), weight);
    past_.reserve(kept_);
  }

  // Of so many learned rows ago.
  double truth(std::int64_t ago) const {
    const auto size = static_cast<std::int64_t>(past_.size());
    return ago <= size ? past_[static_cast<std::size_t>(size - ago)] : std::numeric_limits<double>::quiet_NaN();
  }

  void check() const {
    check_inside();
    const std::int64_t t = intake_.n_learned();
    require(static_cast<std::int64_t>(past_.size()) == std::min(t, static_cast<std::int64_t>(kept_)), "lags");
    for (double y : past_)
      require(std::isfinite(y) && (answers_numbers() || (y >= 0 && y < intake_.n_classes_known() && y == std::floor(y))), "lags");
  }

  Params params_;
  std::vector<double> past_;  // the newest at the end
  std::size_t kept_ = 0;
};

}  // namespace streamboost
