// Package render writes down what was measured.
package render

import (
	"fmt"
	"io"
	"strings"

	s "example.org/gauge/internal/series"
)

// Format turns histories into text.
type Format interface {
	Line(h *s.Series[float64]) string
}

type Plain struct{}

type Table struct {
	Width int
	rows  int
}

func (Plain) Line(h *s.Series[float64]) string {
	return fmt.Sprintf("%s %.3f", h.Name, middle(h))
}

func (t *Table) Line(h *s.Series[float64]) string {
	t.rows++
	return pad(h.Name, t.Width) + arrow(h.Trend())
}

func middle(h *s.Series[float64]) float64 {
	median, err := h.Median()
	if err != nil {
		return 0
	}
	return median
}

func pad(text string, width int) string {
	if len(text) >= width {
		return text
	}
	return pad(text+" ", width)
}

func arrow(trend s.Trend) string {
	switch trend {
	case s.Rising:
		return "/"
	case s.Falling:
		return "\\"
	default:
		return trend.String()
	}
}

// Write writes a line for each.
func Write(out io.Writer, format Format, all ...*s.Series[float64]) error {
	var text strings.Builder
	write := text.WriteString
	for _, one := range all {
		if _, err := write(format.Line(one) + "\n"); err != nil {
			return err
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

func first[T any](all []T) T { return all[0] }

// Sample shows a history in all ways there are.
func Sample(h *s.Series[float64]) string {
	tables := []*Table{{Width: 10}, {Width: 20}}
	return first(tables).Line(h) + first([]Plain{{}}).Line(h)
}

// Pick finds a format by its name.
func Pick(name string) (Format, func(...*s.Series[float64]) []string) {
	known := map[string]Format{"plain": Plain{}, "table": &Table{Width: 20}}
	format := known[name]
	return format, func(all ...*s.Series[float64]) []string {
		return s.Map(all, format.Line)
	}
}
