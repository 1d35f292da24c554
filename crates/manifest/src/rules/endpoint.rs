//! `endpoint`: an https URL. Producers must publish it normalized; consumers normalize it before comparing (T-21).

use super::{
    context::{RuleContext, display},
    member::Member,
};
use crate::{Code, Kind, Violation};

pub(super) fn check(context: &mut RuleContext<'_>) {
    let Some(value) = context.required_member(Member::Endpoint, Kind::String) else {
        return;
    };
    let Some(url) = context.https_url(value) else {
        return;
    };
    if url.is_normalized(value.as_str().unwrap_or_default()) {
        return;
    }
    context.reject_for_producers(Violation {
        code: Code::UrlNotNormal,
        pointer: value.pointer(),
        found: display(value),
        allowed: "a normalized URL: lower-case scheme and host, no port 443".into(),
        fix: format!("use \"{url}\"").into(),
    });
}
