//! `ralph memory bootstrap`: learns from commits.

use ralph_core::locale::Locale;
use ralph_engine::likely::{COMMITS, LearningResult};
use ralph_engine::wire::likely as wire;

use super::files::place;
use crate::app::App;
use crate::commands::code::progress::IndexProgressBar;
use crate::error::CliError;
use crate::out;
use crate::texts::counted;

/// Learn from the project's commits which files belong to which words
///
/// Reads the code, and the commits that were not read before. `ralph memory
/// files` does the same by itself when it is asked, and a hook that has no time
/// for it starts this in the background.
#[derive(clap::Args, Debug)]
pub(super) struct BootstrapArgs {
    /// How many commits to learn from, the newest
    #[arg(long, short = 'n', value_name = "N", default_value_t = COMMITS, value_parser = super::some())]
    limit: usize,
    /// Forget what was read and read all of it again
    #[arg(long)]
    rebuild: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &BootstrapArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let mut bar = IndexProgressBar::new(app.locale());
    let place = place(&app, args.limit);
    let learned = if args.rebuild {
        place.learn_anew(&mut |progress| bar.show_likely(progress))
    } else {
        place.read_all(&mut |progress| bar.show_likely(progress))
    };
    bar.clear();
    let learned = learned?;
    if args.json {
        out::line(wire::learned(&learned));
    } else {
        out::line(told(&learned, app.locale()));
    }
    Ok(0)
}

fn told(learned: &LearningResult, locale: Locale) -> String {
    let LearningResult { head, commits, read, is_shallow } = learned;
    let mut text = match (head, locale) {
        (None, Locale::En) => "There is no commit yet.".to_owned(),
        (None, Locale::Ko) => "아직 커밋이 없습니다.".to_owned(),
        (Some(_), Locale::En) => {
            let commits = counted(*commits, "commit");
            format!("Learned from {commits}, {read} of them read just now.")
        }
        (Some(_), Locale::Ko) => {
            format!("커밋 {commits}개에서 배웠으며, 그중 {read}개를 지금 읽었습니다.")
        }
    };
    if *is_shallow {
        text.push_str(locale.say(
            " The clone is shallow: `git fetch --unshallow` brings older ones.",
            " 얕은 복제본입니다. `git fetch --unshallow`로 이전 커밋을 가져옵니다.",
        ));
    }
    text
}
