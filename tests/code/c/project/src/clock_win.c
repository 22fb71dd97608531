#include <windows.h>

#include "weir/ring.h"

#define TICKS_PER_SECOND 10000000ULL

uint32_t clock_seconds(void)
{
    FILETIME now;
    ULARGE_INTEGER ticks;

    GetSystemTimeAsFileTime(&now);
    ticks.LowPart = now.dwLowDateTime;
    ticks.HighPart = now.dwHighDateTime;
    return (uint32_t)(ticks.QuadPart / TICKS_PER_SECOND);
}
