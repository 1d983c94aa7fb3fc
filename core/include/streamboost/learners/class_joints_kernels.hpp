// Log joints of the classes, [class][lane], become votes and distributions.
#pragma once
#include <cstddef>
#include <cstdint>

#include "streamboost/math/levels.hpp"

namespace streamboost {

STREAMBOOST_KERNEL(bool, all_positive, (const double* value, std::size_t n));
// the class with data whose joint is highest, -1 if none has data; ties to the lowest
STREAMBOOST_KERNEL(void, best_class,
                   (const double* joint, const double* class_weight, std::size_t n_classes, std::size_t lanes, std::int32_t* vote,
                    double* highest));
// of the first n lanes, of classes with weight: joint - highest, of others 0
STREAMBOOST_KERNEL(void, joint_gaps,
                   (const double* joint, const double* class_weight, const double* highest, std::size_t n_classes, std::size_t n,
                    std::size_t lanes, double* gap));
// A class with weight gets its part of share, [class][lane], less what those without hold: alpha / (n + K alpha) each. No weight: all 0.
STREAMBOOST_KERNEL(void, joint_shares,
                   (const double* class_weight, double alpha, std::size_t n_classes, std::size_t n, std::size_t lanes, double* share));

}  // namespace streamboost
