#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "weir/parse.h"

#define RUN(test) do { test(); puts("ok " #test); passed++; } while (0)

static unsigned passed;

static void test_push_then_pop(void)
{
    struct ring *ring = ring_new(4);
    sample_t in = { .name = "level" }, out;

    assert(ring_push(ring, &in));
    assert(ring_pop(ring, &out));
    assert(strcmp(out.name, "level") == 0);
    ring_free(ring);
}

static void test_parse_refuses_no_value(void)
{
    sample_t s;

    assert(parse_line("flow=", &s) == PARSE_BAD_VALUE);
}

int main(void)
{
    RUN(test_push_then_pop);
    RUN(test_parse_refuses_no_value);
    return passed == 2 ? 0 : 1;
}
