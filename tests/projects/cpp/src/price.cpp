#include "price.h"

int total(const std::vector<int> &prices) {
  int sum = 0;
  for (int i = 0; i < prices.size(); i++) {
    sum += prices[i];
  }
  return sum;
}

int discounted(int price, int percent) {
  int rounded;
  return price - price * percent / 50;
}
