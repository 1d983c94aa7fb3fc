// The table of weights of a linear bank: [coordinate][column][lane], how it grows, where learners start, which columns they see.
//
// A column is one weight vector: one for two classes, one per class for more. Coordinates are those of Intake's view (scaled
// numbers, one-hot values, the intercept first). Start vectors are a pure function of (seed, coordinate, lane, column). Where masked
// (feature_fraction) weights stay 0.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>

#include "streamboost/data/config.hpp"
#include "streamboost/learners/bank.hpp"
#include "streamboost/learners/class_rows.hpp"
#include "streamboost/learners/explained.hpp"
#include "streamboost/learners/linear_kernels.hpp"
#include "streamboost/learners/subset.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

struct LinearTableParams {
  enum class Start { sphere, zero, given };
  Start start;
  std::vector<double> given;  // [coordinate] or [lane][coordinate]; columns first, the intercept last
  double feature_fraction;
  IntakeNeeds needs;

  void read_table(const Config& c) {
    if (const auto* values = c.array("start")) {
      start = Start::given;
      given = *values;
    } else {
      start = c.choice<Start>("start", {{"sphere", Start::sphere}, {"zero", Start::zero}});
    }
    feature_fraction = c.number_or_none("feature_fraction").value_or(1);
    needs.coordinates = true;
    needs.dense = false;
    needs.fit_intercept = c.flag("fit_intercept");
  }
};

// The pace of each lane: 2^(spread o), o = 0, 1, -1, 2, -2 for lanes 0, 1, 2, 3, 4 and again.
inline LaneArray<double> rate_paces(double spread, Lanes lanes) {
  constexpr double order[] = {0, 1, -1, 2, -2}, ln2 = 0.6931471805599453;
  LaneArray<double> pace(1, static_cast<std::size_t>(lanes.size()), 1.0);
  for (std::size_t i = 0; i < pace.lanes(); ++i) pace[0][i] = exp(ln2 * spread * order[(static_cast<std::size_t>(lanes.begin) + i) % 5]);
  return pace;
}

// Real: of the table of weights. Everything else is double.
template <class Real>
class LinearTable : public Bank, public DrawnAtBirth, public GrowsInPlace {
 public:
  using Start = LinearTableParams::Start;

  Lanes lanes() const override { return lanes_; }
  IntakeNeeds needs() const override { return table_params_.needs; }
  void count_unsaved(MemoryCounter& counter) const override { counter.table(mask_); }
  bool trained(int lane) const override { return trained_[0][static_cast<std::size_t>(lane)] != 0; }

 protected:
  // stride: lanes of a row of the table, padded
  LinearTable(LinearTableParams params, Lanes lanes, int n_estimators, std::uint64_t seed, std::size_t stride)
      : table_params_(std::move(params)),
        lanes_(lanes),
        n_estimators_(n_estimators),
        seed_(seed),
        n_(static_cast<std::size_t>(lanes.size())),
        stride_(stride),
        trained_(1, n_) {}

  std::size_t cells() const { return columns_ * stride_; }
  static Entries entries(const Row& row) { return {row.value, row.index, row.size}; }

  // Room for the schema with so many columns of weights; true if the table was made just now and no lane has begun. It is made anew
  // with the first row that has columns.
  bool grow_table(const Schema& schema, std::size_t columns, Journal& journal) {
    const ColumnLayout layout(schema, table_params_.needs.fit_intercept ? 1 : 0);
    const bool made = columns_ == 0 || schema_.width() == 0;
    if (made) {
      journal.assign(weights_, LaneArray<Real>(layout.rows() * columns, n_, Real{}, stride_));
    } else if (layout.offset != layout_.offset || columns != columns_) {
      std::vector<std::size_t> target;
      if (columns != columns_ || !layout_.begins(layout)) {
        const std::vector<std::size_t> place = layout_.places_in(layout);
        target.resize(weights_.rows());
        for (std::size_t r = 0; r < place.size(); ++r)
          for (std::size_t c = 0; c < columns_; ++c) target[r * columns_ + c] = place[r] * columns + c;
      }
      journal.grow(weights_, layout.rows() * columns, std::move(target));
    } else {
      journal.assign(schema_, schema);
      return false;
    }
    journal.assign(columns_, columns);
    journal.assign(schema_, schema);
    journal.assign(layout_, layout);
    if (table_params_.feature_fraction < 1) {
      journal.assign(mask_, new_mask());
      for (std::size_t lane = 0; lane < n_; ++lane) draw_mask(lane);
    }
    return made;
  }

  // A new-born learner; the first `columns` columns take part.
  void start(std::size_t lane, std::size_t columns) {
    if (mask_.rows() > 0) draw_mask(lane);
    weights_.fill_lane(lane, 0);
    trained_[0][lane] = 0;
    if (table_params_.start == Start::zero) return;
    const auto d = static_cast<std::size_t>(schema_.first_width);
    const std::size_t coordinates = d + (table_params_.needs.fit_intercept ? 1 : 0);
    if (table_params_.start == Start::given) {
      const std::vector<double>& given = table_params_.given;
      const bool per_lane = given.size() == coordinates * static_cast<std::size_t>(n_estimators_) && n_estimators_ > 1;
      if (columns > 1) throw std::invalid_argument("start must be 'sphere' or 'zero' when there are more than two classes");
      if (!per_lane && given.size() != coordinates)
        throw std::invalid_argument("start has " + std::to_string(given.size()) + " values; expected " + std::to_string(coordinates) +
                                    " (columns, then the intercept), or that for each of " + std::to_string(n_estimators_) + " learners");
      const std::size_t offset = per_lane ? (static_cast<std::size_t>(lanes_.begin) + lane) * coordinates : 0;
      for (std::size_t k = 0; k < coordinates; ++k) set_start(k, 0, lane, given[offset + k] + 0.0);
      return;
    }
    for (std::size_t k = 0; k < coordinates; ++k)
      for (std::size_t c = 0; c < columns; ++c) {
        const Key key{seed_, k, static_cast<std::uint32_t>(lanes_.begin + static_cast<int>(lane)), Purpose::start,
                      static_cast<std::uint32_t>(c)};
        set_start(k, c, lane, normal(of_birth(key, this->birth(static_cast<int>(lane)))) / std::sqrt(static_cast<double>(coordinates)));
      }
  }

  // y = +1 where the label is that of the column (class code 1 where there is one column), -1 elsewhere
  void targets(Labels labels, int positive, double* y) const {
    if (labels.per_lane == nullptr) {
      std::fill_n(y, stride_, labels.common == positive ? 1.0 : -1.0);
    } else {
      for (std::size_t i = 0; i < stride_; ++i) y[i] = i < n_ && labels.per_lane[i] == positive ? 1.0 : -1.0;
    }
  }

  // weights[coordinate][cell] += x step[cell], and nothing where masked
  void teach(const Entries& row, const double* step) {
    if (mask_.rows() == 0) {
      linear_teach(weights_[0], cells(), row, step);
      return;
    }
    if (columns_ == 1) return linear_teach_masked(weights_[0], mask_[0], stride_, row, step);
    for (std::size_t c = 0; c < columns_; ++c) {  // the mask has one column for all classes
      for (int e = 0; e < row.n; ++e) {
        const auto r = static_cast<std::size_t>(row.index ? row.index[e] : e);
        linear_teach_masked(weights_[r * columns_ + c], mask_[r], stride_, {row.x + e, nullptr, 1}, step + c * stride_);
      }
    }
  }

  // sum over the lane's own coordinates of x other
  double masked_product(const Row& row, const double* other, std::size_t lane) const {
    double sum = 0;
    for (int e = 0; e < row.size; ++e) sum += row.value[e] * other[e] * mask_[static_cast<std::size_t>(row.column(e))][lane];
    return sum;
  }

  // What the intercept alone makes of a row.
  double intercept_part(const Row& row, std::size_t column, std::size_t lane) const {
    return table_params_.needs.fit_intercept ? row.value[0] * static_cast<double>(weights_[column][lane]) : 0.0;
  }
  // Every column gets slope[column of weights][lane] times what it adds to the scores.
  void explain_columns(const Row& row, const std::vector<double>& slope, Explained& out) const {
    for (int e = table_params_.needs.fit_intercept ? 1 : 0; e < row.size; ++e) {
      const auto r = static_cast<std::size_t>(row.column(e));
      double& column = out.column[std::upper_bound(layout_.offset.begin(), layout_.offset.end(), r) - layout_.offset.begin() - 1];
      for (std::size_t i = 0; i < n_; ++i) {  // lane by lane: the same sum however lanes are spread over threads
        double sum = 0;
        for (std::size_t c = 0; c < columns_; ++c) sum += slope[c * stride_ + i] * static_cast<double>(weights_[r * columns_ + c][i]);
        column += row.value[e] * sum;
      }
    }
  }
  // Two classes: a lane answers f(lane, z) for class code 1. scale: of the weights, null for none.
  template <class F>
  void explain_pair(const Example& example, const ExplainRequest& question, const double* factor, const Answers& answers,
                    const double* scale, F&& f, Explained& out) const {
    const double* z = answers.notes.data();
    const double sign = question.label == 1 ? 1.0 : -1.0;
    std::vector<double> slope(stride_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      if (trained_[0][i] == 0) {
        out.base += factor[i] * question.said(answers, i);
        continue;
      }
      const double own = scale ? scale[i] : 1.0, start = own * intercept_part(example.row, 0, i), step = z[i] - start;
      const auto answer = [&](double at) { return sign * (question.votes() ? (at > 0 ? 1.0 : -1.0) : f(i, at)); };
      const double base = answer(start);
      out.base += factor[i] * base;
      if (step != 0) slope[i] = factor[i] * own * ((answer(z[i]) - base) / step);
    }
    explain_columns(example.row, slope, out);
  }

  void exchange_table(std::size_t lane, LinearTable& them) {
    weights_.swap_lane(lane, them.weights_);
    trained_.swap_lane(lane, them.trained_);
    mask_.swap_lane(lane, them.mask_);
  }
  void draw_again() override {
    if (mask_.rows() > 0) make_mask();
  }
  // Weights of one lane under a schema.
  double weights_of(const Schema& schema, double columns) const {
    return static_cast<double>(ColumnLayout(schema, table_params_.needs.fit_intercept ? 1 : 0).rows()) * columns;
  }

  void check_trained() const {
    for (std::size_t i = 0; i < n_; ++i) require(trained_[0][i] == 0 || trained_[0][i] == 1, "trained flag");
  }

 private:
  LinearTableParams table_params_;

  // k: a column of the first row, or the intercept at the end. One-hot values start at 0, so that a value not yet met says nothing.
  void set_start(std::size_t k, std::size_t c, std::size_t lane, double value) {
    const bool intercept = k == static_cast<std::size_t>(schema_.first_width);
    if (!intercept && schema_.nominal(static_cast<int>(k))) return;
    const std::size_t row = intercept ? 0 : layout_.offset[k];
    if (mask_.rows() > 0 && mask_[row][lane] == 0) return;
    weights_[row * columns_ + c][lane] = static_cast<Real>(value);
    if (value != 0) trained_[0][lane] = 1;
  }

  LaneArray<double> new_mask() const { return LaneArray<double>(layout_.rows(), n_, 0.0, stride_); }
  void make_mask() {
    mask_ = new_mask();
    for (std::size_t lane = 0; lane < n_; ++lane) draw_mask(lane);
  }
  void draw_mask(std::size_t lane) {
    const int number = static_cast<int>(lane);
    const auto columns = chosen_columns(table_params_.feature_fraction, schema_, seed_, lanes_.begin + number, this->birth(number));
    if (table_params_.needs.fit_intercept) mask_[0][lane] = 1;
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t r = layout_.offset[j]; r < layout_.offset[j + 1]; ++r) mask_[r][lane] = columns[j] ? 1.0 : 0.0;
  }

 protected:
  Lanes lanes_;
  int n_estimators_;
  std::uint64_t seed_;
  std::size_t n_, stride_, columns_ = 0;
  Schema schema_;
  ColumnLayout layout_;
  LaneArray<Real> weights_;
  LaneArray<double> trained_;
  LaneArray<double> mask_;  // [coordinate][lane], a function of the seed: not part of the state
};

}  // namespace streamboost
