package series

import "testing"

func filled(values ...int) *Series[int] {
	s := New[int]("test", 3)
	for _, value := range values {
		s.Add(value)
	}
	return s
}

func TestMedian(t *testing.T) {
	got, err := filled(9, 4, 1, 7).Median()
	if err != nil || got != 4 {
		t.Fatalf("got %v, %v", got, err)
	}
}

func TestTrend(t *testing.T) {
	type example struct {
		values []int
		want   Trend
	}
	for _, e := range []example{
		{[]int{1, 2}, Rising},
		{[]int{2, 1}, Falling},
		{nil, Steady},
	} {
		s := filled(e.values...)
		if got := s.Trend(); got != e.want {
			t.Errorf("%v: %v", e.values, got)
		}
	}
}
