// Nearest neighbours, in lanes: each lane keeps the last examples it learned, and answers with the classes of the closest ones.
//
// Papers    Cover, Hart: Nearest neighbor pattern classification (1967); the window of recent examples is the usual one for streams.
//
//   symbol      here                       meaning
//   x           coordinates of Intake      numeric columns standardised by running statistics, missing 0; nominal ones by their value
//   w, y        weight[slot], label[slot]  amount and label of a kept example
//   n_neighbors                            the closest so many of the kept ones are heard
//   window                                 examples kept; the oldest makes room
//
//   distance    sum over numeric columns (x - x')^2 + 2 for each nominal column whose values differ or are missing (one-hot distance)
//   say         v = w exp(-3 d / D), d the neighbour's distance, D that of the farthest of them (all 1 if that is 0)
//   answer      p(c) = (sum of v over neighbours of class c + 1 / K) / (sum of v over neighbours + 1);  of equally far ones the younger
//
// Choices     A row keeps the scale of its time: statistics move little once there are some. A missing or new value differs from all, so
//             that answers do not depend on when a value got its code. k copies are one example of weight k. Of rows wider than
//             `most_numbers / window` fewer are kept, by the width of the first row, so that memory stays bounded.
// Cost        ask columns x window, teach columns. Memory the same, in doubles, per lane.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "streamboost/data/config.hpp"
#include "streamboost/learners/bank.hpp"
#include "streamboost/learners/nearest_neighbors_kernels.hpp"

namespace streamboost {

// The row at hand by columns, its distances to a block of examples of one lane, and the closest of them.
struct NeighborNotes final : BankNotes {
  std::vector<double> query, distance, share, nearest;
  std::vector<std::size_t> slot;
};

class NearestNeighborsBank final : public Bank, public LearnsThenAnswers, public GrowsInPlace {
 public:
  struct Params {
    std::size_t n_neighbors, window;
    static Params read(const Config& c) { return {c.whole<std::size_t>("n_neighbors"), c.whole<std::size_t>("window")}; }
  };

  NearestNeighborsBank(Params params, Lanes lanes)
      : params_(params), lanes_(lanes), n_(static_cast<std::size_t>(lanes.size())), cell_(n_), weight_(n_), label_(n_), taught_(1, n_) {}

  Lanes lanes() const override { return lanes_; }
  IntakeNeeds needs() const override {
    IntakeNeeds needs;
    needs.coordinates = true;
    needs.dense = false;
    needs.fit_intercept = false;
    needs.scale = Scale::standard;
    needs.unit_ball = false;
    return needs;
  }
  Abilities abilities() override { return abilities_of(*this); }
  NoteRoom make_notes() const override {
    auto notes = std::make_unique<NeighborNotes>();
    notes->query.resize(nominal_.size());
    notes->distance.resize(window_block);
    notes->share.resize(classes_);
    notes->nearest.resize(params_.n_neighbors);
    notes->slot.resize(params_.n_neighbors);
    return {0, std::move(notes)};
  }
  std::unique_ptr<Bank> copy() const override { return std::make_unique<NearestNeighborsBank>(*this); }
  double least_numbers(const Schema& schema) const override {
    return static_cast<double>(slots_of(schema)) * (static_cast<double>(schema.width()) + 2) + 1;
  }
  bool trained(int lane) const override { return taught_[0][lane] > 0; }

  void reserve(const Schema& schema) override {
    if (nominal_.empty()) {  // rows without any column are forgotten with the first that has some
      slots_ = slots_of(schema);
      taught_ = LaneArray<double>(1, n_);
    }
    Journal unread;
    grow(schema, unread);
  }
  void grow(const Schema& schema, Journal& journal) override {
    const auto width = static_cast<std::size_t>(schema.width());
    const std::size_t before = nominal_.size();
    const ColumnLayout layout(schema, 0);
    journal.assign(classes_, static_cast<std::size_t>(std::max(schema.n_classes, 1)));
    journal.assign(offset_, {layout.offset.begin(), layout.offset.end()});
    journal.assign(column_, column_);
    column_.resize(layout.rows());
    journal.resize(nominal_, width);
    for (std::size_t j = 0; j < width; ++j) {
      nominal_[j] = schema.nominal(static_cast<int>(j));
      std::fill(column_.begin() + static_cast<std::ptrdiff_t>(offset_[j]), column_.begin() + static_cast<std::ptrdiff_t>(offset_[j + 1]),
                j);
    }
    journal.assign(values_, schema.n_values);
    for (std::size_t i = 0; i < n_; ++i) {
      journal.resize(cell_[i], width * slots_);
      journal.resize(weight_[i], slots_);
      journal.resize(label_[i], slots_);
      for (std::size_t j = before; j < width; ++j) std::fill_n(cell_[i].data() + j * slots_, slots_, nothing(j));
    }
  }

  void ask(const Example& example, Request want, Answers& answers) const override {
    auto& notes = answers.own<NeighborNotes>();
    const auto k = static_cast<std::size_t>(example.n_classes);
    answers.change = example.n_classes_after > example.n_classes ? Change::all : Change::taught;
    look(example.row, notes.query);
    for (std::size_t i = 0; i < n_; ++i) {
      const Answer answer = answer_of(i, k, notes);
      answers.vote[i] = answer.label;
      answers.margin[i] = answer.margin;
      for (std::size_t c = 0; c < k && want == Request::distributions; ++c) answers.distribution[c * answers.stride + i] = notes.share[c];
    }
  }

  void learn(const Example& example, Labels labels, const double* amount, Amount, Answers& answers) override {
    auto& notes = answers.own<NeighborNotes>();
    look(example.row, notes.query);
    for (std::size_t i = 0; i < n_; ++i) keep(i, labels.of(static_cast<int>(i)), amount[i], notes.query);
  }

  Answer learn_then_answer(int lane, const Example& example, double amount, Amount, Request, Answers& answers) override {
    auto& notes = answers.own<NeighborNotes>();
    look(example.row, notes.query);
    keep(static_cast<std::size_t>(lane), example.label, amount, notes.query);
    return answer_of(static_cast<std::size_t>(lane), static_cast<std::size_t>(example.n_classes_after), notes);
  }

  void check() const override {
    for (std::size_t i = 0; i < n_; ++i) {
      const double taught = taught_[0][i];
      require(taught >= 0 && taught <= 9007199254740992.0 && taught == std::floor(taught), "examples of a lane");
      require(cell_[i].size() == nominal_.size() * slots_ && weight_[i].size() == slots_ && label_[i].size() == slots_, "kept examples");
      for (std::size_t s = 0; s < filled(i); ++s) {
        require(weight_[i][s] > 0, "weight of a kept example");
        require(label_[i][s] >= 0 && static_cast<std::size_t>(label_[i][s]) < classes_, "label of a kept example");
      }
      for (std::size_t j = 0; j < nominal_.size(); ++j)
        for (std::size_t s = 0; s < slots_ && nominal_[j]; ++s) {
          const double v = cell_[i][j * slots_ + s];
          require(v >= -1 && v < static_cast<double>(values_[j]) && v == std::floor(v), "value of a kept example");
        }
    }
  }

 protected:
  void begin(int lane) override {
    const auto i = static_cast<std::size_t>(lane);
    taught_[0][i] = 0;
    std::fill(weight_[i].begin(), weight_[i].end(), 0.0);
    std::fill(label_[i].begin(), label_[i].end(), 0);
    for (std::size_t j = 0; j < nominal_.size(); ++j) std::fill_n(cell_[i].data() + j * slots_, slots_, nothing(j));
  }
  void exchange(int lane, Bank& other) override {
    auto& them = static_cast<NearestNeighborsBank&>(other);
    const auto i = static_cast<std::size_t>(lane);
    cell_[i].swap(them.cell_[i]);
    weight_[i].swap(them.weight_[i]);
    label_[i].swap(them.label_[i]);
    taught_.swap_lane(i, them.taught_);
  }
  void fields(FieldVisitor& v) override {
    v("cell", cell_);
    v("weight", weight_);
    v("label", label_);
    v("taught", taught_);
  }

 private:
  static constexpr std::size_t most_numbers = std::size_t{1} << 22;  // cells of a lane, 32 megabytes
  static constexpr std::size_t least_slots = 16;
  static constexpr double decay = 3;
  static constexpr double missing = -1, unlike = -2;  // a nominal value that is not there, kept and asked about: never the same

  std::size_t slots_of(const Schema& schema) const {
    const auto width = static_cast<std::size_t>(std::max(schema.first_width, 1));
    return std::min(params_.window, std::max(least_slots, most_numbers / width));
  }
  double nothing(std::size_t column) const { return nominal_[column] ? missing : 0.0; }
  std::size_t filled(std::size_t lane) const { return static_cast<std::size_t>(std::min(taught_[0][lane], static_cast<double>(slots_))); }
  std::size_t next(std::size_t lane) const { return static_cast<std::size_t>(static_cast<std::uint64_t>(taught_[0][lane]) % slots_); }

  // The row by columns.
  void look(const Row& row, std::vector<double>& query) const {
    for (std::size_t j = 0; j < query.size(); ++j) query[j] = nominal_[j] ? unlike : 0.0;
    for (int e = 0; e < row.size; ++e) {
      const auto coordinate = static_cast<std::size_t>(row.column(e));
      const std::size_t j = column_[coordinate];
      query[j] = nominal_[j] ? static_cast<double>(coordinate - offset_[j]) : row.value[e];
    }
  }

  void keep(std::size_t i, int label, double amount, const std::vector<double>& query) {
    if (!(amount > 0)) return;
    const std::size_t s = next(i);
    for (std::size_t j = 0; j < query.size(); ++j) cell_[i][j * slots_ + s] = std::max(query[j], nominal_[j] ? missing : query[j]);
    weight_[i][s] = amount;
    label_[i][s] = label;
    taught_[0][i] += 1;
  }

  // The slots of the closest examples into notes.slot, and how many there are. From the youngest on, so that it wins ties: those up to it, then
  // those behind it.
  std::size_t find_nearest(std::size_t i, NeighborNotes& notes) const {
    const std::size_t n = filled(i), end = (next(i) + slots_ - 1) % slots_ + 1;
    if (n == 0) return 0;
    std::size_t found = 0;
    search(i, end > n ? end - n : 0, end, notes, found);
    if (end < n) search(i, slots_ - (n - end), slots_, notes, found);
    return found;
  }
  // Offers the slots begin .. end, the last first. Distances are made of whole blocks, of which the lowest may reach below `begin`.
  void search(std::size_t i, std::size_t begin, std::size_t end, NeighborNotes& notes, std::size_t& found) const {
    double* distance = notes.distance.data();
    while (end > begin) {
      const std::size_t block = end > window_block ? end - window_block : 0;
      const bool full = found == params_.n_neighbors;
      const double limit = full ? notes.nearest[found - 1] : std::numeric_limits<double>::infinity();
      window_distances(cell_[i].data() + block, slots_, notes.query.data(), nominal_.data(), nominal_.size(), limit, distance,
                       std::min(window_block, slots_));
      const std::size_t lowest = std::max(block, begin);
      if (!full) {
        for (std::size_t s = end; s-- > lowest;) offer(s, distance[s - block], notes, found);
      } else {
        auto near = those_below(distance + (lowest - block), limit, end - lowest);
        while (near != 0) {
          const auto last = static_cast<std::size_t>(std::bit_width(near)) - 1;
          near ^= std::uint64_t{1} << last;
          offer(lowest + last, distance[lowest - block + last], notes, found);
        }
      }
      end = lowest;
    }
  }
  void offer(std::size_t slot, double distance, NeighborNotes& notes, std::size_t& found) const {
    if (found == params_.n_neighbors && !(distance < notes.nearest[found - 1])) return;
    std::size_t at = found < params_.n_neighbors ? found++ : found - 1;
    for (; at > 0 && distance < notes.nearest[at - 1]; --at) {
      notes.nearest[at] = notes.nearest[at - 1];
      notes.slot[at] = notes.slot[at - 1];
    }
    notes.nearest[at] = distance;
    notes.slot[at] = slot;
  }

  // The distribution is left in notes.share.
  Answer answer_of(std::size_t i, std::size_t k, NeighborNotes& notes) const {
    double* share = notes.share.data();
    std::fill_n(share, k, 0.0);
    const std::size_t found = k == 0 ? 0 : find_nearest(i, notes);
    if (found == 0) return {};
    double total = 1;
    std::fill_n(share, k, 1.0 / static_cast<double>(k));
    double* say = notes.nearest.data();
    const double farthest = say[found - 1];
    for (std::size_t m = 0; m < found; ++m) say[m] = farthest > 0 ? -decay * say[m] / farthest : 0.0;
    exp_lanes(say, say, found);
    for (std::size_t m = 0; m < found; ++m) {
      const auto c = static_cast<std::size_t>(label_[i][notes.slot[m]]);
      if (c >= k) continue;  // taught as the target of a class that nobody has met yet
      const double v = weight_[i][notes.slot[m]] * say[m];
      share[c] += v;
      total += v;
    }
    std::size_t best = 0;
    for (std::size_t c = 1; c < k; ++c)
      if (share[c] > share[best]) best = c;
    for (std::size_t c = 0; c < k; ++c) share[c] /= total;
    return {static_cast<int>(best), (k > 1 ? share[1] : 0.0) - share[0]};
  }

  Params params_;
  Lanes lanes_;
  std::size_t n_, slots_ = 0, classes_ = 1;
  std::vector<std::size_t> offset_, column_;  // first coordinate of each column; column of each coordinate
  std::vector<unsigned char> nominal_;        // [column]
  std::vector<std::int64_t> values_;          // [column], as in the schema
  Ragged<double> cell_, weight_;              // [lane][column][slot], [lane][slot]; what is not filled yet is 0, or missing
  Ragged<std::int32_t> label_;                // [lane][slot]
  LaneArray<double> taught_;                  // examples learned since birth; the next one goes to this number modulo the slots
};

}  // namespace streamboost
