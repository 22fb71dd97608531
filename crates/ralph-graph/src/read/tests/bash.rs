//! Bash.

use crate::language::SourceLanguage;
use crate::read::printed::{definitions, imports, read, references, same};

#[test]
fn functions_and_outer_variables_are_defined() {
    let source = r#"
#!/usr/bin/env bash
readonly VERSION=1
export PATH_X="/a:$PATH"
declare -a items=(1 2)
count=0
count=1
greet() { local name=$1; inner=2; }
function main { FOO=1 run_it; }
if true; then late=1; fi
"#;
    let want = "
        Constant VERSION
        Constant PATH_X
        Variable items
        Variable count
        Function greet
        Function main
        Variable late
    ";
    same(&definitions(&read(SourceLanguage::Bash, source)), want);
}

#[test]
fn uses_and_locals_are_told_apart() {
    let source = r#"
count=0
greet() { local name=$1 other; echo "$name $VERSION ${other} $(helper "$count")"; count=1; for i in a b; do use $i; done; }
main "$@"
"#;
    let want = "
        greet call echo
        greet value VERSION
        greet call helper
        greet value count
        greet value count
        greet call use
        - call main
    ";
    same(&references(&read(SourceLanguage::Bash, source)), want);
}

#[test]
fn sourced_files_give_everything() {
    let source = r#"
source ./lib.sh
. "$DIR/other.sh"
"#;
    let want = "
        all of ./lib.sh on
        all of $DIR/other.sh on
    ";
    same(&imports(&read(SourceLanguage::Bash, source)), want);
}

#[test]
fn uses_are_in_the_order_of_the_text() {
    let source = "
A=$first B=$second run $third
";
    let want = "
        - value first
        - value second
        - call run
        - value third
    ";
    same(&references(&read(SourceLanguage::Bash, source)), want);
}
