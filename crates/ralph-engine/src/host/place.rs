//! The folder of a session in the state home.
//!
//! Most events of a host do not concern us. The files here tell which ones do,
//! without opening the store.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ralph_core::{RunId, SessionId, Timestamp};
use ralph_files::LogFailure as _;

use crate::driver::turn::make_private_folder;

/// The file with the process of the host.
const HOST: &str = "host";

/// The file with the process of the host that works on the session's run. It
/// exists only while there is a run.
const LOOP_HOST: &str = "loop-host";

/// The file with the last queued prompt that was shown.
const SHOWN: &str = "shown";

/// The file with the position in the host's transcript and the queued prompts
/// up to there.
const QUEUE: &str = "queue";

/// The file with the command that was answered while the host queued it.
const ANSWERED: &str = "answered";

/// The file that exists until the user was told that a loop started.
const UNANNOUNCED: &str = "unannounced";

/// The file with the time at which the session resumed its run.
const RESUMED: &str = "resumed";

/// The process that a session lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionLiveness {
    /// The given process.
    Here,
    /// Another process.
    Elsewhere,
    /// A process that ended.
    Gone,
    /// No process was noted, or the session was left in good order.
    Unknown,
}

/// The folder of one session in the state home.
#[derive(Clone, Debug)]
pub struct SessionDir {
    folder: PathBuf,
}

impl SessionDir {
    /// Returns the folder of this session, which may not exist.
    pub fn new(home: &Path, session: &SessionId) -> Self {
        // A colon is not allowed in file names everywhere.
        let name = session.as_str().replace(':', "%3a");
        Self { folder: home.join("sessions").join(name) }
    }

    /// Returns the path of the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns true if a run may belong to the session. The store has the final
    /// answer.
    pub fn is_marked(&self) -> bool {
        self.folder.join("run").exists()
    }

    /// Returns true if a run may belong to any session.
    pub fn any_is_marked(home: &Path) -> bool {
        let places = fs::read_dir(home.join("sessions")).into_iter().flatten().flatten();
        places.into_iter().any(|place| place.path().join("run").exists())
    }

    /// Returns the run that was noted last for the session.
    pub fn run(&self) -> Option<RunId> {
        ralph_files::read_own_text(self.folder.join("run")).ok()?.trim().parse().ok()
    }

    /// Notes that a run belongs to the session.
    pub fn mark(&self, run: &RunId) -> io::Result<()> {
        self.keep("run", &format!("{run}\n"))
    }

    /// Writes a text to a file that only its owner may read.
    pub fn keep(&self, name: &str, text: &str) -> io::Result<()> {
        make_private_folder(&self.folder)?;
        ralph_files::write_own(self.folder.join(name), text)
    }

    /// Appends to such a file in one write: others may be appending as well.
    pub fn add(&self, name: &str, text: &str) -> io::Result<()> {
        make_private_folder(&self.folder)?;
        ralph_files::append_own(self.folder.join(name))?.write_all(text.as_bytes())
    }

    /// Notes that this process examines the files before a run starts or
    /// resumes. The note lasts until the returned value is dropped or the
    /// process ends.
    pub fn note_arming(&self) -> ArmingMarker {
        let pid = std::process::id();
        let started = ralph_proc::process_start_time(pid).unwrap_or_default();
        // If that fails, a turn that ends meanwhile counts, which does less
        // harm.
        let _ = self.keep("arming", &format!("{pid} {started}"));
        ArmingMarker { file: self.folder.join("arming") }
    }

    /// Returns true if a process examines the files before the run starts or
    /// resumes. A turn that ends now is not the run's.
    pub(crate) fn is_arming(&self) -> bool {
        let process = self.process("arming");
        process.is_some_and(|(pid, start)| ralph_proc::process_start_time(pid) == Some(start))
    }

    /// Notes the process of the host that the session lives in.
    pub fn note_host(&self, pid: u32) -> io::Result<()> {
        match ralph_proc::process_start_time(pid) {
            Some(started) => self.keep(HOST, &format!("{pid} {started}")),
            None => Ok(()),
        }
    }

    /// Notes the process of the host that takes the turns of the session's run.
    /// A living one is not replaced: an agent may call hooks itself.
    pub fn note_loop_host(&self, pid: u32) {
        let is_alive = |(known, started)| ralph_proc::process_start_time(known) == Some(started);
        if self.process(LOOP_HOST).is_some_and(is_alive) {
            return;
        }
        if let Some(started) = ralph_proc::process_start_time(pid) {
            // If that fails, the variables of the host still tell.
            let _ = self.keep(LOOP_HOST, &format!("{pid} {started}"));
        }
    }

    /// Returns true if the process that took the turns of the session's run is
    /// gone. Without a note it counts as alive.
    pub fn is_abandoned(&self) -> bool {
        let is_gone = |(pid, started)| ralph_proc::process_start_time(pid) != Some(started);
        self.process(LOOP_HOST).is_some_and(is_gone)
    }

    /// Returns true if a living process other than `caller` takes the turns of
    /// the session's run.
    pub(crate) fn is_at_work_beside(&self, caller: u32) -> bool {
        let lives = |(pid, started)| ralph_proc::process_start_time(pid) == Some(started);
        self.process(LOOP_HOST).is_some_and(|host| host.0 != caller && lives(host))
    }

    /// Notes that the session lives in no process any more.
    pub fn forget_host(&self) {
        ralph_files::remove_if_there(&self.folder.join(HOST));
    }

    /// Returns the sessions with a noted process, and those processes.
    pub fn hosts(home: &Path) -> Vec<(SessionId, (u32, u64))> {
        let folders = fs::read_dir(home.join("sessions")).into_iter().flatten().flatten();
        let session = |folder: fs::DirEntry| {
            SessionId::new(&folder.file_name().to_str()?.replace("%3a", ":"))
        };
        let hosts = |session: SessionId| {
            let place = Self::new(home, &session);
            let hosts = [HOST, LOOP_HOST].into_iter().filter_map(move |name| place.process(name));
            hosts.map(move |host| (session.clone(), host)).collect::<Vec<_>>()
        };
        folders.filter_map(session).flat_map(hosts).collect()
    }

    /// Returns where the session lives, as seen from a process of a host.
    pub fn liveness(&self, here: u32) -> SessionLiveness {
        let Some((pid, started)) = self.process(HOST) else { return SessionLiveness::Unknown };
        match ralph_proc::process_start_time(pid) == Some(started) {
            true if pid == here => SessionLiveness::Here,
            true => SessionLiveness::Elsewhere,
            false => SessionLiveness::Gone,
        }
    }

    /// Returns the process that a file names, and its start.
    fn process(&self, name: &str) -> Option<(u32, u64)> {
        let text = ralph_files::read_own_text(self.folder.join(name)).ok()?;
        let (pid, started) = text.split_once(' ')?;
        Some((pid.parse().ok()?, started.parse().ok()?))
    }

    /// Notes that no run belongs to the session any more.
    pub fn unmark(&self) {
        let names = ["run", "used", "continued", "cleared", "asked", "answered"];
        for name in names.into_iter().chain([SHOWN, QUEUE, RESUMED, LOOP_HOST]) {
            ralph_files::remove_if_there(&self.folder.join(name));
        }
        // It is removed only if it is empty.
        let _ = fs::remove_dir(&self.folder);
    }

    /// Returns true if the user cleared the session, so that another one
    /// follows it.
    pub fn was_cleared(&self) -> bool {
        self.folder.join("cleared").exists()
    }

    /// Notes that the user cleared the session.
    pub(crate) fn note_cleared(&self) {
        ralph_files::write_own(self.folder.join("cleared"), "").or_log("noting a cleared session");
    }

    /// Notes that the agent used a tool, so that files may have changed.
    pub fn note_use(&self) {
        // If that fails, the next snapshot contains what this one misses.
        let _ = ralph_files::write_own(self.folder.join("used"), "");
        ralph_files::remove_if_there(&self.folder.join("continued"));
    }

    /// Notes the user's prompt that the current turn answers, by the host's id.
    pub fn note_asked(&self, prompt: Option<&str>) {
        if let Some(prompt) = prompt.filter(|prompt| !self.was_asked(prompt)) {
            self.keep("asked", prompt).or_log("noting a prompt");
        }
    }

    /// Returns true if the current turn answers this prompt of the user.
    pub(crate) fn was_asked(&self, prompt: &str) -> bool {
        ralph_files::read_own_text(self.folder.join("asked")).is_ok_and(|asked| asked == prompt)
    }

    /// Notes the time at which the session resumed its run.
    pub fn note_resumed(&self, now: Timestamp) {
        self.keep(RESUMED, &now.as_millis().to_string()).or_log("noting a resumption");
    }

    /// Returns the time at which the session last resumed its run.
    pub fn resumed(&self) -> Option<Timestamp> {
        let text = ralph_files::read_own_text(self.folder.join(RESUMED)).ok()?;
        text.trim().parse().ok().map(Timestamp::from_millis)
    }

    /// Returns true if a queued prompt was shown before, and notes it. Prompts
    /// are named by the host.
    pub fn was_shown(&self, name: &str) -> bool {
        let is_known =
            ralph_files::read_own_text(self.folder.join(SHOWN)).is_ok_and(|shown| shown == name);
        if !is_known {
            self.keep(SHOWN, name).or_log("noting the name of a session");
        }
        is_known
    }

    /// Returns the noted state of the host's queue.
    pub(crate) fn queue(&self) -> Option<String> {
        ralph_files::read_own_text(self.folder.join(QUEUE)).ok()
    }

    /// Notes the state of the host's queue.
    pub(crate) fn set_queue(&self, text: &str) {
        self.put(QUEUE, text).or_log("noting the queue of the host");
    }

    /// Notes that a command was answered that the host still queues.
    pub fn note_answered(&self, command: &str) {
        self.keep(ANSWERED, command.trim()).or_log("noting an answered command");
    }

    /// Returns true if the prompt is the command that was answered while it was
    /// queued. It arrives once, before any other.
    pub fn take_answered(&self, words: &str) -> bool {
        let path = self.folder.join(ANSWERED);
        let answered = ralph_files::read_own_text(&path);
        ralph_files::remove_if_there(&path);
        answered.is_ok_and(|answered| answered == words.trim())
    }

    /// Notes that a loop started and its user was not told.
    pub fn note_unannounced(&self) {
        self.keep(UNANNOUNCED, "").or_log("noting an unannounced loop");
    }

    /// Returns true if the user must still be told that a loop started, and
    /// removes the note.
    pub fn take_unannounced(&self) -> bool {
        fs::remove_file(self.folder.join(UNANNOUNCED)).is_ok()
    }

    /// Returns true if the agent used a tool in the current turn.
    pub fn was_used(&self) -> bool {
        self.folder.join("used").exists()
    }

    /// Returns true if the agent used a tool since the last call.
    pub(crate) fn take_use(&self) -> bool {
        fs::remove_file(self.folder.join("used")).is_ok()
    }

    /// Returns how often in a row the agent had to continue without using a
    /// tool.
    pub(crate) fn continued(&self) -> u32 {
        let text = ralph_files::read_own_text(self.folder.join("continued")).unwrap_or_default();
        text.trim().parse().unwrap_or(0)
    }

    /// Returns true if the turn that ended with this message was answered. A
    /// host without message ids reports each end once.
    pub(crate) fn is_answered(&self, message: Option<&str>) -> bool {
        let known = ralph_files::read_own_text(self.folder.join("answered"));
        message.is_some() && known.ok().as_deref() == message
    }

    pub(crate) fn set_answered(&self, message: Option<&str>) {
        if let Some(message) = message {
            // If that fails, the store still refuses a second answer to the
            // same iteration.
            let _ = self.put("answered", message);
        }
    }

    pub(crate) fn set_continued(&self, count: u32) {
        self.put("continued", &count.to_string()).or_log("counting a continuation");
    }

    /// Overwrites a file. Emptying it first would make some file systems write
    /// it to the disk when it is closed.
    fn put(&self, name: &str, text: &str) -> io::Result<()> {
        let mut file = ralph_files::update_own(self.folder.join(name))?;
        file.write_all(text.as_bytes())?;
        file.set_len(text.len() as u64)
    }
}

/// The time before a run starts or resumes, see [`SessionDir::note_arming`].
#[derive(Debug)]
pub struct ArmingMarker {
    file: PathBuf,
}

impl Drop for ArmingMarker {
    fn drop(&mut self) {
        ralph_files::remove_if_there(&self.file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_tells_what_was_noted_and_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let session = SessionId::new("a:b").unwrap();
        let place = SessionDir::new(home.path(), &session);
        assert!(!place.is_marked() && !place.take_use());
        place.mark(&RunId::from_bits(1)).unwrap();
        assert!(place.is_marked() && SessionDir::any_is_marked(home.path()));
        assert_eq!(place.run(), Some(RunId::from_bits(1)));
        place.set_continued(3);
        assert_eq!(place.continued(), 3);
        place.set_answered(Some("msg_longer"));
        place.set_answered(Some("msg_1"));
        place.set_answered(None);
        assert!(place.is_answered(Some("msg_1")) && !place.is_answered(Some("msg_2")));
        assert!(!place.is_answered(None));
        place.note_use();
        assert_eq!(place.continued(), 0);
        assert!(place.was_used() && place.take_use() && !place.take_use() && !place.was_used());
        place.note_asked(Some("p-1"));
        place.note_asked(None);
        assert!(place.was_asked("p-1") && !place.was_asked("p-2"));
        place.unmark();
        assert!(!place.is_marked() && !place.folder().exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_session_lives_as_long_as_the_process_of_its_host() {
        let home = tempfile::tempdir().unwrap();
        let session = SessionId::new("s:1").unwrap();
        let place = SessionDir::new(home.path(), &session);
        let here = std::process::id();
        assert_eq!(place.liveness(here), SessionLiveness::Unknown);
        place.note_host(here).unwrap();
        assert_eq!(place.liveness(here), SessionLiveness::Here);
        let started = ralph_proc::process_start_time(here).unwrap();
        assert_eq!(SessionDir::hosts(home.path()), [(session, (here, started))]);
        assert_eq!(place.liveness(1), SessionLiveness::Elsewhere);
        place.keep(LOOP_HOST, &format!("{here} {started}")).unwrap();
        assert!(!place.is_abandoned());
        place.keep(LOOP_HOST, &format!("{here} 1")).unwrap();
        assert!(place.is_abandoned());
        fs::remove_file(place.folder().join(LOOP_HOST)).unwrap();
        assert!(!place.is_abandoned());
        place.keep(HOST, &format!("{here} 1")).unwrap();
        assert_eq!(
            place.liveness(here),
            SessionLiveness::Gone,
            "the number was given to another one"
        );
        place.forget_host();
        assert_eq!(place.liveness(here), SessionLiveness::Unknown);
        place.note_loop_host(here);
        place.note_loop_host(1);
        assert_eq!(
            SessionDir::hosts(home.path()),
            [(SessionId::new("s:1").unwrap(), (here, started))]
        );
        place.unmark();
        assert!(SessionDir::hosts(home.path()).is_empty());
    }
}
