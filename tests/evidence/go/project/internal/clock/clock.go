// Package clock tells the time in tests.
package clock

import "time"

// Fake is a clock that is moved by hand.
type Fake struct{ Now time.Time }

// Advance moves the clock.
func (f *Fake) Advance(d time.Duration) { f.Now = f.Now.Add(d) }
