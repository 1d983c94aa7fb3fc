#include "streamboost/replay/boosting_fit.hpp"

#include <bit>
#include <numeric>

namespace streamboost {
namespace {

using Loss = BoostingParams::Loss;

// What work costs beside one addition to a histogram.
constexpr std::int64_t cost_of_exp = 6, cost_of_row = 2, cost_of_cut = 3, cost_of_bin = 6;

int bits_of(std::size_t n) {
  int bits = 0;
  while (n >> bits) ++bits;
  return bits;
}
// The smallest power of two that is not below x, as an exponent; x > 0.
int exponent_above(double x) {
  int e = 0;
  const double m = std::frexp(x, &e);
  return m == 0.5 ? e - 1 : e;
}

// What a coroutine calls between its variables lives in its frame, in memory: loops over rows and cells stand outside, in registers.

// total[lane] of n rows, for so many lanes as are there.
template <std::size_t lanes>
void add_up(const std::int64_t* words, std::size_t n, std::int64_t* total) {
  std::int64_t sum[lanes] = {};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t s = 0; s < lanes; ++s) sum[s] += words[i * lanes + s];
  std::copy_n(sum, lanes, total);
}

// Pairs of words, as of two classes.
void slopes_of_numbers(Loss loss, double delta, const double* F, const double* y, const double* weight, std::size_t n,
                       std::int64_t* __restrict words) {
  const auto each = [&](auto slope) {
    for (std::size_t i = 0; i < n; ++i) {
      words[2 * i] = std::bit_cast<std::int64_t>(weight[i] * slope(F[i] - y[i]));
      words[2 * i + 1] = std::bit_cast<std::int64_t>(weight[i]);
    }
  };
  if (loss == Loss::squared) each([](double r) { return r; });
  if (loss == Loss::absolute) each([](double r) { return r > 0 ? 1.0 : r < 0 ? -1.0 : 0.0; });
  if (loss == Loss::huber) each([&](double r) { return std::clamp(r, -delta, delta); });
}

// squares[c] += g[row][c]^2
void add_squares_by_class(const double* g, std::size_t classes, std::size_t n, double* __restrict squares) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < classes; ++c) squares[c] += g[i * classes + c] * g[i * classes + c];
}

}  // namespace

BoostingFit::BoostingFit(const BoostingParams& params, RowRing::Rows rows, std::vector<char> nominal)
    : params_(params),
      rows_(std::move(rows)),
      n_(static_cast<std::size_t>(rows_.size())),
      width_(nominal.size()),
      nominal_(std::move(nominal)) {
  y_.resize(n_);
  weight_.resize(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    y_[i] = rows_.truth(static_cast<int>(i));
    weight_[i] = rows_.weight(static_cast<int>(i));
  }
  if (classes()) {
    const auto k = static_cast<std::size_t>(*std::max_element(y_.begin(), y_.end())) + 1;
    outputs_ = k == 2 ? 1 : k;
  }
  lanes_ = static_cast<int>(params_.lanes(static_cast<std::int64_t>(outputs_)));
  bins_ = static_cast<int>(params_.most_bins(static_cast<std::int64_t>(width_), static_cast<std::int64_t>(outputs_))) - 1;
  bin_.resize(n_ * width_);
  usual_.reserve(width_);
  listed_.resize(n_);
  aside_.resize(n_);
  F_.resize(n_ * outputs_);
  if (outputs_ > 1) g_.resize(n_ * outputs_);
  words_.resize(n_ * static_cast<std::size_t>(lanes_));
  squares_.resize(outputs_);
  sums_.resize(2 * outputs_);
  const std::size_t leaves = static_cast<std::size_t>(params_.leaves), trees = static_cast<std::size_t>(rounds()) * trees_per_round();
  leaf_.resize(leaves);
  forest_.node.reserve(trees * (leaves - 1));
  forest_.value.reserve(trees * leaves * (shared() ? outputs_ : 1));
  forest_.output.reserve(trees);
  forest_.first_value.reserve(trees + 1);
  forest_.leaf_rows.reserve(trees * leaves);
  forest_.first_node.reserve(trees + 1);
  forest_.first_leaf.reserve(trees + 1);
  const auto n = static_cast<std::int64_t>(n_), d = static_cast<std::int64_t>(width_), k = static_cast<std::int64_t>(outputs_);
  const std::int64_t levels = bits_of(leaves - 1);
  setup_cost_ = d * ColumnBins::sample_rows * cost_of_bin + n * d * cost_of_bin;
  round_cost_ = static_cast<std::int64_t>(trees_per_round()) *
                    (n * d * (2 + levels) / 2 + n * cost_of_row * (4 + 2 * levels) +
                     2 * static_cast<std::int64_t>(leaves) * d * (std::min(params_.bins, bins_) + 1) * (1 + cost_of_cut)) +
                n * k * (cost_of_exp + 2 * cost_of_row);
  work_ = run();
}

std::int64_t BoostingFit::left() const {
  if (finished()) return 0;
  if (round_began_ == 0) return std::max<std::int64_t>(setup_cost_ - done(), 1) + rounds() * round_cost_;
  return std::max<std::int64_t>(round_cost_ - (done() - round_began_), 1) + (rounds() - 1 - round_) * round_cost_;
}

std::size_t BoostingFit::bytes() const {
  return bin_.capacity() + usual_.capacity() + 4 * (listed_.capacity() + aside_.capacity() + slot_.capacity() + slot_start_.capacity()) +
         8 * (y_.capacity() + weight_.capacity() + F_.capacity() + g_.capacity() + words_.capacity() + histograms_.capacity()) +
         forest_.bytes();
}

DeferredWork BoostingFit::run() {
  for (DeferredWork part = make_bins(); part.next();) co_yield part.slice();
  find_usual();
  begin_scores();
  for (round_ = 0; round_ < rounds(); ++round_) {
    round_began_ = std::max<std::int64_t>(work_.done(), 1);
    for (DeferredWork part = gradients(); part.next();) co_yield part.slice();
    const std::size_t before = forest_.node.size();
    for (output_ = 0; output_ < trees_per_round(); ++output_) {
      for (DeferredWork part = pack(); part.next();) co_yield part.slice();
      const std::size_t nodes = forest_.node.size();
      for (DeferredWork part = grow(); part.next();) co_yield part.slice();
      if (forest_.node.size() == nodes) continue;
      for (DeferredWork part = set_values(); part.next();) co_yield part.slice();
    }
    if (forest_.node.size() == before && !draws()) break;  // and so it would stay
  }
  forest_.begin = rows_.begin;
  forest_.end = rows_.end;
  forest_.outputs = static_cast<int>(outputs_);
}

// ---- bins

DeferredWork BoostingFit::make_bins() {
  const std::size_t sampled = std::min<std::size_t>(n_, ColumnBins::sample_rows);
  std::vector<RowRing::Rows::Cells> sample;
  std::vector<float> value, spare;
  sample.reserve(sampled);
  value.reserve(sampled);
  spare.reserve(sampled);
  for (std::size_t i = 0; i < sampled; ++i) sample.push_back(rows_.cells_from(static_cast<int>(i * n_ / sampled)));
  std::int64_t cost = 0;
  for (std::size_t j = 0; j < width_; ++j) {
    if (nominal_[j]) {
      float highest = 0;
      for_segments(0, n_, [&](const RowRing::Rows::Cells& cells, std::size_t, std::size_t n) {
        for (std::size_t i = 0; i < n && j < cells.width; ++i) highest = std::max(highest, cells.first[i * cells.width + j]);
      });
      column_.push_back(ColumnBins::of_codes(highest, bins_));
      cost += static_cast<std::int64_t>(n_);
    } else {
      value.clear();
      for (const auto& cells : sample)
        if (j < cells.width && !std::isnan(cells.first[j])) value.push_back(cells.first[j]);
      column_.push_back(ColumnBins::of_numbers(value, spare, std::min(params_.bins, bins_)));
      cost += static_cast<std::int64_t>(sampled) * cost_of_bin;
    }
    offset_.push_back(static_cast<std::uint32_t>(slots_));
    slots_ += static_cast<std::size_t>(column_.back().bins());
    forest_.highest.push_back(column_.back().highest);
    if (cost >= slice) {
      co_yield cost;
      cost = 0;
    }
  }
  histograms_.resize(slots_ * static_cast<std::size_t>(lanes_ * params_.leaves));
  const std::int64_t cost_of_cells = static_cast<std::int64_t>(width_) * cost_of_bin;
  for (std::size_t first = 0, n = 0; first < n_ && width_ > 0; first += n) {
    n = std::min(n_ - first, static_cast<std::size_t>((slice - cost + cost_of_cells - 1) / cost_of_cells));
    for_segments(first, n, [&](const RowRing::Rows::Cells& cells, std::size_t at, std::size_t rows) {
      for (std::size_t j = 0; j < std::min(width_, cells.width); ++j) {
        const ColumnBins& column = column_[j];
        replay::bin_cells({column.cut.data(), column.cut.size(), column.highest}, cells.first + j, cells.width, rows,
                          bin_.data() + at * width_ + j, width_);
      }
    });
    cost += static_cast<std::int64_t>(n) * cost_of_cells;
    if (cost >= slice) {
      co_yield cost;
      cost = 0;
    }
  }
}

// Columns of wide rows are mostly 0. Then only the other cells are added up, and what they leave of a leaf is the usual bin's: sums of whole numbers
// come out the same. By some of the rows; whatever is said to be usual, only the time depends on it.
void BoostingFit::find_usual() {
  constexpr std::size_t most_sampled = 64, least_width = 32;
  const std::size_t sampled = std::min(n_, most_sampled);
  if (width_ < least_width || sampled == 0) return;
  std::size_t others = 0;
  usual_.resize(width_);
  for (std::size_t j = 0; j < width_; ++j) {
    std::uint8_t count[256] = {}, best = 0;
    for (std::size_t i = 0; i < sampled; ++i) ++count[bin_[i * n_ / sampled * width_ + j]];
    for (int b = 1; b < 256; ++b)
      if (count[b] > count[best]) best = static_cast<std::uint8_t>(b);
    usual_[j] = best;
    others += sampled - count[best];
  }
  if (others * 4 < sampled * width_)
    list_unusual();
  else
    usual_.clear();
}

// In memory that was meant for histograms: most columns have fewer bins than they may have.
void BoostingFit::list_unusual() {
  const std::size_t free = (static_cast<std::size_t>(bins_ + 1) * width_ - slots_) * static_cast<std::size_t>(lanes_ * params_.leaves) * 2;
  slot_start_.assign(n_ + 1, 0);
  for (std::size_t i = 0; i < n_; ++i) {
    const std::uint8_t* bin = bin_.data() + i * width_;
    std::uint32_t others = 0;
    for (std::size_t j = 0; j < width_; ++j) others += bin[j] != usual_[j] ? 1u : 0u;
    slot_start_[i + 1] = slot_start_[i] + others;
  }
  if (slot_start_[n_] + n_ + 1 > free) return usual_.clear();
  slot_.resize(slot_start_[n_]);
  for (std::size_t i = 0; i < n_; ++i) {
    const std::uint8_t* bin = bin_.data() + i * width_;
    std::uint32_t at = slot_start_[i];
    for (std::size_t j = 0; j < width_; ++j)
      if (bin[j] != usual_[j]) slot_[at++] = offset_[j] + bin[j];
  }
}

// Of rows first .. first + n, those of each segment: call(their cells, number of the first, how many).
template <class Call>
void BoostingFit::for_segments(std::size_t first, std::size_t n, Call call) const {
  for (const std::size_t end = first + n; first < end;) {
    const RowRing::Rows::Cells cells = rows_.cells_from(static_cast<int>(first));
    const std::size_t here = std::min(end - first, cells.rows);
    call(cells, first, here);
    first += here;
  }
}

// ---- the loss

void BoostingFit::begin_scores() {
  if (!classes()) {
    forest_.start = {start_of_numbers()};
  } else {
    const std::size_t k = std::max<std::size_t>(outputs_, 2);
    std::vector<double> share(k, 0.5);  // a class without a row in the memory has half a row
    double sum = 0.5 * static_cast<double>(k);
    for (std::size_t i = 0; i < n_; ++i) {
      share[static_cast<std::size_t>(y_[i])] += weight_[i];
      sum += weight_[i];
    }
    for (double& s : share) s = streamboost::log(s / sum);
    if (k == 2) share = {share[1] - share[0]};
    forest_.start = share;
  }
  for (std::size_t i = 0; i < n_; ++i) std::copy_n(forest_.start.data(), outputs_, F_.data() + i * outputs_);
  forest_.first_node = forest_.first_leaf = {0};
  forest_.first_value = {0};
}

double BoostingFit::start_of_numbers() {
  if (params_.loss == Loss::squared) {
    double mean = 0, sum = 0;  // of differences: large targets close together lose nothing
    for (std::size_t i = 0; i < n_; ++i) {
      sum += weight_[i];
      mean += weight_[i] / sum * (y_[i] - mean);
    }
    return mean;
  }
  Leaf all;
  all.end = n_;
  for (std::size_t i = 0; i < n_; ++i) listed_[i] = static_cast<std::uint32_t>(i);
  return median_of(all);
}

// Of all rows and outputs; where there is one output, the words of the tree.
DeferredWork BoostingFit::gradients() {
  std::fill(squares_.begin(), squares_.end(), 0.0);
  if (params_.loss == Loss::huber) delta_ = quantile_of_residuals();
  const std::size_t step = std::max<std::size_t>(1, static_cast<std::size_t>(slice) / (outputs_ * (cost_of_exp + cost_of_row)));
  for (std::size_t first = 0; first < n_; first += step) {
    const std::size_t n = std::min(n_ - first, step);
    const double *F = F_.data() + first * outputs_, *y = y_.data() + first, *weight = weight_.data() + first;
    if (outputs_ > 1) {
      double* g = g_.data() + first * outputs_;
      replay::softmax_gradients(F, outputs_, y, weight, n, g);
      if (draws()) add_squares_by_class(g, outputs_, n, squares_.data());
    } else if (classes()) {
      replay::logistic_gradients(F, y, weight, n, words_.data() + first * 2);
    } else {
      slopes_of_numbers(params_.loss, delta_, F, y, weight, n, words_.data() + first * 2);
    }
    co_yield static_cast<std::int64_t>(n * outputs_) * (cost_of_exp + cost_of_row);
  }
}

// The words that the next tree is grown from: gradients and curvatures of one output, or of a sketch of all of them. Trees of one class each are
// grown as if the others stood still: K / (K - 1) makes up for that.
DeferredWork BoostingFit::pack() {
  draw_sketch();
  const auto lanes = static_cast<std::size_t>(lanes_);
  const double factor = shared() || outputs_ == 1 ? 1.0 : static_cast<double>(outputs_) / static_cast<double>(outputs_ - 1);
  double most_g = 0, most_h = 0;
  constexpr std::size_t step = slice / (4 * cost_of_row);
  for (std::size_t first = 0; first < n_; first += step) {
    const std::size_t n = std::min(n_ - first, step);
    std::int64_t* words = words_.data() + first * lanes;
    if (outputs_ > 1)
      replay::sketch_rows(g_.data() + first * outputs_, outputs_, drawn_.data(), drawn_.size(), weight_.data() + first, factor, n, words);
    replay::find_largest(words, lanes_, n, &most_g, &most_h);
    co_yield static_cast<std::int64_t>(n) * 2 * cost_of_row;
  }
  scale_gradients(most_g, most_h);
  for (std::size_t first = 0; first < n_; first += step) {
    const std::size_t n = std::min(n_ - first, step);
    replay::pack_words(words_.data() + first * lanes, lanes_, 1 / g_unit_, 1 / h_unit_, n);
    co_yield static_cast<std::int64_t>(n) * 2 * cost_of_row;
  }
}

void BoostingFit::scale_gradients(double most_g, double most_h) {
  const int rows = bits_of(n_);
  g_unit_ = most_g > 0 ? std::ldexp(1.0, exponent_above(most_g) - (63 - replay::count_bits - rows)) : 1.0;
  h_unit_ = most_h > 0 ? std::ldexp(1.0, exponent_above(most_h) - (50 - rows)) : 1.0;
}

void BoostingFit::draw_sketch() {
  drawn_.clear();
  if (!shared()) return drawn_.push_back(output_);
  if (!draws()) {
    for (std::size_t k = 0; k < outputs_; ++k) drawn_.push_back(k);
    return;
  }
  std::vector<double> chance = squares_;
  for (std::uint32_t draw = 0; draw < BoostingParams::sketch; ++draw) {
    double sum = 0;
    for (double c : chance) sum += c;
    double rest =
        uniform({params_.seed, static_cast<std::uint64_t>(rows_.end), static_cast<std::uint32_t>(round_), Purpose::sketch, draw}) * sum;
    std::size_t chosen = 0;  // the last with a chance, where rounding has left something
    for (std::size_t k = 0; k < outputs_; ++k) {
      if (!(chance[k] > 0)) continue;
      chosen = k;
      rest -= chance[k];
      if (rest < 0) break;
    }
    drawn_.push_back(chosen);
    chance[chosen] = 0;
  }
}

// ---- the tree

DeferredWork BoostingFit::grow() {
  leaf_[0] = Leaf{};
  leaf_[0].end = n_;
  std::iota(listed_.begin(), listed_.end(), 0u);
  (lanes_ == 2 ? add_up<2> : add_up<4>)(words_.data(), n_, leaf_[0].total);
  co_yield static_cast<std::int64_t>(n_) * cost_of_row;
  const std::size_t first = forest_.node.size();
  const auto most = static_cast<std::size_t>(params_.leaves);
  std::size_t leaves = 1;
  const auto can_split = [](const Leaf& leaf) { return leaf.rows() >= 2 * BoostingParams::least_rows; };
  if (most > 1 && can_split(leaf_[0])) {
    for (DeferredWork part = fill(leaf_[0]); part.next();) co_yield part.slice();
    for (DeferredWork part = search(leaf_[0]); part.next();) co_yield part.slice();
  }
  while (leaves < most) {
    std::size_t at = 0;
    for (std::size_t l = 1; l < leaves; ++l)
      if (leaf_[l].best.gain > leaf_[at].best.gain) at = l;
    Leaf &left = leaf_[at], &right = leaf_[leaves];
    const Split split = left.best;
    if (!(split.gain > 0)) break;
    std::size_t stay = 0;
    for (DeferredWork part = partition(left, stay); part.next();) co_yield part.slice();

    const auto node = static_cast<std::int32_t>(forest_.node.size() - first), leaf = static_cast<std::int32_t>(at);
    if (left.parent >= 0) {
      BoostedForest::Node& parent = forest_.node[first + static_cast<std::size_t>(left.parent)];
      parent.child[parent.child[0] == ~leaf ? 0 : 1] = node;
    }
    forest_.node.push_back({split.column,
                            column_[static_cast<std::size_t>(split.column)].upper(split.bin),
                            {~leaf, ~static_cast<std::int32_t>(leaves)},
                            split.missing_left,
                            static_cast<float>(std::min<double>(split.gain, std::numeric_limits<float>::max())),
                            static_cast<std::int32_t>(left.rows())});
    right = left;
    right.place = leaves++;
    right.begin = left.end = left.begin + stay;
    left.parent = right.parent = node;
    for (int s = 0; s < lanes_; ++s) {
      left.total[s] = split.left[s];
      right.total[s] -= split.left[s];
    }
    left.best = right.best = Split{};
    if (leaves == most || !(can_split(left) || can_split(right))) continue;

    Leaf &small = left.rows() <= right.rows() ? left : right, &large = &small == &left ? right : left;
    if (&small == &left) std::swap(left.place, right.place);  // the parent's histogram becomes the larger child's
    for (DeferredWork part = fill(small); part.next();) co_yield part.slice();
    replay::subtract(histogram(large.place), histogram(small.place), slots_ * static_cast<std::size_t>(lanes_));
    co_yield static_cast<std::int64_t>(slots_);
    for (Leaf* leaf_now : {&left, &right})
      if (can_split(*leaf_now))
        for (DeferredWork part = search(*leaf_now); part.next();) co_yield part.slice();
  }
  if (leaves > 1) {
    forest_.first_node.push_back(static_cast<std::int32_t>(forest_.node.size()));
    forest_.first_leaf.push_back(static_cast<std::int32_t>(forest_.leaf_rows.size() + leaves));
    for (std::size_t l = 0; l < leaves; ++l) forest_.leaf_rows.push_back(static_cast<std::int32_t>(leaf_[l].rows()));
  }
}

// Columns in blocks whose histograms fit into the nearest cache, rows in slices.
DeferredWork BoostingFit::fill(const Leaf& leaf) {
  constexpr std::size_t near_words = 3072;
  const auto lanes = static_cast<std::size_t>(lanes_);
  std::int64_t* into = histogram(leaf.place);
  if (!usual_.empty()) std::fill_n(into, slots_ * lanes, 0);
  const replay::BinnedRows rows{bin_.data(), width_, offset_.data(), words_.data()};
  for (std::size_t first = 0; first < width_;) {
    std::size_t last = first + 1;
    while (last < width_ && (offset_[last] - offset_[first]) * lanes < near_words) ++last;
    const std::size_t end = last < width_ ? offset_[last] : slots_;
    if (usual_.empty()) std::fill(into + offset_[first] * lanes, into + end * lanes, 0);
    const std::size_t step = std::max<std::size_t>(1, static_cast<std::size_t>(slice) / (last - first));
    for (std::size_t at = leaf.begin; at < leaf.end; at += step) {
      const std::size_t n = std::min(step, leaf.end - at);
      if (usual_.empty())
        replay::add_rows(rows, lanes_, listed_.data() + at, n, static_cast<int>(first), static_cast<int>(last), into);
      else if (first == 0)  // all columns, which take less time than it is counted for
        replay::add_slots(slot_.data(), slot_start_.data(), words_.data(), lanes_, listed_.data() + at, n, into);
      co_yield static_cast<std::int64_t>(n * (last - first));
    }
    first = last;
  }
  if (!usual_.empty()) fill_usual(leaf);
}

// What the other bins of a column leave.
void BoostingFit::fill_usual(const Leaf& leaf) {
  const auto lanes = static_cast<std::size_t>(lanes_);
  for (std::size_t j = 0; j < width_; ++j) {
    std::int64_t* cell = histogram(leaf.place) + offset_[j] * lanes;
    std::int64_t* usual = cell + usual_[j] * lanes;
    std::copy_n(leaf.total, lanes, usual);
    for (std::int64_t *bin = cell, *end = cell + static_cast<std::size_t>(column_[j].bins()) * lanes; bin < end; bin += lanes)
      for (std::size_t s = 0; s < lanes && bin != usual; ++s) usual[s] -= bin[s];
  }
}

DeferredWork BoostingFit::search(Leaf& leaf) {
  std::int64_t cost = 0;
  Split best;
  for (std::size_t j = 0; j < width_; ++j) {
    search_column(leaf, static_cast<int>(j), best);
    cost += column_[j].bins() * cost_of_cut;
    if (cost >= slice) {
      co_yield cost;
      cost = 0;
    }
  }
  const double gain = best.gain - half(leaf.total);
  if (best.column >= 0 && gain > 1e-10 * best.gain) {  // less is rounding
    best.gain = gain;
    leaf.best = best;
  }
  co_yield cost;
}

double BoostingFit::half(const std::int64_t* sums) const {
  double squares = 0;
  for (int s = 0; s < lanes_ - 1; ++s) {
    const double G = replay::gradient_of(sums[s]) * g_unit_;
    squares += G * G;
  }
  return squares / (static_cast<double>(sums[lanes_ - 1]) * h_unit_ + BoostingParams::lambda);
}

// best.gain holds S(left) + S(right) while columns are compared.
void BoostingFit::search_column(const Leaf& leaf, int column, Split& best) const {
  const auto lanes = static_cast<std::size_t>(lanes_);
  const std::int64_t* cell = histogram(leaf.place) + offset_[static_cast<std::size_t>(column)] * lanes;
  const std::int64_t none[4] = {};
  const int n = column_[static_cast<std::size_t>(column)].bins() - 1;
  const bool missing = replay::count_of(cell[0]) > 0;
  const double usual = static_cast<double>(leaf.total[lanes - 1]) * h_unit_ / static_cast<double>(leaf.rows());
  const double least = std::max(BoostingParams::least_hessian, BoostingParams::least_rows * usual);
  const replay::CutSearch rules{leaf.total, g_unit_, h_unit_, BoostingParams::lambda, least};
  double to_left[256], to_right[256];  // where missing values go
  double highest = replay::cut_gains(rules, lanes_, cell + lanes, n, none, to_right);
  if (missing) highest = std::max(highest, replay::cut_gains(rules, lanes_, cell + lanes, n, cell, to_left));
  if (!(highest > best.gain)) return;
  best.gain = highest;
  best.column = column;
  for (best.bin = 1;; ++best.bin) {
    best.missing_left = missing && to_left[best.bin - 1] == highest;
    if (best.missing_left || to_right[best.bin - 1] == highest) break;
  }
  std::copy_n(best.missing_left ? cell : none, lanes, best.left);
  for (std::size_t w = lanes; w < static_cast<std::size_t>(best.bin + 1) * lanes; ++w) best.left[w % lanes] += cell[w];
  if (!missing) best.missing_left = 2 * replay::count_of(best.left[0]) >= replay::count_of(leaf.total[0]);
}

DeferredWork BoostingFit::partition(Leaf& leaf, std::size_t& stay) {
  std::uint8_t goes_left[256];
  for (int b = 0; b < 256; ++b) goes_left[b] = b == 0 ? leaf.best.missing_left : b <= leaf.best.bin;
  std::uint32_t* rows = listed_.data() + leaf.begin;
  const std::size_t n = leaf.rows();
  constexpr std::size_t step = slice / cost_of_row;
  for (std::size_t first = 0; first < n; first += step) {
    const std::size_t size = std::min(step, n - first);
    stay += replay::partition_rows(bin_.data() + leaf.best.column, width_, goes_left, rows + first, size, rows + stay,
                                   aside_.data() + (first - stay));
    co_yield static_cast<std::int64_t>(size) * cost_of_row;
  }
  std::copy_n(aside_.data(), n - stay, rows + stay);
}

// ---- the leaves

DeferredWork BoostingFit::set_values() {
  const std::size_t tree = forest_.first_leaf.size() - 2, kept = shared() ? outputs_ : 1;
  const auto leaves = static_cast<std::size_t>(forest_.first_leaf[tree + 1] - forest_.first_leaf[tree]);
  const std::size_t first = forest_.value.size();
  forest_.value.resize(first + leaves * kept);
  forest_.output.push_back(shared() ? -1 : static_cast<std::int32_t>(output_));
  forest_.first_value.push_back(static_cast<std::int64_t>(forest_.value.size()));
  for (std::size_t l = 0; l < leaves; ++l) {
    double* value = forest_.value.data() + first + l * kept;
    leaf_value(leaf_[l], value);
    const std::uint32_t* rows = listed_.data() + leaf_[l].begin;
    if (kept == outputs_)
      replay::add_values(value, kept, rows, leaf_[l].rows(), F_.data());
    else
      for (std::size_t i = 0; i < leaf_[l].rows(); ++i) F_[rows[i] * outputs_ + output_] += value[0];
    co_yield static_cast<std::int64_t>(leaf_[l].rows() * kept) * 2 * cost_of_row;
  }
}

void BoostingFit::leaf_value(const Leaf& leaf, double* value) {
  const double rate = params_.rate;
  if (params_.loss == Loss::absolute || params_.loss == Loss::huber) {
    double middle = median_of(leaf);
    if (params_.loss == Loss::huber) {
      double rest = 0, sum = 0;
      for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
        const std::size_t row = listed_[i];
        rest += weight_[row] * std::clamp(y_[row] - F_[row] - middle, -delta_, delta_);
        sum += weight_[row];
      }
      middle += rest / sum;
    }
    value[0] = rate * middle;
  } else if (!shared()) {
    const double G = replay::gradient_of(leaf.total[0]) * g_unit_, H = static_cast<double>(leaf.total[1]) * h_unit_;
    value[0] = -rate * G / (H + BoostingParams::lambda);
  } else {
    double *G = sums_.data(), *H = G + outputs_;
    replay::leaf_sums(g_.data(), outputs_, weight_.data(), listed_.data() + leaf.begin, leaf.rows(), G, H);
    for (std::size_t k = 0; k < outputs_; ++k) value[k] = -rate * G[k] / (H[k] + BoostingParams::lambda);
  }
}

// The lowest residual with half of the weight at or below it.
double BoostingFit::median_of(const Leaf& leaf) {
  residual_.clear();
  double sum = 0;
  for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
    const std::size_t row = listed_[i];
    residual_.push_back({y_[row] - F_[row], weight_[row]});
    sum += weight_[row];
  }
  std::sort(residual_.begin(), residual_.end());
  double below = 0;
  for (const auto& [r, w] : residual_)
    if ((below += w) >= 0.5 * sum) return r;
  return residual_.back().first;
}

double BoostingFit::quantile_of_residuals() {
  residual_.clear();
  for (std::size_t i = 0; i < n_; ++i) residual_.push_back({std::fabs(y_[i] - F_[i]), 0.0});
  const auto at = residual_.begin() + static_cast<std::ptrdiff_t>(n_ * 9 / 10);
  std::nth_element(residual_.begin(), at, residual_.end());
  return at->first;
}

}  // namespace streamboost
