package ratelimit

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseHeader reads "limit=10, remaining=3".
func ParseHeader(text string) (map[string]int, error) {
	values := map[string]int{}
	for _, part := range strings.Split(text, ",") {
		name, value, found := strings.Cut(strings.TrimSpace(part), "=")
		if !found {
			return nil, fmt.Errorf("no value in %q", part)
		}
		number, err := strconv.Atoi(value)
		if err != nil {
			return nil, err
		}
		values[strings.ToLower(name)] = number
	}
	return values, nil
}
