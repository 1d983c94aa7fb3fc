// An expert over remembered rows: a forest that answers, the plan of the next one, and the fit that is being worked off meanwhile.
//
// A plan made at example t is about rows t - memory ... t - 1 and takes over at example `due`, whatever the clock says: after each example
// until then an equal share of what is left is done. A copy, and a file, hold the plan and how far it is, not the work in progress; who goes
// on learning from there does that much again first (deferred_work.hpp).
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "streamboost/data/fields.hpp"
#include "streamboost/replay/boosting_fit.hpp"
#include "streamboost/replay/schedule.hpp"

namespace streamboost {

class ReplayExpert {
 public:
  struct Params {
    BoostingParams boosting;
    FitSchedule schedule;
    std::int64_t memory;   // rows
    std::int64_t at_once;  // the first fit is made here, without delay; 0: as scheduled
    int less = -1;         // the base of the rows that the truth is to be predicted beyond; -1: none

    // Rows that may be remembered within so many bytes: those of the ring, and of each of the experts that share it a forest that answers, one
    // in the making and what its fit works with. 0: not even 1,000 (or what was asked for, if less).
    std::int64_t rows_within(std::int64_t bytes, std::int64_t experts, std::int64_t width, std::int64_t outputs, int bases = 0) const {
      const std::int64_t bins = boosting.most_bins(width, outputs);
      if (bins < 5) return 0;
      const std::int64_t row = RowRing::row_bytes(static_cast<int>(width), bases);
      const double fixed = 2.0 * static_cast<double>(row * RowRing::segment_rows) +
                           static_cast<double>(experts) * (2.0 * static_cast<double>(boosting.forest_bytes(width, outputs)) +
                                                           static_cast<double>(bins * width * boosting.slot_bytes(outputs)));
      const double each = static_cast<double>(row) * (1 + (schedule.refit - 1) * schedule.late) +  // rows of a fit that is late stay
                          static_cast<double>(experts * boosting.row_bytes(width, outputs));
      const auto room = static_cast<std::int64_t>(std::max(0.0, (static_cast<double>(bytes) - fixed) / each));
      return room >= std::min<std::int64_t>(1000, memory) ? std::min(room, memory) : 0;
    }
  };

  explicit ReplayExpert(const Params& params) : params_(params), next_(params.at_once > 0 ? params.at_once : FitSchedule::first) {}
  ReplayExpert(const ReplayExpert& other)
      : params_(other.params_),
        forest_(other.forest_),
        next_(other.next_),
        fits_(other.fits_),
        plan_(other.plan_),
        dropped_(other.dropped_) {}
  ReplayExpert& operator=(ReplayExpert&&) noexcept = default;
  ReplayExpert(ReplayExpert&&) noexcept = default;

  const Params& params() const { return params_; }
  const BoostedForest& forest() const { return *forest_; }
  std::int64_t fits() const { return fits_; }
  std::int64_t next_fit() const { return next_; }
  bool starved() const { return dropped_ > 0; }
  std::int64_t dropped() const { return dropped_; }  // fits for which there was no memory, since it was made or loaded
  // Rows before this one it will not ask for again.
  std::int64_t needs_from(std::int64_t t, std::int64_t memory) const {
    const std::int64_t kept = std::max<std::int64_t>(0, t - memory);
    return plan_.due > 0 ? std::min(kept, plan_.begin) : kept;
  }

  // Example number t - 1 is learned and in the ring, of which `memory` rows count; `width` columns have had a value so far.
  void learned(std::int64_t t, const RowRing& ring, std::int64_t memory, const Schema& schema, int width) {
    if (plan_.due > 0) go_on(t, ring, schema);
    if (t < next_) return;
    const std::int64_t step = params_.schedule.step(t, memory);
    next_ = t + step;
    plan_ = {std::max<std::int64_t>(0, t - memory), t, t + params_.schedule.lateness(step), 0, width};
    start(ring, schema);
    if (t == params_.at_once && fit_) go_on(plan_.due, ring, schema);
  }

  // There is no room for rows any more: what was fitted to them is gone with them.
  void sleep() {
    if (forest_->fitted()) forest_ = std::make_shared<BoostedForest>();
    fit_.reset();
    plan_ = {};
  }

  std::size_t bytes() const { return forest_->bytes() + (fit_ ? fit_->bytes() : 0); }

  void fields(FieldVisitor& v) {
    if (v.loads()) {
      forest_ = std::make_shared<BoostedForest>();
      fit_.reset();
    }
    v("next_fit", next_);
    v("fits", fits_);
    v("plan_begin", plan_.begin);
    v("plan_end", plan_.end);
    v("plan_due", plan_.due);
    v("plan_done", plan_.done);
    v("plan_width", plan_.width);
    forest_->fields(v);
  }
  void check(std::int64_t t, const RowRing& ring, int columns, int most_outputs) const {
    require_count(fits_, "number of fits");
    require(next_ > t && next_ <= std::max(t, params_.at_once) + replay::most_rows, "next fit");
    forest_->check(columns, most_outputs);
    require(forest_->end <= t, "rows of a forest");
    if (plan_.due == 0) return require(plan_.begin == 0 && plan_.end == 0 && plan_.done == 0 && plan_.width == 0, "plan of a fit");
    require(plan_.begin >= ring.begin() && plan_.begin < plan_.end && plan_.end <= t && plan_.end - plan_.begin <= replay::most_rows,
            "plan of a fit");
    require(plan_.due > t && plan_.due <= next_ && plan_.done >= 0 && plan_.width >= 0 && plan_.width <= columns, "plan of a fit");
  }

 private:
  struct Plan {
    std::int64_t begin = 0, end = 0, due = 0;  // due 0: there is none
    std::int64_t done = 0, width = 0;
  };

  // Of classes: two of them.
  bool worth_a_fit(const RowRing::Rows& rows) const {
    if (params_.boosting.loss != BoostingParams::Loss::classes) return true;
    for (int r = 1; r < rows.size(); ++r)
      if (rows.truth(r) != rows.truth(0)) return true;
    return false;
  }

  // Where there is no memory for it the plan is dropped: the old forest answers until the next one.
  void start(const RowRing& ring, const Schema& schema) {
    try {
      RowRing::Rows rows = ring.rows(plan_.begin, plan_.end, params_.less);
      if (!worth_a_fit(rows)) {
        plan_ = {};
        return;
      }
      std::vector<char> nominal;
      for (int j = 0; j < plan_.width; ++j) nominal.push_back(schema.nominal(j) ? 1 : 0);
      fit_ = std::make_unique<BoostingFit>(params_.boosting, std::move(rows), std::move(nominal));
      fit_->go_on_to(plan_.done);
      plan_.done = fit_->done();
    } catch (const std::bad_alloc&) {
      drop();
    }
  }
  void go_on(std::int64_t t, const RowRing& ring, const Schema& schema) {
    if (!fit_) start(ring, schema);
    if (!fit_) return;
    try {
      const std::int64_t examples = plan_.due - t + 1, left = fit_->left();
      if (examples > 1) {
        fit_->go_on_to(plan_.done + (left + examples - 1) / examples);
        plan_.done = fit_->done();
        return;
      }
      fit_->finish();
      forest_ = std::make_shared<BoostedForest>(fit_->take());
      fits_ += 1;
      fit_.reset();
      plan_ = {};
    } catch (const std::bad_alloc&) {
      drop();
    }
  }
  void drop() {
    fit_.reset();
    plan_ = {};
    dropped_ += 1;
  }

  Params params_;
  std::shared_ptr<BoostedForest> forest_ = std::make_shared<BoostedForest>();  // shared by copies; never written to once fitted
  std::int64_t next_, fits_ = 0;
  Plan plan_;
  std::unique_ptr<BoostingFit> fit_;
  std::int64_t dropped_ = 0;
};

}  // namespace streamboost
