// Arrays in, arrays out: no maths here. Blocks of rows release the GIL unless a learner is written in Python; single rows keep it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "py_bank.hpp"
#include "streamboost/learners/hoeffding.hpp"
#include "streamboost/learners/iti.hpp"
#include "streamboost/run/models.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace streamboost;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Longs = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Config read_config(const nb::dict& parameters) {
  Config config;
  for (auto [key, value] : parameters) {
    Config::Value out;
    if (value.is_none())
      out = std::monostate{};
    else if (nb::isinstance<nb::bool_>(value))
      out = nb::cast<bool>(value);
    else if (nb::isinstance<nb::int_>(value))
      out = nb::cast<std::int64_t>(value);
    else if (nb::isinstance<nb::float_>(value))
      out = nb::cast<double>(value);
    else if (nb::isinstance<nb::str>(value))
      out = nb::cast<std::string>(value);
    else {
      const auto array = nb::cast<Doubles>(value);
      out = std::vector<double>(array.data(), array.data() + array.shape(0));
    }
    config.values[nb::cast<std::string>(key)] = std::move(out);
  }
  return config;
}

template <class T>
nb::object own(std::vector<T>&& values, const std::vector<std::size_t>& shape) {
  auto* moved = new std::vector<T>(std::move(values));
  nb::capsule owner(moved, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(moved->data(), shape.size(), shape.data(), owner));
}

Output output_of(const std::string& answer) {
  if (answer == "none") return Output::none;
  if (answer == "label") return Output::label;
  if (answer == "score") return Output::score;
  if (answer == "proba") return Output::proba;
  if (answer == "both") return Output::both;
  throw std::invalid_argument("answer must be none, label, score, proba or both");
}

class PyModel {
 public:
  PyModel(const std::string& booster, const nb::dict& booster_params, const std::string& learner, const nb::dict& learner_params,
          int n_estimators, std::uint64_t seed, const std::string& tie, bool monitor, const std::vector<int>& cuts, nb::object lane_factory,
          int threads, int wave_chunk) {
    const Ensemble ensemble{n_estimators, seed, tie == "random", monitor, std::max(threads, 1), std::max(wave_chunk, 0)};
    const Config learner_config = read_config(learner_params);
    const auto factory = [&](Lanes lanes) -> std::unique_ptr<Bank> {
      if (learner == "black_box") {
        learner_config.check_all_read(learner);
        return std::make_unique<PyBank>(lane_factory, lanes, seed);
      }
      return make_bank(learner, learner_config, lanes, ensemble);
    };
    if (n_estimators < 1) throw std::invalid_argument("n_estimators must be at least 1");
    model_ = make_model(booster, read_config(booster_params), ensemble, factory, cuts);
  }

  void reserve(int n_features, const Longs& n_values, int n_classes, bool declared) {
    if (n_features < 0 || n_values.shape(0) != static_cast<std::size_t>(n_features))
      throw std::invalid_argument("n_values must have one entry per column");
    Schema schema;
    schema.first_width = n_features;
    schema.n_values.assign(n_values.data(), n_values.data() + n_features);
    schema.n_classes = n_classes;
    schema.declared = declared;
    model_->reserve(schema);
  }

  // Numbers that a file must hold for each learner, at least: a bank of one says so without growing.
  static double least_numbers(const std::string& learner, const nb::dict& learner_params, int first_width, const Longs& n_values,
                              int n_classes, bool declared) {
    Schema schema;
    schema.first_width = first_width;
    schema.n_values.assign(n_values.data(), n_values.data() + n_values.shape(0));
    schema.n_classes = n_classes;
    schema.declared = declared;
    return make_bank(learner, read_config(learner_params), {0, 1}, Ensemble{})->least_numbers(schema);
  }

  nb::object run(const Matrix& x, const std::optional<Ints>& y, const std::optional<Doubles>& weight, const std::string& answer) {
    RowBlock rows;
    rows.n_rows = static_cast<int>(x.shape(0));
    rows.n_columns = static_cast<int>(x.shape(1));
    rows.values = x.data();
    return go(rows, y, weight, answer);
  }
  nb::object run_csr(const Longs& row_start, const Ints& columns, const Doubles& values, const std::optional<Ints>& y,
                     const std::optional<Doubles>& weight, const std::string& answer) {
    RowBlock rows;
    rows.n_rows = static_cast<int>(row_start.shape(0)) - 1;
    rows.n_columns = model_->intake().schema().width();
    rows.values = values.data();
    rows.row_start = row_start.data();
    rows.columns = columns.data();
    check_csr(rows, values.shape(0), columns.shape(0));
    return go(rows, y, weight, answer);
  }

  nb::dict state() {
    nb::dict out;
    for (auto& [name, field] : model_->save()) {
      const std::vector<std::size_t> shape(field.shape.begin(), field.shape.end());
      out[name.c_str()] = field.whole ? own(std::move(field.integer), shape) : own(std::move(field.real), shape);
    }
    return out;
  }
  void restore(const nb::dict& arrays) {
    SavedState state;
    for (auto [key, value] : arrays) {
      SavedField field;
      nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu> array;
      if (!nb::try_cast(value, array)) throw std::invalid_argument("a field is not a contiguous array");
      for (std::size_t d = 0; d < array.ndim(); ++d) field.shape.push_back(static_cast<std::int64_t>(array.shape(d)));
      if (array.dtype() == nb::dtype<double>()) {
        const auto* p = static_cast<const double*>(array.data());
        field.real.assign(p, p + array.size());
      } else if (array.dtype() == nb::dtype<std::int64_t>()) {
        field.whole = true;
        const auto* p = static_cast<const std::int64_t*>(array.data());
        field.integer.assign(p, p + array.size());
      } else {
        throw std::invalid_argument("a field must be float64 or int64");
      }
      state[nb::cast<std::string>(key)] = std::move(field);
    }
    model_->load(state);
  }

  // Arrays: per learner. Numbers: of the ensemble. "trace": its bounded history.
  nb::dict report() {
    nb::dict out;
    ModelReport report = model_->report();
    for (Bank* bank : model_->banks())
      if (auto* trees = dynamic_cast<HoeffdingBank*>(bank))
        for (int lane = 0; lane < bank->lanes().size(); ++lane) {
          const auto [leaves, idle] = trees->count_leaves(lane);
          report.lanes["leaves"].push_back(leaves);
          report.lanes["idle_leaves"].push_back(idle);
        }
    for (auto& [name, values] : report.lanes) {
      const std::size_t n = values.size();
      out[name.c_str()] = own(std::move(values), {n});
    }
    for (const auto& [name, value] : report.totals) out[name.c_str()] = value;
    if (!report.trace.empty()) {
      const std::size_t n = report.trace.size() / History::columns;
      out["trace"] = own(std::move(report.trace), {n, History::columns});
      out["trace_bounded"] = report.bounded;
    }
    return out;
  }
  nb::list lane_objects() {
    nb::list all;
    for (Bank* bank : model_->banks())
      if (auto* python = dynamic_cast<PyBank*>(bank))
        for (const auto& object : python->objects()) all.append(object);
    return all;
  }
  // A tree as a list of nodes in file order: (kind, column, threshold, value, fallback, children, masses per class).
  bool short_of_memory() {
    for (Bank* bank : model_->banks())
      if (auto* trees = dynamic_cast<HoeffdingBank*>(bank); trees != nullptr && trees->short_of_memory()) return true;
    return false;
  }
  nb::list tree(int lane) {
    nb::list nodes;
    for (Bank* bank : model_->banks()) {
      auto* hoeffding = dynamic_cast<HoeffdingBank*>(bank);
      auto* iti = dynamic_cast<ItiBank*>(bank);
      if (hoeffding == nullptr && iti == nullptr) throw std::invalid_argument("the learners of this model are no trees");
      if (lane < bank->lanes().begin || lane >= bank->lanes().end) continue;
      const int own = lane - bank->lanes().begin;
      for (const TreeNode& node : hoeffding ? hoeffding->show(own) : iti->show(own)) {
        nb::list children, mass;
        for (int b = 0; b < node.branches; ++b) children.append(node.first + b);
        for (double m : node.mass) mass.append(m);
        nodes.append(nb::make_tuple(node.kind, node.column, node.threshold, node.value, node.fallback, children, mass));
      }
    }
    if (nodes.size() == 0) throw std::invalid_argument("there is no learner " + std::to_string(lane));
    return nodes;
  }
  Model& model() { return *model_; }

 private:
  // Out-of-range columns would be read past the tables: the one contract that is cheap to check here for every caller.
  static void check_csr(const RowBlock& rows, std::size_t n_values, std::size_t n_columns) {
    if (rows.n_rows < 0 || rows.row_start[0] != 0 || n_values != n_columns ||
        static_cast<std::size_t>(rows.row_start[rows.n_rows]) != n_values)
      throw std::invalid_argument("broken CSR offsets");
    for (int r = 0; r < rows.n_rows; ++r) {
      if (rows.row_start[r] > rows.row_start[r + 1]) throw std::invalid_argument("broken CSR offsets");
      std::int32_t last = -1;
      for (auto i = rows.row_start[r]; i < rows.row_start[r + 1]; ++i) {
        if (rows.columns[i] <= last || rows.columns[i] >= rows.n_columns)
          throw std::invalid_argument("CSR columns must ascend within the width");
        last = rows.columns[i];
      }
    }
  }

  nb::object go(const RowBlock& rows, const std::optional<Ints>& y, const std::optional<Doubles>& weight, const std::string& answer) {
    const Schema& schema = model_->intake().schema();
    if (rows.n_columns != schema.width())
      throw std::invalid_argument("rows have " + std::to_string(rows.n_columns) + " columns, the model has " +
                                  std::to_string(schema.width()));
    const auto n = static_cast<std::size_t>(rows.n_rows);
    if (y && y->shape(0) != n) throw std::invalid_argument("y and X differ in length");
    if (weight && weight->shape(0) != n) throw std::invalid_argument("weights and X differ in length");
    const double* w = weight ? weight->data() : nullptr;
    if (y)
      for (std::size_t r = 0; r < n; ++r)
        if (y->data()[r] >= schema.n_classes || (y->data()[r] < 0 && !(w && w[r] == 0)))
          throw std::invalid_argument("a label code is not reserved");
    if (!schema.n_values.empty() && rows.row_start == nullptr) check_codes(rows, schema, y.has_value(), w);

    OutputBuffers answers;
    answers.output = output_of(answer);
    std::vector<std::int32_t> label;
    std::vector<double> value;
    const auto k = static_cast<std::size_t>(schema.n_classes) + (answers.output == Output::both ? 1 : 0);
    if (answers.output == Output::label)
      label.resize(n);
    else if (answers.output != Output::none)
      value.resize(n * k);
    answers.label = label.data();
    answers.value = value.data();
    const auto work = [&] {
      if (y)
        model_->learn(rows, y->data(), w, answers);
      else if (answers.output != Output::none)
        model_->predict(rows, answers);
    };
    if (n > 1 && !model_->needs_gil()) {
      nb::gil_scoped_release release;  // safe: the arrays are held by the caller and no Python object is touched
      work();
    } else {
      work();
    }
    if (answers.output == Output::label) return own(std::move(label), {n});
    if (answers.output == Output::none) return nb::none();
    return own(std::move(value), {n, k});
  }

  // A learned nominal code addresses a table row.
  static void check_codes(const RowBlock& rows, const Schema& schema, bool learns, const double* w) {
    if (!learns) return;
    for (int j = 0; j < rows.n_columns; ++j) {
      if (!schema.nominal(j)) continue;
      const auto limit = static_cast<double>(schema.n_values[static_cast<std::size_t>(j)]);
      for (int r = 0; r < rows.n_rows; ++r) {
        const double x = rows.values[static_cast<std::int64_t>(r) * rows.n_columns + j];
        if (w && w[r] == 0) continue;
        if (x < 0 || x >= limit) throw std::invalid_argument("a category code is not reserved");
      }
    }
  }

  std::unique_ptr<Model> model_;
};

}  // namespace

void register_models(nb::module_& m) {
  m.def("booster_names", &booster_names, "The boosters that Model knows.");
  m.def("bank_names", &bank_names, "The learners that Model knows, beside black_box.");
  nb::class_<PyModel>(m, "Model", "An ensemble: a booster over a bank of learners.")
      .def(nb::init<const std::string&, const nb::dict&, const std::string&, const nb::dict&, int, std::uint64_t, const std::string&, bool,
                    const std::vector<int>&, nb::object, int, int>(),
           "booster"_a, "booster_params"_a, "learner"_a, "learner_params"_a, "n_estimators"_a, "seed"_a, "tie"_a = "lowest",
           "monitor"_a = true, "cuts"_a = std::vector<int>{}, "lane_factory"_a = nb::none(), "threads"_a = 1, "wave_chunk"_a = 0)
      .def_prop_ro("n_learned", [](PyModel& self) { return self.model().intake().n_learned(); })
      .def_prop_ro("n_classes_known", [](PyModel& self) { return self.model().intake().n_classes_known(); })
      .def_prop_ro("broken",
                   [](PyModel& self) -> nb::object { return self.model().broken() ? nb::cast(self.model().broken()) : nb::none(); })
      .def_static("least_numbers", &PyModel::least_numbers, "learner"_a, "learner_params"_a, "first_width"_a, "n_values"_a.noconvert(),
                  "n_classes"_a, "declared"_a)
      .def("reserve", &PyModel::reserve, "n_features"_a, "n_values"_a.noconvert(), "n_classes"_a, "declared"_a)
      .def("run", &PyModel::run, "X"_a.noconvert(), "y"_a.noconvert().none(), "weight"_a.noconvert().none(), "answer"_a)
      .def("run_csr", &PyModel::run_csr, "indptr"_a.noconvert(), "indices"_a.noconvert(), "data"_a.noconvert(), "y"_a.noconvert().none(),
           "weight"_a.noconvert().none(), "answer"_a)
      .def("state", &PyModel::state)
      .def("restore", &PyModel::restore, "state"_a)
      .def("memory_bytes", [](PyModel& self) { return self.model().memory_bytes(); })
      .def("report", &PyModel::report)
      .def("short_of_memory", &PyModel::short_of_memory)
      .def("tree", &PyModel::tree, "lane"_a)
      .def("lane_objects", &PyModel::lane_objects);
}
