// Package ratelimit allows so many requests in so much time.
package ratelimit

import (
	"errors"
	"time"
)

// ErrEmpty is returned when nothing is left.
var ErrEmpty = errors.New("bucket is empty")

// Bucket holds tokens that come back with time.
type Bucket struct {
	size   int
	every  time.Duration
	tokens int
	last   time.Time
}

// New makes a full bucket.
func New(size int, every time.Duration, now time.Time) *Bucket {
	return &Bucket{size: size, every: every, tokens: size, last: now}
}

// Take takes one token.
func (b *Bucket) Take(now time.Time) error {
	back := int(now.Sub(b.last) / b.every)
	if back > 0 {
		b.tokens = min(b.size, b.tokens+back)
		b.last = b.last.Add(time.Duration(back) * b.every)
	}
	if b.tokens == 0 {
		return ErrEmpty
	}
	b.tokens--
	return nil
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}
