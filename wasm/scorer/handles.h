#pragma once

#include "llama.h"

#include <memory>

namespace optio {

struct ModelDeleter {
    void operator()(llama_model * model) const { llama_model_free(model); }
};
struct ContextDeleter {
    void operator()(llama_context * context) const { llama_free(context); }
};

using ModelHandle = std::unique_ptr<llama_model, ModelDeleter>;
using ContextHandle = std::unique_ptr<llama_context, ContextDeleter>;

} // namespace optio
