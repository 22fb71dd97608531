#ifndef WEIR_SAMPLE_H
#define WEIR_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#define WEIR_NAME_MAX 32
#define WEIR_MIN(a, b) ((a) < (b) ? (a) : (b))

#if defined(__GNUC__)
#define WEIR_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define WEIR_PRINTF(f, a)
#endif

/* What a reading counts. */
enum unit {
    UNIT_NONE,
    UNIT_METRE,
    UNIT_LITRE = 10,
    UNIT_COUNT_
};

struct reading {
    enum unit unit;
    union {
        int64_t whole;
        double real;
    } as;
    unsigned is_real : 1;
};

typedef struct sample sample_t;
typedef int (*sample_cmp)(const sample_t *, const sample_t *);

struct sample {
    char name[WEIR_NAME_MAX];
    uint32_t at;
    struct reading reading;
};

typedef struct {
    double low, high;
} range_t;

extern const char *const unit_names[];
extern int weir_verbose;

/* Supplied by whoever embeds the library; it has no body here. */
void weir_on_overflow(const sample_t *lost);

static inline double reading_value(const struct reading *r)
{
    return r->is_real ? r->as.real : (double)r->as.whole;
}

#endif
