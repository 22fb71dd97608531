//! The namespaces and mounts of an overlay.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::sys::stat::{Mode, SFlag, makedev, mknod};

use super::{FileOverlay, NO_MEANS, OverlayContent, OverlayFile, OverlayMethod};

/// The content of a user map that maps every user.
const EVERYBODY: &str = "0 0 4294967295";

/// Mounts the overlay over its folder, for this process and its children only.
/// `scratch` is a folder that they need not see.
pub(super) fn lay_over(
    overlay: &FileOverlay,
    way: OverlayMethod,
    scratch: &Path,
) -> Result<(), String> {
    let place = std::env::current_dir().map_err(told("find the current folder", scratch))?;
    let user = rustix::process::getuid().as_raw();
    let group = rustix::process::getgid().as_raw();
    enter_namespaces(user, group)?;
    let nothing = None::<&str>;
    let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(nothing, "/", nothing, private, nothing).map_err(refused("make mounts private"))?;
    mount(Some("tmpfs"), scratch, Some("tmpfs"), MsFlags::empty(), nothing)
        .map_err(refused("mount a tmpfs"))?;
    match way {
        OverlayMethod::Layers => layers(overlay, scratch)?,
        OverlayMethod::Copy => copy(overlay, scratch)?,
    }
    umount2(scratch, MntFlags::MNT_DETACH).map_err(refused("unmount the tmpfs"))?;
    leave_rights(user, group)?;
    // The current folder is still the one below the mount.
    std::env::set_current_dir(&place).map_err(told("go back to", &place))
}

/// Enters a user namespace in which we are root, and so may mount.
fn enter_namespaces(user: u32, group: u32) -> Result<(), String> {
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)
        .map_err(refused("make a namespace"))?;
    map_users(&format!("0 {user} 1"), &format!("0 {group} 1"), user)
}

/// Enters a second user namespace in which we are the user again and cannot
/// undo the mounts.
fn leave_rights(user: u32, group: u32) -> Result<(), String> {
    unshare(CloneFlags::CLONE_NEWUSER).map_err(refused("make a second namespace"))?;
    map_users(&format!("{user} 0 1"), &format!("{group} 0 1"), user)
}

fn map_users(users: &str, groups: &str, user: u32) -> Result<(), String> {
    let write = |file: &str, text: &str| {
        let path = Path::new("/proc/self").join(file);
        fs::write(path, text).map_err(|error| format!("{NO_MEANS} write {file}: {error}"))
    };
    if user == 0 && write("uid_map", EVERYBODY).is_ok() {
        return write("gid_map", EVERYBODY);
    }
    write("setgroups", "deny")?;
    write("uid_map", users)?;
    write("gid_map", groups)
}

/// Mounts the overlay file system over its folder and the other folders.
fn layers(overlay: &FileOverlay, scratch: &Path) -> Result<(), String> {
    let replaced = scratch.join("files");
    make_folder(&replaced, &overlay.root)?;
    for file in &overlay.files {
        put(file, &replaced, &overlay.root)?;
    }
    mount_layers(&[&replaced, &overlay.root], &overlay.root, &scratch.join("0"))?;
    for (number, other) in overlay.others.iter().enumerate() {
        mount_layers(&[other], other, &scratch.join((number + 1).to_string()))?;
    }
    Ok(())
}

/// Mounts these folders, the topmost first, at `target`. Writes go to a folder
/// below `room`.
fn mount_layers(lower: &[&Path], target: &Path, room: &Path) -> Result<(), String> {
    let (upper, work) = (room.join("upper"), room.join("work"));
    make_folder(&upper, target)?;
    make_folder(&work, target)?;
    probe_attributes(&upper)?;
    // Passed by number, because a path may contain the separator of the
    // options.
    let lower: Vec<OwnedFd> = lower.iter().map(|path| open(path)).collect::<Result<_, _>>()?;
    let (upper, work) = (open(&upper)?, open(&work)?);
    let path = |folder: &OwnedFd| format!("/proc/self/fd/{}", folder.as_raw_fd());
    let layers: Vec<String> = lower.iter().map(path).collect();
    let options = format!(
        "userxattr,xino=on,lowerdir={},upperdir={},workdir={}",
        layers.join(":"),
        path(&upper),
        path(&work)
    );
    mount(Some("overlay"), target, Some("overlay"), MsFlags::empty(), Some(options.as_str()))
        .map_err(refused("mount an overlay"))
}

/// Checks that the tmpfs has user attributes. Without them the overlay cannot
/// rename folders.
fn probe_attributes(folder: &Path) -> Result<(), String> {
    rustix::fs::setxattr(folder, "user.ralph", b"", rustix::fs::XattrFlags::empty())
        .map_err(|error| format!("{NO_MEANS} set attributes on a tmpfs: {error}"))
}

/// Copies the folder and mounts the copy over it.
fn copy(overlay: &FileOverlay, scratch: &Path) -> Result<(), String> {
    let whole = scratch.join("copy");
    let mut bound = Vec::new();
    copy_folder(&overlay.root, &whole, overlay, Path::new(""), &mut bound)?;
    for file in &overlay.files {
        clear(&whole.join(&file.path)).map_err(told("hide", &file.path))?;
        if file.seen != OverlayContent::Nothing {
            put(file, &whole, &overlay.root)?;
        }
    }
    for path in bound.iter().filter(|path| whole.join(path).exists()) {
        bind(&overlay.root.join(path), &whole.join(path), WriteAccess::Refused)?;
    }
    bind(&whole, &overlay.root, WriteAccess::Allowed)?;
    overlay.others.iter().try_for_each(|other| bind(other, other, WriteAccess::Refused))
}

/// Copies the content of a folder; a fixed path becomes an empty folder.
fn copy_folder(
    from: &Path,
    to: &Path,
    overlay: &FileOverlay,
    relative: &Path,
    bound: &mut Vec<PathBuf>,
) -> Result<(), String> {
    make_folder(to, from)?;
    let entries = fs::read_dir(from).map_err(told("read", from))?;
    for entry in entries {
        let entry = entry.map_err(told("read", from))?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let relative = relative.join(entry.file_name());
        let kind = entry.file_type().map_err(told("read", &source))?;
        if overlay.fixed.contains(&relative) && kind.is_dir() {
            fs::create_dir(&target).map_err(told("make", &target))?;
            if is_read_only(&source) {
                bound.push(relative);
            }
        } else if kind.is_dir() {
            copy_folder(&source, &target, overlay, &relative, bound)?;
        } else if kind.is_symlink() {
            let link = fs::read_link(&source).map_err(told("read", &source))?;
            symlink(link, &target).map_err(told("make", &target))?;
        } else if kind.is_file() {
            fs::copy(&source, &target).map_err(told("copy", &source))?;
        }
    }
    Ok(())
}

/// Returns true if a fixed folder is needed unchanged: a repository or
/// installed packages. Any other holds build output and starts empty.
fn is_read_only(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default();
    name == ".git"
        || name == "node_modules"
        || folder.join("pyvenv.cfg").exists()
        || folder.join("autoload.php").exists()
}

/// Removes a path. For a link, its target stays.
fn clear(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WriteAccess {
    Allowed,
    Refused,
}

fn bind(from: &Path, to: &Path, writing: WriteAccess) -> Result<(), String> {
    let nothing = None::<&str>;
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    mount(Some(from), to, nothing, flags, nothing).map_err(refused("bind a folder"))?;
    if writing == WriteAccess::Allowed {
        return Ok(());
    }
    // Users may not remove the flags that the mount has already.
    let has = nix::sys::statvfs::statvfs(to).map_err(refused("look at a mount"))?.flags();
    let mut flags = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY;
    for (flag, kept) in [
        (nix::sys::statvfs::FsFlags::ST_NOSUID, MsFlags::MS_NOSUID),
        (nix::sys::statvfs::FsFlags::ST_NODEV, MsFlags::MS_NODEV),
        (nix::sys::statvfs::FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
    ] {
        if has.contains(flag) {
            flags |= kept;
        }
    }
    mount(nothing, to, nothing, flags, nothing).map_err(refused("make a mount read-only"))
}

/// Puts one file into the overlay. It is dated now, so that build results of
/// another version do not count as newer.
fn put(file: &OverlayFile, into: &Path, root: &Path) -> Result<(), String> {
    let target = into.join(&file.path);
    let folders: Vec<&Path> = file.path.ancestors().skip(1).collect();
    for folder in folders.into_iter().rev() {
        let path = into.join(folder);
        if !fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()) {
            clear(&path).map_err(told("replace", folder))?;
            make_folder(&path, &root.join(folder))?;
        }
    }
    let write = |contents: &[u8], mode: u32| {
        fs::write(&target, contents)
            .and_then(|()| fs::set_permissions(&target, Permissions::from_mode(mode)))
            .map_err(told("write", &file.path))
    };
    match &file.seen {
        OverlayContent::File(contents) => write(contents, 0o644),
        OverlayContent::Program(contents) => write(contents, 0o755),
        // The overlay's own sign for a deleted file.
        OverlayContent::Nothing => mknod(&target, SFlag::S_IFCHR, Mode::empty(), makedev(0, 0))
            .map_err(refused("hide a file")),
    }
}

/// Makes a folder with the mode of another, if that exists.
fn make_folder(path: &Path, like: &Path) -> Result<(), String> {
    let mode = fs::metadata(like).map_or(0o755, |found| found.permissions().mode());
    fs::create_dir_all(path)
        .and_then(|()| fs::set_permissions(path, Permissions::from_mode(mode | 0o700)))
        .map_err(told("make", path))
}

fn open(path: &Path) -> Result<OwnedFd, String> {
    File::open(path).map(OwnedFd::from).map_err(told("open", path))
}

fn refused(what: &'static str) -> impl FnOnce(nix::Error) -> String {
    move |errno| format!("{NO_MEANS} {what}: {errno}")
}

fn told<'a>(what: &'a str, path: &'a Path) -> impl FnOnce(io::Error) -> String + use<'a> {
    move |error| format!("cannot {what} {}: {error}", path.display())
}
