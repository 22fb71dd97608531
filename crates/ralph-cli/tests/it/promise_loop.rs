//! A bare promise loop: the claim ends it.

use crate::{git, plain};

#[test]
fn a_tag_split_by_white_space_and_line_breaks_is_a_claim() {
    let project = plain();
    project.agent("printf 'All done.\\n\\n<PROMISE>\\n  DONE \\n</promise>\\n\\n'");
    let _ = project.run_json("do it", &[]).exits(0).ends("success/claimed", 1);
}

#[test]
fn the_agent_is_asked_again_until_it_claims() {
    let project = git();
    project.agent("echo turn $RALPH_ITERATION; [ $RALPH_ITERATION = 3 ] && echo '<promise>DONE</promise>' || true");
    let _ = project.run_json("do it", &[]).exits(0).ends("success/claimed", 3);
}
