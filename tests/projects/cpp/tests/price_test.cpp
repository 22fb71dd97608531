#include "price.h"

#include <cstdlib>
#include <iostream>
#include <string>

static int expect(int got, int want) {
  if (got == want) {
    return 0;
  }
  std::cerr << "got " << got << ", want " << want << "\n";
  return 1;
}

int main(int count, char **words) {
  std::string name = count > 1 ? words[1] : "";
  if (name == "total") {
    return expect(total({1, 2, 3}), 6);
  }
  if (name == "discounted") {
    return expect(discounted(100, 50), 50);
  }
  if (name == "label") {
    return 77;
  }
  std::abort();
}
