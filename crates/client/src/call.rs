//! Calls: verify, send, answer the challenge once, record the payment.

use std::{ops::Deref, time::Duration};

use alloy_primitives::{Address, B256, Bytes, keccak256};
use atr_auth::{
    Challenge, SignedAuthorization, Tokens,
    x402::{Receipt, Version, v2},
};
use atr_fetch::{Limits, Response, SafeHttpClient};
use atr_ids::{ToolRef, excerpt};
use atr_manifest::{Document, Manifest};
use atr_registry::Registry;
use atr_rpc::Node;
use atr_schema::Schema;
use atr_verify::{Freshness, Surface, VerifiedTool, Verifier};

use crate::{
    Arguments, AuthorizationState, Authorized, CallResult, Demand, Error, Ledger, LedgerEntry,
    PaymentState, Prefill, SpendPolicy, ToolResponse, authorization_state, ledger::Authorization,
};

/// Limits of a request to a tool: settlement on some chains takes more than a minute.
pub const INVOCATION_LIMITS: Limits = Limits {
    timeout: Duration::from_secs(120),
    max_body_bytes: 8 * 1024 * 1024,
};

/// Calls tools of one registry.
#[derive(Clone, Debug)]
pub struct Client {
    verifier: Verifier<Registry, SafeHttpClient>,
    http: SafeHttpClient,
    node: Node,
    tokens: Tokens,
}

/// A tool that the client has just verified. A tool that was verified for display, or some time ago, must be verified again before it
/// is called (H-11, H-13).
#[derive(Clone, Debug)]
pub struct FreshTool(VerifiedTool);

impl Deref for FreshTool {
    type Target = VerifiedTool;

    fn deref(&self) -> &VerifiedTool {
        &self.0
    }
}

/// A call of a verified tool with valid arguments.
#[derive(Debug)]
pub struct Call<'a> {
    client: &'a Client,
    tool: VerifiedTool,
    arguments: Arguments,
    outputs: Schema,
    delegate_for: Option<Address>,
    access_data: Bytes,
    /// Kinds of demands that were answered: identity, payment.
    answered: [bool; 2],
}

impl Client {
    /// Creates a client. `http` fetches manifests and calls endpoints.
    ///
    /// # Errors
    ///
    /// If the Unicode tables are too old to verify manifests.
    pub fn try_new(
        registry: Registry,
        http: SafeHttpClient,
        tokens: Tokens,
    ) -> Result<Self, Error> {
        let node = Node::from_provider(registry.provider().clone());
        // Nothing is cached: every call verifies its tool (J-09).
        let freshness = Freshness::new(0, Surface::Invoking);
        Ok(Self {
            verifier: Verifier::try_new(registry, http.clone(), freshness)?,
            http: http.with_limits(INVOCATION_LIMITS),
            node,
            tokens,
        })
    }

    /// Verifies a tool. `now` is in seconds since 1970.
    ///
    /// # Errors
    ///
    /// If the tool is not verified, or the registry cannot be read.
    pub async fn verify(&self, tool: ToolRef, now: u64) -> Result<FreshTool, Error> {
        self.verify_pinned(tool, None, now).await
    }

    /// Validates the arguments of a call. Sends nothing.
    ///
    /// # Errors
    ///
    /// If the arguments are not valid.
    pub fn call(
        &self,
        FreshTool(tool): FreshTool,
        arguments: Arguments,
    ) -> Result<Call<'_>, Error> {
        let inputs = schema(tool.manifest(), "inputs")?;
        let outputs = schema(tool.manifest(), "outputs")?;
        arguments.validate(&inputs)?;
        Ok(Call {
            client: self,
            tool,
            arguments,
            outputs,
            delegate_for: None,
            access_data: Bytes::new(),
            answered: [false; 2],
        })
    }

    async fn verify_pinned(
        &self,
        tool: ToolRef,
        pin: Option<B256>,
        now: u64,
    ) -> Result<FreshTool, Error> {
        let verdict = self.verifier.verify(tool, pin, now).await?;
        let verified = verdict.into_verified().map_err(Error::NotVerified)?;
        Ok(FreshTool(verified))
    }
}

fn schema(manifest: &Manifest, member: &'static str) -> Result<Schema, Error> {
    let value = manifest.document().root().get(member);
    let value = value.expect("a valid manifest has schemas");
    Schema::compile(value).map_err(|source| Error::Schema {
        member,
        source: Box::new(source),
    })
}

impl Call<'_> {
    /// Calls for another account that delegated to the signer (`X-Delegate-For`).
    #[must_use]
    pub const fn delegate_for(mut self, holder: Option<Address>) -> Self {
        self.delegate_for = holder;
        self
    }

    /// Data for the predicate, such as a proof (`X-Access-Data`). It is public.
    #[must_use]
    pub fn access_data(mut self, data: Bytes) -> Self {
        self.access_data = data;
        self
    }

    /// The tool.
    #[must_use]
    pub const fn tool(&self) -> &VerifiedTool {
        &self.tool
    }

    /// The values that the manifest suggests for arguments that were not given. They are not part of the call.
    #[must_use]
    pub fn prefills(&self) -> Vec<Prefill> {
        let inputs = self.tool.manifest().document().root().get("inputs");
        inputs.map_or_else(Vec::new, |inputs| self.arguments.prefills(inputs))
    }

    /// Sends the request without a credential (M-01).
    ///
    /// # Errors
    ///
    /// If no complete reply arrives, or the tool demands something that cannot be fulfilled.
    pub async fn send(&self) -> Result<CallResult, Error> {
        let response = self.post(None).await?;
        self.reply(response)
    }

    /// Sends the request with a signed proof of identity, for a free demand.
    ///
    /// # Errors
    ///
    /// If the demand is outside the policy, or no complete reply arrives.
    pub async fn identify(
        &mut self,
        demand: &Demand,
        signed: SignedAuthorization,
        policy: &SpendPolicy,
    ) -> Result<CallResult, Error> {
        demand.check(policy)?;
        signed.verify(demand.token())?;
        let header = demand.header(signed);
        self.answer(demand)?;
        let response = self.post(Some((header.name, &header.value))).await?;
        self.reply(response)
    }

    /// Verifies the tool again before a payment is signed: no signature rests on a manifest that was fetched before the user was
    /// asked (J-09).
    ///
    /// # Errors
    ///
    /// If the tool is no longer verified, or its manifest changed.
    pub async fn verify_again(&self, now: u64) -> Result<(), Error> {
        let hash = self.tool.evidence().registered_hash;
        let tool = self.tool.tool();
        self.client.verify_pinned(tool, hash, now).await.map(drop)
    }

    /// An earlier payment of this payer for the same call whose answer was lost. Sending it again pays nothing more.
    ///
    /// With `pay_again`, earlier payments that were rejected or can no longer be answered are ignored.
    ///
    /// # Errors
    ///
    /// If an earlier payment was settled and can no longer be answered, or its state is unknown.
    pub async fn earlier_payment(
        &self,
        payer: Address,
        ledger: &Ledger,
        pay_again: bool,
        now: u64,
    ) -> Result<Option<Authorized>, Error> {
        let body_hash = self.body_hash();
        let tool = self.tool.tool().to_string();
        for earlier in ledger.unanswered(&tool, body_hash, payer)? {
            match self.resolve(&earlier, ledger, now).await {
                Ok(None) => {}
                Ok(Some(_)) if pay_again && is_rejected(&earlier) => {}
                Err(Error::PaidWithoutResponse { .. } | Error::PaymentPending { .. })
                    if pay_again => {}
                resolved => return resolved,
            }
        }
        Ok(None)
    }

    /// Sends the request with an earlier payment again. A gate repeats its answer to an identical request.
    ///
    /// # Errors
    ///
    /// If no complete reply arrives.
    pub async fn resend(
        &mut self,
        demand: &Demand,
        earlier: &Authorized,
        ledger: &Ledger,
        now: u64,
    ) -> Result<CallResult, Error> {
        self.answer(demand)?;
        self.post_payment(earlier, true, ledger, now).await
    }

    /// Sends the request with a payment that the user approved. The payment is recorded before it is sent.
    ///
    /// If another process paid for the same call in the meantime, its payment is sent again, and `signed` is not used. With
    /// `pay_again`, earlier payments that can no longer be answered are ignored.
    ///
    /// # Errors
    ///
    /// If the demand is outside the policy, an earlier payment can no longer be answered, or no complete reply arrives. After
    /// an error of the connection, the payment may have been settled; call again with the same arguments.
    pub async fn pay(
        &mut self,
        demand: &Demand,
        signed: SignedAuthorization,
        policy: &SpendPolicy,
        ledger: &Ledger,
        pay_again: bool,
        now: u64,
    ) -> Result<CallResult, Error> {
        demand.check(policy)?;
        signed.verify(demand.token())?;
        let record = self.record(demand, signed, now);
        self.answer(demand)?;
        let mut ignored = Vec::new();
        let earlier = loop {
            let (amount, token) = (demand.amount(), demand.token());
            let check = |spent| policy.check_day(amount, spent, token).map_err(Error::from);
            let earlier = match ledger.authorize(&record, &ignored, check)? {
                Authorization::Written => break None,
                Authorization::Earlier(earlier) => earlier,
            };
            match self.resolve(&earlier, ledger, now).await {
                Ok(Some(_)) if pay_again && is_rejected(&earlier) => {}
                Ok(Some(earlier)) => break Some(earlier),
                Ok(None) => {}
                Err(Error::PaidWithoutResponse { .. } | Error::PaymentPending { .. })
                    if pay_again => {}
                Err(error) => return Err(error),
            }
            ignored.push(earlier.authorized.nonce);
        };
        let payment = earlier.as_ref().unwrap_or(&record);
        let was_sent = earlier.is_some();
        self.post_payment(payment, was_sent, ledger, now).await
    }

    /// `was_sent`: the payment was sent before, so a rejection says nothing about it: the first sending may be in progress or
    /// settled.
    async fn post_payment(
        &self,
        payment: &Authorized,
        was_sent: bool,
        ledger: &Ledger,
        now: u64,
    ) -> Result<CallResult, Error> {
        let (name, value) = &payment.header;
        let response = self.post(Some((name, value))).await?;
        let state = payment_state(&response);
        let is_rejected = matches!(state, PaymentState::Rejected { .. });
        if state != PaymentState::Unknown && !(was_sent && is_rejected) {
            ledger.update(payment.payer, payment.nonce, state, now)?;
        }
        self.reply(response)
    }

    /// What to do about an earlier payment without an answer: send it again (`Some`), or nothing, because it expired unused.
    async fn resolve(
        &self,
        earlier: &LedgerEntry,
        ledger: &Ledger,
        now: u64,
    ) -> Result<Option<Authorized>, Error> {
        let Authorized {
            payer,
            nonce,
            valid_before,
            ..
        } = earlier.authorized;
        if now < valid_before {
            return Ok(Some(earlier.authorized.clone()));
        }
        let update = |state| ledger.update(payer, nonce, state, now);
        match self.state(earlier).await? {
            AuthorizationState::Expired => {
                update(PaymentState::Expired)?;
                Ok(None)
            }
            AuthorizationState::Used => {
                update(PaymentState::Settled { transaction: None })?;
                Err(Error::PaidWithoutResponse { payer, nonce })
            }
            AuthorizationState::Unused | AuthorizationState::Unknown => {
                Err(Error::PaymentPending { payer, nonce })
            }
        }
    }

    async fn state(&self, entry: &LedgerEntry) -> Result<AuthorizationState, Error> {
        let record = &entry.authorized;
        // The node is one of the tool's chain; a token of another chain can have the same address.
        if record.chain_id != self.tool.tool().chain() {
            return Ok(AuthorizationState::Unknown);
        }
        let state = authorization_state(
            &self.client.node,
            record.asset,
            record.payer,
            record.nonce,
            record.valid_before,
        );
        state.await.map_err(Error::EarlierPaymentUnknown)
    }

    fn record(&self, demand: &Demand, signed: SignedAuthorization, now: u64) -> Authorized {
        let authorization = signed.authorization;
        let header = demand.header(signed);
        let evidence = self.tool.evidence();
        Authorized {
            time: now,
            tool: self.tool.tool().to_string(),
            name: self.tool.manifest().name().to_owned(),
            manifest_hash: evidence.registered_hash.unwrap_or_default(),
            body_hash: self.body_hash(),
            chain_id: demand.network().chain_id(),
            asset: demand.token().address(),
            symbol: demand.token().symbol().to_owned(),
            decimals: demand.token().decimals(),
            payer: authorization.from,
            payee: authorization.to,
            amount: authorization.value,
            nonce: authorization.nonce,
            valid_before: authorization.valid_before.saturating_to(),
            header: (header.name.to_owned(), header.value),
        }
    }

    fn body_hash(&self) -> B256 {
        keccak256(self.arguments.text())
    }

    /// Marks a kind of demand as answered. One answer per kind: a server that always demands gets no second signature (M-08).
    fn answer(&mut self, demand: &Demand) -> Result<(), Error> {
        let answered = &mut self.answered[usize::from(!demand.is_free())];
        if *answered {
            return Err(rejected(demand));
        }
        *answered = true;
        Ok(())
    }

    async fn post(&self, credential: Option<(&str, &str)>) -> Result<Response, Error> {
        let holder = self.delegate_for.map(|holder| holder.to_string());
        let mut headers = vec![
            ("content-type", "application/json"),
            ("accept", "application/json"),
        ];
        headers.extend(holder.as_deref().map(|holder| ("x-delegate-for", holder)));
        let data = (!self.access_data.is_empty()).then(|| self.access_data.to_string());
        headers.extend(data.as_deref().map(|data| ("x-access-data", data)));
        headers.extend(credential);
        let endpoint = self.tool.manifest().endpoint();
        let body = self.arguments.text().as_bytes().to_vec();
        // Redirects are errors, so a credential never goes to another URL.
        Ok(self.client.http.post(endpoint, &headers, body).await?)
    }

    fn reply(&self, response: Response) -> Result<CallResult, Error> {
        if response.status != 402 {
            return Ok(CallResult::ToolResponse(self.to_answer(response)));
        }
        let header = response.header(v2::CHALLENGE_HEADER);
        let challenge = Challenge::decode(header, &response.body).map_err(Error::Challenge)?;
        let manifest = self.tool.manifest();
        let demand = Demand::new(challenge, self.tool.tool(), manifest, &self.client.tokens)?;
        if self.answered[usize::from(!demand.is_free())] {
            return Err(rejected(&demand));
        }
        Ok(CallResult::Demand(Box::new(demand)))
    }

    fn to_answer(&self, response: Response) -> ToolResponse {
        let receipt = receipt(&response);
        let document = response
            .is_success()
            .then(|| Document::parse(response.body.clone()).ok())
            .flatten();
        ToolResponse {
            output: document.map(|document| self.outputs.validate(&document)),
            status: response.status,
            receipt,
            body: response.body,
        }
    }
}

const fn is_rejected(entry: &LedgerEntry) -> bool {
    matches!(entry.state, PaymentState::Rejected { .. })
}

fn rejected(demand: &Demand) -> Error {
    Error::Rejected {
        kind: if demand.is_free() {
            "proof of identity"
        } else {
            "payment"
        },
        reason: excerpt(demand.reason().unwrap_or("no reason given")),
    }
}

fn receipt(response: &Response) -> Option<Receipt> {
    let header = response
        .header(Version::V2.receipt_header())
        .or_else(|| response.header(Version::V1.receipt_header()))?;
    Receipt::decode(header).ok()
}

/// What a response says about the payment that was sent with the request.
fn payment_state(response: &Response) -> PaymentState {
    match (receipt(response), response.status) {
        (
            Some(Receipt {
                success: true,
                transaction: Some(hash),
                ..
            }),
            200..=299,
        ) => PaymentState::Settled {
            transaction: Some(hash),
        },
        (_, 200..=299) => PaymentState::Answered,
        // A server error, also one with a receipt, comes without the answer that was paid for. The others ask to repeat the
        // request later.
        (_, 500.. | 408 | 409 | 425 | 429) => PaymentState::Unknown,
        (_, status) => PaymentState::Rejected { status },
    }
}
