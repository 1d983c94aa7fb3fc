#include "streamboost/run/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "streamboost/run/room.hpp"

namespace streamboost {

namespace {

[[noreturn]] void refuse(const Schema& schema, bool numbers, const char* least, double needed, double max_bytes) {
  char classes[40] = " and their values", text[320];
  if (!numbers) std::snprintf(classes, sizeof classes, ", their values and %d classes", schema.n_classes);
  std::snprintf(
      text, sizeof text,
      "%d columns%s need %s%.0f bytes beside trees and remembered rows, and max_bytes leaves %.0f for that: nothing was learned from these "
      "rows. Raise max_bytes to at least %.2f times what it is, use fewer learners, or leave out columns of many values.",
      schema.width(), classes, least, needed, max_bytes, std::ceil(100 * needed / max_bytes) / 100);
  throw std::invalid_argument(text);
}

// What is needed is known to the byte when it is there; more than this, and more than is allowed, is refused by what is known before.
constexpr double tried = 1 << 28;

}  // namespace

std::unique_ptr<Growth> Model::reserve(const Schema& schema, double max_bytes) {
  std::unique_ptr<Growth> growth;
  try {
    const Room room(std::max(max_bytes, tried));
    growth = prepare(schema);
  } catch (const Room::Exceeded& least) {
    refuse(schema, answers_numbers(), "more than ", least.bytes, max_bytes);
  }
  if (!growth) return growth;
  if (const auto needed = static_cast<double>(growth->bytes()); needed > max_bytes)
    refuse(schema, answers_numbers(), "", needed, max_bytes);
  growth->exchange();
  return growth;
}

void Model::check_records(const Records& records, std::size_t n_records, std::size_t n_rows, const double* weight,
                          const Schema& schema) const {
  constexpr double largest = 1e150;  // what a model answers is far below
  const auto require = [](bool holds) {
    if (!holds) throw std::invalid_argument("these answers are not those of this model");
  };
  const auto classes = static_cast<std::size_t>(schema.n_classes);
  bool fresh = intake().n_learned() == 0;
  require(records.stride > 0);
  for (std::size_t r = 0; r < n_rows; ++r) {
    const std::int64_t place = records.place ? records.place[r] : static_cast<std::int64_t>(r);
    require(place < static_cast<std::int64_t>(n_records));
    const bool asked = weight != nullptr && weight[r] == 0;
    if (asked && place >= 0) {
      const std::size_t width = 1 + record_width(classes);
      require(width <= records.stride);
      double* record = records.value + static_cast<std::size_t>(place) * records.stride;
      std::fill_n(record, width, std::numeric_limits<double>::quiet_NaN());  // nobody has said anything yet
      record[0] = fresh ? -1.0 : static_cast<double>(classes);
    }
    fresh = fresh && asked;
    const double* record = records.of(static_cast<int>(r));
    if (asked || record == nullptr) continue;
    require(record[0] <= schema.n_classes && record[0] == std::floor(record[0]));
    const std::size_t width = 1 + record_width(Records::classes(record));
    require(width <= records.stride);
    for (std::size_t i = 1; i < width; ++i) require(!(std::fabs(record[i]) > largest));
  }
}

int Model::enlist(Flow& flow, const FlowInput& in) {
  const auto task = [this, &flow, in](int chunk) {
    learn(in.rows_of(flow, chunk), in.truth.from(flow.first(chunk)), in.weight_of(flow, chunk), in.answers(chunk));
  };
  return flow.add(task, in.after);
}

std::unique_ptr<Model> Model::clone() const {
  if (const char* why = broken()) throw std::runtime_error(why);
  if (needs_gil()) throw std::invalid_argument("learners written in Python are copied by Python");
  return copy_of(*this);
}

SavedState Model::save() {
  if (const char* why = broken()) throw std::runtime_error(why);
  Saver saver;
  visit(saver);
  return std::move(saver.state);
}

void Model::load(const SavedState& state) {
  const auto fresh = copy();
  Loader loader(state);
  fresh->visit(loader);
  loader.require_all_used();
  take(*fresh);
}

}  // namespace streamboost
