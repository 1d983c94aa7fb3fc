// A model that shows other rows to the one inside than those it was given. Base of LaggedModel (past targets), EncodedModel (words as numbers),
// TokensModel (hashed) and JoiningModel.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "streamboost/run/model.hpp"

namespace streamboost {

class ViewModel : public Model {
 public:
  explicit ViewModel(std::unique_ptr<Model> inside)
      : inside_(std::move(inside)), intake_(IntakeNeeds{.unlabeled = inside_->intake().counts_unlabeled()}) {}

  void swap_scratch(Model& other) noexcept override { inside_->swap_scratch(*static_cast<ViewModel&>(other).inside_); }
  std::size_t memory_bytes() override { return inside_->memory_bytes() + intake_.unsaved_bytes() + sizeof(ViewModel); }
  ModelReport report() override { return inside_->report(); }
  const Intake& intake() const override { return intake_; }
  std::size_t record_width(std::size_t k) const override { return inside_->record_width(k); }
  bool needs_gil() const override { return inside_->needs_gil(); }
  bool answers_numbers() const override { return inside_->answers_numbers(); }
  bool starved() const override { return inside_->starved(); }
  const char* broken() const override { return inside_->broken(); }
  std::vector<const BankHandle*> banks() const override { return inside_->banks(); }
  std::vector<const BankHandle*> spares() const override { return inside_->spares(); }

 protected:
  ViewModel(const ViewModel& other) : inside_(copy_of(*other.inside_)), intake_(other.intake_) {}
  void take(Model& other) override {
    auto& them = static_cast<ViewModel&>(other);
    take_all(*inside_, *them.inside_);
    intake_ = std::move(them.intake_);
  }

  struct Grown : Growth {
    ViewModel& model;
    std::unique_ptr<Growth> inside;
    Intake intake;
    explicit Grown(ViewModel& m) : model(m), intake(m.intake_) {}
    void exchange() noexcept override {
      Model::exchange(inside.get(), *model.inside_);
      std::swap(model.intake_, intake);
    }
    std::size_t bytes() override { return bytes_of(inside.get(), *model.inside_) + intake.unsaved_bytes() + sizeof(ViewModel); }
  };

  // Counts row r of a block in: examples learned, classes known. Returns its weight.
  double count(Truth truth, const double* weight, int r) {
    RowBuffer unused;
    Example nobody;
    const double w = weight ? weight[r] : 1.0;
    intake_.admit({nullptr, nullptr, 0}, truth.label ? truth.label[r] : 0, w, truth.absent(r), unused, nobody);
    return w;
  }
  void check_inside() const {
    intake_.check();
    require(inside_->intake().n_learned() == intake_.n_learned() && inside_->intake().n_seen() == intake_.n_seen() &&
                inside_->intake().n_classes_known() == intake_.n_classes_known(),
            "examples learned inside");
  }

  std::unique_ptr<Model> inside_;
  Intake intake_;
};

}  // namespace streamboost
