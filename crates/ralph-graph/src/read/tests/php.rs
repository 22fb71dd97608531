//! PHP.

use crate::language::SourceLanguage;
use crate::read::printed::{definitions, imports, read, references, same};

#[test]
fn declarations_are_defined() {
    let source = r"
<?php
namespace App\Svc;
const TOP = 1;
define('GLOBAL_C', 2);
#[Attr(1)]
final class Svc extends Base {
    const A = 1;
    private ?Repo $repo = null;
    public static int $count = 0, $two;
    public function __construct(private User $user, int $x = TOP) {}
    abstract protected function abs(): void;
}
interface I { public function m(); }
trait T { protected $p; }
enum Suit: string { case Hearts = 'H'; public function label() {} }
function free(array $a) { $local = 1; }
class FooTest extends TestCase { public function testIt() {} }
$global = 1;
";
    let want = r"
        Module App\Svc
        Constant App\Svc.TOP
        Constant App\Svc.GLOBAL_C
        Class App\Svc.Svc
        Constant App\Svc.Svc.A
        Field App\Svc.Svc.repo file
        Field App\Svc.Svc.count
        Field App\Svc.Svc.two
        Method App\Svc.Svc.__construct
        Field App\Svc.Svc.user file
        Method App\Svc.Svc.abs
        Interface App\Svc.I
        Method App\Svc.I.m
        Interface App\Svc.T
        Field App\Svc.T.p
        Enum App\Svc.Suit
        Variant App\Svc.Suit.Hearts
        Method App\Svc.Suit.label
        Function App\Svc.free
        Class App\Svc.FooTest test
        Method App\Svc.FooTest.testIt test
        Variable App\Svc.global
    ";
    same(&definitions(&read(SourceLanguage::Php, source)), want);
}

#[test]
fn uses_and_locals_are_told_apart() {
    let source = r#"
<?php
class Svc extends Base implements IFoo, \Ns\IBar {
    use LogTrait;
    private ?Repo $repo;
    public function __construct(private User $user) { $this->made = new Made(); parent::__construct(); }
    public function load(User $u): ?Baz {
        $u->save();
        $this->repo->find(self::A, static::$count);
        $this->made->go();
        $b = new Baz();
        $b->go();
        helper(1);
        \strlen("x");
        Foo::make()->x();
        foreach ($u->items as $k => $i) { $i->go($k); }
        try {} catch (MyEx $e) { $e->m(); }
        $f = fn($q) => $q->z(TOP);
        if ($u instanceof Admin) {}
        return $this->user?->get(named: User::class);
    }
}
"#;
    let want = r"
        Svc extends Base
        Svc implements IFoo
        Svc implements \Ns.IBar
        Svc implements LogTrait
        Svc.repo type Repo
        Svc.__construct type User
        Svc.__construct value self.made
        Svc.__construct call Made
        Svc.__construct call super.__construct
        Svc.load type User
        Svc.load type Baz
        Svc.load call <User>.save
        Svc.load value self.repo
        Svc.load call <Repo>.find
        Svc.load value self.A
        Svc.load value self.count
        Svc.load value self.made
        Svc.load call <Made>.go
        Svc.load call Baz
        Svc.load call <Baz>.go
        Svc.load call helper
        Svc.load call strlen
        Svc.load type Foo
        Svc.load call Foo.make
        Svc.load call ?.x
        Svc.load value <User>.items
        Svc.load call ?.go
        Svc.load type MyEx
        Svc.load call <MyEx>.m
        Svc.load call ?.z
        Svc.load value TOP
        Svc.load type Admin
        Svc.load value self.user
        Svc.load call <User>.get
        Svc.load type User
    ";
    same(&references(&read(SourceLanguage::Php, source)), want);
}

#[test]
fn imports_in_all_forms() {
    let source = r"
<?php
use App\Models\User;
use App\{Foo, Bar as Baz, Sub\Qux};
use function App\helper;
use Single;
require_once __DIR__ . '/lib.php';
";
    let want = r"
        User of App\Models
        Foo of App
        Bar of App as Baz
        Qux of App\Sub
        helper of App
        Single as Single
        all of /lib.php on
    ";
    same(&imports(&read(SourceLanguage::Php, source)), want);
}
