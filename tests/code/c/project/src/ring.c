#include "weir/ring.h"

#include <stdlib.h>
#include <string.h>

enum { RING_CAP_MIN = 4 };

int weir_verbose;
static size_t live_rings = 0;

static bool memory_push(struct ring *ring, const sample_t *s);
static bool memory_pop(struct ring *ring, sample_t *out);

static const ring_ops_t memory_ops = {
    .push = memory_push,
    .pop = memory_pop,
};

static size_t wrap(const struct ring *ring, size_t i)
{
    return (ring->head + i) % ring->cap;
}

static bool memory_push(struct ring *ring, const sample_t *s)
{
    if (ring->len == ring->cap) {
        weir_on_overflow(s);
        return false;
    }
    ring->slots[wrap(ring, ring->len)] = *s;
    ring->len++;
    return true;
}

static bool memory_pop(struct ring *ring, sample_t *out)
{
    if (ring->len == 0)
        return false;
    *out = ring->slots[ring->head];
    ring->head = wrap(ring, 1);
    ring->len--;
    return true;
}

struct ring *ring_new(size_t cap)
{
    struct ring *ring = calloc(1, sizeof *ring);

    if (!ring)
        goto fail;
    if (cap < RING_CAP_MIN)
        cap = RING_CAP_MIN;
    ring->slots = calloc(cap, sizeof(sample_t));
    if (!ring->slots)
        goto fail;
    ring->cap = cap;
    ring->ops = &memory_ops;
    live_rings++;
    return ring;
fail:
    free(ring);
    return NULL;
}

void ring_free(struct ring *ring)
{
    if (!ring)
        return;
    free(ring->slots);
    free(ring);
    live_rings--;
}

bool ring_push(struct ring *ring, const sample_t *s)
{
    return ring->ops->push(ring, s);
}

bool ring_pop(struct ring *ring, sample_t *out)
{
    return ring->ops->pop(ring, out);
}

const sample_t *ring_at(const struct ring *ring, size_t i)
{
    return i < ring->len ? &ring->slots[wrap(ring, i)] : NULL;
}

static void swap(sample_t *a, sample_t *b)
{
    sample_t swap = *a;

    *a = *b;
    *b = swap;
}

void ring_sort(struct ring *ring, sample_cmp cmp)
{
    for (size_t i = 1; i < ring->len; i++)
        for (size_t j = i; j > 0; j--) {
            sample_t *a = &ring->slots[wrap(ring, j - 1)];
            sample_t *b = &ring->slots[wrap(ring, j)];

            if (cmp(a, b) <= 0)
                break;
            swap(a, b);
        }
}
