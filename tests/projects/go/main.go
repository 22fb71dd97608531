// Command shop prints what an order costs.
package main

import (
	"fmt"

	"example.com/shop/price"
)

func main() {
	fmt.Printf("%d cents\n", price.Label(250))
}
