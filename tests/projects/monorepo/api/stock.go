// Package api tells what is in stock.
package api

import "fmt"

// Count says how many there are.
func Count(number int) string {
	return fmt.Sprintf("%s left", number)
}
