use super::*;

fn schema(text: &'static str) -> Option<Arc<Schema>> {
    let document = Document::parse(text).unwrap();
    Some(Arc::new(Schema::compile(document.root()).unwrap()))
}

const QUERY: &str =
    r#"{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}"#;
const RESULT: &str =
    r#"{"type":"object","properties":{"result":{"type":"string"}},"required":["result"]}"#;

#[tokio::test]
async fn validates_the_input_before_the_handler() {
    // L-24
    let mut world = World::open();
    world.config.schemas.input = schema(QUERY);
    let (gate, caller) = (world.gate(), Caller::new(1));
    let payment = x_payment(&v1_payment(&signed(&caller)));
    let send = async |method: Method, body: &str, payment: &str| {
        let request = request(method, &[("x-payment", payment)], body);
        world.send_to(&gate, request).await
    };
    for (body, code) in [
        ("", "invalid_input_json"),
        ("{", "invalid_input_json"),
        (r#"{"query":1,"query":"a"}"#, "invalid_input_json"),
        ("{}", "invalid_input"),
        (r#"{"query":7}"#, "invalid_input"),
    ] {
        let answer = send(Method::POST, body, &payment).await;
        assert_eq!(
            (answer.status, answer.code()),
            (400, code.to_owned()),
            "{body}"
        );
    }
    let answer = send(Method::POST, r#"{"query":7}"#, &payment).await;
    let failure = &answer.json()["failures"][0];
    assert_eq!(failure["instance_location"], "/query");
    let large = format!(r#"{{"query":"{}"}}"#, "a".repeat(1 << 20));
    let answer = send(Method::POST, &large, &payment).await;
    assert_eq!(
        (answer.status, answer.code()),
        (413, "body_too_large".to_owned())
    );
    assert_eq!(world.handler.count(), 0);
    // The credential was not used up by any of these.
    let answer = send(Method::POST, r#"{"query":"a"}"#, &payment).await;
    assert_eq!(answer.status, 200);
    // A request for something else than a call has no input.
    let payment = x_payment(&v1_payment(&signed(&caller)));
    assert_eq!(send(Method::GET, "", &payment).await.status, 200);
}

#[tokio::test]
async fn validates_the_output_after_the_handler() {
    // L-24
    let mut world = World::open();
    world.config.schemas.output = schema(RESULT);
    let caller = Caller::new(1);
    let with = |status: u16, content_type: &'static str, body: &'static str| {
        Handler::new(move || {
            Response::builder()
                .status(status)
                .header("content-type", content_type)
                .body(Full::new(Bytes::from_static(body.as_bytes())))
                .unwrap()
        })
    };
    let json = "application/json";
    for (handler, status, code) in [
        (with(200, json, r#"{"result":"a"}"#), 200, None),
        (
            with(200, json, r#"{"result":1}"#),
            502,
            Some("invalid_output"),
        ),
        (with(200, json, "oops"), 502, Some("invalid_output_json")),
        // Neither a failure of the tool nor a stream is an output that the manifest describes.
        (with(404, json, r#"{"message":"no"}"#), 404, None),
        (with(200, "text/event-stream", "data: x\n\n"), 200, None),
    ] {
        world.handler = handler;
        let answer = world.call(&caller, &[("accept-encoding", "gzip")]).await;
        assert_eq!(answer.status, status, "{answer:?}");
        if let Some(code) = code {
            assert_eq!(answer.code(), code);
            assert!(!answer.body.windows(4).any(|part| part == b"oops"));
        }
        let call = world.handler.calls().pop().unwrap();
        assert!(!call.headers.contains_key("accept-encoding"));
    }
    world.handler = Handler::new(|| {
        Response::builder()
            .header("content-type", "application/json")
            .header("content-encoding", "gzip")
            .body(Full::new(Bytes::from_static(b"\x1f\x8b")))
            .unwrap()
    });
    let answer = world.call(&caller, &[]).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "compressed_output".to_owned())
    );
}

#[tokio::test]
async fn keeps_the_cache_rules_of_a_private_response() {
    let mut world = World::open();
    for (sent, expected) in [
        ("public, max-age=600", "private, no-store"),
        ("private, max-age=60", "private, max-age=60"),
        ("No-Store", "No-Store"),
    ] {
        world.handler = Handler::new(move || {
            let response = Response::builder().header("cache-control", sent);
            response.body(Full::default()).unwrap()
        });
        let answer = world.call(&Caller::new(1), &[]).await;
        assert_eq!(answer.header("cache-control"), Some(expected));
    }
}

#[tokio::test]
async fn schemas_come_from_the_manifest() {
    let manifest = json!({
        "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
        "name": "Oracle",
        "description": "Prices",
        "endpoint": URL,
        "inputs": serde_json::from_str::<Value>(QUERY).unwrap(),
        "outputs": serde_json::from_str::<Value>(RESULT).unwrap(),
        "creatorAddress": account(0).to_string().to_lowercase(),
    });
    let manifest = Manifest::parse(manifest.to_string(), Policy::consumer()).unwrap();
    let mut world = World::open();
    world.config.schemas = ToolSchemas::from_manifest(&manifest).unwrap();
    assert_eq!(world.call(&Caller::new(1), &[]).await.status, 200);
}
