// Arrays of Python as rows and labels of the core, and the other way round.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "streamboost/run/model.hpp"

namespace streamboost {

namespace nb = nanobind;

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Longs = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::object own(std::vector<T>&& values, const std::vector<std::size_t>& shape) {
  auto* moved = new std::vector<T>(std::move(values));
  nb::capsule owner(moved, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(moved->data(), shape.size(), shape.data(), owner));
}

// Rows of a call: a dense matrix, one with a list of the cells of its columns of words (row by row, None where one is missing), or the
// three arrays of a CSR matrix.
class Rows {
 public:
  explicit Rows(const nb::handle& x) {
    if (nb::isinstance<nb::tuple>(x)) {
      const auto parts = nb::cast<nb::tuple>(x);
      if (parts.size() == 2) {
        dense_ = nb::cast<Matrix>(parts[0], false);
        read_words(nb::cast<nb::list>(parts[1]));
        return;
      }
      if (parts.size() != 3) throw std::invalid_argument("a CSR matrix has three arrays");
      start_ = nb::cast<Longs>(parts[0], false);
      columns_ = nb::cast<Ints>(parts[1], false);
      values_ = nb::cast<Doubles>(parts[2], false);
    } else {
      dense_ = nb::cast<Matrix>(x, false);
    }
  }
  std::size_t n() const { return dense_.is_valid() ? dense_.shape(0) : start_.shape(0) - 1; }

  int n_words() const { return n() == 0 ? 0 : static_cast<int>(words_.size() / n()); }  // of each row

  RowBlock block(const Schema& schema) const { return block(schema.width(), dense_.is_valid() ? schema.n_words() : 0); }
  RowBlock block(int width, int n_words = 0) const {
    static constexpr std::int32_t nowhere = 0;  // a null pointer would say that the rows are dense
    RowBlock rows;
    rows.n_rows = static_cast<int>(n());
    rows.n_columns = width;
    if (dense_.is_valid()) {
      if (dense_.shape(1) != static_cast<std::size_t>(width))
        throw std::invalid_argument("rows have " + std::to_string(dense_.shape(1)) + " columns, the model has " + std::to_string(width));
      rows.values = dense_.data();
      rows.n_words = n_words;
      if (words_.size() != n() * static_cast<std::size_t>(rows.n_words))
        throw std::invalid_argument("rows have " + std::to_string(words_.size()) + " cells of words, expected " +
                                    std::to_string(rows.n_words) + " for each row");
      rows.words = rows.n_words > 0 ? words_.data() : nullptr;
      return rows;
    }
    rows.values = values_.data();
    rows.row_start = start_.data();
    rows.columns = columns_.shape(0) > 0 ? columns_.data() : &nowhere;
    check_csr(rows);
    return rows;
  }

 private:
  // Out-of-range columns would be read past the tables: the one contract that is cheap to check here for every caller.
  void check_csr(const RowBlock& rows) const {
    if (start_.shape(0) < 1 || rows.row_start[0] != 0 || values_.shape(0) != columns_.shape(0) ||
        static_cast<std::size_t>(rows.row_start[rows.n_rows]) != values_.shape(0))
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

  // The texts live as long as the list does.
  void read_words(nb::list cells) {
    list_ = std::move(cells);
    words_.resize(list_.size());
    for (std::size_t i = 0; i < words_.size(); ++i) {
      PyObject* cell = NB_LIST_GET_ITEM(list_.ptr(), static_cast<Py_ssize_t>(i));
      if (cell == Py_None) continue;
      Py_ssize_t size = 0;
      const char* text = PyUnicode_Check(cell) ? PyUnicode_AsUTF8AndSize(cell, &size) : nullptr;
      if (text == nullptr) {
        if (PyErr_Occurred()) throw nb::python_error();
        throw std::invalid_argument("a cell of words is not a text");
      }
      words_[i] = {text, static_cast<std::size_t>(size)};
    }
  }

  Matrix dense_;
  nb::list list_;
  std::vector<std::string_view> words_;
  Longs start_;
  Ints columns_;
  Doubles values_;
};

// What a call teaches: codes of classes, or numbers.
class TruthArray {
 public:
  TruthArray(const nb::handle& y, bool numbers, Facts kind) : kind_(kind) {
    if (kind_ != Facts::none)
      facts_ = nb::cast<Matrix>(y, false);
    else if (numbers)
      target_ = nb::cast<Doubles>(y, false);
    else
      label_ = nb::cast<Ints>(y, false);
  }
  std::size_t n() const { return facts_.is_valid() ? facts_.shape(0) : label_.is_valid() ? label_.shape(0) : target_.shape(0); }
  Truth of_rows() const {
    if (facts_.is_valid()) return Truth::of_facts(facts_.data(), facts_.shape(1));
    return label_.is_valid() ? Truth(label_.data()) : Truth::of_numbers(target_.data());
  }
  void check(const Schema& schema, const double* w) const {
    if (facts_.is_valid()) return check_facts(schema);
    for (std::size_t r = 0; r < n(); ++r) {
      if (w && w[r] == 0 && (!label_.is_valid() || label_.data()[r] < schema.n_classes)) continue;
      if (label_.is_valid() ? label_.data()[r] < 0 || label_.data()[r] >= schema.n_classes : !std::isfinite(target_.data()[r]))
        throw std::invalid_argument(label_.is_valid() ? "a label code is not reserved" : "a target is not a finite number");
    }
  }

 private:
  void check_facts(const Schema& schema) const {
    const auto k = static_cast<std::size_t>(schema.n_classes);
    const std::size_t n_facts = kind_ == Facts::set ? k : 4;
    if (facts_.shape(1) != n_facts) throw std::invalid_argument("a row has another number of facts");
    const auto is_code = [&](double x) { return x >= 0 && x < static_cast<double>(k) && x == std::floor(x); };
    for (std::size_t r = 0; r < n(); ++r) {
      const double* f = facts_.data() + r * n_facts;
      bool fits = true;
      for (std::size_t i = 0; i < n_facts && kind_ == Facts::set; ++i) fits = fits && (f[i] == 0 || f[i] == 1 || std::isnan(f[i]));
      if (kind_ == Facts::bandit) fits = is_code(f[0]) && (f[1] == 0 || f[1] == 1) && f[2] > 0 && f[2] <= 1 && is_code(f[3]);
      if (!fits) throw std::invalid_argument("the facts about a row mean nothing");
    }
  }

  Facts kind_;
  Ints label_;
  Doubles target_;
  Matrix facts_;
};

}  // namespace streamboost
