//! Go.

use crate::language::SourceLanguage;
use crate::read::printed::{definitions, imports, read, references, same, signatures};

#[test]
fn declarations_are_defined() {
    let source = "
package main
const (
	A = iota
	B
)
var x, y = 1, 2
type Svc[T any] struct {
	*Base
	repo *Repo
	a, b int
	nested struct { q int }
}
type I interface { Do(x int) error; fmt.Stringer }
type ID = string
type Fn func(a int) Foo
func (s *Svc[T]) Run() { type local struct { q int }; const c = 1 }
func free() {}
func TestX(t *testing.T) {}
func Testing() {}
";
    let want = "
        Module main
        Constant A
        Constant B
        Variable x
        Variable y
        Struct Svc
        Field Svc.repo
        Field Svc.a
        Field Svc.b
        Field Svc.nested
        Interface I
        Method I.Do
        Alias ID
        Alias Fn
        Method Svc.Run
        Struct Svc.Run.local file
        Field Svc.Run.local.q
        Function free
        Function TestX test
        Function Testing
    ";
    same(&definitions(&read(SourceLanguage::Go, source)), want);
}

#[test]
fn signatures_and_docs() {
    let source = r#"
// Package main is.
package main

// Svc does.
//
// More.
type Svc struct {
	// The repo.
	repo *Repo `json:"x"`
}

// Run runs.
func (s *Svc) Run(
	ctx context.Context,
) (err error) {
}
"#;
    let want = r#"
        package main -- Package main is.
        type Svc struct -- Svc does.
        repo *Repo `json:"x"` -- The repo.
        func (s *Svc) Run(ctx context.Context) (err error) -- Run runs.
    "#;
    same(&signatures(&read(SourceLanguage::Go, source)), want);
}

#[test]
fn names_of_a_function_are_not_references() {
    let source = "
package main
func f[K comparable](a int, rest ...Item) (err error) {
	b := a
	x := x
	for i, it := range rest { it.Go(i) }
	if v, ok := m[b]; ok { v.Run() } else { err = v }
	switch t := any.(type) { case *Foo: t.bar() }
	g := func(q Foo) { q.go2(x) }
	select { case c := <-ch: use(c) }
	var z, w = 1, K(2)
	g(z + w)
	return
}
";
    let want = "
        f type comparable
        f type int
        f type Item
        f type error
        f value x
        f call ?.Go
        f value m
        f call ?.Run
        f value any
        f type Foo
        f call ?.bar
        f type Foo
        f call <Foo>.go2
        f value ch
        f call use
    ";
    same(&references(&read(SourceLanguage::Go, source)), want);
}

#[test]
fn what_stands_before_a_name_is_told() {
    let source = "
package main
type S struct { repo *Repo; other pkg.Other }
func (s *S) F(ctx context.Context) {
	s.g()
	s.repo.Find()
	s.other.Go()
	ctx.Done()
	u := &User{Name: s.x}
	u.Save()
	v := pkg.Thing{}
	v.Go()
	n := new(Foo)
	n.Go()
	fmt.Println(A)
	make2().Go()
	x.(*Bar).Go()
}
";
    let want = "
        S.repo type Repo
        S.other value pkg
        S.other type pkg.Other
        S.F type S
        S.F value context
        S.F type context.Context
        S.F call self.g
        S.F value self.repo
        S.F call <Repo>.Find
        S.F value self.other
        S.F call <pkg.Other>.Go
        S.F call <context.Context>.Done
        S.F call User
        S.F value <User>.Name
        S.F value self.x
        S.F call <User>.Save
        S.F value pkg
        S.F call pkg.Thing
        S.F call <pkg.Thing>.Go
        S.F call new
        S.F type Foo
        S.F call <Foo>.Go
        S.F value fmt
        S.F call fmt.Println
        S.F value A
        S.F call make2
        S.F call <make2()>.Go
        S.F value x
        S.F type Bar
        S.F call <Bar>.Go
    ";
    same(&references(&read(SourceLanguage::Go, source)), want);
}

#[test]
fn imports_in_all_forms() {
    let source = r#"
package main
import (
	"fmt"
	log "github.com/x/logrus"
	. "math"
	_ "embed"
	"gopkg.in/yaml.v3"
	"example.com/mod/v2"
)
import "single"
"#;
    let want = "
        fmt as fmt
        github.com/x/logrus as log
        all of math
        embed
        gopkg.in/yaml.v3 as yaml
        example.com/mod/v2 as mod
        single as single
    ";
    same(&imports(&read(SourceLanguage::Go, source)), want);
}

#[test]
fn types_of_outer_variables_are_known() {
    let source = "
package main
var pool *Pool
func f() { pool.Get() }
";
    let want = "
        pool type Pool
        f value pool
        f call <Pool>.Get
    ";
    same(&references(&read(SourceLanguage::Go, source)), want);
}

#[test]
fn a_function_with_type_arguments_is_called() {
    let source = "
package main
func f() { New[int](1, 2); series.New[int](1) }
";
    let found = references(&read(SourceLanguage::Go, source));
    for call in ["f call New", "f call series.New"] {
        assert!(found.iter().any(|it| it == call), "{call} is not in {found:?}");
    }
}
