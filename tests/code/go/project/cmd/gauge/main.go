package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	_ "net/http/pprof"
	"os"
	"strings"
	"time"

	. "example.org/gauge/internal/probe"
	render "example.org/gauge/report"
)

type targets []string

func (t *targets) String() string { return strings.Join(*t, ",") }

func (t *targets) Set(word string) error {
	*t = append(*t, word)
	return nil
}

type config struct {
	every   time.Duration
	format  string
	targets targets
}

var debug = os.Getenv("GAUGE_DEBUG") != ""

func parse(args []string) (*config, error) {
	var c config
	flags := flag.NewFlagSet("gauge", flag.ContinueOnError)
	flags.DurationVar(&c.every, "every", time.Second, "how often")
	flags.StringVar(&c.format, "format", "plain", "how to write")
	flags.Var(&c.targets, "probe", "kind=target")
	return &c, flags.Parse(args)
}

func (c *config) group() (*Group, error) {
	var probes []Probe
	for _, word := range c.targets {
		kind, target, _ := strings.Cut(word, "=")
		p, err := Build(kind, target)
		if err != nil {
			return nil, err
		}
		probes = append(probes, p)
	}
	idle := Func(func(context.Context) (float64, error) { return 0, nil })
	return NewGroup(append(probes, idle)...), nil
}

func show(things []interface{}) {
	for _, thing := range things {
		if named, ok := thing.(Namer); ok {
			fmt.Println(named.Name())
		}
	}
}

func run(ctx context.Context, c *config) error {
	group, err := c.group()
	if err != nil {
		return err
	}
	format, _ := render.Pick(c.format)
	for range time.Tick(c.every) {
		for _, err := range group.Run(ctx) {
			if err != nil && debug {
				log.Print(err)
			}
		}
		group.Each(func(h *History) {
			if err := render.Write(os.Stdout, format, h); err != nil {
				log.Print(err)
			}
		})
	}
	return nil
}

func main() {
	c, err := parse(os.Args[1:])
	if err == nil {
		show([]interface{}{NewWeb("https://example.org", WithClient(nil))})
		err = run(context.Background(), c)
	}
	if err != nil {
		log.Fatal(err)
	}
}
