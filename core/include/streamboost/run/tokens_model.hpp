// Shows the model inside hashed tokens (words/tokens.hpp) instead of the columns: sparse rows of 2^bits columns of numbers, hashed once for
// all lanes. plan.cpp puts it around ensembles whose learner is a HashedLogisticRegression.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "streamboost/run/view_model.hpp"
#include "streamboost/words/tokens.hpp"

namespace streamboost {

class TokensModel final : public ViewModel {
 public:
  struct Params {
    words::View view;
    int bits;
    static Params read(const Config& c) { return {words::read_view(c), words::read_bits(c)}; }
  };

  TokensModel(std::unique_ptr<Model> inside, const Params& params) : ViewModel(std::move(inside)), params_(params) {}

  std::unique_ptr<Growth> prepare(const Schema& schema) override {
    auto growth = std::make_unique<Widened>(*this);
    growth->intake.reserve(schema);
    growth->only_numbers = words::only_numbers(schema);
    const Schema& seen = inside_->intake().schema();  // which knows nothing of columns
    if (seen.width() > 0 && seen.n_classes == schema.n_classes && seen.declared == schema.declared) return growth;
    Schema hashed;
    hashed.n_values.assign(places(), numeric_column);
    hashed.first_width = static_cast<int>(places());
    hashed.n_classes = schema.n_classes;
    hashed.declared = schema.declared;
    growth->inside = inside_->prepare(hashed);
    return growth;
  }
  void expect(const RowBlock& rows, const double* weight) override { inside_->expect(scratch_.hashed.of(*this, rows), weight); }
  void learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& out) override {
    const RowBlock hashed = scratch_.hashed.of(*this, rows);
    inside_->expect(hashed, weight);
    for (int r = 0; r < rows.n_rows; ++r) count(truth, weight, r);
    inside_->learn(hashed, truth, weight, out);
  }
  void predict(const RowBlock& rows, const OutputBuffers& out) const override {
    Hashed hashed;
    inside_->predict(hashed.of(*this, rows), out);
  }

  void visit(FieldVisitor& v) override {
    inside_->visit(v);
    v.prefix = "tokens/";
    intake_.fields(v);
    if (v.loads()) check_inside();
  }

 protected:
  std::unique_ptr<Model> copy() const override { return std::unique_ptr<Model>(new TokensModel(*this)); }
  void take(Model& other) override {
    ViewModel::take(other);
    only_numbers_ = static_cast<TokensModel&>(other).only_numbers_;
  }

 private:
  TokensModel(const TokensModel&) = default;

  struct Widened final : Grown {
    bool only_numbers = false;
    explicit Widened(TokensModel& m) : Grown(m) {}
    void exchange() noexcept override {
      Grown::exchange();
      std::swap(static_cast<TokensModel&>(model).only_numbers_, only_numbers);
    }
  };

  struct Hashed {
    words::Tokens tokens;
    std::vector<double> value;
    std::vector<std::int64_t> start;
    std::vector<std::int32_t> place;
    RowBlock of(const TokensModel& model, const RowBlock& rows) {
      value.clear();
      place.clear();
      start.assign(1, 0);
      for (int r = 0; r < rows.n_rows; ++r) {
        tokens.read(rows.row(r), model.intake_.schema(), model.only_numbers_, model.params_.view, model.params_.bits);
        value.insert(value.end(), tokens.value.begin(), tokens.value.end());
        place.insert(place.end(), tokens.place.begin(), tokens.place.end());
        start.push_back(static_cast<std::int64_t>(value.size()));
      }
      if (place.empty()) place.push_back(no_column);  // a null pointer would say that the rows are dense
      RowBlock block;
      block.n_rows = rows.n_rows;
      block.n_columns = static_cast<int>(model.places());
      block.values = value.data();
      block.row_start = start.data();
      block.columns = place.data();
      return block;
    }
  };
  // Of learning; a copy of the model has its own.
  struct Scratch {
    Hashed hashed;
    Scratch() = default;
    Scratch(const Scratch&) {}
  };

  std::size_t places() const { return std::size_t{1} << params_.bits; }

  Params params_;
  bool only_numbers_ = false;
  Scratch scratch_;
};

}  // namespace streamboost
