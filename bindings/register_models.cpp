// What Python sees of a model.
#include "fast_row.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace streamboost;

void register_models(nb::module_& m) {
  m.def("booster_names", &booster_names, "The boosters that Model knows.");
  m.def("bank_names", &bank_names, "The learners that Model knows, beside black_box.");
  nb::class_<LockUse>(m, "LockUse", "A with block that holds a model's lock.")
      .def("__enter__", &LockUse::enter)
      .def(
          "__exit__", [](const LockUse& self, nb::handle, nb::handle, nb::handle) { self.exit(); }, "kind"_a.none(), "value"_a.none(),
          "traceback"_a.none());

  nb::class_<PyModel>(m, "Model", "An ensemble: a booster over a bank of learners.")
      .def(
          "__init__", [](PyModel* self, const nb::kwargs& parts) { new (self) PyModel(parts); }, "The parts of a plan.")
      .def_prop_ro("n_seen", [](PyModel& self) { return self.model().intake().n_seen(); })
      .def_prop_ro("n_learned", [](PyModel& self) { return self.model().intake().n_learned(); })
      .def_prop_ro("n_classes_known", [](PyModel& self) { return self.model().intake().n_classes_known(); })
      .def_prop_ro("broken", [](PyModel& self) { return self.why_broken(); })
      .def_prop_ro("seconds_growing", &PyModel::seconds_growing)
      .def_static("least_numbers", &PyModel::least_numbers, "learner"_a, "learner_params"_a, "first_width"_a, "n_values"_a.noconvert(),
                  "n_classes"_a, "declared"_a)
      .def(
          "reading", [](PyModel& self) { return LockUse{&self.lock(), SharedLock::Use::read}; }, nb::keep_alive<0, 1>())
      .def(
          "writing", [](PyModel& self) { return LockUse{&self.lock(), SharedLock::Use::write}; }, nb::keep_alive<0, 1>())
      .def("reserve", &PyModel::reserve, "n_values"_a.noconvert(), "n_classes"_a, "declared"_a, "facts"_a.noconvert().none() = nb::none())
      .def(
          "learn",
          [](PyModel& self, nb::handle x, nb::handle y, const std::optional<Doubles>& weight, const std::string& answer,
             const std::optional<PyModel::Room>& room, const std::optional<Table>& records, const std::optional<Ints>& places,
             const std::optional<Flags>& unlabeled) { return self.learn(Rows(x), y, weight, answer, room, records, places, unlabeled); },
          "X"_a, "y"_a, "weight"_a.noconvert().none(), "answer"_a, "room"_a.none() = nb::none(),
          "records"_a.noconvert().none() = nb::none(), "places"_a.noconvert().none() = nb::none(),
          "unlabeled"_a.noconvert().none() = nb::none())
      .def(
          "ask",
          [](const PyModel& self, nb::handle x, const std::string& answer, const std::optional<Table>& records) {
            return self.ask(Rows(x), answer, records);
          },
          "X"_a, "answer"_a, "records"_a.noconvert().none() = nb::none())
      .def("record_width", &PyModel::record_width, "n_classes"_a)
      .def("lags", &PyModel::lags)
      .def(
          "explain", [](const PyModel& self, nb::handle x, const Ints& label, int orders) { return self.explain(Rows(x), label, orders); },
          "X"_a, "label"_a.noconvert(), "orders"_a)
      .def("clone", &PyModel::clone, nb::rv_policy::take_ownership)
      .def("state", &PyModel::state)
      .def("restore", &PyModel::restore, "state"_a)
      .def("packed", &PyModel::packed)
      .def("unpacked", &PyModel::unpacked, "bytes"_a, nb::rv_policy::take_ownership)
      .def("memory_bytes", [](PyModel& self) { return self.model().memory_bytes(); })
      .def("report", &PyModel::report)
      .def("take_turns", &PyModel::take_turns, "on"_a, "Divide calls as for threads, and let the caller do every share: for benchmarks.")
      .def("threads", &PyModel::threads, "How calls were divided among threads: what benchmarks look at.")
      .def("short_of_memory", &PyModel::short_of_memory)
      .def("starved", [](PyModel& self) { return self.model().starved(); })
      .def("tree", &PyModel::tree, "lane"_a)
      .def("lane_objects", &PyModel::lane_objects);

  nb::class_<FastRow>(m, "FastRow", "The shortest way from a dict with the usual keys to the core.")
      .def(nb::init<nb::object, nb::list, nb::list, nb::object, nb::list, const std::vector<int>&, double, bool>(), "model"_a, "names"_a,
           "books"_a, "labels"_a.none(), "classes"_a, "order"_a, "largest"_a, "learns"_a)
      .def("learn", &FastRow::learn, "x"_a, "y"_a.none())
      .def("test_then_train", &FastRow::test_then_train, "x"_a, "y"_a.none())
      .def("predict", &FastRow::predict, "x"_a)
      .def("predict_both", &FastRow::predict_both, "x"_a)
      .def("predict_pending", &FastRow::predict_pending, "x"_a)
      .def("learn_pending", &FastRow::learn_pending, "x"_a, "y"_a.none(), "said"_a)
      .def("predict_proba", &FastRow::predict_proba, "x"_a)
      .def("of", &FastRow::of, "model"_a)
      .def("reads", &FastRow::reads, "x"_a)
      // Locked: all models that come this way work where one of them does.
      .def("learn_in", &FastRow::learn_in, "model"_a, "x"_a, "y"_a.none(), nb::lock_self())
      .def("predict_proba_in", &FastRow::predict_proba_in, "model"_a, "x"_a, nb::lock_self())
      .def_prop_ro("width", &FastRow::width)
      .def_prop_ro("n_classes", &FastRow::n_classes)
      .def_prop_rw("largest", &FastRow::largest, &FastRow::set_largest)
      .def("checked", &FastRow::set_checked, "changes"_a);

  m.def("unpack_state", &PyModel::unpacked_arrays, "bytes"_a);
  m.def("parameter_changes", [] { return parameter_changes.load(); });
  m.def("parameter_changed", [] { ++parameter_changes; });
}
