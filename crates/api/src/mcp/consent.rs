//! Asks the user through the host, in the form of the revision that it speaks: a request to the host until 2025-11-25, a result that
//! asks for input since 2026-07-28.

use rmcp::{
    RoleServer,
    model::{
        ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
        InputRequest, InputRequests, InputRequiredResult, InputResponses, ProtocolVersion,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use super::call::APPROVAL_TTL;
use crate::text;

/// Key of the question and its answer.
const KEY: &str = "payment";

/// Member of the answer.
const APPROVE: &str = "approve";

/// Longest question, in characters.
const MAX_QUESTION: usize = 2_000;

/// How the host asks the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `elicitation/create`.
    Request,
    /// An `input_required` result; the host repeats its request with the answer.
    Result,
}

/// `None` if the host cannot ask.
pub(super) fn form(context: &RequestContext<RoleServer>) -> Option<Form> {
    let elicitation = context.client_capabilities()?.elicitation?;
    // Neither means forms, in the first revisions.
    if elicitation.form.is_none() && elicitation.url.is_some() {
        return None;
    }
    let version = context.protocol_version();
    let is_modern =
        version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    Some(if is_modern {
        Form::Result
    } else {
        Form::Request
    })
}

fn parameters(question: &str) -> Option<ElicitRequestParams> {
    let schema = json!({
        "type": "object",
        "properties": {
            APPROVE: { "type": "boolean", "title": "Pay", "description": "Whether to make this payment", "default": false },
        },
        "required": [APPROVE],
    });
    let schema: ElicitationSchema = serde_json::from_value(schema).ok()?;
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: text::paragraphs(question, MAX_QUESTION),
        requested_schema: schema,
    })
}

/// Asks now. An error, no answer in time, and anything but a clear yes are a no.
pub(super) async fn ask(context: &RequestContext<RoleServer>, question: &str) -> bool {
    let Some(parameters) = parameters(question) else {
        return false;
    };
    let asked = context
        .peer
        .create_elicitation_with_timeout(parameters, Some(APPROVAL_TTL));
    match asked.await {
        Ok(result) => is_approved(&result),
        Err(error) => {
            tracing::warn!(%error, "the host did not ask the user");
            false
        }
    }
}

/// The result that asks. `state` comes back with the answer.
pub(super) fn question(question: &str, state: String) -> Option<InputRequiredResult> {
    let request = InputRequest::Elicitation(ElicitRequest::new(parameters(question)?));
    let requests = InputRequests::from([(KEY.to_owned(), request)]);
    Some(InputRequiredResult::new(Some(requests), Some(state)))
}

/// Whether the answer to a question is yes.
pub(super) fn is_yes(responses: Option<&InputResponses>) -> bool {
    let response = responses.and_then(|responses| responses.get(KEY));
    let result = response.and_then(|response| serde_json::from_value(response.clone()).ok());
    result.is_some_and(|result: ElicitResult| is_approved(&result))
}

fn is_approved(result: &ElicitResult) -> bool {
    let answer = result
        .content
        .as_ref()
        .and_then(|answer| answer.get(APPROVE));
    result.action == ElicitationAction::Accept && answer == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_one() {
        for (response, expected) in [
            (
                json!({ "action": "accept", "content": { "approve": true } }),
                true,
            ),
            (
                json!({ "action": "accept", "content": { "approve": false } }),
                false,
            ),
            (
                json!({ "action": "accept", "content": { "approve": "true" } }),
                false,
            ),
            (json!({ "action": "accept", "content": {} }), false),
            (json!({ "action": "accept" }), false),
            (
                json!({ "action": "decline", "content": { "approve": true } }),
                false,
            ),
            (json!({ "action": "cancel" }), false),
            (json!({}), false),
        ] {
            let responses = InputResponses::from([(KEY.to_owned(), response.clone())]);
            assert_eq!(is_yes(Some(&responses)), expected, "{response}");
        }
        assert!(!is_yes(None));
    }
}
