#pragma once

#include "host.h"

namespace optio {

// Checks what llama.cpp takes on trust: that the header of a GGUF file is whole, that every count and length lies inside the
// file, that tensor types and shapes are sane and that every tensor's bytes exist. llama.cpp aborts the process on some of these.
// Throws Failure "model_invalid" (the file is damaged or is no GGUF) or "model_unsupported" (one part of a split model).
void check_gguf(FileSource & file);

} // namespace optio
