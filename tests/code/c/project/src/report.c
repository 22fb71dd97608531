#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "weir/parse.h"

#ifdef WEIR_COLOUR
static const char *paint(const char *text)
{
    return strcmp(text, "") ? "\033[1m" : "";
}
#else
static const char *paint(const char *text)
{
    (void)text;
    return "";
}
#endif

static int columns = 72;

static void say(const char *fmt, ...) WEIR_PRINTF(1, 2);

static void say(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
}

/* Grows the range; not the one of parse.c. */
static void advance(range_t *range, double value)
{
    if (value < range->low)
        range->low = value;
    if (value > range->high)
        range->high = value;
}

range_t report_range(const struct ring *ring)
{
    range_t range = { 0 };

    RING_FOR_EACH(ring, i) {
        const sample_t *s = ring_at(ring, i);

        advance(&range, reading_value(&s->reading));
    }
    return range;
}

static void rule(int columns)
{
    while (columns-- > 0)
        putchar('-');
    putchar('\n');
}

int report_print(const struct ring *ring, const char *title)
{
    range_t range = report_range(ring);

    say("%s%s\n", paint(title), title);
    rule(columns);
    for (size_t i = 0; i < ring->len; i++) {
        const sample_t *s = ring_at(ring, i);

        say("%-*s %10.3f%s\n", WEIR_NAME_MAX, s->name,
            reading_value(&s->reading), unit_names[s->reading.unit]);
    }
    say("low %.3f high %.3f\n", range.low, range.high);
    return weir_verbose ? (int)ring->len : 0;
}
