#include "streamboost/run/stage.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace streamboost {
namespace {

static_assert(std::endian::native == std::endian::little, "messages are little endian");

constexpr std::int64_t version = 1;
constexpr std::int64_t most = std::int64_t{1} << 40;  // of any count: products of two stay within 64 bits where they are checked
constexpr std::size_t head = 24;                      // kind, version, checksum

// Eight bytes at a time; the ends of messages are multiples of eight.
std::uint64_t checksum(Bytes bytes) {
  std::uint64_t sum = 0x9e3779b97f4a7c15u ^ bytes.size();
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    sum = (sum ^ word) * 0xd6e8feb86659fd93u;
    sum ^= sum >> 32;
  }
  return sum;
}

class Writer {
 public:
  explicit Writer(const char* kind) : out_(head, '\0') {
    std::memcpy(out_.data(), kind, std::min<std::size_t>(std::strlen(kind), 8));
    std::memcpy(out_.data() + 8, &version, 8);
  }
  void whole(std::int64_t x) { add(&x, 8); }
  void real(double x) { add(&x, 8); }
  void text(const std::string& s) {
    whole(static_cast<std::int64_t>(s.size()));
    add(s.data(), s.size());
  }
  template <class T>
  void array(const T* p, std::size_t n) {
    if (n > 0) add(p, n * sizeof(T));
  }
  std::string finish() {
    const std::uint64_t sum = checksum({reinterpret_cast<const unsigned char*>(out_.data()) + head, out_.size() - head});
    std::memcpy(out_.data() + 16, &sum, 8);
    return std::move(out_);
  }

 private:
  void add(const void* p, std::size_t n) {
    out_.append(static_cast<const char*>(p), n);
    out_.append((8 - n % 8) % 8, '\0');
  }
  std::string out_;
};

class Reader {
 public:
  Reader(Bytes bytes, const char* kind) : bytes_(bytes), kind_(kind) {
    require(bytes.size() >= head && bytes.size() % 8 == 0, "is cut short");
    char name[8] = {};
    std::memcpy(name, kind, std::min<std::size_t>(std::strlen(kind), 8));
    require(std::memcmp(bytes.data(), name, 8) == 0, "is something else");
    std::int64_t found;
    std::memcpy(&found, bytes.data() + 8, 8);
    if (found != version)
      throw std::invalid_argument("this " + kind_ + " has version " + std::to_string(found) + ", known is " + std::to_string(version) +
                                  ": all processes need the same streamboost");
    std::uint64_t sum;
    std::memcpy(&sum, bytes.data() + 16, 8);
    require(sum == checksum(bytes.subspan(head)), "has the wrong checksum");
    at_ = head;
  }
  void require(bool holds, const char* what) const {
    if (!holds) throw std::invalid_argument("this " + kind_ + " " + what);
  }
  std::int64_t whole(std::int64_t low = 0, std::int64_t high = most) {
    std::int64_t x;
    std::memcpy(&x, take(8), 8);
    require(x >= low && x <= high, "holds a number out of range");
    return x;
  }
  int count(std::int64_t low = 0) { return static_cast<int>(whole(low, std::numeric_limits<std::int32_t>::max())); }
  bool flag() { return whole(0, 1) == 1; }
  double real() {
    double x;
    std::memcpy(&x, take(8), 8);
    return x;
  }
  std::string text() {
    const auto n = static_cast<std::size_t>(whole(0, 64));
    return {reinterpret_cast<const char*>(take(n)), n};
  }
  // In place: the bytes outlive the message.
  template <class T>
  const T* array(std::int64_t n) {
    require(n >= 0 && n <= static_cast<std::int64_t>((bytes_.size() - at_) / sizeof(T)), "is cut short");
    return reinterpret_cast<const T*>(take(static_cast<std::size_t>(n) * sizeof(T)));
  }
  void finish() const { require(at_ == bytes_.size(), "goes on after its end"); }

 private:
  const unsigned char* take(std::size_t n) {
    const std::size_t padded = n + (8 - n % 8) % 8;
    require(padded <= bytes_.size() - at_, "is cut short");
    const unsigned char* p = bytes_.data() + at_;
    at_ += padded;
    return p;
  }
  Bytes bytes_;
  std::string kind_;
  std::size_t at_ = 0;
};

// Messages are read in place, as numbers of eight bytes.
struct Aligned {
  std::vector<std::uint64_t> copy;
  Bytes bytes;
  explicit Aligned(Bytes b) : bytes(b) {
    if (reinterpret_cast<std::uintptr_t>(b.data()) % 8 == 0) return;
    copy.resize(b.size() / 8 + 1);
    std::memcpy(copy.data(), b.data(), b.size());
    bytes = {reinterpret_cast<const unsigned char*>(copy.data()), b.size()};
  }
};

void check_rows(const Message& m, const Schema& schema, const Reader& in) {
  const RowBlock& rows = m.rows;
  in.require(rows.n_columns == schema.width(), "has rows of another width than the model");
  for (int r = 0; r < rows.n_rows; ++r) {
    const double w = m.weight ? m.weight[r] : 1.0;
    in.require(w >= 0 && std::isfinite(w), "holds a weight that cannot be");
    if (m.learns) in.require(m.label[r] < schema.n_classes && (m.label[r] >= 0 || w == 0), "holds a label code that is not reserved");
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
  for (std::int64_t i = 0; i < cells; ++i) infinite |= std::fabs(rows.values[i]) > std::numeric_limits<double>::max();
  in.require(!infinite, "holds an infinite value");
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

Message decode_chunk(Bytes bytes, const Schema& now) {
  Reader in(bytes, "chunk");
  Message m;
  m.learns = in.flag();
  m.answers = in.flag();
  m.output = static_cast<Output>(in.whole(0, static_cast<std::int64_t>(Output::both)));
  m.restart = static_cast<int>(in.whole(-1, std::numeric_limits<std::int32_t>::max()));
  m.rows.n_rows = in.count();
  m.rows.n_columns = in.count();
  const bool sparse = in.flag(), weighted = in.flag(), grows = in.flag();
  in.require(m.learns || (!grows && m.restart < 0), "asks and changes the model at once");
  in.require(m.answers || m.output == Output::none, "wants answers that nobody reads");
  const Schema* schema = &now;
  if (grows) {
    m.room.emplace();
    m.room->n_classes = in.count();
    m.room->declared = in.flag();
    const auto* n_values = in.array<std::int64_t>(m.rows.n_columns);
    for (int j = 0; j < m.rows.n_columns; ++j) in.require(n_values[j] >= -1 && n_values[j] < (1 << 30), "holds a number out of range");
    m.room->n_values.assign(n_values, n_values + m.rows.n_columns);
    m.room->first_width = m.room->width();
    m.room->require_growth_from(now);
    schema = &*m.room;
  }
  const int n = m.rows.n_rows;
  if (m.learns) m.label = in.array<std::int32_t>(n);
  if (weighted) m.weight = in.array<double>(n);
  if (sparse) {
    m.rows.row_start = in.array<std::int64_t>(static_cast<std::int64_t>(n) + 1);
    for (int r = 0; r < n; ++r)
      in.require(m.rows.row_start[r] >= 0 && m.rows.row_start[r] <= m.rows.row_start[r + 1], "has broken offsets");
    in.require(m.rows.row_start[n] >= 0, "has broken offsets");
    m.rows.columns = in.array<std::int32_t>(m.rows.row_start[n]);
    m.rows.values = in.array<double>(m.rows.row_start[n]);
  } else {
    m.rows.values = in.array<double>(static_cast<std::int64_t>(n) * m.rows.n_columns);
  }
  in.finish();
  check_rows(m, *schema, in);
  return m;
}

std::string encode_carry(const Carry& carry, const std::string& name, std::int64_t seq) {
  Writer out("carry");
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
  Reader in(bytes, "carry");
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

std::string encode_chunk(const Message& m) {
  Writer out("chunk");
  out.whole(m.learns);
  out.whole(m.answers);
  out.whole(static_cast<std::int64_t>(m.output));
  out.whole(m.restart);
  out.whole(m.rows.n_rows);
  out.whole(m.rows.n_columns);
  out.whole(m.rows.row_start != nullptr);
  out.whole(m.weight != nullptr);
  out.whole(m.room.has_value());
  if (m.room) {
    out.whole(m.room->n_classes);
    out.whole(m.room->declared);
    out.array(m.room->n_values.data(), m.room->n_values.size());
  }
  const auto n = static_cast<std::size_t>(m.rows.n_rows);
  if (m.learns) out.array(m.label, n);
  if (m.weight) out.array(m.weight, n);
  if (m.rows.row_start != nullptr) {
    const std::int64_t first = m.rows.row_start[0];
    std::vector<std::int64_t> start(m.rows.row_start, m.rows.row_start + n + 1);
    for (auto& at : start) at -= first;
    out.array(start.data(), start.size());
    out.array(m.rows.columns + first, static_cast<std::size_t>(start.back()));
    out.array(m.rows.values + first, static_cast<std::size_t>(start.back()));
  } else {
    out.array(m.rows.values, n * static_cast<std::size_t>(m.rows.n_columns));
  }
  return out.finish();
}

Reply decode_answer(Bytes bytes) {
  const Aligned aligned(bytes);
  Reader in(aligned.bytes, "answer");
  Reply reply;
  reply.output = static_cast<Output>(in.whole(0, static_cast<std::int64_t>(Output::both)));
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
  in.finish();
  return reply;
}

std::string Stage::step(Bytes chunk, Bytes carry, std::int64_t seq) {
  const Schema& now = model_.intake().schema();
  if (const char* why = model_.broken()) throw std::runtime_error(why);
  const Aligned chunk_bytes(chunk), carry_bytes(carry);
  if (seq == next_ - 1 && !reply_.empty() && Reader(chunk_bytes.bytes, "chunk").flag()) return reply_;  // a lesson once more
  if (seq != next_) throw std::invalid_argument("chunk " + std::to_string(seq) + " came, chunk " + std::to_string(next_) + " is next");
  const Message m = decode_chunk(chunk_bytes.bytes, now);
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
  reply.columns = reply.output == Output::none || reply.output == Output::label ? 0 : schema.n_classes + (m.output == Output::both ? 1 : 0);
  const auto n = static_cast<std::size_t>(reply.n_rows);
  if (reply.output == Output::label) reply.label.resize(n);
  reply.value.resize(n * static_cast<std::size_t>(reply.columns));
  const OutputBuffers buffers{reply.output, reply.label.data(), reply.value.data()};
  if (m.room) model_.reserve(*m.room);
  if (m.restart >= 0) part_->restart(m.restart, model_.intake().n_learned() - 1);
  if (m.rows.n_rows > 0 && m.learns)
    model_.learn(m.rows, m.label, m.weight, buffers);
  else if (m.rows.n_rows > 0)
    model_.predict(m.rows, buffers);

  std::string bytes;
  if (part_->last) {
    Writer answer("answer");
    answer.whole(static_cast<std::int64_t>(reply.output));
    answer.whole(reply.n_rows);
    answer.whole(reply.columns);
    answer.whole(part_->out.alarm ? part_->out.worst_lane : -1);
    answer.array(reply.label.data(), reply.label.size());
    answer.array(reply.value.data(), reply.value.size());
    bytes = answer.finish();
  } else {
    bytes = encode_carry(part_->out, name_, seq);
  }
  if (m.learns) go_on(seq + 1, bytes);
  return bytes;
}

}  // namespace streamboost
