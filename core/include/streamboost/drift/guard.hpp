// A guard for every lane: notices when a learner has become worse and replaces it.
//
// Papers    Gomes et al.: Adaptive random forests for evolving data stream classification (2017), for warnings and background
//           learners; Bifet, Holmes, Pfahringer: Leveraging bagging for evolving data streams (2010), for resets without them.
//
// Works under every booster with every bank and every detector (drift/detector.hpp): all it reads is whether a lane's answer was right,
// and all it does is reset a lane, or let it change places with the same lane of a second bank, the spares. For every learned example
// and lane whose amount was positive the lane's detector is given
//
//   error = the lane's answer before learning was wrong (or, error = after: its answer after learning)
//   warning   the lane's spare is planted (a new birth) and learns from the next example on; it never votes. A detector whose warnings are
//             single events (ADWIN) has it planted anew with each; one whose warnings last (DDM, HDDM) leaves it growing
//   drift     the spare takes the lane's place; without one the lane starts again, empty
//   no warning for `patience` inputs of the lane: the last one was false, and the spare is dismissed
//
// Order: ask, weigh, teach the lane, teach its spare, guard. After a change of learner the detector begins again, and what the booster
// remembers about the learner in that lane is forgotten (LaneState::reborn, where there is one). What describes the place in the chain
// (Oza's sums, say) stays, unless on_drift = lane asks the booster to forget that as well (LaneState::restart).
// on_drift = worst: when any lane alarms, the lane whose detector has the highest mean error starts again; the pipeline then runs example by
// example, because all lanes must have spoken.
//
// Everything here belongs to one lane and reads its own past only, so cuts and threads do not matter. A weight of 0 leaves it untouched.
// Cost        one input into a detector per lane and example, and one more learner for each lane under warning.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "streamboost/data/bound_sums.hpp"
#include "streamboost/data/config.hpp"
#include "streamboost/drift/detector.hpp"
#include "streamboost/learners/bank.hpp"

namespace streamboost {

struct GuardParams {
  enum class OnDrift { learner, lane, worst };
  enum class SpareAmount { lane, one };
  DetectorFactory detectors;  // none: no guard
  bool background = false;
  bool after = false;  // judged by the answer after learning
  OnDrift on_drift = OnDrift::learner;
  SpareAmount spare_amount = SpareAmount::lane;

  bool on() const { return detectors != nullptr; }
  static GuardParams read(const Config& c, DetectorFactory detectors) {
    return {std::move(detectors), c.flag("background"), c.choice<bool>("error", {{"before", false}, {"after", true}}),
            c.choice<OnDrift>("on_drift", {{"learner", OnDrift::learner}, {"lane", OnDrift::lane}, {"worst", OnDrift::worst}}),
            c.choice<SpareAmount>("spare_amount", {{"lane", SpareAmount::lane}, {"one", SpareAmount::one}})};
  }
};

class DriftGuard {
 public:
  DriftGuard() = default;
  // One that is off keeps nothing: detectors would be most of a small model's memory.
  DriftGuard(const GuardParams& params, Lanes lanes) : params_(params) {
    if (!params.on()) return;
    lane_.resize(static_cast<std::size_t>(lanes.size()));
    detectors_ = params.detectors(lanes);
  }
  DriftGuard(const DriftGuard& other)
      : params_(other.params_),
        lane_(other.lane_),
        spares_(other.spares_),
        starved_(other.starved_),
        detectors_(other.on() ? other.detectors_->copy() : nullptr) {}
  DriftGuard(DriftGuard&&) = default;
  DriftGuard& operator=(DriftGuard&&) = default;

  bool on() const { return params_.on(); }
  bool needs_gil() const { return on() && detectors_->needs_gil(); }
  const GuardParams& params() const { return params_; }
  bool any_spare() const { return spares_ > 0; }

  // Before rows are judged: room for what that may write down.
  void expect() {
    if (on()) detectors_->expect();
    for (Lane& lane : lane_) lane.history.reserve(most_history);
  }

  // What the spares learn of an example, from what the lanes were taught.
  void spare_amounts(const double* amount, double sample_weight, double* out, std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i) {
      const bool learns = i < lane_.size() && lane_[i].spare && amount[i] > 0;
      out[i] = !learns ? 0.0 : params_.spare_amount == GuardParams::SpareAmount::lane ? amount[i] : sample_weight;
    }
  }

  // After the lanes and their spares have learned example `number`. replaced(lane) is called for every lane with a new learner.
  // Returns whether some lane alarmed; with on_drift = worst nothing else happens to an alarming lane.
  bool judge(std::int64_t number, const double* wrong_before, const double* amount, Bank& bank, Bank* spares,
             const std::function<void(std::size_t lane)>& replaced);

  // The highest mean error of a detector, and whose it is; -1 if no detector has any.
  double worst_error(std::size_t& worst) const {
    double highest = -1;
    for (std::size_t i = 0; i < lane_.size(); ++i)
      if (detectors_->width(i) > 0 && detectors_->mean(i) > highest) {
        highest = detectors_->mean(i);
        worst = i;
      }
    return highest;
  }
  // Whether there is a new learner.
  bool restart(std::size_t i, std::int64_t number, Bank& bank) {
    if (!renew(bank, i)) return false;
    born(i, number, false);
    return true;
  }
  bool starved() const { return starved_; }

  void write_report(ModelReport& report, Lanes lanes, std::int64_t n_learned) const;
  void fields(FieldVisitor& v);
  void check(std::int64_t n_learned) const;

 private:
  static constexpr std::int64_t births_end = 65536;  // keys hold 16 bits of a birth: the count begins again after 65,535
  static constexpr std::size_t most_history = 100;   // replacements that a lane remembers
  static constexpr std::int64_t patience = 4096;     // inputs without a warning after which the last one was false

  struct Lane {
    bool spare = false;
    std::int64_t spare_birth = 0, births = 0, warnings = 0, drifts = 0, replaced = 0, born_at = 0, quiet = 0;  // inputs since a warning
    std::vector<double> history;  // example numbers of the last replacements

    std::vector<double> counters() const {
      std::vector<double> all;
      for (std::int64_t n : {std::int64_t{spare}, spare_birth, births, warnings, drifts, replaced, born_at, quiet})
        all.push_back(static_cast<double>(n));
      return all;
    }
    void set_counters(const std::vector<double>& all) {
      require(all.size() == 8, "counters of a lane");
      for (double n : all) require(n >= 0 && n <= 9007199254740992.0 && n == std::floor(n), "counters of a lane");
      require(all[0] <= 1, "counters of a lane");
      spare = all[0] != 0;
      spare_birth = static_cast<std::int64_t>(all[1]);
      births = static_cast<std::int64_t>(all[2]);
      warnings = static_cast<std::int64_t>(all[3]);
      drifts = static_cast<std::int64_t>(all[4]);
      replaced = static_cast<std::int64_t>(all[5]);
      born_at = static_cast<std::int64_t>(all[6]);
      quiet = static_cast<std::int64_t>(all[7]);
    }
  };

  // A new-born learner may need memory, for the columns that it looks at. Where there is none, the one before stays for now.
  bool reset(Bank& bank, std::size_t i, std::int64_t birth) {
    return grows_or_waits([&] { return bank.reset(static_cast<int>(i), static_cast<std::uint32_t>(birth)), true; }, starved_);
  }
  bool renew(Bank& bank, std::size_t i) {
    const std::int64_t next = lane_[i].births + 1 < births_end ? lane_[i].births + 1 : 1;
    if (!reset(bank, i, next)) return false;
    lane_[i].births = next;
    return true;
  }
  void plant(Lane& lane, std::size_t i, Bank& spares) {
    lane.warnings += 1;
    if (!renew(spares, i)) return;
    lane.spare_birth = lane.births;
    spares_ += lane.spare ? 0 : 1;
    lane.spare = true;
  }
  // Empties the memory of a learner that is no longer wanted.
  void dismiss(Lane& lane, std::size_t i, Bank& spares) {
    reset(spares, i, lane.spare_birth);
    lane.spare = false;
    spares_ -= 1;
  }
  void born(std::size_t i, std::int64_t number, bool suspicion) {
    Lane& lane = lane_[i];
    detectors_->reset(i, suspicion);
    lane.replaced += 1;
    lane.born_at = number + 1;
    if (lane.history.size() == most_history) lane.history.erase(lane.history.begin());
    lane.history.push_back(static_cast<double>(number));
  }

  GuardParams params_;
  std::vector<Lane> lane_;
  std::int64_t spares_ = 0;
  bool starved_ = false;  // a learner has stayed because there was no memory for a new one
  std::unique_ptr<Detectors> detectors_;
};

}  // namespace streamboost
