//! `TypeScript`.

use crate::language::SourceLanguage;
use crate::read::printed::{definitions, imports, read, references, same, signatures};

#[test]
fn declarations_are_defined() {
    let source = r#"
export abstract class Svc<T> extends Base<T> {
  private items = new Map();
  static count = 0;
  #hidden = 1;
  constructor(private readonly repo: Repo, x: number) { super(); this.extra = 1; this.items = x; }
  get size() { return 1; }
  abstract foo(): void;
  over(a: string): void;
  over(a: any) { const helper = () => 1; let plain = 1; }
  [Symbol.iterator]() {}
}
interface IFoo { a: string; m(x: number): void; [key: string]: any }
enum Color { Red, Green = "g" }
type Obj = { field: string };
namespace N.M { export function inner() {} }
declare module "ext" { export function f(x: number): string; }
declare function dec(a: number): void;
function hidden() {}
export const arrow = async (x: T) => {};
export const MAX = 10, obj = { meth() {}, fn: (q) => q, val: 3 };
let counter = 0;
const { left, right: [renamed] } = pair;
export default function main() {}
const cls = class { m() {} };
export { counter };
describe("math", () => { it('adds', () => { const x = 1; }); });
"#;
    let want = "
        Class Svc
        Field Svc.items file
        Field Svc.count
        Field Svc.#hidden file
        Method Svc.constructor
        Field Svc.repo file
        Field Svc.extra
        Method Svc.size
        Method Svc.foo
        Method Svc.over
        Function Svc.over.helper file
        Interface IFoo file
        Field IFoo.a
        Method IFoo.m
        Enum Color file
        Variant Color.Red
        Variant Color.Green
        Alias Obj file
        Field Obj.field
        Module N.M file
        Function N.M.inner
        Module ext file
        Function ext.f
        Function dec file
        Function hidden file
        Function arrow
        Constant MAX
        Constant obj
        Method obj.meth
        Method obj.fn
        Variable counter
        Constant left file
        Constant renamed file
        Function main
        Class cls file
        Method cls.m
        Function math nowhere test
        Function math.adds nowhere test
    ";
    same(&definitions(&read(SourceLanguage::TypeScript, source)), want);
}

#[test]
fn signatures_and_docs() {
    let source = "
/**
 * A service.
 * @see other
 */
@Injectable({ x: 1 })
export class Svc<T> extends Base {
  // The name.
  @Input() name?: string;
  async load(
    id: string,
  ): Promise<User> {}
}
export const arrow = async (x: T): Promise<void> => { x };
";
    let want = "
        export class Svc<T> extends Base -- A service.
        @Input() name?: string -- The name.
        async load(id: string): Promise<User>
        export const arrow = async (x: T): Promise<void>
    ";
    same(&signatures(&read(SourceLanguage::TypeScript, source)), want);
}

#[test]
fn names_of_a_function_are_not_references() {
    let source = "
function f<T>(a: T, { b, c: [d = fallback] }: P, ...rest: Q[]) {
  var hoisted = a;
  if (b) { let inner = d; const { x, ...others } = inner; use(x, others); }
  for (const k of rest) { k }
  for (let i = 0; i < max; i++) {}
  try {} catch (e) { log(e) }
  const local = (z: Foo) => z.run(hoisted);
  local(free);
  return typeof glob;
}
type Cond<T> = T extends Array<infer U> ? U : { [K in keyof T]: Foo<K> };
";
    let want = "
        f value fallback
        f type P
        f type Q
        f call use
        f value max
        f call log
        f.local type Foo
        f.local call <Foo>.run
        f call local
        f value free
        f value glob
        Cond type Array
        Cond type Foo
    ";
    same(&references(&read(SourceLanguage::TypeScript, source)), want);
}

#[test]
fn what_stands_before_a_name_is_told() {
    let source = "
class A extends ns.B implements C, D<E> {
  private items: Map<string, number>;
  constructor(private repo: Repo) { super(); }
  f(u: User | null, p: pkg.Thing) {
    this.g();
    this.items.get(1);
    this.repo!.find();
    super.f();
    u.save();
    p.go();
    const made = new Made();
    made.go();
    (made as Other).go();
    new Direct().go();
    path.posix.join();
    any().go();
  }
}
";
    let want = "
        A value ns
        A extends ns.B
        A implements C
        A implements D
        A type E
        A.items type Map
        A.constructor type Repo
        A.f type User
        A.f type pkg
        A.f type pkg.Thing
        A.f call self.g
        A.f value self.items
        A.f call <Map>.get
        A.f value self.repo
        A.f call <Repo>.find
        A.f call super.f
        A.f call <User>.save
        A.f call <pkg.Thing>.go
        A.f call Made
        A.f call <Made>.go
        A.f type Other
        A.f call <Other>.go
        A.f call Direct
        A.f call <Direct>.go
        A.f value path
        A.f value path.posix
        A.f call path.posix.join
        A.f call any
        A.f call ?.go
    ";
    same(&references(&read(SourceLanguage::TypeScript, source)), want);
}

#[test]
fn imports_and_exports_in_all_forms() {
    let source = r#"
import React, { useState as us, Foo } from 'react';
import * as path from "path";
import type { T } from './types';
import './side';
import fs = require("fs");
export * from './all';
export { a as b } from './ab';
export * as ns from './ns';
const lazy = import('./lazy');
export { Foo };
"#;
    let want = "
        default of react as React
        useState of react as us
        Foo of react on
        path as path
        T of ./types
        ./side
        fs as fs
        all of ./all on
        a of ./ab as b on
        ./ns as ns on
        ./lazy as lazy
    ";
    same(&imports(&read(SourceLanguage::TypeScript, source)), want);
}

#[test]
fn types_of_outer_variables_are_known() {
    let source = "
const client = new Client();
let repo: Repo;
function f() { client.get(); repo.find(); }
";
    let want = "
        client call Client
        repo type Repo
        f value client
        f call <Client>.get
        f value repo
        f call <Repo>.find
    ";
    same(&references(&read(SourceLanguage::TypeScript, source)), want);
}
