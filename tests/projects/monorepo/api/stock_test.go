package api

import "testing"

func TestCount(t *testing.T) {
	if got := Count(3); got != "3 left" {
		t.Errorf("got %q", got)
	}
}

func TestNothing(t *testing.T) {
	if Count(0) == "" {
		t.Error("no answer")
	}
}
