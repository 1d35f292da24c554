use std::{
    io,
    sync::{Arc, Mutex},
};

use atr_verify::{Freshness, INVOKING_CEILING_SECONDS, Surface, VerifiedTool};
use serde::Deserialize;

use crate::world::{NOW, World, manifest, manifest_with};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    policy_seconds: u64,
    max_age: Option<u64>,
    can_invoke: bool,
    window_seconds: u64,
    why: String,
}

#[test]
fn windows_match_the_vectors() {
    // H-14, T-33
    let rows = include_str!("../../../../tests/vectors/freshness.json");
    let rows: Vec<Row> = serde_json::from_str(rows).unwrap();
    assert_eq!(rows.len(), 8);
    for row in rows {
        let surface = if row.can_invoke {
            Surface::Invoking
        } else {
            Surface::Informational
        };
        let window = Freshness::new(row.policy_seconds, surface).window(row.max_age);
        assert_eq!(window.seconds, row.window_seconds, "{}", row.why);
    }
}

#[test]
fn limits_the_policy_of_an_invoking_surface() {
    // H-12
    let week = 7 * 24 * 60 * 60;
    let invoking = Freshness::new(week, Surface::Invoking);
    assert_eq!(invoking.window(None).seconds, INVOKING_CEILING_SECONDS);
    assert_eq!(INVOKING_CEILING_SECONDS, 86_400);
    let informational = Freshness::new(week, Surface::Informational);
    assert_eq!(informational.window(None).seconds, week);
}

fn verified(world: &World) -> VerifiedTool {
    world.verify().into_verified().unwrap()
}

#[test]
fn a_verdict_expires_after_its_window() {
    // H-10
    let tool = verified(&World::new(&manifest()));
    assert!(tool.is_fresh(NOW) && tool.is_fresh(NOW + 299));
    assert!(
        !tool.is_fresh(NOW + 300),
        "the default window is five minutes"
    );
    assert!(!tool.is_fresh(NOW - 1), "the clock went backwards");
    let uncached = verified(&World::new(&manifest_with("maxAge", 0)));
    assert!(!uncached.is_fresh(NOW));
}

#[test]
fn a_verdict_for_display_may_be_invoked_for_at_most_a_day() {
    // H-12
    let mut world = World::new(&manifest());
    world.freshness = Freshness::new(7 * 86_400, Surface::Informational);
    let tool = verified(&world);
    assert!(tool.is_fresh(NOW + 86_399));
    assert!(!tool.is_fresh(NOW + 86_400));
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn logs_a_max_age_that_shortens_the_window_and_warns_about_an_invalid_one() {
    // H-14, T-33
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, || {
        let tool = verified(&World::new(&manifest_with("maxAge", 60)));
        assert!(tool.evidence().window.unwrap().shortened_by_max_age);
        let longer = verified(&World::new(&manifest_with("maxAge", 4000)));
        assert!(!longer.evidence().window.unwrap().shortened_by_max_age);
    });
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert_eq!(log.matches("maxAge shortens").count(), 1, "{log}");

    let verdict = World::new(&manifest_with("maxAge", -1)).verify();
    assert_eq!(verdict.evidence().window.unwrap().seconds, 300);
    let warnings = &verdict.rules().unwrap().warnings;
    assert_eq!(warnings[0].code.as_str(), "bad-max-age");
}
