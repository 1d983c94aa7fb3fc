// Parts of ensembles behind Python: messages in, messages out (core/include/streamboost/run/stage.hpp).
#include "streamboost/run/stage.hpp"

#include "py_model.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace streamboost;

namespace {

using Buffer = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Bytes view(const Buffer& buffer) { return {buffer.data(), buffer.shape(0)}; }
nb::bytes give(const std::string& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

class PyStage {
 public:
  explicit PyStage(PyModel& model) : model_(model), stage_(model.model(), model.part(), model.booster()) {
    if (!model.part()) throw std::invalid_argument("a stage needs a model of some of the lanes");
  }
  nb::bytes step(const Buffer& chunk, const Buffer& carry, std::int64_t seq) {
    std::string reply;
    {
      const WithoutGil released;
      reply = stage_.step(view(chunk), view(carry), seq);
    }
    return give(reply);
  }
  Stage& stage() { return stage_; }
  const Part& part() const { return *model_.part(); }
  const Schema& schema() const { return model_.model().intake().schema(); }

 private:
  PyModel& model_;
  Stage stage_;
};

nb::bytes chunk(nb::handle x, int width, nb::handle y, const std::optional<Doubles>& weight, const std::string& answer, bool answers,
                const std::optional<PyModel::Room>& room, int restart, const std::optional<Matrix>& records) {
  const Rows rows(x);
  std::optional<TruthArray> truth;
  if (Ints codes; !y.is_none()) truth.emplace(y, !nb::try_cast(y, codes, false), Facts::none);
  if ((truth && truth->n() != rows.n()) || (weight && weight->shape(0) != rows.n()))
    throw std::invalid_argument("X, y and weights differ in length");
  Message m;
  m.learns = truth.has_value();
  const auto output = plain_output(answer);
  if (!output) throw std::invalid_argument("answer must be none, label, score, proba, both or number");
  m.output = *output;
  m.answers = answers || m.output != Output::none;
  m.rows = rows.block(width, rows.n_words());
  if (truth) {
    m.label = truth->of_rows().label;
    m.target = truth->of_rows().target;
  }
  m.weight = weight ? weight->data() : nullptr;
  m.restart = restart;
  if (records) {
    if (records->shape(0) != rows.n()) throw std::invalid_argument("answers and rows differ in number");
    m.records = records->data();
    m.stride = static_cast<int>(records->shape(1));
  }
  if (room) {
    m.room = PyModel::schema_of(*room);
    if (const auto& facts = std::get<3>(*room)) m.facts.assign(facts->data(), facts->data() + facts->shape(0));
  }
  // Written where it stays: a chunk of wide rows has megabytes.
  const std::size_t n = chunk_bytes(m);
  nb::bytes bytes = nb::steal<nb::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(n)));
  if (!bytes.is_valid()) throw std::bad_alloc();
  encode_chunk(m, reinterpret_cast<unsigned char*>(PyBytes_AS_STRING(bytes.ptr())));
  return bytes;
}

nb::tuple answer(const Buffer& bytes) {
  Reply reply = decode_answer(view(bytes));
  const auto n = static_cast<std::size_t>(reply.n_rows), k = static_cast<std::size_t>(reply.columns);
  nb::object values = nb::none();
  if (reply.output == Output::label)
    values = own(std::move(reply.label), {n});
  else if (reply.output == Output::number)
    values = own(std::move(reply.value), {n});
  else if (reply.output != Output::none)
    values = own(std::move(reply.value), {n, k});
  nb::object records = nb::none();
  if (!reply.records.empty()) records = own(std::move(reply.records), {n, static_cast<std::size_t>(reply.stride)});
  return nb::make_tuple(values, reply.restart, records);
}

}  // namespace

void register_stage(nb::module_& m) {
  nb::class_<PyStage>(m, "Stage", "The outside of a part of an ensemble.")
      .def(nb::init<PyModel&>(), "model"_a, nb::keep_alive<1, 2>())
      .def("step", &PyStage::step, "chunk"_a, "carry"_a, "seq"_a)
      .def_prop_ro("next_seq", [](PyStage& self) { return self.stage().next_seq(); })
      .def_prop_ro("last_reply", [](PyStage& self) { return give(self.stage().last_reply()); })
      .def(
          "go_on",
          [](PyStage& self, std::int64_t next, const nb::bytes& reply) {
            self.stage().go_on(next, std::string(reply.c_str(), reply.size()));
          },
          "next_seq"_a, "last_reply"_a)
      .def_prop_ro("room",
                   [](PyStage& self) {
                     const Schema schema = self.schema();
                     std::vector<std::int64_t> n_values = schema.n_values;
                     const std::size_t width = n_values.size();
                     return nb::make_tuple(own(std::move(n_values), {width}), schema.n_classes, schema.declared, schema.first_width);
                   })
      .def_prop_ro("grain", [](PyStage& self) { return self.part().grain; })
      .def_prop_ro("one_by_one", [](PyStage& self) { return self.part().one_by_one; });
  m.def("encode_chunk", &chunk, "X"_a, "width"_a, "y"_a.none(), "weight"_a.noconvert().none(), "answer"_a, "answers"_a,
        "room"_a.none() = nb::none(), "restart"_a = -1, "records"_a.noconvert().none() = nb::none());
  m.def("decode_answer", &answer, "bytes"_a);
}
