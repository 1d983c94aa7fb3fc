// A model behind Python: arrays in, arrays out, no maths. Blocks of rows release the GIL unless a learner is written in Python;
// single rows keep it. Callers hold the model's lock (locking.hpp); only FastRow takes it by itself.
#pragma once
#include <ctime>
#include <map>

#include "locking.hpp"
#include "py_arrays.hpp"
#include "py_plan.hpp"
#include "streamboost/run/explain.hpp"
#include "streamboost/run/packed.hpp"
#include "streamboost/run/staged_model.hpp"
#include "streamboost/run/staged_regressor.hpp"
#include "streamboost/run/team.hpp"

namespace streamboost {

inline std::optional<Output> plain_output(const std::string& answer) {
  static const std::map<std::string, Output> words{{"none", Output::none},   {"label", Output::label}, {"score", Output::score},
                                                   {"proba", Output::proba}, {"both", Output::both},   {"number", Output::number},
                                                   {"full", Output::full}};
  const auto found = words.find(answer);
  return found == words.end() ? std::nullopt : std::optional(found->second);
}

// none, label, score, proba, both, full, number, or set:N (of numbers: interval:N), N the number of the coverage.
inline OutputBuffers output_of(const std::string& answer, const Model& model) {
  OutputBuffers out;
  if (const auto plain = plain_output(answer)) {
    out.output = *plain;
    return out;
  }
  const std::string_view kind = model.answers_numbers() ? "interval:" : "set:";
  if (answer.size() > kind.size() && answer.starts_with(kind) && model.n_coverages() > 0) {
    out.output = Output::set;
    out.coverage = static_cast<std::size_t>(std::stoul(answer.substr(kind.size())));
    if (out.coverage < model.n_coverages()) return out;
  }
  throw std::invalid_argument("answer must be none, label, score, proba, both, number, or set:N of a model that keeps sets");
}

class PyModel {
 public:
  explicit PyModel(const nb::dict& parts) : PyModel(std::make_shared<const Plan>(read_plan(parts))) {}

  // The same model once more: its numbers are copied from memory to memory.
  PyModel* clone() const {
    if (can_callback()) throw std::invalid_argument("learners written in Python are copied by Python");
    if (plan_->ensemble.part) throw std::invalid_argument("a part of an ensemble is not copied");
    std::unique_ptr<Model> copy;
    {
      const WithoutGil released;
      copy = model_->clone();
    }
    return new PyModel(plan_, std::move(copy));
  }

  void reserve(const Longs& n_values, int n_classes, bool declared, const std::optional<Doubles>& facts) {
    const Room room{n_values, n_classes, declared, facts};
    model_->reserve(schema_of(room), plan_->max_bytes);
    describe(room);
  }

  // Numbers that a file must hold for each learner, at least: a bank of one says so without growing.
  static double least_numbers(const std::string& learner, const nb::dict& learner_params, int first_width, const Longs& n_values,
                              int n_classes, bool declared) {
    Schema schema = schema_of({n_values, n_classes, declared, std::nullopt});
    schema.first_width = first_width;
    return make_bank(learner, read_config(learner_params), {0, 1}, Ensemble{})->least_numbers(schema);
  }

  // `room`: what the model must have room for before these rows, if it is to grow. Growing and learning are one call, so that
  // nothing can come between them.
  using Room = std::tuple<Longs, int, bool, std::optional<Doubles>>;
  double seconds_growing() const { return seconds_growing_; }  // of work, in the last `learn`
  nb::object learn(const Rows& x, const nb::handle& y, const std::optional<Doubles>& weight, const std::string& answer,
                   const std::optional<Room>& room, const std::optional<Table>& records, const std::optional<Ints>& places,
                   const std::optional<Flags>& unlabeled) {
    const OutputBuffers wanted = output_of(answer, *model_);
    const TruthArray truth(y, answers_numbers(), model_->facts());
    if (truth.n() != x.n() || (weight && weight->shape(0) != x.n()) || (unlabeled && unlabeled->shape(0) != x.n()))
      throw std::invalid_argument("X, y and weights differ in length");
    const Schema wanted_schema = room ? schema_of(*room) : Schema{};  // no copy where nothing grows: there may be a million columns
    const Schema& schema = room ? wanted_schema : model_->intake().schema();
    const RowBlock rows = x.block(schema);
    const double* w = weight ? weight->data() : nullptr;
    truth.check(schema, w);
    if (rows.row_start == nullptr) check_codes(rows, schema, w);
    Buffers buffers(wanted, x.n(), columns_for(wanted, schema));
    if (records) buffers.out.records = records_of(*records, places, x.n(), w, schema);
    seconds_growing_ = 0;
    Truth known = truth.of_rows();
    if (unlabeled) known.unlabeled = unlabeled->data();
    const auto learn_rows = [&] { learn_now(rows, known, w, buffers.out); };
    if (!room) {
      learn_rows();
      return buffers.give();
    }
    const std::clock_t begun = std::clock();
    model_->grow_and_learn(schema, plan_->max_bytes, [&] {
      seconds_growing_ = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
      describe(*room);
      learn_rows();
    });
    return buffers.give();
  }

  // records: where what the parts of the model say to each row goes, as wide as record_width says; None: nobody asks.
  nb::object ask(const Rows& x, const std::string& answer, const std::optional<Table>& records) const {
    const Schema& schema = model_->intake().schema();
    const RowBlock rows = x.block(schema);
    OutputBuffers wanted;
    if (answer == "votes" && !answers_numbers())
      wanted.output = Output::votes;
    else
      wanted = output_of(answer, *model_);
    Buffers buffers(wanted, x.n(), columns_for(wanted, schema));
    if (records) {
      const std::vector<double> none(x.n(), 0.0);
      buffers.out.records = records_of(*records, std::nullopt, x.n(), none.data(), schema);
    }
    without_gil(x.n(), [&] { team_.predict(*model_, rows, buffers.out); });
    return buffers.give();
  }

  std::size_t record_width(std::size_t n_classes) const { return 1 + model_->record_width(n_classes); }
  std::vector<double> lags() const { return model_->lags(); }

  // label: a code for each row, or -1. orders: as Explainer has it. Gives bases, contributions [row][column, then lag], scores, codes, and ways.
  nb::object explain(const Rows& x, const Ints& label, int orders) const {
    const Schema& schema = model_->intake().schema();
    const RowBlock rows = x.block(schema);
    const std::size_t n = x.n(), width = static_cast<std::size_t>(schema.width()) + model_->lags().size();
    if (label.shape(0) != n) throw std::invalid_argument("X and labels differ in length");
    std::vector<double> base(n), score(n), contributions(n * width);
    std::vector<std::int32_t> told(n), way(n);
    without_gil(n, [&] {
      Explainer explainer(*model_, plan_->ensemble.seed, orders);
      for (std::size_t r = 0; r < n; ++r) {
        const auto answer = explainer.explain(rows.row(static_cast<int>(r)), label.data()[r], contributions.data() + r * width);
        base[r] = answer.base;
        score[r] = answer.score;
        told[r] = answer.label;
        way[r] = static_cast<std::int32_t>(explainer.way);
      }
    });
    return nb::make_tuple(own(std::move(base), {n}), own(std::move(contributions), {n, width}), own(std::move(score), {n}),
                          own(std::move(told), {n}), own(std::move(way), {n}));
  }

  // Whatever is thrown in the middle of a row marks the model: nobody knows which learners have seen it. Only memory that ran
  // out before the first row is another matter, which the core can tell.
  void learn_now(const RowBlock& rows, Truth y, const double* w, const OutputBuffers& out) {
    if (model_->intake().n_seen() > (std::int64_t{1} << 53) - rows.n_rows)
      throw std::invalid_argument("a model counts at most 2^53 examples: what it would learn now, no file could hold");
    try {
      without_gil(static_cast<std::size_t>(rows.n_rows), [&] { team_.learn(*model_, rows, y, w, out); });
    } catch (const std::bad_alloc&) {
      broken_ = model_->broken() != nullptr;
      throw;
    } catch (...) {
      broken_ = true;
      throw;
    }
  }

  nb::dict state() { return arrays_of(model_->save()); }
  static nb::dict arrays_of(SavedState&& state) {
    nb::dict out;
    for (auto& [name, field] : state) {
      const std::vector<std::size_t> shape(field.shape.begin(), field.shape.end());
      out[name.c_str()] = field.whole ? own(std::move(field.integer), shape) : own(std::move(field.real), shape);
    }
    return out;
  }

  // The state as bytes, and another model like this one with the state that bytes hold; this one stays as it is.
  nb::bytes packed() {
    if (broken_) throw std::runtime_error("a call raised in the middle of a row");
    const std::string bytes = pack(*model_);
    return nb::bytes(bytes.data(), bytes.size());
  }
  PyModel* unpacked(const nb::bytes& bytes) const { return new PyModel(plan_, unpack_like(*model_, view(bytes))); }
  static nb::dict unpacked_arrays(const nb::bytes& bytes) { return arrays_of(unpack(view(bytes))); }
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
    if (!report.replacements.empty()) {
      const std::size_t n = report.replacements.size() / 2;
      out["replacement_times"] = own(std::move(report.replacements), {n, 2});
    }
    return out;
  }
  void take_turns(bool on) { team_.take_turns(on); }
  nb::dict threads() const {
    const Team::Record& record = team_.record();
    nb::dict out;
    out["busiest"] = record.busiest;
    out["together"] = record.together;
    out["cost"] = record.cost;
    out["owner"] = record.owner;
    out["after"] = record.after;
    out["chunk_rows"] = record.chunk_rows;
    out["slots"] = record.slots;
    return out;
  }
  // Learners written in Python: one of every lane, then those in the background, if there are any.
  nb::list lane_objects() {
    nb::list all;
    for (const auto& banks : {model_->banks(), model_->spares()})
      for (const BankHandle* bank : banks)
        if (const HoldsObjects* held = bank->can().objects)
          for (int lane = 0; lane < (*bank)->lanes().size(); ++lane) all.append(nb::handle(static_cast<PyObject*>(held->object(lane))));
    return all;
  }
  bool short_of_memory() {
    for (const BankHandle* bank : model_->banks())
      if (const LimitsTrees* trees = bank->can().limits; trees != nullptr && trees->short_of_memory()) return true;
    return false;
  }
  // A tree as a list of nodes in file order: (kind, column, threshold, value, fallback, children, masses per class,
  // values named by a grouped split).
  nb::list tree(int lane) {
    nb::list nodes;
    for (const BankHandle* bank : model_->banks()) {
      const ShowsTrees* trees = bank->can().trees;
      if (trees == nullptr) throw std::invalid_argument("the learners of this model are no trees");
      const Lanes lanes = (*bank)->lanes();
      if (lane < lanes.begin || lane >= lanes.end) continue;
      for (const TreeNode& node : trees->show(lane - lanes.begin)) {
        nb::list children, mass, named;
        for (int v : node.named) named.append(v);
        for (int b = 0; b < node.branches; ++b) children.append(node.first + b);
        for (double m : node.mass) mass.append(m);
        nodes.append(nb::make_tuple(node.kind, node.column, node.threshold, node.value, node.fallback, children, mass, named));
      }
    }
    if (nodes.size() == 0) throw std::invalid_argument("there is no learner " + std::to_string(lane));
    return nodes;
  }
  static Schema schema_of(const Room& room) {
    const auto& [n_values, n_classes, declared, facts] = room;
    Schema schema;
    schema.n_values.assign(n_values.data(), n_values.data() + n_values.shape(0));
    schema.first_width = schema.width();
    schema.n_classes = n_classes;
    schema.declared = declared;
    return schema;
  }
  Model& model() { return *model_; }
  bool same_plan(const PyModel& other) const { return plan_ == other.plan_; }
  const Model& model() const { return *model_; }
  SharedLock& lock() { return lock_; }
  const std::string& booster() const { return plan_->booster; }
  const std::shared_ptr<Part>& part() const { return plan_->ensemble.part; }
  bool broken() const { return broken_; }
  std::optional<std::string> why_broken() const {
    if (model_->broken() != nullptr) return model_->broken();
    return broken_ ? std::optional<std::string>("a call raised in the middle of a row") : std::nullopt;
  }
  bool can_callback() const { return model_->needs_gil(); }
  bool answers_numbers() const { return model_->answers_numbers(); }

 private:
  explicit PyModel(std::shared_ptr<const Plan> plan) : PyModel(plan, make_model(*plan)) {}
  PyModel(std::shared_ptr<const Plan> plan, std::unique_ptr<Model> model)
      : plan_(std::move(plan)), model_(std::move(model)), team_(plan_->ensemble) {}

  static Bytes view(const nb::bytes& bytes) { return {static_cast<const unsigned char*>(bytes.data()), bytes.size()}; }

  // One for each class; an interval has two ends.
  std::size_t columns_for(const OutputBuffers& wanted, const Schema& schema) const {
    return wanted.output == Output::set && answers_numbers() ? 2 : static_cast<std::size_t>(schema.n_classes);
  }

  // Where the answers to n rows go.
  struct Buffers {
    OutputBuffers out;
    std::vector<std::int32_t> label;
    std::vector<double> value;
    std::size_t n, k;

    Buffers(const OutputBuffers& wanted, std::size_t rows, std::size_t n_classes)
        : out(wanted), n(rows), k(columns_of(wanted.output, n_classes)) {
      if (out.output == Output::label) label.resize(n);
      value.resize(n * k);
      out.label = label.data();
      out.value = value.data();
    }
    nb::object give() {
      if (out.output == Output::label) return own(std::move(label), {n});
      if (out.output == Output::none) return nb::none();
      if (out.output == Output::number) return own(std::move(value), {n});
      return own(std::move(value), {n, k});
    }
  };

  // What is said of the classes counts from the moment in which they have their codes.
  void describe(const Room& room) {
    if (const auto& facts = std::get<3>(room)) model_->describe({facts->data(), facts->data() + facts->shape(0)});
  }

  // Rows that are learned bring their records; rows of weight 0 get theirs. All are checked before anything is touched.
  Records records_of(const Table& records, const std::optional<Ints>& places, std::size_t n, const double* w, const Schema& schema) const {
    if (places ? places->shape(0) != n : records.shape(0) != n) throw std::invalid_argument("answers and rows differ in number");
    const Records all{records.data(), records.shape(1), places ? places->data() : nullptr};
    model_->check_records(all, records.shape(0), n, w, schema);
    return all;
  }

  // Safe: the arrays are held by the caller and no Python object is touched.
  template <class Work>
  void without_gil(std::size_t n_rows, Work work) const {
    if (n_rows > 1 && !can_callback()) {
      const WithoutGil released;
      work();
    } else {
      work();
    }
  }

  // A learned nominal code addresses a table row.
  static void check_codes(const RowBlock& rows, const Schema& schema, const double* w) {
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

  std::shared_ptr<const Plan> plan_;  // copies have the same
  std::unique_ptr<Model> model_;
  Team team_{Ensemble{}};
  bool broken_ = false;
  double seconds_growing_ = 0;
  SharedLock lock_;
};

}  // namespace streamboost
