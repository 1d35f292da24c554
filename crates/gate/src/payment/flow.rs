//! The way of a paid request: verify, reserve, run the handler, settle, answer. Every step is recorded before the next.

use std::sync::Arc;

use alloy_primitives::B256;
use atr_auth::{
    Credential, CredentialError, PaymentHeader, Source,
    x402::{Receipt, Version},
};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header::CONTENT_LENGTH};
use http_body::Body as _;
use tokio::time::Instant;

use super::{
    PaymentConfig, SettleMode,
    chain::OnChain,
    settlement::{Outcome, PendingPayment},
};
use crate::{
    Body, Gate, Payment, Rejection,
    body::full,
    challenge,
    decision::{Signer, already_used},
    gate::{Admitted, RequestBody},
    layer::Handler,
    replay::{Found, Reservation, State, StoreError, StoredResponse, request_hash},
    schemas::is_json,
    usage::Proof,
};

/// How long the record of a payment is kept after the authorization expired, in seconds. The answer can be fetched until then.
pub(crate) const RETENTION: u64 = 600;

/// The answer to a paid request: a response or a rejection. `Err`: the handler failed with its own error.
pub(crate) type PaidResult<E> = Result<Result<Response<Body>, Rejection>, E>;

/// Finds failures that a protocol reports with a successful HTTP status. An extension of responses.
#[derive(Clone, Copy)]
pub(crate) struct FailureCheck(pub(crate) fn(&HeaderMap, &[u8]) -> bool);

/// A response that its [`FailureCheck`] calls a failure.
#[derive(Clone, Copy)]
struct Failed;

fn is_failure(response: &Response<Body>) -> bool {
    response.extensions().get::<Failed>().is_some()
}

/// A payment for a request.
struct PaidCall {
    gate: Arc<Gate>,
    config: PaymentConfig,
    payment: PendingPayment,
    started: Instant,
}

/// What is paid for. Runs at most once.
struct Invocation<E> {
    request: Request<Body>,
    call: Handler<E>,
}

impl Gate {
    /// Answers a paid request in a task of its own: a caller that goes away does not interrupt a payment.
    pub(crate) async fn serve_paid<E: Send + 'static>(
        self: &Arc<Self>,
        admitted: Admitted,
        call: Handler<E>,
    ) -> PaidResult<E> {
        let gate = self.clone();
        let task = tokio::spawn(async move { gate.take_payment(admitted, call).await });
        match task.await {
            Ok(result) => result,
            Err(error) => {
                tracing::error!(%error, "a paid request was interrupted");
                let message = "the request was interrupted; repeat it with the same payment";
                Ok(Err(Rejection::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "interrupted",
                    message,
                )))
            }
        }
    }

    async fn take_payment<E: Send + 'static>(
        self: Arc<Self>,
        mut admitted: Admitted,
        call: Handler<E>,
    ) -> PaidResult<E> {
        let started = Instant::now();
        let Some(config) = self.config().payments.clone() else {
            return Ok(Err(challenge::payment_required()));
        };
        let payment = match self.pending_payment(&admitted) {
            Ok(payment) => payment,
            Err(rejection) => return Ok(Err(rejection)),
        };
        admitted.context.payment = Some(Payment {
            amount: payment.authorization.value,
            asset: payment.token,
            payer: payment.authorization.from,
            transaction: None,
        });
        let Signer {
            replay_key,
            expiry,
            is_expired,
            ..
        } = admitted.signer;
        let content = match &admitted.body {
            RequestBody::Read(content) => content.clone(),
            RequestBody::Stream(_) => Bytes::new(),
        };
        let (method, uri) = (&admitted.parts.method, &admitted.parts.uri);
        let holder = admitted.context.agent.map(|_| admitted.context.caller);
        let hash = request_hash(self.config().tool, method, uri, &content, holder);
        let expires = expiry.saturating_add(RETENTION);
        let found = config.records.0.find(&replay_key, expires, hash).await;
        let invocation = Invocation {
            request: self.prepare(admitted),
            call,
        };
        let paid = PaidCall {
            gate: self,
            config,
            payment,
            started,
        };
        match found {
            // Nothing was sent to settle it, and nothing can be: it is worthless.
            Ok(Found::New(_) | Found::Before(_, State::Reserved)) if is_expired => {
                let valid_before = paid.payment.authorization.valid_before;
                let error = CredentialError::Expired { valid_before };
                Ok(Err(Rejection::credential(&error)))
            }
            Ok(Found::New(reservation)) => paid.start(reservation, invocation).await,
            Ok(Found::Before(reservation, state)) => {
                paid.resume(reservation, state, invocation).await
            }
            Ok(Found::InProgress) => Ok(Err(in_progress())),
            Ok(Found::OtherRequest) => Ok(Err(already_used())),
            Err(error) => Ok(Err(store_failed(&error))),
        }
    }

    fn pending_payment(&self, admitted: &Admitted) -> Result<PendingPayment, Rejection> {
        let config = self.config();
        let (Credential::Payment(credential), Some(offers)) =
            (&admitted.signer.credential, &config.offers)
        else {
            return Err(challenge::payment_required());
        };
        let terms = credential.check_terms(offers, config.window, admitted.signer.checked_at);
        let terms = terms.map_err(|error| Rejection::credential(&error))?;
        let parts = &admitted.parts;
        let resource = challenge::resource(config, &parts.uri, &parts.headers);
        let requests =
            [Version::V1, Version::V2].map(|version| terms.facilitator_request(version, &resource));
        Ok(PendingPayment {
            authorization: *credential.authorization(),
            network: terms.offer().network(),
            token: terms.offer().token().address(),
            version: match credential.source() {
                Source::X402(version) => version,
                Source::Eip3009 => Version::V1,
            },
            requests,
        })
    }
}

impl PaidCall {
    /// A payment of which nothing is known, or whose handler did not finish.
    async fn start<E: Send + 'static>(
        &self,
        mut reservation: Reservation,
        invocation: Invocation<E>,
    ) -> PaidResult<E> {
        if let Err(rejection) = self.verify().await {
            return Ok(Err(rejection));
        }
        let state = match self.config.settle {
            SettleMode::After => State::Reserved,
            SettleMode::Before => State::Settling { response: None },
        };
        match reservation.record(state).await {
            Ok(true) => {}
            Ok(false) => return Ok(Err(in_progress())),
            Err(error) => return Ok(Err(store_failed(&error))),
        }
        match self.config.settle {
            SettleMode::After => self.run_then_settle(reservation, invocation).await,
            SettleMode::Before => {
                let outcome = self.settle().await;
                self.run_after(reservation, outcome, invocation).await
            }
        }
    }

    /// A payment that got further before: in a process that crashed, or with an outcome that was not known.
    async fn resume<E: Send + 'static>(
        &self,
        mut reservation: Reservation,
        state: State,
        invocation: Invocation<E>,
    ) -> PaidResult<E> {
        match state {
            State::Reserved => self.start(reservation, invocation).await,
            State::Settled {
                transaction,
                response: Some(stored),
                ..
            } => Ok(self.repeat(stored, transaction)),
            State::Settled {
                is_delivered: true, ..
            } => Ok(Err(already_used())),
            state => {
                // Claims the payment: of several processes, one goes on.
                match reservation.record(state.clone()).await {
                    Ok(true) => {}
                    Ok(false) => return Ok(Err(in_progress())),
                    Err(error) => return Ok(Err(store_failed(&error))),
                }
                match state {
                    State::Settling { response } => {
                        let outcome = match self.payment.look_up(&self.config, None).await {
                            OnChain::Transferred(hash) => Outcome::Settled(Some(hash)),
                            OnChain::Cancelled => Outcome::Cancelled,
                            OnChain::Unused | OnChain::Unknown => self.settle().await,
                        };
                        match response {
                            Some(stored) => Ok(self.finish(reservation, stored, outcome).await),
                            None => self.run_after(reservation, outcome, invocation).await,
                        }
                    }
                    State::Settled { transaction, .. } => {
                        let outcome = Outcome::Settled(transaction);
                        self.run_after(reservation, outcome, invocation).await
                    }
                    State::Reserved => self.start(reservation, invocation).await,
                }
            }
        }
    }

    async fn verify(&self) -> Result<(), Rejection> {
        let payment = &self.payment;
        let request = |version| payment.request(version);
        let answer = self
            .config
            .facilitators
            .verify(payment.network, payment.version, request);
        let metrics = self.gate.metrics();
        match answer.await {
            Ok(answer) if answer.is_valid => {
                metrics.facilitator("verify", "valid");
                Ok(())
            }
            Ok(answer) => {
                metrics.facilitator("verify", "invalid");
                let reason = answer.invalid_reason.or(answer.invalid_message);
                let reason = reason.unwrap_or_else(|| "invalid_payment".to_owned());
                let reason = atr_ids::excerpt(&reason);
                Err(Rejection::challenge("payment_invalid", reason))
            }
            Err(_) => {
                metrics.facilitator("verify", "unavailable");
                let message = "the payment cannot be verified: no facilitator answers";
                Err(Rejection::bad_gateway("facilitator_unavailable", message))
            }
        }
    }

    async fn settle(&self) -> Outcome {
        let metrics = self.gate.metrics();
        let outcome = self.payment.settle(&self.config, metrics).await;
        let label = match &outcome {
            Outcome::Settled(_) => "settled",
            Outcome::Failed(_) => "failed",
            Outcome::Cancelled => "cancelled",
            Outcome::Unknown => "unknown",
        };
        metrics.settlement(label);
        tracing::info!(tool = %self.gate.config().tool, outcome = label, "payment");
        outcome
    }

    /// `settle = after`: runs the handler, holds the answer back, settles, releases the answer.
    async fn run_then_settle<E: Send + 'static>(
        &self,
        mut reservation: Reservation,
        invocation: Invocation<E>,
    ) -> PaidResult<E> {
        let response = match invocation.run().await {
            Ok(response) => response,
            Err(result) => {
                release(reservation).await;
                return result;
            }
        };
        if response.status().as_u16() >= 400 {
            // A failed call costs nothing.
            release(reservation).await;
            return Ok(Ok(response));
        }
        let (stored, response) = match self.read(response).await {
            Ok(read) => read,
            Err(rejection) => {
                release(reservation).await;
                return Ok(Err(rejection));
            }
        };
        if is_failure(&response) {
            release(reservation).await;
            return Ok(Ok(response));
        }
        let settling = State::Settling {
            response: Some(stored.clone()),
        };
        match reservation.record(settling).await {
            Ok(true) => {}
            Ok(false) => return Ok(Err(in_progress())),
            Err(error) => {
                release(reservation).await;
                return Ok(Err(store_failed(&error)));
            }
        }
        let outcome = self.settle().await;
        Ok(self.finish(reservation, stored, outcome).await)
    }

    /// Releases or withholds an answer.
    async fn finish(
        &self,
        mut reservation: Reservation,
        stored: StoredResponse,
        outcome: Outcome,
    ) -> Result<Response<Body>, Rejection> {
        let transaction = match outcome {
            Outcome::Settled(transaction) => transaction,
            other => return Err(withhold(reservation, other).await),
        };
        let settled = State::Settled {
            transaction,
            response: Some(stored.clone()),
            is_delivered: false,
        };
        record_settled(&mut reservation, settled).await;
        self.report(transaction).await;
        self.repeat(stored, transaction)
    }

    /// A stored response with its receipt.
    fn repeat(
        &self,
        stored: StoredResponse,
        transaction: Option<B256>,
    ) -> Result<Response<Body>, Rejection> {
        let receipt = self.receipt(transaction);
        let Some(mut response) = stored.into_response() else {
            let message = "the stored response cannot be read";
            let rejection = Rejection::bad_gateway("replay_store_failed", message);
            return Err(rejection.with_receipt(receipt));
        };
        challenge::insert(response.headers_mut(), &receipt);
        Ok(response)
    }

    /// `settle = before`: runs the handler once the money moved.
    async fn run_after<E: Send + 'static>(
        &self,
        mut reservation: Reservation,
        outcome: Outcome,
        mut invocation: Invocation<E>,
    ) -> PaidResult<E> {
        let transaction = match outcome {
            Outcome::Settled(transaction) => transaction,
            other => return Ok(Err(withhold(reservation, other).await)),
        };
        let settled = |response, is_delivered| State::Settled {
            transaction,
            response,
            is_delivered,
        };
        record_settled(&mut reservation, settled(None, false)).await;
        self.gate
            .set_transaction(&mut invocation.request, transaction);
        let receipt = self.receipt(transaction);
        // A failure leaves the payment as it is: the caller may repeat the request.
        let response = match invocation.run().await {
            Ok(response) => response,
            Err(Ok(Err(rejection))) => return Ok(Err(rejection.with_receipt(receipt))),
            Err(result) => return result,
        };
        let is_success = response.status().as_u16() < 400;
        let is_small = response.body().size_hint().upper().is_some_and(|size| {
            usize::try_from(size)
                .is_ok_and(|size| size <= self.gate.config().limits.max_response_bytes)
        });
        let is_validated = self.gate.config().schemas.output.is_some()
            && response.status().is_success()
            && is_json(response.headers());
        let mut response = if is_success && (is_small || is_validated) {
            let (stored, response) = match self.read(response).await {
                Ok(read) => read,
                Err(rejection) => return Ok(Err(rejection.with_receipt(receipt))),
            };
            // Not stored: the caller may repeat the request with the same payment.
            if !is_failure(&response) {
                record_settled(&mut reservation, settled(Some(stored), false)).await;
            }
            response
        } else {
            if is_success {
                record_settled(&mut reservation, settled(None, true)).await;
            }
            response
        };
        challenge::insert(response.headers_mut(), &receipt);
        if is_success {
            self.report(transaction).await;
        }
        Ok(Ok(response))
    }

    /// Reads and validates a response.
    async fn read(
        &self,
        response: Response<Body>,
    ) -> Result<(StoredResponse, Response<Body>), Rejection> {
        let (mut parts, body) = response.into_parts();
        let is_validated = self.gate.config().schemas.output.is_some()
            && parts.status.is_success()
            && is_json(&parts.headers);
        let content = self.gate.read_response(body).await?;
        if is_validated {
            self.gate.check_output(&parts.headers, &content).await?;
        }
        if let Some(FailureCheck(is_failure)) = parts.extensions.get().copied()
            && is_failure(&parts.headers, &content)
        {
            parts.extensions.insert(Failed);
        }
        let stored = StoredResponse::new(parts.status, &parts.headers, &content);
        parts
            .headers
            .insert(CONTENT_LENGTH, HeaderValue::from(content.len()));
        Ok((stored, Response::from_parts(parts, full(content))))
    }

    async fn report(&self, transaction: Option<B256>) {
        if let Some(transaction) = transaction {
            let proof = Proof::Settlement {
                payer: self.payment.authorization.from,
                transaction,
                chain_id: self.payment.network.chain_id(),
            };
            self.gate.report(self.started.elapsed(), proof).await;
        }
    }

    fn receipt(&self, transaction: Option<B256>) -> PaymentHeader {
        let PendingPayment {
            version, network, ..
        } = self.payment;
        let name = version.network_name(network);
        let receipt = Receipt {
            success: true,
            transaction,
            network: name.unwrap_or_else(|| network.caip2()),
            payer: Some(self.payment.authorization.from),
            error_reason: None,
        };
        receipt.header(version)
    }
}

impl<E: Send + 'static> Invocation<E> {
    /// Runs the handler. `Err`: the result of the request.
    async fn run(self) -> Result<Response<Body>, PaidResult<E>> {
        let Self { request, call } = self;
        // A task of its own: a panic of the handler must not leave the payment reserved.
        match tokio::spawn(async move { call(request).await }).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(Err(error)),
            Err(error) => {
                tracing::error!(%error, "the handler was interrupted");
                let message = "the tool failed";
                Err(Ok(Err(Rejection::bad_gateway("handler_failed", message))))
            }
        }
    }
}

/// The answer to a payment that is not settled. Never 402 while the outcome is not known: the caller would pay again.
async fn withhold(reservation: Reservation, outcome: Outcome) -> Rejection {
    match outcome {
        Outcome::Cancelled => {
            release(reservation).await;
            Rejection::challenge(
                "payment_cancelled",
                "the payer cancelled the payment, or used its nonce for another transfer",
            )
        }
        Outcome::Failed(reason) => {
            let message = "the payment could not be settled; the response is withheld";
            Rejection::bad_gateway("settlement_failed", message).with("reason", reason)
        }
        Outcome::Settled(_) | Outcome::Unknown => {
            let message = "the outcome of the payment is not known yet; repeat the request with the same payment";
            Rejection::bad_gateway("settlement_unknown", message).retry_after(5)
        }
    }
}

/// Records that the money moved. A failure does not change the answer: the chain knows it too.
async fn record_settled(reservation: &mut Reservation, state: State) {
    match reservation.record(state).await {
        Ok(true) => {}
        Ok(false) => tracing::warn!("a payment was recorded by another process"),
        Err(error) => tracing::error!(%error, "cannot record a settled payment"),
    }
}

/// Nothing happened: the payment can be used for another attempt.
async fn release(reservation: Reservation) {
    if let Err(error) = reservation.release().await {
        tracing::warn!(%error, "cannot release a payment; it is released when this process ends");
    }
}

fn in_progress() -> Rejection {
    let message = "the same request is being processed; repeat it later with the same payment";
    Rejection::new(StatusCode::CONFLICT, "payment_in_progress", message).retry_after(1)
}

fn store_failed(error: &StoreError) -> Rejection {
    tracing::error!(%error, "the store of payments failed");
    let message = "payments cannot be recorded now";
    Rejection::bad_gateway("replay_store_failed", message)
}
