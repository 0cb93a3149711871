// Where llama.cpp asks for these kernels: the functions that its own tiled product (ggml-cpu/tiled, x86 only) would answer.
// This file takes that one's place in the build, so that nothing in ggml-cpu.c is patched.

#include "matmul.h"

#include "ggml-cpu-impl.h"
#include "ggml-cpu/tiled/tiled.h"

#include <algorithm>

namespace optio::kernels {

namespace {

// Below this a row's weights are read once or twice, and unpacking them is most of the work: ggml's dot products are faster.
constexpr int64_t FEWEST_ROWS = 3;

DotProduct dot_product() {
    static const DotProduct found = find_dot_product();
    return found;
}

/** Fills in everything but the pointers; false where the product is not for these kernels. */
bool describe(const ggml_tensor * dst, Matmul & matmul) {
    const ggml_tensor * weights = dst->src[0];
    const ggml_tensor * activations = dst->src[1];
    const WeightFormat * format = weight_format(weights->type);
    if (format == nullptr || activations->type != GGML_TYPE_F32) { return false; }
    if (weights->ne[2] != 1 || weights->ne[3] != 1 || activations->ne[2] != 1 || activations->ne[3] != 1) { return false; }
    if (activations->ne[1] < FEWEST_ROWS) { return false; }
    if (weights->nb[0] != ggml_type_size(weights->type) || activations->nb[0] != sizeof(float) || dst->nb[0] != sizeof(float)) {
        return false;
    }
    choose_layout(matmul, *format, static_cast<int>(weights->ne[0]), dot_product());
    matmul.rows    = static_cast<int>(activations->ne[1]);
    matmul.columns = static_cast<int>(weights->ne[1]);
    return true;
}

uint8_t * aligned(void * pointer) {
    return reinterpret_cast<uint8_t *>((reinterpret_cast<uintptr_t>(pointer) + 63) & ~static_cast<uintptr_t>(63));
}

size_t padded(size_t bytes) { return (bytes + 63) & ~static_cast<size_t>(63); }

} // namespace

} // namespace optio::kernels

using namespace optio::kernels;

size_t ggml_tiled_wdata_size(int n_tasks, ggml_tensor * dst) {
    Matmul matmul;
    if (dst->op != GGML_OP_MUL_MAT || !describe(dst, matmul)) { return 0; }
    return 64 + padded(matmul.packed_bytes()) + static_cast<size_t>(n_tasks) * padded(strip_bytes());
}

bool ggml_compute_forward_mul_mat_tiled(const ggml_compute_params * params, ggml_tensor * dst) {
    Matmul matmul;
    if (params->use_ref || !describe(dst, matmul)) { return false; }
    matmul.weights           = static_cast<const uint8_t *>(dst->src[0]->data);
    matmul.weight_stride     = dst->src[0]->nb[1];
    matmul.activations       = static_cast<const uint8_t *>(dst->src[1]->data);
    matmul.activation_stride = dst->src[1]->nb[1];
    matmul.result            = static_cast<uint8_t *>(dst->data);
    matmul.result_stride     = dst->nb[1];

    uint8_t * packed  = aligned(params->wdata);
    uint8_t * scratch = packed + padded(matmul.packed_bytes()) + params->ith * padded(strip_bytes());

    for (int tile = params->ith; tile < matmul.tiles(); tile += params->nth) { pack_activations(matmul, tile, packed); }
    // Every thread begins with the strip of its own number; the rest go to whoever is free.
    if (params->ith == 0) { ggml_threadpool_chunk_set(params->threadpool, params->nth); }
    ggml_barrier(params->threadpool);
    for (int strip = params->ith; strip < matmul.strips(); strip = ggml_threadpool_chunk_add(params->threadpool, 1)) {
        multiply_strip(matmul, packed, strip, scratch);
    }
    return true;
}

bool ggml_compute_forward_mul_mat_id_tiled(const ggml_compute_params *, ggml_tensor *, int64_t, int64_t, const int32_t *, char *) {
    return false;
}
