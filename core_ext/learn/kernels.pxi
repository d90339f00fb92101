# The loops in which training spends its time, over rows of floats.
#
# In C, with gcc's vector types: left to itself gcc makes gathers of the sums over rows and branches of
# the clipping. They compile for every processor; what has no wide registers gets narrow ones.

cdef extern from *:
    """
    typedef float floats8 __attribute__((vector_size(32), aligned(4), may_alias));
    typedef int32_t ints8 __attribute__((vector_size(32)));
    enum { BLOCK = 4 };  /* vectors whose sums stay in registers */

    #define AT(array, index) (((floats8*)(array))[index])

    static inline floats8 clip_floats(floats8 x) {
        const floats8 zero = {0}, one = zero + 1;
        ints8 above = x > one;
        x = (floats8)((ints8)x & (x > zero));
        return (floats8)(((ints8)one & above) | ((ints8)x & ~above));
    }

    /* The hidden layer before its activation: the biases and the rows of the inputs that are on. */
    static inline void sum_rows(float* sums, const float* biases, const float* weights,
                                const uint16_t* inputs, int count, int hidden) {
        for (int first = 0; first < hidden / 8; first += BLOCK) {
            floats8 block[BLOCK];
            for (int part = 0; part < BLOCK; part++) block[part] = AT(biases, first + part);
            for (int index = 0; index < count; index++) {
                const float* row = weights + (size_t)inputs[index] * hidden;
                for (int part = 0; part < BLOCK; part++) block[part] += AT(row, first + part);
            }
            for (int part = 0; part < BLOCK; part++) AT(sums, first + part) = block[part];
        }
    }

    /* The activation, clipped and squared, times the output's weights. */
    static inline float dot_squares(const float* sums, const float* weights, int hidden) {
        floats8 total = {0};
        float result = 0;
        for (int index = 0; index < hidden / 8; index++) {
            floats8 value = clip_floats(AT(sums, index));
            total += value * value * AT(weights, index);
        }
        for (int lane = 0; lane < 8; lane++) result += total[lane];
        return result;
    }

    /* From the output to the hidden layer: the sums become the gradient with respect to them. */
    static inline void back_propagate(float* sums, float slope, const float* output_weights,
                                      float* output_gradient, float* bias_gradient, int hidden) {
        const floats8 zero = {0}, one = zero + 1;
        for (int index = 0; index < hidden / 8; index++) {
            floats8 sum = AT(sums, index), value = clip_floats(sum);
            ints8 inside = (sum > zero) & (sum < one);
            floats8 change = 2 * slope * value * AT(output_weights, index);
            change = (floats8)((ints8)change & inside);
            AT(output_gradient, index) += slope * value * value;
            AT(bias_gradient, index) += change;
            AT(sums, index) = change;
        }
    }

    static inline void add_to_rows(float* gradient, const float* sums, const uint16_t* inputs,
                                   int count, int hidden) {
        for (int first = 0; first < hidden / 8; first += BLOCK) {
            floats8 block[BLOCK];
            for (int part = 0; part < BLOCK; part++) block[part] = AT(sums, first + part);
            for (int index = 0; index < count; index++) {
                float* row = gradient + (size_t)inputs[index] * hidden;
                for (int part = 0; part < BLOCK; part++) AT(row, first + part) += block[part];
            }
        }
    }
    """
    void sum_rows(float* sums, const float* biases, const float* weights, const u16* inputs,
                  int count, int hidden) noexcept nogil
    float dot_squares(const float* sums, const float* weights, int hidden) noexcept nogil
    void back_propagate(float* sums, float slope, const float* output_weights,
                        float* output_gradient, float* bias_gradient, int hidden) noexcept nogil
    void add_to_rows(float* gradient, const float* sums, const u16* inputs, int count,
                     int hidden) noexcept nogil
