// A block of lanes: a bank of learners, what a booster keeps about each of them, and what a call works with.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "streamboost/drift/guard.hpp"
#include "streamboost/ensembles/lane_events.hpp"
#include "streamboost/learners/bank.hpp"

namespace streamboost {

struct Scratch {
  Answers answers;
  AlignedVector<double> amount, draw, extra;  // [lane], padded; amount: what the lanes have learned, when `learn` returns
  Amount kind = Amount::weight;               // ... and as what
  AlignedVector<double> work, row;            // a booster's own room, sized by itself
  std::vector<std::int32_t> counts;
  AlignedVector<double> target;  // [lane]: what a regressor's lanes were taught
  Answers spare_answers;         // of the background learners, where there are any
  AlignedVector<double> spare_amount;
  void prepare(const BankHandle& bank, const BankHandle& spares, std::size_t n_classes) {
    const auto lanes = static_cast<std::size_t>(bank->lanes().size());
    bank->prepare(n_classes, answers);
    if (spares) {
      spares->prepare(n_classes, spare_answers);
      spare_amount.resize(padded(lanes));
    }
    amount.resize(padded(lanes));
    draw.resize(padded(lanes));
    extra.resize(padded(lanes));
    if (bank.can().numbers) target.resize(padded(lanes));
  }
  // Room for a matrix of costs and for costs per lane, before the first lane has learned: memory that runs out then harms nobody.
  void reserve_costs(std::size_t lanes, std::size_t n_classes) {
    work.reserve(std::max(n_classes * n_classes, (lanes + 1 + answers.stride) * n_classes));
    row.reserve(n_classes);
    counts.reserve(2 * n_classes + answers.stride);
  }
};

// What the run of a model knows of a block, whatever its booster.
struct LaneBlock {
  BankHandle bank;
  LaneEvents events;
  DriftGuard guard;   // on where the ensemble asks for it
  BankHandle spares;  // background learners, lane by lane, where the guard wants them

  LaneBlock() = default;
  virtual ~LaneBlock() = default;
  Lanes lanes() const { return bank->lanes(); }
  virtual std::unique_ptr<LaneBlock> copy() const = 0;
  virtual void state_fields(FieldVisitor&) = 0;
  virtual void check_state() const = 0;
  // The learner of a lane was replaced: what is known of it begins again; with `place`, so does what describes its place in the chain.
  virtual void forget(std::size_t lane, bool place) = 0;

 protected:
  LaneBlock(const LaneBlock& other) : bank(other.bank.copy()), events(other.events), guard(other.guard), spares(other.spares.copy()) {}
};

// What a booster keeps per lane may forget: the learner, when it is replaced, and its place in the chain.
struct LaneStateDefaults {
  void reborn(std::size_t) {}
  void restart(std::size_t) {}
};

struct NoLaneState : LaneStateDefaults {
  void reserve(Lanes) {}
  void fields(FieldVisitor&) {}
  void check() const {}
};

// The weights in [-2, 2] that a booster learns for its lanes' votes.
struct VoteAlphas : LaneStateDefaults {
  LaneArray<double> alpha;
  void reserve(Lanes lanes) { alpha = LaneArray<double>(1, static_cast<std::size_t>(lanes.size())); }
  void fields(FieldVisitor& v) { v("alpha", alpha); }
  void check() const {
    for (std::size_t i = 0; i < alpha.lanes(); ++i) require(alpha[0][i] >= -2 && alpha[0][i] <= 2, "weights of the vote");
  }
};

template <class LaneState>
struct Block final : LaneBlock {
  LaneState state;

  std::unique_ptr<LaneBlock> copy() const override { return std::make_unique<Block>(*this); }
  void state_fields(FieldVisitor& v) override { state.fields(v); }
  void check_state() const override { state.check(); }
  void forget(std::size_t lane, bool place) override {
    state.reborn(lane);
    if (place) state.restart(lane);
  }
};

}  // namespace streamboost
