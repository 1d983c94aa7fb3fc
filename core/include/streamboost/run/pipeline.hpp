// The stages of every example, the same for all boosters: Intake -> blocks in lane order -> combiner.
//
// Learner i on example t needs only learner i-1 on example t and learner i on example t-1. So lanes may be cut into blocks
// anywhere: a chunk of examples goes through block after block, each with its Passage, then through the combiner, row by
// row. Answers are given with the state before the row was learned. Any cut and any chunk give the same bits.
//
// In a flow (flow.hpp) the intake, every block and the combiner are stations, and chunks follow one another through them.
//
// What a stage does with a row is the booster's (runner.hpp). Here is all that surrounds it, in three files: pipeline.cpp builds, grows,
// copies and saves; pipeline_rows.cpp takes rows through the stages; pipeline_explain.cpp explains.
#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "streamboost/run/lane_guard.hpp"
#include "streamboost/run/model.hpp"
#include "streamboost/run/runner.hpp"

namespace streamboost {

class Pipeline final : public Model {
 public:
  // cuts: global lane numbers at which a new block begins (sorted, strictly inside the ensemble). Learners that cannot do what the
  // booster needs are refused.
  Pipeline(std::unique_ptr<Runner> runner, const Ensemble& ensemble, const BankFactory& make_bank, const std::vector<int>& cuts);

  std::unique_ptr<Growth> prepare(const Schema& schema) override;
  void learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& answers) override;
  void expect(const RowBlock& rows, const double* weight) override;
  void predict(const RowBlock& rows, const OutputBuffers& answers) const override;
  int enlist(Flow& flow, const FlowInput& in) override;
  std::optional<ExplainedScore> explain(const RowBlock& row, int label, bool shapley, double* contributions) const override;
  void visit(FieldVisitor& v) override;
  void swap_scratch(Model& other) noexcept override;
  std::size_t memory_bytes() override;
  ModelReport report() override;
  const Intake& intake() const override { return intake_; }
  const char* broken() const override { return broken_; }
  bool starved() const override;
  bool needs_gil() const override { return blocks_.front()->bank.can().objects != nullptr || blocks_.front()->guard.needs_gil(); }
  bool answers_numbers() const override { return runner_->traits.numbers; }
  Facts facts() const override { return runner_->traits.facts; }
  std::vector<const BankHandle*> banks() const override;
  std::vector<const BankHandle*> spares() const override;

 protected:
  std::unique_ptr<Model> copy() const override { return std::unique_ptr<Model>(new Pipeline(*this)); }
  void take(Model& other) override;

 private:
  struct Grown;

  Pipeline(const Pipeline& other);
  void add_block(Lanes lanes, const BankFactory& make_bank);
  BankHandle fitting_bank(Lanes lanes, const BankFactory& make_bank) const;
  void check() const;
  void require_sound() const;
  void forget_call_memory() noexcept;
  std::size_t remembered_rows() const;
  double least_bytes(const Schema& schema) const;
  void prepare(CallMemory& memory, int n_rows) const;
  std::vector<Scratch> make_scratch() const;

  // ---- rows
  bool batch_phase_within(const TrainingBatch& batch) const;
  void learn_as_copy(const TrainingBatch& batch);
  void learn_rows(const TrainingBatch& batch);
  void count_votes(const RowBlock& rows, double* shares) const;
  void admit(const TrainingBatch& batch, int first, int end, Chunk& work);
  void conclude(const TrainingBatch& batch, Chunk& work);
  AnswerWriter writer(const OutputBuffers& answers) const;

  // ---- all lanes at once: a guard that waits for them, and the other parts of an ensemble (carry.hpp)
  bool one_by_one() const { return ensemble_.guard.on() && ensemble_.guard.on_drift == GuardParams::OnDrift::worst; }
  Part* part() const { return ensemble_.part.get(); }
  void register_part();
  void act_on_alarm(bool alarm, std::int64_t number);

  std::unique_ptr<Runner> runner_;
  Ensemble ensemble_;
  Intake intake_;
  LaneBlocks blocks_;
  RowMemory memory_;               // where traits.keeps_rows; empty otherwise
  CallMemory learn_memory_;        // of learn_rows; no state
  mutable CallMemory ask_memory_;  // of predict
  mutable std::atomic<bool> ask_memory_taken_{false};
  const char* broken_ = nullptr;  // why, once learning has failed in the middle of a row
  bool learning_begun_ = false;   // in this call
  bool reserved_ = false;
};

}  // namespace streamboost
