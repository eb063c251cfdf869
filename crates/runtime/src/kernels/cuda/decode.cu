// Kernels of a decoder's step on one row: products with weights in bf16, joined with the ops before and after them, and attention.
//
// `nvcc -ptx -arch=sm_80 -D NORM_LINEAR1 -o norm_linear1.ptx decode.cu` writes one of the committed texts, with the version
// of PTX set to 8.0, which older drivers take. Sizes are names in them, which are replaced by numbers before a program is
// compiled: a kernel of a program receives pointers only.

#include <cuda_bf16.h>
#include <stdint.h>

// A number that the text names.
#define NUMBER(name)                                \
  ({                                                \
    unsigned number_;                               \
    asm("mov.u32 %0, " #name ";" : "=r"(number_));  \
    number_;                                        \
  })

constexpr unsigned kWarp = 32;
constexpr unsigned kThreads = 256;
constexpr unsigned kWarps = kThreads / kWarp;

// Eight elements of bf16.
struct Eight {
  uint4 bits;
};

__device__ __forceinline__ Eight load_once(const uint4 *from) {
  Eight e;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(e.bits.x), "=r"(e.bits.y), "=r"(e.bits.z), "=r"(e.bits.w)
               : "l"(from));
  return e;
}

__device__ __forceinline__ float low(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float high(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

__device__ __forceinline__ float dot(unsigned a, unsigned b, float sum) {
  return fmaf(high(a), high(b), fmaf(low(a), low(b), sum));
}

__device__ __forceinline__ float dot(Eight a, Eight b, float sum) {
  sum = dot(a.bits.x, b.bits.x, sum);
  sum = dot(a.bits.y, b.bits.y, sum);
  sum = dot(a.bits.z, b.bits.z, sum);
  return dot(a.bits.w, b.bits.w, sum);
}

__device__ __forceinline__ float sum_of_warp(float x) {
#pragma unroll
  for (int lanes = kWarp / 2; lanes > 0; lanes /= 2) x += __shfl_xor_sync(0xffffffffu, x, lanes);
  return x;
}

__device__ __forceinline__ float sum_of_block(float x) {
  __shared__ float parts[kWarps];
  x = sum_of_warp(x);
  if (threadIdx.x % kWarp == 0) parts[threadIdx.x / kWarp] = x;
  __syncthreads();
  x = 0;
#pragma unroll
  for (unsigned i = 0; i < kWarps; i++) x += parts[i];
  return x;
}

// The row in shared memory, as bf16.
extern __shared__ uint4 row[];

// Root mean square norm of the row in f32, rounded to bf16.
__device__ __forceinline__ void norm_row(const float *x, const __nv_bfloat16 *scale, unsigned k, float epsilon) {
  float squares = 0;
  for (unsigned i = threadIdx.x; i < k / 4; i += kThreads) {
    float4 v = reinterpret_cast<const float4 *>(x)[i];
    squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  float factor = rsqrtf(sum_of_block(squares) / k + epsilon);
  __nv_bfloat162 *out = reinterpret_cast<__nv_bfloat162 *>(row);
  for (unsigned i = threadIdx.x; i < k / 4; i += kThreads) {
    float4 v = reinterpret_cast<const float4 *>(x)[i];
    uint2 s = reinterpret_cast<const uint2 *>(scale)[i];
    out[2 * i] = __floats2bfloat162_rn(v.x * factor * low(s.x), v.y * factor * high(s.x));
    out[2 * i + 1] = __floats2bfloat162_rn(v.z * factor * low(s.y), v.w * factor * high(s.y));
  }
  __syncthreads();
}

__device__ __forceinline__ void copy_row(const uint4 *x, unsigned chunks) {
  for (unsigned i = threadIdx.x; i < chunks; i += kThreads) row[i] = x[i];
  __syncthreads();
}

// Parts of a row of weights that a lane reads at once.
template <int N>
struct Block {
  Eight parts[N];

  __device__ __forceinline__ void load(const uint4 *weights, unsigned begin, unsigned chunks) {
#pragma unroll
    for (int i = 0; i < N; i++) {
      unsigned at = begin + i * kWarp + threadIdx.x % kWarp;
      parts[i] = at < chunks ? load_once(weights + at) : Eight{make_uint4(0, 0, 0, 0)};
    }
  }

  __device__ __forceinline__ float dot_row(unsigned begin, unsigned chunks, float sum) {
#pragma unroll
    for (int i = 0; i < N; i++) {
      unsigned at = begin + i * kWarp + threadIdx.x % kWarp;
      if (at < chunks) sum = dot(parts[i], Eight{row[at]}, sum);
    }
    return sum;
  }
};

constexpr int kDepth = 8;

// The product of the row with one row of weights, whose first block is loaded.
__device__ __forceinline__ float product(Block<kDepth> &block, const uint4 *weights, unsigned chunks) {
  float sum = 0;
  for (unsigned begin = 0; begin < chunks;) {
    sum = block.dot_row(begin, chunks, sum);
    begin += kDepth * kWarp;
    if (begin < chunks) block.load(weights, begin, chunks);
  }
  return sum_of_warp(sum);
}

// y = norm(x) W^T for up to three weights.
template <int W>
__device__ __forceinline__ void norm_linear(const float *x, const __nv_bfloat16 *scale, const uint4 *const (&weights)[W],
                                            float *const (&y)[W]) {
  unsigned k = NUMBER(KERNEL_K), chunks = k / 8;
  unsigned rows[3] = {NUMBER(KERNEL_N0), NUMBER(KERNEL_N1), NUMBER(KERNEL_N2)};
  unsigned n = blockIdx.x * kWarps + threadIdx.x / kWarp;
  const uint4 *mine = nullptr;
  float *out = nullptr;
#pragma unroll
  for (int i = 0; i < W; i++) {
    if (out == nullptr) {
      if (n < rows[i]) {
        mine = weights[i] + size_t(n) * chunks;
        out = y[i] + n;
      } else {
        n -= rows[i];
      }
    }
  }
  // The weights are on their way while the row is computed.
  Block<kDepth> block;
  if (out != nullptr) block.load(mine, 0, chunks);
  norm_row(x, scale, k, __uint_as_float(NUMBER(KERNEL_EPSILON)));
  if (out == nullptr) return;
  float sum = product(block, mine, chunks);
  if (threadIdx.x % kWarp == 0) *out = sum;
}

#ifdef NORM_LINEAR1
extern "C" __global__ void __launch_bounds__(kThreads) hloom_norm_linear1(const float *x, const __nv_bfloat16 *scale,
                                                                          const uint4 *w0, float *y0) {
  const uint4 *const weights[1] = {w0};
  float *const y[1] = {y0};
  norm_linear<1>(x, scale, weights, y);
}
#endif

#ifdef NORM_LINEAR3
extern "C" __global__ void __launch_bounds__(kThreads)
    hloom_norm_linear3(const float *x, const __nv_bfloat16 *scale, const uint4 *w0, const uint4 *w1, const uint4 *w2,
                       float *y0, float *y1, float *y2) {
  const uint4 *const weights[3] = {w0, w1, w2};
  float *const y[3] = {y0, y1, y2};
  norm_linear<3>(x, scale, weights, y);
}
#endif

// y = silu(norm(x) G^T) * (norm(x) U^T), rounded to bf16.
#ifdef NORM_GATED
extern "C" __global__ void __launch_bounds__(kThreads)
    hloom_norm_gated(const float *x, const __nv_bfloat16 *scale, const uint4 *gate, const uint4 *up, __nv_bfloat16 *y) {
  unsigned k = NUMBER(KERNEL_K), chunks = k / 8, rows = NUMBER(KERNEL_N0);
  unsigned n = blockIdx.x * kWarps + threadIdx.x / kWarp;
  constexpr int kHalf = kDepth / 2;
  Block<kHalf> g, u;
  gate += size_t(n) * chunks;
  up += size_t(n) * chunks;
  if (n < rows) {
    g.load(gate, 0, chunks);
    u.load(up, 0, chunks);
  }
  norm_row(x, scale, k, __uint_as_float(NUMBER(KERNEL_EPSILON)));
  if (n >= rows) return;
  float a = 0, b = 0;
  for (unsigned begin = 0; begin < chunks;) {
    a = g.dot_row(begin, chunks, a);
    b = u.dot_row(begin, chunks, b);
    begin += kHalf * kWarp;
    if (begin < chunks) {
      g.load(gate, begin, chunks);
      u.load(up, begin, chunks);
    }
  }
  a = sum_of_warp(a);
  b = sum_of_warp(b);
  if (threadIdx.x % kWarp == 0) y[n] = __float2bfloat16_rn(a / (1 + expf(-a)) * b);
}
#endif

// y = r + x W^T.
#ifdef LINEAR_ADD
extern "C" __global__ void __launch_bounds__(kThreads)
    hloom_linear_add(const uint4 *x, const uint4 *weights, const float *r, float *y) {
  unsigned chunks = NUMBER(KERNEL_K) / 8, rows = NUMBER(KERNEL_N0);
  unsigned n = blockIdx.x * kWarps + threadIdx.x / kWarp;
  weights += size_t(n) * chunks;
  Block<kDepth> block;
  if (n < rows) block.load(weights, 0, chunks);
  copy_row(x, chunks);
  if (n >= rows) return;
  float sum = product(block, weights, chunks);
  if (threadIdx.x % kWarp == 0) y[n] = r[n] + sum;
}
#endif

constexpr unsigned kAttending = 1024;

// Attention of one query of a head, a block of the grid, to the positions that the mask admits.
//
// A group of lanes, each with eight elements of a head, takes a position at a time, with the largest score and the sum of
// its own positions; at the end the groups are put together.
#ifdef ATTEND
extern "C" __global__ void __launch_bounds__(kAttending)
    hloom_attend(const float *q, const uint4 *key, const uint4 *value, const uint8_t *mask, float *y) {
  unsigned positions = NUMBER(KERNEL_POSITIONS), group = NUMBER(KERNEL_GROUP), lanes = NUMBER(KERNEL_DIM) / 8;
  float scale = __uint_as_float(NUMBER(KERNEL_SCALE));
  unsigned head = blockIdx.x, lane = threadIdx.x % lanes, groups = kAttending / lanes, mine = threadIdx.x / lanes;
  key += size_t(head / group) * positions * lanes + lane;
  value += size_t(head / group) * positions * lanes + lane;
  q += (size_t(head) * lanes + lane) * 8;
  Eight query;
  {
    const float4 *from = reinterpret_cast<const float4 *>(q);
    float4 a = from[0], b = from[1];
    __nv_bfloat162 pairs[4] = {
        __floats2bfloat162_rn(a.x * scale, a.y * scale), __floats2bfloat162_rn(a.z * scale, a.w * scale),
        __floats2bfloat162_rn(b.x * scale, b.y * scale), __floats2bfloat162_rn(b.z * scale, b.w * scale)};
    query.bits = *reinterpret_cast<uint4 *>(pairs);
  }
  // The lanes of this group.
  unsigned first = threadIdx.x % kWarp / lanes * lanes;
  unsigned together = lanes == kWarp ? 0xffffffffu : ((1u << lanes) - 1) << first;
  constexpr int kAtOnce = 4;
  float largest = -INFINITY, sum = 0, mixed[8] = {};
  for (unsigned begin = mine; begin < positions; begin += kAtOnce * groups) {
    uint4 k[kAtOnce], v[kAtOnce];
    bool admitted[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; i++) {
      unsigned at = begin + i * groups;
      admitted[i] = at < positions && mask[at];
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; i++) {
      unsigned at = begin + i * groups;
      k[i] = admitted[i] ? key[size_t(at) * lanes] : make_uint4(0, 0, 0, 0);
      v[i] = admitted[i] ? value[size_t(at) * lanes] : make_uint4(0, 0, 0, 0);
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; i++) {
      float score = dot(query, Eight{k[i]}, 0);
      for (unsigned other = lanes / 2; other > 0; other /= 2) score += __shfl_xor_sync(together, score, other);
      if (!admitted[i]) continue;
      float next = fmaxf(largest, score);
      float kept = expf(largest - next), weight = expf(score - next);
      largest = next;
      sum = sum * kept + weight;
      const unsigned pairs[4] = {v[i].x, v[i].y, v[i].z, v[i].w};
#pragma unroll
      for (int j = 0; j < 4; j++) {
        mixed[2 * j] = fmaf(weight, low(pairs[j]), mixed[2 * j] * kept);
        mixed[2 * j + 1] = fmaf(weight, high(pairs[j]), mixed[2 * j + 1] * kept);
      }
    }
  }
  // Each group's largest score, sum and mixture, one after the other.
  extern __shared__ uint4 memory[];
  float *largests = reinterpret_cast<float *>(memory), *sums = largests + groups, *mixtures = sums + groups;
  unsigned dim = lanes * 8;
  if (lane == 0) {
    largests[mine] = largest;
    sums[mine] = sum;
  }
#pragma unroll
  for (int j = 0; j < 8; j++) mixtures[mine * dim + lane * 8 + j] = mixed[j];
  __syncthreads();
  if (threadIdx.x >= dim) return;
  float most = -INFINITY;
  for (unsigned i = 0; i < groups; i++) most = fmaxf(most, largests[i]);
  float total = 0, result = 0;
  for (unsigned i = 0; i < groups; i++) {
    float part = largests[i] == -INFINITY ? 0 : expf(largests[i] - most);
    total += part * sums[i];
    result = fmaf(part, mixtures[i * dim + threadIdx.x], result);
  }
  // A query that attends to no position gets zeros.
  y[size_t(head) * dim + threadIdx.x] = total > 0 ? result / total : 0;
}
#endif
