// What a monitor wants to know: how the last rows (about a thousand, fading) differ from all that came before.
//
// Of every learned row, before it is learned: whether it was answered right, its class, and of its columns the missing cells, values
// never met before (nominal), and the distance from the mean in standard deviations (numeric). The past is the mean over all rows.
// Means and deviations take in values beyond four deviations as if they lay there. Sparse rows count the cells that they have.
#pragma once
#include <algorithm>
#include <cmath>

#include "streamboost/data/bound_sums.hpp"
#include "streamboost/data/fields.hpp"
#include "streamboost/data/row.hpp"
#include "streamboost/data/schema.hpp"
#include "streamboost/stages/reliability.hpp"

namespace streamboost {

class HealthStats {
 public:
  void reserve(const Schema& schema) {
    schema_ = schema;
    columns_.resize(static_cast<std::size_t>(schema.width()) * per_column);
    classes_.resize(static_cast<std::size_t>(schema.n_classes) * 2);
  }

  void learn(const Row& row, int label, bool right) {
    sums_[0] += 1;
    sums_[1] += right ? 0 : 1;
    fade(sums_[2], 1);
    fade(sums_[3], right ? 0 : 1);
    // The best that was ever reached over a thousand rows.
    if (sums_[0] >= horizon && (sums_[4] == 0 || sums_[3] / sums_[2] < sums_[5])) {
      sums_[4] = sums_[0];
      sums_[5] = sums_[3] / sums_[2];
    }
    for (std::size_t c = 0; c < classes_.size() / 2; ++c) {
      classes_[2 * c] += static_cast<int>(c) == label ? 1 : 0;
      fade(classes_[2 * c + 1], static_cast<int>(c) == label ? 1 : 0);
    }
    for (int i = 0; i < row.size; ++i) look(row.column(i), row.value[i]);
  }
  void judge(const double* p, int known, int label, double weight) { reliability_.add(p, known, label, weight, 1 - 1 / horizon); }

  // Arrays by column and class, and numbers.
  void write_report(ModelReport& report) const {
    auto& lanes = report.lanes;
    const double now = sums_[2], all = sums_[0];
    report.totals["health/rows"] = all;
    report.totals["health/error"] = all > 0 ? sums_[1] / all : 0;
    report.totals["health/error_now"] = all > 0 ? sums_[3] / now : 0;
    report.totals["health/best_at"] = sums_[4];
    report.totals["health/best_error"] = sums_[5];
    reliability_.write_report(report, "health/");
    for (std::size_t j = 0; j < columns_.size() / per_column; ++j) {
      const double* c = columns_.data() + j * per_column;
      lanes["health/missing"].push_back(all > 0 ? c[0] / all : 0);
      lanes["health/missing_now"].push_back(all > 0 ? c[1] / now : 0);
      lanes["health/new_now"].push_back(all > 0 ? c[2] / now : 0);
      lanes["health/distance_now"].push_back(c[7] > 0 ? c[3] / c[7] : 0);
    }
    for (std::size_t c = 0; c < classes_.size() / 2; ++c) {
      lanes["health/share"].push_back(all > 0 ? classes_[2 * c] / all : 0);
      lanes["health/share_now"].push_back(all > 0 ? classes_[2 * c + 1] / now : 0);
    }
  }

  void fields(FieldVisitor& v) {
    v("sums", sums_);
    v("columns", columns_);
    v("classes", classes_);
    reliability_.fields(v, "bins", "losses");
  }
  void check() const {
    for (double x : sums_) require(x >= 0, "sums of health");
    for (double x : classes_) require(x >= 0, "classes of health");
    for (std::size_t i = 0; i < columns_.size(); ++i) require(i % per_column == 5 || columns_[i] >= 0, "columns of health");
    reliability_.check();
  }

 private:
  static constexpr double horizon = 1000;
  // missing: all, lately | new values lately | distance lately | numeric: count, mean, squares; and cells lately. Nominal: values met.
  static constexpr std::size_t per_column = 8;

  static void fade(double& sum, double x) { sum = (1 - 1 / horizon) * sum + x; }

  void look(int column, double x) {
    double* c = columns_.data() + static_cast<std::size_t>(column) * per_column;
    const bool missing = std::isnan(x);
    c[0] += missing ? 1 : 0;
    fade(c[1], missing ? 1 : 0);
    if (schema_.nominal(column)) {
      const bool fresh = !missing && x >= c[4];
      fade(c[2], fresh ? 1 : 0);
      if (fresh) c[4] = x + 1;
      return;
    }
    if (missing) return;
    const double deviation = c[4] >= 2 ? std::sqrt(c[6] / c[4]) : 0;
    if (c[4] >= 2) {
      const double distance = deviation > 0 ? std::fabs(x - c[5]) / deviation : (x == c[5] ? 0.0 : 10.0);
      fade(c[3], std::min(distance, 100.0));
      fade(c[7], 1);
    }
    // What is far away is learned as something nearer, so that a change stays visible for a while.
    if (c[4] >= 100 && deviation > 0) x = std::clamp(x, c[5] - 4 * deviation, c[5] + 4 * deviation);
    c[4] += 1;
    const double gap = x - c[5];
    c[5] += gap / c[4];
    c[6] += gap * (x - c[5]);
    if (!(c[6] < 1e300)) c[6] = 1e300;
  }

  Schema schema_;
  AlignedVector<double> sums_ = AlignedVector<double>(6);  // rows, wrong; lately: rows, wrong; the best: when, error
  AlignedVector<double> columns_, classes_;                // [column][per_column]; [class]: all, lately
  Reliability reliability_;
};

}  // namespace streamboost
