//! What is known of a session by a look at the file system alone.
//!
//! Most events of a host are none of our business. Whether one is must be
//! found out without opening the store.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ralph_core::{RunId, SessionId, Timestamp};

use crate::driver::turn::make_private_folder;

/// The file that names the process of the host.
const HOST: &str = "host";

/// The file that names the process of the host as long as a run belongs to the
/// session, whether or not anything else is kept of it.
const LOOP_HOST: &str = "loop-host";

/// The file that names what was shown last of what waits in the host.
const SHOWN: &str = "shown";

/// The file that says how far the host's transcript was looked through for what
/// waits, and what does.
const QUEUE: &str = "queue";

/// The file that holds the command that was answered while it waited in the host.
const ANSWERED: &str = "answered";

/// The file that is there until the user was told that a loop began.
const UNANNOUNCED: &str = "unannounced";

/// The file that says when the session went on with its run.
const RESUMED: &str = "resumed";

/// Where a session lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dwelling {
    /// In the process that was asked about.
    Here,
    /// In another one.
    Elsewhere,
    /// In one that is gone.
    Gone,
    /// Nobody noted it, or it was left in good order.
    Unknown,
}

/// The folder of one session in the state home.
#[derive(Clone, Debug)]
pub struct Place {
    folder: PathBuf,
}

impl Place {
    /// The place of this session; the folder may not exist.
    pub fn new(home: &Path, session: &SessionId) -> Self {
        // A colon is not allowed in file names everywhere.
        let name = session.as_str().replace(':', "%3a");
        Self { folder: home.join("sessions").join(name) }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a run may belong to the session. The store knows for sure.
    pub fn is_marked(&self) -> bool {
        self.folder.join("run").exists()
    }

    /// Whether a run may belong to any session.
    pub fn any_is_marked(home: &Path) -> bool {
        let places = fs::read_dir(home.join("sessions")).into_iter().flatten().flatten();
        places.into_iter().any(|place| place.path().join("run").exists())
    }

    /// The run that was noted last for the session.
    pub fn run(&self) -> Option<RunId> {
        ralph_files::read_own_text(self.folder.join("run")).ok()?.trim().parse().ok()
    }

    /// Notes that a run belongs to the session.
    pub fn mark(&self, run: &RunId) -> io::Result<()> {
        self.keep("run", &format!("{run}\n"))
    }

    /// Keeps a text in a file that only its owner may read.
    pub fn keep(&self, name: &str, text: &str) -> io::Result<()> {
        make_private_folder(&self.folder)?;
        ralph_files::write_own(self.folder.join(name), text)
    }

    /// Adds to such a file, at once: others may be adding to it.
    pub fn add(&self, name: &str, text: &str) -> io::Result<()> {
        make_private_folder(&self.folder)?;
        ralph_files::append_own(self.folder.join(name))?.write_all(text.as_bytes())
    }

    /// Notes that this process looks at the files before a run begins or goes
    /// on. It lasts as long as what is returned, or as the process.
    pub fn note_arming(&self) -> Arming {
        let pid = std::process::id();
        let started = ralph_proc::process_start_time(pid).unwrap_or_default();
        // Should that fail, a turn that ends meanwhile counts: the lesser harm.
        let _ = self.keep("arming", &format!("{pid} {started}"));
        Arming { file: self.folder.join("arming") }
    }

    /// Whether somebody looks at the files before the run begins or goes on:
    /// whatever turn ends now is none of the run's.
    pub(crate) fn is_arming(&self) -> bool {
        let process = self.process("arming");
        process.is_some_and(|(pid, start)| ralph_proc::process_start_time(pid) == Some(start))
    }

    /// Notes which process of the host the session lives in.
    pub fn note_host(&self, pid: u32) -> io::Result<()> {
        match ralph_proc::process_start_time(pid) {
            Some(started) => self.keep(HOST, &format!("{pid} {started}")),
            None => Ok(()),
        }
    }

    /// Notes which process of the host takes the turns of the session's run.
    /// One that lives is not replaced: an agent may call hooks itself.
    pub fn note_loop_host(&self, pid: u32) {
        let is_alive = |(known, started)| ralph_proc::process_start_time(known) == Some(started);
        if self.process(LOOP_HOST).is_some_and(is_alive) {
            return;
        }
        if let Some(started) = ralph_proc::process_start_time(pid) {
            // Should that fail, the variables of the host still tell.
            let _ = self.keep(LOOP_HOST, &format!("{pid} {started}"));
        }
    }

    /// Whether the process that took the turns of the session's run is gone.
    /// Where none was noted it counts as alive.
    pub fn is_abandoned(&self) -> bool {
        let is_gone = |(pid, started)| ralph_proc::process_start_time(pid) != Some(started);
        self.process(LOOP_HOST).is_some_and(is_gone)
    }

    /// Whether another process than `caller` takes the turns of the session's
    /// run, and lives.
    pub(crate) fn is_at_work_beside(&self, caller: u32) -> bool {
        let lives = |(pid, started)| ralph_proc::process_start_time(pid) == Some(started);
        self.process(LOOP_HOST).is_some_and(|host| host.0 != caller && lives(host))
    }

    /// Notes that the session lives in no process any more.
    pub fn forget_host(&self) {
        let _ = fs::remove_file(self.folder.join(HOST));
    }

    /// The sessions that are known to live in a process, and those processes.
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

    /// Where the session lives, told from a process of a host.
    pub fn dwelling(&self, here: u32) -> Dwelling {
        let Some((pid, started)) = self.process(HOST) else { return Dwelling::Unknown };
        match ralph_proc::process_start_time(pid) == Some(started) {
            true if pid == here => Dwelling::Here,
            true => Dwelling::Elsewhere,
            false => Dwelling::Gone,
        }
    }

    /// The process that a file names, and when it was started.
    fn process(&self, name: &str) -> Option<(u32, u64)> {
        let text = ralph_files::read_own_text(self.folder.join(name)).ok()?;
        let (pid, started) = text.split_once(' ')?;
        Some((pid.parse().ok()?, started.parse().ok()?))
    }

    /// Notes that no run belongs to the session any more.
    pub fn unmark(&self) {
        let names = ["run", "used", "continued", "cleared", "asked", "answered"];
        for name in names.into_iter().chain([SHOWN, QUEUE, RESUMED, LOOP_HOST]) {
            let _ = fs::remove_file(self.folder.join(name));
        }
        // Goes only if nothing else is kept here.
        let _ = fs::remove_dir(&self.folder);
    }

    /// Whether the user emptied the session, so that another one follows it.
    pub fn was_cleared(&self) -> bool {
        self.folder.join("cleared").exists()
    }

    /// Notes that the user emptied the session.
    pub(crate) fn note_cleared(&self) {
        let _ = ralph_files::write_own(self.folder.join("cleared"), "");
    }

    /// Notes that the agent used a tool, so that files may have changed.
    pub fn note_use(&self) {
        // Should that fail, the next snapshot has what this one misses.
        let _ = ralph_files::write_own(self.folder.join("used"), "");
        let _ = fs::remove_file(self.folder.join("continued"));
    }

    /// Notes which words of the user the present turn follows from, in the
    /// host's name for them.
    pub fn note_asked(&self, prompt: Option<&str>) {
        if let Some(prompt) = prompt.filter(|prompt| !self.was_asked(prompt)) {
            let _ = self.keep("asked", prompt);
        }
    }

    /// Whether the present turn follows from these words of the user.
    pub(crate) fn was_asked(&self, prompt: &str) -> bool {
        ralph_files::read_own_text(self.folder.join("asked")).is_ok_and(|asked| asked == prompt)
    }

    /// Notes when the session went on with its run.
    pub fn note_resumed(&self, now: Timestamp) {
        let _ = self.keep(RESUMED, &now.as_millis().to_string());
    }

    /// When the session went on with its run last.
    pub fn resumed(&self) -> Option<Timestamp> {
        let text = ralph_files::read_own_text(self.folder.join(RESUMED)).ok()?;
        text.trim().parse().ok().map(Timestamp::from_millis)
    }

    /// Whether something that waits in the host was shown before. It is from
    /// then on, by the host's name for it.
    pub fn was_shown(&self, name: &str) -> bool {
        let is_known =
            ralph_files::read_own_text(self.folder.join(SHOWN)).is_ok_and(|shown| shown == name);
        if !is_known {
            let _ = self.keep(SHOWN, name);
        }
        is_known
    }

    /// What is known of what waits in the host.
    pub(crate) fn queue(&self) -> Option<String> {
        ralph_files::read_own_text(self.folder.join(QUEUE)).ok()
    }

    /// Notes what is known of what waits in the host.
    pub(crate) fn set_queue(&self, text: &str) {
        let _ = self.put(QUEUE, text);
    }

    /// Notes that a command was answered that still waits in the host.
    pub fn note_answered(&self, command: &str) {
        let _ = self.keep(ANSWERED, command.trim());
    }

    /// Whether the user's words are the command that was answered while it waited.
    /// They come once, before any others.
    pub fn take_answered(&self, words: &str) -> bool {
        let path = self.folder.join(ANSWERED);
        let answered = ralph_files::read_own_text(&path);
        let _ = answered.is_ok().then(|| fs::remove_file(&path));
        answered.is_ok_and(|answered| answered == words.trim())
    }

    /// Notes that a loop began which its user was not told of.
    pub fn note_unannounced(&self) {
        let _ = self.keep(UNANNOUNCED, "");
    }

    /// Whether the user has yet to be told that a loop began; it is told now.
    pub fn take_unannounced(&self) -> bool {
        fs::remove_file(self.folder.join(UNANNOUNCED)).is_ok()
    }

    /// Whether the agent used a tool in the present turn.
    pub fn was_used(&self) -> bool {
        self.folder.join("used").exists()
    }

    /// Whether the agent used a tool since this was asked last.
    pub(crate) fn take_use(&self) -> bool {
        fs::remove_file(self.folder.join("used")).is_ok()
    }

    /// How often in a row the agent was made to go on without using a tool.
    pub(crate) fn continued(&self) -> u32 {
        let text = ralph_files::read_own_text(self.folder.join("continued")).unwrap_or_default();
        text.trim().parse().unwrap_or(0)
    }

    /// Whether the turn that ended with this message was answered. A host that
    /// does not name its messages tells of each end once.
    pub(crate) fn is_answered(&self, message: Option<&str>) -> bool {
        let known = ralph_files::read_own_text(self.folder.join("answered"));
        message.is_some() && known.ok().as_deref() == message
    }

    pub(crate) fn set_answered(&self, message: Option<&str>) {
        if let Some(message) = message {
            // Should that fail, the store still refuses a second answer to
            // the same iteration.
            let _ = self.put("answered", message);
        }
    }

    pub(crate) fn set_continued(&self, count: u32) {
        let _ = self.put("continued", &count.to_string());
    }

    /// Writes over what a file holds. To empty it first would make some file
    /// systems write it to the disk when it is closed.
    fn put(&self, name: &str, text: &str) -> io::Result<()> {
        let mut file = ralph_files::update_own(self.folder.join(name))?;
        file.write_all(text.as_bytes())?;
        file.set_len(text.len() as u64)
    }
}

/// The time before a run begins or goes on, see [`Place::note_arming`].
#[derive(Debug)]
pub struct Arming {
    file: PathBuf,
}

impl Drop for Arming {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_tells_what_was_noted_and_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let session = SessionId::new("a:b").unwrap();
        let place = Place::new(home.path(), &session);
        assert!(!place.is_marked() && !place.take_use());
        place.mark(&RunId::from_bits(1)).unwrap();
        assert!(place.is_marked() && Place::any_is_marked(home.path()));
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
        let place = Place::new(home.path(), &session);
        let here = std::process::id();
        assert_eq!(place.dwelling(here), Dwelling::Unknown);
        place.note_host(here).unwrap();
        assert_eq!(place.dwelling(here), Dwelling::Here);
        let started = ralph_proc::process_start_time(here).unwrap();
        assert_eq!(Place::hosts(home.path()), [(session, (here, started))]);
        assert_eq!(place.dwelling(1), Dwelling::Elsewhere);
        place.keep(LOOP_HOST, &format!("{here} {started}")).unwrap();
        assert!(!place.is_abandoned());
        place.keep(LOOP_HOST, &format!("{here} 1")).unwrap();
        assert!(place.is_abandoned());
        fs::remove_file(place.folder().join(LOOP_HOST)).unwrap();
        assert!(!place.is_abandoned());
        place.keep(HOST, &format!("{here} 1")).unwrap();
        assert_eq!(place.dwelling(here), Dwelling::Gone, "the number was given to another one");
        place.forget_host();
        assert_eq!(place.dwelling(here), Dwelling::Unknown);
        place.note_loop_host(here);
        place.note_loop_host(1);
        assert_eq!(Place::hosts(home.path()), [(SessionId::new("s:1").unwrap(), (here, started))]);
        place.unmark();
        assert!(Place::hosts(home.path()).is_empty());
    }
}
