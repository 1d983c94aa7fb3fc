// Detectors of change, one for each lane: an error goes in, and the detector says whether a change is suspected or found.
//
// A detector is a small class in a file of its own (adwin.hpp, ddm.hpp, ...) with
//
//   Params, Params::read(config)     its parameters, judged by the Python face that declares them (streamboost/drift)
//   update(x, params, lane)          takes one number; `lane` is part of the key of its draws, if it makes any
//   reset(suspicion)                 forgets all numbers; without suspicion, not those that count for the next warning
//   expect(params)                   room for what the next updates write down
//   width(), mean()                  of the numbers it still believes in
//   lasting                          whether a warning lasts while the numbers stay high, or is a single event
//   pack(), unpack(numbers, params)  its state; unpack refuses what no stream could have left
//
// A detector begins again with the number after a drift, so that `mean` still speaks of the errors that led to it.
// Nothing here is shared between lanes, so cuts and threads do not matter.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "streamboost/data/config.hpp"
#include "streamboost/data/fields.hpp"

namespace streamboost {

struct Signal {
  bool warning = false, drift = false;
};

// The detectors of a block of lanes; lanes are counted within it.
class Detectors {
 public:
  virtual ~Detectors() = default;
  virtual std::unique_ptr<Detectors> copy() const = 0;
  virtual Signal update(std::size_t lane, double x) = 0;
  virtual void reset(std::size_t lane, bool suspicion) = 0;
  virtual void expect() = 0;
  virtual bool lasting() const = 0;
  virtual std::int64_t width(std::size_t lane) const = 0;
  virtual double mean(std::size_t lane) const = 0;
  virtual void fields(FieldVisitor& v) = 0;
  virtual bool needs_gil() const { return false; }  // written in Python
};

using DetectorFactory = std::function<std::unique_ptr<Detectors>(Lanes)>;

template <class Detector>
class DetectorsOf final : public Detectors {
 public:
  using Params = typename Detector::Params;
  DetectorsOf(const Params& params, Lanes lanes) : params_(params), lanes_(lanes), lane_(static_cast<std::size_t>(lanes.size())) {}

  std::unique_ptr<Detectors> copy() const override { return std::make_unique<DetectorsOf>(*this); }
  Signal update(std::size_t lane, double x) override {
    return lane_[lane].update(x, params_, static_cast<std::uint32_t>(lanes_.begin) + static_cast<std::uint32_t>(lane));
  }
  void reset(std::size_t lane, bool suspicion) override { lane_[lane].reset(suspicion); }
  void expect() override {
    for (Detector& detector : lane_) detector.expect(params_);
  }
  bool lasting() const override { return Detector::lasting; }
  std::int64_t width(std::size_t lane) const override { return lane_[lane].width(); }
  double mean(std::size_t lane) const override { return lane_[lane].mean(); }
  void fields(FieldVisitor& v) override {
    Ragged<double> packed;
    for (const Detector& detector : lane_) packed.push_back(detector.pack());
    v("detector", packed);
    if (!v.loads()) return;  // saving may go on in several threads at once
    for (std::size_t i = 0; i < lane_.size(); ++i) lane_[i].unpack(packed[i], params_);
  }

 private:
  Params params_;
  Lanes lanes_;
  std::vector<Detector> lane_;
};

// What the guard of a learner feeds: zeros and ones, which ADWIN counts without rounding; or whatever numbers a detector takes.
enum class Inputs { errors, numbers };

// The detector that the parameter `detector` names, with its other parameters (detectors.cpp has the table).
DetectorFactory make_detectors(const Config& config, Inputs inputs);

// For `unpack`: the numbers of a detector whose state is a fixed list of them.
inline bool is_count(double x) { return x >= 0 && x <= 9007199254740992.0 && x == static_cast<double>(static_cast<std::int64_t>(x)); }

}  // namespace streamboost
