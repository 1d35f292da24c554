//! Advice for errors and blockers of the libraries. Libraries return data; only the CLI names flags and commands.

use atr_bindings::PredicateKind;
use atr_deploy::{Blocker, Finding, MissingInput};
use atr_ids::HttpsUrl;
use atr_registry::GateError;
use atr_rpc::{FeeKind, FeeLimitExceeded};

use crate::{
    cmd::{DevError, GateError as ServerError},
    error::Error,
};

/// Advice for the error that ended a command.
pub(crate) fn for_error(error: &eyre::Report) -> Option<String> {
    let deploy = error.downcast_ref().and_then(deploy_error);
    let registry = || error.downcast_ref().and_then(registry_error);
    let rpc = || error.downcast_ref().and_then(rpc_error);
    let client = || error.downcast_ref().and_then(client_error);
    let gate = || error.downcast_ref().and_then(gate_error);
    let server = || error.downcast_ref().and_then(ServerError::hint);
    let own = || error.downcast_ref().and_then(cli_error);
    let library = deploy.or_else(registry).or_else(rpc).or_else(own);
    let indexer = || error.downcast_ref().and_then(indexer_error);
    let library = library.or_else(client).or_else(gate).or_else(indexer);
    let dev = || error.downcast_ref().and_then(DevError::hint);
    let call = || error.downcast_ref().and_then(call_error);
    let listen = || {
        let error = error.downcast_ref::<atr_api::server::ServerError>();
        error.map(|_| "another process may use the port; choose another one (`atr serve --listen`, `atr dev --index-port`)")
    };
    library.or_else(|| {
        server()
            .or_else(dev)
            .or_else(call)
            .or_else(listen)
            .map(str::to_owned)
    })
}

/// A tool that did not respond, or whose card is not trusted.
const fn call_error(error: &Error) -> Option<&'static str> {
    match error {
        Error::Refused {
            is_paid: true,
            status: 500.. | 409 | 429,
            ..
        } => Some("run the same command again: the same payment is sent again, not paid twice"),
        Error::Refused { status: 500.., .. } => Some("run the same command again later"),
        Error::Refused { status: 403, .. } => Some(
            "`atr access check <tool> <account>` shows what is missing; --json prints the whole response",
        ),
        Error::Refused { .. } => Some("--json prints the whole response"),
        Error::CardNotTrusted { .. } => {
            Some("`atr card resolve <name>` shows every comparison; nothing was called")
        }
        _ => None,
    }
}

/// Whether a request to a node failed.
pub(super) fn is_node_error(error: &eyre::Report) -> bool {
    let rpc = error.downcast_ref::<atr_rpc::Error>();
    let rpc = rpc.or_else(|| match error.downcast_ref() {
        Some(atr_registry::Error::Rpc(error)) => Some(error),
        _ => None,
    });
    let rpc = rpc.or_else(|| match error.downcast_ref() {
        Some(
            atr_deploy::Error::Rpc(error)
            | atr_deploy::Error::Registry(atr_registry::Error::Rpc(error)),
        ) => Some(error),
        _ => None,
    });
    matches!(rpc, Some(atr_rpc::Error::Node { .. }))
}

/// The error of an unreachable node, whose URL is a setting.
fn unreachable_node(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(atr_fetch::Error::Unreachable { .. }) = error.downcast_ref() {
            return Some("is the node running? check --rpc-url".to_owned());
        }
        cause = error.source();
    }
    None
}

/// How to fetch from a host of one's own.
fn cli_error(error: &crate::error::Error) -> Option<String> {
    use atr_fetch::Error;
    let crate::error::Error::FetchDocument { url, source, .. } = error else {
        return None;
    };
    let url: HttpsUrl = url.parse().ok()?;
    let (host, port) = (url.origin().host(), url.origin().port().unwrap_or(443));
    Some(match source {
        Error::ForbiddenAddress { .. } => format!(
            "if the host is yours, allow it with --allow-host {host}:{port} or ATR_ALLOW_HOST"
        ),
        Error::Tls { .. } => format!(
            "if the host is yours, use --allow-host {host}:{port} and --ca-file FILE with its root certificate (ATR_ALLOW_HOST, \
             ATR_CA_FILE)"
        ),
        _ => return None,
    })
}

fn indexer_error(error: &atr_indexer::Error) -> Option<String> {
    use atr_indexer::Error;
    use atr_registry::Error as Registry;
    let hint = match error {
        Error::CodeChanged { .. } => {
            "find out why; an index of the new code needs a new database (--database-url)"
        }
        Error::Registry(Registry::EventGap { .. } | Registry::EventsMissing { .. }) => {
            "use a node that keeps all logs (--rpc-url) and run the command again: the blocks are read again"
        }
        Error::Registry(Registry::Rpc(atr_rpc::Error::ReorgTooDeep { .. })) => {
            "check the node; if its chain is right, index into a new database (--database-url)"
        }
        Error::Locked => "wait until it ends; with --follow this process takes over",
        _ => return None,
    };
    Some(hint.to_owned())
}

fn client_error(error: &atr_client::Error) -> Option<String> {
    use atr_client::{Error, PolicyViolation};
    Some(match error {
        Error::NotVerified(verdict) => format!("run `atr verify {}` for details", verdict.tool()),
        Error::Policy(PolicyViolation::PaymentNotAllowed { .. }) => {
            "--max-amount allows a payment; --dry-run prints what the tool demands".to_owned()
        }
        Error::Policy(PolicyViolation::TooExpensive { .. }) => "raise --max-amount".to_owned(),
        Error::Policy(PolicyViolation::DailyLimit { .. }) => {
            "wait, or raise the limit; `atr ledger` lists the payments".to_owned()
        }
        Error::Policy(PolicyViolation::Recipient { .. }) => {
            "check the payee, then add it with --allow-recipient".to_owned()
        }
        Error::Policy(PolicyViolation::UnnamedPayee { payee }) => format!(
            "if you trust it, pass --allow-recipient {payee}, or run the command in a terminal without --yes to be asked"
        ),
        Error::Policy(PolicyViolation::NotBound { .. }) => {
            "the publisher can bind it with `atr gate --bind-audience`; without --require-audience, the creator is accepted"
                .to_owned()
        }
        Error::ForeignAudience { .. } => {
            "nothing was signed: the tool may relay the challenge of another one".to_owned()
        }
        Error::NoUsableRequirement { offered } => format!("it accepts: {}", offered.join("; ")),
        Error::DiffersFromManifest => {
            "run with --dry-run to see the demand; --accept-price-change accepts it".to_owned()
        }
        Error::PaidWithoutResponse { .. } => {
            "contact the publisher, or pay once more with --pay-again".to_owned()
        }
        Error::PaymentPending { .. } => {
            "run the command again in a minute; `atr ledger --check` reads the state of a payment on another chain".to_owned()
        }
        Error::Fetch(_) => {
            "run the same command again: an unanswered payment is sent again, not paid twice"
                .to_owned()
        }
        _ => return None,
    })
}

/// A blocker of a deployment, with advice.
pub(crate) fn deploy_blocker(blocker: &Blocker) -> String {
    with_hint(blocker.to_string(), blocker_hint(blocker))
}

fn blocker_hint(blocker: &Blocker) -> Option<String> {
    Some(match blocker {
        Blocker::FactoryMissing { cost, account } => format!(
            "--deploy-factory deploys it: sends {cost} to {account}, then the factory's presigned transaction"
        ),
        Blocker::CodeMismatch { .. } => "run `atr deploy check` for details".to_owned(),
        Blocker::InsufficientFunds { .. } => {
            "fund the account or lower --max-fee-per-gas".to_owned()
        }
        Blocker::FeeLimit(exceeded) => fee_limit(exceeded),
        Blocker::CostLimit { .. } => "raise --max-cost or wait until fees fall".to_owned(),
        Blocker::RegistryMissing { .. } => {
            "check --registry, or deploy the registry first".to_owned()
        }
        Blocker::FactoryMismatch
        | Blocker::FactoryUndeployable { .. }
        | Blocker::WouldRevert { .. } => return None,
    })
}

/// An error of a gate, with advice.
pub(crate) fn gate(error: &GateError) -> String {
    with_hint(error.to_string(), gate_error(error))
}

fn gate_error(error: &GateError) -> Option<String> {
    Some(match error {
        GateError::CannotBeNegated { .. } | GateError::DenyList { .. } => {
            "to deny accounts, give them a token of a collection that you control and use `not erc721:COLLECTION`"
                .to_owned()
        }
        GateError::SeveralConditions { kind, .. } => {
            let name = kind.name();
            let alternatives = match kind {
                PredicateKind::Erc721 | PredicateKind::Erc1155 | PredicateKind::Allowlist => {
                    "combine alternatives with `or`, or "
                }
                _ => "",
            };
            format!(
                "{alternatives}deploy another {name} with `atr deploy --registry <ADDRESS> --only {name} --salt <BYTES32>`, configure it with \
                 `atr predicate set-{} --predicate <ADDRESS>`, and combine both with `atr predicate set-composite --expr`",
                kind.slug()
            )
        }
        GateError::NoDecimals {
            declared: Some(standard),
            ..
        } => format!("use {} instead of erc20", crate::error::slug(*standard)),
        GateError::NoDecimals { .. } => {
            "check the address and the chain; for an ERC-20 token without decimals(), use `atr predicate set-erc20 --decimals`"
                .to_owned()
        }
        GateError::Registry(error) => return registry_error(error),
        _ => return None,
    })
}

/// A blocker of a transaction, with advice.
pub(crate) fn rpc_blocker(blocker: &atr_rpc::Error) -> String {
    with_hint(blocker.to_string(), rpc_error(blocker))
}

/// The detail of a finding, with advice.
pub(crate) fn finding(finding: &Finding) -> String {
    let hint = finding
        .missing_input
        .map(|missing_input| match missing_input {
            MissingInput::InitCodeHash => "pass the expected hash with --init-code-hash".to_owned(),
            MissingInput::CreationTransaction => {
                "pass the creation transaction with --transaction".to_owned()
            }
            MissingInput::Registry => "name the expected one with --registry".to_owned(),
        });
    with_hint(finding.detail.clone(), hint)
}

fn registry_error(error: &atr_registry::Error) -> Option<String> {
    use atr_registry::Error;
    Some(match error {
        Error::Rpc(error) => return rpc_error(error),
        Error::NotARegistry { .. } => "check --registry and --chain".to_owned(),
        Error::NoContract { .. } => {
            "pass --registry opensea or another --registry, or run `atr deploy`".to_owned()
        }
        Error::TooManyTools { .. } => "select tools by id".to_owned(),
        Error::EventGap { .. } | Error::EventsMissing { .. } => {
            "the node returns incomplete logs; use another --rpc-url".to_owned()
        }
        Error::HistoryTooLong { .. } => {
            "use --predicate, or a node that returns more blocks per request".to_owned()
        }
        _ => return None,
    })
}

fn rpc_error(error: &atr_rpc::Error) -> Option<String> {
    use atr_rpc::Error;
    const RESUME: &str = "run the same command again to continue; nothing is paid twice";
    Some(match error {
        Error::Node { .. } => return unreachable_node(error),
        Error::WrongChain { .. } => "check --chain and --rpc-url".to_owned(),
        Error::FeeLimit(exceeded) => fee_limit(exceeded),
        Error::CostLimit { .. } => {
            "raise --max-cost or wait until fees fall, and run the same command again".to_owned()
        }
        Error::InsufficientFunds { .. } => {
            "fund the account and run the same command again".to_owned()
        }
        Error::NonceOccupied { .. } => {
            "wait until that transaction is included, or cancel it with the wallet that sent it; then run the same command again"
                .to_owned()
        }
        Error::StillPending(pending) => match (pending.missing_nonce, &pending.fee_limit) {
            (Some(nonce), _) => format!(
                "nonce {nonce} of {} must be used first; if that transaction will never be sent, move {} to another directory. {RESUME}",
                pending.account,
                pending.journal.display()
            ),
            (None, Some(limit)) => {
                format!("{limit}; raise --max-cost or wait until fees fall. {RESUME}")
            }
            (None, None) => RESUME.to_owned(),
        },
        Error::EarlierTransaction { journal, .. } => format!(
            "run the command of the earlier run again to send it; to give it up, move {} to another directory",
            journal.display()
        ),
        Error::Busy { .. } => "wait for it to finish".to_owned(),
        Error::ReorgTooDeep { .. } => {
            "run the command again with --from-block to read the new chain".to_owned()
        }
        Error::InvalidJournal { .. } => {
            "if no transaction is pending, move the file to another directory".to_owned()
        }
        _ => return None,
    })
}

fn deploy_error(error: &atr_deploy::Error) -> Option<String> {
    use atr_deploy::Error;
    Some(match error {
        Error::InvalidFile { .. } => {
            "if no transaction is pending, move the file to another directory".to_owned()
        }
        Error::Blocked(blocker) => return blocker_hint(blocker),
        Error::Registry(error) => return registry_error(error),
        Error::Rpc(error) => return rpc_error(error),
        Error::SeveralContracts { .. } => "select one with --only".to_owned(),
        Error::FactoryNotDeployed { .. } => {
            "run the same command again to continue; nothing is paid twice".to_owned()
        }
        _ => return None,
    })
}

fn fee_limit(exceeded: &FeeLimitExceeded) -> String {
    let flag = match exceeded.fee {
        FeeKind::MaxFeePerGas => "--max-fee-per-gas",
        FeeKind::MaxPriorityFeePerGas => "--max-priority-fee-per-gas",
    };
    format!("raise {flag} or wait until fees fall")
}

fn with_hint(text: String, hint: Option<String>) -> String {
    match hint {
        Some(hint) => format!("{text}; {hint}"),
        None => text,
    }
}
