// Lane arrays: the state of all learners of a bank, learner index innermost.
//
// A LaneArray is a matrix [row][lane] whose rows are padded to a multiple of 16 lanes and aligned to 64 bytes, so that every
// kernel runs over whole vectors. Cells of dead (padding) lanes are computed on but never read by a booster.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <new>
#include <utility>
#include <vector>

namespace streamboost {

inline constexpr std::size_t lane_multiple = 16;

// Whole vectors, and no large row a multiple of 1 kB: the same lanes of all rows would share a few sets of the cache.
constexpr std::size_t padded(std::size_t lanes) {
  const std::size_t whole = (lanes + lane_multiple - 1) / lane_multiple * lane_multiple;
  return whole >= 256 && whole % 128 == 0 ? whole + lane_multiple : whole;
}

// One lane alone need not be padded where it has several of the same kind (columns of weights) to stand side by side.
constexpr std::size_t padded_unless_alone(std::size_t lanes) { return lanes == 1 ? 1 : padded(lanes); }

// Says how much was asked for: reaches Python as MemoryError.
class OutOfMemory final : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::size_t bytes) noexcept {
    std::snprintf(text_, sizeof text_, "out of memory: %zu bytes were asked for in one piece", bytes);
  }
  const char* what() const noexcept override { return text_; }

 private:
  char text_[80];
};

// Growth while an example is learned, which must ask for all its memory before it changes anything. Where there is none it waits for
// another example: false, and `starved` remembers.
template <class Grow>
bool grows_or_waits(Grow grow, bool& starved) {
  try {
    return grow();
  } catch (const std::bad_alloc&) {
    starved = true;
    return false;
  }
}
// Room for so many more, and then for at least half of what is there: rows may come one by one.
template <class List>
void make_room(List& list, std::size_t more) {
  if (list.capacity() - list.size() < more) list.reserve(list.size() + std::max(more, list.size() / 2));
}

// Room for n things that become more one by one, a fourth to spare at most: what is there is moved a few times, not once for each.
// A function of their number alone, so that it does not matter in how many steps they came.
constexpr std::size_t room_for(std::size_t n) {
  if (n <= 64) return n;
  const std::size_t step = std::bit_floor(n) / 4;
  return (n + step - 1) / step * step;
}

template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) {
    if (void* p = ::operator new(n * sizeof(T), alignment, std::nothrow)) return static_cast<T*>(p);
    throw OutOfMemory(n * sizeof(T));
  }
  void deallocate(T* p, std::size_t) { ::operator delete(p, alignment); }
  bool operator==(const AlignedAllocator&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

// Global lane numbers [begin, end): what a bank owns. Keys and files use global numbers, memory does not.
struct Lanes {
  int begin = 0, end = 0;
  int size() const { return end - begin; }
};

template <class T>
class LaneArray {
 public:
  LaneArray() = default;
  LaneArray(std::size_t rows, std::size_t lanes, T fill = T{}) : LaneArray(rows, lanes, fill, padded(lanes)) {}
  LaneArray(std::size_t rows, std::size_t lanes, T fill, std::size_t stride)
      : rows_(rows), lanes_(lanes), stride_(stride), cells_(rows * stride_, fill) {}

  std::size_t rows() const { return rows_; }
  std::size_t lanes() const { return lanes_; }
  std::size_t stride() const { return stride_; }
  std::size_t bytes() const { return cells_.capacity() * sizeof(T); }
  T* operator[](std::size_t row) { return cells_.data() + row * stride_; }
  const T* operator[](std::size_t row) const { return cells_.data() + row * stride_; }

  // New layout: row r of the old array becomes row target[r]; all other rows hold `fill`.
  void rearrange(std::size_t rows, const std::vector<std::size_t>& target, T fill = T{}) {
    AlignedVector<T> moved(rows * stride_, fill);
    for (std::size_t r = 0; r < rows_; ++r)
      for (std::size_t l = 0; l < stride_; ++l) moved[target[r] * stride_ + l] = cells_[r * stride_ + l];
    rows_ = rows;
    cells_ = std::move(moved);
  }

  // In place: row r goes to row target[r], which ascends and is not below r; all other rows hold `fill`. No target: rows stay.
  void spread(std::size_t rows, const std::vector<std::size_t>& target, T fill) {
    if (cells_.capacity() < rows * stride_) cells_.reserve(room_for(rows) * stride_);
    const std::size_t before = rows_;
    cells_.resize(rows * stride_, fill);
    rows_ = rows;
    std::size_t free = rows;  // from here on all is done
    for (std::size_t r = target.empty() ? 0 : before; r-- > 0 && target[r] != r;) {
      std::copy_n((*this)[r], stride_, (*this)[target[r]]);
      std::fill((*this)[target[r] + 1], (*this)[free], fill);
      free = target[r];
      if (r == 0 || target[r - 1] == r - 1) std::fill((*this)[r], (*this)[free], fill);
    }
  }
  // Back again: the rows of before are taken from where they went.
  void gather(std::size_t rows, const std::vector<std::size_t>& target) noexcept {
    if (rows == rows_) return;
    for (std::size_t r = 0; r < target.size(); ++r)
      if (target[r] != r) std::copy_n((*this)[target[r]], stride_, (*this)[r]);
    rows_ = rows;
    cells_.resize(rows * stride_);
  }

  // For so many more rows, so that `append` does not allocate.
  void make_room(std::size_t rows) { streamboost::make_room(cells_, rows * stride_); }
  // More rows at the end.
  void append(std::size_t rows) {
    rows_ += rows;
    cells_.resize(rows_ * stride_);
  }

  void shrink(std::size_t rows) {
    rows_ -= rows;
    cells_.resize(rows_ * stride_);
  }

  void swap_lane(std::size_t lane, LaneArray& other) {
    for (std::size_t r = 0; r < rows_; ++r) std::swap((*this)[r][lane], other[r][lane]);
  }

  void fill_lane(std::size_t lane, T value) {
    for (std::size_t r = 0; r < rows_; ++r) (*this)[r][lane] = value;
  }

 private:
  std::size_t rows_ = 0, lanes_ = 0, stride_ = 0;
  AlignedVector<T> cells_;
};

}  // namespace streamboost
