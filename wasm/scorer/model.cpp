#include "model.h"

#include "failure.h"
#include "gguf-check.h"
#include "llama-log.h"
#include "thread-pool.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace optio {

namespace {

constexpr uint32_t kDefaultContext = 4096;
#ifdef __EMSCRIPTEN__
constexpr uint32_t kDefaultBatch = 256; // a graph of 512 tokens costs 1.5B parameters 36 MB of the heap more, and saves 3 % of the time
#else
constexpr uint32_t kDefaultBatch = 512;
#endif
constexpr uint32_t kMaxSequences = 256; // LLAMA_MAX_SEQ

// llama.cpp keeps a row of logits for each sequence, twice: 64 rows of 150,000 tokens would be 77 MB that hardly a call needs.
constexpr uint64_t kLogitBytes = 8u << 20;
constexpr uint32_t kLeastSequences = 16;
constexpr uint32_t kMostSequences = 64;

uint32_t default_sequences(int32_t vocab_size) {
    const uint64_t rows = kLogitBytes / (sizeof(float) * static_cast<uint64_t>(vocab_size));
    return static_cast<uint32_t>(std::clamp<uint64_t>(rows, kLeastSequences, kMostSequences));
}

uint32_t whole(const JsonObject & json, const char * name, double fallback, double least, double most) {
    const double value = json.number(name, fallback);
    if (value != std::floor(value) || value < least || value > most) {
        throw Failure("protocol_mismatch", std::string("\"") + name + "\" must be a whole number from " +
                                               std::to_string(static_cast<int64_t>(least)) + " to " +
                                               std::to_string(static_cast<int64_t>(most)));
    }
    return static_cast<uint32_t>(value);
}

std::string meta(const llama_model * model, const char * key) {
    std::vector<char> buffer(256);
    const int32_t length = llama_model_meta_val_str(model, key, buffer.data(), buffer.size());
    if (length < 0) { return ""; }
    buffer.resize(static_cast<size_t>(length) + 1);
    llama_model_meta_val_str(model, key, buffer.data(), buffer.size());
    return buffer.data();
}

template <typename Get> std::string indexed(Get get) {
    std::vector<char> buffer(256);
    const int32_t length = get(buffer.data(), buffer.size());
    if (length < 0) { return ""; }
    buffer.resize(static_cast<size_t>(length) + 1);
    get(buffer.data(), buffer.size());
    return buffer.data();
}

// Calls visit(key, value) for every scalar of the file's metadata.
template <typename Visit> void each_metadata(const llama_model * model, Visit visit) {
    const int32_t count = llama_model_meta_count(model);
    for (int32_t i = 0; i < count; i++) {
        const std::string key = indexed([&](char * out, size_t size) { return llama_model_meta_key_by_index(model, i, out, size); });
        const std::string value = indexed([&](char * out, size_t size) { return llama_model_meta_val_str_by_index(model, i, out, size); });
        visit(key, value);
    }
}

constexpr std::string_view kTemplateKey = "tokenizer.chat_template";

bool is_template(std::string_view key) {
    return key.substr(0, kTemplateKey.size()) == kTemplateKey && (key.size() == kTemplateKey.size() || key[kTemplateKey.size()] == '.');
}

const char * reserved_kind(llama_token_attr attributes) {
    if (attributes & LLAMA_TOKEN_ATTR_CONTROL) { return "control"; }
    if (attributes & LLAMA_TOKEN_ATTR_USER_DEFINED) { return "user-defined"; }
    if (attributes & LLAMA_TOKEN_ATTR_UNKNOWN) { return "unknown"; }
    return nullptr;
}

[[noreturn]] void load_failed(const std::string & thrown) {
    const std::string errors = llama_errors();
    std::string message = thrown.empty() ? errors : errors.empty() ? thrown : thrown + "; " + errors;
    if (message.empty()) { message = "llama.cpp refused the file without saying why"; }
    const bool memory = message.find("allocate") != std::string::npos || message.find("alloc") != std::string::npos;
    const bool unknown = message.find("unknown model architecture") != std::string::npos ||
                         message.find("unknown pre-tokenizer") != std::string::npos;
    throw Failure(memory ? "out_of_memory" : unknown ? "model_unsupported" : "model_invalid", message);
}

} // namespace

void Stop::set_deadline(double milliseconds) {
    deadline_.reset();
    if (milliseconds <= 0) { return; }
    const double capped = std::min(milliseconds, 1e12);
    deadline_ = std::chrono::steady_clock::now() + std::chrono::microseconds(static_cast<int64_t>(capped * 1000));
}

bool Stop::requested() {
    if (aborted_ || late_) { return true; }
    aborted_ = host_.aborted();
    late_ = !aborted_ && deadline_ && std::chrono::steady_clock::now() >= *deadline_;
    return aborted_ || late_;
}

void Stop::check() {
    if (!requested()) { return; }
    if (aborted_) { throw Failure("aborted", "the call was cancelled"); }
    throw Failure("timeout", "the deadline passed before the call ended");
}

LoadOptions LoadOptions::from_json(std::string_view text, int max_threads) {
    const JsonObject json(text);
    LoadOptions options;
    options.path = json.string("path", "");
    options.size_bytes = static_cast<uint64_t>(json.number("sizeBytes", 0) < 0 ? 0 : json.number("sizeBytes", 0));
    options.threads = static_cast<int>(std::min<uint32_t>(whole(json, "threads", 1, 1, 512), std::max(max_threads, 1)));
    options.context_tokens = whole(json, "contextTokens", 0, 0, 1 << 24);
    options.batch_tokens = whole(json, "batchTokens", kDefaultBatch, 1, 65536);
    options.max_sequences = whole(json, "maxSequences", 0, 0, kMaxSequences);
    if (options.max_sequences == 1) { throw Failure("protocol_mismatch", "\"maxSequences\" must be 0, or 2 and more: a branch needs one of its own"); }
    options.flash_attention = json.boolean("flashAttention", true);
    options.gpu_layers = static_cast<int>(whole(json, "gpuLayers", 0, 0, 100000));
    options.repack = json.boolean("repack", true);
    const std::string kv = json.string("kvType", "f16");
    if (kv == "f16") { options.kv_type = GGML_TYPE_F16; }
    else if (kv == "f32") { options.kv_type = GGML_TYPE_F32; }
    else if (kv == "q8_0") { options.kv_type = GGML_TYPE_Q8_0; }
    else { throw Failure("protocol_mismatch", "\"kvType\" must be f16, f32 or q8_0, not \"" + kv + "\""); }
    if (options.kv_type == GGML_TYPE_Q8_0 && !options.flash_attention) {
        throw Failure("protocol_mismatch", "\"kvType\" q8_0 needs \"flashAttention\"");
    }
    return options;
}

Session::Session(Host & host, const LoadOptions & options, const std::function<void(float)> & on_progress) {
    clear_llama_errors();
    try {
        const AssertionsThrow guard;
        load_model(host, options, on_progress);
        create_context(options);
    } catch (const std::bad_alloc &) {
        throw Failure("out_of_memory", "not enough memory for the model");
    } catch (const std::exception & error) {
        if (const auto * failure = dynamic_cast<const Failure *>(&error)) { throw Failure(*failure); }
        load_failed(error.what());
    }
}

void Session::load_model(Host & host, const LoadOptions & options, const std::function<void(float)> & on_progress) {
    const std::unique_ptr<FileSource> file = host.open(options.path, options.size_bytes);
    check_gguf(*file);

    struct Progress {
        Host & host;
        const std::function<void(float)> & report;
        float last = -1;
        bool aborted = false;
    } progress{ host, on_progress };

    ggml_backend_dev_t no_devices[] = { nullptr };
    llama_model_params params = llama_model_default_params();
    params.n_gpu_layers = options.gpu_layers;
    if (options.gpu_layers == 0) { params.devices = no_devices; }
    params.use_extra_bufts = options.repack;
    params.progress_callback_user_data = &progress;
    params.progress_callback = [](float fraction, void * data) {
        auto & state = *static_cast<Progress *>(data);
        if (fraction - state.last >= 0.01f || fraction >= 1) {
            state.last = fraction;
            state.report(fraction);
        }
        state.aborted = state.aborted || state.host.aborted();
        return !state.aborted;
    };
    // The module must name the mode: the automatic choice rests on a constant that is 0 where sizes have 32 bits.
    if (FILE * stream = file->stream()) {
        const std::unique_ptr<FILE, int (*)(FILE *)> closer(stream, std::fclose);
        params.load_mode = LLAMA_LOAD_MODE_NONE;
        model_.reset(llama_model_load_from_file_ptr(stream, params));
    } else {
        params.load_mode = LLAMA_LOAD_MODE_MMAP;
        model_.reset(llama_model_load_from_file(options.path.c_str(), params));
    }
    if (progress.aborted) { throw Failure("aborted", "loading was cancelled"); }
    if (!model_) { load_failed(""); }

    vocab_ = llama_model_get_vocab(model_.get());
    vocab_size_ = llama_vocab_n_tokens(vocab_);
    if (llama_model_has_encoder(model_.get()) || !llama_model_has_decoder(model_.get()) || llama_model_is_diffusion(model_.get())) {
        throw Failure("model_unsupported", "only decoder models can be scored: this one has an encoder or predicts by diffusion");
    }
    if (llama_vocab_type(vocab_) == LLAMA_VOCAB_TYPE_NONE || vocab_size_ <= 0) {
        throw Failure("model_unsupported", "the file holds no vocabulary");
    }
    truncatable_ = !llama_model_is_recurrent(model_.get()) && !llama_model_is_hybrid(model_.get()) && llama_model_n_swa(model_.get()) <= 0;
}

void Session::create_context(const LoadOptions & options) {
    const uint32_t trained = static_cast<uint32_t>(std::max(llama_model_n_ctx_train(model_.get()), 1));
    const uint32_t wanted = options.context_tokens == 0 ? std::min(trained, kDefaultContext) : options.context_tokens;
    if (wanted > trained) {
        JsonWriter details;
        details.begin_object().field("needed", wanted).field("available", trained).end_object();
        throw Failure("context_too_long", "a context of " + std::to_string(wanted) + " tokens was asked for, but the model was trained for " +
                                              std::to_string(trained), details.text());
    }
    llama_context_params params = llama_context_default_params();
    params.n_ctx = wanted;
    // One evaluation is one graph: an abort then never leaves half of a batch behind.
    params.n_batch = params.n_ubatch = std::min(options.batch_tokens, wanted);
    params.n_seq_max = params.n_outputs_max = options.max_sequences == 0 ? default_sequences(vocab_size_) : options.max_sequences;
    params.n_threads = params.n_threads_batch = thread_pool_limit(options.threads);
    params.flash_attn_type = !options.flash_attention ? LLAMA_FLASH_ATTN_TYPE_DISABLED
                             : options.gpu_layers > 0 ? LLAMA_FLASH_ATTN_TYPE_AUTO
                                                      : LLAMA_FLASH_ATTN_TYPE_ENABLED;
    params.type_k = params.type_v = options.kv_type;
    params.kv_unified = true;
    params.swa_full = true; // branches share a prefix that a sliding window would otherwise let go
    params.no_perf = true;
    params.offload_kqv = params.op_offload = options.gpu_layers > 0;
    params.cb_eval = on_node;
    params.cb_eval_user_data = this;
    context_.reset(llama_init_from_model(model_.get(), params));
    if (!context_) { load_failed("no context could be made"); }
    if (llama_get_memory(context_.get()) == nullptr) {
        throw Failure("model_unsupported", "the model keeps no memory of its context, so it cannot continue a text");
    }
    threads_ = attach_thread_pool(context_.get(), static_cast<int>(params.n_threads));
    context_tokens_ = std::min(llama_n_ctx(context_.get()), trained);
    batch_tokens_ = llama_n_batch(context_.get());
    sequences_ = llama_n_seq_max(context_.get());
}

bool Session::on_node(ggml_tensor * tensor, bool ask, void * data) {
    Capture * capture = static_cast<Session *>(data)->capture_;
    if (ask) { return capture != nullptr && std::strcmp(ggml_get_name(tensor), "result_norm") == 0; }
    if (capture == nullptr) { return true; }
    capture->rows = ggml_nrows(tensor);
    capture->values.resize(static_cast<size_t>(ggml_nelements(tensor)));
    ggml_backend_tensor_get(tensor, capture->values.data(), 0, ggml_nbytes(tensor));
    return true;
}

void Session::forget() {
    llama_memory_clear(memory(), false);
    cached_.clear();
}

std::vector<int32_t> Session::tokenize(std::string_view text, bool special) const {
    // A token is at least one byte of text, apart from a leading space that some vocabularies add.
    std::vector<int32_t> tokens(text.size() + 8);
    const int32_t size = static_cast<int32_t>(text.size());
    int32_t count = llama_tokenize(vocab_, text.data(), size, tokens.data(), static_cast<int32_t>(tokens.size()), false, special);
    if (count < 0 && count != INT32_MIN) {
        tokens.resize(static_cast<size_t>(-count));
        count = llama_tokenize(vocab_, text.data(), size, tokens.data(), -count, false, special);
    }
    if (count < 0) { throw Failure("internal", "a text of " + std::to_string(size) + " bytes could not be tokenised"); }
    tokens.resize(static_cast<size_t>(count));
    return tokens;
}

std::string Session::piece(int32_t token) const {
    if (token < 0 || token >= vocab_size_) { throw Failure("invalid_plan", "the vocabulary has no token " + std::to_string(token)); }
    std::string text(64, '\0');
    int32_t length = llama_token_to_piece(vocab_, token, text.data(), static_cast<int32_t>(text.size()), 0, false);
    if (length < 0) {
        text.resize(static_cast<size_t>(-length));
        length = llama_token_to_piece(vocab_, token, text.data(), -length, 0, false);
    }
    text.resize(static_cast<size_t>(std::max(length, 0)));
    return text;
}

void Session::describe(JsonWriter & out) const {
    const llama_model * model = model_.get();
    out.begin_object();
    out.field("architecture", meta(model, "general.architecture"));
    out.field("name", meta(model, "general.name"));
    out.field("fileType", llama_ftype_name(llama_model_ftype(model)));
    out.field("parameterCount", static_cast<uint64_t>(llama_model_n_params(model)));
    out.field("sizeBytes", static_cast<uint64_t>(llama_model_size(model)));
    out.field("vocabSize", vocab_size_);
    out.field("embeddingLength", llama_model_n_embd(model));
    out.field("trainedContext", llama_model_n_ctx_train(model));
    out.field("contextTokens", context_tokens_);
    out.field("bosToken", llama_vocab_bos(vocab_));
    out.field("eosToken", llama_vocab_eos(vocab_));
    out.field("eotToken", llama_vocab_eot(vocab_));
    out.field("addBos", llama_vocab_get_add_bos(vocab_));
    out.field("truncatable", truncatable_);
    out.key("chatTemplates").begin_object();
    each_metadata(model, [&](const std::string & key, const std::string & value) {
        if (!is_template(key)) { return; }
        out.field(key.size() == kTemplateKey.size() ? "default" : key.substr(kTemplateKey.size() + 1), value);
    });
    out.end_object();
    out.key("reservedTokens").begin_array();
    for (int32_t id = 0; id < vocab_size_; id++) {
        const char * kind = reserved_kind(llama_vocab_get_attr(vocab_, id));
        if (kind == nullptr) { continue; }
        out.begin_object().field("id", id).field("text", llama_vocab_get_text(vocab_, id)).field("kind", kind).end_object();
    }
    out.end_array();
    out.key("metadata").begin_object();
    each_metadata(model, [&](const std::string & key, const std::string & value) {
        if (!is_template(key)) { out.field(key, value); }
    });
    out.end_object();
    out.end_object();
}

} // namespace optio
