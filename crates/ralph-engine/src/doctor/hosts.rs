//! Checks whether hosts call us, and what prevents it.
//!
//! Everything here judges [`HostFacts`] and calls nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use ralph_agents::Host;
use ralph_agents::host::{CapScope, HOSTS, HostCap};
use ralph_agents::inspection::{CommandState, ForeignLoop, HookCall, SettingsScope};
use ralph_config::{ArmingMoment, render_span};
use ralph_core::host::HostChannel;
use ralph_core::locale::Locale;

use super::DoctorFinding;
use super::facts::{ArmingOrigin, ClientProgram, HostFacts, PluginLoadState};
use crate::install::MOST;

/// Makes the finding for the case that no host calls us.
pub(crate) fn nobody(locale: Locale) -> DoctorFinding {
    let install = |host: &Host| format!("`ralph install {}`", host.name);
    let names: Vec<String> = HOSTS.iter().map(install).collect();
    let names = names.join(locale.say(" or ", " 또는 "));
    let english = format!("ralph is not installed in any host; run {names}");
    let korean = format!("어느 호스트에도 설치되어 있지 않습니다. {names} 을 실행하세요");
    DoctorFinding::remark("hosts", locale.say(english, korean))
}

/// Makes all findings about a host that calls us.
pub(crate) fn judge(facts: &HostFacts) -> Vec<DoctorFinding> {
    let judge = HostExaminer(facts);
    let mut findings = judge.unreadable();
    if !facts.is_installed() {
        return findings;
    }
    findings.push(judge.client());
    findings.extend(judge.plugin());
    findings.extend(judge.loaded());
    findings.extend(judge.hooks());
    findings.extend(judge.events());
    findings.extend(judge.timeouts());
    findings.extend(judge.programs());
    findings.extend(judge.cap());
    findings.extend(judge.arm());
    findings.extend(judge.switched_off());
    findings.extend(judge.commands());
    findings.extend(judge.others());
    findings
}

struct HostExaminer<'a>(&'a HostFacts);

impl HostExaminer<'_> {
    fn fine(&self, detail: String) -> DoctorFinding {
        DoctorFinding::fine(self.0.host.name, detail)
    }

    fn remark(&self, detail: String) -> DoctorFinding {
        DoctorFinding::remark(self.0.host.name, detail)
    }

    fn broken(&self, detail: String) -> DoctorFinding {
        DoctorFinding::broken(self.0.host.name, detail)
    }

    /// Returns the text in the language of the user.
    fn say(&self, english: String, korean: String) -> String {
        self.0.locale.say(english, korean)
    }

    /// Returns the command that repairs the installation.
    fn install(&self, scope: SettingsScope) -> String {
        let flag = match scope {
            SettingsScope::Project => "",
            SettingsScope::User => " --user",
        };
        format!("`ralph install {}{flag}`", self.0.host.name)
    }

    /// Returns the same for the first scope where something of ours is installed.
    fn install_again(&self) -> String {
        let mut places = self.0.places.iter();
        let scope = places.find(|place| place.seen.is_installed()).map(|place| place.scope);
        self.install(scope.unwrap_or(SettingsScope::Project))
    }

    fn unreadable(&self) -> Vec<DoctorFinding> {
        let finding = |text: &String| {
            self.broken(self.say(
                format!("settings: {text}; repair the file"),
                format!("설정: {text}. 파일을 고치세요"),
            ))
        };
        self.0.unreadable.iter().map(finding).collect()
    }

    fn client(&self) -> DoctorFinding {
        match &self.0.client {
            Some(ClientProgram { path, version: Some(version), .. }) => self.fine(self.say(
                format!("client: {} {version}", path.display()),
                format!("클라이언트: {} {version}", path.display()),
            )),
            Some(ClientProgram { path, version: None, .. }) => {
                let path = path.display();
                self.remark(self.say(
                    format!("client: `{path} --version` did not answer; is it whole?"),
                    format!("클라이언트: `{path} --version` 이 답하지 않습니다. 설치를 확인하세요"),
                ))
            }
            None => {
                let program = self.0.host.program;
                self.remark(self.say(
                    format!("client: `{program}` is not on the PATH"),
                    format!("클라이언트: PATH 에 `{program}` 이(가) 없습니다"),
                ))
            }
        }
    }

    /// Checks the plugin that passes events on to us, in a host that needs one.
    fn plugin(&self) -> Vec<DoctorFinding> {
        let again = self.install_again();
        let plugins = self.0.places.iter().filter_map(|place| {
            let file = place.seen.plugin.as_ref()?;
            Some((file.state, place.folder.join(&file.path).display().to_string()))
        });
        let plugins: Vec<(CommandState, String)> = plugins.collect();
        let is_there = |(state, _): &&(CommandState, String)| *state != CommandState::Missing;
        let mut findings: Vec<DoctorFinding> = Vec::new();
        for (state, path) in plugins.iter().filter(is_there) {
            findings.push(match state {
                CommandState::Current => {
                    self.fine(self.say(format!("plugin: {path}"), format!("플러그인: {path}")))
                }
                CommandState::Old | CommandState::Missing => self.remark(self.say(
                    format!("plugin: {path} is of another version; {again} again"),
                    format!("플러그인: {path} 은(는) 다른 버전입니다. {again} 을 다시 실행하세요"),
                )),
                CommandState::Foreign => self.broken(self.say(
                    format!("plugin: {path} is not ours and stays, so ralph hears nothing; rename it and {again} again"),
                    format!("플러그인: {path} 은(는) ralph 의 파일이 아니어서 그대로 둡니다. ralph 는 아무것도 듣지 못하니 이름을 바꾸고 {again} 을 다시 실행하세요"),
                )),
            });
        }
        if findings.is_empty() && !plugins.is_empty() {
            findings.push(self.broken(self.say(
                format!("plugin: it is not there; {again} again"),
                format!("플러그인: 없습니다. {again} 을 다시 실행하세요"),
            )));
        }
        findings
    }

    /// Checks that the client has loaded the plugin.
    fn loaded(&self) -> Option<DoctorFinding> {
        let program = self.0.host.program;
        Some(match self.0.loaded? {
            PluginLoadState::Ago(ago) => {
                let ago = render_span(Duration::from_secs(ago.as_secs()));
                self.fine(self.say(
                    format!("loaded: the client loaded the plugin here {ago} ago"),
                    format!("로드: 클라이언트가 여기에서 {ago} 전에 플러그인을 로드했습니다"),
                ))
            }
            PluginLoadState::Outdated => self.remark(self.say(
                format!("loaded: the plugin is newer than the running client; restart `{program}`"),
                format!("로드: 클라이언트가 시작된 뒤에 플러그인이 바뀌었습니다. `{program}` 을(를) 다시 시작하세요"),
            )),
            PluginLoadState::Never => self.remark(self.say(
                format!("loaded: the client has not loaded the plugin here yet; start `{program}`, without `--pure`"),
                format!("로드: 클라이언트가 아직 여기에서 플러그인을 로드하지 않았습니다. `--pure` 없이 `{program}` 을(를) 시작하세요"),
            )),
        })
    }

    /// Checks that each hook answers, and how fast. Hooks with the same problem share a finding.
    fn hooks(&self) -> Vec<DoctorFinding> {
        let mut times: BTreeMap<&Path, Vec<String>> = BTreeMap::new();
        let mut troubles: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for tried in &self.0.tried {
            match &tried.came_to {
                Ok(took) => {
                    let time = format!("{} {} ms", tried.hook.event, took.as_millis());
                    times.entry(&tried.file).or_default().push(time);
                }
                Err(trouble) => {
                    let install = self.install(tried.scope);
                    let file = tried.file.display();
                    let trouble = trouble.said(self.0.locale);
                    let text = self.say(
                        format!("{trouble} (in {file}; {install} again)"),
                        format!("{trouble} ({file}, {install} 을 다시 실행하세요)"),
                    );
                    troubles.entry(text).or_default().push(&tried.hook.event);
                }
            }
        }
        let fine = times.into_iter().map(|(file, times)| {
            let (times, file) = (times.join(", "), file.display());
            self.fine(
                self.say(format!("hooks: {times} (in {file})"), format!("훅: {times} ({file})")),
            )
        });
        let broken = troubles.into_iter().map(|(trouble, events)| {
            let events = events.join(", ");
            self.broken(
                self.say(format!("hooks: {events}: {trouble}"), format!("훅: {events}: {trouble}")),
            )
        });
        fine.chain(broken).collect()
    }

    fn events(&self) -> Vec<DoctorFinding> {
        let mut findings = Vec::new();
        let plugins: Vec<&str> = self
            .0
            .places
            .iter()
            .flat_map(|place| &place.seen.own_plugins)
            .map(String::as_str)
            .collect();
        let expected = self.0.expected();
        let missing: Vec<&str> =
            expected.iter().copied().filter(|event| self.0.heard(event) == 0).collect();
        let doubled: Vec<&str> =
            expected.iter().copied().filter(|event| self.0.heard(event) > 1).collect();
        match (plugins.is_empty(), missing.len() == expected.len()) {
            (true, _) if missing.is_empty() => {}
            (true, _) => {
                let (again, missing) = (self.remedy_for(&missing), missing.join(", "));
                findings.push(self.broken(self.say(
                    format!("events: ralph does not hear of {missing}; {again} again"),
                    format!("이벤트: ralph 가 {missing} 을(를) 듣지 못합니다. {again} 을 다시 실행하세요"),
                )));
            }
            (false, true) => {
                let plugins = plugins.join(", ");
                findings.push(self.remark(self.say(
                    format!("plugin: {plugins} calls ralph; its hooks are the client's to show and were not tried"),
                    format!("플러그인: {plugins} 이(가) ralph 를 부릅니다. 그 훅은 클라이언트가 보여 주며 시험하지 않았습니다"),
                )));
            }
            (false, false) => {
                let (plugins, host) = (plugins.join(", "), self.0.host.name);
                findings.push(self.remark(self.say(
                    format!("plugin: {plugins} is on beside the installed hooks: every event is told twice; switch it off, or `ralph uninstall {host}`"),
                    format!("플러그인: {plugins} 이(가) 설치된 훅과 함께 켜져 있어 모든 이벤트를 두 번 듣습니다. 끄거나 `ralph uninstall {host}` 을 실행하세요"),
                )));
            }
        }
        if !doubled.is_empty() {
            let files = self.files_of(&doubled);
            let is_all = doubled.len() == expected.len();
            let every = || self.say("every event".to_owned(), "모든 이벤트".to_owned());
            let what = if is_all { every() } else { doubled.join(", ") };
            let host = self.0.host.name;
            findings.push(self.remark(self.say(
                format!("events: installed twice: {what} (in {files}); only one of both answers counts; `ralph uninstall {host}`, with or without `--user`, removes one"),
                format!("이벤트: 두 번 설치됨: {what} ({files}). 하나의 답만 쓰입니다. `ralph uninstall {host}` 에 `--user` 를 붙이거나 빼서 하나를 지우세요"),
            )));
        }
        findings
    }

    /// Returns the command that installs again, with the flag for what is missing.
    fn remedy_for(&self, missing: &[&str]) -> String {
        let again = self.install_again();
        let is_only_before_edits = self.0.host.edit_event().is_some_and(|event| missing == [event]);
        match self.0.arm {
            Some((ArmingMoment::OnErrors, ArmingOrigin::Installation)) if is_only_before_edits => {
                again.replacen("`ralph install", "`ralph install --arm on-errors", 1)
            }
            Some(_) | None => again,
        }
    }

    fn files_of(&self, events: &[&str]) -> String {
        let mut files: Vec<String> = Vec::new();
        for tried in &self.0.tried {
            let file = tried.file.display().to_string();
            if events.contains(&tried.hook.event.as_str()) && !files.contains(&file) {
                files.push(file);
            }
        }
        files.join(" and ")
    }

    fn timeouts(&self) -> Vec<DoctorFinding> {
        let mut findings = Vec::new();
        let mut tight: Vec<String> = Vec::new();
        for tried in &self.0.tried {
            let (hook, again) = (&tried.hook, self.install(tried.scope));
            let granted = render_span(hook.granted);
            if let Some(own) = hook.own.filter(|own| *own > hook.granted) {
                let (event, own) = (&hook.event, render_span(own));
                findings.push(self.broken(self.say(
                    format!("timeout: {event} is ended after {granted}, before the {own} it counts on; {again} again"),
                    format!("제한 시간: {event} 은(는) 필요한 {own} 전에 {granted} 만에 끝납니다. {again} 을 다시 실행하세요"),
                )));
            } else if hook.granted > MOST {
                let event = &hook.event;
                findings.push(self.remark(self.say(
                    format!("timeout: {event} may take {granted}, which an older version wrote; {again} again"),
                    format!("제한 시간: {event} 의 {granted} 은(는) 이전 버전이 쓴 값입니다. {again} 을 다시 실행하세요"),
                )));
            }
            if hook.runs_gates && hook.own.unwrap_or(hook.granted) < self.0.needed.min(MOST) {
                tight.push(format!("{} {granted}", hook.event));
            }
        }
        findings.extend(self.gates(&tight));
        findings
    }

    /// Checks that hooks have time for the gates.
    fn gates(&self, tight: &[String]) -> Option<DoctorFinding> {
        let needed = render_span(self.0.needed);
        let otherwise = self.say(
            "the agent is told to run a gate that does not end in time itself, with `ralph check --wait`".to_owned(),
            "제때 끝나지 않는 게이트는 에이전트가 `ralph check --wait` 로 직접 실행합니다".to_owned(),
        );
        if !tight.is_empty() {
            let (tight, again) = (tight.join(", "), self.install_again());
            return Some(self.remark(self.say(
                format!("timeout: gates may take {needed}, but hooks have {tight}; {again} again grants it; until then {otherwise}"),
                format!("제한 시간: 게이트는 {needed} 까지 걸릴 수 있지만 훅은 {tight} 입니다. {again} 을 다시 실행하면 늘어납니다. 그때까지 {otherwise}"),
            )));
        }
        (self.0.needed > MOST).then(|| {
            self.remark(self.say(
                format!("timeout: gates may take {needed}, longer than any hook; {otherwise}"),
                format!(
                    "제한 시간: 게이트는 어떤 훅보다 긴 {needed} 까지 걸릴 수 있습니다. {otherwise}"
                ),
            ))
        })
    }

    /// Checks that hooks call the running program.
    fn programs(&self) -> Vec<DoctorFinding> {
        let mut findings = Vec::new();
        for found in self.0.programs.iter().filter(|found| !found.is_this) {
            let this = env!("CARGO_PKG_VERSION");
            let unknown =
                || self.say("of an unknown version".to_owned(), "알 수 없는 버전".to_owned());
            let version = found.version.clone().unwrap_or_else(unknown);
            let (path, again) = (found.path.display(), self.install_again());
            let what = if version.split_whitespace().any(|word| word == this) {
                self.say(
                    format!("program: hooks call `{path}`, another copy of ralph {this}"),
                    format!("프로그램: 훅이 ralph {this} 의 다른 사본 `{path}` 을(를) 부릅니다"),
                )
            } else {
                self.say(
                    format!("program: hooks call `{path}`, which is {version}; this is ralph {this}"),
                    format!("프로그램: 훅이 `{path}` ({version}) 을(를) 부릅니다. 이것은 ralph {this} 입니다"),
                )
            };
            findings.push(self.remark(self.say(
                format!("{what}; {again} makes them call this one"),
                format!("{what}. {again} 으로 이것을 부르게 합니다"),
            )));
        }
        let is_old =
            |tried: &&super::facts::HookTrial| matches!(tried.hook.call, HookCall::Shell(_));
        let old: Vec<&str> =
            self.0.tried.iter().filter(is_old).map(|tried| tried.hook.event.as_str()).collect();
        if !old.is_empty() {
            let (old, again) = (old.join(", "), self.install_again());
            findings.push(self.remark(self.say(
                format!(
                    "program: {old} goes through a shell, as older versions wrote it; {again} again"
                ),
                format!(
                    "프로그램: {old} 은(는) 이전 버전처럼 셸을 거칩니다. {again} 을 다시 실행하세요"
                ),
            )));
        }
        findings
    }

    /// Checks the limit of continuations, if the host has one.
    fn cap(&self) -> Option<DoctorFinding> {
        let HostCap { variable, usual, scope, .. } = self.0.host.cap?;
        let variable = variable.unwrap_or("the limit");
        let set = self.0.places.iter().find_map(|place| {
            place.seen.cap.as_ref().map(|cap| (cap, place.folder.join(&cap.file)))
        });
        let named = set.as_ref().map(|(cap, _)| &cap.value).or(self.0.cap_variable.as_ref());
        let number = named.and_then(|value| value.trim().parse().ok());
        let limit = self.0.host.cap(|_| named.cloned(), number);
        let (counted, korean) = match scope {
            CapScope::WithoutTools => ("in a row without a tool", "도구 없이 연속"),
            CapScope::SincePrompt => ("after each prompt of yours", "프롬프트마다"),
        };
        let what = match limit {
            Some(limit) => self.say(
                format!("cap: {limit} continuations {counted}"),
                format!("한도: {korean} {limit}번까지 계속"),
            ),
            None => self.say(
                format!("cap: any number of continuations {counted}"),
                format!("한도: {korean} 몇 번이든 계속"),
            ),
        };
        if set.is_none() && self.0.cap_variable.is_none() && !self.0.host.has_cap_setting() {
            return Some(self.remark(self.say(
                format!("{what}; then the loop waits for your next prompt"),
                format!("{what}; 그다음에는 루프가 다음 프롬프트를 기다립니다"),
            )));
        }
        Some(match set {
            Some((cap, file)) if cap.is_ours => {
                let file = file.display();
                self.fine(self.say(
                    format!("{what} (by ralph, in {file})"),
                    format!("{what} (ralph 가 {file} 에 설정)"),
                ))
            }
            Some((cap, file)) => {
                let file = file.display();
                let text = self.say(
                    format!("{what} ({variable} is yours, in {file}; ralph leaves it)"),
                    format!("{what} ({file} 의 {variable} 은(는) 사용자의 것이라 그대로 둡니다)"),
                );
                if cap.value.trim() == "0" { self.fine(text) } else { self.remark(text) }
            }
            None if self.0.cap_variable.is_some() => self.remark(self.say(
                format!("{what} ({variable} in this environment)"),
                format!("{what} (환경 변수 {variable})"),
            )),
            None => {
                let again = self.install_again();
                self.remark(self.say(
                    format!(
                        "cap: the host's own, {usual} continuations {counted}; {again} raises it"
                    ),
                    format!(
                        "한도: 호스트의 기본값인 {korean} {usual}번입니다. {again} 으로 늘립니다"
                    ),
                ))
            }
        })
    }

    fn arm(&self) -> Option<DoctorFinding> {
        let (arm, by) = self.0.arm?;
        let what = match arm {
            ArmingMoment::Manual => self
                .0
                .locale
                .say("a loop begins with `/ralph TASK`", "`/ralph 작업` 으로 루프가 시작됩니다"),
            ArmingMoment::OnErrors => self.0.locale.say(
                "a loop begins when a turn leaves errors that were not there before",
                "턴이 없던 오류를 남기면 루프가 시작됩니다",
            ),
            ArmingMoment::EverySession => self.0.locale.say(
                "the first message of every session begins a loop",
                "모든 세션의 첫 메시지로 루프가 시작됩니다",
            ),
        };
        let by = match by {
            ArmingOrigin::Settings => {
                self.0.locale.say(" (set by `hooks.arm`)", " (`hooks.arm` 설정)")
            }
            ArmingOrigin::Installation => self.0.locale.say(" (as installed)", " (설치할 때 정함)"),
            ArmingOrigin::Default => "",
        };
        let what = format!("arm: {}: {what}{by}", arm.name());
        Some(match &self.0.blind {
            Some(reason) => self.remark(format!("{what}; {reason}")),
            None => self.fine(what),
        })
    }

    fn switched_off(&self) -> Vec<DoctorFinding> {
        let finding = |place: &super::facts::HostSettingsFolder| {
            let file = place.folder.join(place.seen.switched_off_by.as_ref()?);
            let file = file.display();
            Some(self.broken(self.say(
                format!("switch: {file} tells the host to run no hooks at all (`disableAllHooks`); take that out"),
                format!("스위치: {file} 때문에 호스트가 훅을 실행하지 않습니다(`disableAllHooks`). 그 설정을 지우세요"),
            )))
        };
        self.0.places.iter().filter_map(finding).collect()
    }

    /// Checks that the commands are installed where the host finds them.
    fn commands(&self) -> Vec<DoctorFinding> {
        let mut states: BTreeMap<&Path, Vec<(CommandState, String)>> = BTreeMap::new();
        for place in &self.0.places {
            for file in &place.seen.commands {
                let path = place.folder.join(&file.path).display().to_string();
                states.entry(&file.path).or_default().push((file.state, path));
            }
        }
        let has_plugin = self.0.places.iter().any(|place| !place.seen.own_plugins.is_empty());
        let again = self.install_again();
        let mut findings = Vec::new();
        for (name, found) in states {
            let of = |state| found.iter().find(|(found, _)| *found == state).map(|(_, path)| path);
            let name = name.file_stem().unwrap_or_default().to_string_lossy();
            let is_current = of(CommandState::Current).is_some() || has_plugin;
            findings.push(match (of(CommandState::Foreign), of(CommandState::Old)) {
                (Some(path), _) => {
                    let (what, korean) = match self.0.host.reach {
                        HostChannel::Answers => ("the model reads that file", "모델은 그 파일을 읽습니다"),
                        HostChannel::Messages => (
                            "and its answer replaces that file",
                            "ralph 의 답이 그 파일을 대신합니다",
                        ),
                    };
                    self.remark(self.say(
                        format!("command: {path} is not ours and stays; ralph reads `/{name}` all the same, {what}"),
                        format!("명령: {path} 은(는) ralph 의 파일이 아니어서 그대로 둡니다. ralph 는 `/{name}` 을 그래도 읽고, {korean}"),
                    ))
                }
                (None, _) if is_current => continue,
                (None, Some(path)) => self.remark(self.say(
                    format!("command: {path} is of another version; {again} again"),
                    format!("명령: {path} 은(는) 다른 버전입니다. {again} 을 다시 실행하세요"),
                )),
                (None, None) => self.broken(self.say(
                    format!("command: `/{name}` is not there; {again} again"),
                    format!("명령: `/{name}` 이 없습니다. {again} 을 다시 실행하세요"),
                )),
            });
        }
        findings
    }

    /// Checks for other loops, and says how we treat them.
    fn others(&self) -> Vec<DoctorFinding> {
        let mut findings = Vec::new();
        let beside = self.say(
            "a loop of ralph runs beside it, and either may make the agent go on".to_owned(),
            "ralph 의 루프와 나란히 돌며 어느 쪽이든 에이전트를 계속하게 할 수 있습니다".to_owned(),
        );
        for place in &self.0.places {
            for other in &place.seen.others {
                let (ForeignLoop::Hook(file, _) | ForeignLoop::Plugin(file, _)) = other;
                let file = place.folder.join(file);
                let file = file.display();
                findings.push(self.remark(match other {
                    ForeignLoop::Hook(_, words) => self.say(
                        format!("others: `{words}` in {file} hears of the end of a turn as well; {beside}"),
                        format!("다른 루프: {file} 의 `{words}` 도 턴의 끝을 듣습니다. {beside}"),
                    ),
                    ForeignLoop::Plugin(_, name) => self.say(
                        format!("others: the plugin {name}, switched on in {file}, loops as well; {beside}"),
                        format!("다른 루프: {file} 에서 켠 플러그인 {name} 도 루프를 돕니다. {beside}"),
                    ),
                }));
            }
        }
        for file in &self.0.loops_here {
            findings.push(self.remark(self.say(
                format!("others: {file} shows that another loop is on here; loops that begin by themselves stand down, one that you begin runs beside it"),
                format!("다른 루프: {file} 을(를) 보면 여기서 다른 루프가 돌고 있습니다. 스스로 시작하는 루프는 물러나고, 직접 시작한 루프는 나란히 돕니다"),
            )));
        }
        if self.0.host.foreign_commands.is_empty() {
            return findings;
        }
        let known = self.0.host.foreign_commands.join(", ");
        findings.push(self.fine(self.say(
            format!("others: after {known} no loop begins by itself in that session; one that you begin runs beside them, and either may make the agent go on"),
            format!("다른 루프: {known} 다음에는 그 세션에서 루프가 스스로 시작하지 않습니다. 직접 시작한 루프는 나란히 돌며 어느 쪽이든 에이전트를 계속하게 할 수 있습니다"),
        )));
        findings
    }
}

/// Converts a time to milliseconds for JSON.
pub(crate) fn millis(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}
