use freight_core::parcel::{self, Size};
use freight_core::prelude::*;
use freight_core::rates::{self, Flat};
use freight_core::{Refusal, Weight};

fn stepped() -> Stepped {
    Stepped::new(900).step(Weight(2_000), 400)
}

#[test]
fn the_flat_rate_wins_far_away() {
    let (name, _) = rates::cheaper(&stepped(), &Flat { cents: 10 }, &plain(500), Region::Far);
    assert_eq!(name, "flat");
}

#[test]
fn bundles_weigh_their_sum() -> Result<(), Refusal> {
    let both = parcel::bundle(&[Parcel::letter("a"), plain(80)])?;
    assert_eq!(both.weight(), "119g".parse().unwrap());
    assert!(Size::LETTER.fits(&Size::LETTER));
    Ok(())
}
