//! `verifiability`: tier, execution and other claims. Producers must use values that the ERC defines; consumers treat other values
//! as self-attested (T-32).

use super::{
    context::{RuleContext, display},
    description, is_reverse_dns,
    member::Member,
    text,
};
use crate::{Code, DataRetention, Execution, Kind, SourceVisibility, Tier, Value, Violation};

pub(super) fn check(context: &mut RuleContext<'_>) {
    let Some(claims) = context.optional_member(Member::Verifiability, Kind::Object) else {
        return;
    };
    let tier = context.required(claims, "tier", Kind::String);
    check_value(context, tier, Tier::NAMES, Code::UnknownTier);
    if let Some(execution) = context.required(claims, "execution", Kind::String) {
        check_execution(context, execution);
    }
    if let Some(text) = context.optional(claims, "description", Kind::String) {
        text::check(context, text, &description::RULE);
    }
    let retention = context.optional(claims, "dataRetention", Kind::String);
    check_value(
        context,
        retention,
        DataRetention::NAMES,
        Code::UnknownDataRetention,
    );
    let visibility = context.optional(claims, "sourceVisibility", Kind::String);
    check_value(
        context,
        visibility,
        SourceVisibility::NAMES,
        Code::UnknownSourceVisibility,
    );
}

fn check_value(
    context: &mut RuleContext<'_>,
    value: Option<Value<'_>>,
    names: &[&str],
    code: Code,
) {
    let Some(value) = value else { return };
    if names.iter().any(|name| value.as_str() == Some(name)) {
        return;
    }
    context.reject_for_producers(Violation {
        code,
        pointer: value.pointer(),
        found: display(value),
        allowed: one_of(names).into(),
        fix: "use one of these values".into(),
    });
}

fn check_execution(context: &mut RuleContext<'_>, value: Value<'_>) {
    let text = value.as_str().unwrap_or_default();
    if Execution::NAMES.contains(&text) || is_reverse_dns(text) {
        return;
    }
    context.reject_for_producers(Violation {
        code: Code::UnknownExecution,
        pointer: value.pointer(),
        found: display(value),
        allowed: format!("{}, or a reverse-DNS name", one_of(Execution::NAMES)).into(),
        fix: "use \"standard\" for ordinary servers, or a reverse-DNS name such as \"com.example.serverless\"".into(),
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
