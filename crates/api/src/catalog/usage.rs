//! Usage reports: verified before they count.

use std::time::Duration;

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_sol_types::{SolEvent, sol};
use atr_auth::{Authorization, SignedAuthorization, audience_payee};
use atr_ids::{AccountId, AssetId};
use atr_store::index::{
    ListedPrice, RecordedUsage, RegistryKey, ToolKey, ToolRecord, ToolState, UsageRecord,
};

use super::{Catalog, Failure};
use crate::model::{self, Eip3009Report, Integer, SettlementReport, UsageReceipt, UsageReport};

sol! {
    event Transfer(address indexed from, address indexed to, uint256 value);
}

/// Time to read a receipt.
const TIMEOUT: Duration = Duration::from_secs(10);

/// An authorization that expired longer ago is not accepted: a report follows the call.
const MAX_AGE: u64 = 24 * 3600;

/// Logs of a transaction that are looked at.
const MAX_LOGS: usize = 1_000;

/// A proof that was checked.
enum Proof {
    Verified(Box<UsageRecord>),
    Unverified(&'static str),
}

impl Catalog {
    /// Checks a report and counts it once.
    ///
    /// # Errors
    ///
    /// If the report is malformed, the tool does not exist, or the database fails. A proof that cannot be verified is not an error.
    pub async fn report_usage(&self, report: &UsageReport) -> Result<UsageReceipt, Failure> {
        let key = tool_key(report)?;
        let tool = self.store().tool(key).await?.ok_or(Failure::NotFound)?;
        let (id, proof) = match (
            report.verification_type.as_str(),
            &report.eip3009,
            &report.x402,
        ) {
            ("eip3009_authorization", Some(fields), _) => self.authorization(&tool, fields)?,
            ("x402_settlement", _, Some(fields)) => self.settlement(&tool, fields).await?,
            ("eip3009_authorization", None, _) => return Err(missing("eip3009")),
            ("x402_settlement", _, None) => return Err(missing("x402")),
            _ => {
                let rule = "must be eip3009_authorization or x402_settlement";
                return Err(Failure::invalid("verification_type", rule));
            }
        };
        let mut receipt = UsageReceipt {
            id: id.to_string(),
            verified: false,
            verification_type: report.verification_type.clone(),
            counted_for: None,
            reason: None,
        };
        match proof {
            Proof::Unverified(reason) => receipt.reason = Some(reason.to_owned()),
            Proof::Verified(record) => {
                receipt.verified = true;
                let counted_for = match self.store().record_usage(&record, self.now()).await? {
                    RecordedUsage::New(_) => key,
                    RecordedUsage::Known(tool) => tool,
                };
                if counted_for != key {
                    receipt.reason = Some("the proof already counts for another tool".to_owned());
                }
                receipt.counted_for = Some(model::reference(counted_for));
            }
        }
        Ok(receipt)
    }

    /// An identity proof: a zero-value transfer to the creator, or to an audience-bound payee of the tool. Signatures cost nothing, so
    /// they are shown, and do not count for the order of results.
    fn authorization(
        &self,
        tool: &ToolRecord,
        fields: &Eip3009Report,
    ) -> Result<(B256, Proof), Failure> {
        let authorization = Authorization {
            from: address("eip3009.from", &fields.from)?,
            to: address("eip3009.to", &fields.to)?,
            value: integer("eip3009.value", &fields.value)?,
            valid_after: integer("eip3009.valid_after", &fields.valid_after)?,
            valid_before: integer("eip3009.valid_before", &fields.valid_before)?,
            nonce: bytes32("eip3009.nonce", &fields.nonce)?,
        };
        let chain_id = chain("eip3009.chain_id", &fields.chain_id)?;
        let signature: Bytes = fields.signature.parse().map_err(|_| {
            Failure::invalid("eip3009.signature", "must be 0x and hexadecimal digits")
        })?;
        if let Some(caller) = &fields.caller_address
            && address("eip3009.caller_address", caller)? != authorization.from
        {
            return Err(Failure::invalid(
                "eip3009.caller_address",
                "must be the same as eip3009.from",
            ));
        }
        let id = keccak256(
            [
                &chain_id.to_be_bytes()[..],
                authorization.struct_hash().as_slice(),
            ]
            .concat(),
        );
        let signed = SignedAuthorization {
            signature,
            authorization,
        };
        let token =
            self.0.tokens.iter().find(|token| {
                token.network().chain_id() == chain_id && signed.verify(token).is_ok()
            });
        let now = U256::from(self.now());
        let is_fresh = authorization.valid_before + U256::from(MAX_AGE) > now
            && authorization.valid_after <= now;
        let proof = match token {
            None => {
                Proof::Unverified("the signature is not by `from` for a known token of the chain")
            }
            Some(_) if !authorization.value.is_zero() => Proof::Unverified(
                "an authorization of a payment proves nothing until it is settled",
            ),
            Some(_) if !is_fresh => {
                Proof::Unverified("the authorization expired long ago or is not valid yet")
            }
            Some(_) if !is_payee(tool, authorization.to) => Proof::Unverified(
                "`to` is neither the creator nor an audience-bound payee of the tool",
            ),
            Some(token) => Proof::Verified(Box::new(UsageRecord {
                key: tool.key,
                chain_id,
                unique: [
                    token.address().as_slice(),
                    authorization.from.as_slice(),
                    authorization.nonce.as_slice(),
                ]
                .concat(),
                verification_type: "signature".to_owned(),
                caller: authorization.from,
                transaction: None,
                payment: None,
                used_at: self.now(),
            })),
        };
        Ok((id, proof))
    }

    /// A payment: a transfer of exactly a price of the tool from the caller to the tool's creator, in a known token. Anybody can list any
    /// token and recipient, so other payments do not show that this tool was used. A transaction counts once.
    async fn settlement(
        &self,
        tool: &ToolRecord,
        fields: &SettlementReport,
    ) -> Result<(B256, Proof), Failure> {
        let caller = address("x402.caller_address", &fields.caller_address)?;
        let hash = bytes32("x402.tx_hash", &fields.tx_hash)?;
        let chain_id = chain("x402.chain_id", &fields.chain_id)?;
        let id = keccak256([&chain_id.to_be_bytes()[..], hash.as_slice()].concat());
        let unverified = |reason| Ok((id, Proof::Unverified(reason)));
        let Some(node) = self.0.nodes.get(&chain_id) else {
            return unverified("the index has no node of the chain");
        };
        let read = async {
            // A node of another chain must not confirm a payment.
            node.chain_id(Some(chain_id)).await?;
            node.receipt(hash).await
        };
        let receipt = match tokio::time::timeout(TIMEOUT, read).await {
            Ok(Ok(Some(receipt))) => receipt,
            Ok(Ok(None)) => return unverified("the chain has no such transaction (yet)"),
            Ok(Err(_)) | Err(_) => return unverified("the node did not respond"),
        };
        if !receipt.status() {
            return unverified("the transaction failed");
        }
        let is_older = receipt
            .block_number
            .is_some_and(|number| number < tool.registered.number);
        if chain_id == tool.key.registry.chain_id && is_older {
            return unverified("the payment is older than the tool");
        }
        let prices = self.prices(tool, chain_id);
        let transfers = receipt.logs().iter().take(MAX_LOGS);
        let payment = transfers.filter(|log| !log.removed).find_map(|log| {
            let transfer = Transfer::decode_log(&log.inner).ok()?;
            let is_payment = transfer.from == caller
                && transfer.to == tool.creator
                && transfer.from != transfer.to
                && prices.contains(&(log.address(), transfer.value));
            is_payment.then(|| (log.address(), transfer.value))
        });
        if payment.is_none() {
            return unverified(
                "the transaction has no transfer of a price of the tool, in a known token, from the caller to the tool's creator",
            );
        }
        let record = UsageRecord {
            key: tool.key,
            chain_id,
            unique: hash.to_vec(),
            verification_type: "settlement".to_owned(),
            caller,
            transaction: Some(hash),
            payment,
            used_at: self.now(),
        };
        Ok((id, Proof::Verified(Box::new(record))))
    }

    /// Token and amount of the prices on a chain that are above zero and in a known token.
    fn prices(&self, tool: &ToolRecord, chain_id: u64) -> Vec<(Address, U256)> {
        let is_known = |token: Address| {
            let mut tokens = self.0.tokens.iter();
            tokens.any(|known| known.network().chain_id() == chain_id && known.address() == token)
        };
        let chain = format!("eip155:{chain_id}");
        let prices = listed(tool).iter().filter_map(|price| {
            let asset: AssetId = price.asset.parse().ok()?;
            let token = asset.reference().parse().ok()?;
            let recipient: AccountId = price.recipient.parse().ok()?;
            let amount: U256 = price.amount.parse().ok()?;
            let is_here = asset.chain() == chain && recipient.chain() == chain;
            let is_paid_to_creator = recipient.address().parse() == Ok(tool.creator);
            (is_here && is_paid_to_creator && is_known(token) && !amount.is_zero())
                .then_some((token, amount))
        });
        prices.collect()
    }
}

fn listed(tool: &ToolRecord) -> &[ListedPrice] {
    let listing = tool.listing.as_ref();
    listing.map_or(&[], |listing| listing.prices.as_slice())
}

/// Whether the account is the creator, or the audience-bound payee of the creator or of a recipient. A recipient itself is not enough:
/// every tool can list it.
fn is_payee(tool: &ToolRecord, payee: Address) -> bool {
    let endpoint = tool.listing.as_ref();
    let endpoint = endpoint.and_then(|listing| listing.endpoint.as_deref());
    let recipients = listed(tool).iter().filter_map(|price| {
        let account: AccountId = price.recipient.parse().ok()?;
        account.address().parse().ok()
    });
    let mut operators = std::iter::once(tool.creator).chain(recipients);
    let is_bound = |operator| {
        endpoint.and_then(|url| audience_payee(url, tool.key.id, operator).ok()) == Some(payee)
    };
    tool.state == ToolState::Live && (payee == tool.creator || operators.any(is_bound))
}

fn tool_key(report: &UsageReport) -> Result<ToolKey, Failure> {
    let rule = "is required, with tool_registry_address and tool_onchain_id";
    let missing = || Failure::invalid("tool_chain_id", rule);
    let (Some(chain_id), Some(registry), Some(id)) = (
        &report.tool_chain_id,
        &report.tool_registry_address,
        &report.tool_onchain_id,
    ) else {
        return Err(missing());
    };
    Ok(ToolKey {
        registry: RegistryKey {
            chain_id: chain("tool_chain_id", chain_id)?,
            address: address("tool_registry_address", registry)?,
        },
        id: integer("tool_onchain_id", id)?,
    })
}

fn missing(member: &str) -> Failure {
    Failure::invalid(member, "is required for this verification_type")
}

fn integer(member: &str, value: &Integer) -> Result<U256, Failure> {
    let rule = "must be a decimal integer of at most 256 bits";
    value.value().ok_or_else(|| Failure::invalid(member, rule))
}

fn chain(member: &str, value: &Integer) -> Result<u64, Failure> {
    let rule = "must be an EIP-155 chain id";
    let value = integer(member, value)?;
    value.try_into().map_err(|_| Failure::invalid(member, rule))
}

fn address(member: &str, text: &str) -> Result<Address, Failure> {
    let rule = "must be 0x and 40 hexadecimal digits";
    let is_prefixed = text.starts_with("0x");
    text.parse()
        .ok()
        .filter(|_| is_prefixed)
        .ok_or_else(|| Failure::invalid(member, rule))
}

fn bytes32(member: &str, text: &str) -> Result<B256, Failure> {
    let rule = "must be 0x and 64 hexadecimal digits";
    let is_prefixed = text.starts_with("0x");
    text.parse()
        .ok()
        .filter(|_| is_prefixed)
        .ok_or_else(|| Failure::invalid(member, rule))
}
