// Runs one booster: the loops over the rows of a chunk, through the booster's own `score`, `learn` and `conclude`. Compiled once for each
// booster (model_table.hpp); the pipeline sees only the interface in runner.hpp.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "streamboost/run/lane_guard.hpp"
#include "streamboost/run/part.hpp"
#include "streamboost/run/runner.hpp"

namespace streamboost {

template <Booster B>
class BoosterRunner final : public Runner {
 public:
  explicit BoosterRunner(B booster) : Runner(B::traits), booster_(std::move(booster)) {}

  std::unique_ptr<Runner> copy() const override { return std::make_unique<BoosterRunner>(*this); }
  std::unique_ptr<LaneBlock> make_block(Lanes lanes) const override {
    auto block = std::make_unique<BlockOf>();
    block->state.reserve(lanes);
    booster_.begin(block->state);
    return block;
  }
  std::unique_ptr<Chunk> make_chunk(const Intake& intake, const Ensemble& ensemble, std::size_t n) const override {
    return std::make_unique<ChunkOf<B>>(intake, ensemble, n);
  }
  LearnerNeeds learner_needs() const override { return booster_.learner_needs(); }
  int grain() const override { return booster_.grain(); }

  void open_to_answer(Chunk& chunk) const override {
    auto& work = own(chunk);
    for (int r = 0; r < work.size; ++r) {
      work.open(r, true);
      if constexpr (B::traits.announces) booster_.announce(work.passage[r]);
    }
  }
  void open_to_learn(Chunk& chunk, bool answers, const char* heard) override {
    auto& work = own(chunk);
    for (int r = 0; r < work.size; ++r) {
      work.open(r, answers && (heard == nullptr || heard[work.first + r] != 0));
      if constexpr (B::traits.announces) {
        booster_.announce(work.passage[r]);
        if (work.example[r].weight > 0) booster_.take_in(work.example[r]);
      }
    }
  }

  bool teach(LaneBlock& lanes, Chunk& chunk, Scratch& scratch) const override {
    auto& work = own(chunk);
    auto& block = static_cast<BlockOf&>(lanes);
    bool alarm = false;
    for (int r = 0; r < work.size; ++r) {
      const Example& example = work.example[r];
      if (example.weight > 0) {
        booster_.learn(example, block, scratch, work.passage[r]);
        block.bank->finish_example(example);
        if (block.guard.on()) alarm |= guard_lanes(example, block, scratch);
        if constexpr (B::traits.keeps_rows)
          if (booster_.batch_phase_due(example.number)) booster_.batch_phase(work.batch_phase, block, scratch);
      } else if (work.passage[r].answers) {
        booster_.score(example, block, scratch, work.passage[r]);
      }
    }
    return alarm;
  }

  void score(const LaneBlock& lanes, Chunk& chunk, Scratch& scratch) const override {
    auto& work = own(chunk);
    const auto& block = static_cast<const BlockOf&>(lanes);
    for (int r = 0; r < work.size; ++r) {
      if constexpr (B::traits.score_next)
        if (r > 0) {
          booster_.score_next(work.example[r], block, scratch, work.passage[r]);
          continue;
        }
      booster_.score(work.example[r], block, scratch, work.passage[r]);
    }
  }

  void answer(Chunk& chunk, const AnswerWriter& writer) const override {
    auto& work = own(chunk);
    for (int r = 0; r < work.size; ++r) answer_row(work, r, writer);
  }
  void conclude(Chunk& chunk, const AnswerWriter& writer) override {
    auto& work = own(chunk);
    for (int r = 0; r < work.size; ++r) {
      if (work.passage[r].answers) answer_row(work, r, writer);
      if (work.example[r].weight > 0) booster_.conclude(work.example[r], work.passage[r]);
    }
  }

  void verdict([[maybe_unused]] Chunk& chunk) const override {
    if constexpr (!B::traits.numbers) speak(own(chunk), 0);
  }
  double votes_size(const Chunk& chunk) const override {
    if (!B::traits.votes) return 1;
    const auto& work = static_cast<const ChunkOf<B>&>(chunk);
    double size = 0;
    for (int c = 0; c < work.example[0].n_classes; ++c) size += std::fabs(work.passage[0].votes[c]);
    return size;
  }
  VoteWeights vote_weights([[maybe_unused]] const LaneBlock& lanes, [[maybe_unused]] Chunk& chunk, [[maybe_unused]] const Scratch& scratch,
                           [[maybe_unused]] double* weight) const override {
    if constexpr (B::traits.vote_weights) {
      auto& work = own(chunk);
      return booster_.vote_weights(work.example[0], static_cast<const BlockOf&>(lanes), scratch, work.passage[0], weight);
    }
    return {.linear = false};
  }

  bool remembers([[maybe_unused]] std::int64_t number) const override {
    if constexpr (B::traits.keeps_rows) return booster_.remembers(number);
    return false;
  }
  bool batch_phase_due([[maybe_unused]] std::int64_t number) const override {
    if constexpr (B::traits.keeps_rows) return booster_.batch_phase_due(number);
    return false;
  }

  void read_carry(const Part& part, Chunk& chunk) const override { streamboost::read_carry<B>(part, own(chunk)); }
  void write_carry(Part& part, Chunk& chunk) const override { streamboost::write_carry<B>(part, own(chunk)); }
  void check_carry(const Part& part, const Carry& carry, std::int64_t number, std::int64_t n_learning) const override {
    streamboost::check_carry(booster_, part, carry, number, n_learning);
  }

  void reserve(int n_classes) override { booster_.reserve(n_classes); }
  void fields(FieldVisitor& v) override { booster_.fields(v); }
  void check() const override { booster_.check(); }
  void write_report(ModelReport& report, std::int64_t n_learned) const override { booster_.write_report(report, n_learned); }
  std::size_t bytes(std::size_t n_blocks) const override { return sizeof(*this) + booster_.table_bytes() + n_blocks * sizeof(BlockOf); }

 private:
  using BlockOf = Block<typename B::LaneState>;
  static ChunkOf<B>& own(Chunk& chunk) { return static_cast<ChunkOf<B>&>(chunk); }

  void answer_row(ChunkOf<B>& work, int r, const AnswerWriter& writer) const {
    if constexpr (B::traits.numbers) {
      if (writer.out.output == Output::number) writer.out.value[work.first + r] = booster_.number(work.example[r], work.passage[r]);
    } else {
      writer.write(work.first + r, work.example[r], speak(work, r));
    }
  }
  Verdict speak(ChunkOf<B>& work, int r) const {
    const Example& example = work.example[r];
    const double nothing = example.n_classes == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    std::fill(work.score.begin(), work.score.end(), nothing);
    std::fill(work.proba.begin(), work.proba.end(), nothing);
    Verdict verdict{work.score.data(), work.proba.data()};
    if (example.n_classes == 1 && B::traits.facts == Facts::none)
      verdict.score[0] = verdict.proba[0] = 1;
    else if (example.n_classes > 0)
      booster_.answer(example, work.passage[r], verdict);
    return verdict;
  }

  B booster_;
};

}  // namespace streamboost
