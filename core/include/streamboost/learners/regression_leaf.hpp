// The leaf of a regression tree: what its targets were, a plane through them, and an observer of every column for the next split.
//
//   n, S, Q      weight, sum and squared sum of the targets about `centre`      mean = centre + S / n
//   plane        f(x) = c + W (x - r), by ridge regression on the leaf's own rows. It bends the plane of the leaf's parent: what is
//                regressed are the targets' distances d from it, so that a young leaf answers as its parent did. With G, s, X, D the sums of
//                z z', z, z d and d (z = x - r), C = G - s s' / n in units of its diagonal, and `ridge` / n added there:
//                W = W0 + (C + ridge / n)^-1 (X - s D / n),   c = c0 + D / (n + 1) - (W - W0) s / n
//   which        the mean or the plane: whichever had the smaller faded squared error in this leaf, each before learning
//
// A missing value counts as the leaf's mean of that column in the plane, and is not observed. Answers keep within the targets seen.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace streamboost {

// Sums of the targets by where a numeric value lies: intervals of equal width that double when a value falls outside, so that nothing is lost
// but resolution; far outliers share the outermost ones. What is looked at for every row, the head, stands apart from the intervals, of which a
// row meets one: the heads of all columns of a leaf are a few lines of memory.
struct NumericObserver {
  static constexpr std::size_t bins = 32, head = 5, cells = 3 * bins, size = head + cells;
  double *heads, *sums;  // origin, width, count, mean, spread of x; [bins]: w, wy, wyy

  // Which interval a value falls into, once the head knows of it.
  std::size_t place(double x) {
    double &origin = heads[0], &width = heads[1], &count = heads[2], &mean = heads[3], &spread = heads[4];
    count += 1;
    const double off = x - mean;
    mean += off / count;
    spread += off * (x - mean);
    if (width == 0) {
      if (count == 1) origin = x;
      if (x == origin) return 0;
      open(x);
    }
    if (x < origin || x >= origin + width * bins) {
      const double most = 12 * std::sqrt(spread / count);
      while ((x < origin || x >= origin + width * bins) && (count < 20 || 2 * width * bins <= most)) widen(x < origin);
    }
    const double at = (x - origin) / width;
    return at >= bins ? bins - 1 : at > 0 ? static_cast<std::size_t>(at) : 0;
  }

 private:
  // The second value: all before it were equal and lie in the first interval.
  void open(double x) {
    const double first = heads[0];
    heads[1] = std::fabs(x - first) / (bins / 4);
    if (!(heads[1] > 0)) heads[1] = 1e-300;
    heads[0] = std::min(x, first) - heads[1] * (bins / 4);
    const double at = (first - heads[0]) / heads[1];
    move(0, std::min(static_cast<std::size_t>(at), bins - 1));
  }
  void move(std::size_t from, std::size_t to) {
    if (from == to) return;
    double *a = sums + 3 * from, *b = sums + 3 * to;
    for (std::size_t k = 0; k < 3; ++k) {
      b[k] += a[k];
      a[k] = 0;
    }
  }
  void widen(bool down) {
    if (down) {  // the old intervals become the upper half
      heads[0] -= heads[1] * bins;
      for (std::size_t b = bins; b-- > 0;) move(b, (bins + b) / 2);
    } else {
      for (std::size_t b = 1; b < bins; ++b) move(b, b / 2);
    }
    heads[1] *= 2;
  }
};

// The observers of a leaf, by position among the tree's columns.
struct LeafObservers {
  static constexpr double column_bytes = 28;  // of a column without its cells, as a tree's budget counts it
  std::vector<std::int32_t> slot;             // [column]: where a numeric one has its observer; -1: it has none yet
  std::vector<double> heads, sums;            // [slot]: NumericObserver
  std::vector<std::vector<double>> values;    // [column]: w, wy, wyy by value of a nominal one

  std::size_t columns() const { return slot.size(); }
  std::size_t slots() const { return heads.size() / NumericObserver::head; }
  void grow(std::size_t columns) {
    if (columns <= slot.size()) return;
    values.resize(columns);
    slot.resize(columns, -1);  // last: it says how many there are
  }
  void reserve(std::size_t more) {
    heads.reserve(heads.size() + more * NumericObserver::head);
    sums.reserve(sums.size() + more * NumericObserver::cells);
  }
  NumericObserver begin(std::size_t c) {
    slot[c] = static_cast<std::int32_t>(slots());
    heads.resize(heads.size() + NumericObserver::head, 0.0);
    sums.resize(sums.size() + NumericObserver::cells, 0.0);
    return numeric(c);
  }
  bool seen(std::size_t c) const { return slot[c] >= 0; }
  NumericObserver numeric(std::size_t c) { return {heads.data() + head_at(c), sums.data() + sums_at(c)}; }
  const double* head(std::size_t c) const { return heads.data() + head_at(c); }
  // The sums of a column, three each.
  const double* cells(std::size_t c) const { return seen(c) ? sums.data() + sums_at(c) : values[c].data(); }
  std::size_t n_cells(std::size_t c) const { return seen(c) ? NumericObserver::bins : values[c].size() / 3; }

 private:
  std::size_t head_at(std::size_t c) const { return static_cast<std::size_t>(slot[c]) * NumericObserver::head; }
  std::size_t sums_at(std::size_t c) const { return static_cast<std::size_t>(slot[c]) * NumericObserver::cells; }
};

struct LeafPlane {
  static constexpr std::size_t most = 32;              // columns
  static constexpr double far = 1e101, steep = 1e150;  // values and targets reach 1e100: sums and answers stay finite
  static std::size_t size(std::size_t p) { return 4 + 5 * p + p * (p + 1) / 2; }

  // n, D, c, c0; then r, W0, W, s, X [p each]; then G, lower triangle by rows
  std::vector<double> cells;
  std::size_t p = 0;
  double& n() { return cells[0]; }
  double n() const { return cells[0]; }
  double* part(std::size_t k) { return cells.data() + 4 + k * p; }
  const double* part(std::size_t k) const { return cells.data() + 4 + k * p; }

  void begin(std::size_t columns, double y) {
    p = columns;
    cells.assign(size(p), 0.0);
    cells[2] = cells[3] = y;
  }
  // Columns that have appeared since the leaf was born. True if there are any.
  bool widen(std::size_t columns) {
    if (columns == p) return false;
    LeafPlane wider;
    wider.begin(columns, 0);
    std::copy_n(cells.data(), 4, wider.cells.data());
    for (std::size_t k = 0; k < 5; ++k) std::copy_n(part(k), p, wider.part(k));
    std::copy_n(part(5), p * (p + 1) / 2, wider.part(5));
    *this = std::move(wider);
    return true;
  }
  // A child goes on where this one stands, around its mean row.
  LeafPlane child() const {
    LeafPlane next;
    next.begin(p, cells[2]);
    for (std::size_t j = 0; j < p; ++j) {
      const double moved = n() > 0 ? part(3)[j] / n() : 0.0;
      next.part(0)[j] = part(0)[j] + moved;
      next.part(1)[j] = next.part(2)[j] = part(2)[j];
      next.cells[2] += part(2)[j] * moved;
    }
    next.cells[3] = next.cells[2];
    return next;
  }

  // z of the row; a plane without rows begins at the first one.
  void offsets(const double* x, const std::int32_t* columns, double* z) const {
    const double *r = part(0), *s = part(3);
    for (std::size_t j = 0; j < p; ++j) {
      const double value = x[columns[j]];
      z[j] = std::isnan(value) ? (n() > 0 ? s[j] / n() : 0.0) : value - r[j];
    }
  }
  double at(const double* z) const {
    const double* W = part(2);
    double f = cells[2];
    for (std::size_t j = 0; j < p; ++j) f += W[j] * z[j];
    return f;
  }
  void add(const double* z, double y, double w) {
    const double* W0 = part(1);
    double d = y - cells[3];
    for (std::size_t j = 0; j < p; ++j) d -= W0[j] * z[j];
    d = std::min(std::max(d, -far), far);
    cells[0] += w;
    cells[1] += w * d;
    double *s = part(3), *X = part(4), *G = part(5);
    for (std::size_t j = 0; j < p; ++j) {
      const double wz = w * z[j];
      s[j] += wz;
      X[j] += wz * d;
      for (std::size_t k = 0; k <= j; ++k) *G++ += wz * z[k];
    }
  }
  void solve(double ridge) {
    const double *s = part(3), *X = part(4), *G = part(5), mass = n(), mean = cells[1] / mass;
    double L[most * (most + 1) / 2], unit[most], u[most];
    for (std::size_t j = 0, g = 0; j < p; g += ++j) {
      const double variance = G[g + j] - s[j] * (s[j] / mass);
      unit[j] = variance > 1e-12 * G[g + j] && variance > 1e-300 ? 1 / std::sqrt(variance) : 0.0;  // 0: a constant says nothing
    }
    // Cholesky of a matrix with 1 + ridge / n on its diagonal, row by row; then L L' u = v
    for (std::size_t j = 0, g = 0; j < p; g += ++j) {
      for (std::size_t k = 0, h = 0; k <= j; h += ++k) {
        double sum = k == j ? 1 + ridge / mass : (G[g + k] - s[j] * (s[k] / mass)) * unit[j] * unit[k];
        for (std::size_t m = 0; m < k; ++m) sum -= L[g + m] * L[h + m];
        L[g + k] = k == j ? std::sqrt(std::max(sum, 1e-12)) : sum / L[h + k];
      }
      double sum = (X[j] - s[j] * mean) * unit[j];
      for (std::size_t m = 0; m < j; ++m) sum -= L[g + m] * u[m];
      u[j] = sum / L[g + j];
    }
    for (std::size_t j = p; j-- > 0;) {
      for (std::size_t m = j + 1; m < p; ++m) u[j] -= L[m * (m + 1) / 2 + j] * u[m];
      u[j] /= L[j * (j + 1) / 2 + j];
    }
    double* W = part(2);
    cells[2] = cells[3] + cells[1] / (mass + 1);
    for (std::size_t j = 0; j < p; ++j) {
      const double bend = std::fabs(u[j] * unit[j]) < steep ? u[j] * unit[j] : 0.0;  // not a number neither
      W[j] = part(1)[j] + bend;
      cells[2] -= bend * (s[j] / mass);
    }
  }
};

struct RegressionLeaf {
  static constexpr double fading = 0.995;
  // of the targets, of the errors, and when split and plane were last tried
  double n = 0, sum = 0, squares = 0, centre = 0, low = 0, high = 0, mean_error = 0, plane_error = 0, tried = 0, solved = 0, depth = 0;
  LeafPlane plane;
  LeafObservers observers;

  double mean() const { return n > 0 ? centre + sum / n : centre; }
  bool idle() const { return n > 0 && observers.columns() == 0; }
  double kept(double y) const { return std::min(std::max(y, low), high); }
};

}  // namespace streamboost
