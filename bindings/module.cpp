#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "streamboost/math/levels.hpp"

void register_drift(nanobind::module_& m);
void register_models(nanobind::module_& m);
void register_potentials(nanobind::module_& m);
void register_rng(nanobind::module_& m);
void register_stage(nanobind::module_& m);
void register_text(nanobind::module_& m);

namespace {

const char* compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

}  // namespace

NB_MODULE(_core, m) {
  if (const std::string problem = streamboost::level_problem(); !problem.empty()) throw nanobind::import_error(problem.c_str());
  nanobind::set_leak_warnings(false);  // models that live until the interpreter ends are no leak
  m.doc() = "Native core of streamboost: banks of learners, boosters, keyed randomness.";
  m.attr("compiler") = compiler();
  m.attr("level") = streamboost::level();
  m.attr("levels") = streamboost::levels();
  register_rng(m);
  register_models(m);
  register_stage(m);
  register_drift(m);
  register_potentials(m);
  register_text(m);
}
