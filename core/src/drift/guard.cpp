#include "streamboost/drift/guard.hpp"

#include <cmath>

namespace streamboost {

bool DriftGuard::judge(std::int64_t number, const double* wrong_before, const double* amount, Bank& bank, Bank* spares,
                       const std::function<void(std::size_t)>& replaced) {
  bool alarm = false;
  for (std::size_t i = 0; i < lane_.size(); ++i) {
    if (!(amount[i] > 0)) continue;
    Lane& lane = lane_[i];
    const bool wrong = wrong_before[i] != 0;
    if (spares != nullptr && lane.warning.update(wrong, params_.warning)) {
      lane.warnings += 1;
      lane.spare_birth = next_birth(lane);
      spares->reset(static_cast<int>(i), static_cast<std::uint32_t>(lane.spare_birth));
      spares_ += lane.spare ? 0 : 1;
      lane.spare = true;
      lane.warning.reset();
    }
    if (!lane.drift.update(wrong, params_.drift)) {
      if (lane.spare && lane.warning.time() >= patience) dismiss(lane, i, *spares);
      continue;
    }
    alarm = true;
    lane.drifts += 1;
    if (params_.on_drift == GuardParams::OnDrift::worst) continue;
    if (lane.spare) {
      bank.swap(static_cast<int>(i), *spares);
      dismiss(lane, i, *spares);
      lane.warning.reset();
    } else {
      bank.reset(static_cast<int>(i), static_cast<std::uint32_t>(next_birth(lane)));
    }
    born(lane, number);
    replaced(i);
  }
  return alarm;
}

void DriftGuard::write_report(ModelReport& report, Lanes lanes, std::int64_t n_learned) const {
  for (const Lane& lane : lane_) {
    report.lanes["warnings"].push_back(static_cast<double>(lane.warnings));
    report.lanes["drifts"].push_back(static_cast<double>(lane.drifts));
    report.lanes["replacements"].push_back(static_cast<double>(lane.replaced));
    report.lanes["age"].push_back(static_cast<double>(n_learned - lane.born_at));
    report.lanes["window"].push_back(static_cast<double>(lane.drift.width()));
    report.lanes["window_error"].push_back(lane.drift.mean());
  }
  for (std::size_t i = 0; i < lane_.size(); ++i)
    for (double number : lane_[i].history) {
      report.replacements.push_back(number);
      report.replacements.push_back(static_cast<double>(lanes.begin) + static_cast<double>(i));
    }
}

void DriftGuard::fields(FieldVisitor& v) {
  if (!params_.on) return;
  Ragged<double> warning, drift, counters, history;
  for (const Lane& lane : lane_) {
    warning.push_back(lane.warning.pack());
    drift.push_back(lane.drift.pack());
    counters.push_back(lane.counters());
    history.push_back(lane.history);
  }
  if (params_.background) v("warning", warning);
  v("drift", drift);
  v("counters", counters);
  v("history", history);
  if (!v.loads()) return;  // saving may go on in several threads at once
  spares_ = 0;
  for (std::size_t i = 0; i < lane_.size(); ++i) {
    if (params_.background) lane_[i].warning.unpack(warning[i]);
    lane_[i].drift.unpack(drift[i]);
    lane_[i].set_counters(counters[i]);
    lane_[i].history = history[i];
    spares_ += lane_[i].spare ? 1 : 0;
  }
}
void DriftGuard::check(std::int64_t n_learned) const {
  for (const Lane& lane : lane_) {
    require(!lane.spare || params_.background, "spare learner");
    require(lane.births < births_end && lane.spare_birth < births_end, "births of a lane");
    require(lane.born_at <= n_learned && lane.history.size() <= most_history, "history of a lane");
    for (double number : lane.history) require(number >= 0 && number <= static_cast<double>(n_learned), "history of a lane");
  }
}

}  // namespace streamboost
