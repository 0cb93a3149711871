#include "hidden.h"

#include "batch.h"
#include "failure.h"

#include <algorithm>
#include <cmath>

namespace optio {

namespace {

constexpr int32_t kSequence = 1; // sequence 0 keeps what is cached

// Sets up the capture and takes down whatever happens.
class Scope {
  public:
    Scope(Session & session, Session::Capture & capture) : session_(session) { session_.set_capture(&capture); }
    ~Scope() {
        session_.set_capture(nullptr);
        llama_memory_seq_rm(session_.memory(), kSequence, -1, -1);
    }

  private:
    Session & session_;
};

void check(const Session & session, const std::vector<int32_t> & tokens, const std::vector<int32_t> & positions) {
    if (tokens.size() > session.context_tokens()) {
        JsonWriter details;
        details.begin_object().field("needed", static_cast<uint64_t>(tokens.size())).field("available", session.context_tokens()).end_object();
        throw Failure("context_too_long", std::to_string(tokens.size()) + " tokens do not fit into the context of " +
                                              std::to_string(session.context_tokens()), details.text());
    }
    for (const int32_t token : tokens) {
        if (token < 0 || token >= session.vocab_size()) { throw Failure("invalid_plan", "the vocabulary has no token " + std::to_string(token)); }
    }
    for (const int32_t position : positions) {
        if (position < 0 || static_cast<size_t>(position) >= tokens.size()) {
            throw Failure("invalid_plan", "position " + std::to_string(position) + " lies outside the " + std::to_string(tokens.size()) + " tokens");
        }
    }
}

} // namespace

std::vector<std::vector<float>> hidden_states(Session & session, const std::vector<int32_t> & tokens,
                                              const std::vector<int32_t> & positions, Stop & stop) {
    check(session, tokens, positions);
    if (session.cached().size() + tokens.size() > session.context_tokens()) { session.forget(); }

    const size_t width = static_cast<size_t>(session.embedding_length());
    std::vector<bool> wanted(tokens.size());
    for (const int32_t position : positions) { wanted[static_cast<size_t>(position)] = true; }
    const size_t last = positions.empty() ? 0 : static_cast<size_t>(*std::max_element(positions.begin(), positions.end())) + 1;

    std::vector<std::vector<float>> states(tokens.size());
    Session::Capture capture;
    const Scope scope(session, capture);
    Batch batch;
    for (size_t next = 0; next < last;) {
        std::vector<size_t> marked;
        const size_t first = next;
        batch.clear();
        for (; next < last && batch.size() < session.batch_tokens(); next++) {
            if (wanted[next] && batch.outputs() == session.output_rows()) { break; }
            if (wanted[next]) { marked.push_back(next); }
            batch.add(tokens[next], static_cast<int32_t>(next), kSequence, wanted[next]);
        }
        capture.rows = 0;
        batch.evaluate(session, stop);
        if (marked.empty()) { continue; }
        // Most models drop the rows that nobody asked for before the final normalisation, some only after it.
        const bool all_rows = capture.rows == static_cast<int64_t>(batch.size());
        const bool usable = all_rows || capture.rows == static_cast<int64_t>(marked.size());
        if (!usable || capture.values.size() != static_cast<size_t>(capture.rows) * width) {
            throw Failure("model_unsupported", "hidden states cannot be read from this architecture");
        }
        for (size_t i = 0; i < marked.size(); i++) {
            const size_t row = all_rows ? marked[i] - first : i;
            const auto from = capture.values.begin() + static_cast<std::ptrdiff_t>(row * width);
            states[marked[i]].assign(from, from + static_cast<std::ptrdiff_t>(width));
        }
    }

    std::vector<std::vector<float>> rows;
    for (const int32_t position : positions) {
        const std::vector<float> & state = states[static_cast<size_t>(position)];
        if (!std::all_of(state.begin(), state.end(), [](float v) { return std::isfinite(v); })) {
            throw Failure("non_finite_scores", "the hidden state at position " + std::to_string(position) + " is not finite");
        }
        rows.push_back(state);
    }
    return rows;
}

} // namespace optio
