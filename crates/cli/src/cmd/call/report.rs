use alloy_primitives::Address;
use atr_client::{Authorized, Call, Demand, Difference, Prefill, ToolResponse};
use atr_schema::Outcome as SchemaOutcome;
use serde::Serialize;
use serde_json::Value;

use super::card::{CalledCard, ReceiptView};
use crate::{
    error::Error,
    outcome::Outcome,
    output::{Palette, Report, field},
};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallReport {
    tool: String,
    name: String,
    endpoint: String,
    /// What the user should know before the tool is called.
    pub(super) warnings: Vec<String>,
    /// What the tool demanded before it answered.
    pub(super) demands: Vec<DemandView>,
    /// `None` if the command stopped before.
    pub(super) answer: Option<ResponseView>,
    /// The card whose tool was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) card: Option<CalledCard>,
    /// Whether the answer is a receipt that the card promises.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) receipt: Option<ReceiptView>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DemandView {
    /// `identity` or `payment`.
    kind: &'static str,
    x402_version: u8,
    network: String,
    token: Address,
    payee: Address,
    /// In base units.
    amount: String,
    price: String,
    /// How a payment differs from the manifest.
    differences: Vec<Difference>,
    /// The same in words.
    #[serde(skip)]
    descriptions: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::cmd) struct ResponseView {
    pub(in crate::cmd) status: u16,
    /// The transaction of the payment, as the server says.
    transaction: Option<String>,
    /// `valid`, `invalid` or `unknown`: whether the body follows the manifest.
    pub(in crate::cmd) output: Option<&'static str>,
    #[serde(skip)]
    pub(in crate::cmd) failures: Vec<String>,
    /// The JSON of the body, or its text.
    pub(in crate::cmd) body: Value,
    #[serde(skip)]
    text: String,
}

impl CallReport {
    pub(super) fn new(call: &Call<'_>) -> Self {
        let manifest = call.tool().manifest();
        let warnings = atr_client::warnings(manifest);
        Self {
            tool: call.tool().tool().to_string(),
            name: manifest.name().to_owned(),
            endpoint: manifest.endpoint().to_string(),
            warnings: warnings.iter().map(ToString::to_string).collect(),
            demands: Vec::new(),
            answer: None,
            card: None,
            receipt: None,
        }
    }

    pub(super) fn outcome(&self) -> Outcome {
        match &self.answer {
            None => Outcome::Success,
            Some(answer) => match answer.status {
                200..=299 => {
                    let receipt = self.receipt.as_ref();
                    receipt.map_or(Outcome::Success, ReceiptView::outcome)
                }
                // The tool did not answer the question.
                500.. => Outcome::Unknown,
                _ => Outcome::Failure,
            },
        }
    }
}

impl DemandView {
    pub(super) fn new(demand: &Demand) -> Self {
        Self {
            kind: if demand.is_free() {
                "identity"
            } else {
                "payment"
            },
            x402_version: demand.version(),
            network: demand.network().to_string(),
            token: demand.token().address(),
            payee: demand.payee(),
            amount: demand.amount().to_string(),
            price: demand.price(),
            differences: demand.differences().to_vec(),
            descriptions: demand
                .differences()
                .iter()
                .map(|difference| describe(difference, demand))
                .collect(),
        }
    }

    fn render(&self, palette: &Palette) -> String {
        if self.kind == "identity" {
            let (payee, network) = (self.payee, &self.network);
            return format!("demand      proof of identity (free) for {payee} on {network}\n");
        }
        let mut text = format!(
            "demand      {} to {} on {}\n",
            self.price, self.payee, self.network
        );
        if self.differences.is_empty() {
            text += "            as in the manifest\n";
        }
        for description in &self.descriptions {
            let warning = palette.warning("differs:");
            text += &format!("            {warning} {description}\n");
        }
        text
    }
}

/// A difference in words.
pub(in crate::cmd) fn describe(difference: &Difference, demand: &Demand) -> String {
    match difference {
        Difference::NotPriced => "the manifest has no price".to_owned(),
        Difference::OtherProtocol => "the manifest has no price for x402".to_owned(),
        Difference::Asset { manifest } => format!("the manifest has the asset {manifest}"),
        Difference::Amount { manifest } => {
            let mut all = demand.differences().iter();
            // The token of the manifest has other decimals.
            if all.any(|other| matches!(other, Difference::Asset { .. })) {
                return format!(
                    "the manifest has the amount {manifest}, in base units of its asset"
                );
            }
            let token = demand.token();
            let (amount, symbol) = (token.format_amount(*manifest), token.symbol());
            format!("the manifest has the price {amount} {symbol}")
        }
        Difference::Recipient { manifest } => format!("the manifest has the recipient {manifest}"),
    }
}

impl ResponseView {
    pub(in crate::cmd) fn new(answer: ToolResponse) -> Self {
        let (output, failures) = match &answer.output {
            None => (None, Vec::new()),
            Some(SchemaOutcome::Valid) => (Some("valid"), Vec::new()),
            Some(SchemaOutcome::Invalid(failures)) => {
                let failures = failures.iter().map(|failure| {
                    let location = failure.instance_location.as_str();
                    format!("{location}: {}", failure.message)
                });
                (Some("invalid"), failures.collect())
            }
            Some(SchemaOutcome::Unknown(reason)) => (Some("unknown"), vec![reason.to_string()]),
        };
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        let receipt = answer.receipt.and_then(|receipt| receipt.transaction);
        Self {
            status: answer.status,
            transaction: receipt.map(|hash| hash.to_string()),
            output,
            failures,
            body: serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.clone())),
            text,
        }
    }

    /// Why there is no answer; `None` for 2xx, or if the body says more than an error message does.
    pub(super) fn refusal(&self, is_paid: bool) -> Option<Error> {
        if (200..300).contains(&self.status) {
            return None;
        }
        let message = match &self.body {
            Value::Object(members) => members.get("error")?.as_str()?.to_owned(),
            Value::String(text) => text.trim().to_owned(),
            _ => return None,
        };
        let title = match self.status {
            401 => "credential not accepted",
            403 => "access denied",
            404 => "not found",
            429 => "too many requests",
            500.. => "the tool failed",
            _ => "the tool refused the call",
        };
        Some(Error::Refused {
            title,
            status: self.status,
            message: atr_ids::excerpt(&message),
            is_paid,
        })
    }
}

impl CallReport {
    /// Whether a payment was demanded, and thus sent before the answer.
    pub(super) fn is_paid(&self) -> bool {
        self.demands.iter().any(|demand| demand.kind == "payment")
    }
}

/// The answer as text: the body, byte for byte.
impl Report for CallReport {
    const IS_FILE: bool = true;
    const IS_WRAPPED: bool = false;

    fn render(&self, _: &Palette) -> String {
        let text = self.answer.as_ref().map_or("", |answer| &answer.text);
        match text.ends_with('\n') {
            true => text.to_owned(),
            false => format!("{text}\n"),
        }
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }
}

/// What the tool demands, before it answers.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Demands<'a>(pub(super) &'a CallReport);

impl Report for Demands<'_> {
    fn render(&self, palette: &Palette) -> String {
        let report = self.0;
        let mut text = format!(
            "tool        {} ({})\nendpoint    {}\n",
            report.name, report.tool, report.endpoint
        );
        for demand in &report.demands {
            text += &demand.render(palette);
        }
        text
    }
}

/// What there is to say about an answer, besides its body.
#[derive(Debug, Serialize)]
pub(super) struct Notes<'a> {
    pub(super) answer: &'a ResponseView,
    pub(super) receipt: Option<&'a ReceiptView>,
}

impl Report for Notes<'_> {
    fn render(&self, palette: &Palette) -> String {
        let mut text = String::new();
        if let Some(transaction) = &self.answer.transaction {
            text += &format!("paid        {transaction}\n");
        }
        for failure in &self.answer.failures {
            let warning = palette.warning("output:");
            text += &format!("{warning} does not follow the manifest: {failure}\n");
        }
        for line in self.receipt.map(ReceiptView::lines).unwrap_or_default() {
            text += &field("receipt", &line);
        }
        text
    }
}

/// Values that the manifest suggests for arguments that were not given.
#[derive(Debug, Serialize)]
pub(super) struct Prefills {
    pub(super) prefills: Vec<Prefill>,
    pub(super) added: bool,
}

impl Report for Prefills {
    fn render(&self, palette: &Palette) -> String {
        let mut text = String::new();
        for prefill in &self.prefills {
            let keyword = prefill.kind.keyword();
            let (name, value) = (&prefill.name, &prefill.value);
            if self.added {
                text += &format!("argument    {name} = {value} (`{keyword}` of the manifest)\n");
            } else {
                let note = palette.warning("not sent:");
                text += &format!("{note} {name} = {value} (`{keyword}` of the manifest)\n");
            }
        }
        if !self.added {
            text += "            --accept-defaults sends these values\n";
        }
        text
    }
}

/// An earlier payment that is sent again.
#[derive(Debug, Serialize)]
pub(super) struct EarlierPayment<'a>(pub(super) &'a Authorized);

impl Report for EarlierPayment<'_> {
    fn render(&self, _: &Palette) -> String {
        format!(
            "an earlier payment for this call has no answer; sending it again (nonce {})\n",
            self.0.nonce
        )
    }
}
