/// A weight, in grams or kilograms.
macro_rules! grams {
    ($n:literal kg) => {
        $crate::Weight($n * 1000)
    };
    ($n:expr) => {
        $crate::Weight($n)
    };
}

/// The zones of a list, by their codes.
#[macro_export]
macro_rules! zones {
    ($($code:ident),* $(,)?) => {
        [$($crate::Region::$code),*]
    };
}
