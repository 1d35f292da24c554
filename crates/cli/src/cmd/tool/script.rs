//! `--script`: registration and configuration in one transaction.

use alloy_primitives::Address;
use atr_bindings::REGISTRATION_SCRIPT;
use atr_deploy::registration_script_address;
use atr_registry::{Registration, Registry, ScriptRunner};
use atr_rpc::{BlockView, Call};

use crate::{error::Error, transaction::ScriptReport};

/// The transaction of an account that runs `RegistrationScript`.
#[derive(Debug)]
pub(super) struct ScriptTransaction {
    pub(super) call: Call,
    pub(super) report: ScriptReport,
    runner: ScriptRunner,
    creator: Address,
}

impl ScriptTransaction {
    /// An error if the script is not deployed.
    pub(super) async fn try_new(
        registration: &Registration,
        registry: &Registry,
        creator: Address,
    ) -> eyre::Result<Self> {
        let view = BlockView::latest(registry.provider());
        let script = registration_script_address();
        if view.code(script).await?.is_empty() {
            return Err(Error::ScriptNotDeployed {
                contract: REGISTRATION_SCRIPT.name(),
                address: script,
            }
            .into());
        }
        let runner = ScriptRunner::of(&view.code(creator).await?, script);
        Ok(Self {
            call: registration.script_transaction(registry, script, creator, runner),
            report: ScriptReport {
                address: script,
                operation: u8::from(runner == ScriptRunner::SmartAccount),
                authorization: (runner == ScriptRunner::Eoa).then_some(script),
            },
            runner,
            creator,
        })
    }

    /// Whether an ordinary transaction of the creator runs the script.
    pub(super) fn can_be_sent(&self) -> bool {
        self.runner == ScriptRunner::Delegate
    }

    /// An error if the transaction can only be printed.
    pub(super) fn require_unsigned(&self, is_unsigned: bool) -> Result<(), Error> {
        if is_unsigned || self.can_be_sent() {
            return Ok(());
        }
        Err(Error::ScriptNeedsOtherSigner {
            account: self.creator,
            script: self.report.address,
        })
    }

    /// The line of the plan.
    pub(super) fn describe(&self) -> String {
        let ScriptReport { address, .. } = self.report;
        let how = match self.runner {
            ScriptRunner::SmartAccount => "run by delegatecall (operation 1)",
            ScriptRunner::Delegate => "the EIP-7702 delegate of the account",
            ScriptRunner::Eoa => "to authorize as EIP-7702 delegate in the same transaction",
        };
        format!("{address}, {how}")
    }

    pub(super) fn warning(&self) -> Option<String> {
        (self.runner != ScriptRunner::SmartAccount).then(|| {
            "while the account delegates to RegistrationScript it cannot receive ether, nor ERC-721 tokens by safeTransferFrom; \
             remove the delegation after the registration"
                .to_owned()
        })
    }

    /// The command that authorizes the delegate and sends the transaction.
    pub(super) fn command(&self) -> Option<String> {
        let script = self.report.authorization?;
        let Call { to, data, .. } = &self.call;
        Some(format!("cast send {to} {data} --auth {script}"))
    }
}
