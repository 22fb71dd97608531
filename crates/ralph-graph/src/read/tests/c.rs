//! C.

use crate::language::SourceLanguage;
use crate::read::printed::{definitions, imports, read, references, same};

#[test]
fn declarations_are_defined() {
    let source = "
#define MAX 10
#define SQ(x) ((x) * (x))
struct point { int x, y; };
struct forward;
enum { ONE, TWO };
enum color { RED };
union u { int a; };
typedef unsigned long ulong_t;
typedef struct { int a; } anonymous;
typedef struct tag { int b; } tag_t;
typedef struct same { int c; } same;
typedef int (*callback)(int, void *);
int table[] = { 1, 2 };
extern int elsewhere;
static const int hidden = 3;
int (*pointer)(int);
struct point *only_announced(void);
int announced(int a);
int announced(int a) { int local = a; return local; }
static inline int helper(void) { return 1; }
";
    let want = "
        Macro MAX
        Macro SQ
        Struct point
        Field point.x
        Field point.y
        Variant ONE
        Variant TWO
        Enum color
        Variant color.RED
        Union u
        Field u.a
        Alias ulong_t
        Struct anonymous
        Field anonymous.a
        Alias tag_t
        Struct tag
        Field tag.b
        Struct same
        Field same.c
        Alias callback
        Variable table
        Variable elsewhere
        Constant hidden file
        Variable pointer
        Function only_announced
        Function announced
        Function helper file
    ";
    same(&definitions(&read(SourceLanguage::C, source)), want);
}

#[test]
fn uses_and_locals_are_told_apart() {
    let source = "
int add(int a, struct point *p) {
    struct point q = { .x = 1 };
    list *l = make();
    for (int i = 0; i < MAX; i++) { a += i; }
    goto end;
end:
    return a + p->x + q.y + l->next + table[0];
}
#ifdef DEBUG
int cond(void) { return DEBUG; }
#endif
";
    let want = "
        add type point
        add type point
        add value ?.x
        add type list
        add call make
        add value MAX
        add value <point>.x
        add value <point>.y
        add value <list>.next
        add value table
        - value DEBUG
        cond value DEBUG
    ";
    same(&references(&read(SourceLanguage::C, source)), want);
}

#[test]
fn includes_give_everything() {
    let source = r#"
#include <stdio.h>
#include "foo/bar.h"
"#;
    let want = "
        all of stdio.h on
        all of foo/bar.h on
    ";
    same(&imports(&read(SourceLanguage::C, source)), want);
}

#[test]
fn a_word_of_the_language_is_never_defined() {
    let source = "
PUBLIC void *(*current_malloc)(size_t) = default_malloc;
PUBLIC int counter = 0;
void work(void) {}
";
    let printed = definitions(&read(SourceLanguage::C, source)).join("\n");
    assert!(!printed.contains(" void") && !printed.contains(" int"), "{printed}");
    assert!(printed.contains("Function work"), "{printed}");
}
