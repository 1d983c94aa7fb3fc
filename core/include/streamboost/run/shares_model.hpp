// Past shares of values and of their crosses, or of words, as a model: what naive Bayes would say of them, with weights that are learned.
//
//   n, n_c     weight of the learned rows that had a value (or a cross of two), and of those of class c among them;  N, N_c: of all
//   m_c        (N_c + 1/k) / (N + 1), of k classes
//   q_c        (n_c + prior m_c) / (n + prior);  prior: 10 of a value, 5 of a cross
//   opinions   L_1c = ln m_c;   L_2c = sum of ln(q_c / m_c) over the v values of a row;   L_3c = 2 / (v - 1) times the sum over its crosses
//   words      L_3c is the sum over all other tokens of a row (view `words`) in place of crosses, with the prior of values: their different
//              places, whatever they count
//   answer     P_c ~ exp(sum_i beta_i L_ic), with the weights beta of ensembles/log_pool.hpp
//
// A linear learner shares the blame for a row out among its values; here each value and cross says by itself what it has seen, which a
// few rows are enough for: so the two err differently, and are worth most together (docs/results/studies.md).
// Choices   Whatever L_2 and L_3 say of a class, it is at most 30 below the best. The first class is what the others leave of n. Counts stand in
//           a table of one size: n and n_1 of place p side by side, those of further classes with n_1 of other places.
// Cost      linear in values and crosses (at most 64), times the classes.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "streamboost/data/config.hpp"
#include "streamboost/ensembles/log_pool.hpp"
#include "streamboost/run/row_model.hpp"
#include "streamboost/words/tokens.hpp"

namespace streamboost {

struct SharesWork : RowWork {
  words::Values values;
  words::Tokens tokens;
  std::vector<std::size_t> place;  // of the values, then of the crosses
  std::size_t n_values = 0;
  std::vector<double> ratio, left, log_p, P, matrix;
  int k = 0;  // classes that log_p and P are about; 0: of no row
  template <class Owner>
  explicit SharesWork(const Owner& model)
      : RowWork(model.intake().schema()), log_p(3 * score.size()), P(score.size()), matrix(std::size_t{3} * (3 + 2)) {}
};

class SharesModel final : public RowModel<SharesModel, SharesWork> {
 public:
  struct Params {
    int bits;
    double window;       // rows that the weights remember
    double information;  // as in log_pool.hpp
    bool words;          // words count, not crosses
    static Params read(const Config& c) { return {words::read_bits(c), c.number("window"), c.number("information"), c.flag("words")}; }
  };

  SharesModel(const Params& params, const Ensemble& ensemble)
      : RowModel(ensemble, false, false),
        bits_(params.bits),
        words_(params.words),
        cells_(std::size_t{2} << bits_),
        pool_(pool_params(params), 3) {}

  std::unique_ptr<Growth> prepare(const Schema& schema) override {
    auto growth = std::make_unique<Grown>(*this);
    growth->intake.reserve(schema);
    const Schema& now = growth->intake.schema();
    if (reserved_ && now == intake_.schema()) return nullptr;
    growth->totals = totals_;
    growth->totals.resize(std::max(static_cast<std::size_t>(now.n_classes), totals_.size()));
    growth->only_numbers = words::only_numbers(now);
    return growth;
  }
  void join(const Intake& others) noexcept override { intake_.count_like(others); }
  std::size_t memory_bytes() override {
    return sizeof(*this) + intake_.unsaved_bytes() + (cells_.size() + totals_.size() + 15) * sizeof(double);
  }

 protected:
  std::unique_ptr<Model> copy() const override { return std::unique_ptr<Model>(new SharesModel(*this)); }
  void take(Model& other) override {
    auto& them = static_cast<SharesModel&>(other);
    intake_ = std::move(them.intake_);
    cells_ = std::move(them.cells_);
    totals_ = std::move(them.totals_);
    pool_ = std::move(them.pool_);
    reserved_ = them.reserved_;
    only_numbers_ = them.only_numbers_;
  }

 private:
  friend RowModel;
  SharesModel(const SharesModel&) = default;

  struct Grown final : RowGrowth {
    AlignedVector<double> totals;
    bool only_numbers = false;
    using RowGrowth::RowGrowth;
    void exchange() noexcept override {
      RowGrowth::exchange();
      std::swap(model.totals_, totals);
      std::swap(model.only_numbers_, only_numbers);
    }
    std::size_t bytes() override { return model.memory_bytes() + totals.size() * sizeof(double); }
  };

  static LogPool::Params pool_params(const Params& params) {
    const double fading = 1 - 1 / params.window;
    return {.fading = fading,
            .referee_fading = fading,
            .prior = 10,
            .refill = 1,
            .least = -4,
            .most = 4,
            .caution = 0,
            .information = params.information,
            .referee = false,
            .by_loss = false,
            .temperature = false,
            .first_alone = false,
            .total = 0};
  }

  void make_room(const RowBlock& rows, const double* /*weight*/, SharesWork& work) {
    work.k = 0;
    std::size_t most = words::Values::most_crosses;
    if (words_)
      for (int r = 0; r < rows.n_rows; ++r) most = std::max(most, work.tokens.make_room(rows.row(r), rows.n_words));
    most += work.values.make_room(rows.n_columns);
    work.place.reserve(most);
    work.ratio.reserve(most);
    work.left.reserve(most);
  }

  std::size_t n_cell(std::size_t place) const { return 2 * place; }
  std::size_t class_cell(std::size_t place, std::size_t c) const {
    return 2 * ((place + (c - 1) * 0x9e3779b1u) & (cells_.size() / 2 - 1)) + 1;
  }

  void read(const Row& row, SharesWork& work) const {
    work.place.clear();
    work.values.read(row, intake_.schema());
    for (const words::Hash& hash : work.values.found) work.place.push_back(hash.place(bits_));
    if (words_)
      read_words(row, work);
    else {
      work.n_values = work.place.size();
      work.values.cross([&](words::Hash hash) { work.place.push_back(hash.place(bits_)); });
    }
  }
  // Those of the tokens whose places no value has.
  void read_words(const Row& row, SharesWork& work) const {
    std::sort(work.place.begin(), work.place.end());
    work.place.erase(std::unique(work.place.begin(), work.place.end()), work.place.end());
    work.n_values = work.place.size();
    work.tokens.read(row, intake_.schema(), only_numbers_, words::View::words, bits_);
    const auto end = [&] { return work.place.begin() + static_cast<std::ptrdiff_t>(work.n_values); };
    for (std::size_t i = 0; i < work.tokens.place.size(); ++i) {
      const auto place = static_cast<std::size_t>(work.tokens.place[i]);
      if (work.tokens.value[i] != 0 && !std::binary_search(work.place.begin(), end(), place)) work.place.push_back(place);
    }
  }

  // What there is to say with k classes about the row that was read.
  void consider(int classes, SharesWork& work) const {
    const auto k = static_cast<std::size_t>(classes);
    const std::size_t n = work.place.size(), v = work.n_values;
    work.k = classes;
    work.ratio.resize(n);
    work.left.resize(n);
    for (std::size_t i = 0; i < n; ++i) work.left[i] = cells_[n_cell(work.place[i])];
    double all = 0;
    for (std::size_t c = 0; c < k; ++c) all += totals_[c];
    for (std::size_t c = k; c-- > 0;) {  // the first class comes last
      const double m = (totals_[c] + 1 / static_cast<double>(k)) / (all + 1);
      for (std::size_t i = 0; i < n; ++i) {
        const double prior = i < v || words_ ? prior_of_value : prior_of_cross;
        const double of_class = c > 0 ? cells_[class_cell(work.place[i], c)] : std::max(work.left[i], 0.0);
        work.left[i] -= of_class;
        work.ratio[i] = (of_class / m + prior) / (cells_[n_cell(work.place[i])] + prior);
      }
      log_lanes(work.ratio.data(), work.ratio.data(), n);
      double of_values = 0, of_others = 0;
      for (std::size_t i = 0; i < v; ++i) of_values += work.ratio[i];
      for (std::size_t i = v; i < n; ++i) of_others += work.ratio[i];
      work.log_p[c] = streamboost::log(m);
      work.log_p[k + c] = of_values;
      work.log_p[2 * k + c] = words_ ? of_others : v > 1 ? of_others * (2 / static_cast<double>(v - 1)) : 0.0;
    }
    for (std::size_t opinion = 1; opinion < 3; ++opinion) {
      double* L = work.log_p.data() + opinion * k;
      const double highest = *std::max_element(L, L + k);
      for (std::size_t c = 0; c < k; ++c) L[c] = std::max(L[c] - highest, -deepest);
    }
    pool_.answer(work.log_p.data(), classes, work.P.data());
  }

  void judge(const Example& example, SharesWork& work) const {
    read(example.row, work);
    consider(example.n_classes, work);
    for (int c = 0; c < example.n_classes; ++c)
      work.score[static_cast<std::size_t>(c)] = work.proba[static_cast<std::size_t>(c)] = work.P[static_cast<std::size_t>(c)];
  }

  void learn_row(const Example& example, double truth, double weight, SharesWork& work) {
    const int k = example.n_classes_after, before = std::exchange(work.k, 0);
    if (before == 0) read(example.row, work);
    const auto label = static_cast<std::size_t>(truth);
    if (k >= 2) {
      if (before != k) consider(k, work);
      const double fading = pool_.gain(work.P.data(), k, 1).fading;
      pool_.learn(work.log_p.data(), work.P.data(), k, static_cast<int>(label), weight, fading, work.matrix.data());
      work.k = 0;
    }
    totals_[label] += weight;
    for (const std::size_t place : work.place) {
      cells_[n_cell(place)] += weight;
      if (label > 0) cells_[class_cell(place, label)] += weight;
    }
  }

  // Only what is not 0 is written.
  void own_fields(FieldVisitor& v) {
    v.prefix = "shares/";
    v("totals", totals_);
    pool_.fields(v);
    std::vector<std::int64_t> cell;
    std::vector<double> counts;
    if (!v.loads())
      for (std::size_t i = 0; i < cells_.size(); ++i) {
        if (cells_[i] == 0) continue;
        cell.push_back(static_cast<std::int64_t>(i));
        counts.push_back(cells_[i]);
      }
    v.growing("cell", cell);
    v.growing("counts", counts);
    if (!v.loads()) return;
    require(cell.size() == counts.size(), "counts of values");
    std::fill(cells_.begin(), cells_.end(), 0.0);
    for (std::size_t i = 0; i < cell.size(); ++i) {
      require(cell[i] >= 0 && cell[i] < static_cast<std::int64_t>(cells_.size()), "place of a value");
      cells_[static_cast<std::size_t>(cell[i])] = counts[i];
    }
  }
  void check() const {
    pool_.check();
    for (const double n : totals_) require(std::isfinite(n) && n >= 0, "counts of classes");
    for (const double n : cells_) require(std::isfinite(n) && n >= 0, "counts of values");
  }

  static constexpr double prior_of_value = 10, prior_of_cross = 5, deepest = 30;
  int bits_;
  bool words_;
  bool only_numbers_ = false;          // in all columns
  AlignedVector<double> cells_;        // n and n_1 of each place
  AlignedVector<double> totals_{0.0};  // of each class
  LogPool pool_;
};

}  // namespace streamboost
