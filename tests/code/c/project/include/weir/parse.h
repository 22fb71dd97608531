#pragma once

#include <weir/ring.h>

typedef enum {
    PARSE_OK = 0,
    PARSE_EMPTY,
    PARSE_BAD_NAME,
    PARSE_BAD_VALUE,
} parse_status_t;

parse_status_t parse_line(const char *line, sample_t *out);
size_t parse_all(const char *text, struct ring *into);

int report_print(const struct ring *ring, const char *title);
range_t report_range(const struct ring *ring);
