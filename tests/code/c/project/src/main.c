#include <stdio.h>
#include <string.h>

#include "weir/parse.h"

#define INPUT_MAX (64 * 1024)

static char input[INPUT_MAX];

static int by_name(const sample_t *a, const sample_t *b)
{
    return strcmp(a->name, b->name);
}

static int by_value(const sample_t *a, const sample_t *b)
{
    double x = reading_value(&a->reading), y = reading_value(&b->reading);

    return (x > y) - (x < y);
}

struct command {
    const char *name;
    sample_cmp order;
};

static const struct command commands[] = {
    { "names", by_name },
    { "values", by_value },
};

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

int main(int argc, char **argv)
{
    struct ring *ring = ring_new(1024);
    const struct command *command = find_command(argc > 1 ? argv[1] : "names");
    size_t n = fread(input, 1, sizeof input - 1, stdin);

    input[n] = '\0';
    if (!ring || !command)
        return 2;
    parse_all(input, ring);
    ring_sort(ring, command->order);
    report_print(ring, "samples");
    ring_free(ring);
    return 0;
}
