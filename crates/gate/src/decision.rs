//! Who calls, and whether the call is admitted.

use std::net::IpAddr;

use alloy_primitives::{Address, B256, Bytes, hex};
use atr_auth::{Credential, CredentialError, Offers, PaymentCredential, ReplayKey};
use atr_http_server::ClientAddress;
use atr_ids::parse_address;
use http::{HeaderMap, HeaderName};

use crate::{
    Gate, GateContext, Rejection,
    access::{AccessOutcome, AccessQuery},
    challenge,
    config::AccessData,
    context::{ACCESS_DATA, DELEGATE_FOR},
    payment::RETENTION,
    replay::Refused,
};

/// Size of the data for a predicate in a header. A Merkle proof for a million accounts has 640 bytes.
const MAX_ACCESS_DATA: usize = 4096;

/// Who signed. Nothing about access or payment is known yet.
#[derive(Clone, Debug)]
pub(crate) struct Signer {
    pub(crate) account: Address,
    pub(crate) credential: Credential,
    pub(crate) replay_key: ReplayKey,
    /// When the credential expires, in seconds since 1970.
    pub(crate) expiry: u64,
    /// A payment that can only fetch what was paid for before it expired.
    pub(crate) is_expired: bool,
    /// The time that the credential was checked for: now, or before it expired.
    pub(crate) checked_at: u64,
    /// The credential is a payment to the gate that follows. It stays in the request.
    pub(crate) is_for_following_gate: bool,
    /// The signature is not by the key of the account; the account itself may accept it.
    unverified: Option<Unverified>,
}

/// A signature that only a smart account can check.
#[derive(Clone, Debug)]
struct Unverified {
    hash: B256,
    error: CredentialError,
}

impl Gate {
    /// Finds and checks the credential. Asks a node only for a smart account.
    pub(crate) async fn authenticate(
        &self,
        headers: &HeaderMap,
        client: Option<ClientAddress>,
        now: u64,
    ) -> Result<Signer, Rejection> {
        let signer = self.read_credential(headers, client, now)?;
        self.verify_smart_account(&signer, now).await?;
        let limiter = &self.config().rate_limiter;
        limiter
            .account(signer.account)
            .map_err(Rejection::rate_limited)?;
        Ok(signer)
    }

    async fn verify_smart_account(&self, signer: &Signer, now: u64) -> Result<(), Rejection> {
        let Some(Unverified { hash, error }) = &signer.unverified else {
            return Ok(());
        };
        let rejected = Rejection::credential(error);
        let (Some(access), Credential::Payment(payment)) =
            (&self.config().access, &signer.credential)
        else {
            return Err(rejected);
        };
        let signature = &payment.signed().signature;
        match access
            .accepts_signature(
                signer.account,
                *hash,
                signature,
                &self.config().account_factories,
                now,
            )
            .await
        {
            Ok(true) => Ok(()),
            Ok(false) => Err(rejected),
            Err(reason) => Err(Rejection::unknown(self.config().tool, &reason)),
        }
    }

    fn read_credential(
        &self,
        headers: &HeaderMap,
        client: Option<ClientAddress>,
        now: u64,
    ) -> Result<Signer, Rejection> {
        let config = self.config();
        let pairs = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()));
        let rejected = |error| Rejection::credential(&error);
        let credential = Credential::from_headers(pairs, config.schemes);
        let Some(credential) = credential.map_err(rejected)? else {
            return Err(self.no_credential());
        };
        let address: Option<IpAddr> = client.map(|client| client.0);
        let limited = Rejection::rate_limited;
        config.rate_limiter.client(address).map_err(limited)?;
        let signer = match credential {
            Credential::Payment(payment) => {
                let claimed = payment.authorization().from;
                config.rate_limiter.peek_account(claimed).map_err(limited)?;
                self.check_payment(payment, now).map_err(rejected)?
            }
            Credential::Siwe(siwe) => {
                config
                    .rate_limiter
                    .peek_account(siwe.address)
                    .map_err(limited)?;
                let Some(host) = self.public_host().filter(|_| !config.is_paid()) else {
                    // A message pays nothing.
                    return Err(challenge::payment_required());
                };
                let account = siwe.check(host, config.window, now).map_err(rejected)?;
                Signer {
                    account,
                    replay_key: siwe.replay_key(),
                    expiry: siwe.expiration_time,
                    is_expired: false,
                    checked_at: now,
                    credential: Credential::Siwe(siwe),
                    is_for_following_gate: false,
                    unverified: None,
                }
            }
        };
        Ok(signer)
    }

    fn no_credential(&self) -> Rejection {
        if self.config().offers.is_some() {
            return challenge::payment_required();
        }
        let schemes = challenge::schemes(self.config()).join(", ");
        Rejection::unauthorized(format!("send an Authorization header with {schemes}"))
    }

    fn check_payment(
        &self,
        payment: PaymentCredential,
        now: u64,
    ) -> Result<Signer, CredentialError> {
        let config = self.config();
        let expiry: u64 = payment.authorization().valid_before.saturating_to();
        // The answer that an expired payment paid for is kept for some time.
        let is_expired =
            config.payments.is_some() && (expiry..expiry.saturating_add(RETENTION)).contains(&now);
        let checked_at = if is_expired {
            expiry.saturating_sub(1)
        } else {
            now
        };
        let check = |offers: &Offers| {
            let terms = payment.check_terms(offers, config.window, checked_at)?;
            let unverified = match terms.verify_signature() {
                Ok(()) => None,
                Err(error) if config.smart_accounts => Some(Unverified {
                    hash: terms.digest(),
                    error: error.into(),
                }),
                Err(error) => return Err(error.into()),
            };
            Ok((terms.replay_key(), terms.caller(), unverified))
        };
        let no_offers = CredentialError::WrongNetwork {
            found: payment.network(),
        };
        let offers = config.offers.as_ref();
        let mut result = offers.map_or(Err(no_offers), check);
        let mut is_for_following_gate = false;
        if result.is_err()
            && let Some(following) = &config.following_offers
            && !payment.authorization().value.is_zero()
        {
            result = check(following);
            is_for_following_gate = result.is_ok();
        }
        let (replay_key, account, unverified) = result?;
        Ok(Signer {
            account,
            replay_key,
            expiry,
            is_expired,
            checked_at,
            credential: Credential::Payment(payment),
            is_for_following_gate,
            unverified,
        })
    }

    /// Checks delegation and access, both at the same block.
    pub(crate) async fn authorize(
        &self,
        signer: &Signer,
        headers: &HeaderMap,
        now: u64,
    ) -> Result<GateContext, Rejection> {
        let config = self.config();
        let holder = delegate_for(headers)?;
        let data = match &config.access_data {
            AccessData::Header => access_data(headers)?,
            AccessData::Fixed(data) => data.clone(),
        };
        let agent = holder.map(|_| signer.account);
        let mut context = GateContext {
            tool: config.tool,
            caller: holder.unwrap_or(signer.account),
            agent,
            granted_at: None,
            payment: None,
        };
        let Some(access) = &config.access else {
            // Without access checks there is nobody to act for.
            (context.caller, context.agent) = (signer.account, None);
            return Ok(context);
        };
        let question = AccessQuery {
            tool: config.tool,
            account: context.caller,
            agent,
            data,
        };
        let answer = access.check(&question, now).await;
        match answer.outcome {
            AccessOutcome::Granted => {
                context.granted_at = answer.block;
                Ok(context)
            }
            AccessOutcome::NotDelegated => Err(Rejection::not_delegated()),
            AccessOutcome::Unknown(reason) => Err(Rejection::unknown(config.tool, &reason)),
            AccessOutcome::Denied { predicate } => {
                let requirements = match (config.explain_denials, predicate, answer.block) {
                    (true, Some(predicate), Some(block)) => {
                        access.requirements(config.tool, predicate, block).await
                    }
                    _ => None,
                };
                Err(Rejection::denied(
                    config.tool,
                    predicate,
                    requirements.as_ref(),
                ))
            }
        }
    }

    /// Marks an identity credential as used.
    pub(crate) fn use_identity(&self, signer: &Signer, now: u64) -> Result<(), Rejection> {
        let Some(seen) = &self.config().seen_nonces else {
            return Ok(());
        };
        // The gate that follows reserves the payment.
        if signer.is_for_following_gate {
            return Ok(());
        }
        match seen.insert(&signer.replay_key, signer.expiry, now) {
            Ok(()) => Ok(()),
            Err(Refused::AlreadyUsed) => Err(already_used()),
            Err(Refused::Full) => Err(Rejection::new(
                http::StatusCode::SERVICE_UNAVAILABLE,
                "too_many_credentials",
                "too many credentials are in use",
            )
            .retry_after(60)),
        }
    }
}

/// The authorization was used before.
pub(crate) fn already_used() -> Rejection {
    const CODE: &str = "payment_authorization_already_used";
    Rejection::challenge(CODE, CODE)
}

/// The account that the signer acts for. L-13: anything but one address is an error.
fn delegate_for(headers: &HeaderMap) -> Result<Option<Address>, Rejection> {
    let invalid = || {
        let message = "X-Delegate-For is not an address: expected 0x and 40 hexadecimal digits";
        Rejection::bad_request("invalid_delegate_for", message)
    };
    let Some(text) = single(headers, &DELEGATE_FOR).map_err(|()| invalid())? else {
        return Ok(None);
    };
    parse_any_case(text).ok_or_else(invalid).map(Some)
}

/// Addresses come in lower case, upper case and with checksums, right or wrong: the delegation decides.
fn parse_any_case(text: &str) -> Option<Address> {
    let digits = text.strip_prefix("0x")?;
    parse_address(&format!("0x{}", digits.to_ascii_lowercase())).ok()
}

fn access_data(headers: &HeaderMap) -> Result<Bytes, Rejection> {
    let invalid = || {
        let message = format!(
            "X-Access-Data is not 0x and an even number of hexadecimal digits, at most {MAX_ACCESS_DATA} bytes"
        );
        Rejection::bad_request("invalid_access_data", message)
    };
    let Some(text) = single(headers, &ACCESS_DATA).map_err(|()| invalid())? else {
        return Ok(Bytes::new());
    };
    let digits = text.strip_prefix("0x").ok_or_else(invalid)?;
    if digits.len() > MAX_ACCESS_DATA * 2 {
        return Err(invalid());
    }
    hex::decode(digits).map(Into::into).map_err(|_| invalid())
}

/// The value of a header that may occur once.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| ()),
        (Some(_), Some(_)) => Err(()),
    }
}
