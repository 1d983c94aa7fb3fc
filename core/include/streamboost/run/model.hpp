// The interface of all models: learn from rows, answer for rows, list the state, grow. Pipelines, pools and the layers around them implement
// it; the bindings, team.hpp and packed.hpp know nothing else of a model.
#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "streamboost/run/flow.hpp"
#include "streamboost/run/intake.hpp"
#include "streamboost/run/outputs.hpp"

namespace streamboost {

using BankFactory = std::function<std::unique_ptr<Bank>(Lanes)>;

// The parts of a model for a larger schema, made beside it: if that fails, the model is as before.
struct Growth {
  virtual ~Growth() = default;
  // Swaps these parts with the model's. A second call undoes the first, if the model has learned nothing in between.
  virtual void exchange() noexcept = 0;
  // Bytes of the whole model after the swap, without trees and remembered rows, which have limits of their own.
  virtual std::size_t bytes() = 0;
  std::size_t counted = 0;  // what `bytes` has found
};

// Of one row: base + contributions = score, of the class `label`; with two classes its score less that of the other.
struct ExplainedScore {
  double base = 0, score = 0;
  int label = -1;
};

class Model {
 public:
  virtual ~Model() = default;
  virtual std::unique_ptr<Growth> prepare(const Schema&) = 0;  // null: there is nothing to grow
  // All or nothing; refused where the model would then take more bytes than these (Growth::bytes). What it has put in its place can be
  // taken back; null: nothing.
  std::unique_ptr<Growth> reserve(const Schema& schema, double max_bytes = std::numeric_limits<double>::infinity());
  // Room for rows, and `learn`, which learns them. If it fails before the first of them, the room is gone again: nobody knows what
  // would have been in it, and a file has no place for it.
  template <class Learn>
  void grow_and_learn(const Schema& schema, double max_bytes, Learn learn) {
    const auto growth = reserve(schema, max_bytes);
    const std::int64_t before = intake().n_seen();
    try {
      learn();
    } catch (...) {
      if (growth && intake().n_seen() == before && broken() == nullptr) exchange(growth.get(), *this);
      throw;
    }
  }
  virtual void learn(const RowBlock&, Truth, const double* weight, const OutputBuffers&) = 0;
  virtual void predict(const RowBlock&, const OutputBuffers&) const = 0;
  // Numbers of a record (run/outputs.hpp) beside its first, when so many classes have codes. A row of weight 0 in `learn` is one that is asked.
  virtual std::size_t record_width(std::size_t /*n_classes*/) const { return 0; }
  // Refuses records that are not of this model, before anything is learned with them, and gives those of rows to be asked (weight 0) their
  // first number. schema: as it will be then.
  void check_records(const Records& records, std::size_t n_records, std::size_t n_rows, const double* weight, const Schema& schema) const;
  // The same as `learn`, chunk by chunk at stations of a flow; returns the last of them. One that says nothing is a single station.
  virtual int enlist(Flow&, const FlowInput&);
  // The past targets, or labels, that a row asked about now would have as further columns.
  virtual std::vector<double> lags() const { return {}; }
  // Why a row (the only one of its block) has its score, in closed form; contributions: [column, then lag], zero before. label -1: code 1 of two,
  // the best of more. shapley: by exact Shapley values. Nothing: there is no such form.
  virtual std::optional<ExplainedScore> explain(const RowBlock&, int /*label*/, bool /*shapley*/, double* /*contributions*/) const {
    return std::nullopt;
  }
  // The same model once more, from memory to memory. Not for learners written in Python.
  std::unique_ptr<Model> clone() const;
  // Every piece of state. What a visitor that loads has left is checked: if that throws the model is lost, and callers work on a copy.
  virtual void visit(FieldVisitor&) = 0;
  SavedState save();
  void load(const SavedState& state);  // all or nothing
  // What calls work with changes places with that of another model, made of the same plan as this one. Of two with the same columns,
  // classes and lanes one is enough: it holds nothing from call to call. Others keep what they have.
  virtual void swap_scratch(Model&) noexcept = 0;
  virtual std::size_t memory_bytes() = 0;
  virtual ModelReport report() = 0;
  virtual const Intake& intake() const = 0;
  virtual bool needs_gil() const = 0;
  virtual bool answers_numbers() const { return false; }
  virtual Facts facts() const { return Facts::none; }    // what it learns in place of labels
  virtual std::size_t n_coverages() const { return 0; }  // sets or intervals that it keeps
  // What is said of the classes, by code (stages/decider.hpp); only a stage that decides by it listens.
  virtual void describe(const std::vector<double>& /*facts*/) {}
  // Begins beside models that have learned rows already: it knows the classes that they know.
  virtual void join(const Intake&) noexcept {}
  // Room for what these rows may bring, so that learning them, whole or part by part, does not fail in the middle. weight: null for 1s.
  virtual void expect(const RowBlock&, const double* weight) = 0;
  // Learners have gone on without growth that there was no memory for (NeedsRoom::starved).
  virtual bool starved() const = 0;
  virtual const char* broken() const = 0;  // why nothing can be asked of it any more; null: it is sound
  virtual std::vector<const BankHandle*> banks() const = 0;
  virtual std::vector<const BankHandle*> spares() const { return {}; }  // the same learners' in the background

 protected:
  // Also of one that is broken; the objects of learners written in Python are then those of both.
  virtual std::unique_ptr<Model> copy() const = 0;
  virtual void take(Model& other) = 0;  // all of a copy; whoever knows this one by its address still does
  static std::unique_ptr<Model> copy_of(const Model& model) {
    auto copy = model.copy();
    copy->bytes_ = model.bytes_;
    return copy;
  }
  // Of a model inside another, which grows with it or stays as it is.
  static std::size_t bytes_of(Growth* growth, const Model& model) { return growth ? growth->counted = growth->bytes() : model.bytes_; }
  static void exchange(Growth* growth, Model& model) noexcept {
    if (growth == nullptr) return;
    growth->exchange();
    std::swap(model.bytes_, growth->counted);
  }
  static void take_all(Model& model, Model& other) { model.take(other); }

 private:
  std::size_t bytes_ = 0;  // Growth::bytes of the last one
};

}  // namespace streamboost
