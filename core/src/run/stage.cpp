#include "streamboost/run/stage.hpp"

#include <cmath>

#include "streamboost/run/messages.hpp"
#include "streamboost/run/staged_model.hpp"

namespace streamboost {
namespace {

constexpr double largest_value = 1e100;  // the largest that Python takes

void check_rows(const Message& m, const Schema& schema, const MessageReader& in) {
  const RowBlock& rows = m.rows;
  in.require(rows.n_columns == schema.width(), "has rows of another width than the model");
  for (int r = 0; r < rows.n_rows; ++r) {
    const double w = m.weight ? m.weight[r] : 1.0;
    in.require(w >= 0 && w <= 9007199254740992.0, "holds a weight that cannot be");
    if (m.label) in.require(m.label[r] < schema.n_classes && (m.label[r] >= 0 || w == 0), "holds a label code that is not reserved");
    if (m.target) in.require(std::fabs(m.target[r]) <= 1e100 || w == 0, "holds a target that is not a finite number");
  }
  if (rows.row_start != nullptr) {
    in.require(!schema.any_nominal(), "is sparse, and the model has nominal columns");
    in.require(rows.row_start[0] == 0, "has broken offsets");
    for (int r = 0; r < rows.n_rows; ++r) {
      std::int32_t last = -1;
      for (auto i = rows.row_start[r]; i < rows.row_start[r + 1]; ++i) {
        in.require(rows.columns[i] > last && rows.columns[i] < rows.n_columns, "has columns that do not ascend within the width");
        last = rows.columns[i];
      }
    }
  }
  const std::int64_t cells =
      rows.row_start != nullptr ? rows.row_start[rows.n_rows] : static_cast<std::int64_t>(rows.n_rows) * rows.n_columns;
  bool infinite = false;
  for (std::int64_t i = 0; i < cells; ++i) infinite |= std::fabs(rows.values[i]) > largest_value;
  in.require(!infinite, "holds a value beyond 1e100");
  for (int j = 0; j < rows.n_columns && m.learns; ++j) {
    if (!schema.nominal(j)) continue;
    const auto limit = static_cast<double>(schema.n_values[static_cast<std::size_t>(j)]);
    for (int r = 0; r < rows.n_rows; ++r) {
      const double x = rows.values[static_cast<std::int64_t>(r) * rows.n_columns + j];
      if (m.weight && m.weight[r] == 0) continue;
      in.require(std::isnan(x) || (x >= 0 && x < limit && x == std::floor(x)), "holds a category code that is not reserved");
    }
  }
}

// The positive class, weights [class], costs [truth][answer].
void check_facts(const std::vector<double>& facts, int n_classes, const MessageReader& in) {
  const auto k = static_cast<std::size_t>(n_classes);
  in.require(facts.size() == 1 + k + k * k && facts[0] == std::floor(facts[0]) && facts[0] < n_classes, "holds facts of other classes");
  for (double x : facts) in.require(x <= largest_value && x >= 0, "holds a weight or a cost that cannot be");
}

Output read_output(MessageReader& in) {
  const auto output = static_cast<Output>(in.whole(0, static_cast<std::int64_t>(Output::number)));
  in.require(output != Output::full && output != Output::set, "wants answers that do not travel");
  return output;
}

// The cells of the columns of words stay where they are.
void read_words(Message& m, int n_words, MessageReader& in) {
  in.require(in.count() == n_words, "has other columns of words");
  if (n_words == 0) return;
  m.words.reserve(static_cast<std::size_t>(n_words));  // each row has some, so a small message cannot ask for much
  for (std::int64_t cell = 0; cell < static_cast<std::int64_t>(m.rows.n_rows) * n_words; ++cell)
    m.words.push_back(in.flag() ? in.text_here(most_of_any) : std::string_view{});
  m.rows.words = m.words.data();
  m.rows.n_words = n_words;
}

Message decode_chunk(Bytes bytes, const Schema& now, bool numbers) {
  MessageReader in(bytes, "chunk");
  Message m;
  m.learns = in.flag();
  m.answers = in.flag();
  m.output = read_output(in);
  in.require(m.output == Output::none || (m.output == Output::number) == numbers, "wants the answers of another kind of model");
  m.restart = static_cast<int>(in.whole(-1, std::numeric_limits<std::int32_t>::max()));
  m.rows.n_rows = in.count();
  m.rows.n_columns = in.count();
  const bool sparse = in.flag(), weighted = in.flag();
  const std::int64_t grows = in.whole(0, 2);  // 2: with facts
  m.stride = in.count();
  in.require(m.learns || (!grows && m.restart < 0), "asks and changes the model at once");
  in.require(m.answers || m.output == Output::none, "wants answers that nobody reads");
  const Schema* schema = &now;
  if (grows) {
    m.room.emplace();
    m.room->n_classes = in.count();
    m.room->declared = in.flag();
    const auto* n_values = in.array<std::int64_t>(m.rows.n_columns);
    for (int j = 0; j < m.rows.n_columns; ++j)
      in.require(n_values[j] >= coded_column && n_values[j] < (1 << 30), "holds a number out of range");
    m.room->n_values.assign(n_values, n_values + m.rows.n_columns);
    m.room->first_width = m.room->width();
    m.room->require_growth_from(now);
    schema = &*m.room;
    if (grows == 2) {
      const std::int64_t n_facts = in.whole();
      const auto* facts = in.array<double>(n_facts);
      m.facts.assign(facts, facts + n_facts);
      check_facts(m.facts, m.room->n_classes, in);
    }
  }
  const int n = m.rows.n_rows;
  if (m.learns && numbers)
    m.target = in.array<double>(n);
  else if (m.learns)
    m.label = in.array<std::int32_t>(n);
  if (weighted) m.weight = in.array<double>(n);
  if (m.stride > 0) m.records = in.array<double>(static_cast<std::int64_t>(n) * m.stride);
  if (sparse) {
    m.rows.row_start = in.array<std::int64_t>(static_cast<std::int64_t>(n) + 1);
    for (int r = 0; r < n; ++r)
      in.require(m.rows.row_start[r] >= 0 && m.rows.row_start[r] <= m.rows.row_start[r + 1], "has broken offsets");
    in.require(m.rows.row_start[n] >= 0, "has broken offsets");
    m.rows.columns = in.array<std::int32_t>(m.rows.row_start[n]);
    m.rows.values = in.array<double>(m.rows.row_start[n]);
  } else {
    m.rows.values = in.array<double>(static_cast<std::int64_t>(n) * m.rows.n_columns);
    read_words(m, schema->n_words(), in);
  }
  in.finish();
  check_rows(m, *schema, in);
  return m;
}

std::string encode_carry(const Carry& carry, const std::string& name, std::int64_t seq) {
  MessageWriter out("carry");
  out.text(name);
  out.whole(seq);
  out.whole(carry.number);
  for (std::int64_t x : {carry.n_rows, carry.n_classes, carry.lanes}) out.whole(x);
  out.whole(static_cast<std::int64_t>(carry.stride));
  for (bool x : {carry.phase, carry.stopped, carry.alarm}) out.whole(x);
  out.whole(carry.worst_lane);
  out.real(carry.worst_error);
  out.whole(static_cast<std::int64_t>(carry.share.size()));
  out.array(carry.share.data(), carry.share.size());
  out.array(carry.cell.data(), carry.cell.size());
  return out.finish();
}

Carry decode_carry(Bytes bytes, const std::string& name, std::int64_t seq) {
  MessageReader in(bytes, "carry");
  const std::string found = in.text();
  if (found != name) throw std::invalid_argument("this carry is of a '" + found + "', the model is a '" + name + "'");
  in.require(in.whole(0, std::numeric_limits<std::int64_t>::max()) == seq, "belongs to another chunk");
  Carry carry;
  carry.number = in.whole(0, std::numeric_limits<std::int64_t>::max());
  carry.n_rows = in.count();
  carry.n_classes = in.count();
  carry.lanes = in.count();
  carry.stride = static_cast<std::size_t>(in.count());
  carry.phase = in.flag();
  carry.stopped = in.flag();
  carry.alarm = in.flag();
  carry.worst_lane = in.count(-1);
  carry.worst_error = in.real();
  const std::int64_t shares = in.whole();
  const auto* share = in.array<double>(shares);
  carry.share.assign(share, share + shares);
  const std::int64_t cells = static_cast<std::int64_t>(carry.n_rows) * static_cast<std::int64_t>(carry.stride);
  const auto* cell = in.array<double>(cells);
  carry.cell.assign(cell, cell + cells);
  in.finish();
  return carry;
}

}  // namespace

namespace {
template <class Out>
void write_chunk(const Message& m, Out& out) {
  out.whole(m.learns);
  out.whole(m.answers);
  out.whole(static_cast<std::int64_t>(m.output));
  out.whole(m.restart);
  out.whole(m.rows.n_rows);
  out.whole(m.rows.n_columns);
  out.whole(m.rows.row_start != nullptr);
  out.whole(m.weight != nullptr);
  out.whole(!m.room ? 0 : m.facts.empty() ? 1 : 2);
  out.whole(m.stride);
  if (m.room) {
    out.whole(m.room->n_classes);
    out.whole(m.room->declared);
    out.array(m.room->n_values.data(), m.room->n_values.size());
    if (!m.facts.empty()) {
      out.whole(static_cast<std::int64_t>(m.facts.size()));
      out.array(m.facts.data(), m.facts.size());
    }
  }
  const auto n = static_cast<std::size_t>(m.rows.n_rows);
  if (m.target)
    out.array(m.target, n);
  else if (m.learns)
    out.array(m.label, n);
  if (m.weight) out.array(m.weight, n);
  if (m.stride > 0) out.array(m.records, n * static_cast<std::size_t>(m.stride));
  if (m.rows.row_start != nullptr) {
    const std::int64_t first = m.rows.row_start[0];
    std::vector<std::int64_t> start(m.rows.row_start, m.rows.row_start + n + 1);
    for (auto& at : start) at -= first;
    out.array(start.data(), start.size());
    out.array(m.rows.columns + first, static_cast<std::size_t>(start.back()));
    out.array(m.rows.values + first, static_cast<std::size_t>(start.back()));
  } else {
    out.array(m.rows.values, n * static_cast<std::size_t>(m.rows.n_columns));
    out.whole(m.rows.n_words);
    for (std::size_t cell = 0; cell < n * static_cast<std::size_t>(m.rows.n_words); ++cell) {
      out.whole(m.rows.words[cell].data() != nullptr);
      if (m.rows.words[cell].data() != nullptr) out.text(m.rows.words[cell]);
    }
  }
}
}  // namespace

std::size_t chunk_bytes(const Message& m) {
  MessageSize size;
  write_chunk(m, size);
  return size.bytes;
}
void encode_chunk(const Message& m, unsigned char* place) {
  MessageInPlace out(place);
  write_chunk(m, out);
  out.finish("chunk");
}

Reply decode_answer(Bytes bytes) {
  const Aligned aligned(bytes);
  MessageReader in(aligned.bytes, "answer");
  Reply reply;
  reply.output = read_output(in);
  reply.n_rows = in.count();
  reply.columns = in.count();
  reply.restart = in.count(-1);
  if (reply.output == Output::label) {
    const auto* label = in.array<std::int32_t>(reply.n_rows);
    reply.label.assign(label, label + reply.n_rows);
  } else if (reply.output != Output::none) {
    const std::int64_t n = static_cast<std::int64_t>(reply.n_rows) * reply.columns;
    const auto* value = in.array<double>(n);
    reply.value.assign(value, value + n);
  }
  if (!in.done()) {
    reply.stride = in.count();
    const std::int64_t n = static_cast<std::int64_t>(reply.n_rows) * reply.stride;
    const auto* record = in.array<double>(n);
    reply.records.assign(record, record + n);
  }
  in.finish();
  return reply;
}

std::string Stage::step(Bytes chunk, Bytes carry, std::int64_t seq) {
  const Schema& now = model_.intake().schema();
  if (const char* why = model_.broken()) throw std::runtime_error(why);
  const Aligned chunk_bytes(chunk), carry_bytes(carry);
  if (seq == next_ - 1 && !reply_.empty() && MessageReader(chunk_bytes.bytes, "chunk").flag()) return reply_;  // the last chunk once more
  if (seq != next_) throw std::invalid_argument("chunk " + std::to_string(seq) + " came, chunk " + std::to_string(next_) + " is next");
  const Message m = decode_chunk(chunk_bytes.bytes, now, model_.answers_numbers());
  const Schema& schema = m.room ? *m.room : now;
  if (m.learns && part_->one_by_one && m.rows.n_rows > 1)
    throw std::invalid_argument("this model compares all of its learners after every row: chunks of one row only");
  if (m.restart >= 0 && !part_->one_by_one) throw std::invalid_argument("no learner of this model begins again on demand");
  if (!m.learns && now.n_classes == 0) throw std::invalid_argument("no class is declared or learned yet");

  Carry in;
  if (part_->lanes.begin > 0) {
    in = decode_carry(carry_bytes.bytes, name_, seq);
    require_carry(in.number == model_.intake().n_learned(), "it was made after another number of examples");
    require_carry(in.n_rows == m.rows.n_rows && in.n_classes == schema.n_classes, "it belongs to another chunk");
  } else if (!carry.empty()) {
    throw std::invalid_argument("the first part takes no carry");
  }
  std::int64_t n_learning = 0;
  for (int r = 0; r < m.rows.n_rows && m.learns; ++r) n_learning += !m.weight || m.weight[r] > 0;
  part_->check(in, n_learning);

  in.answers = m.answers;
  Carry out;
  out.number = model_.intake().n_learned();
  out.n_rows = m.rows.n_rows;
  out.n_classes = schema.n_classes;
  out.lanes = part_->lanes.end;
  part_->in = std::move(in);
  part_->out = std::move(out);
  part_->row = 0;

  Reply reply;
  reply.output = part_->last ? m.output : Output::none;
  reply.n_rows = m.rows.n_rows;
  reply.columns = static_cast<int>(columns_of(reply.output, static_cast<std::size_t>(schema.n_classes)));
  const auto n = static_cast<std::size_t>(reply.n_rows);
  if (reply.output == Output::label) reply.label.resize(n);
  reply.value.resize(n * static_cast<std::size_t>(reply.columns));
  OutputBuffers buffers{reply.output, reply.label.data(), reply.value.data()};
  reply.records.assign(m.records, m.records + n * static_cast<std::size_t>(m.stride));
  std::vector<double> learned;  // 0: asked about
  std::vector<std::int32_t> place;
  bool asks = false;
  if (m.stride > 0) {
    reply.stride = m.stride;
    learned.assign(n, m.learns ? 1.0 : 0.0);
    place.resize(n);
    for (std::size_t r = 0; r < n; ++r) {
      if (m.learns && m.weight != nullptr) learned[r] = m.weight[r];
      const bool asked = learned[r] == 0 && reply.records[r * static_cast<std::size_t>(m.stride)] >= 0;
      place[r] = asked || learned[r] > 0 ? static_cast<std::int32_t>(r) : -1;
      asks = asks || asked;
    }
    buffers.records = {reply.records.data(), static_cast<std::size_t>(m.stride), place.data()};
    model_.check_records(buffers.records, n, n, learned.data(), schema);
  }
  if (m.room) model_.reserve(*m.room);
  if (!m.facts.empty()) model_.describe(m.facts);
  if (m.restart >= 0) part_->restart(m.restart, model_.intake().n_learned() - 1);
  if (m.rows.n_rows > 0 && m.learns)
    model_.learn(m.rows, m.target ? Truth::of_numbers(m.target) : Truth(m.label), m.weight, buffers);
  else if (m.rows.n_rows > 0)
    model_.predict(m.rows, buffers);

  std::string bytes;
  if (part_->last) {
    MessageWriter answer("answer");
    answer.whole(static_cast<std::int64_t>(reply.output));
    answer.whole(reply.n_rows);
    answer.whole(reply.columns);
    answer.whole(part_->out.alarm ? part_->out.worst_lane : -1);
    answer.array(reply.label.data(), reply.label.size());
    answer.array(reply.value.data(), reply.value.size());
    if (asks) {
      answer.whole(reply.stride);
      answer.array(reply.records.data(), reply.records.size());
    }
    bytes = answer.finish();
  } else {
    bytes = encode_carry(part_->out, name_, seq);
  }
  if (m.learns) go_on(seq + 1, bytes);
  return bytes;
}

}  // namespace streamboost
