#include <nanobind/nanobind.h>

void register_drift(nanobind::module_& m);
void register_models(nanobind::module_& m);
void register_potentials(nanobind::module_& m);
void register_rng(nanobind::module_& m);
void register_stage(nanobind::module_& m);
void register_text(nanobind::module_& m);

NB_MODULE(_core, m) {
  nanobind::set_leak_warnings(false);  // models that live until the interpreter ends are no leak
  m.doc() = "Native core of streamboost: banks of learners, boosters, keyed randomness.";
  register_rng(m);
  register_models(m);
  register_stage(m);
  register_drift(m);
  register_potentials(m);
  register_text(m);
}
