//! A quick look at files that tools have just written. An agent that learns of a
//! mistake at once still knows why it made it.
//!
//! Only what got worse is reported. Tools that do not answer in time are left out: the
//! gates at the end of the turn check everything.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::host::{LookResult, LookStore, record_look};
use ralph_checks::lsp::{LanguageServer, ServerReport, ServerVerdict};
use ralph_checks::quick::{BackgroundJob, FileCheckers, QuickCheckContext, StartContents, in_time};
use ralph_config::ServerRules;
use ralph_core::Run;
use ralph_core::finding::Finding;
use ralph_core::host::{HostReply, ReplyEffect, ToolUse};
use ralph_core::look::ToolFindings;
use ralph_core::wording::host as wording;
use ralph_snapshot::PastContents;
use ralph_store::SqliteStore;

use super::session::HookRequest;
use crate::app::App;
use crate::lsp_helper::{self, HelperAddress};
use crate::run;
use crate::sandbox::{self, MadeSandbox};
use crate::user_error::UserError;

/// Longest time of a look.
const LIMIT: Duration = Duration::from_secs(2);

/// Time before the end at which linters are stopped, so that they can clean up.
const MARGIN: Duration = Duration::from_millis(250);

/// Number of files that are looked at.
const MOST_FILES: usize = 10;

/// Largest file, in bytes, that is compared with its earlier contents.
const MOST_BYTES: u64 = 1024 * 1024;

/// Time before servers are warmed up again.
const WARMING: Duration = Duration::from_mins(1);

/// Looks at the files that tools wrote in a run, and tells the agent what got worse.
pub(super) fn look(
    asked: &HookRequest<'_>,
    store: &SqliteStore,
    run: &Run,
    uses: &[ToolUse],
) -> Result<HostReply, UserError> {
    let began = Instant::now();
    let app = asked.app;
    let files = if run.state.is_active() { written(app, uses) } else { BTreeSet::new() };
    let path = app.env.get(OsStr::new("PATH")).map(AsRef::as_ref);
    let sights = files.iter().map(|file| FileCheckers::new(&app.project.root, file, path));
    let sights: Vec<FileCheckers> = sights.collect();
    // Settings may add rules and servers for files that no built-in tool knows.
    let may_matter = |sight: &FileCheckers| {
        !sight.is_empty() || ["lsp", "security"].iter().any(|word| app.settings_mention(word))
    };
    if !sights.iter().any(may_matter) {
        return Ok(HostReply::silent());
    }
    let limit = LIMIT.min(asked.deadline.limit());
    let means = QuickCheckContext {
        supervisor: App::supervisor(),
        env: Vec::new(),
        pack: Arc::new(run::security_pack(app)?),
        until: began + limit.saturating_sub(MARGIN),
    };
    let looks = LookStore::new(&app.home.join("runs").join(run.id.as_str()));
    let (seen, fresh) = EditInspection { app, run, looks, began, limit }.take(sights, means)?;
    record_look(store, asked.event.session.as_ref(), run, &seen, app.now())?;
    if fresh.is_empty() {
        return Ok(HostReply::silent());
    }
    let context = wording::worse(&fresh, run.policy.locale);
    Ok(HostReply::of(ReplyEffect::Tell { context }))
}

/// Returns the written files that still exist, relative to the root.
fn written(app: &App, uses: &[ToolUse]) -> BTreeSet<PathBuf> {
    let root = &app.project.root;
    let files = uses.iter().flat_map(|used| &used.files);
    let named = files.filter(|file| file.extension().is_some());
    // The host may know the project by another path than we do.
    let found = named.filter_map(|file| fs::canonicalize(root.join(file)).ok());
    let inside = found.filter(|path| path.is_file());
    let inside = inside.filter_map(|path| path.strip_prefix(root).map(Path::to_owned).ok());
    inside.take(MOST_FILES).collect()
}

/// The answer of a tool that was asked.
enum HelperReply {
    /// The reports, if there are any.
    Said(Vec<ToolFindings>),
    /// No language server helper runs.
    NoHelper,
}

struct EditInspection<'a> {
    app: &'a App,
    run: &'a Run,
    looks: LookStore,
    began: Instant,
    limit: Duration,
}

impl EditInspection<'_> {
    /// Looks at the files; returns the record of the look, and the new findings.
    fn take(
        &self,
        sights: Vec<FileCheckers>,
        means: QuickCheckContext,
    ) -> Result<(LookResult, Vec<Finding>), UserError> {
        self.app.fall_back_on(&self.run.id);
        let rules = ServerRules::new(&self.app.layers()?)?;
        let sandbox = sandbox::of_servers(self.app, &rules.sandbox)?;
        let supervisor = means.supervisor.within(sandbox.and_then(MadeSandbox::enclosure));
        let means = QuickCheckContext { supervisor, ..means };
        let means =
            QuickCheckContext { env: rules.environment.filter(self.app.env.clone()), ..means };
        let served = self.served(&sights, &rules);
        let mut seen = LookResult {
            files: sights.iter().map(FileCheckers::name).collect(),
            ..LookResult::default()
        };
        let mut jobs: Vec<BackgroundJob<HelperReply>> = Vec::new();
        for sight in sights {
            let tools = sight.tools(&means);
            let known = self.looks.known(&sight.name());
            let is_known = tools.iter().all(|tool| known.has(tool));
            let start = if is_known { StartContents::Unknown } else { self.start(sight.file()) };
            seen.silent.extend(tools.into_iter().map(str::to_owned));
            for job in sight.jobs(&means, &start) {
                jobs.push(Box::new(move || HelperReply::Said(job().into_iter().collect())));
            }
        }
        if !served.is_empty() {
            jobs.push(self.ask_servers(&rules, served.clone()));
        }
        let said = self.hear(jobs, &served);
        self.compare(seen, said)
    }

    /// Collects the answers that come in time. Servers that are not running are started
    /// for the next edit.
    fn hear(
        &self,
        jobs: Vec<BackgroundJob<HelperReply>>,
        served: &[(String, PathBuf)],
    ) -> Vec<ToolFindings> {
        let mut said = Vec::new();
        for heard in in_time(jobs, self.limit.saturating_sub(self.began.elapsed())) {
            match heard {
                HelperReply::Said(all) => said.extend(all),
                HelperReply::NoHelper if self.looks.mark_due("warmed", WARMING) => {
                    let files: Vec<PathBuf> = served.iter().map(|(_, path)| path.clone()).collect();
                    lsp_helper::warm_up(&self.app.project.root, &files);
                }
                HelperReply::NoHelper => {}
            }
        }
        said
    }

    /// Compares the findings in each file with earlier ones.
    fn compare(
        &self,
        mut seen: LookResult,
        said: Vec<ToolFindings>,
    ) -> Result<(LookResult, Vec<Finding>), UserError> {
        let mut files: BTreeMap<String, Vec<ToolFindings>> = BTreeMap::new();
        for one in said {
            files.entry(one.file.clone()).or_default().push(one);
        }
        let mut fresh = Vec::new();
        for (file, said) in files {
            let mut prints = BTreeSet::new();
            for one in &said {
                seen.silent.remove(&one.tool);
                seen.tools.insert(one.tool.clone());
                for finding in &one.now {
                    if prints.insert(finding.fingerprint.clone()) {
                        seen.counts.add(finding.level, 1);
                    }
                }
            }
            fresh.extend(self.looks.take(&file, said)?);
        }
        fresh.sort_by_key(|finding| finding.level);
        seen.fresh = fresh.len();
        Ok((seen, fresh))
    }

    /// Returns the files that language servers look at, as names and paths.
    fn served(&self, sights: &[FileCheckers], rules: &ServerRules) -> Vec<(String, PathBuf)> {
        let is_added = |file: &Path| rules.added.iter().any(|one| one.language(file).is_some());
        let served = sights.iter().filter(|sight| sight.has_server() || is_added(sight.file()));
        let path = |sight: &FileCheckers| self.app.project.root.join(sight.file());
        served.map(|sight| (sight.name(), path(sight))).collect()
    }

    /// Asks the servers that are running. Starting one would take too long.
    fn ask_servers(
        &self,
        rules: &ServerRules,
        files: Vec<(String, PathBuf)>,
    ) -> BackgroundJob<HelperReply> {
        let door = HelperAddress::of(self.app, rules);
        let left = self.limit.saturating_sub(self.began.elapsed());
        Box::new(move || {
            let paths: Vec<PathBuf> = files.iter().map(|(_, path)| path.clone()).collect();
            match door.ask(&paths, left) {
                Some(reports) => HelperReply::Said(said(reports, &files)),
                None => HelperReply::NoHelper,
            }
        })
    }

    /// Returns a file's contents at the start of the run, if they are cheap to get.
    fn start(&self, file: &Path) -> StartContents {
        let baseline = self.run.baseline.as_ref();
        let Some(tree) = baseline.and_then(|baseline| baseline.tree.as_ref()) else {
            return StartContents::Unknown;
        };
        let files = self.app.whole_work_tree();
        let past = files.and_then(|files| {
            files.past(tree, file, MOST_BYTES).map_err(|error| UserError::internal(&error))
        });
        match past {
            Ok(PastContents::Contents(text)) => StartContents::Text(Arc::new(text)),
            Ok(PastContents::Absent) => StartContents::Absent,
            Ok(PastContents::Unknown) | Err(_) => StartContents::Unknown,
        }
    }
}

/// Sorts the findings of servers that are done by file.
fn said(reports: Vec<ServerReport>, files: &[(String, PathBuf)]) -> Vec<ToolFindings> {
    let settled = reports.into_iter().filter(|report| report.verdict == ServerVerdict::Ok);
    let of_files = settled.flat_map(|report| {
        files.iter().map(move |(name, _)| {
            let findings = report.reading.findings.iter();
            let now = findings.filter(|finding| finding.place.file == *name).cloned().collect();
            let tool = LanguageServer::tool(&report.server).to_owned();
            ToolFindings { tool, file: name.clone(), now, start: None }
        })
    });
    of_files.collect()
}
