package ratelimit

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestParseHeader(t *testing.T) {
	tests := []struct {
		name, text string
		want       map[string]int
	}{
		{"one", "limit=10", map[string]int{"limit": 10}},
		{"two", "limit=10, remaining=3", map[string]int{"limit": 10, "remaining": 3}},
		{"upper case", "Limit=5", map[string]int{"limit": 5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseHeader(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestParseHeaderRefuses(t *testing.T) {
	if _, err := ParseHeader("limit"); err == nil {
		t.Error("want an error")
	}
}

func TestGolden(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "headers.golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		got, err := ParseHeader(line)
		if err != nil || got["limit"] != 100 {
			t.Errorf("%q: %v, %v", line, got, err)
		}
	}
}
