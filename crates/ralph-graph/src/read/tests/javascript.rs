//! `JavaScript`.

use crate::language::SourceLanguage;
use crate::read::printed::{definitions, imports, read, references, same};

#[test]
fn old_and_new_ways_to_define_are_known() {
    let source = "
const express = require('express');
class Comp extends React.Component { state = {}; constructor() { super(); this.x = new Foo(); } }
Foo.prototype.bar = function (x) {};
exports.thing = function () {};
exports.value = 3;
module.exports = { Comp, other: () => 1, short() {} };
function* gen() {}
var handler = function named() {};
export default () => 1;
";
    let want = "
        Class Comp
        Field Comp.state
        Method Comp.constructor
        Field Comp.x
        Method Foo.bar
        Function exports.thing
        Variable exports.value
        Function exports.other
        Function exports.short
        Function gen file
        Function handler file
        Function default
    ";
    same(&definitions(&read(SourceLanguage::JavaScript, source)), want);
}

#[test]
fn elements_call_components() {
    let source = "
const Page = ({ title }) => <div onClick={go}><Child a={title} /><N.M>{list.map(i => <Item key={i}/>)}</N.M></div>;
";
    let want = "
        Page value go
        Page call Child
        Page value N
        Page call N.M
        Page value list
        Page call list.map
        Page call Item
    ";
    same(&references(&read(SourceLanguage::JavaScript, source)), want);
}

#[test]
fn required_modules_are_imports() {
    let source = "
const express = require('express');
const { a, b: c } = require('./ab');
require('./side');
function f() { const late = require('late'); late.go(); }
";
    let want = "
        express as express
        a of ./ab
        b of ./ab as c
        ./side
        late as late
    ";
    same(&imports(&read(SourceLanguage::JavaScript, source)), want);
}
