#include "streamboost/run/model.hpp"

#include <stdexcept>
#include <utility>

namespace streamboost {

void Model::reserve(const Schema& schema) {
  if (const auto growth = prepare(schema)) growth->commit();
}

std::unique_ptr<Model> Model::clone() const {
  if (const char* why = broken()) throw std::runtime_error(why);
  if (needs_gil()) throw std::invalid_argument("learners written in Python are copied by Python");
  return copy();
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
