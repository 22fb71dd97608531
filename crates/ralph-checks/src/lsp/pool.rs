//! The servers of a project, started when needed and kept warm.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use ralph_core::finding::ToolReport;
use ralph_proc::{Enclosure, ProgramLaunch, StreamMerging, Supervisor};

use super::choice::{ServerChoice, ServerChooser, ServerLaunch};
use super::documents::DiagnosticsRequest;
use super::process::{ServerCacheLocation, ServerProcess, ServerProcessOptions};
use super::servers::{LanguageServer, ServerQuirk, known};
use super::session::{LspSession, SessionDiagnostics};
use super::{ServerFailure, findings};
use crate::formats::FindingCollector;

/// The memory that a server may use, with everything it starts, in bytes.
const CEILING: u64 = 2 * 1024 * 1024 * 1024;

/// The number of times a server is started: once, and twice again after it ended.
const MAX_STARTS: u32 = 3;

/// The maximum number of servers that run at the same time.
const MAX_SERVERS: usize = 12;

/// The time servers have to shut down, all together.
const GOODBYE: Duration = Duration::from_millis(1500);

/// The reason that is given when asking failed by a panic.
const BROKEN: &str = "asking it broke off: a bug of ours";

/// The result of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerReport {
    /// The server's name; that of the language's extension when there is none.
    pub server: String,
    /// The verdict: answered or not.
    pub verdict: ServerVerdict,
    /// The findings, as far as it answered.
    pub reading: ToolReport,
    /// The duration.
    pub elapsed: Duration,
}

/// The verdict on a server: answered or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerVerdict {
    /// For every file, and its answer has settled.
    Ok,
    /// Not for every file. Never the same as finding nothing.
    Unknown {
        /// The reason, in one line.
        reason: String,
    },
}

/// The language servers of one project. Dropped, it ends them all.
#[derive(Debug)]
pub struct ServerPool {
    project: ServerPoolConfig,
    slots: BTreeMap<ServerLaunch, ServerSlot>,
}

/// The facts about a project with which servers are started.
#[derive(Debug)]
struct ServerPoolConfig {
    supervisor: Supervisor,
    root: PathBuf,
    env: Vec<(OsString, OsString)>,
    servers: Vec<LanguageServer>,
    ceiling: u64,
}

/// One server, running or not.
#[derive(Debug, Default)]
struct ServerSlot {
    starts: u32,
    /// Dropped in this order: nothing more to say, then no process.
    running: Option<(LspSession, ServerProcess)>,
    /// The reason why it ended the last time.
    last: Option<ServerFailure>,
}

impl ServerPool {
    /// No server runs yet. `root` is absolute, `env` the complete environment.
    pub fn new(supervisor: Supervisor, root: PathBuf, env: Vec<(OsString, OsString)>) -> Self {
        let project =
            ServerPoolConfig { supervisor, root, env, servers: known(), ceiling: CEILING };
        Self { project, slots: BTreeMap::new() }
    }

    /// Adds a server, or replaces the known one of the same name.
    pub fn add(&mut self, server: LanguageServer) {
        self.project.servers.retain(|known| known.name != server.name);
        self.project.servers.push(server);
    }

    /// Starts servers inside this enclosure from now on, or freely without one.
    pub fn enclose(&mut self, enclosure: Option<Arc<dyn Enclosure>>) {
        self.project.supervisor = self.project.supervisor.within(enclosure);
    }

    /// The servers that may be asked.
    pub(super) fn servers(&self) -> &[LanguageServer] {
        &self.project.servers
    }

    /// Kills servers that use more memory than this, in bytes.
    pub fn limit_memory(&mut self, ceiling: u64) {
        self.project.ceiling = ceiling;
    }

    /// Returns the servers' findings about these files, as they are on disk now.
    ///
    /// Relative paths start at the root. All servers are asked at once; questions that are not
    /// answered after `deadline` are unknown. Files that no known server looks at, and files that
    /// are gone, are skipped. A server that ended is started again at the next call, twice at most.
    pub fn diagnostics(&mut self, files: &[PathBuf], deadline: Duration) -> Vec<ServerReport> {
        let started = Instant::now();
        let until = started + deadline;
        let (jobs, mut reports) = self.project.plan(files);
        let mut busy: Vec<(ServerLaunch, ServerSlot, Vec<DiagnosticsRequest>)> = Vec::new();
        for (start, asked) in jobs {
            let running = self.slots.len() + busy.len();
            if running >= MAX_SERVERS && !self.slots.contains_key(&start) {
                let reason = format!("{MAX_SERVERS} servers are running already");
                reports.push(ServerReport::unknown(&start.server, reason));
                continue;
            }
            let slot = self.slots.remove(&start).unwrap_or_default();
            busy.push((start, slot, asked));
        }
        let project = &self.project;
        let asked = thread::scope(|scope| {
            let ask =
                |(start, mut slot, asked): (ServerLaunch, ServerSlot, Vec<DiagnosticsRequest>)| {
                    scope.spawn(move || {
                        let diagnosed = project.ask(&start, &mut slot, &asked, until);
                        let report = project.report(&start, diagnosed, started.elapsed());
                        (start, slot, report)
                    })
                };
            let named = busy.into_iter().map(|job| (job.0.server.clone(), ask(job)));
            let threads: Vec<_> = named.collect();
            let joined = threads.into_iter().map(|(name, thread)| (name, thread.join()));
            joined.collect::<Vec<_>>()
        });
        for (name, answer) in asked {
            match answer {
                Ok((start, slot, report)) => {
                    self.slots.insert(start, slot);
                    reports.push(report);
                }
                // Silence would look as if no server had to be asked.
                Err(_) => reports.push(ServerReport::unknown(&name, BROKEN.to_owned())),
            }
        }
        reports.sort_by(|one, other| one.server.cmp(&other.server));
        reports
    }
}

impl ServerPoolConfig {
    /// Assigns the files to the servers that look at them, and reports those that no server can
    /// look at.
    fn plan(
        &self,
        files: &[PathBuf],
    ) -> (BTreeMap<ServerLaunch, Vec<DiagnosticsRequest>>, Vec<ServerReport>) {
        let path = self.env.iter().rev().find(|(name, _)| name == "PATH");
        let chooser =
            ServerChooser { root: &self.root, path: path.map(|(_, value)| OsStr::new(value)) };
        let mut jobs: BTreeMap<ServerLaunch, Vec<DiagnosticsRequest>> = BTreeMap::new();
        let mut alone: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for file in files {
            let path = self.root.join(file);
            let (mut missing, mut used) = (BTreeSet::new(), false);
            let mut extension = String::new();
            for server in &self.servers {
                let Some(language) = server.language(&path) else { continue };
                extension.clone_from(&language.extension);
                match chooser.choose(server, &path) {
                    ServerChoice::Use(start) => {
                        used = true;
                        let asked = DiagnosticsRequest {
                            path: path.clone(),
                            language: language.id.clone(),
                        };
                        jobs.entry(start).or_default().push(asked);
                    }
                    ServerChoice::Missing(program) => drop(missing.insert(program)),
                    ServerChoice::Unwanted => {}
                }
            }
            if !used && !missing.is_empty() {
                alone.entry(extension).or_default().extend(missing);
            }
        }
        let alone = alone.into_iter().map(|(extension, programs)| {
            let programs: Vec<String> = programs.into_iter().collect();
            let reason = format!("not installed: {}", programs.join(", "));
            ServerReport::unknown(&extension, reason)
        });
        (jobs, alone.collect())
    }

    /// Asks a server, which is started if need be.
    fn ask(
        &self,
        start: &ServerLaunch,
        slot: &mut ServerSlot,
        asked: &[DiagnosticsRequest],
        until: Instant,
    ) -> SessionDiagnostics {
        let diagnosed = match self.running(start, slot) {
            Ok((session, _)) => session.diagnose(asked, until),
            Err(trouble) => {
                SessionDiagnostics { trouble: Some(trouble), ..SessionDiagnostics::default() }
            }
        };
        if diagnosed.trouble.as_ref().is_some_and(ServerFailure::is_over) {
            slot.last.clone_from(&diagnosed.trouble);
            slot.running = None;
        }
        diagnosed
    }

    fn running<'s>(
        &self,
        start: &ServerLaunch,
        slot: &'s mut ServerSlot,
    ) -> Result<&'s mut (LspSession, ServerProcess), ServerFailure> {
        if slot.running.is_none() {
            if let (MAX_STARTS.., Some(last)) = (slot.starts, &slot.last) {
                return Err(last.clone());
            }
            slot.starts += 1;
            let server = self.servers.iter().find(|server| server.name == start.server);
            let server =
                server.ok_or_else(|| ServerFailure::NotStarted("it is not known".to_owned()))?;
            let launch = self.launch(start);
            let shared = server.quirks.contains(&ServerQuirk::SharesDaemon);
            let cache = if shared { ServerCacheLocation::Own } else { ServerCacheLocation::Users };
            let terms = ServerProcessOptions { ceiling: self.ceiling, cache };
            let (process, link) = ServerProcess::start(&self.supervisor, launch, terms)?;
            slot.running = Some((LspSession::new(link, server, &start.root), process));
        }
        slot.running.as_mut().ok_or_else(|| ServerFailure::NotStarted(String::new()))
    }

    fn launch(&self, start: &ServerLaunch) -> ProgramLaunch {
        let mut words = start.command.iter().cloned();
        let mut env = self.env.clone();
        env.retain(|(name, _)| name != "PATH");
        env.push(("PATH".into(), start.path.clone()));
        ProgramLaunch {
            program: words.next().unwrap_or_default(),
            args: words.collect(),
            dir: start.root.clone(),
            env,
            stdin: None,
            streams: StreamMerging::Apart,
        }
    }

    fn report(
        &self,
        start: &ServerLaunch,
        diagnosed: SessionDiagnostics,
        elapsed: Duration,
    ) -> ServerReport {
        let mut out = FindingCollector::new(&self.root, "");
        for (file, diagnostics) in &diagnosed.found {
            findings::add(&mut out, &start.server, file, diagnostics);
        }
        let verdict = match diagnosed.trouble {
            None => ServerVerdict::Ok,
            Some(trouble) => ServerVerdict::Unknown { reason: trouble.to_string() },
        };
        ServerReport { server: start.server.clone(), verdict, reading: out.finish(), elapsed }
    }
}

impl Drop for ServerPool {
    fn drop(&mut self) {
        let until = Instant::now() + GOODBYE;
        thread::scope(|scope| {
            for slot in self.slots.values_mut() {
                scope.spawn(move || {
                    if let Some((session, _)) = &mut slot.running {
                        session.say_goodbye(until);
                    }
                    slot.running = None;
                });
            }
        });
    }
}

impl ServerReport {
    fn unknown(server: &str, reason: String) -> Self {
        Self {
            server: server.to_owned(),
            verdict: ServerVerdict::Unknown { reason },
            reading: ToolReport::default(),
            elapsed: Duration::ZERO,
        }
    }
}
