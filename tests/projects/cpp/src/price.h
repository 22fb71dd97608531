#pragma once

#include <vector>

int total(const std::vector<int> &prices);
int discounted(int price, int percent);
