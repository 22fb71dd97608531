#include "weir/parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SKIP_BLANKS(p) while (isspace((unsigned char)*(p))) (p)++

const char *const unit_names[] = {
    [UNIT_NONE] = "",
    [UNIT_METRE] = "m",
    [UNIT_LITRE] = "l",
};

static const struct unit_rule {
    char suffix;
    enum unit unit;
} unit_rules[] = {
    { 'm', UNIT_METRE },
    { 'l', UNIT_LITRE },
};

static enum unit unit_of(char c)
{
    for (size_t i = 0; i < sizeof unit_rules / sizeof *unit_rules; i++) {
        const struct unit_rule *rule = &unit_rules[i];

        if (rule->suffix == c)
            return rule->unit;
    }
    return UNIT_NONE;
}

/* Skips to the next line; not the one of report.c. */
static const char *advance(const char *p)
{
    const char *end = strchr(p, '\n');

    return end ? end + 1 : p + strlen(p);
}

parse_status_t parse_line(const char *line, sample_t *out)
{
    size_t n = 0;
    char *rest;

    SKIP_BLANKS(line);
    if (!*line || *line == '#')
        return PARSE_EMPTY;
    while (line[n] && line[n] != '=')
        n++;
    if (!line[n] || n == 0)
        return PARSE_BAD_NAME;
    n = WEIR_MIN(n, WEIR_NAME_MAX - 1);
    memcpy(out->name, line, n);
    out->name[n] = '\0';

    line = strchr(line, '=') + 1;
    out->reading.as.real = strtod(line, &rest);
    if (rest == line)
        return PARSE_BAD_VALUE;
    out->reading.is_real = 1;
    out->reading.unit = unit_of(*rest);
    out->at = clock_seconds();
    return PARSE_OK;
}

size_t parse_all(const char *text, struct ring *into)
{
    sample_t s = { .at = 0 };
    size_t kept;

    if (!*text)
        return 0;
    kept = parse_line(text, &s) == PARSE_OK && ring_push(into, &s);
    return kept + parse_all(advance(text), into);
}
