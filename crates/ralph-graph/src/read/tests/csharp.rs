//! C#.

use crate::language::SourceLanguage;
use crate::read::printed::{definitions, imports, read, references, same, signatures};

#[test]
fn declarations_are_defined() {
    let source = "
namespace A.B;
public class Svc<T> : Base<T> {
    private readonly IRepo _repo;
    int implicitly_private;
    public const int Max = 3;
    public event EventHandler Changed;
    public string Name { get; set; }
    public delegate void Handler(int a);
    public Svc(IRepo repo) : base(repo) { }
    ~Svc() { }
    public static Svc operator +(Svc a, Svc b) => a;
    public int this[int i] { get { return 1; } }
    public void Load() { int Local(int q) => q; var x = 1; }
    [Fact] public void Works() { }
    public enum Color { Red, Green = 2 }
    public struct S { }
    public record R(int X, Repo Y);
    public interface I { void M(); int P { get; } }
}
";
    let want = "
        Module A.B
        Class A.B.Svc
        Field A.B.Svc._repo file
        Field A.B.Svc.implicitly_private file
        Constant A.B.Svc.Max
        Field A.B.Svc.Changed
        Field A.B.Svc.Name
        Alias A.B.Svc.Handler
        Method A.B.Svc.Svc
        Method A.B.Svc.~Svc file
        Method A.B.Svc.operator+
        Method A.B.Svc.this
        Method A.B.Svc.Load
        Function A.B.Svc.Load.Local file
        Method A.B.Svc.Works test
        Enum A.B.Svc.Color
        Variant A.B.Svc.Color.Red
        Variant A.B.Svc.Color.Green
        Struct A.B.Svc.S
        Struct A.B.Svc.R
        Field A.B.Svc.R.X
        Field A.B.Svc.R.Y
        Interface A.B.Svc.I
        Method A.B.Svc.I.M
        Field A.B.Svc.I.P
    ";
    same(&definitions(&read(SourceLanguage::CSharp, source)), want);
}

#[test]
fn uses_and_locals_are_told_apart() {
    let source = r#"
[Serializable]
public class Svc<T> : Base<T>, IFoo, Ns.IBar where T : Foo {
    private readonly IRepo _repo;
    public int Total => _repo.Count(x => x.Ok);
    public Task<User> Load(int id, Thing thing) {
        var u = new User { Name = Max, Age = id };
        u.Save();
        thing.Go();
        this.Name.Trim();
        base.Load();
        _repo?.Find(id);
        foreach (var k in u.Items) { k.Go(); }
        if (u is Admin a) a.Ban();
        if (int.TryParse("1", out var p)) Use(p);
        try { } catch (FooException e) when (e.Ok) { Log(e); }
        var q = from r in u.All where r.Ok select r.Name;
        Console.WriteLine($"{u.Name} {Max}");
        return typeof(Foo);
    }
}
"#;
    let want = "
        Svc applies Serializable
        Svc extends Base
        Svc implements IFoo
        Svc type Ns
        Svc implements Ns.IBar
        Svc type Foo
        Svc._repo type IRepo
        Svc.Total value _repo
        Svc.Total call <IRepo>.Count
        Svc.Total value ?.Ok
        Svc.Load type Task
        Svc.Load type User
        Svc.Load type Thing
        Svc.Load call User
        Svc.Load value <User>.Name
        Svc.Load value Max
        Svc.Load value <User>.Age
        Svc.Load call <User>.Save
        Svc.Load call <Thing>.Go
        Svc.Load value self.Name
        Svc.Load call ?.Trim
        Svc.Load call super.Load
        Svc.Load value _repo
        Svc.Load call <IRepo>.Find
        Svc.Load value <User>.Items
        Svc.Load call ?.Go
        Svc.Load type Admin
        Svc.Load call <Admin>.Ban
        Svc.Load call ?.TryParse
        Svc.Load call Use
        Svc.Load type FooException
        Svc.Load value <FooException>.Ok
        Svc.Load call Log
        Svc.Load value <User>.All
        Svc.Load value ?.Ok
        Svc.Load value ?.Name
        Svc.Load value Console
        Svc.Load call Console.WriteLine
        Svc.Load value <User>.Name
        Svc.Load value Max
        Svc.Load type Foo
    ";
    same(&references(&read(SourceLanguage::CSharp, source)), want);
}

#[test]
fn documentation_in_xml_is_read() {
    let source = r#"
/// <summary>
/// A service.
/// </summary>
[Serializable]
public partial class Svc : Base {
    /// <summary>The name.</summary>
    [Key] public string Name { get; set; } = "x";
    public int Total => 1;
}
"#;
    let want = "
        public partial class Svc : Base -- A service.
        public string Name -- The name.
        public int Total
    ";
    same(&signatures(&read(SourceLanguage::CSharp, source)), want);
}

#[test]
fn imports_in_all_forms() {
    let source = "
using System;
global using Everywhere;
using static System.Math;
using X = Foo.Bar;
";
    let want = "
        all of System
        all of Everywhere on
        all of System.Math
        Bar of Foo as X
    ";
    same(&imports(&read(SourceLanguage::CSharp, source)), want);
}
