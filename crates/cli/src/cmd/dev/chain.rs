//! The local chain and its contracts.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use alloy::providers::Provider;
use alloy_primitives::{Address, B256, Bytes, U256, address, keccak256};
use alloy_sol_types::{SolCall, sol};
use atr_auth::{Network, Token};
use atr_deploy::{FACTORY, Suite};
use atr_gate::access::DELEGATE_REGISTRY;
use atr_rpc::{Endpoints, Node, rpc_error};
use serde_json::{Value, json};

use super::{DevError, program::Program};
use crate::config::Environment;

sol!(PlainERC721, "artifacts/PlainERC721.json");
sol!(PlainERC3009, "artifacts/PlainERC3009.json");
sol!(
    StandInDelegateRegistry,
    "artifacts/StandInDelegateRegistry.json"
);

/// The id of Base: clients of x402 sign only for chains and tokens that they know.
pub(super) const CHAIN_ID: u64 = 8453;

/// Gas limit of the transactions, below the limit of EIP-7825.
const GAS: u64 = 10_000_000;

const TIMEOUT: Duration = Duration::from_secs(30);

/// An account of anvil. Its key is public knowledge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Account {
    pub(super) address: Address,
    pub(super) key: &'static str,
}

/// Publishes the tools and is paid.
pub(super) const PUBLISHER: Account = Account {
    address: address!("f39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
    key: "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
};
/// Holds an NFT and USDC.
pub(super) const HOLDER: Account = Account {
    address: address!("70997970C51812dc3A010C7d01b50e0d17dc79C8"),
    key: "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
};
/// Holds nothing; calls for the holder once it may.
pub(super) const AGENT: Account = Account {
    address: address!("3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"),
    key: "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
};
/// Holds nothing.
pub(super) const OTHER: Account = Account {
    address: address!("90F79bf6EB2c4f870365E785982E1f101E93b906"),
    key: "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
};
/// Sends the transactions of the facilitator.
pub(super) const FACILITATOR: Account = Account {
    address: address!("15d34AAf54267DB7D7c367839AAf71A00a2C6A65"),
    key: "0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
};

/// Token of the collection that the holder has.
pub(super) const TOKEN_ID: u64 = 1;

/// 100 USDC.
const HOLDER_USDC: u64 = 100_000_000;

/// The binary of the flag, of the variable ANVIL, or in PATH.
pub(super) fn find_anvil(
    flag: Option<&Path>,
    environment: &Environment,
) -> Result<PathBuf, DevError> {
    let named = flag.map(Path::to_owned);
    let path = named.or_else(|| environment.path("ANVIL"));
    let path = path.unwrap_or_else(|| PathBuf::from("anvil"));
    let mut version = std::process::Command::new(&path);
    let version = version.arg("--version").stdout(Stdio::null()).status();
    match version {
        Ok(_) => Ok(path),
        Err(source) => Err(DevError::NoAnvil { path, source }),
    }
}

#[derive(Debug)]
pub(super) struct LocalChain {
    program: Program,
    url: String,
    node: Node,
}

/// Addresses on the chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contracts {
    pub(super) registry: Address,
    /// An ERC-721 collection. Anyone can mint and burn.
    pub(super) collection: Address,
    /// OpenZeppelin's ERC-3009 at the address of USDC on Base. Anyone can mint.
    pub(super) usdc: Address,
    /// A stand-in at the address of delegate.xyz version 2.
    pub(super) delegate_registry: Address,
}

impl LocalChain {
    pub(super) async fn start(anvil: &Path, port: u16) -> eyre::Result<Self> {
        const NAME: &str = "anvil";
        let (id, port_arg) = (CHAIN_ID.to_string(), port.to_string());
        let args = ["--chain-id", &id, "--port", &port_arg];
        // A block for each transaction, and one every two seconds as on Base: the gate does not trust an old head.
        let mining = ["--block-time", "2", "--mixed-mining"];
        let args = args.iter().chain(&mining).map(OsStr::new);
        let command: Vec<_> = std::iter::once(anvil.as_os_str()).chain(args).collect();
        let ready = |line: &str| {
            let address = line.strip_prefix("Listening on ")?;
            Some(format!("http://{address}"))
        };
        let started = Program::start(&command, Path::new("."), &[], ready).await;
        let started = started.map_err(|source| DevError::Start {
            program: NAME,
            source,
        })?;
        let (program, url) = started.ok_or(DevError::NotReady {
            program: NAME,
            port,
        })?;
        let node = Node::try_new(Endpoints {
            urls: vec![url.parse()?],
            send_url: None,
            headers: Vec::new(),
            timeout: TIMEOUT,
        })?;
        Ok(Self { program, url, node })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Deploys the registry and its predicates as `atr deploy` does, and the contracts of the sample tools.
    pub(super) async fn deploy(&self) -> eyre::Result<Contracts> {
        let suite = Suite::new(B256::ZERO);
        let tokens = [
            &PlainERC721::BYTECODE,
            &PlainERC3009::BYTECODE,
            &StandInDelegateRegistry::BYTECODE,
        ];
        let codes = suite.targets().iter().map(|target| target.init_code());
        let mut sent = Vec::new();
        for code in codes.chain(tokens) {
            let data = [B256::ZERO.as_slice(), code].concat();
            sent.push(self.send(PUBLISHER, FACTORY, data).await?);
        }
        self.wait(&sent).await?;
        let [collection, usdc, delegate_registry] =
            tokens.map(|code| FACTORY.create2(B256::ZERO, keccak256(code)));
        let contracts = Contracts {
            registry: suite.registry(),
            collection,
            usdc: usdc_address(),
            delegate_registry: DELEGATE_REGISTRY,
        };
        self.copy_code(usdc, contracts.usdc).await?;
        self.copy_code(delegate_registry, contracts.delegate_registry)
            .await?;
        let mint = PlainERC3009::mintCall {
            to: HOLDER.address,
            amount: U256::from(HOLDER_USDC),
        };
        let mint_token = PlainERC721::mintCall {
            to: HOLDER.address,
            tokenId: U256::from(TOKEN_ID),
        };
        let sent = [
            self.send(PUBLISHER, contracts.usdc, mint.abi_encode())
                .await?,
            self.send(PUBLISHER, collection, mint_token.abi_encode())
                .await?,
        ];
        self.wait(&sent).await?;
        Ok(contracts)
    }

    /// Sends a transaction; anvil has the keys.
    pub(super) async fn send(
        &self,
        from: Account,
        to: Address,
        data: Vec<u8>,
    ) -> eyre::Result<B256> {
        let transaction = json!({
            "from": from.address,
            "to": to,
            "data": Bytes::from(data),
            "gas": U256::from(GAS),
        });
        Ok(self
            .request("eth_sendTransaction", json!([transaction]))
            .await?)
    }

    /// Waits until transactions are mined; an error if one of them reverted.
    pub(super) async fn wait(&self, transactions: &[B256]) -> eyre::Result<()> {
        const INTERVAL: Duration = Duration::from_millis(10);
        for &transaction in transactions {
            let receipt = async {
                loop {
                    let params = json!([transaction]);
                    let receipt: Value = self.request("eth_getTransactionReceipt", params).await?;
                    if !receipt.is_null() {
                        return Ok::<_, atr_rpc::Error>(receipt);
                    }
                    tokio::time::sleep(INTERVAL).await;
                }
            };
            let receipt = tokio::time::timeout(TIMEOUT, receipt).await;
            let receipt = receipt.map_err(|_| DevError::NotMined { transaction })??;
            if receipt["status"] != "0x1" {
                return Err(DevError::Reverted { transaction }.into());
            }
        }
        Ok(())
    }

    /// Copies deployed code, whose immutable values do not depend on the address.
    async fn copy_code(&self, from: Address, to: Address) -> Result<(), atr_rpc::Error> {
        let code: Bytes = self.request("eth_getCode", json!([from, "latest"])).await?;
        let _: Value = self.request("anvil_setCode", json!([to, code])).await?;
        Ok(())
    }

    async fn request<
        T: serde::de::DeserializeOwned + std::fmt::Debug + Send + Sync + Unpin + 'static,
    >(
        &self,
        method: &'static str,
        params: Value,
    ) -> Result<T, atr_rpc::Error> {
        let response = self.node.provider().raw_request(method.into(), params);
        response.await.map_err(rpc_error(method))
    }

    /// Returns when anvil has ended.
    pub(super) async fn ended(&mut self) {
        self.program.ended().await;
    }

    pub(super) async fn stop(self) {
        self.program.stop().await;
    }
}

fn usdc_address() -> Address {
    let usdc = Network::from_chain_id(CHAIN_ID).and_then(Token::usdc);
    usdc.expect("Base has USDC").address()
}
