//! Whose access to which tool.

use alloy_primitives::Address;
use atr_ids::ToolRef;
use atr_registry::Registry;
use atr_rpc::Node;

use crate::{
    args::{AccountArg, CallData, ToolArg},
    context::Context,
    network::{ens, registry},
};

/// Tool, account and data for the predicate.
#[derive(Debug, clap::Args)]
pub(super) struct QuestionArgs {
    /// Tool to check
    #[arg(value_name = "TOOL")]
    pub(super) tool: ToolArg,

    /// Account to check: an address, or an ENS name on mainnet
    #[arg(value_name = "ACCOUNT")]
    pub(super) account: AccountArg,

    /// ABI-encoded data for the predicate, such as a token id, a proof or a signature; public, so it must not contain secrets
    #[arg(
        long,
        value_name = "HEX",
        default_value = "0x",
        hide_default_value = true
    )]
    pub(super) data: CallData,
}

impl QuestionArgs {
    /// Finds the tool in the registry.
    pub(super) async fn find_tool(&self, registry: &Registry) -> eyre::Result<ToolRef> {
        Ok(registry::find_tool(registry, &self.tool).await?)
    }

    /// The address of the account.
    pub(super) async fn resolve_account(
        &self,
        context: &Context,
        registry: &Registry,
    ) -> eyre::Result<Address> {
        let node = Node::from_provider(registry.provider().clone());
        Ok(ens::resolve(&self.account, context, &node, registry.chain_id()).await?)
    }
}
