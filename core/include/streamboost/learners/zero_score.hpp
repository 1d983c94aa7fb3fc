// What a row of zeros scores in naive Bayes, kept per lane and class: the work of an answer follows what is not zero.
//
// A class of weight n has seen column j with values other than 0 of weight w, their mean m and sum of squared deviations S. The n - w
// zeros are merged in closed form, and no difference of large numbers is taken:
//
//   mean = m - m z        variance = (S + w m^2 z) / n + floor        z = (n - w) / n
//
// With u = 1 / n this is v(u) = floor + u (a - b u), a = S + w m^2, b = (w m)^2, and the density of 0 has the logarithm
//
//   f_j(u) = -1/2 log(v / floor) - 1/2 b u^2 / v        (relative to a column that showed nothing but zeros: 0)
//
// Every example of the class moves n and so every f_j, but the sum F(u) of all of them is a smooth function of u. It is kept
// as 12 Chebyshev coefficients over n0 <= n <= 1.5 n0; a lesson takes the old f_j of the columns it touches off and puts the new ones
// on, at the 12 nodes. As soon as a lane's n leaves its interval, its F is computed afresh from all columns seen, and a new interval
// begins. Eight lanes cost no more than one, so all lanes are done together whenever the number of examples has grown by a third, and
// few leave their interval before. All of this depends on the number of examples and on the lane's own weights: it is the same however
// rows and lanes are cut. Coefficients are pairs of doubles: what rounding loses is added up as well.
//
// F is smooth where the roots of v are far: where w <= n0 / 2 they lie at 0 and beyond 2 / n0, and the error is about 1e-13 for each
// column. Columns that are mostly not zero ("heavy", w > n0 / 2) are left out of F and worked out in every answer.
//
// Bernoulli columns (present or not) are the same with u = 1 / (n + alpha), v = 1 - w u, f = log v.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "streamboost/data/fields.hpp"
#include "streamboost/data/lanes.hpp"
#include "streamboost/learners/class_rows.hpp"
#include "streamboost/learners/zero_score_kernels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/vec.hpp"

namespace streamboost {

// A set of columns, walked in their order.
class ColumnMarks {
 public:
  void reserve(std::size_t columns) { words_.resize((columns + 63) / 64); }
  void set(std::size_t j) { words_[j / 64] |= std::uint64_t{1} << (j % 64); }
  void clear(std::size_t j) { words_[j / 64] &= ~(std::uint64_t{1} << (j % 64)); }
  void clear() { std::fill(words_.begin(), words_.end(), 0); }
  Marked marked() const { return {words_.data(), words_.size()}; }
  template <class F>
  void each(F&& f) const {
    for (std::size_t word = 0; word < words_.size(); ++word)
      for (std::uint64_t rest = words_[word]; rest != 0; rest &= rest - 1) f(word * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
  }

 private:
  std::vector<std::uint64_t> words_;
};

// What is not zero in a row, and what is missing: columns ascend.
struct SparseTerms {
  const double* x;
  const std::int32_t* column;
  int n;
  const std::int32_t* gap = nullptr;
  int n_gaps = 0;
  bool is_gap(std::size_t j) const { return n_gaps > 0 && std::binary_search(gap, gap + n_gaps, static_cast<std::int32_t>(j)); }
};

class ZeroScore {
 public:
  static constexpr std::size_t work_rows = 3 * zero_nodes + zero_together * CellChange::rows + 1;
  static constexpr double longest = 1.5;  // an interval, as the ratio of its ends

  // floor and factor of the logarithm: f = log_factor log(v / floor) - 1/2 b u^2 / v
  ZeroScore(double floor, double log_factor) : floor_(floor), log_factor_(log_factor) {}

  void reserve(std::size_t columns, std::size_t classes, std::size_t lanes) {
    if (classes != classes_) {
      grow(from_, 1, classes, lanes);
      grow(score_, 2 * zero_nodes, classes, lanes);
      classes_ = classes;
    }
    room_.resize(live() * (zero_room / vec_size + zero_nodes));
    heavy_count_.resize(columns);
    met_.reserve(columns);
    heavy_.reserve(columns);
  }

  double floor() const { return floor_; }
  // Lanes that kernels work on: padding beyond a vector costs time.
  std::size_t live() const { return (from_.lanes() + 7) / 8 * 8; }
  const double* from(std::size_t c) const { return from_[c]; }
  double* score(std::size_t c) { return score_[c]; }
  const double* score(std::size_t c) const { return score_[c]; }
  std::size_t pitch() const { return classes_ * score_.stride(); }
  bool inside(std::size_t c, std::size_t lane, double n) const { return from_[c][lane] > 0 && n <= longest * from_[c][lane]; }
  bool is_heavy(std::size_t c, std::size_t lane, double weight) const { return weight > 0.5 * from_[c][lane]; }
  const ColumnMarks& heavy() const { return heavy_; }
  const ColumnMarks& met() const { return met_; }

  // f(column, x) for the marked columns and those of the row, in their order; x = 0 where the row holds nothing.
  template <class F>
  void walk(const ColumnMarks& marks, const SparseTerms& row, F&& f) const {
    int m = 0;
    const auto of_row = [&] {
      f(static_cast<std::size_t>(row.column[m]), row.x[m]);
      ++m;
    };
    marks.each([&](std::size_t column) {
      while (m < row.n && static_cast<std::size_t>(row.column[m]) < column) of_row();
      if (m < row.n && static_cast<std::size_t>(row.column[m]) == column) return of_row();
      f(column, 0.0);
    });
    while (m < row.n) of_row();
  }

  // A lesson of class c: begin, one call of `move` for each column touched, end.
  void begin_lesson(std::size_t c, double* work) {
    const std::size_t lanes = live();
    std::fill_n(work, zero_nodes * lanes, 1.0);
    std::fill_n(work + zero_nodes * lanes, 2 * zero_nodes * lanes, 0.0);
    for (std::size_t l = 0; l < lanes; ++l) per(work)[l] = from_[c][l] > 0 ? 1.0 / from_[c][l] : 0.0;
    listed_ = 0;
  }
  // Where the kernel that teaches the next column writes what it did.
  CellChange change(double* work) const { return change(work, listed_); }
  void move(std::size_t column, double* work) {
    met_.set(column);
    const CellChange now = change(work);
    for (std::size_t l = 0; l < from_.lanes(); ++l)
      if (now.heavier[l] > 0) become_heavy(column);
    if (++listed_ == zero_together) move_listed(work);
  }
  void end_lesson(std::size_t c, double* work) {
    move_listed(work);
    zero_score_add(sums(work), log_factor_, score_[c], pitch(), live());
  }

  // Lane i of class c begins an interval at n. cells: those of column 0 and this class.
  void afresh(std::size_t c, std::size_t i, double n, const SparseView& cells, std::size_t cell_pitch) {
    lighten(c, i, n, cells, cell_pitch);
    from_[c][i] = n;
    renew(c, i / vec_size, 1, i, i + 1, cells, cell_pitch);
  }
  // The same for all lanes, if the schedule says so; n [class][lane], less `shift`. first: [lane] of column 0 and class 0
  void on_schedule(std::int64_t n_examples, const LaneArray<double>& n, double shift, const SparseView& first) {
    if (n_examples < next_) return;
    next_ = after_schedule(n_examples);
    const std::size_t stride = from_.stride(), cell_pitch = classes_ * stride;
    for (std::size_t c = 0; c < classes_; ++c) {
      const SparseView cells = step(first, c * stride);
      for (std::size_t i = 0; i < from_.lanes(); ++i) {
        if (!(n[c][i] > 0)) continue;
        lighten(c, i, n[c][i] + shift, cells, cell_pitch);
        from_[c][i] = n[c][i] + shift;
      }
      renew(c, 0, live() / vec_size, 0, from_.lanes(), cells, cell_pitch);
    }
  }

  void clear_lane(std::size_t i) {
    from_.fill_lane(i, 0);
    score_.fill_lane(i, 0);
  }
  void swap_lane(std::size_t i, ZeroScore& other) {
    from_.swap_lane(i, other.from_);
    score_.swap_lane(i, other.score_);
  }

  // Which columns were met and are heavy follows from the weights; taken: columns that are here at all.
  template <class Taken>
  void recount(std::int64_t n_examples, const LaneArray<double>& weight, Taken&& taken) {
    next_ = after_schedule(n_examples);
    met_.clear();
    heavy_.clear();
    std::fill(heavy_count_.begin(), heavy_count_.end(), 0);
    for (std::size_t column = 0; column < heavy_count_.size(); ++column) {
      if (!taken(column)) continue;
      for (std::size_t c = 0; c < classes_; ++c)
        for (std::size_t i = 0; i < from_.lanes(); ++i) {
          const double w = weight[column * classes_ + c][i];
          if (w > 0) met_.set(column);
          if (w > 0 && is_heavy(c, i, w)) become_heavy(column);
        }
    }
  }

  // Where nothing was reserved nothing is kept, and yet a file has a place for it. used: classes that are more than room.
  void fields(FieldVisitor& v, std::size_t used) {
    if (classes_ > 0) {
      const ClassFields tables{v, used, classes_};
      tables("zero_from", from_);
      tables("zero_score", score_);
      return;
    }
    v.growing("zero_from", from_);
    v.growing("zero_score", score_);
    require(from_.rows() == 0 && score_.rows() == 0, "score of zeros");
  }
  void check() const {
    for (std::size_t c = 0; c < classes_; ++c)
      for (std::size_t i = 0; i < from_.lanes(); ++i) require(from_[c][i] >= 0, "score of zeros");
  }

 private:
  // Work: sums of the nodes, changes of the columns listed, 1 / from.
  CellChange change(double* work, std::size_t slot) const {
    const std::size_t lanes = live();
    double* first = work + (3 * zero_nodes + slot * CellChange::rows) * lanes;
    const bool curved = log_factor_ < 0;
    return {first, curved ? first + lanes : nullptr, first + 2 * lanes, curved ? first + 3 * lanes : nullptr, first + 4 * lanes};
  }
  double* per(double* work) const { return work + (work_rows - 1) * live(); }
  void move_listed(double* work) {
    zero_nodes_move(change(work, 0), listed_, per(work), sums(work), live());
    listed_ = 0;
  }
  NodeSums sums(double* work) const {
    const std::size_t rows = zero_nodes * live();
    return {work, work + rows, work + 2 * rows};
  }
  // 1, 2, 3, 5, 7, 10, 14 ... examples
  static std::int64_t after_schedule(std::int64_t n_examples) {
    std::int64_t next = 1;
    while (next <= n_examples) next += next / 3 + 1;
    return next;
  }
  static SparseView step(const SparseView& cells, std::size_t by) {
    return {cells.weight + by, cells.mean ? cells.mean + by : nullptr, cells.spread ? cells.spread + by : nullptr};
  }
  // Cells that are no longer heavy when the interval begins at n; none becomes heavy, for n only grows.
  void lighten(std::size_t c, std::size_t i, double n, const SparseView& cells, std::size_t cell_pitch) {
    heavy_.each([&](std::size_t column) {
      const double w = cells.weight[column * cell_pitch + i];
      if (w > 0.5 * from_[c][i] && !(w > 0.5 * n) && --heavy_count_[column] == 0) heavy_.clear(column);
    });
  }
  // Lanes [begin, end), which some eights hold.
  void renew(std::size_t c, std::size_t first, std::size_t eights, std::size_t begin, std::size_t end, const SparseView& cells,
             std::size_t cell_pitch) {
    const std::size_t lane = first * vec_size, lanes = eights * vec_size;
    double* value = room_.data() + eights * zero_room;
    zero_score_afresh(step(cells, lane), cell_pitch, met_.marked(), from_[c] + lane, eights, 1.0 / floor_, log_factor_, room_.data(),
                      value);
    for (std::size_t m = 0; m < zero_nodes; ++m)
      for (std::size_t i = begin; i < end; ++i) {
        score_[2 * m * classes_ + c][i] = value[m * lanes + (i - lane)];
        score_[(2 * m + 1) * classes_ + c][i] = 0;
      }
  }
  void become_heavy(std::size_t column) {
    heavy_count_[column] += 1;
    heavy_.set(column);
  }
  // Table [row][class]: classes are appended.
  void grow(LaneArray<double>& table, std::size_t rows, std::size_t classes, std::size_t lanes) {
    if (classes_ == 0) {
      table = LaneArray<double>(rows * classes, lanes);
      return;
    }
    std::vector<std::size_t> target(table.rows());
    for (std::size_t r = 0; r < table.rows(); ++r) target[r] = r / classes_ * classes + r % classes_;
    table.rearrange(rows * classes, target);
  }

  double floor_, log_factor_;
  std::size_t classes_ = 0;
  std::size_t listed_ = 0;      // columns of the lesson at hand that the nodes do not know yet
  std::int64_t next_ = 1;       // examples at which all lanes begin an interval
  LaneArray<double> from_;      // [class]: n0, 0 before the first lesson
  LaneArray<double> score_;     // [coefficient][high, low][class]
  AlignedVector<double> room_;  // to begin intervals
  std::vector<std::int32_t> heavy_count_;
  ColumnMarks met_, heavy_;
};

}  // namespace streamboost
