// The last rows of a stream, for experts that learn from them again and again.
//
// Rows stand in segments of equal length, numbered by example: numbers as float (beyond its range: its largest), nominal codes as they are,
// NaN for missing. A row may have bases: numbers that were known before its truth, for experts of what the truth is beyond one of them.
// Segments are shared by copies of a model until one of them goes on; only the last one is ever written to, so a copy
// costs pointers, and whoever works on old rows (Rows) keeps its segments while the ring moves on.
// Saved are the rows alone, all as wide as the schema: files do not tell when a column first came.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "streamboost/data/fields.hpp"
#include "streamboost/data/row.hpp"
#include "streamboost/data/schema.hpp"

namespace streamboost {

// A cell as the ring keeps it.
inline float remembered_cell(double x) {
  constexpr double largest = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(x, -largest, largest)) + 0.0F;  // NaN stays; no -0
}

class RowRing {
 public:
  static constexpr std::int64_t segment_rows = 256;

  struct Segment {
    int width = 0;
    std::vector<float> cell;            // [row][width]
    std::vector<double> truth, weight;  // [row]; truth: the code of the class, or the number
    std::vector<double> base;           // [row][base]
    Segment(int columns, int bases) : width(columns) {
      cell.reserve(static_cast<std::size_t>(segment_rows * columns));
      truth.reserve(segment_rows);
      weight.reserve(segment_rows);
      base.reserve(static_cast<std::size_t>(segment_rows * bases));
    }
    Segment(const Segment& other, int columns, int bases) : Segment(columns, bases) {
      for (std::size_t r = 0; r < other.truth.size(); ++r) {
        const float* row = other.cell.data() + r * static_cast<std::size_t>(other.width);
        cell.insert(cell.end(), row, row + other.width);
        cell.resize((r + 1) * static_cast<std::size_t>(columns), std::numeric_limits<float>::quiet_NaN());
      }
      truth.insert(truth.end(), other.truth.begin(), other.truth.end());
      weight.insert(weight.end(), other.weight.begin(), other.weight.end());
      base.insert(base.end(), other.base.begin(), other.base.end());
    }
  };

  // Rows begin .. end of the ring, which stay as they are.
  struct Rows {
    std::vector<std::shared_ptr<const Segment>> segment;
    std::int64_t begin = 0, end = 0, first = 0;  // first: the number of the first row in the first segment
    int bases = 0, less = -1;                    // less: the base that is taken from the truth; -1: none
    int size() const { return static_cast<int>(end - begin); }
    const Segment& of(int row) const { return *segment[place(row).first]; }
    const float* cells(int row) const {
      const auto [s, r] = place(row);
      return segment[s]->cell.data() + r * static_cast<std::size_t>(segment[s]->width);
    }
    // Those of a row and of the rows behind it in the same segment.
    struct Cells {
      const float* first;  // [row][width]
      std::size_t width, rows;
    };
    Cells cells_from(int row) const {
      const auto width = static_cast<std::size_t>(of(row).width);
      return {cells(row), width, static_cast<std::size_t>(segment_rows) - place(row).second};
    }
    double truth(int row) const {
      const auto [s, r] = place(row);
      return segment[s]->truth[r] - (less < 0 ? 0.0 : base(row, less));
    }
    double base(int row, int b) const {
      const auto [s, r] = place(row);
      return segment[s]->base[r * static_cast<std::size_t>(bases) + static_cast<std::size_t>(b)];
    }
    double weight(int row) const { return segment[place(row).first]->weight[place(row).second]; }

   private:
    std::pair<std::size_t, std::size_t> place(int row) const {
      const auto at = static_cast<std::size_t>(begin + row - first);
      return {at / segment_rows, at % segment_rows};
    }
  };

  explicit RowRing(int bases = 0) : bases_(bases) {}

  std::int64_t end() const { return end_; }      // examples remembered so far
  std::int64_t begin() const { return begin_; }  // the oldest that is still there
  int width() const { return width_; }
  static std::int64_t row_bytes(int width, int bases = 0) { return 4 * static_cast<std::int64_t>(width) + 16 + 8 * bases; }

  // Columns that have had a value, with this row; with the first one of a block that is learned, which has `more` columns before its own.
  static std::int64_t width_after(std::int64_t seen, const Row& dense) {
    int width = dense.size;
    while (width > seen && std::isnan(dense.value[width - 1])) --width;
    return std::max<std::int64_t>(seen, width);
  }
  std::int64_t width_after(std::int64_t seen, const RowBlock& rows, const double* weight, int more = 0) const {
    int first = 0;
    while (first < rows.n_rows && weight != nullptr && !(weight[first] > 0)) ++first;
    if (first == rows.n_rows) return seen;
    const Row row = rows.row(first);
    return row.dense() ? std::max(seen, more + width_after(std::max<std::int64_t>(seen - more, 0), row)) : width_;
  }

  // Room for n more rows, so that `add` does not allocate.
  void expect(std::int64_t n) {
    if (!segments_.empty() && segments_.back().use_count() > 1)
      segments_.back() = std::make_shared<Segment>(*segments_.back(), width_, bases_);
    const std::int64_t free = static_cast<std::int64_t>(segments_.size() + spare_.size()) * segment_rows - (end_ - first());
    for (std::int64_t rows = free; rows < n; rows += segment_rows) spare_.push_back(std::make_shared<Segment>(width_, bases_));
    make_room(segments_, spare_.size());
  }
  void add(const Row& dense, double truth, double weight, const double* base = nullptr) {
    if (static_cast<std::int64_t>(segments_.size()) * segment_rows == end_ - first()) {
      segments_.push_back(std::move(spare_.back()));
      spare_.pop_back();
    }
    Segment& last = *segments_.back();
    for (int j = 0; j < width_; ++j) last.cell.push_back(remembered_cell(dense.cell(j)));
    last.truth.push_back(truth);
    last.weight.push_back(weight);
    if (base != nullptr) last.base.insert(last.base.end(), base, base + bases_);
    end_ += 1;
  }
  // Rows before this one are no longer needed.
  void forget(std::int64_t before) {
    const std::int64_t was_first = first();
    begin_ = std::clamp(before, begin_, end_);
    const std::int64_t gone = std::min((first() - was_first) / segment_rows, static_cast<std::int64_t>(segments_.size()));
    if (gone > 0) segments_.erase(segments_.begin(), segments_.begin() + gone);
  }
  Rows rows(std::int64_t begin, std::int64_t end, int less = -1) const {
    return {{segments_.begin(), segments_.end()}, begin, end, first(), bases_, less};
  }

  // The same rows with more columns.
  RowRing grown(int width) const {
    RowRing grown = *this;
    grown.width_ = width;
    grown.spare_.clear();
    if (!segments_.empty()) grown.segments_.back() = std::make_shared<Segment>(*segments_.back(), width, bases_);
    return grown;
  }

  std::size_t bytes() const {
    return (segments_.size() + spare_.size()) * static_cast<std::size_t>(segment_rows * row_bytes(width_, bases_));
  }

  void fields(FieldVisitor& v) {
    std::vector<std::int64_t> cell, weight, truth, base;
    if (!v.loads() && end_ > begin_) {
      const Rows all = rows(begin_, end_);
      const auto n = static_cast<std::size_t>(all.size()), width = static_cast<std::size_t>(width_);
      std::vector<std::uint32_t> bits(n * width + 1);  // the last one completes a pair
      for (auto* list : {&truth, &weight}) list->reserve(n);
      for (std::size_t r = 0; r < n; ++r) {
        const int row = static_cast<int>(r);
        truth.push_back(std::bit_cast<std::int64_t>(all.truth(row)));
        weight.push_back(std::bit_cast<std::int64_t>(all.weight(row)));
        for (int b = 0; b < bases_; ++b) base.push_back(std::bit_cast<std::int64_t>(all.base(row, b)));
        const float* from = all.cells(row);
        const std::size_t filled = std::min(width, static_cast<std::size_t>(all.of(row).width));
        std::uint32_t* to = bits.data() + r * width;
        for (std::size_t j = 0; j < filled; ++j) to[j] = std::isnan(from[j]) ? missing_bits : std::bit_cast<std::uint32_t>(from[j]);
        std::fill(to + filled, to + width, missing_bits);
      }
      cell.resize((n * width + 1) / 2);
      for (std::size_t i = 0; i < cell.size(); ++i)
        cell[i] = std::bit_cast<std::int64_t>(bits[2 * i] | static_cast<std::uint64_t>(bits[2 * i + 1]) << 32);
    }
    v("ring_begin", begin_);
    v("ring_end", end_);
    v.growing("ring_cells", cell);
    v.growing("ring_truth", truth);
    v.growing("ring_weight", weight);
    if (bases_ > 0) v.growing("ring_bases", base);
    if (v.loads()) load(cell, truth, weight, base);
  }
  // truth: codes of classes, or numbers where n_classes is 0.
  void check(const Schema& schema, bool numbers) const {
    if (end_ == begin_) return;
    const Rows all = rows(begin_, end_);
    for (int r = 0; r < all.size(); ++r) {
      const double truth = all.truth(r), weight = all.weight(r);
      require(std::isfinite(weight) && weight > 0, "remembered weight");
      for (int b = 0; b < bases_; ++b) require(std::isfinite(all.base(r, b)), "remembered base");
      require(std::isfinite(truth) && (numbers || is_code(truth, schema.n_classes)), "remembered label");
      for (int j = 0; j < width_; ++j) {
        const float x = all.cells(r)[j];
        require(!std::isinf(x), "remembered value");
        require(std::isnan(x) || !schema.nominal(j) || is_code(x, schema.n_values[static_cast<std::size_t>(j)]), "remembered category");
      }
    }
  }

 private:
  static constexpr std::uint32_t missing_bits = 0x7FC00000;
  static bool is_code(double x, std::int64_t n) { return x >= 0 && x < static_cast<double>(n) && x == std::floor(x); }

  // Segments begin at multiples of their length.
  std::int64_t first() const { return begin_ / segment_rows * segment_rows; }

  void load(const std::vector<std::int64_t>& cell, const std::vector<std::int64_t>& truth, const std::vector<std::int64_t>& weight,
            const std::vector<std::int64_t>& base) {
    require_count(begin_, "remembered rows");
    require_count(end_, "remembered rows");
    require(begin_ <= end_, "remembered rows");
    const auto n = static_cast<std::uint64_t>(end_ - begin_);
    const auto bases = static_cast<std::size_t>(bases_);
    require(truth.size() == n && weight.size() == n && base.size() == n * bases, "remembered rows");
    require(cell.size() == (n * static_cast<std::uint64_t>(width_) + 1) / 2, "remembered cells");
    segments_.clear();
    spare_.clear();
    std::uint64_t at = 0;
    for (std::int64_t number = first(); number < end_; ++number) {
      if (number % segment_rows == 0) segments_.push_back(std::make_shared<Segment>(width_, bases_));
      Segment& last = *segments_.back();
      if (number < begin_) {  // gone before: only its place is there
        last.cell.resize(last.cell.size() + static_cast<std::size_t>(width_), 0.0F);
        last.truth.push_back(0);
        last.weight.push_back(1);
        last.base.resize(last.base.size() + bases, 0.0);
        continue;
      }
      const auto r = static_cast<std::size_t>(number - begin_);
      const std::size_t filled = last.cell.size();
      last.cell.resize(filled + static_cast<std::size_t>(width_));
      for (std::size_t j = filled; j < last.cell.size(); ++j, ++at)
        last.cell[j] = std::bit_cast<float>(static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(cell[at / 2]) >> (at % 2 * 32)));
      last.truth.push_back(std::bit_cast<double>(truth[r]));
      last.weight.push_back(std::bit_cast<double>(weight[r]));
      for (std::size_t b = 0; b < bases; ++b) last.base.push_back(std::bit_cast<double>(base[r * bases + b]));
    }
  }

  std::vector<std::shared_ptr<Segment>> segments_, spare_;
  std::int64_t begin_ = 0, end_ = 0;
  int width_ = 0, bases_;
};

}  // namespace streamboost
