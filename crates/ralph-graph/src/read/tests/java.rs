//! Java.

use crate::language::SourceLanguage;
use crate::read::printed::{definitions, imports, read, references, same, signatures};

#[test]
fn declarations_are_defined() {
    let source = r#"
package com.foo.bar;
public class A<T> extends Base<T> {
    private final Repo repo;
    public static final int MAX = 3, MIN = init();
    public A(Repo repo) {}
    void run() { class Local {} new Thread() { public void run() {} }; }
    @Test void works() {}
    enum Color { RED(1), GREEN { void f() {} }; Color(int c) {} }
    record P(int x, Repo r) { P { } }
    interface I { int C = 1; void m(); }
    @interface Ann { String value() default "x"; }
}
"#;
    let want = "
        Module com.foo.bar
        Class A
        Field A.repo file
        Constant A.MAX
        Constant A.MIN
        Method A.A
        Method A.run
        Class A.run.Local file
        Method A.run.run file
        Method A.works test
        Enum A.Color
        Variant A.Color.RED
        Variant A.Color.GREEN
        Method A.Color.GREEN.f
        Method A.Color.Color
        Struct A.P
        Field A.P.x
        Field A.P.r
        Method A.P.P
        Interface A.I
        Constant A.I.C
        Method A.I.m
        Interface A.Ann
        Method A.Ann.value
    ";
    same(&definitions(&read(SourceLanguage::Java, source)), want);
}

#[test]
fn signatures_and_docs() {
    let source = r#"
/**
 * A service.
 */
@Service("x")
public class A extends B implements C {
    /** Runs. */
    @Override
    public void run(int a,
                    int b) throws E {}
    @Autowired private List<User> users;
}
"#;
    let want = "
        public class A extends B implements C -- A service.
        public void run(int a, int b) throws E -- Runs.
        private List<User> users
    ";
    same(&signatures(&read(SourceLanguage::Java, source)), want);
}

#[test]
fn uses_and_locals_are_told_apart() {
    let source = "
class A extends Base<T> implements Runnable, pkg.Other {
    private Repo repo;
    <R> void run(User u, R r) {
        repo.find(MAX);
        this.repo.find();
        u.save();
        var v = new Foo();
        v.go();
        for (User x : users) { x.go(); }
        users.forEach(q -> q.hi(u));
        users.map(User::getName);
        try (In in = open()) { in.r(); } catch (IOException e) { e.p(); }
        super.run();
        Util.stat(1);
        if (u instanceof Admin a) { a.ban(); }
        outer: while (true) break outer;
    }
}
";
    let want = "
        A extends Base
        A type T
        A implements Runnable
        A type pkg
        A implements pkg.Other
        A.repo type Repo
        A.run type User
        A.run value repo
        A.run call <Repo>.find
        A.run value MAX
        A.run value self.repo
        A.run call <Repo>.find
        A.run call <User>.save
        A.run call Foo
        A.run call <Foo>.go
        A.run type User
        A.run value users
        A.run call <User>.go
        A.run value users
        A.run call users.forEach
        A.run call ?.hi
        A.run value users
        A.run call users.map
        A.run value User
        A.run value User.getName
        A.run type In
        A.run call open
        A.run call <In>.r
        A.run type IOException
        A.run call <IOException>.p
        A.run call super.run
        A.run value Util
        A.run call Util.stat
        A.run type Admin
        A.run call <Admin>.ban
    ";
    same(&references(&read(SourceLanguage::Java, source)), want);
}

#[test]
fn imports_in_all_forms() {
    let source = "
import java.util.List;
import java.util.*;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.*;
";
    let want = "
        List of java.util
        all of java.util
        assertEquals of org.junit.Assert
        all of org.junit.Assert
    ";
    same(&imports(&read(SourceLanguage::Java, source)), want);
}
