//! The rules of the profiles: the base schema, then what a schema cannot say.

mod base_schema;
mod dates;
mod entry;
mod identity;
mod license;
mod networks;
mod schemas;
mod verbs;

use atr_manifest::Document;

pub use schemas::{check_schema, compare_mirror};

use crate::{Card, Config, Profile, report::Findings};

/// What a rule sees.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) card: Card<'a>,
    pub(crate) profile: Profile,
    pub(crate) config: &'a Config,
}

/// Runs all rules. False if the base schema could not be evaluated within its budget.
pub(crate) fn check(
    document: &Document,
    profile: Profile,
    config: &Config,
    findings: &mut Findings,
) -> bool {
    let context = Context {
        card: Card::new(document),
        profile,
        config,
    };
    let is_complete = base_schema::check(document, context, findings);
    for rule in [
        identity::check,
        verbs::check,
        entry::check,
        schemas::check,
        networks::check,
        license::check,
        dates::check,
    ] {
        rule(context, findings);
    }
    is_complete
}
