// Rare classes: what an example weighs beside its own weight, by its class.
//
// Paper     Wang, Minku, Yao: Resampling-based ensemble methods for online class imbalance learning (2015), for over- and undersampling:
//           under an ensemble that draws Poisson(s) copies a factor on the weight is a factor on the rate.
//
//   n_c   count_    rows of class c so far, faded by `keep` at every learned row
//   balanced        (n + k) / (k (n_c + 1)), n the sum over k known classes, with the counts of before this row; at most 100
//   oversample      n_max / n_c, this row included, at most 10
//   undersample     n_min / n_c, this row included, over the classes that have occurred
//   table           a number for each class, given by the user; 1 where none is named
#pragma once
#include <algorithm>

#include "streamboost/data/config.hpp"
#include "streamboost/data/fields.hpp"

namespace streamboost {

class ClassWeigher {
 public:
  enum class Kind { balanced, oversample, undersample, table };
  struct Params {
    Kind kind;
    double keep;
    static Params read(const Config& c) {
      return {
          c.choice<Kind>(
              "class_weight",
              {{"balanced", Kind::balanced}, {"oversample", Kind::oversample}, {"undersample", Kind::undersample}, {"table", Kind::table}}),
          c.number("class_weight_keep")};
    }
  };

  explicit ClassWeigher(Params params) : params_(params) {}
  void reserve(int n_classes) {
    count_.resize(static_cast<std::size_t>(n_classes));
    table_.resize(static_cast<std::size_t>(n_classes), 1.0);
  }
  // By code, of all classes that have one.
  void describe(const double* weights) { std::copy_n(weights, table_.size(), table_.begin()); }

  // The factor of a row that is learned now; the counts move on. known: classes known once it is learned.
  double factor(int label, int known) {
    const auto c = static_cast<std::size_t>(label);
    if (params_.kind == Kind::table) return table_[c];
    double before = 1;
    if (params_.kind == Kind::balanced) {
      double n = 0;
      for (int i = 0; i < known; ++i) n += count_[static_cast<std::size_t>(i)];
      before = std::min((n + known) / (known * (count_[c] + 1)), 100.0);
    }
    for (double& x : count_) x *= params_.keep;
    count_[c] += 1;
    if (params_.kind == Kind::balanced) return before;
    double least = count_[c], most = count_[c];
    for (double x : count_) {
      most = std::max(most, x);
      if (x > 0) least = std::min(least, x);
    }
    return params_.kind == Kind::oversample ? std::min(most / count_[c], 10.0) : least / count_[c];
  }

  void fields(FieldVisitor& v) {
    v("count", count_);
    v("table", table_);
  }
  void check() const {
    for (double x : count_) require(x >= 0, "counts of the classes");
    for (double x : table_) require(x >= 0, "weights of the classes");
  }

 private:
  Params params_;
  AlignedVector<double> count_, table_;  // [class]
};

}  // namespace streamboost
