#include "streamboost/drift/guard.hpp"

namespace streamboost {

bool DriftGuard::judge(std::int64_t number, const double* wrong_before, const double* amount, Bank& bank, Bank* spares,
                       const std::function<void(std::size_t)>& replaced) {
  bool alarm = false;
  for (std::size_t i = 0; i < lane_.size(); ++i) {
    if (!(amount[i] > 0)) continue;
    Lane& lane = lane_[i];
    const Signal signal = detectors_->update(i, wrong_before[i]);
    lane.quiet += 1;
    if (spares != nullptr && signal.warning) {
      lane.quiet = 0;
      if (!lane.spare || !detectors_->lasting()) plant(lane, i, *spares);
    }
    if (!signal.drift) {
      if (lane.spare && lane.quiet >= patience) dismiss(lane, i, *spares);
      continue;
    }
    alarm = true;
    lane.drifts += 1;
    if (params_.on_drift == GuardParams::OnDrift::worst) continue;
    const bool warned = lane.spare;
    if (warned) {
      bank.swap(static_cast<int>(i), *spares);
      dismiss(lane, i, *spares);
    } else if (!renew(bank, i)) {
      continue;
    }
    born(i, number, warned);
    replaced(i);
  }
  return alarm;
}

void DriftGuard::write_report(ModelReport& report, Lanes lanes, std::int64_t n_learned) const {
  for (std::size_t i = 0; i < lane_.size(); ++i) {
    const Lane& lane = lane_[i];
    report.lanes["warnings"].push_back(static_cast<double>(lane.warnings));
    report.lanes["drifts"].push_back(static_cast<double>(lane.drifts));
    report.lanes["replacements"].push_back(static_cast<double>(lane.replaced));
    report.lanes["age"].push_back(static_cast<double>(n_learned - lane.born_at));
    report.lanes["window"].push_back(static_cast<double>(detectors_->width(i)));
    report.lanes["window_error"].push_back(detectors_->mean(i));
  }
  for (std::size_t i = 0; i < lane_.size(); ++i)
    for (double number : lane_[i].history) {
      report.replacements.push_back(number);
      report.replacements.push_back(static_cast<double>(lanes.begin) + static_cast<double>(i));
    }
}

void DriftGuard::fields(FieldVisitor& v) {
  if (!on()) return;
  detectors_->fields(v);
  Ragged<double> counters, history;
  for (const Lane& lane : lane_) {
    counters.push_back(lane.counters());
    history.push_back(lane.history);
  }
  v("counters", counters);
  v("history", history);
  if (!v.loads()) return;  // saving may go on in several threads at once
  spares_ = 0;
  for (std::size_t i = 0; i < lane_.size(); ++i) {
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
