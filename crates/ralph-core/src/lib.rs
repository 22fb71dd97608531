//! Pure decisions of ralph: claims, evidence, progress, limits, feedback.
