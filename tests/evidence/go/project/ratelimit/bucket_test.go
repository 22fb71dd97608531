package ratelimit

import (
	"errors"
	"testing"
	"time"

	"example.com/limits/internal/clock"
)

func fullBucket(t *testing.T) (*Bucket, *clock.Fake) {
	t.Helper()
	fake := &clock.Fake{Now: time.Unix(0, 0)}
	return New(2, time.Second, fake.Now), fake
}

func TestTakeUntilEmpty(t *testing.T) {
	bucket, fake := fullBucket(t)
	for i := 0; i < 2; i++ {
		if err := bucket.Take(fake.Now); err != nil {
			t.Fatalf("take %d: %v", i, err)
		}
	}
	if err := bucket.Take(fake.Now); !errors.Is(err, ErrEmpty) {
		t.Errorf("got %v, want ErrEmpty", err)
	}
}

func TestTokensComeBack(t *testing.T) {
	bucket, fake := fullBucket(t)
	drain(t, bucket, fake)
	fake.Advance(1500 * time.Millisecond)
	if err := bucket.Take(fake.Now); err != nil {
		t.Fatal(err)
	}
	fake.Advance(500 * time.Millisecond)
	if err := bucket.Take(fake.Now); err != nil {
		t.Errorf("half seconds must add up: %v", err)
	}
}

func drain(t *testing.T, bucket *Bucket, fake *clock.Fake) {
	t.Helper()
	for bucket.Take(fake.Now) == nil {
	}
}
