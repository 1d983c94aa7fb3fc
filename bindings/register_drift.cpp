#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "streamboost/drift/adwin.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace streamboost;

namespace {

struct Window {
  Adwin<Moments> adwin;
  double delta;
};

}  // namespace

void register_drift(nb::module_& m) {
  nb::class_<Window>(m, "Adwin", "A window over numbers in [0, 1] that forgets its past when two parts of it differ in mean.")
      .def(
          "__init__", [](Window* self, double delta) { new (self) Window{{}, delta}; }, "delta"_a)
      .def(
          "update", [](Window& self, double x) { return self.adwin.update(x, self.delta); }, "x"_a)
      .def("reset", [](Window& self) { self.adwin.reset(); })
      .def_prop_ro("width", [](const Window& self) { return self.adwin.width(); })
      .def_prop_ro("mean", [](const Window& self) { return self.adwin.mean(); })
      .def_prop_ro("variance", [](const Window& self) { return self.adwin.variance(); })
      .def("state", [](const Window& self) { return self.adwin.pack(); })
      .def("restore", [](Window& self, const std::vector<double>& state) { self.adwin.unpack(state); }, "state"_a);
}
