//! `implements` and `class`.

use super::Context;
use crate::{Card, Class, Code, Finding, report::Findings};

/// P-04, P-05: every verb is known and belongs to the card's class. There are no aliases.
pub(super) fn check(context: Context<'_>, findings: &mut Findings) {
    let Some(list) = context.card.root().get("implements") else {
        return;
    };
    let class = context.card.class();
    let verbs = &context.config.verbs;
    for element in list.elements() {
        let Some(verb) = element.as_str() else {
            continue;
        };
        if findings.has(element.pointer().as_str()) {
            continue;
        }
        match (verbs.class_of(verb), class) {
            (None, _) => {
                let known = class.map_or_else(
                    || Class::ALL.map(|class| listed(context, class)).join(" "),
                    |class| listed(context, class),
                );
                let fix = verbs.nearest(verb).map_or_else(
                    || "use canonical verbs only; aliases are not allowed".to_owned(),
                    |nearest| format!("use the canonical verb \"{nearest}\""),
                );
                let expected = format!("one of: {known}");
                findings.violation(Finding::at(Code::UnknownVerb, element, expected, fix));
            }
            (Some(found), Some(class)) if found != class => {
                findings.violation(Finding::at(
                    Code::VerbOfOtherClass,
                    element,
                    format!("a {} verb: {}", class.as_str(), listed(context, class)),
                    format!("publish a card of class {} for this verb", found.as_str()),
                ));
            }
            _ => {}
        }
    }
    if class == Some(Class::Commercial) {
        poses_as_commons(context.card, findings);
    }
}

/// A commercial card must not be published where commons cards are.
fn poses_as_commons(card: Card<'_>, findings: &mut Findings) {
    let Some(id) = card.root().get("$id") else {
        return;
    };
    let is_commons = |text: &str| text.split('/').any(|segment| segment == "commons");
    if id.as_str().is_some_and(is_commons) {
        findings.violation(Finding::at(
            Code::CommercialAsCommons,
            id,
            "a location outside the folder \"commons\"",
            "publish the card in the folder \"commercial\"",
        ));
    }
}

fn listed(context: Context<'_>, class: Class) -> String {
    let verbs = context.config.verbs.of(class).iter();
    verbs.map(String::as_str).collect::<Vec<_>>().join(" ")
}
