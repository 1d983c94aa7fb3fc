#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <vector>

#include "streamboost/math/rng.hpp"
#include "streamboost/math/simplex.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace streamboost;

void register_rng(nb::module_& m) {
  const auto key = [](std::uint64_t seed, std::uint64_t example, std::uint32_t lane, std::uint32_t purpose, std::uint32_t attempt) {
    return Key{seed, example, lane, static_cast<Purpose>(purpose), attempt};
  };
  m.def(
      "uniform",
      [key](std::uint64_t seed, std::uint64_t example, std::uint32_t lane, std::uint32_t purpose, std::uint32_t attempt) {
        return uniform(key(seed, example, lane, purpose, attempt));
      },
      "seed"_a, "example"_a, "lane"_a, "purpose"_a, "attempt"_a = 0, "The keyed uniform on [0, 1).");
  m.def(
      "normal",
      [key](std::uint64_t seed, std::uint64_t example, std::uint32_t lane, std::uint32_t purpose, std::uint32_t attempt) {
        return normal(key(seed, example, lane, purpose, attempt));
      },
      "seed"_a, "example"_a, "lane"_a, "purpose"_a, "attempt"_a = 0, "The keyed standard normal.");
  m.def(
      "poisson",
      [key](double lam, std::uint64_t seed, std::uint64_t example, std::uint32_t lane) {
        return poisson(lam, key(seed, example, lane, 1, 0));
      },
      "lam"_a, "seed"_a, "example"_a, "lane"_a, "The keyed Poisson draw of rate lam.");
  m.def(
      "project_simplex",
      [](const nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& v, const std::string& projection, std::uint64_t seed,
         std::uint64_t example) {
        const std::size_t n = v.shape(0);
        if (n == 0 || (projection != "sort" && projection != "pivot"))
          throw std::invalid_argument("an empty vector or an unknown projection");
        std::vector<double> work(n);
        auto* out = new double[n];
        nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<double*>(p); });
        std::copy_n(v.data(), n, out);
        project_to_simplex(out, n, work.data(), projection == "sort" ? Projection::sort : Projection::pivot,
                           {seed, example, 0, Purpose::pivot});
        return nb::ndarray<nb::numpy, double, nb::ndim<1>>(out, {n}, owner);
      },
      "v"_a.noconvert(), "projection"_a = "sort", "seed"_a = 0, "example"_a = 0, "The nearest point of the simplex.");
  // [row][lane] for n examples in a row; fill(example, row) writes the lanes of one example.
  const auto block = [](std::uint64_t first_example, std::size_t n, std::size_t lanes, const auto& fill) {
    auto* out = new double[n * lanes + 1];
    nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    for (std::size_t r = 0; r < n; ++r) fill(first_example + r, out + r * lanes);
    return nb::ndarray<nb::numpy, double, nb::ndim<2>>(out, {n, lanes}, owner);
  };
  m.def(
      "uniform_block",
      [block](std::uint64_t seed, std::uint64_t first_example, std::size_t n, std::size_t lanes, std::uint32_t purpose) {
        return block(first_example, n, lanes, [=](std::uint64_t example, double* row) {
          uniform_lanes(seed, example, 0, static_cast<Purpose>(purpose), row, lanes);
        });
      },
      "seed"_a, "first_example"_a, "n"_a, "lanes"_a, "purpose"_a, "Keyed uniforms [row][lane] of n examples in a row.");
  m.def(
      "normal_block",
      [block](std::uint64_t seed, std::uint64_t first_example, std::size_t n, std::size_t lanes, std::uint32_t purpose) {
        return block(first_example, n, lanes, [=](std::uint64_t example, double* row) {
          for (std::size_t lane = 0; lane < lanes; ++lane)
            row[lane] = normal({seed, example, static_cast<std::uint32_t>(lane), static_cast<Purpose>(purpose)});
        });
      },
      "seed"_a, "first_example"_a, "n"_a, "lanes"_a, "purpose"_a, "Keyed standard normals [row][lane] of n examples in a row.");
}
