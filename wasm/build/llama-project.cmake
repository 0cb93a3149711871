# Included by llama.cpp's own project: everything but the kernels (target ggml-cpu) is compiled for size. What is left out of the
# kernels runs once a batch, and the models' graphs are most of the module.
cmake_language(DEFER CALL target_compile_options llama PRIVATE -Os)
cmake_language(DEFER CALL target_compile_options ggml-base PRIVATE -Os)

# The scheduler reserves room for this many inputs of each node from other devices, 31 MB for a model of 28 layers. Here is one device.
cmake_language(DEFER CALL target_compile_definitions ggml-base PRIVATE GGML_SCHED_MAX_SPLIT_INPUTS=1)
