package probe

import (
	"context"
	"net/http"
	"os"
	"time"
)

const slow = 5 * time.Second

// Doer sends requests.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Web measures how long a page takes.
type Web struct {
	base
	URL    string
	Client Doer
}

// Option changes a web probe.
type Option func(*Web)

// WithClient sends by another client.
func WithClient(client Doer) Option {
	return func(w *Web) { w.Client = client }
}

// NewWeb makes a probe of a page.
func NewWeb(url string, options ...Option) *Web {
	w := &Web{base: base{name: url, timeout: slow}, URL: url, Client: http.DefaultClient}
	for _, option := range options {
		option(w)
	}
	return w
}

func (w *Web) Measure(ctx context.Context) (float64, error) {
	ctx, cancel := w.limit(ctx)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.URL, nil)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	answer, err := w.Client.Do(request)
	if err != nil {
		return 0, err
	}
	return time.Since(start).Seconds(), answer.Body.Close()
}

// File measures how large a file is.
type File struct {
	*base
	Path string `json:"path"`
}

func (f File) Measure(context.Context) (float64, error) {
	info, err := os.Stat(f.Path)
	if err != nil {
		return 0, err
	}
	return float64(info.Size()), nil
}

func init() {
	register("web", func(target string) Probe { return NewWeb(target) })
	register("file", func(target string) Probe { return File{&base{name: target}, target} })
}

var _ Probe = (*Web)(nil)
