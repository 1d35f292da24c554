use super::*;

/// A tool with an ERC-721 collection, an ERC-20 token, and an ERC-1155 token for denied accounts.
struct Gated {
    fixture: Fixture,
    tool: String,
    tokens: [Address; 3],
}

impl Gated {
    fn new() -> Self {
        let fixture = Fixture::new();
        let tool = fixture
            .register_gated(address_of("CompositePredicate"))
            .to_string();
        let tokens = ["PlainERC721", "PlainERC20", "PlainERC1155"]
            .map(|name| fixture.deploy_mock(name, &[]));
        Self {
            fixture,
            tool,
            tokens,
        }
    }

    /// Runs a set command for the predicate of this contract.
    fn set(&self, contract: &str, options: &str, code: i32) -> Value {
        let predicate = address_of(contract).to_string();
        let options: Vec<_> = options.split(' ').map(str::to_owned).collect();
        let args = configure(&self.tool, &options, &["--yes", "--predicate", &predicate]);
        self.fixture.plain_json(&args, code)
    }

    fn configure_terms(&self) {
        let [collection, token, denied] = self.tokens;
        let erc721 = format!("set-erc721 --collection {collection}");
        self.set("ERC721OwnerPredicate", &erc721, 0);
        let erc20 = format!("set-erc20 --token {token} --min-balance 100 --decimals 0");
        self.set("ERC20BalancePredicate", &erc20, 0);
        let erc1155 = format!("set-erc1155 --token {denied}:7");
        self.set("ERC1155OwnerPredicate", &erc1155, 0);
    }

    fn set_expression(&self, expression: &str, more: &[&str]) -> Value {
        let set = [
            "predicate",
            "set-composite",
            &self.tool,
            "--expr",
            expression,
        ];
        let args = [&set[..], &["--yes"], more].concat();
        self.fixture.plain_json(&args, 0)
    }

    /// Access of an account: granted, denied or unknown.
    fn access(&self, account: &str) -> Value {
        let args = ["access", "check", &self.tool, account, "--json"];
        let output = self.fixture.atr.output(&args);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["access"].clone()
    }

    fn mint(&self, token: usize, account: &str, number: u64) {
        let call = Mintable::mint_0Call {
            to: account.parse().unwrap(),
            number: U256::from(number),
        };
        self.fixture
            .send(ACCOUNT, self.tokens[token], &call.abi_encode());
    }

    fn deny(&self, account: &str) {
        let call = Mintable::mint_1Call {
            to: account.parse().unwrap(),
            id: U256::from(7),
            amount: U256::ONE,
        };
        self.fixture
            .send(ACCOUNT, self.tokens[2], &call.abi_encode());
    }
}

const EXPRESSION: &str = "(erc721 or erc20) and not erc1155";

#[test]
fn an_expression_gates_a_tool_with_gas_chosen_by_the_cli() {
    let gated = Gated::new();
    let [non_holder, holder] = [1, 2].map(|index| ACCOUNTS[index]);
    let [rich, denied] = [
        "0x5151515151515151515151515151515151515151",
        "0x5252525252525252525252525252525252525252",
    ];
    gated.configure_terms();
    let set = gated.set_expression(EXPRESSION, &[]);
    assert_eq!(set["warnings"], json!([]), "{set}");
    gated.mint(0, holder, 1);
    gated.mint(0, denied, 2);
    gated.mint(1, rich, 100);
    gated.mint(1, denied, 100);
    gated.deny(denied);
    assert_eq!(
        [non_holder, holder, rich, denied].map(|account| gated.access(account)),
        ["denied", "granted", "granted", "denied"]
    );
    let names = |text: String| {
        let tokens = gated
            .tokens
            .iter()
            .zip(["<ERC-721>", "<ERC-20>", "<ERC-1155>"]);
        tokens.fold(text, |text, (token, name)| {
            text.replace(&token.to_string(), name)
        })
    };
    let transcript = |args: &[&str]| names(gated.fixture.plain_transcript(args));
    let show = transcript(&["predicate", "show", &gated.tool]);
    insta::assert_snapshot!("expression_show", show);
    let check = transcript(&["access", "check", &gated.tool, non_holder]);
    insta::assert_snapshot!("expression_check", check);
    let set = ["predicate", "set-composite", &gated.tool, "--dry-run"];
    let dry_run = transcript(&[&set[..], &["--expr", EXPRESSION]].concat());
    insta::assert_snapshot!("expression_set", dry_run);
}

#[test]
fn terms_that_are_not_configured_are_named() {
    let gated = Gated::new();
    let set = gated.set_expression(EXPRESSION, &[]);
    let warnings = set["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 3, "{set}");
    for (warning, name) in warnings.iter().zip(["erc721", "erc20", "erc1155"]) {
        let warning = warning.as_str().unwrap();
        let text = format!("term {name} (");
        assert!(warning.starts_with(&text), "{warning}");
        assert!(warning.contains("is not configured"), "{warning}");
    }
    let check = ["access", "check", &gated.tool, ACCOUNTS[1]];
    let report = gated.fixture.plain_json(&check, 3);
    let reason = report["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("term erc1155 (") && reason.ends_with("is not configured for tool 1"),
        "{reason}"
    );
    for command in [&["access", "requirements"][..], &["predicate", "show"]] {
        let transcript = gated
            .fixture
            .plain_transcript(&[command, &[&gated.tool]].concat());
        assert!(
            transcript.contains("warning: term erc20 (<ERC20BalancePredicate>) is not configured"),
            "{transcript}"
        );
    }
    // The predicate itself.
    let erc721 = address_of("ERC721OwnerPredicate");
    let tool = gated.fixture.register_gated(erc721).to_string();
    let report = gated
        .fixture
        .plain_json(&["access", "check", &tool, ACCOUNTS[1]], 3);
    assert_eq!(
        report["reason"],
        "the predicate is not configured for tool 2"
    );
    // Terms that are configured later have enough gas.
    gated.configure_terms();
    assert_eq!(gated.access(ACCOUNTS[1]), "denied");
}

#[test]
fn predicates_of_the_registry_are_selected_by_name() {
    let gated = Gated::new();
    let [collection, token, _] = gated.tokens.map(|token| token.to_string());
    let run = |args: &[&str]| {
        let (command, rest) = args.split_at(2);
        let args = [command, &[gated.tool.as_str()], rest].concat();
        gated.fixture.plain_json(&args, 0)
    };
    run(&[
        "predicate",
        "set-erc721",
        "--predicate",
        "erc721",
        "--collection",
        &collection,
        "--yes",
    ]);
    run(&[
        "predicate",
        "set-erc20",
        "--predicate",
        "ERC20",
        "--token",
        &token,
        "--min-balance",
        "1",
        "--yes",
    ]);
    run(&[
        "predicate",
        "set-composite",
        "--all",
        "--term",
        "erc721",
        "--term",
        "not:erc20",
        "--yes",
    ]);
    let shown = run(&["predicate", "show", "--predicate", "composite"]);
    assert_eq!(shown["configuration"]["clauses"][1][0]["negate"], true);
    assert_eq!(gated.access(ACCOUNTS[1]), "denied");
    run(&["tool", "set-predicate", "erc721", "--yes"]);
    let shown = run(&["predicate", "show"]);
    assert_eq!(shown["predicate"]["name"], "ERC721OwnerPredicate");
    let unknown = ["tool", "set-predicate", &gated.tool, "erc712", "--yes"];
    let unknown = gated.fixture.plain_transcript(&unknown);
    assert!(
        unknown.starts_with("exit code: 2\n") && unknown.contains("did you mean `erc721`?"),
        "{unknown}"
    );
}

#[test]
fn a_predicate_that_can_never_grant_is_a_warning() {
    let gated = Gated::new();
    let fixture = &gated.fixture;
    let [collection, token, _] = gated.tokens;
    let tool = &gated.tool;
    let warnings = |args: &[&str]| {
        let output = fixture.atr.output(&[args, &["--json"]].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let own = &report["warnings"];
        let predicate = &report["predicate"]["warnings"];
        format!("{own}{predicate}")
    };
    let set = |predicate: &str| warnings(&["tool", "set-predicate", tool, predicate, "--yes"]);
    let check = || warnings(&["access", "check", tool, ACCOUNTS[1]]);
    let not_configured = "the predicate is not configured for this tool: its result is unknown";
    assert!(set("erc721").contains(not_configured));
    assert!(check().contains(not_configured));
    assert!(set("always-deny").contains("the predicate denies every account"));

    gated.set(
        "ERC721OwnerPredicate",
        &format!("set-erc721 --collection {collection}"),
        0,
    );
    assert!(!set("erc721").contains(not_configured));
    // Nobody can hold more than the supply, here zero.
    let erc20 = format!("set-erc20 --token {token} --min-balance 1");
    gated.set("ERC20BalancePredicate", &erc20, 0);
    assert!(set("erc20").contains("than its total supply of 0"));
    gated.set_expression("erc721 and erc20", &["--predicate", "composite"]);
    let composite = set("composite");
    assert!(composite.contains("term erc20 ("), "{composite}");
    assert!(
        composite.contains("the predicate can never grant access"),
        "{composite}"
    );
    assert!(check().contains("the predicate can never grant access"));
    gated.set_expression("erc721 or erc20", &[]);
    let either = check();
    assert!(!either.contains("can never grant"), "{either}");
    gated.set_expression("erc721 or not erc721", &[]);
    assert!(check().contains("the predicate grants access to every account"));
    // The collection is gone.
    fixture.set_code(collection, "0x");
    assert!(set("erc721").contains("where there is no contract"));
    assert!(check().contains("where there is no contract"));
}

#[test]
fn an_expression_that_does_not_fit_is_rejected() {
    let gated = Gated::new();
    gated.configure_terms();
    let before = gated.fixture.anvil.nonce(ACCOUNT);
    let reject = |expression| {
        let set = ["predicate", "set-composite", &gated.tool, "--yes"];
        let args = [&set[..], &["--expr", expression]].concat();
        gated.fixture.plain_transcript(&args)
    };
    for (expression, code, message) in [
        ("erc721 and", 2, "at character 11: expected a predicate"),
        (
            "erc721 and nft",
            2,
            "at character 12: expected the name of a predicate",
        ),
        (
            "erc721 and not allowlist",
            1,
            "reads call data, so it must not be negated",
        ),
        (
            "(erc721 or erc20) and (erc1155 or trait) and (allowlist or subscription) and (erc721 or always-deny) and \
             (erc20 or always-deny)",
            2,
            "needs 10 terms",
        ),
    ] {
        let transcript = reject(expression);
        let exit = format!("exit code: {code}\n");
        assert!(
            transcript.starts_with(&exit) && transcript.contains(message),
            "{transcript}"
        );
    }
    // Two terms with large stipends need more than the budget.
    let [collection, token, _] = gated.tokens;
    let erc721 = format!("set-erc721 --collection {collection} --stipend 100000");
    gated.set("ERC721OwnerPredicate", &erc721, 0);
    let erc20 =
        format!("set-erc20 --token {token} --min-balance 100 --decimals 0 --stipend 100000");
    gated.set("ERC20BalancePredicate", &erc20, 0);
    let rejected = reject("erc721 or erc20");
    assert!(
        rejected.starts_with("exit code: 1\n") && rejected.contains("the terms need 217"),
        "{rejected}"
    );
    assert_eq!(gated.fixture.anvil.nonce(ACCOUNT), before + 2);
}

/// Runtime code that reads this many cold storage slots, each for 2,100 gas, and returns 1.
fn reads_slots(count: u8) -> String {
    let reads = (1..=count).map(|slot| format!("60{slot:02x}5450"));
    format!("0x{}60015f5260205ff3", reads.collect::<String>())
}

#[test]
fn an_expensive_token_gets_a_larger_stipend() {
    let mut gated = Gated::new();
    let composed = gated.tool.clone();
    let erc721 = address_of("ERC721OwnerPredicate");
    gated.tool = gated.fixture.register_gated(erc721).to_string();
    let fixture = &gated.fixture;
    let heavy: Address = COLLECTION.parse().unwrap();
    fixture.set_code(heavy, &reads_slots(10));
    let stipend = |options: &str| {
        gated.set("ERC721OwnerPredicate", options, 0);
        let predicate = address_of("ERC721OwnerPredicate").to_string();
        let show = ["predicate", "show", &gated.tool, "--predicate", &predicate];
        let report = fixture.plain_json(&show, 0);
        report["configuration"]["stipend"].clone()
    };
    let seven = vec![format!("--collection {heavy}"); 7].join(" ");
    // The default retry stipend is 140,000 for one collection and 20,000 for seven.
    assert_eq!(
        stipend(&format!("set-erc721 --collection {heavy}")),
        Value::Null
    );
    let auto = stipend(&format!("set-erc721 {seven}"));
    assert!((21_000..26_000).contains(&auto.as_u64().unwrap()), "{auto}");
    let chosen = stipend(&format!("set-erc721 {seven} --stipend default"));
    assert_eq!(chosen, Value::Null);
    let auto = stipend(&format!("set-erc721 --collection {heavy} --stipend auto"));
    assert!((21_000..28_000).contains(&auto.as_u64().unwrap()), "{auto}");
    let chosen = stipend(&format!("set-erc721 --collection {heavy} --stipend 30000"));
    assert_eq!(chosen, 30_000);

    let set = |options: &str| {
        let options = format!("set-erc721 {options}");
        gated.set("ERC721OwnerPredicate", &options, 0)["warnings"].to_string()
    };
    let too_small = set(&format!("--collection {heavy} --stipend 15000"));
    assert!(
        too_small.contains("more than its stipend of 15,000 gas: access will be unknown"),
        "{too_small}"
    );
    assert!(
        too_small.contains("does not declare ERC-721"),
        "{too_small}"
    );
    // As a term of a composite, a call cannot be repeated with 140,000 gas.
    let predicate = erc721.to_string();
    let options = ["--collection", COLLECTION, "--predicate", &predicate];
    let set_term = ["predicate", "set-erc721", &composed, "--dry-run"];
    let term = fixture.plain_transcript(&[&set_term[..], &options].concat());
    assert!(
        term.contains("the default is too small for a term of a composite"),
        "{term}"
    );
    fixture.set_code(heavy, "0xfe");
    let failing = set(&format!("--collection {heavy} --allow-unverified-token"));
    assert!(failing.contains("calls to balanceOf"), "{failing}");
}

#[test]
fn assigns_more_gas_to_expensive_terms() {
    let gated = Gated::new();
    gated.configure_terms();
    // The first stipend is too small, and the retry needs 140,000 gas: more than any term has.
    let heavy: Address = COLLECTION.parse().unwrap();
    gated.fixture.set_code(heavy, &reads_slots(10));
    let one = format!("set-erc721 --collection {heavy}");
    gated.set(
        "ERC721OwnerPredicate",
        &format!("{one} --stipend default"),
        0,
    );
    let set = gated.set_expression("erc721 or erc20", &[]);
    let warnings = set["warnings"].to_string();
    assert!(
        warnings.contains(
            "does not complete within the gas of a term: configure it with --stipend auto"
        ),
        "{warnings}"
    );
    // Two collections have 70,000 gas each: more than half of the budget, less than what another term leaves.
    let two = format!("{one} --collection {heavy} --stipend default");
    gated.set("ERC721OwnerPredicate", &two, 0);
    let set = gated.set_expression("erc721 or erc20", &[]);
    assert_eq!(set["warnings"], json!([]), "{set}");
    assert_eq!(gated.access(ACCOUNTS[1]), "granted");
    let equal = gated.set_expression("erc721 or erc20", &["--term-gas", "80000,76000"]);
    let warnings = equal["warnings"].to_string();
    assert!(
        warnings.contains("does not complete within its 80,000 gas"),
        "{warnings}"
    );
    assert_eq!(gated.access(ACCOUNTS[1]), "unknown");
    // Without --stipend, the measured stipend is used for a term.
    let erc721 = one;
    gated.set("ERC721OwnerPredicate", &erc721, 0);
    let set = gated.set_expression("erc721 or erc20", &[]);
    assert_eq!(set["warnings"], json!([]), "{set}");
    assert_eq!(gated.access(ACCOUNTS[1]), "granted");
    let set = gated.set_expression("erc721 or erc20", &["--term-gas", "100000,50000"]);
    assert_eq!(set["warnings"], json!([]), "{set}");
    let show = gated
        .fixture
        .plain_json(&["predicate", "show", &gated.tool], 0);
    assert_eq!(show["terms"][0]["stipend"], 100_000, "{show}");
}
