// Gaussian columns of naive Bayes on sparse rows: moments of what is not zero, and the score of zeros (zero_score.hpp).
//
// The tables [column][class][lane] belong to the bank; `weight` is that of the values other than 0. In heavy cells the density is
// computed as it stands, (x - mean)^2 / v: values like 1e9 plus noise keep their digits. In light ones mean^2 / v is at most
// w / (n - w) <= 1, so that a density can be put together of that of 0 and a correction.
#pragma once
#include <algorithm>

#include "streamboost/learners/zero_score.hpp"
#include "streamboost/learners/zero_score_kernels.hpp"
#include "streamboost/math/product.hpp"

namespace streamboost {

class SparseMoments {
 public:
  struct Tables {
    const LaneArray<double>&weight, &mean, &spread;
  };
  struct Store {
    LaneArray<double>&weight, &mean, &spread;
    Tables read() const { return {weight, mean, spread}; }
  };
  static constexpr std::size_t work_rows = ZeroScore::work_rows;

  explicit SparseMoments(double var_floor) : zero_(std::max(var_floor, 1e-30), -0.5) {}

  void reserve(std::size_t columns, std::size_t classes, std::size_t lanes) {
    classes_ = classes;
    zero_.reserve(columns, classes, lanes);
    all_ = LaneArray<double>(1, lanes, 1.0);
  }

  // out += log density of the row under class c; n: its weight. mask(column): lanes that look at it, null for all.
  template <class Mask>
  void ask(std::size_t c, const SparseTerms& row, Tables tables, const double* n, Mask&& mask, double* work, double* out) const {
    const std::size_t lanes = zero_.live();
    double *score = work, *per = work + lanes;
    zero_score_ask(zero_.score(c), zero_.pitch(), zero_.from(c), n, score, lanes);
    for (std::size_t l = 0; l < lanes; ++l) per[l] = n[l] > 0 ? 1.0 / n[l] : 0.0;
    for (int m = 0; m < row.n; ++m) {
      const auto column = static_cast<std::size_t>(row.column[m]);
      if (m + 1 < row.n) fetch(at(tables, static_cast<std::size_t>(row.column[m + 1]), c, 0), lanes);
      const double* looks = mask(column);
      sparse_moments_ask(at(tables, column, c, 0), row.x[m], per, zero_.from(c), zero_.floor(), looks ? looks : all_[0], score, lanes);
    }
    const NodeSums sums{work + 2 * lanes, work + 3 * lanes, work + 4 * lanes};
    std::fill_n(sums.mantissa, lanes, 1.0);
    std::fill_n(sums.exponent, 2 * lanes, 0.0);
    int m = 0;
    zero_.heavy().each([&](std::size_t column) {
      if (row.is_gap(column)) return;
      while (m < row.n && static_cast<std::size_t>(row.column[m]) < column) ++m;
      const double x = m < row.n && static_cast<std::size_t>(row.column[m]) == column ? row.x[m] : 0.0;
      heavy_moments_ask(at(tables, column, c, 0), x, n, zero_.from(c), zero_.floor(), sums, lanes);
    });
    heavy_score_add(sums, -0.5, score, lanes);
    for (int g = 0; g < row.n_gaps; ++g)  // what a missing cell would have said as a zero
      for (std::size_t l = 0; l < all_.lanes(); ++l) {
        if (!(n[l] > 0)) continue;
        Term zero{per[l], zero_.floor()};
        leave_out(tables, static_cast<std::size_t>(row.gap[g]), c, l, n[l], zero);
        score[l] += zero.log();
      }
    for (std::size_t l = 0; l < lanes; ++l) out[l] += score[l];
  }

  // n: weight of the class, this lesson included. amount_of(column): what lanes learn of that column.
  template <class AmountOf>
  void teach(std::size_t c, const SparseTerms& row, Store tables, const double* amount, const double* n, AmountOf&& amount_of,
             double* work) {
    if (std::none_of(amount, amount + all_.lanes(), [](double a) { return a > 0; })) return;
    zero_.begin_lesson(c, work);
    for (int m = 0; m < row.n; ++m) {
      const auto column = static_cast<std::size_t>(row.column[m]);
      const std::size_t cell = column * classes_ + c;
      sparse_moments_teach({tables.weight[cell], tables.mean[cell], tables.spread[cell]}, row.x[m], amount_of(column), zero_.from(c),
                           1.0 / zero_.floor(), zero_.change(work), zero_.live());
      zero_.move(column, work);
    }
    zero_.end_lesson(c, work);
    for (std::size_t i = 0; i < all_.lanes(); ++i)
      if (amount[i] > 0 && !zero_.inside(c, i, n[i])) afresh(c, i, n[i], tables.read());
  }

  // Log density under class c in lane i had it learned the row: n is its weight then, mine(column) what it learns of a column, negative
  // where it does not look.
  template <class Mine>
  double after(std::size_t c, std::size_t i, const SparseTerms& row, Tables tables, double n, Mine&& mine) const {
    const bool inside = zero_.inside(c, i, n);
    Term sum{1.0 / n, zero_.floor()};
    zero_.walk(inside ? zero_.heavy() : zero_.met(), row, [&](std::size_t column, double x) {
      if (row.is_gap(column)) return;
      const double a = x != 0 ? mine(column) : 0.0;
      const SparseView cell = at(tables, column, c, i);
      const double w = *cell.weight, mean = *cell.mean, spread = *cell.spread;
      const bool light = inside && !zero_.is_heavy(c, i, w);
      if (a < 0 || (light && x == 0)) return;
      if (light) sum.add(w, mean, spread, n, 0.0, -1);
      const double ratio = a > 0 ? a / (w + a) : 0.0, deviation = x - mean;
      sum.add(w + a, mean + deviation * ratio, spread + a * (1 - ratio) * (deviation * deviation), n, x, 1);
    });
    for (int g = 0; g < row.n_gaps && inside; ++g) leave_out(tables, static_cast<std::size_t>(row.gap[g]), c, i, n, sum);
    return sum.log() + (inside ? zero_score_of(zero_.score(c) + i, zero_.pitch(), zero_.from(c)[i], n) : 0.0);
  }

  // The moments with the zeros merged, for a column that is no longer kept here.
  static void merge_zeros(double w, double n, double& mean, double& spread) {
    const double zeros = n > w ? (n - w) / n : 0.0;
    spread += w * (mean * mean) * zeros;
    mean -= mean * zeros;
  }
  // All lanes that know something begin anew, after columns have left.
  template <class Taken>
  void all_afresh(std::int64_t n_examples, Tables tables, const LaneArray<double>& class_weight, Taken&& taken) {
    recount(n_examples, tables, taken);
    for (std::size_t c = 0; c < classes_; ++c)
      for (std::size_t i = 0; i < all_.lanes(); ++i)
        if (class_weight[c][i] > 0) afresh(c, i, class_weight[c][i], tables);
  }

  template <class Taken>
  void recount(std::int64_t n_examples, Tables tables, Taken&& taken) {
    zero_.recount(n_examples, tables.weight, taken);
  }
  void on_schedule(std::int64_t n_examples, Tables tables, const LaneArray<double>& class_weight) {
    zero_.on_schedule(n_examples, class_weight, 0.0, at(tables, 0, 0, 0));
  }
  void clear_lane(std::size_t i) { zero_.clear_lane(i); }
  void swap_lane(std::size_t i, SparseMoments& other) { zero_.swap_lane(i, other.zero_); }
  void fields(FieldVisitor& v, std::size_t used) { zero_.fields(v, used); }
  void check() const { zero_.check(); }

 private:
  // A sum of log densities, relative to a column of zeros.
  struct Term {
    double u, floor, mantissa = 1, exponent = 0, quadratic = 0;
    void add(double w, double mean, double spread, double n, double x, int sign) {
      merge_zeros(w, n, mean, spread);
      const double v = floor + u * spread, deviation = x - mean;
      mantissa *= sign > 0 ? v / floor : floor / v;
      quadratic += sign * (deviation * deviation / v);
      renormalise(mantissa, exponent);
    }
    double log() const { return -0.5 * (streamboost::log(mantissa) + exponent * 0.693147180559945309417) - 0.5 * quadratic; }
  };

  // The zero of a light cell, which is part of the score of zeros.
  void leave_out(Tables tables, std::size_t column, std::size_t c, std::size_t i, double n, Term& sum) const {
    const SparseView cell = at(tables, column, c, i);
    if (!zero_.is_heavy(c, i, *cell.weight)) sum.add(*cell.weight, *cell.mean, *cell.spread, n, 0.0, -1);
  }
  SparseView at(Tables t, std::size_t column, std::size_t c, std::size_t i) const {
    const std::size_t row = column * classes_ + c;
    return {t.weight[row] + i, t.mean[row] + i, t.spread[row] + i};
  }
  // Cells that are needed next come from far: the tables are larger than any cache.
  static void fetch(const SparseView& cells, std::size_t lanes) {
    for (std::size_t l = 0; l < lanes; l += vec_size)
      for (const double* cell : {cells.weight, cells.mean, cells.spread}) __builtin_prefetch(cell + l);
  }
  void afresh(std::size_t c, std::size_t i, double n, Tables tables) {
    zero_.afresh(c, i, n, at(tables, 0, c, 0), classes_ * all_.stride());
  }

  ZeroScore zero_;
  std::size_t classes_ = 0;
  LaneArray<double> all_;  // ones
};

}  // namespace streamboost
