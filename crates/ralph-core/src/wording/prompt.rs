//! Assembles the prompt of a turn: everything that an agent reads.

use crate::claim::{ClaimRules, MatchMode};
use crate::locale::Locale;
use crate::policy::{AddedTests, ContextMode, Criterion, GateImportance, GateSpec, Policy, Trust};
use crate::prompt::{PromptSections, paragraphs};
use crate::run::Run;
use crate::template;

/// Number of characters of the task that are repeated to an agent that still remembers it.
const TASK_CHARS: usize = 300;

/// Returns the continuation prompt of a loop without gates.
///
/// Placeholders: `ITERATION`, `MAX`, `PROMISE`, `SIGNAL` (the text to write when
/// done), `FEEDBACK`, `PROMPT`, `TARGETS`, `CHECKS`.
pub fn continuation_template(locale: Locale) -> &'static str {
    let text = locale.say(include_str!("continuation.en.txt"), include_str!("continuation.ko.txt"));
    text.trim_end()
}

/// Returns the text that signals completion; `None` if nothing would count.
pub fn signal(rules: &ClaimRules) -> Option<String> {
    match (&rules.promise, rules.mode) {
        (Some(promise), MatchMode::Tag) => Some(format!("<promise>{}</promise>", promise.as_str())),
        (Some(promise), MatchMode::Word | MatchMode::Contains) => Some(promise.as_str().to_owned()),
        (None, _) => rules.markers.first().map(|marker| marker.as_str().to_owned()),
    }
}

/// Builder for the prompt of the next turn of a run.
#[derive(Clone, Debug)]
#[must_use]
pub struct NextPrompt<'a> {
    run: &'a Run,
    template: Option<&'a str>,
    task: TaskForm,
    summary: String,
    notes: String,
}

/// The part of the task that is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TaskForm {
    /// All of it, with the way it is judged.
    Whole,
    /// Its beginning: the agent still remembers the rest.
    Beginning,
}

impl<'a> NextPrompt<'a> {
    /// Creates a prompt for an agent that may remember nothing.
    pub fn new(run: &'a Run) -> Self {
        let (summary, notes) = (String::new(), String::new());
        Self { run, template: None, task: TaskForm::Whole, summary, notes }
    }

    /// Creates a prompt for an agent whose conversation continues. The host shows
    /// it again, so it is short even if the task is long.
    pub fn in_conversation(run: &'a Run) -> Self {
        Self { task: TaskForm::Beginning, ..Self::new(run) }
    }

    /// Uses the user's own template, if there is one.
    pub fn with_template(self, template: Option<&'a str>) -> Self {
        Self { template, ..self }
    }

    /// Adds a summary of earlier turns before the prompt.
    pub fn with_summary(self, summary: String) -> Self {
        Self { summary, ..self }
    }

    /// Adds notes before the prompt.
    pub fn with_notes(self, notes: String) -> Self {
        Self { notes, ..self }
    }

    /// Renders the whole text.
    pub fn render(&self) -> String {
        let policy = &self.run.policy;
        let prompt = match self.template {
            _ if self.run.feedback.is_empty() => match self.task {
                TaskForm::Whole => first_prompt(self.run),
                TaskForm::Beginning => self.reminder(),
            },
            Some(template) => self.fill(template, &self.run.feedback.text()),
            None if policy.trust == Trust::Claim => self.claim_form(),
            None => self.short_form(""),
        };
        // Stable parts come first, so that providers can cache them.
        paragraphs([self.notes.trim_end(), self.summary.trim_end(), &prompt])
    }

    /// Renders a prompt for an agent that may have forgotten its loop.
    pub fn reminder(&self) -> String {
        let id = &self.run.id;
        let intro = self.run.policy.locale.say(
            format!("Loop {id} goes on in this session."),
            format!("이 세션에서 루프 {id}이(가) 계속됩니다."),
        );
        self.short_form(&intro)
    }

    /// Fills the template of the reference, without the line that asks for a signal
    /// if none counts.
    fn claim_form(&self) -> String {
        let policy = &self.run.policy;
        let signal = signal(&policy.claim);
        let lines = continuation_template(policy.locale).lines();
        let lines = lines.filter(|line| signal.is_some() || !line.contains("{{SIGNAL}}"));
        let feedback = paragraphs([&*self.run.feedback.text(), self.past_conversations()]);
        let prompt = self.fill(&lines.collect::<Vec<_>>().join("\n"), &feedback);
        let whole = self.task == TaskForm::Whole;
        let added = whole.then(|| [targets(self.run), checks(policy)]).into_iter().flatten();
        let added: Vec<String> = added.flatten().collect();
        paragraphs(std::iter::once(&*prompt).chain(added.iter().map(String::as_str)))
    }

    fn fill(&self, template: &str, feedback: &str) -> String {
        let policy = &self.run.policy;
        let promise = policy.claim.promise.as_ref().map_or("", |promise| promise.as_str());
        template::render(
            template,
            &[
                ("ITERATION", &self.run.iteration.to_string()),
                ("MAX", &policy.limits.iterations.to_string()),
                ("PROMISE", promise),
                ("SIGNAL", &signal(&policy.claim).unwrap_or_default()),
                ("FEEDBACK", feedback),
                ("PROMPT", &self.task_text()),
                ("TARGETS", &targets(self.run).unwrap_or_default()),
                ("CHECKS", &checks(policy).unwrap_or_default()),
            ],
        )
    }

    /// Renders a status line, the findings, and how to continue. Counts make a
    /// status line of their own.
    fn short_form(&self, intro: &str) -> String {
        let run = self.run;
        let PromptSections { verdict, findings, answer, refusals, notes, past } = &run.feedback;
        let (number, most) = (run.iteration, run.policy.limits.iterations);
        let tag = run.policy.locale.say(
            format!("[ralph, turn {number} of {most}]"),
            format!("[ralph, 턴 {number}/{most}]"),
        );
        let is_counted = run.policy.counts_diagnostics() && !verdict.is_empty();
        let head = match (is_counted, intro.is_empty()) {
            (true, true) => verdict.clone(),
            (true, false) => format!("{tag} {intro}\n\n{verdict}"),
            (false, true) => format!("{tag} {verdict}"),
            (false, false) => format!("{tag} {intro} {verdict}").trim_end().to_owned(),
        };
        let is_whole = self.task == TaskForm::Whole;
        let closing = [
            (!past.is_empty()).then(|| past.clone()),
            self.call_for_signal(),
            targets(run).filter(|_| is_whole),
            self.other_checks().filter(|_| is_whole),
            Some(self.task_line()),
        ];
        let closing = closing.into_iter().flatten().collect::<Vec<_>>().join("\n");
        paragraphs([&*head, findings, answer, refusals, notes, &closing])
    }

    /// Asks for the signal of completion, unless the verdict names it.
    fn call_for_signal(&self) -> Option<String> {
        let policy = &self.run.policy;
        let signal = signal(&policy.claim)?;
        if self.run.feedback.verdict.contains(&signal) {
            return None;
        }
        let when = match (policy.trust, policy.gates.len()) {
            (Trust::Claim, _) => policy.locale.say("When it is done", "작업이 끝나면"),
            (Trust::Evidence, 1) => policy.locale.say("When it passes", "통과하면"),
            (Trust::Evidence, _) => {
                policy.locale.say("When all checks pass", "모든 검사를 통과하면")
            }
        };
        Some(policy.locale.say(
            format!("{when}, end your reply with {signal}."),
            format!("{when} 답변 끝에 {signal} 를 출력하세요."),
        ))
    }

    /// Lists the checks that the findings do not name.
    fn other_checks(&self) -> Option<String> {
        let Run { policy, feedback, .. } = self.run;
        let others: Vec<String> = policy
            .gates
            .iter()
            .map(gate_name)
            .filter(|name| !feedback.findings.contains(name))
            .collect();
        let others = (!others.is_empty()).then(|| others.join(", "))?;
        Some(
            policy.locale.say(format!("Also checked: {others}"), format!("그 밖의 검사: {others}")),
        )
    }

    fn task_line(&self) -> String {
        let label = self.run.policy.locale.say("Task", "작업");
        match self.past_conversations() {
            "" => format!("{label}: {}", self.task_text()),
            past => format!("{past}\n{label}: {}", self.task_text()),
        }
    }

    /// Explains past turns to an agent that starts a new conversation each turn.
    fn past_conversations(&self) -> &'static str {
        match self.run.policy.context {
            ContextMode::Fresh => self.run.policy.locale.say(
                "Earlier turns worked on this task; their results are in the files.",
                "이전 턴들이 이 작업을 진행했으며 그 결과는 파일에 있습니다.",
            ),
            ContextMode::Auto | ContextMode::Same | ContextMode::Summarize => "",
        }
    }

    fn task_text(&self) -> String {
        let text = &self.run.task.text;
        match (self.task, text.char_indices().nth(TASK_CHARS)) {
            (TaskForm::Beginning, Some((end, _))) => format!("{}…", &text[..end]),
            (TaskForm::Beginning | TaskForm::Whole, _) => text.clone(),
        }
    }
}

/// Renders the prompt of the first turn: the task verbatim, then how it will be judged.
pub fn first_prompt(run: &Run) -> String {
    run.task.text.clone() + &rules(run)
}

/// Renders the text that is appended to the task in the first turn.
pub fn rules(run: &Run) -> String {
    let sections = [targets(run), checks(&run.policy), wish_for_tests(run)].into_iter().flatten();
    let sections: Vec<String> = sections.map(|section| format!("\n\n{section}")).collect();
    sections.concat() + &instruction(&run.policy)
}

/// Asks for the signal, in the form appended to a first message.
fn instruction(policy: &Policy) -> String {
    let Some(signal) = signal(&policy.claim) else { return String::new() };
    match (policy.locale, policy.claim.mode) {
        (Locale::Ko, _) => {
            format!("\n\n(중요: 모든 작업이 완료되면 반드시 '{signal}'을 출력하세요.)")
        }
        (Locale::En, MatchMode::Tag) => format!(
            "\n\n(Important: when all the work is complete, end your reply with {signal} on a line of its own.)"
        ),
        (Locale::En, MatchMode::Word | MatchMode::Contains) => {
            format!("\n\n(Important: when all the work is complete, output '{signal}'.)")
        }
    }
}

fn targets(run: &Run) -> Option<String> {
    let label = run.policy.locale.say("Files in question", "대상 파일");
    (!run.task.targets.is_empty()).then(|| format!("{label}: {}", run.task.targets.join(", ")))
}

/// Asks for a test if no check can show that the task is done.
fn wish_for_tests(run: &Run) -> Option<String> {
    let policy = &run.policy;
    let has_tests = policy.gates.iter().any(|gate| gate.criterion == Criterion::TestPass);
    let is_green = run.baseline.as_ref().is_some_and(|baseline| baseline.red.is_empty());
    let is_wanted = policy.trust == Trust::Evidence && policy.tests.added == AddedTests::Expect;
    let text = policy.locale.say(
        "They all pass already. If your work changes what the program does, add a test that \
         fails without it.",
        "모두 이미 통과하고 있습니다. 프로그램의 동작을 바꾸는 작업이라면, 그 변경 없이는 실패하는 \
         테스트를 추가하세요.",
    );
    (has_tests && is_green && is_wanted).then(|| text.to_owned())
}

fn checks(policy: &Policy) -> Option<String> {
    let intro = match policy.trust {
        Trust::Evidence => policy.locale.say(
            "These checks are run for you after every turn, and the work counts as done only when they pass:",
            "다음 검사는 매 턴이 끝난 뒤 자동으로 실행되며, 모두 통과해야 작업이 완료된 것으로 인정됩니다:",
        ),
        Trust::Claim => policy.locale.say(
            "These checks are run for you after every turn:",
            "다음 검사는 매 턴이 끝난 뒤 자동으로 실행됩니다:",
        ),
    };
    let gates: Vec<String> = policy
        .gates
        .iter()
        .map(|gate| {
            let remark = match gate.need {
                GateImportance::Required => "",
                GateImportance::Advisory => {
                    policy.locale.say(" (for information only)", " (참고용)")
                }
            };
            format!("- {}: `{}`{remark}", gate.name, gate.command.display())
        })
        .collect();
    (!gates.is_empty()).then(|| format!("{intro}\n{}", gates.join("\n")))
}

/// Renders a gate with its command, as all prompts do.
fn gate_name(gate: &GateSpec) -> String {
    format!("{} (`{}`)", gate.name, gate.command.display())
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
