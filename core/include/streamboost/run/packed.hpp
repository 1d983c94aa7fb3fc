// The state of a model as one message (messages.hpp): what a store of many small models keeps of each.
//
// It says nothing of the model that it belongs to: whoever unpacks has one with the same columns and classes, and Loader compares.
#pragma once
#include <string>

#include "streamboost/run/fields.hpp"
#include "streamboost/run/messages.hpp"

namespace streamboost {

std::string pack(const SavedState&);
SavedState unpack(Bytes);

}  // namespace streamboost
