#pragma once

#include "model.h"

#include <vector>

namespace optio {

// Tokens to be evaluated at once. Not movable: llama_batch points into it.
class Batch {
  public:
    Batch() = default;
    Batch(const Batch &) = delete;
    Batch & operator=(const Batch &) = delete;

    void clear();
    void add(int32_t token, int32_t position, int32_t sequence, bool output);
    size_t size() const { return tokens_.size(); }
    size_t outputs() const { return outputs_; }

    // Evaluates the batch. Throws Failure "aborted", "timeout", "out_of_memory" or "internal"; what the batch had put into the
    // memory is then undefined, and the caller removes it.
    void evaluate(Session & session, Stop & stop);

  private:
    std::vector<llama_token> tokens_;
    std::vector<llama_pos> positions_;
    std::vector<llama_seq_id> sequences_;
    std::vector<llama_seq_id *> sequence_pointers_;
    std::vector<int32_t> sequence_counts_;
    std::vector<int8_t> marks_;
    size_t outputs_ = 0;
};

} // namespace optio
