//! Attempts to break out of a sandbox.
//!
//! Each is a script for `sh`. It succeeds if it broke out as far as it can tell
//! from inside; a look from outside confirms those that have one. Variables name the targets:
//! `$HOME`, `$OUT` (a folder outside), `$STATE` (the state of ralph), `$PID` (a process
//! outside), `$AGENT`, `$DOCKER` and `$BUS` (sockets), `$ABSTRACT` (an abstract socket),
//! `$SHM` (a file in shared memory), `$TCP` and `$UDP` (ports outside), `$ID` (a name that
//! occurs nowhere else).

/// One attempt.
pub(super) struct Escape {
    /// The guarantee that it breaks.
    pub(super) guarantee: &'static str,
    pub(super) script: &'static str,
    /// A script that runs outside afterwards and succeeds if something happened there.
    pub(super) outside: Option<&'static str>,
}

const fn inside(guarantee: &'static str, script: &'static str) -> Escape {
    Escape { guarantee, script, outside: None }
}

const fn seen(guarantee: &'static str, script: &'static str, outside: &'static str) -> Escape {
    Escape { guarantee, script, outside: Some(outside) }
}

/// All attempts.
pub(super) const ESCAPES: &[Escape] = &[
    // Writing outside.
    inside("writes", "echo x > $OUT/new"),
    inside("writes", "echo x >> $OUT/file"),
    inside("writes", ": > $OUT/file"),
    inside("writes", "truncate -s 0 $OUT/file"),
    inside("writes", "rm $OUT/victim"),
    inside("writes", "mv $OUT/victim ."),
    inside("writes", "mv $OUT/victim $OUT/moved"),
    inside("writes", "mkdir $OUT/folder"),
    inside("writes", "ln -s $OUT link && echo x > link/new"),
    inside("writes", "ln $OUT/file hard && echo x >> hard"),
    inside("writes", "cp -l $OUT/file linked && echo x >> linked"),
    inside("writes", "echo x > /proc/self/root$OUT/new"),
    inside("writes", "echo x > /proc/1/root$OUT/new"),
    inside("writes", "echo x > /proc/$PID/cwd/new"),
    inside(
        "writes",
        "python3 -c 'import os; f = os.open(os.environ[\"OUT\"], os.O_PATH); os.open(\"n\", os.O_CREAT | os.O_WRONLY, dir_fd=f)'",
    ),
    inside("writes", "python3 -c 'import os; os.mkfifo(os.environ[\"OUT\"] + \"/pipe\")'"),
    inside("writes", "echo x >> ~/.bashrc"),
    inside("writes", "echo x > ~/.profile"),
    inside("writes", "echo x > ~/.zshenv"),
    inside("writes", "mkdir -p ~/.config/autostart"),
    inside("writes", "mkdir -p ~/.config/systemd/user"),
    inside("writes", "mkdir -p ~/.local/bin && echo x > ~/.local/bin/ls"),
    inside("writes", "git config --global core.pager evil"),
    inside("writes", "echo x > ~/.ssh/authorized_keys"),
    inside("writes", "echo x >> ~/other/main.py"),
    inside("writes", "echo x > ~/other/.git/hooks/post-checkout"),
    inside("writes", "echo x > /etc/$ID"),
    inside("writes", "echo x > /usr/local/bin/$ID"),
    inside("writes", "cat /proc/sys/vm/swappiness > value && cat value > /proc/sys/vm/swappiness"),
    seen("writes", "echo x > /tmp/$ID", "test -e /tmp/$ID"),
    seen("writes", "echo x > /var/tmp/$ID", "test -e /var/tmp/$ID"),
    inside("writes", "unshare -Urm sh -c 'mount -o remount,rw,bind / && echo x > $OUT/new'"),
    inside("writes", "unshare -Urm sh -c 'mount --bind $OUT . && echo x > $OUT/new'"),
    // Modes and times of files outside.
    inside("attributes", "chmod 777 $OUT/file"),
    inside("attributes", "touch -d 2001-01-01 $OUT/file"),
    inside(
        "attributes",
        "python3 -c 'import os; os.setxattr(os.environ[\"OUT\"] + \"/file\", \"user.x\", b\"\")'",
    ),
    // Reading what is hidden.
    inside("secrets", "grep -q secret ~/.ssh/id_rsa"),
    inside("secrets", "grep -q secret ~/.aws/credentials"),
    inside("secrets", "grep -q secret ~/.netrc"),
    inside("secrets", "grep -q secret ~/.git-credentials"),
    inside("secrets", "grep -q secret ~/.bash_history"),
    inside("secrets", "grep -q secret ~/.local/share/keyrings/login.keyring"),
    inside("secrets", "ln -s ~/.ssh keys && grep -q secret keys/id_rsa"),
    inside("secrets", "ln ~/.ssh/id_rsa key && grep -q secret key"),
    inside("secrets", "grep -q secret /proc/self/root$HOME/.ssh/id_rsa"),
    inside("secrets", "unshare -Urm sh -c 'umount -l ~/.ssh && grep -q secret ~/.ssh/id_rsa'"),
    inside(
        "secrets",
        "head -c 1 $(ls /dev/vda /dev/sda /dev/nvme0n1 2>/dev/null | head -n 1) | grep -q ''",
    ),
    inside("names", "ls ~/.ssh | grep -q id_rsa"),
    // Our state.
    inside("state", "cat .git/ralph/ralph.db | grep -q state"),
    inside("state", "echo x >> .git/ralph/ralph.db"),
    inside("state", "rm -r .git/ralph && test ! -e .git/ralph"),
    inside("state", "cat .git/refs/ralph/run-1/0 | grep -q ."),
    seen(
        "state",
        "git update-ref -d refs/ralph/run-1/0",
        "! git rev-parse -q --verify refs/ralph/run-1/0",
    ),
    inside("state", "mv .git/refs/ralph .git/refs/other"),
    inside("secrets", "cat $STATE/notes | grep -q state"),
    inside("writes", "echo x > $STATE/notes"),
    // The settings of git, which others execute.
    inside("git_settings", "echo x > .git/hooks/pre-commit"),
    inside("git_settings", "echo x >> .git/config"),
    inside("git_settings", "git config core.fsmonitor ./evil"),
    inside("git_settings", "mv .git/hooks .git/old && mkdir .git/hooks"),
    inside("git_settings", "mv .git .old && mkdir .git"),
    seen("git_settings", "echo ../evil > .git/commondir", "test -e .git/commondir"),
    seen("git_settings", "echo x > .git/config.worktree", "test -e .git/config.worktree"),
    // The scripts of checks, and our settings.
    inside("fixed_files", "echo 'exit 0' > check.sh"),
    inside("fixed_files", "echo 'exit 0' > new && mv new check.sh"),
    inside("fixed_files", "rm check.sh"),
    inside("fixed_files", "echo >> ralph.toml"),
    inside("fixed_files", "sed -i s/x/y/ ralph.toml"),
    // Processes outside.
    inside("tracing", "cat /proc/$PID/environ | grep -q ''"),
    inside("tracing", "ls /proc/$PID/fd | grep -q 0"),
    inside("tracing", "head -c 1 /proc/$PID/maps | grep -q ''"),
    inside(
        "tracing",
        "python3 -c 'import ctypes, os; c = ctypes.CDLL(None); exit(c.ptrace(16, int(os.environ[\"PID\"]), 0, 0) != 0)'",
    ),
    inside("signals", "kill -0 $PID"),
    inside("signals", "kill -CONT $PID"),
    inside(
        "signals",
        "python3 -c 'import os, signal; signal.pidfd_send_signal(os.pidfd_open(int(os.environ[\"PID\"])), signal.SIGCONT)'",
    ),
    inside("processes", "grep -q sleep /proc/$PID/cmdline"),
    // Sockets of other programs.
    inside("sockets", "python3 $REACH unix $AGENT"),
    inside("sockets", "python3 $REACH unix $DOCKER"),
    inside("sockets", "python3 $REACH unix $BUS"),
    inside("sockets", "ln -s $DOCKER docker && python3 $REACH unix docker"),
    inside("abstract_sockets", "python3 $REACH abstract $ABSTRACT"),
    // Memory of other programs.
    seen("shared_memory", "echo x >> $SHM", "test $(wc -l < $SHM) -gt 1"),
    inside(
        "shared_memory",
        "python3 -c 'import ctypes; c = ctypes.CDLL(None); exit(c.shmget(0x72616c70, 0, 0) < 0)'",
    ),
    // The network.
    inside("network", "python3 $REACH tcp $TCP"),
    inside("network", "python3 $REACH mapped $TCP"),
    seen("network", "python3 $REACH udp $UDP", "test -e $OUT/datagram"),
];
