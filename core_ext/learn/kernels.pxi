# The loops in which training spends its time, over rows of floats.
#
# In C, with gcc's vector types: left to itself gcc makes gathers of the sums over rows and branches of
# the clipping. They compile for every processor; what has no wide registers gets narrow ones.
#
# The first layer goes by blocks of units, each block for many positions one after another: the rows of
# all inputs together are larger than the memory next to a processor, those of a block are not.

cdef extern from *:
    """
    typedef float floats8 __attribute__((vector_size(32), aligned(4), may_alias));
    typedef int32_t ints8 __attribute__((vector_size(32)));
    enum { BLOCK = 4 };                  /* vectors whose sums stay in registers */
    enum { UNITS_OF_BLOCK = 8 * BLOCK };
    _Static_assert(NETWORK_STEP % UNITS_OF_BLOCK == 0, "no unit is left over");

    /* Of AdamW: what a gradient is of the running means of gradients and of their squares. */
    static const double MEAN_SHARE = 0.1, SQUARE_SHARE = 0.001;

    #define AT(array, index) (((floats8*)(array))[index])

    static inline floats8 clip_floats(floats8 x) {
        const floats8 zero = {0}, one = zero + 1;
        ints8 above = x > one;
        x = (floats8)((ints8)x & (x > zero));
        return (floats8)(((ints8)one & above) | ((ints8)x & ~above));
    }

    /* A block of the hidden layer before its activation: the biases and the rows of the inputs that
       are on. */
    static inline void sum_rows(float* sums, const float* biases, const float* rows,
                                const uint16_t* inputs, int count) {
        floats8 block[BLOCK];
        for (int part = 0; part < BLOCK; part++) block[part] = AT(biases, part);
        for (int index = 0; index < count; index++) {
            const float* row = rows + inputs[index] * UNITS_OF_BLOCK;
            for (int part = 0; part < BLOCK; part++) block[part] += AT(row, part);
        }
        for (int part = 0; part < BLOCK; part++) AT(sums, part) = block[part];
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

    static inline void add_to_rows(float* rows, const float* sums, const uint16_t* inputs,
                                   int count) {
        floats8 block[BLOCK];
        for (int part = 0; part < BLOCK; part++) block[part] = AT(sums, part);
        for (int index = 0; index < count; index++) {
            float* row = rows + inputs[index] * UNITS_OF_BLOCK;
            for (int part = 0; part < BLOCK; part++) AT(row, part) += block[part];
        }
    }

    /* The gradients of several threads become one. */
    static inline void take_gradient(float* restrict sum, float* restrict gradient, int count) {
        for (int index = 0; index < count; index++) {
            sum[index] += gradient[index];
            gradient[index] = 0;
        }
    }

    /* A step of AdamW. The biases are what the running means still lack after so many steps. */
    static inline void improve(float* restrict parameters, float* restrict means,
                               float* restrict squares, float* restrict gradient, int count,
                               float scale, float rate, float decay, float limit,
                               float first_bias, float second_bias) {
        for (int index = 0; index < count; index++) {
            float slope = gradient[index] * scale, step, value = parameters[index];
            gradient[index] = 0;
            means[index] += (float)MEAN_SHARE * (slope - means[index]);
            squares[index] += (float)SQUARE_SHARE * (slope * slope - squares[index]);
            step = means[index] * first_bias / (sqrtf(squares[index] * second_bias) + 1e-8f);
            value -= rate * (step + decay * value);
            value = value > limit ? limit : value;
            parameters[index] = value < -limit ? -limit : value;
        }
    }
    """
    enum: UNITS_OF_BLOCK
    const double MEAN_SHARE, SQUARE_SHARE
    void sum_rows(float* sums, const float* biases, const float* rows, const u16* inputs,
                  int count) noexcept nogil
    float dot_squares(const float* sums, const float* weights, int hidden) noexcept nogil
    void back_propagate(float* sums, float slope, const float* output_weights,
                        float* output_gradient, float* bias_gradient, int hidden) noexcept nogil
    void add_to_rows(float* rows, const float* sums, const u16* inputs, int count) noexcept nogil
    void take_gradient(float* sum, float* gradient, int count) noexcept nogil
    void improve(float* parameters, float* means, float* squares, float* gradient, int count,
                 float scale, float rate, float decay, float limit, float first_bias,
                 float second_bias) noexcept nogil
