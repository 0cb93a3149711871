#pragma once

#include "handles.h"
#include "host.h"
#include "json.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace optio {

// Stops a running evaluation: cancelled by the host, or out of time. llama.cpp asks at every node of a graph.
class Stop {
  public:
    explicit Stop(Host & host) : host_(host) {}

    // 0: no deadline.
    void set_deadline(double milliseconds);
    bool requested();
    // Throws Failure "aborted" or "timeout" when a stop was requested.
    void check();

  private:
    Host & host_;
    std::optional<std::chrono::steady_clock::time_point> deadline_;
    bool aborted_ = false;
    bool late_ = false;
};

struct LoadOptions {
    std::string path;
    uint64_t size_bytes = 0;
    int threads = 1;
    uint32_t context_tokens = 0; // 0: as many as the model was trained for, at most 4096
    uint32_t batch_tokens = 512;
    uint32_t max_sequences = 0; // 0: as many as the vocabulary's size suggests
    bool flash_attention = true;
    ggml_type kv_type = GGML_TYPE_F16;
    int gpu_layers = 0;
    bool repack = true;

    // Throws Failure "protocol_mismatch" for a value that is out of range.
    static LoadOptions from_json(std::string_view text, int max_threads);
};

// A loaded model with its context, and what the last call left in it.
class Session {
  public:
    // Throws Failure "model_invalid", "model_unsupported", "context_too_long", "out_of_memory", "aborted".
    Session(Host & host, const LoadOptions & options, const std::function<void(float)> & on_progress);

    Session(const Session &) = delete;
    Session & operator=(const Session &) = delete;

    // Writes the ModelInfo object.
    void describe(JsonWriter & out) const;
    std::vector<int32_t> tokenize(std::string_view text, bool special) const;
    // The bytes that a token stands for, which need not be whole characters; none for control tokens. Throws Failure "invalid_plan".
    std::string piece(int32_t token) const;

    llama_context * context() const { return context_.get(); }
    llama_memory_t memory() const { return llama_get_memory(context_.get()); }
    int threads() const { return threads_; }
    uint32_t context_tokens() const { return context_tokens_; }
    uint32_t batch_tokens() const { return batch_tokens_; }
    uint32_t sequences() const { return sequences_; }
    // The most positions that one evaluation may read, each a row of logits as long as the vocabulary.
    uint32_t output_rows() const { return sequences_; }
    int32_t vocab_size() const { return vocab_size_; }
    int32_t embedding_length() const { return llama_model_n_embd(model_.get()); }
    // Whether the tail of a sequence can be removed; false for recurrent, hybrid and sliding-window models.
    bool truncatable() const { return truncatable_; }

    // The tokens that sequence 0 holds.
    std::vector<int32_t> & cached() { return cached_; }
    // Drops every cached token.
    void forget();

    // Where the last hidden states of an evaluation go while it runs; null: nowhere. Asked for by hidden.cpp.
    struct Capture {
        std::vector<float> values;
        int64_t rows = 0;
    };
    void set_capture(Capture * capture) { capture_ = capture; }

  private:
    static bool on_node(ggml_tensor * tensor, bool ask, void * session);
    void load_model(Host & host, const LoadOptions & options, const std::function<void(float)> & on_progress);
    void create_context(const LoadOptions & options);

    ModelHandle model_;
    ContextHandle context_;
    const llama_vocab * vocab_ = nullptr;
    Capture * capture_ = nullptr;
    std::vector<int32_t> cached_;
    int threads_ = 1;
    uint32_t context_tokens_ = 0;
    uint32_t batch_tokens_ = 0;
    uint32_t sequences_ = 0;
    int32_t vocab_size_ = 0;
    bool truncatable_ = true;
};

} // namespace optio
