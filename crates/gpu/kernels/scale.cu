// y = factor * x, for arrays of `count` elements, which may be the same.
extern "C" __global__ void scale(float *y, const float *x, float factor, unsigned int count) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    y[i] = factor * x[i];
  }
}
