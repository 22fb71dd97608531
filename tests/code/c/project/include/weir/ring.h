#ifndef WEIR_RING_H
#define WEIR_RING_H

#include <stdbool.h>

#include "sample.h"

struct ring;
struct cursor;

/* What a ring does; a second implementation may keep its samples on disk. */
typedef struct ring_ops {
    bool (*push)(struct ring *, const sample_t *);
    bool (*pop)(struct ring *, sample_t *);
} ring_ops_t;

struct ring {
    const ring_ops_t *ops;
    sample_t *slots;
    size_t head;
    size_t len;
    size_t cap;
};

#define RING_FOR_EACH(ring, i) \
    for (size_t i = 0; i < (ring)->len; i++)

struct ring *ring_new(size_t cap);
void ring_free(struct ring *ring);
bool ring_push(struct ring *ring, const sample_t *s);
bool ring_pop(struct ring *ring, sample_t *out);
const sample_t *ring_at(const struct ring *ring, size_t i);
void ring_sort(struct ring *ring, sample_cmp cmp);

/* One of clock_posix.c and clock_win.c is built. */
uint32_t clock_seconds(void);

#endif
