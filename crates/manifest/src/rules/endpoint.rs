//! `endpoint`: an https URL. Producers store it in its normal form; consumers compare the normal form and let the rest be (T-21).

use super::{
    member::Member,
    scope::{Scope, shown},
};
use crate::{Code, Kind, Violation};

pub(super) fn check(scope: &mut Scope<'_>) {
    let Some(value) = scope.required_member(Member::Endpoint, Kind::String) else {
        return;
    };
    let Some(url) = scope.https_url(value) else {
        return;
    };
    if url.is_spelt(value.as_str().unwrap_or_default()) {
        return;
    }
    scope.refuse_to_publish(Violation {
        code: Code::UrlNotNormal,
        pointer: value.pointer(),
        found: shown(value),
        allowed: "scheme and host in lower case, port 443 left out".into(),
        fix: format!("write \"{url}\"").into(),
    });
}
