//! `freight <grams> <zone>`: what it costs.

mod report;

use std::env;
use std::process::ExitCode;

use freight_core as core;
use freight_core::{prelude::*, zones};
use report::{Line, Table as Output};

struct Options {
    grams: u32,
    zone: Option<Region>,
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let grams = words.next().ok_or("how heavy?")?.parse().map_err(|_| "not a weight")?;
        let zone = match words.next() {
            Some(code) => Some(Region::try_from(code.as_str())?),
            None => None,
        };
        Ok(Options { grams, zone })
    }
}

fn desk() -> Desk<Stepped> {
    let steps = Stepped::new(1_900).step(core::Weight(1_000), 390);
    Desk::new(steps)
}

fn run() -> Result<(), String> {
    let options = Options::parse(env::args().skip(1))?;
    let parcel = plain(options.grams);
    let desk = desk();
    let mut output = Output::new(core::CURRENCY);
    for zone in zones!(Home, Near, Far) {
        if options.zone.is_none_or(|wanted| wanted == zone) {
            let cents = desk.quote(&parcel, zone).map_err(|refusal| refusal.to_string())?;
            output.push(Line { zone, cents });
        }
    }
    report::print(&output);
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("freight: {why}");
            ExitCode::FAILURE
        }
    }
}
