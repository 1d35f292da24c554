//! `verifiability`: tier and execution, and what else is claimed. Producers use listed values only; consumers keep the tool
//! and trust such a claim no further than self-attested (T-32).

use super::{
    description, is_reverse_dns,
    member::Member,
    scope::{Scope, shown},
    text,
};
use crate::{Code, DataRetention, Execution, Kind, SourceVisibility, Tier, Value, Violation};

pub(super) fn check(scope: &mut Scope<'_>) {
    let Some(claims) = scope.optional_member(Member::Verifiability, Kind::Object) else {
        return;
    };
    let tier = scope.required(claims, "tier", Kind::String);
    listed(scope, tier, Tier::NAMES, Code::UnknownTier);
    if let Some(execution) = scope.required(claims, "execution", Kind::String) {
        check_execution(scope, execution);
    }
    if let Some(text) = scope.optional(claims, "description", Kind::String) {
        text::check(scope, text, &description::RULE);
    }
    let retention = scope.optional(claims, "dataRetention", Kind::String);
    listed(
        scope,
        retention,
        DataRetention::NAMES,
        Code::UnknownDataRetention,
    );
    let visibility = scope.optional(claims, "sourceVisibility", Kind::String);
    listed(
        scope,
        visibility,
        SourceVisibility::NAMES,
        Code::UnknownSourceVisibility,
    );
}

fn listed(scope: &mut Scope<'_>, value: Option<Value<'_>>, names: &[&str], code: Code) {
    let Some(value) = value else { return };
    if names.iter().any(|name| value.as_str() == Some(name)) {
        return;
    }
    scope.refuse_to_publish(Violation {
        code,
        pointer: value.pointer(),
        found: shown(value),
        allowed: one_of(names).into(),
        fix: "choose one of these".into(),
    });
}

fn check_execution(scope: &mut Scope<'_>, value: Value<'_>) {
    let text = value.as_str().unwrap_or_default();
    if Execution::NAMES.contains(&text) || is_reverse_dns(text) {
        return;
    }
    scope.refuse_to_publish(Violation {
        code: Code::UnknownExecution,
        pointer: value.pointer(),
        found: shown(value),
        allowed: format!("{}, or a reverse-DNS name", one_of(Execution::NAMES)).into(),
        fix: "write \"standard\" for ordinary servers, or a name of your own such as \"com.example.serverless\"".into(),
    });
}

/// `"a", "b" or "c"`.
fn one_of(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
    match quoted.split_last() {
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
