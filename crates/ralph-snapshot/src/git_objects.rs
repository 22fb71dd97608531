//! Trees and blobs of a repository, read with git's plumbing.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use ralph_core::TreeId;

use crate::error::TreeError;
use crate::git::{Git, fields};
use crate::git_watch::WatchedInput;
use crate::keeper::ContentSink;
use crate::oid::{ObjectIdHasher, ObjectKind, Oid};
use crate::path_bytes;
use crate::snapshot::{ItemKind, PathDifference, TreeItem};

/// Number of objects requested at once. They must fit in git's input buffer
/// while its output is not read.
pub(crate) const AT_ONCE: usize = 256;

/// Maximum number of paths on one command line.
const PATHS_AT_ONCE: usize = 500;

/// Blobs up to this many bytes are buffered and verified before they are passed
/// on.
const HELD: u64 = 4 * 1024 * 1024;

/// One entry of a tree.
#[derive(Clone, Debug)]
pub(crate) struct TreeEntry {
    pub(crate) item: TreeItem,
    /// `None` for a nested repository.
    pub(crate) size: Option<u64>,
}

pub(crate) type TreeEntryMap = BTreeMap<Vec<u8>, TreeEntry>;

impl Git {
    /// Lists all files of a tree without their sizes: git opens every object to
    /// find a size.
    pub(crate) fn list_names(&self, tree: &str) -> Result<TreeEntryMap, TreeError> {
        let args = ["-r", "-z", "--full-tree", tree];
        Ok(parse_listing(&self.reading("ls-tree").args(args).read()?))
    }

    /// Lists all files of a tree.
    pub(crate) fn list_tree(&self, tree: &str) -> Result<TreeEntryMap, TreeError> {
        let args = ["-r", "-z", "-l", "--full-tree", tree];
        Ok(parse_listing(&self.reading("ls-tree").args(args).read()?))
    }

    /// Returns the id of the empty tree.
    pub(crate) fn empty_tree(&self) -> Result<TreeId, TreeError> {
        let name = self.command("hash-object").args(["-t", "tree", "--stdin"]).read()?;
        Ok(TreeId::new(String::from_utf8_lossy(name.trim_ascii())))
    }

    /// Lists those of `paths` that a tree has.
    pub(crate) fn look_up(&self, tree: &str, paths: &[Vec<u8>]) -> Result<TreeEntryMap, TreeError> {
        let mut found = TreeEntryMap::new();
        for paths in paths.chunks(PATHS_AT_ONCE) {
            let args = ["-r", "-z", "-l", "--full-tree", tree, "--"];
            let paths = paths.iter().map(|path| path_bytes::from_bytes(path));
            found.extend(parse_listing(&self.reading("ls-tree").args(args).args(paths).read()?));
        }
        Ok(found)
    }

    /// Returns the paths that differ between two trees.
    pub(crate) fn diff_trees(
        &self,
        from: &str,
        to: &str,
    ) -> Result<Vec<PathDifference>, TreeError> {
        if from == to {
            return Ok(Vec::new());
        }
        let args = ["-r", "-z", "--raw", "--no-renames", "--full-index", from, to];
        let listed = self.reading("diff-tree").args(args).read()?;
        let mut fields = fields(&listed);
        let mut differences = Vec::new();
        while let (Some(head), Some(path)) = (fields.next(), fields.next()) {
            let head = String::from_utf8_lossy(head);
            let mut words = head.trim_start_matches(':').split(' ');
            let modes = [words.next(), words.next()].map(Option::unwrap_or_default);
            let mut item = |mode: &str| {
                let content = words.next().unwrap_or_default().to_owned();
                kind_of_mode(mode).map(|kind| TreeItem { kind, content })
            };
            let (from, to) = (item(modes[0]), item(modes[1]));
            differences.push(PathDifference { path: path_bytes::from_bytes(path), from, to });
        }
        Ok(differences)
    }

    /// Returns true if all of these objects exist.
    pub(crate) fn has_all(&self, objects: &[&str]) -> Result<bool, TreeError> {
        let objects: Vec<_> = objects.iter().filter(|id| !self.is_loose(id)).collect();
        if objects.is_empty() {
            return Ok(true);
        }
        let input = objects.iter().flat_map(|id| [id.as_bytes(), b"\n"].concat());
        let args = ["--batch-check=%(objecttype)"];
        let ended = self.command("cat-file").args(args);
        let answers = ended.feed_bytes(&input.collect::<Vec<_>>())?.success()?;
        Ok(!answers.split(|byte| *byte == b'\n').any(|line| line.ends_with(b" missing")))
    }

    /// Returns true if an object has a file of its own, as new ones do.
    fn is_loose(&self, id: &str) -> bool {
        let objects = self.dirs().common.join("objects");
        id.split_at_checked(2)
            .is_some_and(|(folder, file)| objects.join(folder).join(file).exists())
    }

    /// Passes the contents of these blobs to `sink`, one after the other.
    pub(crate) fn read_blobs(
        &self,
        items: &[&TreeItem],
        sink: &mut ContentSink<'_>,
    ) -> Result<(), TreeError> {
        let ids: Vec<&str> = items.iter().map(|item| &*item.content).collect();
        self.read_objects(ObjectKind::Blob, &ids, sink)
    }

    /// Passes the contents of these objects to `sink`, one after the other.
    pub(crate) fn read_objects(
        &self,
        kind: ObjectKind,
        ids: &[&str],
        sink: &mut ContentSink<'_>,
    ) -> Result<(), TreeError> {
        if ids.is_empty() {
            return Ok(());
        }
        let mut child = self.reading("cat-file").args(["--batch"]).converse()?;
        let (stdin, stdout) = (child.take_input(), child.take_output());
        let passed = match (stdin, stdout) {
            (Some(stdin), Some(stdout)) => {
                let objects = ObjectPipe { kind, stdin, stdout: BufReader::new(stdout) };
                objects.pass_on(ids, sink, &self.dirs().common)
            }
            (Some(_) | None, Some(_) | None) => Ok(()),
        };
        // It ends by itself once its input is closed, which happened above.
        let _ = child.wait();
        passed
    }
}

struct ObjectPipe<R> {
    kind: ObjectKind,
    stdin: WatchedInput,
    stdout: R,
}

impl<R: BufRead> ObjectPipe<R> {
    /// Requests many objects at once, so that git finds the next while one is
    /// used.
    fn pass_on(
        mut self,
        ids: &[&str],
        sink: &mut ContentSink<'_>,
        common: &Path,
    ) -> Result<(), TreeError> {
        let talking = || TreeError::io("read objects of", common);
        let mut position = 0;
        for ids in ids.chunks(AT_ONCE) {
            let asked: String = ids.iter().flat_map(|id| [*id, "\n"]).collect();
            self.stdin.write_all(asked.as_bytes()).map_err(talking())?;
            for id in ids {
                let size = read_head(&mut self.stdout, id).map_err(talking())?;
                let mut content =
                    VerifyingReader::new(self.kind, size, (&mut self.stdout).take(size));
                if size <= HELD {
                    // Verified before it is passed on.
                    let mut held = Vec::new();
                    content.read_to_end(&mut held).map_err(talking())?;
                    content.check(id)?;
                    sink(position, &mut &*held)?;
                } else {
                    sink(position, &mut content)?;
                    io::copy(&mut content, &mut io::sink()).map_err(talking())?;
                    content.check(id)?;
                }
                // The newline after it.
                io::copy(&mut (&mut self.stdout).take(1), &mut io::sink()).map_err(talking())?;
                position += 1;
            }
        }
        Ok(())
    }
}

/// Reads an object and computes its id on the way.
struct VerifyingReader<R> {
    inner: R,
    naming: ObjectIdHasher,
}

impl<R: Read> VerifyingReader<R> {
    fn new(kind: ObjectKind, size: u64, inner: R) -> Self {
        Self { inner, naming: ObjectIdHasher::new(kind, size) }
    }

    /// Fails if the contents do not have this id. SHA-256 ids are not checked.
    fn check(self, id: &str) -> Result<(), TreeError> {
        let is_right = Oid::parse(id).is_none_or(|id| id == self.naming.end());
        if is_right { Ok(()) } else { Err(TreeError::Altered { id: id.to_owned() }) }
    }
}

impl<R: Read> Read for VerifyingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.naming.add(&buffer[..read]);
        Ok(read)
    }
}

/// Reads the line before the contents of an object; returns its size.
pub(crate) fn read_head(answers: &mut impl BufRead, id: &str) -> io::Result<u64> {
    let mut line = String::new();
    answers.read_line(&mut line)?;
    let size = line.trim_end().rsplit_once(' ').and_then(|(_, size)| size.parse().ok());
    size.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("no object {id}")))
}

fn parse_listing(listed: &[u8]) -> TreeEntryMap {
    fields(listed).filter_map(parse_entry).collect()
}

/// Parses `mode type id`, perhaps a size, a tab and the path.
fn parse_entry(line: &[u8]) -> Option<(Vec<u8>, TreeEntry)> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let head = String::from_utf8_lossy(&line[..tab]).into_owned();
    let mut words = head.split_ascii_whitespace();
    let kind = kind_of_mode(words.next()?)?;
    let content = words.nth(1)?.to_owned();
    let size = words.next().and_then(|size| size.parse().ok());
    Some((line[tab + 1..].to_vec(), TreeEntry { item: TreeItem { kind, content }, size }))
}

/// Returns the kind of a file mode; `None` if the file does not exist, which
/// git writes as zeros.
fn kind_of_mode(mode: &str) -> Option<ItemKind> {
    match mode {
        "100644" | "100664" => Some(ItemKind::File),
        "100755" => Some(ItemKind::Executable),
        "120000" => Some(ItemKind::Link),
        "160000" => Some(ItemKind::Opaque),
        _ => None,
    }
}

/// Quotes a path for the commands that read one path a line.
pub(crate) fn quote_line(path: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'"'];
    for byte in path {
        match byte {
            b'"' | b'\\' => quoted.extend([b'\\', *byte]),
            0x20..=0x7e => quoted.push(*byte),
            _ => quoted.extend(format!("\\{byte:03o}").bytes()),
        }
    }
    quoted.extend(b"\"\n");
    quoted
}

/// Returns the absolute path of a file in the work tree of `git`.
pub(crate) fn on_disk(git: &Git, path: &[u8]) -> PathBuf {
    git.root().join(path_bytes::from_bytes(path))
}
