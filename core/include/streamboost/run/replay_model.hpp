// Gradient boosted trees over the last rows of a stream, fitted again and again in slices, as a model of its own.
//
// Parts     the ring (replay/row_ring.hpp) remembers, the expert (replay/replay_expert.hpp) fits and answers.
//
// Answers   two classes: p = 1 / (1 + e^-F); more: softmax(F). A class that the forest had no row of is given 1 / (n + 2) of the probability,
//           n the rows of the fit. Before the first fit: the class shares, each class with half a row more, or the mean target.
// Memory    as many rows as asked for and as fit into `max_bytes`, with all that a fit of them takes. Where not even 1,000 would (or what
//           was asked for, if less), nothing is remembered and the class shares answer; the report says so.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "streamboost/replay/replay_expert.hpp"
#include "streamboost/run/row_model.hpp"

namespace streamboost {

struct ReplayWork : RowWork {
  std::vector<float> cell;
  std::vector<double> F;
  const BoostedForest* forest = nullptr;  // that is asked; null: the one of now
  template <class Owner>
  explicit ReplayWork(const Owner& model) : RowWork(model.intake().schema()), F(score.size()) {
    cell.reserve(static_cast<std::size_t>(model.intake().schema().width()));
  }
};

class ReplayModel final : public RowModel<ReplayModel, ReplayWork> {
 public:
  struct Params {
    ReplayExpert::Params expert;
    std::int64_t max_bytes;
    bool numbers;
    static Params read(const Config& c, std::uint64_t seed, bool numbers) {
      using Loss = BoostingParams::Loss;
      const Loss loss = !numbers
                            ? Loss::classes
                            : c.choice<Loss>("loss", {{"squared", Loss::squared}, {"absolute", Loss::absolute}, {"huber", Loss::huber}});
      const BoostingParams boosting{c.whole<int>("rounds"),
                                    c.whole<int>("leaves"),
                                    c.whole<int>("bins"),
                                    !numbers && c.choice<bool>("trees", {{"shared", true}, {"per-class", false}}),
                                    c.number("learning_rate"),
                                    loss,
                                    seed,
                                    c.whole("max_bytes") / 4};
      return {{boosting, {c.number("refit"), c.number("late")}, c.whole("memory"), c.whole("at_once")}, c.whole("max_bytes"), numbers};
    }
  };

  ReplayModel(const Params& params, const Ensemble& ensemble)
      : RowModel(ensemble, params.numbers), params_(params), expert_(params.expert) {
    const BoostingParams& b = params_.expert.boosting;
    const auto& [refit, late] = params_.expert.schedule;
    if (b.rounds < 1 || b.leaves < 1 || b.leaves > TreeShap::deepest || b.bins < 4 || b.bins > 255 || !(b.rate > 0) ||
        params_.expert.memory < 1 || params_.expert.memory > replay::most_rows || params_.max_bytes < 1 || !(refit > 1 && refit <= 2) ||
        !(late > 0 && late < 1))
      throw std::invalid_argument("a parameter of the replayed forest is out of range");
  }

  std::unique_ptr<Growth> prepare(const Schema& schema) override {
    auto growth = std::make_unique<Grown>(*this);
    growth->intake.reserve(schema);
    const Schema& now = growth->intake.schema();
    if (reserved_ && now == intake_.schema()) return nullptr;
    growth->ring = now.width() == ring_.width() ? ring_ : ring_.grown(now.width());
    growth->counts.reserve(now.n_classes);
    return growth;
  }

  // Rows are learned at one station and asked about at the next: which forest speaks to a row is known when the rows before it are learned.
  // Before the first fit the counts speak, which move on with every row.
  int enlist(Flow& flow, const FlowInput& in) override {
    struct Asked {
      Example example;
      RowBuffer buffer;
      std::shared_ptr<const BoostedForest> forest;  // null: it is answered
    };
    struct OnTheWay {
      std::vector<Asked> asked;  // [slot][row]
      ReplayWork learning, asking;
    };
    const auto rows = static_cast<std::size_t>(flow.chunk_rows());
    auto way = std::make_shared<OnTheWay>(OnTheWay{{}, ReplayWork(*this), ReplayWork(*this)});
    way->asked.resize(static_cast<std::size_t>(flow.slots()) * rows);
    for (Asked& asked : way->asked) intake_.make_room(asked.buffer);
    const auto learning = [this, &flow, in, way, rows](int c) {
      const RowBlock block = in.rows_of(flow, c);
      const Truth truth = in.truth.from(flow.first(c));
      const double* weight = in.weight_of(flow, c);
      const OutputBuffers out = in.answers(c);
      for (int r = 0; r < block.n_rows; ++r) {
        Asked& asked = way->asked[flow.slot(c) * rows + static_cast<std::size_t>(r)];
        const double w = weight ? weight[r] : 1.0;
        const int label = params_.numbers ? 0 : truth.label[r];
        intake_.admit(block.row(r), label, w, truth.absent(r), asked.buffer, asked.example);
        asked.forest = expert_.forest().fitted() ? expert_.shared_forest() : nullptr;
        if (!asked.forest && out.output != Output::none) answer(asked.example, r, way->learning, out);
        if (w > 0) learn_row(asked.example, params_.numbers ? truth.target[r] : label, w, way->learning);
      }
    };
    const auto asking = [this, &flow, in, way, rows](int c) {
      const OutputBuffers out = in.answers(c);
      for (int r = 0; r < flow.size(c) && out.output != Output::none; ++r) {
        const Asked& asked = way->asked[flow.slot(c) * rows + static_cast<std::size_t>(r)];
        way->asking.forest = asked.forest.get();
        if (asked.forest) answer(asked.example, r, way->asking, out);
      }
    };
    return flow.add(asking, {flow.add(learning, in.after)});
  }

  // The forest's sum is what the columns gave it. Scores of classes that it does not know are no such sum.
  std::optional<ExplainedScore> explain(const RowBlock& row, int label, bool shapley, double* contributions) const override {
    const BoostedForest& forest = expert_.forest();
    ReplayWork work(*this);
    Example example;
    intake_.look(row.row(0), work.buffer, example);
    const int known = example.n_classes;
    if (!forest.fitted() || (!params_.numbers && (known < 2 || label >= known))) return std::nullopt;
    ExplainedScore explained;
    if (params_.numbers) {
      explained.score = number(example, work);
    } else {
      judge(example, work);
      explained.label = label >= 0 ? label
                        : known == 2
                            ? 1
                            : static_cast<int>(std::max_element(work.score.begin(), work.score.begin() + known) - work.score.begin());
      explained.score = work.score[static_cast<std::size_t>(explained.label)] -
                        (known == 2 ? work.score[static_cast<std::size_t>(1 - explained.label)] : 0.0);
      if (explained.label >= std::max(forest.outputs, 2)) return std::nullopt;
    }
    const bool one = forest.outputs == 1;
    const double sign = params_.numbers || explained.label == 1 ? 1.0 : -1.0;
    const double factor = !one ? 1.0 : !params_.numbers && known > 2 ? 0.5 * sign : sign;
    explained.base = forest.explain(work.cell.data(), one ? 0 : static_cast<std::size_t>(explained.label), factor, shapley, contributions);
    return explained;
  }

  std::size_t memory_bytes() override {
    return sizeof(*this) + intake_.unsaved_bytes() + ring_.bytes() + expert_.bytes() + counts_.weight.capacity() * sizeof(double);
  }
  ModelReport report() override {
    ModelReport report;
    const BoostedForest& forest = expert_.forest();
    report.totals["remembered_rows"] = static_cast<double>(ring_.end() - std::max(ring_.begin(), ring_.end() - memory()));
    report.totals["too_wide"] = awake() ? 0 : 1;
    report.totals["fits"] = static_cast<double>(expert_.fits());
    report.totals["fits_dropped"] = static_cast<double>(expert_.dropped());
    report.totals["next_fit"] = static_cast<double>(expert_.next_fit());
    report.totals["fitted_rows"] = static_cast<double>(forest.end - forest.begin);
    report.totals["trees"] = forest.fitted() ? forest.trees() : 0;
    report.lanes["importances/gain"] = forest.importances();
    return report;
  }
  bool starved() const override { return expert_.starved(); }

 protected:
  std::unique_ptr<Model> copy() const override { return std::unique_ptr<Model>(new ReplayModel(*this)); }
  void take(Model& other) override { static_cast<ReplayModel&>(other).swap_state(*this); }

 private:
  friend RowModel;
  ReplayModel(const ReplayModel&) = default;
  void swap_state(ReplayModel& other) noexcept {
    std::swap(intake_, other.intake_);
    std::swap(ring_, other.ring_);
    std::swap(expert_, other.expert_);
    std::swap(counts_, other.counts_);
    std::swap(targets_, other.targets_);
    std::swap(seen_width_, other.seen_width_);
    std::swap(reserved_, other.reserved_);
  }

  struct Grown final : RowGrowth {
    RowRing ring;
    ClassCounts counts;
    explicit Grown(ReplayModel& m) : RowGrowth(m), counts(m.counts_) {}
    void exchange() noexcept override {
      RowGrowth::exchange();
      std::swap(model.ring_, ring);
      std::swap(model.counts_, counts);
    }
    std::size_t bytes() override { return sizeof(ReplayModel) + intake.unsaved_bytes() + counts.weight.capacity() * sizeof(double); }
  };

  // Rows that fit into the memory, as far as columns have had values: how many rows were learned in one call does not matter.
  std::int64_t memory() const { return memory(seen_width_, intake_.n_classes_known()); }
  std::int64_t memory(std::int64_t width, int n_classes) const {
    return params_.expert.rows_within(params_.max_bytes, 1, width, params_.numbers || n_classes <= 2 ? 1 : n_classes);
  }
  bool awake() const { return memory() > 0; }

  void make_room(const RowBlock& rows, const double* weight, ReplayWork&) {
    if (memory(ring_.width_after(seen_width_, rows, weight), intake_.n_classes_known()) > 0) ring_.expect(rows.n_rows);
  }

  void learn_row(const Example& example, double truth, double weight, ReplayWork&) {
    seen_width_ = RowRing::width_after(seen_width_, example.row);
    if (params_.numbers) {
      targets_[0] += weight;
      targets_[1] += weight / targets_[0] * (truth - targets_[1]);
    } else {
      counts_.add(example.label, weight);
    }
    const std::int64_t t = intake_.n_learned();
    if (!awake()) {
      ring_.forget(ring_.end());
      expert_.sleep();
      return;
    }
    ring_.add(example.row, truth, weight);
    ring_.forget(expert_.needs_from(t, memory()));
    const auto rows = [this](std::int64_t begin, std::int64_t end) { return ring_.rows(begin, end); };
    expert_.learned(t, rows, memory(), intake_.schema(), static_cast<int>(seen_width_));
  }

  const BoostedForest& asked(const ReplayWork& work) const { return work.forest ? *work.forest : expert_.forest(); }

  double number(const Example& example, ReplayWork& work) const {
    const BoostedForest& forest = asked(work);
    if (!forest.fitted()) return targets_[0] > 0 ? targets_[1] : detail::not_a_number;
    forest.read(example.row, work.cell);
    forest.sum(work.cell.data(), work.F.data());
    return work.F[0];
  }

  void shares(int known, Verdict& verdict) const {
    double sum = 0;
    for (int c = 0; c < known; ++c) sum += verdict.proba[c] = counts_.weight[static_cast<std::size_t>(c)] + 0.5;
    for (int c = 0; c < known; ++c) verdict.score[c] = verdict.proba[c] /= sum;
  }

  // Scores and probabilities of the classes known.
  void judge(const Example& example, ReplayWork& work) const {
    const int known = example.n_classes;
    const BoostedForest& forest = asked(work);
    Verdict verdict{work.score.data(), work.proba.data()};
    if (!forest.fitted()) return shares(known, verdict);
    forest.read(example.row, work.cell);
    forest.sum(work.cell.data(), work.F.data());
    const int fitted = std::max(forest.outputs, 2);
    if (forest.outputs == 1)
      verdict.set_margin(work.F[0], sigmoid(work.F[0]));
    else
      std::copy_n(work.F.begin(), fitted, verdict.score);
    if (known == 2 && forest.outputs == 1) return;
    double highest = verdict.score[0], sum = 0;
    for (int c = 1; c < fitted; ++c) highest = std::max(highest, verdict.score[c]);
    for (int c = 0; c < fitted; ++c) sum += verdict.proba[c] = streamboost::exp(verdict.score[c] - highest);
    const double unknown = sum / static_cast<double>(forest.end - forest.begin + 1);  // 1 / (n + 2) with it
    for (int c = fitted; c < known; ++c) {
      verdict.score[c] = highest + streamboost::log(unknown);
      verdict.proba[c] = unknown;
    }
    sum += unknown * std::max(known - fitted, 0);
    for (int c = 0; c < known; ++c) verdict.proba[c] /= sum;
  }

  void own_fields(FieldVisitor& v) {
    v.prefix = "replay/";
    if (params_.numbers)
      v("targets", targets_);
    else
      v("class_weight", counts_.weight);
    v("seen_width", seen_width_);
    ring_.fields(v);
    expert_.fields(v);
  }
  void check() const {
    counts_.check();
    require(targets_[0] >= 0, "weight of the targets");
    require(seen_width_ >= 0 && seen_width_ <= ring_.width(), "columns seen");
    const std::int64_t t = intake_.n_learned();
    require(awake() ? ring_.end() == t && ring_.begin() <= std::max<std::int64_t>(0, t - memory())
                    : ring_.begin() == ring_.end() && ring_.end() <= t,
            "remembered rows");
    require(ring_.end() - ring_.begin() <= 2 * params_.expert.memory + RowRing::segment_rows, "remembered rows");
    ring_.check(intake_.schema(), params_.numbers);
    expert_.check(awake() ? t : 0, ring_, intake_.schema().width(), params_.numbers ? 1 : intake_.schema().n_classes);
  }

  Params params_;
  RowRing ring_;
  ReplayExpert expert_;
  ClassCounts counts_;
  AlignedVector<double> targets_{0.0, 0.0};  // their weight and mean
  std::int64_t seen_width_ = 0;
};

}  // namespace streamboost
