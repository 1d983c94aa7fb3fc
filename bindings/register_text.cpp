#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <utility>

#include "streamboost/readers/csv.hpp"
#include "streamboost/readers/libsvm.hpp"
#include "without_gil.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace streamboost::text;

namespace {

template <class T, std::size_t N>
auto hand_over(std::vector<T>&& values, const std::size_t (&shape)[N]) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<N>>(kept->data(), N, shape, owner);
}

LabelKind label_kind(const std::string& name) {
  if (name == "none") return LabelKind::none;
  if (name == "whole") return LabelKind::whole;
  if (name == "number") return LabelKind::number;
  if (name == "text") return LabelKind::text;
  throw std::invalid_argument("unknown kind of label: " + name);
}

CellKind cell_kind(const std::string& name) {
  if (name == "ignored") return CellKind::ignored;
  if (name == "number") return CellKind::number;
  if (name == "nominal" || name == "declared") return CellKind::nominal;
  throw std::invalid_argument("unknown kind of column: " + name);
}

Limits read_limits(const std::map<std::string, std::size_t>& given) {
  Limits limits;
  for (const auto& [name, bytes] : given) {
    if (name == "line") {
      limits.line = bytes;
    } else if (name == "cell") {
      limits.cell = bytes;
    } else if (name == "label") {
      limits.label = bytes;
    } else if (name == "texts") {
      limits.texts = bytes;
    } else {
      throw std::invalid_argument("unknown limit: " + name);
    }
  }
  return limits;
}

// A cut or mangled text is shown, not refused: it stands in a message about a bad line.
nb::object shown(const std::string& text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

nb::tuple fault_tuple(const Fault& fault) {
  return nb::make_tuple(bad_name[static_cast<std::size_t>(fault.bad)], fault.line, fault.column, fault.number, shown(fault.token));
}

nb::list texts(const TextCodes& codes, std::size_t start) {
  nb::list out;
  for (std::size_t code = start; code < codes.size(); ++code) out.append(shown(codes.text(code)));
  return out;
}

template <class Parser>
void common(nb::class_<Parser>& cls) {
  cls.def(
         "feed", [](Parser& self, nb::bytes block) { self.lines.feed({block.c_str(), block.size()}); }, "block"_a,
         "Take the next bytes of the text.")
      .def(
          "finish", [](Parser& self) { self.lines.finish(); }, "No more bytes will come.")
      .def(
          "parse",
          [](Parser& self, std::size_t want) {
            // Nothing but the parser's own memory is touched; whoever shares one between threads must lock it himself.
            const streamboost::WithoutGil released;
            return static_cast<int>(self.parse(want));
          },
          "want"_a, "Read until `want` rows are kept (1), a line is bad and skipped (2), or more bytes are needed (0).")
      .def_prop_ro(
          "fault", [](const Parser& self) { return fault_tuple(self.fault); },
          "Reason, line, column, number and text of the last bad line.")
      .def_prop_ro("n_rows", [](const Parser& self) { return self.line.size(); }, "Rows kept and not taken yet.");
}

}  // namespace

void register_text(nb::module_& m) {
  nb::class_<LibsvmParser> libsvm(m, "LibsvmParser", "LIBSVM text, block after block, to CSR arrays.");
  libsvm
      .def(
          "__init__",
          [](LibsvmParser* self, std::int64_t n_features, const std::string& label, std::size_t longest_line) {
            Limits limits;
            limits.line = longest_line;
            new (self) LibsvmParser(n_features, label_kind(label), limits);
          },
          "n_features"_a, "label"_a, "longest_line"_a = Limits{}.line)
      .def_prop_ro(
          "highest", [](const LibsvmParser& self) { return self.highest; }, "The highest index of a good row.")
      .def(
          "take",
          [](LibsvmParser& self) {
            const std::size_t n = self.line.size(), cells = self.index.size();
            nb::tuple out = nb::make_tuple(hand_over(std::move(self.start), {n + 1}), hand_over(std::move(self.index), {cells}),
                                           hand_over(std::move(self.value), {cells}), hand_over(std::move(self.label), {n}),
                                           hand_over(std::move(self.line), {n}));
            self.clear();
            return out;
          },
          "Hand over the rows: starts, indices counted from 0, values, labels, line numbers.");
  common(libsvm);

  nb::class_<CsvParser> csv(m, "CsvParser", "Separated values, block after block, to an array of numbers and codes.");
  csv.def(
         "__init__",
         [](CsvParser* self, const std::string& delimiter, const std::vector<std::string>& kinds, const std::vector<std::int32_t>& slots,
            const std::string& label, const std::vector<std::vector<std::string>>& values, bool header, bool arff,
            const std::vector<std::string>& missing, const std::vector<std::string>& missing_numbers,
            const std::map<std::string, std::size_t>& limits, bool keep_unlabeled) {
           CsvPlan plan;
           plan.keep_unlabeled = keep_unlabeled;
           plan.missing = missing;
           plan.missing_numbers = missing_numbers;
           plan.limits = read_limits(limits);
           if (delimiter.size() != 1 || kinds.size() != slots.size()) throw std::invalid_argument("not a plan of columns");
           plan.dialect = {delimiter[0], arff};
           plan.label = label_kind(label);
           plan.header = header;
           plan.n_slots = static_cast<std::int32_t>(values.size());
           for (std::size_t i = 0; i < kinds.size(); ++i) {
             plan.column.push_back({cell_kind(kinds[i]), slots[i], kinds[i] == "declared"});
             const bool in_range = slots[i] >= -1 && slots[i] < plan.n_slots;
             if (plan.column.back().kind != CellKind::ignored && !in_range) throw std::invalid_argument("a column without a place");
           }
           new (self) CsvParser(std::move(plan));
           for (std::size_t slot = 0; slot < values.size(); ++slot) {
             for (const std::string& text : values[slot]) self->codes[slot].add(text);
           }
         },
         "delimiter"_a, "kinds"_a, "slots"_a, "label"_a, "values"_a, "header"_a = false, "arff"_a = false,
         "missing"_a = std::vector<std::string>{"?"}, "missing_numbers"_a = std::vector<std::string>{},
         "limits"_a = std::map<std::string, std::size_t>{}, "keep_unlabeled"_a = false)
      .def(
          "values", [](const CsvParser& self, std::size_t slot, std::size_t start) { return texts(self.codes.at(slot), start); }, "slot"_a,
          "start"_a = 0, "The values of a nominal column by their codes, from one on.")
      .def(
          "labels", [](const CsvParser& self, std::size_t start) { return texts(self.label_codes, start); }, "start"_a = 0,
          "The labels by their codes, from one on.")
      .def_prop_ro(
          "missing_met",
          [](const CsvParser& self) {
            std::vector<std::string> met = self.missing.met();
            for (std::string& text : self.missing_numbers.met()) met.push_back(std::move(text));
            return met;
          },
          "The markers of missing values that were met.")
      .def(
          "declare_labels",
          [](CsvParser& self, const std::vector<std::string>& labels) {
            for (const std::string& text : labels) self.label_codes.add(text);
          },
          "labels"_a, "Give codes to labels before the first row.")
      .def(
          "take",
          [](CsvParser& self) {
            const std::size_t n = self.line.size();
            const auto width = static_cast<std::size_t>(self.plan().n_slots);
            nb::tuple out = nb::make_tuple(hand_over(std::move(self.value), {n, width}), hand_over(std::move(self.label), {n}),
                                           hand_over(std::move(self.line), {n}));
            self.clear();
            return out;
          },
          "Hand over the rows: an array, labels (numbers or codes), line numbers.");
  common(csv);

  m.def(
      "csv_rows",
      [](nb::bytes data, bool whole, const std::string& delimiter, bool arff, std::size_t most,
         const std::map<std::string, std::size_t>& limits) {
        if (delimiter.size() != 1) throw std::invalid_argument("a delimiter is one byte");
        nb::list out;
        for (const CsvRows::Row& row : CsvRows::read({data.c_str(), data.size()}, whole, {delimiter[0], arff}, most, read_limits(limits))) {
          nb::list cells;
          for (const std::string& cell : row.cell) cells.append(shown(cell));
          out.append(nb::make_tuple(row.line, bad_name[static_cast<std::size_t>(row.bad)], cells));
        }
        return out;
      },
      "data"_a, "whole"_a, "delimiter"_a, "arff"_a, "most"_a, "limits"_a = std::map<std::string, std::size_t>{},
      "The cells of the first rows: line, what is wrong with it, texts.");
}
