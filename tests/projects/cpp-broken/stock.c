#include <stdio.h>

int main(void) {
  int count = 3
  printf("%d left\n", cuont);
  return 0;
}
