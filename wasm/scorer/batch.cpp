#include "batch.h"

#include "failure.h"
#include "llama-log.h"

namespace optio {

void Batch::clear() {
    tokens_.clear();
    positions_.clear();
    sequences_.clear();
    marks_.clear();
    outputs_ = 0;
}

void Batch::add(int32_t token, int32_t position, int32_t sequence, bool output) {
    tokens_.push_back(token);
    positions_.push_back(position);
    sequences_.push_back(sequence);
    marks_.push_back(output ? 1 : 0);
    outputs_ += output ? 1 : 0;
}

void Batch::evaluate(Session & session, Stop & stop) {
    if (tokens_.empty()) { return; }
    stop.check();
    sequence_counts_.assign(tokens_.size(), 1);
    sequence_pointers_.resize(tokens_.size());
    for (size_t i = 0; i < tokens_.size(); i++) { sequence_pointers_[i] = &sequences_[i]; }

    llama_batch batch{};
    batch.n_tokens = static_cast<int32_t>(tokens_.size());
    batch.token = tokens_.data();
    batch.pos = positions_.data();
    batch.n_seq_id = sequence_counts_.data();
    batch.seq_id = sequence_pointers_.data();
    batch.logits = marks_.data();

    clear_llama_errors();
    llama_set_abort_callback(session.context(), [](void * data) { return static_cast<Stop *>(data)->requested(); }, &stop);
    int32_t status = 0;
    {
        const OnExit forget_stop([&session] { llama_set_abort_callback(session.context(), nullptr, nullptr); });
        status = llama_decode(session.context(), batch);
        llama_synchronize(session.context());
    }

    if (status == 0) { return; }
    stop.check();
    const std::string errors = llama_errors();
    const std::string why = errors.empty() ? "" : ": " + errors;
    if (status == -2) { throw Failure("out_of_memory", "not enough memory to evaluate " + std::to_string(batch.n_tokens) + " tokens" + why); }
    throw Failure("internal", "llama_decode returned " + std::to_string(status) + why);
}

} // namespace optio
