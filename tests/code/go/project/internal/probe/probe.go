// Package probe measures things.
package probe

import (
	"context"
	"fmt"
	"sync"
	"time"

	"example.org/gauge/internal/series"
)

// A Namer has a name.
type Namer interface {
	Name() string
}

// A Probe measures one thing.
type Probe interface {
	Namer
	Measure(ctx context.Context) (float64, error)
}

// Func lets a function measure.
type Func func(ctx context.Context) (float64, error)

func (f Func) Name() string { return "func" }

func (f Func) Measure(ctx context.Context) (float64, error) {
	return f(ctx)
}

type History = series.Series[float64]

type base struct {
	name    string
	timeout time.Duration
}

func (b base) Name() string { return b.name }

func (b *base) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, b.timeout)
}

// Group runs probes side by side.
type Group struct {
	probes  []Probe
	history map[string]*History

	mu sync.Mutex
}

var registry = map[string]func(target string) Probe{}

func register(kind string, build func(string) Probe) {
	registry[kind] = build
}

// NewGroup makes a group of probes.
func NewGroup(probes ...Probe) *Group {
	g := &Group{probes: probes, history: make(map[string]*History)}
	for _, p := range probes {
		g.history[p.Name()] = series.New[float64](p.Name(), series.DefaultSize)
	}
	return g
}

// Build makes a probe of a kind that is known.
func Build(kind, target string) (Probe, error) {
	build, ok := registry[kind]
	if !ok {
		return nil, fmt.Errorf("no probe %q", kind)
	}
	return build(target), nil
}

// Run measures once with each probe.
func (g *Group) Run(ctx context.Context) []error {
	var wait sync.WaitGroup
	errs := make([]error, len(g.probes))
	for i, p := range g.probes {
		wait.Add(1)
		go func(i int, p Probe) {
			defer wait.Done()
			errs[i] = g.measure(ctx, p)
		}(i, p)
	}
	wait.Wait()
	return errs
}

func (g *Group) measure(ctx context.Context, p Probe) error {
	value, err := p.Measure(ctx)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.history[p.Name()].Add(value)
	return nil
}

// Each calls visit with every history.
func (g *Group) Each(visit func(*History)) {
	for _, p := range g.probes {
		visit(g.history[p.Name()])
	}
}
