// Rates per coordinate for learners that want them (learners/logistic.hpp), made from the rows alone: all lanes share them, so how
// lanes are cut into blocks does not matter.
//
//   n rows learned, this one included;  M = sum of t_j^2 over rows and coordinates;  N_j = sum of t_j^2 over rows
//   c_j = max( 1 / (1 + v N_j),  rate sqrt(n / M) / sqrt(v N_j) ),  0 where N_j = 0;   u_j = c_j t_j;   Q = sum_j u_j t_j
//
// The right term is that of AdaGrad (Duchi, Hazan, Singer 2011) as Ross, Mineiro, Langford (2013) normalise it, without the slopes of
// the loss, which every lane keeps for itself; the left one is the rate of a diagonal Newton step, v N_j being what the curvature
// of the loss adds up to, and lets rare coordinates learn at full speed first. v is the usual squared slope: 0.1 of the logistic loss,
// 1 of the squared loss of standardised targets.
#pragma once
#include <cmath>

#include "streamboost/data/fields.hpp"
#include "streamboost/data/intake_needs.hpp"
#include "streamboost/data/row.hpp"
#include "streamboost/data/schema.hpp"
#include "streamboost/run/intake_kernels.hpp"

namespace streamboost {

class ColumnRates {
 public:
  explicit ColumnRates(double rate = 1, double squared_slope = usual_squared_slope) : rate_(rate), squared_slope_(squared_slope) {}

  void reserve(const ColumnLayout& before, const ColumnLayout& after) {
    AlignedVector<double> moved(after.rows());
    const std::vector<std::size_t> place = before.places_in(after);
    for (std::size_t r = 0; r < size_.size(); ++r) moved[place[r]] = size_[r];
    size_ = std::move(moved);
  }

  // Fills `teach` with u and the row's teach, squared_norm (Q) and n_rows. `keep` is this object when the row is learned.
  void rate(Row& row, double n_rows, AlignedVector<double>& teach, ColumnRates* keep) const {
    const auto n = static_cast<std::size_t>(row.size);
    double total = total_[0];
    for (std::size_t i = 0; i < n; ++i) total += row.value[i] * row.value[i];
    const double pace = total > 0 ? rate_ * std::sqrt(n_rows / total) : 0.0;
    teach.resize(2 * n);  // u, then N of the row's coordinates
    double *u = teach.data(), *size = u + n;
    each(row, [&](std::size_t i, std::size_t coordinate) { size[i] = size_[coordinate]; });
    rate_columns(row.value, squared_slope_, pace, size, u, n);
    double product = 0;
    for (std::size_t i = 0; i < n; ++i) product += u[i] * row.value[i];
    if (keep) {
      keep->total_[0] = total;
      each(row, [&](std::size_t i, std::size_t coordinate) { keep->size_[coordinate] = size[i]; });
    }
    row.teach = u;
    row.squared_norm = product;
    row.n_rows = n_rows;
  }

  void fields(FieldVisitor& v) {
    v("coordinate_size", size_);
    v("total_size", total_);
  }
  void check() const {
    for (double x : size_) require(x >= 0, "size of a coordinate");
    require(total_[0] >= 0, "size of all coordinates");
  }

 private:
  template <class Visit>
  static void each(const Row& row, Visit visit) {
    const auto n = static_cast<std::size_t>(row.size);
    if (row.dense()) {
      for (std::size_t i = 0; i < n; ++i) visit(i, i);
    } else {
      for (std::size_t i = 0; i < n; ++i) visit(i, static_cast<std::size_t>(row.index[i]));
    }
  }

  double rate_, squared_slope_;
  AlignedVector<double> size_;        // N
  AlignedVector<double> total_{0.0};  // M
};

}  // namespace streamboost
