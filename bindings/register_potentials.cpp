// The potentials of multiclass boosting by majority, for tests and for looking at them; boosters use them inside the core.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "streamboost/math/potential.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace streamboost;

namespace {

Potential::Kind kind_of(const std::string& name) {
  if (name == "exact") return Potential::Kind::exact;
  if (name == "pairwise") return Potential::Kind::pairwise;
  if (name == "recursion") return Potential::Kind::recursion;
  if (name == "mc") return Potential::Kind::mc;
  throw std::invalid_argument("a potential is exact, pairwise, recursion or mc");
}

class PyPotential {
 public:
  PyPotential(const std::string& kind, int n_classes, int n_votes, double edge, std::uint64_t seed, int draws)
      : potential_(make_potential(kind_of(kind), n_classes, n_votes, edge, seed, draws)) {}
  double phi(int n, const std::vector<std::int32_t>& votes, int r) const { return checked(n, votes, r, 0).phi(n, votes.data(), r); }
  double weight(int n, const std::vector<std::int32_t>& votes, int r) const { return checked(n, votes, r, 1).weight(n, votes.data(), r); }
  nb::object row(int n, const std::vector<std::int32_t>& votes, int r) const {
    double* out = fresh(votes.size());
    checked(n, votes, r, 0).row(n, votes.data(), r, out);
    return give(out, {votes.size()});
  }
  nb::object matrix(int n, const std::vector<std::int32_t>& votes) const {
    double* out = fresh(votes.size() * votes.size());
    checked(n, votes, 0, 0).matrix(n, votes.data(), out);
    return give(out, {votes.size(), votes.size()});
  }
  nb::object weights_along(const nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& labels,
                           const nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& truth) const {
    const std::size_t rows = labels.shape(0), n = labels.shape(1);
    if (truth.shape(0) != rows || static_cast<int>(n) != potential_->n_votes()) throw std::invalid_argument("labels must be [row][vote]");
    const auto legal = [&](std::int32_t label) { return label >= 0 && label < potential_->n_classes(); };
    for (std::size_t i = 0; i < rows * n; ++i)
      if (!legal(labels.data()[i])) throw std::invalid_argument("a label is not a class code");
    for (std::size_t i = 0; i < rows; ++i)
      if (!legal(truth.data()[i])) throw std::invalid_argument("a label is not a class code");
    double* out = fresh(rows * n);
    for (std::size_t i = 0; i < rows; ++i) potential_->along(labels.data() + i * n, truth.data()[i], true, out + i * n);
    return give(out, {rows, n});
  }
  double phi0() const { return potential_->phi0(); }

 private:
  // One vote is added to build a row, so counts stay a little inside 32 bits.
  const Potential& checked(int n, const std::vector<std::int32_t>& votes, int r, int own) const {
    if (n < 0 || n + own > potential_->n_votes()) throw std::invalid_argument("n is not in the tables");
    if (static_cast<int>(votes.size()) != potential_->n_classes() || r < 0 || r >= potential_->n_classes())
      throw std::invalid_argument("votes and r do not fit the number of classes");
    for (auto v : votes)
      if (v < 0 || v > (1 << 24)) throw std::invalid_argument("votes are counts");
    return *potential_;
  }
  static double* fresh(std::size_t n) { return new double[n]; }
  static nb::object give(double* data, std::vector<std::size_t> shape) {
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double>(data, shape.size(), shape.data(), owner));
  }
  std::unique_ptr<Potential> potential_;
};

}  // namespace

void register_potentials(nb::module_& m) {
  nb::class_<PyPotential>(m, "Potential", "A potential of multiclass boosting by majority.")
      .def(nb::init<const std::string&, int, int, double, std::uint64_t, int>(), "kind"_a, "n_classes"_a, "n_votes"_a, "edge"_a,
           "seed"_a = 0, "draws"_a = 100)
      .def("phi", &PyPotential::phi, "n"_a, "votes"_a, "r"_a)
      .def("weight", &PyPotential::weight, "n"_a, "votes"_a, "r"_a)
      .def("row", &PyPotential::row, "n"_a, "votes"_a, "r"_a)
      .def("matrix", &PyPotential::matrix, "n"_a, "votes"_a)
      .def("weights_along", &PyPotential::weights_along, "labels"_a.noconvert(), "truth"_a.noconvert())
      .def("phi0", &PyPotential::phi0);
}
