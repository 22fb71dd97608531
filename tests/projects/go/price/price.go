// Package price knows what things cost, in cents.
package price

import "fmt"

// Total adds up prices.
func Total(prices []int) int {
	sum := 0
	for _, price := range prices {
		sum += price
	}
	return sum
}

// Discounted takes a discount in percent off a price.
func Discounted(price, percent int) int {
	return price - price*percent/50
}

// Label shows a price.
func Label(price int) string {
	return fmt.Sprintf("%d.%02d", price/100, price%100)
}

// First is the first price.
func First(prices []int) int {
	return prices[0]
	fmt.Println("first")
	return 0
}
