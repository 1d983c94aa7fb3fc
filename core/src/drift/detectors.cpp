// The table of detectors: the name of each in files and on the command line, and its class.

#include "streamboost/drift/adwin.hpp"
#include "streamboost/drift/ddm.hpp"
#include "streamboost/drift/hddm_a.hpp"
#include "streamboost/drift/hddm_w.hpp"
#include "streamboost/drift/kswin.hpp"
#include "streamboost/drift/page_hinkley.hpp"

namespace streamboost {

namespace {

template <class Detector>
DetectorFactory of(const Config& config) {
  const auto params = Detector::Params::read(config);
  return [params](Lanes lanes) { return std::make_unique<DetectorsOf<Detector>>(params, lanes); };
}

}  // namespace

DetectorFactory make_detectors(const Config& config, Inputs inputs) {
  return config.choice<DetectorFactory (*)(const Config&)>(
      "detector", {{"adwin", inputs == Inputs::errors ? of<AdwinDetector<Ones>> : of<AdwinDetector<Moments>>},
                   {"ddm", of<Ddm>},
                   {"hddm-a", of<HddmA>},
                   {"hddm-w", of<HddmW>},
                   {"kswin", of<Kswin>},
                   {"page-hinkley", of<PageHinkley>}})(config);
}

}  // namespace streamboost
