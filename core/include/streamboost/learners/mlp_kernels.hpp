// Loops of the neural network over lanes. Weights [1 + hidden][classes][lane], row 0: biases; the first n_outputs classes take part.
#pragma once
#include <cstddef>

#include "streamboost/math/levels.hpp"

namespace streamboost {

// out[c] = bias + sum_h hidden_h w_hc
STREAMBOOST_KERNEL(void, mlp_output,
                   (const double* hidden, const double* weights, std::size_t n_hidden, std::size_t n_outputs, std::size_t classes,
                    std::size_t lanes, double* out));
// step_h = a_h (1 - a_h) sum_c delta_c w_hc with the weights of before; then w_hc += delta_c a_h
STREAMBOOST_KERNEL(void, mlp_backward,
                   (const double* hidden, const double* delta, double* weights, std::size_t n_hidden, std::size_t n_outputs,
                    std::size_t classes, std::size_t lanes, double* step));

}  // namespace streamboost
