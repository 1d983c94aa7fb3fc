// Why a row was answered as it was: contributions of the columns that add up to the score.
//
// Paper     Strumbelj, Kononenko: Explaining prediction models and individual predictions with feature contributions (2014): Shapley values.
//
// Closed form  where the score is a weighted sum of the lanes' answers and the learners can say what their answers are made of
//              (learners/explained.hpp). Where they cannot, Shapley values of a game are taken:
// The game     the score of the row in which only some columns are there and all others are missing. The base is the score of a row with
//              nothing, and score = base + sum_j c_j, because the columns come in one after the other and each gets what it changes.
// Sampled      the mean over some orders: a drawn one, then the same one backwards, then the next. Keyed by the seed, the number of the
//              order and the column (purpose 12), so that the same row is explained alike whenever it is asked about.
// Exact        trees: by their nodes (learners/tree_shap.hpp). Else all subsets, weighed as Shapley does; for few columns.
//
// In the game a model is asked through `predict` alone, so this serves every ensemble and every learner, whatever it does with a missing value: naive
// Bayes and linear learners leave the column out, a tree goes on with its usual branch. Columns of a sparse row that are not there are 0
// and stay so: only cells that a row has are explained. What is missing anyway contributes 0. Of a regressor the answer is explained.
// Cost         d + 1 rows per order, 2^d rows exactly, d the number of cells.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "streamboost/math/rng.hpp"
#include "streamboost/run/model.hpp"
#include "streamboost/stages/calibrator.hpp"

namespace streamboost {

class Explainer {
 public:
  static constexpr std::size_t most_exact = 12;

  enum class Way { closed, exact, sampled };

  // orders: how many; 0: exactly; -n: the closed form, or n orders where there is none. number: of the first order's key.
  Explainer(const Model& model, std::uint64_t seed, int orders, std::uint64_t number = 0)
      : model_(model), seed_(seed), orders_(orders), number_(number) {}

  // label: the class, -1 for code 1 against code 0 with two classes and the best class with more. contributions: [width, then lag], of one row.
  // Gives the base, the score, and the class it spoke of; `way` is how.
  Way way = Way::sampled;
  ExplainedScore explain(const Row& row, int label, double* contributions) {
    const Schema& schema = model_.intake().schema();
    const auto width = static_cast<std::size_t>(schema.width());
    k_ = static_cast<std::size_t>(schema.n_classes);
    // A chunk may bring classes that the model has not met at this row: what it says of them is no part of the answer yet.
    known_ = std::max<std::size_t>(static_cast<std::size_t>(model_.intake().n_classes_known()), std::min<std::size_t>(k_, 2));
    row_ = row;
    size_ = static_cast<std::size_t>(row.size);
    cells_.clear();
    rank_.assign(size_, no_words);
    n_words_ = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const bool words = row.words != nullptr && holds_words(schema.n_values[static_cast<std::size_t>(row.column(static_cast<int>(i)))]);
      if (words) rank_[i] = n_words_++;
      if (words ? row.words[rank_[i]].data() != nullptr : row.value[i] == row.value[i]) cells_.push_back(i);
    }
    lags_ = model_.lags();
    for (std::size_t k = 0; k < lags_.size(); ++k)
      if (lags_[k] == lags_[k]) cells_.push_back(size_ + k);
    std::fill_n(contributions, width + lags_.size(), 0.0);
    way = orders_ < 0 ? Way::closed : orders_ == 0 ? Way::exact : Way::sampled;
    if (way != Way::sampled) {
      RowBlock block;
      block.n_rows = 1;
      block.n_columns = schema.width();
      block.values = row.value;
      block.words = row.words;
      block.n_words = static_cast<int>(n_words_);
      const std::int64_t starts[] = {0, row.size};
      if (!row.dense()) {
        block.row_start = starts;
        block.columns = row.index;
      }
      if (const auto explained = model_.explain(block, label, orders_ == 0, contributions)) return *explained;
      std::fill_n(contributions, width + lags_.size(), 0.0);
      if (way == Way::closed) way = Way::sampled;
    }
    if (label < 0 && known_ > 2) label = best_class();
    return orders_ == 0 ? exactly(label, contributions) : in_orders(label, contributions);
  }

 private:
  double score(std::size_t r, int label) const {
    const double* s = scores_.data() + r * k_;
    if (k_ == 1) return s[0];
    if (known_ == 2) return label == 0 ? s[0] - s[1] : s[1] - s[0];
    return s[label];
  }
  // n rows to be asked about, all without a single cell.
  void open(std::size_t n) {
    n_ = n;
    values_.assign(n * size_, std::numeric_limits<double>::quiet_NaN());
    words_.assign(n * n_words_, {});
    past_.assign(n * lags_.size(), std::numeric_limits<double>::quiet_NaN());
  }
  void put(std::size_t r, std::size_t cell) {
    if (cell >= size_) {
      past_[r * lags_.size() + cell - size_] = lags_[cell - size_];
      return;
    }
    values_[r * size_ + cell] = row_.value[cell];
    if (rank_[cell] != no_words) words_[r * n_words_ + rank_[cell]] = row_.words[rank_[cell]];
  }
  // The scores of all of them. A sparse row stays sparse: absent and missing are two things.
  void ask() {
    scores_.resize(n_ * k_);
    RowBlock block;
    block.n_rows = static_cast<int>(n_);
    block.n_columns = model_.intake().schema().width();
    block.values = values_.data();
    if (n_words_ > 0) block.words = words_.data();
    block.n_words = static_cast<int>(n_words_);
    block.lags = lags_.empty() ? nullptr : past_.data();
    block.n_lags = static_cast<int>(lags_.size());
    if (!row_.dense()) {
      starts_.resize(n_ + 1);
      columns_.resize(std::max<std::size_t>(n_ * size_, 1));
      for (std::size_t r = 0; r <= n_; ++r) starts_[r] = static_cast<std::int64_t>(r * size_);
      for (std::size_t i = 0; i < n_ * size_; ++i) columns_[i] = row_.index[i % size_];
      block.row_start = starts_.data();
      block.columns = columns_.data();
    }
    model_.predict(block, {model_.answers_numbers() ? Output::number : Output::score, nullptr, scores_.data()});
  }
  int best_class() {
    open(1);
    for (std::size_t cell : cells_) put(0, cell);
    ask();
    return static_cast<int>(std::max_element(scores_.data(), scores_.data() + known_) - scores_.data());
  }
  // The column of a cell; lags are counted after the columns.
  std::size_t column(std::size_t cell) const {
    if (cell < size_) return static_cast<std::size_t>(row_.column(static_cast<int>(cell)));
    return static_cast<std::size_t>(model_.intake().schema().width()) + cell - size_;
  }

  ExplainedScore in_orders(int label, double* contributions) {
    const std::size_t d = cells_.size();
    std::vector<std::size_t> order(d);
    std::vector<double> key(d), reached(d + 1);  // scores with the first so many columns of an order
    ExplainedScore explained{0, 0, label};
    const int orders = std::abs(orders_);
    for (int o = 0; o < orders; ++o) {
      std::iota(order.begin(), order.end(), std::size_t{0});
      for (std::size_t i = 0; i < d; ++i)
        key[i] = uniform(
            {seed_, number_ + static_cast<std::uint64_t>(o / 2), static_cast<std::uint32_t>(column(cells_[i])), Purpose::explanation});
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key[a] < key[b] || (key[a] == key[b] && a < b); });
      if (o % 2 == 1) std::reverse(order.begin(), order.end());
      for (std::size_t begin = 0; begin <= d; begin += n_) {
        open(std::min(d + 1 - begin, std::max<std::size_t>(most_cells / std::max<std::size_t>(size_, 1), 1)));
        for (std::size_t r = 0; r < n_; ++r)
          for (std::size_t i = 0; i < begin + r; ++i) put(r, cells_[order[i]]);
        ask();
        for (std::size_t r = 0; r < n_; ++r) reached[begin + r] = score(r, label);
      }
      for (std::size_t i = 0; i < d; ++i) contributions[column(cells_[order[i]])] += (reached[i + 1] - reached[i]) / orders;
      explained.base = reached[0];
      explained.score = reached[d];
    }
    return explained;
  }

  ExplainedScore exactly(int label, double* contributions) {
    const std::size_t d = cells_.size();
    if (d > most_exact)
      throw std::invalid_argument("exact=True is for trees, and else for rows of at most 12 columns, these have " + std::to_string(d) +
                                  ": use n_orders.");
    const std::size_t n = std::size_t{1} << d;
    open(n);
    for (std::size_t s = 0; s < n; ++s)
      for (std::size_t i = 0; i < d; ++i)
        if (s >> i & 1) put(s, cells_[i]);
    ask();
    // |S|! (d - |S| - 1)! / d!
    std::vector<double> share(d, 1.0 / static_cast<double>(std::max<std::size_t>(d, 1)));
    for (std::size_t size = 1; size < d; ++size) share[size] = share[size - 1] * static_cast<double>(size) / static_cast<double>(d - size);
    for (std::size_t s = 0; s < n; ++s) {
      const auto size = static_cast<std::size_t>(std::popcount(s));
      for (std::size_t i = 0; i < d; ++i)
        if (!(s >> i & 1)) contributions[column(cells_[i])] += share[size] * (score(s | std::size_t{1} << i, label) - score(s, label));
    }
    return {score(0, label), score(n - 1, label), label};
  }

  const Model& model_;
  std::uint64_t seed_;
  int orders_;
  std::uint64_t number_;
  Row row_;
  std::size_t k_ = 0, known_ = 0, size_ = 0, n_ = 0;
  static constexpr std::size_t most_cells = std::size_t{1} << 18;  // of rows asked about at once: an order has d + 1 of them
  static constexpr std::size_t no_words = static_cast<std::size_t>(-1);
  std::size_t n_words_ = 0;
  std::vector<std::size_t> cells_;       // places in the row that are not missing, and after them of lags that are there
  std::vector<std::size_t> rank_;        // of each place: which of the columns of words it is, or no_words
  std::vector<std::string_view> words_;  // [row][column of words]
  std::vector<double> values_, scores_;  // [row][place]; [row][class]
  std::vector<double> lags_, past_;      // of the model; [row][lag]
  std::vector<std::int64_t> starts_;     // of sparse rows
  std::vector<std::int32_t> columns_;
};

// The mean size of the contributions of each column over every 16th learned row, in closed form or by one order each, fading: what the model looks at lately.
class Importances {
 public:
  static constexpr std::int64_t every = 16;
  explicit Importances(double keep) : keep_(keep) {}
  static std::optional<Importances> read(const Config& config) {
    if (!config.has("importances_half_life")) return std::nullopt;
    return Importances(keep_of(config.number("importances_half_life") / static_cast<double>(every)));
  }
  void reserve(int width) { sums_.resize(static_cast<std::size_t>(width)); }
  // Every so many examples the row at hand is explained before it is learned; how many of the n rows may follow it at once. speaks: whether
  // the model has an answer already.
  int look_at(const Model& model, const Row& row, double weight, int n, std::uint64_t seed, bool speaks) {
    const std::int64_t number = model.intake().n_learned(), done = number % every;
    if (done == 0 && weight > 0 && speaks) learn(model, row, seed, number);
    return std::min(n, done == 0 ? 1 : static_cast<int>(every - done));
  }
  void write_report(ModelReport& report) const {
    auto& out = report.lanes["importances/columns"];
    for (double x : sums_) out.push_back(weight_[0] > 0 ? x / weight_[0] : 0);
  }
  void fields(FieldVisitor& v) {
    v("sums", sums_);
    v("weight", weight_);
  }
  void check() const {
    for (double x : sums_) require(x >= 0, "importances");
    require(weight_[0] >= 0, "importances");
  }

 private:
  void learn(const Model& model, const Row& row, std::uint64_t seed, std::int64_t number) {
    room_.resize(sums_.size() + model.lags().size());
    Explainer(model, seed, -1, static_cast<std::uint64_t>(number)).explain(row, -1, room_.data());
    weight_[0] = keep_ * weight_[0] + 1;
    for (std::size_t j = 0; j < sums_.size(); ++j) sums_[j] = keep_ * sums_[j] + std::fabs(room_[j]);
  }

  double keep_;
  AlignedVector<double> sums_, weight_ = AlignedVector<double>(1);
  std::vector<double> room_;
};

}  // namespace streamboost
