//! Agents that misbehave, and the outcome that must follow.
//!
//! Every agent is a shell script. What it keeps for the test goes into
//! `$OUTSIDE`, because a file in the project would count as work.

mod claims;
mod endings;
mod gates;
mod leftovers;
mod limits;
mod processes;
mod prompts;

/// Says that all is done, as the default rules want it.
const CLAIM: &str = "echo '<promise>DONE</promise>'";

/// Keeps every prompt as `prompt-N` outside the project.
const KEEP_PROMPT: &str = "cat > $OUTSIDE/prompt-$RALPH_ITERATION";

/// A reply that differs from turn to turn and claims nothing.
const TALK: &str = "echo Turn $RALPH_ITERATION: I looked around.";

/// Lines of a shell script.
fn script(lines: &[&str]) -> String {
    lines.join("\n")
}
