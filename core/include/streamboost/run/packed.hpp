// The state of a model as one message (messages.hpp): what a store of many small models keeps of each.
//
// It says nothing of the model that it belongs to: whoever unpacks has one with the same columns and classes, and Loader compares.
// Its fields stand in the order in which the model lists them, so that numbers go straight from a model to bytes and back. Only where lanes
// are cut into blocks a SavedState stands between the two.
#pragma once
#include <memory>
#include <string>

#include "streamboost/run/messages.hpp"
#include "streamboost/run/model.hpp"

namespace streamboost {

std::string pack(Model&);
SavedState unpack(Bytes);
std::unique_ptr<Model> unpack_like(const Model&, Bytes);  // a model like this one with that state

}  // namespace streamboost
