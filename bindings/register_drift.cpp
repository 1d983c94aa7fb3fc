#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "py_model.hpp"
#include "streamboost/drift/detector.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace streamboost;

namespace {

// A detector that stands alone: the one lane of a block.
class PyDetector {
 public:
  explicit PyDetector(const nb::dict& params) {
    const Config config = read_config(params);
    detectors_ = make_detectors(config, Inputs::numbers)({0, 1});
    config.check_all_read("the detector");
    detectors_->expect();
  }
  nb::tuple update(double x) {
    const Signal signal = detectors_->update(0, x);
    return nb::make_tuple(signal.warning, signal.drift);
  }
  std::int64_t width() const { return detectors_->width(0); }
  double mean() const { return detectors_->mean(0); }

  std::vector<double> state() {
    Saver saver;
    saver.lanes = {0, 1};
    saver.n_lanes_all = 1;
    detectors_->fields(saver);
    return saver.state.at("detector").real;
  }
  void restore(const std::vector<double>& numbers) {
    const auto n = static_cast<std::int64_t>(numbers.size());
    const SavedState state{{"detector", {{n}, false, numbers, {}}}, {"detector.length", {{1}, true, {}, {n}}}};
    Loader loader(state);
    loader.lanes = {0, 1};
    loader.n_lanes_all = 1;
    detectors_->fields(loader);
    detectors_->expect();
  }

 private:
  std::unique_ptr<Detectors> detectors_;
};

}  // namespace

void register_drift(nb::module_& m) {
  nb::class_<PyDetector>(m, "Detector", "A detector of change that stands alone.")
      .def(nb::init<const nb::dict&>(), "params"_a, "`detector` names it; the others are its parameters.")
      .def("update", &PyDetector::update, "x"_a, nb::lock_self(),
           "Take one number; return whether a change is suspected, and whether one was found.")
      .def_prop_ro("width", &PyDetector::width, nb::lock_self())
      .def_prop_ro("mean", &PyDetector::mean, nb::lock_self())
      .def("state", &PyDetector::state, nb::lock_self())
      .def("restore", &PyDetector::restore, "state"_a, nb::lock_self());
}
