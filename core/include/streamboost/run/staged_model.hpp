// What comes around the vote: a model whose examples and answers go through a short line of stages, each of which may be missing.
//
//   class weights (stages/class_weigher.hpp) -> vote -> calibration (calibrator.hpp) -> decision (decider.hpp) -> sets (conformal.hpp)
//   health (health.hpp) and importances (run/explain.hpp) look on
//
// The model inside answers every row of a slice before learning it; then the stages go through the slice row by row, speak with their
// state of before the row, and learn from its label. Nothing flows back to the model, so any slices, chunks and threads give the same
// bits. Scores stay the vote's own; labels follow the probabilities that the stages give. Stages learn with the example's own weight:
// class weights are for the learners, and calibrated probabilities are those of the stream as it is.
#pragma once
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "streamboost/run/explain.hpp"
#include "streamboost/run/staged.hpp"
#include "streamboost/stages/calibrator.hpp"
#include "streamboost/stages/class_weigher.hpp"
#include "streamboost/stages/conformal.hpp"
#include "streamboost/stages/decider.hpp"
#include "streamboost/stages/health.hpp"

namespace streamboost {

struct Stages {
  std::optional<ClassWeigher> weigher;
  std::optional<Calibrator> calibrator;
  std::optional<Decider> decider;
  std::optional<ConformalSets> sets;
  std::optional<HealthStats> health;
  std::optional<Importances> importances;
  std::int64_t from = 0;  // answers to examples before it are no lessons: a fit that needs them all has yet to come

  static Stages read(const Config& config) {
    Stages stages;
    if (config.has("class_weight")) stages.weigher.emplace(ClassWeigher::Params::read(config));
    if (config.has("calibration")) stages.calibrator.emplace(Calibrator::Params::read(config));
    if (config.has("decision")) stages.decider.emplace(Decider::Params::read(config));
    if (config.has("coverages")) stages.sets.emplace(*config.array("coverages"));
    if (config.has("health") && config.flag("health")) stages.health.emplace();
    stages.importances = Importances::read(config);
    if (config.has("lessons_from")) stages.from = config.whole("lessons_from");
    return stages;
  }
  void reserve(const Schema& schema) {
    if (weigher) weigher->reserve(schema.n_classes);
    if (calibrator) calibrator->reserve(schema.n_classes);
    if (decider) decider->reserve(schema.n_classes);
    if (health) health->reserve(schema);
    if (importances) importances->reserve(schema.width());
  }
  bool calibrates_by(std::int64_t number) const { return calibrator && number >= from && calibrator->learns_from(number); }
  // What the user says of the classes, by code: the positive one, weights [class], costs [truth][answer].
  void describe(const double* facts, std::size_t n_classes) {
    if (weigher) weigher->describe(facts + 1);
    if (decider) decider->describe(static_cast<int>(facts[0]), facts + 1 + n_classes);
  }
  void fields(FieldVisitor& v) {
    v.prefix = "class_weight/";
    if (weigher) weigher->fields(v);
    v.prefix = "calibration/";
    if (calibrator) calibrator->fields(v);
    v.prefix = "decision/";
    if (decider) decider->fields(v);
    v.prefix = "sets/";
    if (sets) sets->fields(v);
    v.prefix = "health/";
    if (health) health->fields(v);
    v.prefix = "importances/";
    if (importances) importances->fields(v);
  }
  void check() const {
    if (weigher) weigher->check();
    if (calibrator) calibrator->check();
    if (decider) decider->check();
    if (sets) sets->check();
    if (health) health->check();
    if (importances) importances->check();
  }
  void write_report(ModelReport& report) const {
    if (calibrator) calibrator->write_report(report);
    if (decider && decider->learns()) report.totals["threshold"] = decider->threshold();
    if (sets) sets->write_report(report);
    if (health) health->write_report(report);
    if (importances) importances->write_report(report);
  }
};

class StagedModel final : public Staged<StagedModel, Stages> {
 public:
  StagedModel(std::unique_ptr<Model> voters, Stages stages, const Ensemble& ensemble)
      : Staged(std::move(voters), std::move(stages)), ensemble_(ensemble) {}

  // Called after a reservation that gave new classes their codes.
  void describe(const std::vector<double>& facts) override {
    const auto k = static_cast<std::size_t>(intake().schema().n_classes);
    if (facts.size() != 1 + k + k * k) throw std::invalid_argument("facts about classes do not fit their number");
    stages_.describe(facts.data(), k);
  }
  // A record: classes known, then the scores, probabilities and label of the vote.
  std::size_t record_width(std::size_t k) const override { return inside_->record_width(k) + 2 * k + 2; }

  std::size_t n_coverages() const override { return stages_.sets ? stages_.sets->n() : 0; }

  void expect(const RowBlock& rows, const double* weight) override {
    inside_->expect(rows, weight);
    learn_work_.prepare(*this, rows.n_rows);
    if (stages_.weigher) learn_work_.weight.resize(static_cast<std::size_t>(learn_work_.rows));
  }

  void learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& out) override {
    expect(rows, weight);
    Work& work = learn_work_;
    Count count = counted();
    for (int first = 0, n = 0; first < rows.n_rows; first += n) {
      const MovesAhead weights(stages_.weigher, kept_weigher_, intake());
      const MovesAhead columns(stages_.importances, kept_importances_, intake());
      n = std::min(work.rows, rows.n_rows - first);
      if (stages_.importances)
        n = stages_.importances->look_at(*inside_, rows.row(first), weight ? weight[first] : 1.0, n, ensemble_.seed, count.known > 1);
      const RowBlock part = rows.part(first, n);
      const double* w = weight ? weight + first : nullptr;
      int known = count.known;
      OutputBuffers answers = work.answers(out.records.from(first));
      if (only_lessons(out)) answers.heard = lessons(work.heard, count.number, w, n);
      inside_->learn(part, truth.from(first), weigh(truth.label + first, w, n, known, work.weight.data()), answers);
      stage_rows(part, truth.label + first, w, out.from(first, work.k), count, work);
    }
  }

  // Importances look at the model inside as it is before a row: then all of it is one station.
  int enlist(Flow& flow, const FlowInput& in) override {
    if (stages_.importances) return Model::enlist(flow, in);
    struct OnTheWay {
      Count count;
      int known;
      std::vector<Work> work;      // [slot]
      std::vector<double> weight;  // of all rows
      std::vector<char> heard;     // of all rows
    };
    auto way = std::make_shared<OnTheWay>(OnTheWay{counted(), intake().n_classes_known(), {}, {}, {}});
    way->work.resize(static_cast<std::size_t>(flow.slots()));
    for (Work& work : way->work) work.prepare(*this, flow.chunk_rows());
    FlowInput inside = in;
    const bool few = labels_stay() && in.rows.n_rows > 0 && only_lessons(in.answers(0));
    if (few) lessons(way->heard, way->count.number, in.weight, in.rows.n_rows);
    inside.answers = [&flow, in, way, few](int c) {
      OutputBuffers answers = way->work[flow.slot(c)].answers(in.answers(c).records);
      if (few) answers.heard = way->heard.data() + flow.first(c);
      return answers;
    };
    if (stages_.weigher) {
      way->weight.resize(static_cast<std::size_t>(in.rows.n_rows));
      inside.weight = way->weight.data();
      const auto weighing = [this, &flow, in, way](int c) {
        weigh(in.truth.label + flow.first(c), in.weight_of(flow, c), flow.size(c), way->known, way->weight.data() + flow.first(c));
      };
      inside.after = {flow.add(weighing, in.after)};
    }
    const int voters = inside_->enlist(flow, inside);
    const auto task = [this, &flow, in, way](int c) {
      stage_rows(in.rows_of(flow, c), in.truth.label + flow.first(c), in.weight_of(flow, c), in.answers(c), way->count,
                 way->work[flow.slot(c)]);
    };
    return flow.add(task, {voters});
  }

  void predict(const RowBlock& rows, const OutputBuffers& out) const override {
    if (out.output == Output::votes) return inside_->predict(rows, out);
    Work work;
    work.prepare(*this, rows.n_rows);
    const Count count = counted();
    for (int first = 0; first < rows.n_rows; first += work.rows) {
      const int n = std::min(work.rows, rows.n_rows - first);
      inside_->predict(rows.part(first, n), work.answers(out.records.from(first)));
      for (int r = 0; r < n; ++r) {
        if (!only_votes(out)) speak(r, count, work);
        write(first + r, r, decide(r, count, work), count, work, out);
        if (double* record = out.records.of(first + r)) note(record, r, count, work);
      }
    }
  }

  std::optional<ExplainedScore> explain(const RowBlock& row, int label, bool shapley, double* contributions) const override {
    return inside_->explain(row, label, shapley, contributions);
  }

 protected:
  std::unique_ptr<Model> copy() const override { return std::make_unique<StagedModel>(copy_of(*inside_), stages_, ensemble_); }

 private:
  // Examples learned and classes known before a row.
  struct Count {
    std::int64_t number;
    int known;
  };
  Count counted() const { return {intake().n_learned(), intake().n_classes_known()}; }

  // What one call works with.
  struct Work {
    static constexpr std::size_t numbers = std::size_t{1} << 17;  // answers kept at a time
    std::size_t k = 0;                                            // classes that have codes
    int rows = 0;
    std::vector<double> answer;  // [row]: scores, probabilities, label
    std::vector<double> weight;  // [row]: what the model inside is given, where classes have weights
    std::vector<double> p;       // what the stages make of the probabilities of the row at hand
    std::vector<double> decision;
    std::vector<char> heard;  // [row]: whether the calibration learns from it, where nobody else needs an answer
    Calibrator::Work calibration;

    void prepare(const StagedModel& model, int n_rows) {
      k = static_cast<std::size_t>(model.intake().schema().n_classes);
      rows = std::min(n_rows, static_cast<int>(std::clamp<std::size_t>(numbers / columns(), 32, 4096)));
      answer.resize(static_cast<std::size_t>(rows) * columns());
      p.resize(std::max<std::size_t>(k, 2));
      decision.resize(p.size());
      heard.resize(static_cast<std::size_t>(rows));
      calibration.reserve(p.size());
    }
    std::size_t columns() const { return 2 * k + 1; }
    OutputBuffers answers(const Records& records) { return {Output::full, nullptr, answer.data(), 0, records}; }
    const double* score(int r) const { return answer.data() + static_cast<std::size_t>(r) * columns(); }
    const double* vote(int r) const { return score(r) + k; }
  };

  double* own_part(double* record) const { return record + 1 + inside_->record_width(Records::classes(record)); }
  void note(double* record, int r, const Count& count, const Work& work) const {
    double* to = own_part(record);
    *to = count.known;
    std::copy_n(work.score(r), work.columns(), to + 1);
  }
  // The vote as it was when the row was asked about takes the place of what it would be now; returns the classes known then.
  int recall(double* record, int r, Work& work) const {
    const std::size_t k = Records::classes(record);
    const double* from = own_part(record);
    double* to = work.answer.data() + static_cast<std::size_t>(r) * work.columns();
    std::fill_n(to, 2 * work.k, 0.0);
    std::copy_n(from + 1, k, to);
    std::copy_n(from + 1 + k, k, to + work.k);
    to[2 * work.k] = from[1 + 2 * k];
    return static_cast<int>(std::clamp(from[0], 0.0, static_cast<double>(k)));
  }

  // The labels are the vote's, and no stage but a calibration looks at probabilities.
  bool labels_stay() const {
    return stages_.calibrator && stages_.calibrator->keeps_labels() && !stages_.decider && !stages_.sets && !stages_.health;
  }
  // What is answered is the vote's own.
  bool only_votes(const OutputBuffers& out) const {
    return labels_stay() && (out.output == Output::none || out.output == Output::label || out.output == Output::score);
  }
  // Nobody needs an answer but the calibration.
  bool only_lessons(const OutputBuffers& out) const { return labels_stay() && out.output == Output::none && out.records.value == nullptr; }
  // Which of n rows the calibration learns from, the first example of them having this number.
  const char* lessons(std::vector<char>& heard, std::int64_t number, const double* weight, int n) const {
    heard.resize(static_cast<std::size_t>(n));
    for (int r = 0; r < n; ++r) {
      const bool learned = weight == nullptr || weight[r] > 0;
      heard[static_cast<std::size_t>(r)] = learned && stages_.calibrates_by(number);
      if (learned) ++number;
    }
    return heard.data();
  }

  // The probabilities of row r after all stages, into work.p.
  void speak(int r, const Count& count, Work& work) const {
    const double* q = work.vote(r);
    if (stages_.calibrator && count.known > 1)
      stages_.calibrator->answer(q, count.known, stages_.decider ? -1 : static_cast<int>(work.score(r)[2 * work.k]), work.calibration,
                                 work.p.data());
    else
      std::copy_n(q, work.k, work.p.data());
  }

  // The weights for the model inside, to `to` where classes have weights; null: each is 1. known: classes before these rows, and after.
  const double* weigh(const std::int32_t* label, const double* weight, int n, int& known, double* to) {
    if (!stages_.weigher) return weight;
    for (int r = 0; r < n; ++r) {
      const double own = weight ? weight[r] : 1.0;
      if (own > 0) known = std::max(known, label[r] + 1);
      to[r] = own > 0 ? std::max(own * stages_.weigher->factor(label[r], known), least_weight) : 0.0;
    }
    return to;
  }

  // The model inside has answered these rows, and learned them.
  void stage_rows(const RowBlock& rows, const std::int32_t* label, const double* weight, const OutputBuffers& out, Count& count,
                  Work& work) {
    for (int r = 0; r < rows.n_rows; ++r) {
      const double w = weight ? weight[r] : 1.0;
      const bool lesson = w > 0 && stages_.calibrates_by(count.number);
      const auto learn = [&](const Count& then) {
        follow(then, label[r], w, work.vote(r), work);
        count.number += 1;
        count.known = std::max(count.known, label[r] + 1);
      };
      if (!lesson && only_lessons(out)) {
        if (w > 0) learn(count);
        continue;
      }
      double* record = out.records.of(r);
      Count heard = count;
      if (w > 0 && record != nullptr) heard.known = recall(record, r, work);
      if (lesson || !only_votes(out)) speak(r, heard, work);
      const int answer = decide(r, heard, work);
      write(r, r, answer, heard, work, out);
      if (!(w > 0)) {
        if (record != nullptr) note(record, r, count, work);
        continue;
      }
      if (stages_.health) stages_.health->learn(rows.row(r), label[r], answer == label[r]);
      learn(heard);
    }
  }

  void follow(const Count& count, int label, double weight, const double* q, Work& work) {
    const bool lesson = count.number >= stages_.from;
    if (stages_.sets && lesson) stages_.sets->learn(work.p.data(), count.known, label);
    if (count.known < 2 || label >= count.known) return;
    if (stages_.health) stages_.health->judge(work.p.data(), count.known, label, weight);
    if (stages_.decider && lesson) stages_.decider->learn(work.p.data(), count.known, label, weight);
    if (!stages_.calibrator) return;
    if (stages_.calibrates_by(count.number))
      stages_.calibrator->learn(count.number, q, work.p.data(), count.known, label, weight, work.calibration);
    else
      stages_.calibrator->pass(label, weight);
  }

  // Without a stage that moves probabilities the vote has decided already, ties and all.
  int decide(int r, const Count& count, Work& work) const {
    if (count.known == 0) return -1;
    if (count.known > 1 && stages_.decider && stages_.decider->decide(work.p.data(), count.known, work.k, work.decision.data()))
      return pick_class(work.decision.data(), count.known, ensemble_, count.number);
    if (count.known > 1 && stages_.calibrator && !stages_.calibrator->keeps_labels())
      return pick_class(work.p.data(), count.known, ensemble_, count.number);
    return static_cast<int>(work.score(r)[2 * work.k]);
  }

  void write(int to, int r, int label, const Count& count, const Work& work, const OutputBuffers& out) const {
    const double nothing = count.known == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    const auto known = static_cast<std::size_t>(count.known);
    const auto row = [&](std::size_t columns) { return out.value + static_cast<std::size_t>(to) * columns; };
    const auto put = [&](double* p) {
      for (std::size_t c = 0; c < work.k; ++c) p[c] = c < known ? work.p[c] : nothing;
    };
    switch (out.output) {
      case Output::none:
      case Output::number:  // of regressors, which have no such stages
      case Output::votes:   // of the ensemble, before any stage
        break;
      case Output::label:
        out.label[to] = label;
        break;
      case Output::score:
        std::copy_n(work.score(r), work.k, row(work.k));
        break;
      case Output::proba:
        put(row(work.k));
        break;
      case Output::both:
        put(row(work.k + 1));
        row(work.k + 1)[work.k] = label;
        break;
      case Output::set: {
        const double most = stages_.sets->limit(out.coverage);
        for (std::size_t c = 0; c < work.k; ++c) row(work.k)[c] = c < known && ConformalSets::holds(work.p[c], most) ? 1 : 0;
        break;
      }
      case Output::full:
        std::copy_n(work.score(r), work.k, row(work.columns()));
        put(row(work.columns()) + work.k);
        row(work.columns())[2 * work.k] = label;
        break;
    }
  }

  static constexpr double least_weight = 1e-300;  // a row that is learned stays one

  Ensemble ensemble_;
  Work learn_work_;
  std::optional<ClassWeigher> kept_weigher_;
  std::optional<Importances> kept_importances_;
};

}  // namespace streamboost
