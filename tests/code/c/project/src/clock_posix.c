#include <time.h>

#include "weir/ring.h"

uint32_t clock_seconds(void)
{
    return (uint32_t)time(NULL);
}
