// The shortest way from a dict with the usual keys to the core.
//
// Anything unusual (a missing key, a new one, a new label or category, NaN, infinity, text among numbers, a model that has
// grown since, a parameter that was set) is left to the long way, which decides and explains. Only a plain dict is read so: one
// of a subclass may answer for keys that it does not have.
#pragma once
#include <array>
#include <atomic>
#include <cstring>

#include "py_model.hpp"

namespace streamboost {

// Goes up whenever somebody sets a parameter of any estimator; whoever has compared parameters remembers it.
inline std::atomic<std::uint64_t> parameter_changes{0};

// A number that one thread may set while others read it.
template <class Number>
class Relaxed {
 public:
  Relaxed(Number value) : value_(value) {}
  Relaxed(const Relaxed& other) : value_(other) {}
  Relaxed& operator=(Number value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }
  operator Number() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<Number> value_;
};

// The value of a key, or nothing. Held: without the GIL another thread may take it out of the dict.
inline nb::object item_of(PyObject* dict, PyObject* key) {
  PyObject* found = nullptr;
#ifdef Py_GIL_DISABLED
  PyDict_GetItemRef(dict, key, &found);
#else
  Py_XINCREF(found = PyDict_GetItemWithError(dict, key));
#endif
  if (found == nullptr) PyErr_Clear();
  return nb::steal(found);
}

class FastRow {
 public:
  // books: the codes of each nominal column's values, None for a numeric one. labels: the codes of the classes; `classes`: by code.
  // `order`: codes as they stand in classes_. `learns`: false for a model that is only read. Without labels it answers numbers.
  FastRow(nb::object model, nb::list names, nb::list books, nb::object labels, nb::list classes, const std::vector<int>& order,
          double largest, bool learns)
      : owner_(std::move(model)),
        model_(nb::cast<PyModel*>(owner_)),
        names_(std::move(names)),
        books_(std::move(books)),
        labels_(std::move(labels)),
        classes_(std::move(classes)),
        order_(order),
        width_(names_.size()),
        largest_(largest),
        learns_(learns) {}

  // The same way into another model with the same columns and classes: for good, or for one call (`learn_in`, `predict_proba_in`), where
  // the caller knows that nobody else has the model's parameters and uses this one.
  FastRow of(nb::object model) const {
    FastRow other = *this;
    other.owner_ = std::move(model);
    other.model_ = nb::cast<PyModel*>(other.owner_);
    return other;
  }

  // The number of rows learned so far, with this one; 0 if it was not learned.
  std::int64_t learn(nb::handle x, nb::handle y) { return is_checked() ? learn_in(*model_, x, y) : 0; }
  std::int64_t learn_in(PyModel& model, nb::handle x, nb::handle y) { return learn_row(model, x, y, {}); }

  // The same with the answer of just before: (rows learned, label, dict of probabilities), or of a regressor (rows learned, number);
  // NotImplemented if the row was not learned.
  nb::object test_then_train(nb::handle x, nb::handle y) {
    if (!is_checked()) return not_here();
    std::vector<double> answer(order_.size() + 1);
    const Output wanted = labels_.is_none() ? Output::number : Output::both;
    const std::int64_t n_learned = learn_row(*model_, x, y, {wanted, nullptr, answer.data()});
    if (n_learned == 0) return not_here();
    if (labels_.is_none()) return nb::make_tuple(n_learned, answer[0]);
    return nb::make_tuple(n_learned, label_of(answer.back()), named(answer));
  }

  // Whether a row can go this way.
  bool reads(nb::handle x) const {
    Values row;
    return read(x, row);
  }

  // The label or number of one row, or NotImplemented.
  nb::object predict(nb::handle x) {
    if (!is_checked()) return not_here();
    Values row;
    std::int32_t code = -1;
    if (labels_.is_none()) {
      double number = 0;
      if (!read(x, row) || !answer(*model_, row, {Output::number, nullptr, &number})) return not_here();
      return nb::float_(number);
    }
    if (!read(x, row) || !answer(*model_, row, {Output::label, &code, nullptr})) return not_here();
    return code < 0 ? nb::none() : nb::borrow(classes_[static_cast<std::size_t>(code)]);
  }

  // The label and the dict of probabilities of one row, or NotImplemented.
  nb::object predict_both(nb::handle x) {
    Values row;
    std::vector<double> both(order_.size() + 1);
    if (!is_checked() || !read(x, row) || !answer(*model_, row, {Output::both, nullptr, both.data()})) return not_here();
    return nb::make_tuple(label_of(both.back()), named(both));
  }

  // The label and probabilities, or the number, of one row, and its record (run/outputs.hpp) as bytes; or NotImplemented.
  nb::object predict_pending(nb::handle x) {
    Values row;
    const bool number = labels_.is_none();
    std::vector<double> answer_to(number ? 1 : order_.size() + 1), record(model_->record_width(order_.size()));
    OutputBuffers out{number ? Output::number : Output::both, nullptr, answer_to.data()};
    out.records = {record.data(), record.size()};
    if (!is_checked() || !read(x, row) || !answer(*model_, row, out)) return not_here();
    const nb::bytes said(reinterpret_cast<const char*>(record.data()), record.size() * sizeof(double));
    if (number) return nb::make_tuple(nb::float_(answer_to[0]), said);
    return nb::make_tuple(nb::make_tuple(label_of(answer_to.back()), named(answer_to)), said);
  }
  // Learns one row with its record; returns the examples learned, 0: not this way.
  std::int64_t learn_pending(nb::handle x, nb::handle y, const nb::bytes& said) {
    std::vector<double> record(said.size() / sizeof(double));
    std::memcpy(record.data(), said.data(), record.size() * sizeof(double));
    OutputBuffers out;
    out.records = {record.data(), record.size()};
    return is_checked() ? learn_row(*model_, x, y, out) : 0;
  }

  // A dict of probabilities in the order of classes_, or NotImplemented.
  nb::object predict_proba(nb::handle x) { return is_checked() ? predict_proba_in(*model_, x) : not_here(); }
  nb::object predict_proba_in(PyModel& model, nb::handle x) {
    Values row;
    std::vector<double> proba(order_.size());
    if (!read(x, row) || !answer(model, row, {Output::proba, nullptr, proba.data()})) return not_here();
    return named(proba);
  }

  std::size_t width() const { return width_; }
  std::size_t n_classes() const { return order_.size(); }
  double largest() const { return largest_; }
  void set_largest(double value) { largest_ = value; }
  void set_checked(std::uint64_t value) { checked_ = value; }

 private:
  static constexpr std::size_t most_on_stack = 64;
  static constexpr double largest_target = 1e100;
  struct Values {
    std::array<double, most_on_stack> few;
    std::vector<double> many;
    double* data = few.data();
  };

  static nb::object not_here() { return nb::borrow(Py_NotImplemented); }

  std::int64_t learn_row(PyModel& model, nb::handle x, nb::handle y, const OutputBuffers& answer) {
    const bool number = labels_.is_none();
    const std::int32_t label = number ? 0 : look_up(labels_.ptr(), y.ptr());
    double target = 0;
    Values row;
    if (label < 0 || !learns_ || (number && !read_number(y.ptr(), largest_target, target)) || !read(x, row)) return 0;
    const HeldWithGil held(model.lock(), SharedLock::Use::write);
    if (!covers(model)) return 0;
    const BorrowedScratch lent(*model_, model);
    if (answer.records.value != nullptr) model.model().check_records(answer.records, 1, 1, nullptr, model.model().intake().schema());
    model.learn_now(block(row), number ? Truth::of_numbers(&target) : Truth(&label), nullptr, answer);
    return model.model().intake().n_learned();
  }

  // The last column of Output::both is the code of the label: negative or NaN while there is none.
  nb::object label_of(double code) const { return code >= 0 ? nb::borrow(classes_[static_cast<std::size_t>(code)]) : nb::none(); }
  // Probabilities by label, in the order of classes_.
  nb::dict named(const std::vector<double>& proba) const {
    nb::dict out;
    for (int code : order_) out[classes_[static_cast<std::size_t>(code)]] = proba[static_cast<std::size_t>(code)];
    return out;
  }

  // A code, or -1. Keys may be of any kind, and comparing them may run anything: nothing raised here is of interest.
  static int look_up(PyObject* codes, PyObject* key) {
    const nb::object held = nb::borrow(key), code = item_of(codes, key);
    return code.is_valid() ? static_cast<int>(PyLong_AsLong(code.ptr())) : -1;
  }

  // A number of at most this magnitude; what is none or larger is left to the long way.
  static bool read_number(PyObject* item, double largest, double& value) {
    if (PyFloat_CheckExact(item)) {
      value = PyFloat_AS_DOUBLE(item);
    } else {
      const nb::object held = nb::borrow(item);
      value = PyFloat_AsDouble(item);
      if (value == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        return false;
      }
    }
    return value <= largest && value >= -largest;
  }

  bool read(nb::handle x, Values& row) const {
    if (!PyDict_CheckExact(x.ptr()) || static_cast<std::size_t>(PyDict_GET_SIZE(x.ptr())) != width_) return false;
    if (width_ > most_on_stack) {
      row.many.resize(width_);
      row.data = row.many.data();
    }
    for (std::size_t j = 0; j < width_; ++j) {
      const nb::object item = item_of(x.ptr(), NB_LIST_GET_ITEM(names_.ptr(), static_cast<Py_ssize_t>(j)));
      if (!item.is_valid()) return false;
      PyObject* book = NB_LIST_GET_ITEM(books_.ptr(), static_cast<Py_ssize_t>(j));
      double value;
      if (book != Py_None) {
        value = look_up(book, item.ptr());
        if (value < 0) return false;
      } else {
        if (!read_number(item.ptr(), largest_, value)) return false;
      }
      row.data[j] = value;
    }
    return true;
  }

  bool is_checked() const { return checked_ == parameter_changes.load(std::memory_order_relaxed); }

  // Under the lock: whether the model has the columns and classes that this was made for.
  bool covers(const PyModel& model) const {
    const Schema& schema = model.model().intake().schema();
    return !model.broken() && static_cast<std::size_t>(schema.width()) == width_ &&
           static_cast<std::size_t>(schema.n_classes) == order_.size();
  }

  bool answer(PyModel& model, const Values& row, const OutputBuffers& out) {
    const HeldWithGil held(model.lock(), &model == model_ ? SharedLock::Use::read : SharedLock::Use::write);
    if (!covers(model)) return false;
    const BorrowedScratch lent(*model_, model);
    const double asked = 0;
    if (out.records.value != nullptr) model.model().check_records(out.records, 1, 1, &asked, model.model().intake().schema());
    model.model().predict(block(row), out);
    return true;
  }

  // Many models with the same columns and classes work where one of them does.
  class BorrowedScratch {
   public:
    BorrowedScratch(PyModel& from, PyModel& to) : from_(from.model()), to_(to.model()), lent_(&from != &to && from.same_plan(to)) {
      swap();
    }
    ~BorrowedScratch() { swap(); }
    BorrowedScratch(const BorrowedScratch&) = delete;
    BorrowedScratch& operator=(const BorrowedScratch&) = delete;

   private:
    void swap() noexcept {
      if (lent_) to_.swap_scratch(from_);
    }
    Model &from_, &to_;
    bool lent_;
  };

  RowBlock block(const Values& row) const {
    RowBlock rows;
    rows.n_rows = 1;
    rows.n_columns = static_cast<int>(width_);
    rows.values = row.data;
    return rows;
  }

  nb::object owner_;
  PyModel* model_;
  nb::list names_, books_;
  nb::object labels_;  // a dict, or None
  nb::list classes_;
  std::vector<int> order_;
  std::size_t width_;
  Relaxed<double> largest_;  // the largest magnitude that needs no closer look
  bool learns_;
  Relaxed<std::uint64_t> checked_ = 0;  // parameter_changes when the parameters were last compared
};

}  // namespace streamboost
