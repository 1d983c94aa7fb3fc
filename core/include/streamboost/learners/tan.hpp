// Bayesian network classifiers over nominal attributes: TAN (a tree of attributes) and BAN (up to two attribute parents each).
//
// Papers    Friedman, Geiger, Goldszmidt: Bayesian network classifiers (1997); Sahami: Learning limited dependence Bayesian
//           classifiers (1996).
//
//   symbol            here                     meaning
//   N_c               class_weight[c]          weight of class c
//   N_{c,i,v}         single[i,v][c]           ... with value v of attribute i
//   N_{c,i,v,j,w}     pair[i<j][v,w][c]        ... and value w of attribute j; triple[i<j<k] likewise, for two parents only
//   pa(i)             parent[i][0..1]          attribute parents, -1: none
//   N0                smoothing                weight of the marginal P(x) in every estimate; 0: raw frequencies
//
//   I(i;j|C) = sum P(i,j,c) log P(i,j|c) / (P(i|c) P(j|c))
//   TAN   maximum spanning tree of these weights, grown from attribute 0 (Prim); edges point away from it
//   BAN   k-dependence: the same tree, and each attribute takes, of those that entered the tree before it, one more parent: the
//         one with the next largest I(i;j|C) > 0. One parent is TAN, none is naive Bayes
//   answer  the class with the largest  N_c prod_i theta(x_i | parents, c),
//           theta = (N_{x,pa,c} + N0 P(x)) / (N_{pa,c} + N0);   N0 = 0: a zero becomes 1e-30, parents never met in class c are
//           dropped one by one, the last first; an attribute of which class c has no data counts as 1
//   A missing value, or one this learner never met, is left out as a child and dropped as a parent.
//   Ties (to 1e-10): the edge (i, j) that comes first, the lower attribute.
//
// Structure is relearned inside learn: whenever the number of examples that a lane has learned is a power of two or a multiple of
// `relearn`; with relearn = 0 after each of them, so that it is a function of the counts alone: the learner is then exactly lossless,
// and with smoothing = 0 proportional. Parameters are always read from the counts and never stale.
//
// Departures  Rows without one of the attributes of a table are not in it; weights are shares of all examples. Parents whose
//             information is 0 are not taken as second parents. Sahami orders attributes by I(i;C), which says little where the
//             signal is in the dependences; we take the order in which the tree grows. Sun's "BAN" trained by back-propagation
//             is not a Bayesian network and not here.
// Cost        learn O(A^2) (two parents: O(A^3)), ask O(A C), relearn O(sum of pair cells) logs. Memory: sum_{i<j} k_i k_j C per lane.
#pragma once
#include <algorithm>
#include <cmath>

#include "streamboost/data/config.hpp"
#include "streamboost/learners/bank.hpp"
#include "streamboost/learners/class_rows.hpp"
#include "streamboost/learners/tan_layout.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

// What all lanes share about one row, and room for one lane's products.
struct TanNotes final : BankNotes {
  std::vector<std::int32_t> column, row;               // present attributes; table rows that the row of values belongs to
  std::vector<std::int32_t> single, pair;              // of `plan`
  std::vector<double> product, shares, cell, weights;  // [class]; [class][own, all]; cells of one pair; information of each pair
  std::vector<std::size_t> nearest;
  std::vector<char> in;
};

class TanBank final : public Bank, public LearnsThenAnswers, public GrowsInPlace {
 public:
  struct Params {
    std::size_t n_parents;  // 0: naive Bayes, 1: TAN, 2: BAN
    double smoothing;
    std::int64_t relearn;  // 0: after every example
    static Params read(const Config& c) { return {c.whole<std::size_t>("n_parents"), c.number("smoothing"), c.whole("relearn")}; }
  };

  TanBank(Params params, Lanes lanes)
      : params_(params), lanes_(lanes), n_(static_cast<std::size_t>(lanes.size())), stride_(padded(n_)), learned_(1, n_) {}

  Lanes lanes() const override { return lanes_; }
  IntakeNeeds needs() const override { return {}; }
  Abilities abilities() override { return abilities_of(*this); }
  NoteRoom make_notes() const override {
    auto notes = std::make_unique<Notes>();
    const std::size_t a = layout_.values.size();
    std::size_t largest = 0;  // cells of a pair
    for (std::size_t x = 0; x < a; ++x)
      for (std::size_t y = x + 1; y < a; ++y)
        largest = std::max(largest, layout_.values[x] * layout_.values[y] + layout_.values[x] + layout_.values[y] + 1);
    notes->column.reserve(a);
    notes->row.reserve(a + layout_.pair.size() + layout_.triple.size());
    notes->single.reserve(a);
    notes->pair.reserve(a * a);
    notes->product.reserve(classes_);
    notes->shares.reserve(2 * classes_);
    notes->cell.reserve(largest * classes_);
    notes->weights.reserve(layout_.pair.size());
    notes->nearest.reserve(a);
    notes->in.reserve(a);
    return {classes_, std::move(notes)};
  }
  std::unique_ptr<Bank> copy() const override { return std::make_unique<TanBank>(*this); }
  double least_numbers(const Schema& schema) const override {
    double sums[4] = {1, 0, 0, 0};  // sums over single values, pairs and triples of them
    const int most = params_.n_parents > 1 ? 3 : 2;
    for (auto values : schema.n_values)
      for (int order = most; order > 0; --order) sums[order] += sums[order - 1] * static_cast<double>(std::max<std::int64_t>(values, 0));
    return (1 + sums[1] + sums[2] + sums[3]) * std::max(schema.n_classes, 1) + 2 * static_cast<double>(schema.n_values.size()) + 1;
  }
  bool trained(int lane) const override { return learned_[0][lane] > 0; }

  void reserve(const Schema& schema) override {
    Journal unread;
    grow(schema, unread);
  }
  void grow(const Schema& schema, Journal& journal) override {
    for (std::size_t j = 0; j < schema.n_values.size(); ++j)
      if (schema.n_values[j] < 0)
        throw std::invalid_argument("TAN and BAN count nominal columns only, but column " + std::to_string(j) +
                                    " is numeric; name it in categorical_features, cut it into bins, or use NaiveBayes or DecisionStump");
    const std::size_t k = class_room(schema, classes_);
    TanLayout now(schema, params_.n_parents > 1);
    if (static_cast<double>(now.rows) * static_cast<double>(k * stride_) > 4294967296.0)
      throw std::invalid_argument(
          "TAN and BAN would need more than 32 GiB for the counts of these columns; use fewer parents or NaiveBayes");
    const ClassRows classes{classes_, k, n_};
    std::vector<std::size_t> places;
    if (classes_ > 0 && now.rows != layout_.rows) {
      places.resize(layout_.rows);
      layout_.each([&](std::size_t from, const TanCell& cell) { places[from] = now.row(cell); });
    }
    classes.grow(class_weight_, 1, journal);
    classes.grow(count_, now.rows, journal, places);
    if (classes_ == 0) parent_ = LaneArray<double>(0, n_);
    journal.grow(parent_, 2 * now.values.size(), {}, -1.0);
    journal.assign(layout_, std::move(now));
    journal.assign(classes_, k);
    journal.assign(used_, classes_of(schema));
  }

  void ask(const Example& example, Request want, Answers& answers) const override {
    answers.change = Change::taught;
    list(example.row, answers.own<Notes>());
    plan(example.row, answers.own<Notes>());
    const auto k = static_cast<std::size_t>(example.n_classes);
    for (std::size_t i = 0; i < n_; ++i) answer(i, example.row, k, want, answers);
  }

  void learn(const Example&, Labels labels, const double* amount, Amount, Answers& answers) override {
    if (labels.per_lane == nullptr) {
      const auto c = static_cast<std::size_t>(labels.common);
      add_lanes(class_weight_[c], amount, stride_);
      for (std::int32_t r : answers.own<Notes>().row) add_lanes(count_[static_cast<std::size_t>(r) * classes_ + c], amount, stride_);
    }
    for (std::size_t i = 0; i < n_; ++i) {
      if (!(amount[i] > 0)) continue;
      if (labels.per_lane != nullptr) add(i, static_cast<std::size_t>(labels.per_lane[i]), amount[i], answers.own<Notes>());
      relearn_when_due(i, answers.own<Notes>());
    }
  }

  Answer learn_then_answer(int lane, const Example& example, double amount, Amount, Request want, Answers& answers) override {
    const auto i = static_cast<std::size_t>(lane);
    add(i, static_cast<std::size_t>(example.label), amount, answers.own<Notes>());
    relearn_when_due(i, answers.own<Notes>());
    const std::int32_t vote = answers.vote[i];  // what the lane said before stays readable
    const double margin = answers.margin[i];
    answer(i, example.row, static_cast<std::size_t>(example.n_classes_after), want == Request::distributions ? Request::votes : want,
           answers);
    const Answer after{answers.vote[i], answers.margin[i]};
    answers.vote[i] = vote;
    answers.margin[i] = margin;
    return after;
  }

  void check() const override {
    for (const auto* table : {&class_weight_, &count_, &learned_})
      for (std::size_t r = 0; r < table->rows(); ++r)
        for (std::size_t i = 0; i < n_; ++i) require((*table)[r][i] >= 0, "negative count");
    const auto columns = static_cast<double>(layout_.values.size());
    for (std::size_t r = 0; r < parent_.rows(); ++r)
      for (std::size_t i = 0; i < n_; ++i) {
        const double parent = parent_[r][i];
        require(parent >= -1 && parent < columns && parent == std::floor(parent), "parent");
        require(parent != static_cast<double>(r / 2), "an attribute that is its own parent");
      }
    for (std::size_t j = 0; j < layout_.values.size(); ++j)
      for (std::size_t i = 0; i < n_; ++i) {
        const double first = parent_[2 * j][i], second = parent_[2 * j + 1][i];
        require(second < 0 || (first >= 0 && second != first && params_.n_parents > 1), "second parent");
      }
  }

 protected:
  void begin(int lane) override {
    const auto i = static_cast<std::size_t>(lane);
    for (auto* table : {&class_weight_, &count_, &learned_}) table->fill_lane(i, 0);
    parent_.fill_lane(i, -1);
  }
  void exchange(int lane, Bank& other) override {
    auto& them = static_cast<TanBank&>(other);
    const auto i = static_cast<std::size_t>(lane);
    class_weight_.swap_lane(i, them.class_weight_);
    count_.swap_lane(i, them.count_);
    parent_.swap_lane(i, them.parent_);
    learned_.swap_lane(i, them.learned_);
  }
  void fields(FieldVisitor& v) override {
    const ClassFields tables{v, used_, classes_};
    tables("class_weight", class_weight_);
    tables("count", count_);
    v("parent", parent_);
    v("lessons", learned_);
  }

 private:
  using Notes = TanNotes;
  static constexpr double tolerance = 1e-10, floor_probability = 1e-30;
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  // Table rows that the row of values belongs to.
  void list(const Row& row, Notes& t) const {
    t.row.clear();
    t.column.clear();
    for (int j = 0; j < row.size; ++j)
      if (row.value[j] >= 0) t.column.push_back(j);
    const auto push = [&](const TanCell& cell) { t.row.push_back(static_cast<std::int32_t>(layout_.row(cell))); };
    const auto value = [&](std::int32_t j) { return static_cast<std::size_t>(row.value[j]); };
    for (std::size_t a = 0; a < t.column.size(); ++a) {
      TanCell one;
      one.add(static_cast<std::size_t>(t.column[a]), value(t.column[a]));
      push(one);
      for (std::size_t b = a + 1; b < t.column.size(); ++b) {
        TanCell two = one;
        two.add(static_cast<std::size_t>(t.column[b]), value(t.column[b]));
        push(two);
        if (layout_.triple.empty()) continue;
        for (std::size_t c = b + 1; c < t.column.size(); ++c) {
          TanCell three = two;
          three.add(static_cast<std::size_t>(t.column[c]), value(t.column[c]));
          push(three);
        }
      }
    }
  }

  void add(std::size_t i, std::size_t label, double amount, const Notes& t) {
    class_weight_[label][i] += amount;
    for (std::int32_t r : t.row) count_[static_cast<std::size_t>(r) * classes_ + label][i] += amount;
  }

  // One more example counted: is it time to look at the structure again?
  void relearn_when_due(std::size_t i, Notes& t) {
    learned_[0][i] += 1;
    const double n = learned_[0][i];
    const auto whole = static_cast<std::uint64_t>(std::min(n, 1e15));
    if (params_.relearn == 0 || (whole & (whole - 1)) == 0 || whole % static_cast<std::uint64_t>(params_.relearn) == 0) relearn(i, t);
  }

  // ---- structure

  // N times the conditional information of every pair.
  void pair_information(std::size_t i, Notes& t) const {
    const std::size_t a = layout_.values.size(), k = classes_;
    std::vector<double>&cell = t.cell, &pair = t.weights;  // per pair: joint cells, then both margins, then class sums
    pair.assign(layout_.pair.size(), 0.0);
    for (std::size_t p = 0, x = 0; x < a; ++x)
      for (std::size_t y = x + 1; y < a; ++y, ++p) {
        const std::size_t nx = layout_.values[x], ny = layout_.values[y], joint = nx * ny * k;
        cell.assign(joint + (nx + ny + 1) * k, 0.0);
        double *of_x = cell.data() + joint, *of_y = of_x + nx * k, *of_class = of_y + ny * k;
        for (std::size_t v = 0; v < nx; ++v)
          for (std::size_t w = 0; w < ny; ++w)
            for (std::size_t c = 0; c < k; ++c) {
              const double n = count_[(layout_.pair[p] + v * ny + w) * k + c][i];
              cell[(v * ny + w) * k + c] = n;
              of_x[v * k + c] += n;
              of_y[w * k + c] += n;
              of_class[c] += n;
            }
        x_log_x_lanes(cell.data(), cell.data(), cell.size());
        double sum = 0;
        for (std::size_t m = 0; m < joint; ++m) sum += cell[m];
        for (std::size_t m = 0; m < (nx + ny) * k; ++m) sum -= of_x[m];
        for (std::size_t c = 0; c < k; ++c) sum += of_class[c];
        pair[p] = sum;
      }
  }

  void relearn(std::size_t i, Notes& t) {
    const std::size_t a = layout_.values.size();
    for (std::size_t j = 0; j < 2 * a; ++j) parent_[j][i] = -1;
    if (a < 2 || params_.n_parents == 0) return;
    double n = 0;
    for (std::size_t c = 0; c < classes_; ++c) n += class_weight_[c][i];
    pair_information(i, t);
    span(i, t, tolerance * n);
  }

  // Prim's algorithm. Edges are ordered by weight (ties: the first pair of attributes), so there is one maximum tree.
  void span(std::size_t i, Notes& t, double slack) {
    const std::size_t a = layout_.values.size();
    const std::vector<double>& pair = t.weights;
    auto& nearest = t.nearest;
    auto& in = t.in;
    nearest.assign(a, 0);
    in.assign(a, 0);
    in[0] = 1;
    const auto edge = [&](std::size_t x, std::size_t y) { return layout_.pair_at(std::min(x, y), std::max(x, y)); };
    const auto better = [&](std::size_t e, std::size_t f) {  // pairs are numbered in their order
      return pair[e] > pair[f] + slack || (pair[e] >= pair[f] - slack && e < f);
    };
    for (std::size_t step = 1; step < a; ++step) {
      std::size_t next = none;
      for (std::size_t j = 0; j < a; ++j)
        if (!in[j] && (next == none || better(edge(j, nearest[j]), edge(next, nearest[next])))) next = j;
      parent_[2 * next][i] = static_cast<double>(nearest[next]);
      if (params_.n_parents > 1) {
        std::size_t second = none;
        for (std::size_t j = 0; j < a; ++j) {
          if (!in[j] || j == nearest[next] || !(pair[edge(j, next)] > slack)) continue;
          if (second == none || pair[edge(j, next)] > pair[edge(second, next)] + slack) second = j;
        }
        if (second != none) parent_[2 * next + 1][i] = static_cast<double>(second);
      }
      in[next] = 1;
      for (std::size_t j = 0; j < a; ++j)
        if (!in[j] && better(edge(j, next), edge(j, nearest[j]))) nearest[j] = next;
    }
  }

  // ---- answers

  // What all lanes share in answering about a row. single[j]: the value's row among the single counts, -1 if there is
  // none; pair[j a + p]: row of the pair counts for the first value of child j with the row's value of parent p.
  void plan(const Row& row, Notes& t) const {
    const std::size_t a = layout_.values.size();
    t.single.assign(a, -1);
    t.pair.assign(a * a, 0);
    for (std::size_t j = 0; j < a; ++j)
      if (row.value[j] >= 0 && row.value[j] < static_cast<double>(layout_.values[j]))
        t.single[j] = static_cast<std::int32_t>(layout_.single[j] + static_cast<std::size_t>(row.value[j]));
    if (params_.n_parents == 0) return;
    for (std::size_t j = 0; j < a; ++j)
      for (std::size_t p = 0; p < a; ++p) {
        if (p == j || t.single[j] < 0 || t.single[p] < 0) continue;
        TanCell cell;
        cell.add(p, static_cast<std::size_t>(row.value[p]));
        cell.add(j, 0);
        t.pair[j * a + p] = static_cast<std::int32_t>(layout_.row(cell));
      }
  }

  bool was_met(std::size_t i, std::int32_t single) const {
    if (single < 0) return false;
    for (std::size_t c = 0; c < classes_; ++c)
      if (count_[static_cast<std::size_t>(single) * classes_ + c][i] > 0) return true;
    return false;
  }

  // Count of value v of attribute j with the parents' values in class c, and of the parents' values with any value of j.
  struct Share {
    double own, all;
  };
  Share share(std::size_t i, std::size_t j, std::size_t v, const TanCell& parents, std::size_t c) const {
    Share s{0, 0};
    for (std::size_t w = 0; w < layout_.values[j]; ++w) {
      TanCell cell = parents;
      cell.add(j, w);
      const double n = count_[layout_.row(cell) * classes_ + c][i];
      s.all += n;
      if (w == v) s.own = n;
    }
    return s;
  }

  void answer(std::size_t i, const Row& row, std::size_t k, Request want, Answers& answers) const {
    double* joint = answers.notes.data();          // [class][lane]; only this lane's cells are touched
    auto& product = answers.own<Notes>().product;  // [class]: factors not yet taken the log of
    auto& shares = answers.own<Notes>().shares;    // [class][own, all]
    product.clear();
    double n = 0;
    for (std::size_t c = 0; c < k; ++c) n += class_weight_[c][i];
    // Quotients of counts only, so that scaling all weights by a whole number changes no bit.
    for (std::size_t c = 0; c < k; ++c) {
      joint[c * stride_ + i] = 0;
      product.push_back(class_weight_[c][i] > 0 ? class_weight_[c][i] / n : 0.0);
    }
    const std::size_t a = layout_.values.size();
    const auto& t = answers.own<Notes>();
    for (std::size_t j = 0; j < a; ++j) {
      if (!was_met(i, t.single[j])) continue;
      const auto v = static_cast<std::size_t>(t.single[j]) - layout_.single[j];
      TanCell parents;
      for (std::size_t p = 0; p < params_.n_parents; ++p) {
        if (parent_[2 * j + p][i] < 0) continue;
        const auto parent = static_cast<std::size_t>(parent_[2 * j + p][i]);
        if (was_met(i, t.single[parent])) parents.add(parent, static_cast<std::size_t>(row.value[parent]));
      }
      // Rows of the counts of child j with these parents: the first, and from one value of j to the next.
      std::size_t first = layout_.single[j], step = 1;
      if (parents.n == 1) {
        first = static_cast<std::size_t>(t.pair[j * a + parents.attribute[0]]);
        step = j < parents.attribute[0] ? layout_.values[parents.attribute[0]] : 1;
      } else if (parents.n == 2) {
        TanCell cell = parents;
        cell.add(j, 0);
        first = layout_.row(cell);
        step = 1;
        for (std::size_t p = 0; p < 2; ++p)
          if (parents.attribute[p] > j) step *= layout_.values[parents.attribute[p]];
      }
      const double marginal = params_.smoothing > 0 ? smooth(i, j, v) : 0.0;
      shares.assign(2 * k, 0.0);
      for (std::size_t w = 0; w < layout_.values[j]; ++w)
        for (std::size_t c = 0; c < k; ++c) {
          const double n = count_[(first + w * step) * classes_ + c][i];
          shares[2 * c + 1] += n;
          if (w == v) shares[2 * c] = n;
        }
      for (std::size_t c = 0; c < k; ++c) {
        if (!(class_weight_[c][i] > 0)) continue;
        product[c] *= probability(i, j, v, parents, c, {shares[2 * c], shares[2 * c + 1]}, marginal);
        if (product[c] > 1e-200) continue;  // factors are 1e-30 or more
        joint[c * stride_ + i] += streamboost::log(product[c]);
        product[c] = 1;
      }
    }
    for (std::size_t c = 0; c < k; ++c)
      if (class_weight_[c][i] > 0) joint[c * stride_ + i] += streamboost::log(product[c]);
    to_verdict(i, k, want, answers);
  }

  double smooth(std::size_t i, std::size_t j, std::size_t v) const {
    double own = 0, all = 0;
    for (std::size_t w = 0; w < layout_.values[j]; ++w)
      for (std::size_t c = 0; c < classes_; ++c) {
        const double n = count_[(layout_.single[j] + w) * classes_ + c][i];
        all += n;
        own += w == v ? n : 0.0;
      }
    return own / all;
  }

  double probability(std::size_t i, std::size_t j, std::size_t v, TanCell parents, std::size_t c, Share s, double marginal) const {
    if (params_.smoothing > 0) return std::max((s.own + params_.smoothing * marginal) / (s.all + params_.smoothing), floor_probability);
    if (!(s.all > 0) && parents.n == 2) {  // never met in this class: the weaker parent goes first
      const auto first = static_cast<std::size_t>(parent_[2 * j][i]);
      TanCell stronger;
      for (std::size_t p = 0; p < 2; ++p)
        if (parents.attribute[p] == first) stronger.add(first, parents.value[p]);
      parents = stronger;
      s = share(i, j, v, parents, c);
    }
    if (!(s.all > 0) && parents.n > 0) s = share(i, j, v, {}, c);
    if (!(s.all > 0)) return 1;
    return s.own > 0 ? s.own / s.all : floor_probability;
  }

  void to_verdict(std::size_t i, std::size_t k, Request want, Answers& answers) const {
    double* joint = answers.notes.data();
    std::int32_t vote = -1;
    double highest = 0, sum = 0, pair[2] = {0, 0};
    for (std::size_t c = 0; c < k; ++c)
      if (class_weight_[c][i] > 0 && (vote < 0 || joint[c * stride_ + i] > highest)) {
        highest = joint[c * stride_ + i];
        vote = static_cast<std::int32_t>(c);
      }
    for (std::size_t c = 0; c < k; ++c) {
      double& p = joint[c * stride_ + i];
      p = class_weight_[c][i] > 0 ? streamboost::exp(p - highest) : 0.0;
      sum += p;
    }
    for (std::size_t c = 0; c < k; ++c) {
      const double p = sum > 0 ? joint[c * stride_ + i] / sum : 0.0;
      if (c < 2) pair[c] = p;
      if (want == Request::distributions) answers.distribution[c * answers.stride + i] = p;
    }
    answers.vote[i] = vote;
    answers.margin[i] = pair[1] - pair[0];
  }

  Params params_;
  Lanes lanes_;
  std::size_t n_, stride_, classes_ = 0, used_ = 0;  // classes: room; used: known to the schema
  TanLayout layout_;
  LaneArray<double> class_weight_, count_, parent_, learned_;
};

}  // namespace streamboost
