// An expert over remembered rows: a forest that answers, the plan of the next one, and the fit that is being worked off meanwhile.
//
// A plan made at example t is about rows t - memory ... t - 1 and takes over at example `due`, whatever the clock says: after each example
// until then an equal share of what is left is done. A copy, and a file, hold the plan and how far it is, not the work in progress; who goes
// on learning from there does that much again first (deferred_work.hpp).
//
// Where labels come `delay` examples late in use, forests are kept until those who spoke so many examples ago are others.
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
    std::int64_t delay = 0;
    int less = -1;  // the base of the rows that the truth is to be predicted beyond; -1: none

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
        since_(other.since_),
        older_(other.older_),
        next_(other.next_),
        fits_(other.fits_),
        plan_(other.plan_),
        dropped_(other.dropped_) {}
  ReplayExpert& operator=(ReplayExpert&&) noexcept = default;
  ReplayExpert(ReplayExpert&&) noexcept = default;

  const Params& params() const { return params_; }
  const BoostedForest& forest() const { return *forest_; }
  std::shared_ptr<const BoostedForest> shared_forest() const { return forest_; }  // for whoever asks it later
  // The one that spoke `delay` examples before example t.
  const BoostedForest& forest_before(std::int64_t t) const {
    const std::int64_t then = t - params_.delay;
    if (older_.empty() || since_ <= then) return *forest_;
    std::size_t at = older_.size() - 1;
    while (at > 0 && older_[at].since > then) --at;
    return *older_[at].forest;
  }
  std::int64_t fits() const { return fits_; }
  std::int64_t next_fit() const { return next_; }
  bool starved() const { return dropped_ > 0; }
  std::int64_t dropped() const { return dropped_; }  // fits for which there was no memory, since it was made or loaded
  // Rows before this one it will not ask for again.
  std::int64_t needs_from(std::int64_t t, std::int64_t memory) const {
    const std::int64_t kept = std::max<std::int64_t>(0, t - memory);
    return plan_.due > 0 ? std::min(kept, plan_.begin) : kept;
  }

  // Example number t - 1 is learned and remembered, of which `memory` rows count; `width` columns have had a value so far. rows(begin, end):
  // what a fit is given.
  template <class Rows>
  void learned(std::int64_t t, const Rows& rows, std::int64_t memory, const Schema& schema, int width) {
    if (plan_.due > 0) go_on(t, rows, schema);
    if (t < next_) return;
    const std::int64_t step = params_.schedule.step(t, memory);
    next_ = t + step;
    plan_ = {std::max<std::int64_t>(0, t - memory), t, t + params_.schedule.lateness(step), 0, width};
    start(rows, schema);
    if (t == params_.at_once && fit_) go_on(plan_.due, rows, schema);
  }

  // There is no room for rows any more: what was fitted to them is gone with them.
  void sleep() {
    if (forest_->fitted()) forest_ = std::make_shared<BoostedForest>();
    fit_.reset();
    plan_ = {};
  }

  std::size_t bytes() const {
    std::size_t all = forest_->bytes() + (fit_ ? fit_->bytes() : 0);
    for (const Spoke& spoke : older_) all += spoke.forest->bytes();
    return all;
  }

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
    if (params_.delay > 0) older_fields(v);
  }
  void check(std::int64_t t, const RowRing& ring, int columns, int most_outputs) const {
    require_count(fits_, "number of fits");
    require(next_ > t && next_ <= std::max(t, params_.at_once) + replay::most_rows, "next fit");
    forest_->check(columns, most_outputs);
    require(forest_->end <= t, "rows of a forest");
    require(since_ >= 0 && since_ <= t, "age of a forest");
    for (std::size_t i = 0; i < older_.size(); ++i) {
      const std::int64_t next = i + 1 < older_.size() ? older_[i + 1].since : since_;
      require(older_[i].since >= 0 && older_[i].since < next, "age of a forest");
      older_[i].forest->check(columns, most_outputs);
    }
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

  struct Spoke {
    std::int64_t since;  // examples learned when it began to speak
    std::shared_ptr<BoostedForest> forest;
  };

  // Their fields end to end: the names of a file do not depend on how many there are.
  void older_fields(FieldVisitor& v) {
    std::vector<std::int64_t> since{since_}, sizes, whole;
    std::vector<double> real;
    for (const Spoke& spoke : older_) {
      if (v.loads()) break;
      Saver saver;
      spoke.forest->fields(saver);
      since.push_back(spoke.since);
      for (const auto& [name, field] : saver.state) {
        sizes.push_back(static_cast<std::int64_t>(field.size()));
        whole.insert(whole.end(), field.integer.begin(), field.integer.end());
        real.insert(real.end(), field.real.begin(), field.real.end());
      }
    }
    v.growing("since", since);
    v.growing("older_sizes", sizes);
    v.growing("older_whole", whole);
    v.growing("older_real", real);
    if (v.loads()) load_older(since, sizes, whole, real);
  }
  void load_older(const std::vector<std::int64_t>& since, const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& whole,
                  const std::vector<double>& real) {
    Saver like;
    BoostedForest().fields(like);
    require(!since.empty() && sizes.size() == (since.size() - 1) * like.state.size(), "older forests");
    since_ = since[0];
    older_.clear();
    std::size_t size = 0, w = 0, r = 0;
    const auto next = [&]<class T>(const std::vector<T>& all, std::size_t& at, std::vector<T>& to) {
      const auto n = static_cast<std::size_t>(sizes[size++]);
      require(n <= all.size() - at, "older forests");
      to.assign(all.begin() + static_cast<std::ptrdiff_t>(at), all.begin() + static_cast<std::ptrdiff_t>(at + n));
      at += n;
      return static_cast<std::int64_t>(n);
    };
    for (std::size_t i = 1; i < since.size(); ++i) {
      SavedState state = like.state;
      for (auto& [name, field] : state) field.shape = {field.whole ? next(whole, w, field.integer) : next(real, r, field.real)};
      older_.push_back({since[i], std::make_shared<BoostedForest>()});
      Loader loader(state);
      older_.back().forest->fields(loader);
    }
    require(w == whole.size() && r == real.size(), "older forests");
  }

  void take_over(std::int64_t t, std::shared_ptr<BoostedForest> forest) {
    if (params_.delay > 0) {
      older_.push_back({since_, std::move(forest_)});
      since_ = t;
      // Of those who spoke before t - delay the last one may still be asked for.
      const auto later = std::find_if(older_.begin() + 1, older_.end(), [&](const Spoke& s) { return s.since > t - params_.delay; });
      older_.erase(older_.begin(), later - 1);
    }
    forest_ = std::move(forest);
    fits_ += 1;
  }

  // Of classes: two of them.
  bool worth_a_fit(const RowRing::Rows& rows) const {
    if (params_.boosting.loss != BoostingParams::Loss::classes) return true;
    for (int r = 1; r < rows.size(); ++r)
      if (rows.truth(r) != rows.truth(0)) return true;
    return false;
  }

  // Where there is no memory for it the plan is dropped: the old forest answers until the next one.
  template <class Rows>
  void start(const Rows& rows_of, const Schema& schema) {
    try {
      RowRing::Rows rows = rows_of(plan_.begin, plan_.end);
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
  template <class Rows>
  void go_on(std::int64_t t, const Rows& rows, const Schema& schema) {
    if (!fit_) start(rows, schema);
    if (!fit_) return;
    try {
      const std::int64_t examples = plan_.due - t + 1, left = fit_->left();
      if (examples > 1) {
        fit_->go_on_to(plan_.done + (left + examples - 1) / examples);
        plan_.done = fit_->done();
        return;
      }
      fit_->finish();
      take_over(t, std::make_shared<BoostedForest>(fit_->take()));
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
  std::int64_t since_ = 0;
  std::vector<Spoke> older_;  // the oldest first
  std::int64_t next_, fits_ = 0;
  Plan plan_;
  std::unique_ptr<BoostingFit> fit_;
  std::int64_t dropped_ = 0;
};

}  // namespace streamboost
