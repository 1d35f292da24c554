//! The sample tools: their manifests, their server, and the configuration of the gate in front.

use std::{
    convert::Infallible,
    fs,
    path::{Path, PathBuf},
};

use alloy_primitives::{Address, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{ERC721OwnerPredicate, IToolRegistry, PredicateKind};
use atr_deploy::predicate_address;
use atr_gate::{Body, server::App};
use atr_ids::ToolRef;
use atr_manifest::Document;
use http::{HeaderValue, Request, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Full};
use serde::Serialize;
use serde_json::{Value, json};
use tower::service_fn;

use super::chain::{CHAIN_ID, Contracts, LocalChain, PUBLISHER};
use crate::error::Error;

/// 0.01 USDC.
const PRICE: u64 = 10_000;

/// Input of a call that the sample tools accept.
pub(super) const EXAMPLE_INPUT: &str = r#"{"query":"eth"}"#;

/// Where the sample tools are.
#[derive(Debug)]
pub(super) struct Sample {
    /// Origin of the gate.
    pub(super) origin: String,
    /// URL of the server behind the gate.
    pub(super) upstream: String,
    /// Without a facilitator there is no paid tool.
    pub(super) facilitator: Option<String>,
}

/// A registered tool.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SampleTool {
    pub(super) id: u64,
    tool: String,
    pub(super) name: &'static str,
    slug: &'static str,
    pub(super) endpoint: String,
    /// Who may call it, for people.
    pub(super) access: String,
    #[serde(skip)]
    manifest: String,
}

const HOLDERS_SLUG: &str = "nft-price-oracle";
const PAID_SLUG: &str = "token-price";

impl Sample {
    /// Registers the tools as their publisher does.
    pub(super) async fn register(
        &self,
        chain: &LocalChain,
        contracts: &Contracts,
    ) -> eyre::Result<Vec<SampleTool>> {
        let collection = contracts.collection;
        let predicate = predicate_address(contracts.registry, PredicateKind::Erc721);
        let mut tools = vec![self.tool(
            contracts,
            1,
            ("NFT price oracle", HOLDERS_SLUG),
            "Returns the floor price of an NFT collection. For holders of a token.",
            None,
            format!("for holders of a token of {collection}"),
        )?];
        let configure = ERC721OwnerPredicate::setCollections_1Call {
            toolId: U256::from(1),
            collections: vec![collection],
        };
        let mut sent = vec![
            register(chain, contracts, self, &tools[0], predicate).await?,
            chain
                .send(PUBLISHER, predicate, configure.abi_encode())
                .await?,
        ];
        if self.facilitator.is_some() {
            let pricing = json!([{
                "amount": PRICE.to_string(),
                "asset": format!("eip155:{CHAIN_ID}/erc20:{:#x}", contracts.usdc),
                "recipient": format!("eip155:{CHAIN_ID}:{:#x}", PUBLISHER.address),
                "protocol": "x402",
            }]);
            let tool = self.tool(
                contracts,
                2,
                ("Token price", PAID_SLUG),
                "Returns the price of a token. For everyone who pays.",
                Some(pricing),
                "for everyone, 0.01 USDC per call".to_owned(),
            )?;
            sent.push(register(chain, contracts, self, &tool, Address::ZERO).await?);
            tools.push(tool);
        }
        chain.wait(&sent).await?;
        Ok(tools)
    }

    fn tool(
        &self,
        contracts: &Contracts,
        id: u64,
        (name, slug): (&'static str, &'static str),
        description: &str,
        pricing: Option<Value>,
        access: String,
    ) -> eyre::Result<SampleTool> {
        let endpoint = format!("{}/{slug}", self.origin);
        let mut manifest = json!({
            "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
            "name": name,
            "description": description,
            "endpoint": endpoint,
            "inputs": {
                "type": "object",
                "properties": { "query": { "type": "string" } },
                "required": ["query"],
            },
            "outputs": {
                "type": "object",
                "properties": { "query": { "type": "string" }, "price": { "type": "string" } },
                "required": ["query", "price"],
            },
            "creatorAddress": format!("{:#x}", PUBLISHER.address),
        });
        if let Some(pricing) = pricing {
            manifest["pricing"] = pricing;
        }
        let tool = ToolRef::try_new(CHAIN_ID, contracts.registry, U256::from(id))?;
        Ok(SampleTool {
            id,
            tool: tool.to_string(),
            name,
            slug,
            endpoint,
            access,
            manifest: manifest.to_string(),
        })
    }

    /// Writes the manifests and the configuration of the gate. Returns the path of the configuration.
    pub(super) fn write(&self, folder: &Path, tools: &[SampleTool]) -> Result<PathBuf, Error> {
        let mut text = format!(
            "[gate]\noperator = \"{}\"\nstore = \"payments.sqlite\"\n",
            PUBLISHER.address
        );
        if let Some(url) = &self.facilitator {
            text += &format!("facilitator = \"{url}\"\n");
        }
        for tool in tools {
            let manifest = format!("{}.json", tool.slug);
            text += &format!(
                "\n[[gate.tool]]\ntool = \"{}\"\nupstream = \"{}\"\nmanifest = \"{manifest}\"\n",
                tool.tool, self.upstream
            );
            write(&folder.join(manifest), &tool.manifest)?;
        }
        let path = folder.join("gate.toml");
        write(&path, &text)?;
        Ok(path)
    }
}

async fn register(
    chain: &LocalChain,
    contracts: &Contracts,
    sample: &Sample,
    tool: &SampleTool,
    predicate: Address,
) -> eyre::Result<alloy_primitives::B256> {
    let hash = Document::parse(tool.manifest.clone())?.hash();
    let call = IToolRegistry::registerToolCall {
        metadataURI: format!("{}/.well-known/ai-tool/{}.json", sample.origin, tool.slug),
        manifestHash: hash.to_b256(),
        accessPredicate: predicate,
    };
    chain
        .send(PUBLISHER, contracts.registry, call.abi_encode())
        .await
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })
}

/// The server that implements both tools. It knows its callers from the headers of the gate.
pub(super) fn upstream() -> eyre::Result<App> {
    let mut app = App::default().behind_gate();
    for slug in [HOLDERS_SLUG, PAID_SLUG] {
        let service = service_fn(|request| async { Ok::<_, Infallible>(answer(request).await) });
        app.add_route(&format!("/{slug}"), service)?;
    }
    Ok(app)
}

async fn answer(request: Request<Body>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let header = |name| {
        let value = parts
            .headers
            .get(name)
            .and_then(|value| value.to_str().ok());
        value.map(str::to_owned)
    };
    // The gate limits the size.
    let input = body.collect().await.ok().and_then(|body| {
        let input: Option<Value> = serde_json::from_slice(&body.to_bytes()).ok();
        input
    });
    let mut status = StatusCode::OK;
    let answer = match input {
        Some(input) => json!({
            "query": input["query"],
            "price": "42.00",
            "caller": header("x-tool-caller"),
            "agent": header("x-tool-agent"),
            "paid": header("x-tool-paid"),
        }),
        None => {
            status = StatusCode::BAD_REQUEST;
            json!({ "error": "the body is not JSON" })
        }
    };
    let body = Full::from(answer.to_string()).map_err(|never| match never {});
    let mut response = Response::new(body.boxed_unsync());
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}
