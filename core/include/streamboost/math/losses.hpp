// Losses.
#pragma once
#include <cstddef>
#include <cstdint>

namespace streamboost {

enum class Loss { logistic, hinge, zero_one, squared };

}  // namespace streamboost
