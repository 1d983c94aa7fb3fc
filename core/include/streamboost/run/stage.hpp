// The outside of a part of an ensemble: step(chunk, carry, seq) -> carry, all of them bytes.
//
//   chunk    the rows of one message with labels, weights and what the model must have room for: the same bytes for all parts
//   carry    what the part before has made of them (carry.hpp); nothing for the first part
//   answer   what the last part gives instead of a carry: the answers to the rows, the lane that must begin again, if any, and what was said
//            to rows whose truth is still to come
//
// Chunks to learn are numbered from 0. A part takes the one that is next, gives the stored reply if the last one comes again, and refuses any
// other. A question has the number of the chunk to learn that will come next: it sees exactly those before it.
//
// All three begin with their kind, a version and a checksum, little endian. Every size is compared with what is there before it is used,
// and a message is checked whole before anything is touched: bad bytes are an error, never a crash, and nothing is half learned.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "streamboost/run/messages.hpp"
#include "streamboost/run/model.hpp"

namespace streamboost {

struct Message {
  bool learns = true;
  bool answers = false;  // somebody will read answers: the caller, or what comes after the vote
  Output output = Output::none;
  RowBlock rows;
  const std::int32_t* label = nullptr;  // to learn
  const double* target = nullptr;       // to learn by a model that answers numbers
  const double* weight = nullptr;       // null: 1 each
  const double* records = nullptr;  // [row][stride], what was said to the rows (run/outputs.hpp); null: nobody says. The answer has those
                                    // of rows that are asked about: of a question, or of weight 0, and with a first number of 0
  int stride = 0;
  std::optional<Schema> room;                // what the model must have room for from here on
  std::vector<double> facts;                 // what the user says of the classes (staged_model.hpp), with new room only
  int restart = -1;                          // a lane that begins again before the first row
  std::vector<std::string_view> words = {};  // the cells that `rows` points to, where it was read
};

std::size_t chunk_bytes(const Message&);
void encode_chunk(const Message&, unsigned char* place);  // room for so many

struct Reply {
  Output output = Output::none;
  int n_rows = 0, columns = 0;
  int restart = -1;
  std::vector<std::int32_t> label;
  std::vector<double> value;
  std::vector<double> records;  // [row][stride]; of rows that were asked about with a record, else none
  int stride = 0;
};
Reply decode_answer(Bytes);

class Stage {
 public:
  Stage(Model& model, std::shared_ptr<Part> part, std::string name) : model_(model), part_(std::move(part)), name_(std::move(name)) {}

  std::string step(Bytes chunk, Bytes carry, std::int64_t seq);

  std::int64_t next_seq() const { return next_; }
  const std::string& last_reply() const { return reply_; }
  void go_on(std::int64_t next, std::string reply) {
    next_ = next;
    reply_ = std::move(reply);
  }

 private:
  Model& model_;
  std::shared_ptr<Part> part_;
  std::string name_;  // of the booster
  std::int64_t next_ = 0;
  std::string reply_;
};

}  // namespace streamboost
