//! A tool behind the gate layer, served by hyper.
//!
//! `cargo run -p atr-gate --example tower_layer -- <rpc url> <tool> <operator>`, then
//! `curl -i -X POST http://127.0.0.1:8402/`, which gets a challenge. Without arguments, it answers one request and exits.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an application reads the clock and prints"
)]

use std::{
    convert::Infallible,
    error::Error,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use alloy_primitives::{Address, U256};
use atr_auth::{Network, Offer, Offers, Token};
use atr_gate::{
    Body, Clock, Gate, GateConfig, GateContext, GateLayer,
    access::{AccessChecker, AccessConfig},
};
use atr_ids::ToolRef;
use atr_rpc::{Endpoints, Node};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use tokio::net::TcpListener;
use tower::{Layer, ServiceExt, service_fn};

/// The tool itself. Only admitted calls arrive here.
async fn greet(request: Request<Body>) -> Result<Response<Full<Bytes>>, Infallible> {
    let caller = request.extensions().get::<GateContext>();
    let caller = caller.map(|context| context.caller).unwrap_or_default();
    let text = format!("{{\"greeting\":\"hello {caller}\"}}\n");
    let response = Response::builder().header("content-type", "application/json");
    Ok(response.body(Full::from(text)).unwrap_or_default())
}

fn gate(rpc: &str, tool: ToolRef, operator: Address) -> Result<Gate, Box<dyn Error>> {
    let node = Node::try_new(Endpoints {
        urls: vec![rpc.parse()?],
        send_url: None,
        headers: Vec::new(),
        timeout: Duration::from_secs(5),
    })?;
    let network = Network::from_chain_id(tool.chain()).ok_or("no such chain")?;
    let usdc = Token::usdc(network).ok_or("no USDC on this chain")?;
    let now = || SystemTime::now().duration_since(UNIX_EPOCH);
    let clock = Clock::new(move || now().map_or(0, |time| time.as_secs()));
    let mut config = GateConfig::new(tool, clock);
    config.access = Some(AccessChecker::new(AccessConfig::new(tool.chain(), node)));
    config.offers = Some(Offers::new(vec![Offer::new(usdc, U256::ZERO, operator)])?);
    Ok(Gate::new(config)?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [rpc, tool, operator] = &arguments[..] else {
        let tool = "eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/42".parse()?;
        let gate = gate("http://127.0.0.1:8545", tool, Address::repeat_byte(1))?;
        let service = GateLayer::new(Arc::new(gate)).layer(service_fn(greet));
        let request = Request::post("http://127.0.0.1:8402/").body(Full::<Bytes>::default())?;
        let response = service.oneshot(request).await?;
        println!("{} {:#?}", response.status(), response.headers());
        return Ok(());
    };
    let gate = gate(rpc, tool.parse()?, operator.parse()?)?;
    let service = GateLayer::new(Arc::new(gate)).layer(service_fn(greet));
    let listener = TcpListener::bind("127.0.0.1:8402").await?;
    println!("listening at http://{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let server = auto::Builder::new(TokioExecutor::new());
            let connection = server.serve_connection(TokioIo::new(stream), service);
            if let Err(error) = connection.await {
                println!("connection failed: {error}");
            }
        });
    }
}
