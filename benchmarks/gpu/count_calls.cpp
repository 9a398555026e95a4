#include "count_calls.h"

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

Counts counts;
bool counted_calls_reach_the_device = true;

namespace {

int something;  // what handles point to without a device

template <class F>
F* next(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (!found) fprintf(stderr, "the runtime has no %s\n", name), exit(1);
  return reinterpret_cast<F*>(found);
}

}  // namespace

// Counts a call and passes it on; without a device, `instead` happens.
#define COUNTED(name, parameters, arguments, counter, instead)      \
  extern "C" cudaError_t name parameters {                          \
    ++counts.counter;                                               \
    static auto* const real = next<cudaError_t parameters>(#name);  \
    if (counted_calls_reach_the_device) return real arguments;      \
    instead;                                                        \
    return cudaSuccess;                                             \
  }

#define PASSED(name, parameters, arguments, instead)                \
  extern "C" cudaError_t name parameters {                          \
    static auto* const real = next<cudaError_t parameters>(#name);  \
    if (counted_calls_reach_the_device) return real arguments;      \
    instead;                                                        \
    return cudaSuccess;                                             \
  }

COUNTED(cudaLaunchKernel, (const void* f, dim3 g, dim3 b, void** a, size_t m, cudaStream_t s),
        (f, g, b, a, m, s), launches, )
// What <<<…>>> becomes since CUDA 12.
COUNTED(__cudaLaunchKernel, (cudaKernel_t f, dim3 g, dim3 b, void** a, size_t m, cudaStream_t s),
        (f, g, b, a, m, s), launches, )
PASSED(__cudaGetKernel, (cudaKernel_t * k, const void* f), (k, f),
       *k = reinterpret_cast<cudaKernel_t>(&something))
COUNTED(cudaLaunchKernelExC, (const cudaLaunchConfig_t* c, const void* f, void** a), (c, f, a),
        launches, )
COUNTED(cudaGraphLaunch, (cudaGraphExec_t g, cudaStream_t s), (g, s), graphs, )
COUNTED(cudaGraphInstantiateWithFlags, (cudaGraphExec_t * e, cudaGraph_t g, unsigned long long f),
        (e, g, f), recordings, *e = reinterpret_cast<cudaGraphExec_t>(&something))
COUNTED(cudaMalloc, (void** p, size_t n), (p, n), allocations, *p = malloc(n))
COUNTED(cudaMallocAsync, (void** p, size_t n, cudaStream_t s), (p, n, s), allocations,
        *p = malloc(n))
COUNTED(cudaMallocManaged, (void** p, size_t n, unsigned f), (p, n, f), allocations, *p = malloc(n))
COUNTED(cudaMallocHost, (void** p, size_t n), (p, n), allocations, *p = malloc(n))
COUNTED(cudaHostAlloc, (void** p, size_t n, unsigned f), (p, n, f), allocations, *p = malloc(n))
COUNTED(cudaFree, (void* p), (p), frees, free(p))
COUNTED(cudaFreeAsync, (void* p, cudaStream_t s), (p, s), frees, free(p))
COUNTED(cudaDeviceSynchronize, (), (), waits, )
COUNTED(cudaStreamSynchronize, (cudaStream_t s), (s), waits, )
COUNTED(cudaEventSynchronize, (cudaEvent_t e), (e), waits, )
COUNTED(cudaMemcpy, (void* t, const void* f, size_t n, cudaMemcpyKind k), (t, f, n, k), waits, )
COUNTED(cudaMemcpyAsync, (void* t, const void* f, size_t n, cudaMemcpyKind k, cudaStream_t s),
        (t, f, n, k, s), copies, )
COUNTED(cudaMemsetAsync, (void* p, int v, size_t n, cudaStream_t s), (p, v, n, s), copies, )
PASSED(cudaGetDeviceCount, (int* n), (n), *n = 1)
PASSED(cudaSetDevice, (int d), (d), )
PASSED(cudaGetLastError, (), (), )
PASSED(cudaPeekAtLastError, (), (), )
PASSED(cudaStreamCreateWithFlags, (cudaStream_t * s, unsigned f), (s, f),
       *s = reinterpret_cast<cudaStream_t>(&something))
PASSED(cudaStreamDestroy, (cudaStream_t s), (s), )
PASSED(cudaStreamIsCapturing, (cudaStream_t s, cudaStreamCaptureStatus* c), (s, c),
       *c = cudaStreamCaptureStatusNone)
PASSED(cudaStreamBeginCapture, (cudaStream_t s, cudaStreamCaptureMode m), (s, m), )
PASSED(cudaStreamEndCapture, (cudaStream_t s, cudaGraph_t* g), (s, g),
       *g = reinterpret_cast<cudaGraph_t>(&something))
PASSED(cudaGraphDestroy, (cudaGraph_t g), (g), )
PASSED(cudaGraphExecDestroy, (cudaGraphExec_t g), (g), )
PASSED(cudaEventCreateWithFlags, (cudaEvent_t * e, unsigned f), (e, f),
       *e = reinterpret_cast<cudaEvent_t>(&something))
PASSED(cudaEventDestroy, (cudaEvent_t e), (e), )
PASSED(cudaEventRecord, (cudaEvent_t e, cudaStream_t s), (e, s), )
PASSED(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned f), (s, e, f), )
