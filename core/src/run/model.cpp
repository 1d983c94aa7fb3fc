#include "streamboost/run/model.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace streamboost {

void Model::reserve(const Schema& schema, double max_bytes) {
  const auto growth = prepare(schema);
  if (!growth) return;
  if (const auto needed = static_cast<double>(growth->bytes()); needed > max_bytes) {
    char text[320];
    std::snprintf(
        text, sizeof text,
        "%d columns, their values and %d classes need %.0f bytes beside trees and remembered rows, and max_bytes leaves %.0f for "
        "that: nothing was learned from these rows. Raise max_bytes to at least %.2f times what it is, use fewer learners, or leave "
        "out columns of many values.",
        schema.width(), schema.n_classes, needed, max_bytes, std::ceil(100 * needed / max_bytes) / 100);
    throw std::invalid_argument(text);
  }
  growth->commit();
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
