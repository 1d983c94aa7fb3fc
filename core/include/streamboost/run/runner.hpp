// A booster as the pipeline sees it: the stages of a chunk of examples, and the state of the combiner. booster_runner.hpp makes one of
// every booster; everything that is the same for all of them is in pipeline.hpp and compiled once.
#pragma once
#include <cstdint>
#include <memory>

#include "streamboost/data/carry.hpp"
#include "streamboost/run/chunk.hpp"

namespace streamboost {

class Runner {
 public:
  explicit Runner(const BoosterTraits& declared) : traits(declared) {}
  virtual ~Runner() = default;
  const BoosterTraits& traits;

  virtual std::unique_ptr<Runner> copy() const = 0;
  virtual std::unique_ptr<LaneBlock> make_block(Lanes) const = 0;  // its bank is added by the pipeline
  virtual std::unique_ptr<Chunk> make_chunk(const Intake&, const Ensemble&, std::size_t n) const = 0;
  virtual LearnerNeeds learner_needs() const = 0;
  virtual int grain() const = 0;

  // ---- the stages of a chunk whose examples have been admitted
  virtual void open_to_answer(Chunk&) const = 0;                            // makes fresh passages
  virtual void open_to_learn(Chunk&, bool answers, const char* heard) = 0;  // heard: see OutputBuffers
  virtual bool teach(LaneBlock&, Chunk&, Scratch&) const = 0;               // true if the guard of some lane has alarmed
  virtual void score(const LaneBlock&, Chunk&, Scratch&) const = 0;
  virtual void answer(Chunk&, const AnswerWriter&) const = 0;
  virtual void conclude(Chunk&, const AnswerWriter&) = 0;  // answers each row (if the answer is read), then learns it

  // ---- explanations of the only row of a chunk
  virtual void verdict(Chunk&) const = 0;  // into its score and proba
  virtual double votes_size(const Chunk&) const = 0;
  virtual VoteWeights vote_weights(const LaneBlock&, Chunk&, const Scratch&, double* weight) const = 0;

  // ---- a batch phase
  virtual bool remembers(std::int64_t number) const = 0;
  virtual bool batch_phase_due(std::int64_t number) const = 0;

  // ---- a part of an ensemble
  virtual void read_carry(const Part&, Chunk&) const = 0;
  virtual void write_carry(Part&, Chunk&) const = 0;
  virtual void check_carry(const Part&, const Carry&, std::int64_t number, std::int64_t n_learning) const = 0;

  // ---- the combiner
  virtual void reserve(int n_classes) = 0;
  virtual void fields(FieldVisitor&) = 0;
  virtual void check() const = 0;
  virtual void write_report(ModelReport&, std::int64_t n_learned) const = 0;
  virtual std::size_t bytes(std::size_t n_blocks) const = 0;  // beside those of the fields
};

}  // namespace streamboost
