// Package series keeps the last values of something measured.
package series

import (
	"errors"
	"fmt"
	"sort"
	"time"
)

// Number is whatever can be measured.
type Number interface {
	~int | ~int64 | ~float64
}

const DefaultSize = 60

const (
	Rising Trend = iota + 1
	Falling
	Steady
)

// Trend says where the values go.
type Trend int

var (
	ErrEmpty = errors.New("series: no values")
	names    = map[Trend]string{Rising: "rising", Falling: "falling", Steady: "steady"}
)

func (t Trend) String() string { return names[t] }

// Point is one value at its time.
type Point[N Number] struct {
	At    time.Time
	Value N
}

// Series holds points, the oldest first.
type Series[N Number] struct {
	Name   string
	size   int
	points []Point[N]
}

// New makes an empty series.
func New[N Number](name string, size int) *Series[N] {
	if size <= 0 {
		size = DefaultSize
	}
	return &Series[N]{Name: name, size: size}
}

func (s *Series[N]) Add(value N) {
	s.points = append(s.points, Point[N]{At: now(), Value: value})
	if extra := len(s.points) - s.size; extra > 0 {
		s.points = s.points[extra:]
	}
}

func (s *Series[N]) Last() (N, error) {
	if len(s.points) == 0 {
		var none N
		return none, ErrEmpty
	}
	return s.points[len(s.points)-1].Value, nil
}

// Median is the value in the middle.
func (s *Series[N]) Median() (N, error) {
	if _, err := s.Last(); err != nil {
		return 0, fmt.Errorf("%s – %w", s.Name, err)
	}
	values := s.values()
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	return values[len(values)/2], nil
}

func (s *Series[N]) Trend() Trend {
	if len(s.points) < 2 {
		return Steady
	}
	first, last := s.points[0].Value, s.points[len(s.points)-1].Value
	switch {
	case last > first:
		return Rising
	case last < first:
		return Falling
	}
	return Steady
}

func (s *Series[N]) values() []N {
	return Map(s.points, func(p Point[N]) N { return p.Value })
}

// Map gives what f makes of each.
func Map[A, B any](from []A, f func(A) B) []B {
	to := make([]B, 0, len(from))
	for _, each := range from {
		to = append(to, f(each))
	}
	return to
}

var now = time.Now
