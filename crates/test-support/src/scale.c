/* A handler of the typed XLA FFI, with as much of its interface as it needs: multiplies f32 elements by the attribute `factor`,
   and refuses a negative one. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct extension {
    size_t size;
    int32_t type; /* 1: asks for metadata */
    struct extension *next;
    struct metadata *metadata;
};

struct metadata {
    size_t size;
    struct {
        size_t size;
        void *extension;
        int32_t major, minor;
    } version;
    uint32_t traits;
};

struct error_args {
    size_t size;
    void *extension;
    const char *message;
    int32_t code;
};

struct api {
    size_t size;
    void *extension;
    struct {
        size_t size;
        void *extension;
        int32_t major, minor;
    } version;
    void *internal;
    void *(*make_error)(struct error_args *);
};

struct buffer {
    size_t size;
    void *extension;
    int32_t dtype;
    float *data;
    int64_t rank;
    int64_t *dims;
};

struct span {
    const char *start;
    size_t length;
};

struct scalar {
    int32_t dtype;
    void *value;
};

struct arrays {
    size_t size;
    void *extension;
    int64_t count;
    int32_t *types;
    struct buffer **buffers;
};

struct frame {
    size_t size;
    struct extension *extension;
    const struct api *api;
    void *context;
    int32_t stage;
    struct arrays arguments, results;
    struct {
        size_t size;
        void *extension;
        int64_t count;
        int32_t *types;
        struct span **names;
        struct scalar **values;
    } attributes;
};

void *scale(struct frame *frame) {
    if (frame->extension && frame->extension->type == 1) {
        struct metadata *metadata = frame->extension->metadata;
        metadata->version.major = 0;
        metadata->version.minor = 1;
        metadata->traits = 0;
        return NULL;
    }
    struct span *name = frame->attributes.names[0];
    float factor = *(float *)frame->attributes.values[0]->value;
    if (frame->attributes.count != 1 || name->length != 6 || memcmp(name->start, "factor", 6) || factor < 0) {
        struct error_args error = {sizeof error, NULL, "the factor is negative", 3};
        return frame->api->make_error(&error);
    }
    struct buffer *x = frame->arguments.buffers[0], *y = frame->results.buffers[0];
    int64_t count = 1;
    for (int64_t axis = 0; axis < x->rank; ++axis) {
        count *= x->dims[axis];
    }
    for (int64_t i = 0; i < count; ++i) {
        y->data[i] = factor * x->data[i];
    }
    return NULL;
}
