use std::fs;

use tempfile::TempDir;

use super::*;
use crate::args::ChainArgs;

struct Fixture {
    directory: TempDir,
    flags: GlobalArgs,
    environment: Environment,
}

impl Fixture {
    fn new(flags: GlobalArgs, environment: &[(&str, &str)], file: &str) -> Self {
        let directory = TempDir::new().unwrap();
        fs::write(directory.path().join("atr.toml"), file).unwrap();
        Self {
            directory,
            flags,
            environment: Environment::from_pairs(environment),
        }
    }

    fn resolve(&self) -> Result<Settings, Error> {
        Settings::resolve(&self.flags, &self.environment, self.directory.path())
    }

    fn file(&self, line: usize) -> Source {
        Source::File {
            path: self.directory.path().join("atr.toml"),
            line,
        }
    }
}

fn all_flags() -> GlobalArgs {
    GlobalArgs {
        chain: ChainArgs {
            chain: Some("anvil".parse().unwrap()),
            rpc_url: vec!["http://flag".parse().unwrap()],
            send_rpc_url: None,
            rpc_header: Vec::new(),
            rpc_timeout: 1,
            registry: Some("opensea".parse().unwrap()),
        },
        config: None,
        json: true,
        color: Some(Color::Never),
        full: true,
        no_progress: true,
        verbose: 1,
        quiet: 0,
    }
}

const ALL_VARIABLES: [(&str, &str); 8] = [
    ("ATR_CHAIN", "base"),
    ("ATR_RPC_URL", "http://environment"),
    ("ATR_REGISTRY", "0x0000000000000000000000000000000000000001"),
    ("ATR_JSON", "1"),
    ("ATR_COLOR", "always"),
    ("ATR_PROGRESS", "false"),
    ("ATR_LOG", "debug"),
    ("ATR_API", "http://environment"),
];

const ALL_KEYS: &str = "chain = 360\nrpc-url = 'http://file'\nregistry = 'opensea'\njson = true\n\
                          color = 'never'\nprogress = false\nlog = 'trace'\napi = 'http://file'\n";

fn sources(settings: &Settings) -> [&Source; 8] {
    let Settings {
        chain,
        rpc_url,
        registry,
        json,
        color,
        progress,
        log,
        api,
        file: _,
    } = settings;
    [
        &chain.source,
        &rpc_url.source,
        &registry.source,
        &json.source,
        &color.source,
        &progress.source,
        &log.source,
        &api.source,
    ]
}

#[test]
fn flags_override_all_other_sources() {
    let settings = Fixture::new(all_flags(), &ALL_VARIABLES, ALL_KEYS)
        .resolve()
        .unwrap();
    // The flag of the last one belongs to one command.
    let keys = super::super::KEYS.into_iter().take(7);
    for (source, key) in sources(&settings).into_iter().zip(keys) {
        assert_eq!(source, &Source::Flag { name: key.flag });
    }
    assert_eq!(settings.chain.value.unwrap().to_string(), "anvil");
    assert_eq!(settings.log.value.to_string(), "info");
    assert!(!settings.progress.value);
}

#[test]
fn environment_variables_override_the_file() {
    let settings = Fixture::new(GlobalArgs::default(), &ALL_VARIABLES, ALL_KEYS)
        .resolve()
        .unwrap();
    for (source, (name, _)) in sources(&settings).into_iter().zip(ALL_VARIABLES) {
        assert_eq!(source, &Source::Environment { name });
    }
    assert_eq!(settings.chain.value.unwrap().to_string(), "base");
    assert_eq!(settings.color.value, Color::Always);
}

#[test]
fn the_file_overrides_defaults() {
    let fixture = Fixture::new(GlobalArgs::default(), &[], ALL_KEYS);
    let settings = fixture.resolve().unwrap();
    for (source, line) in sources(&settings).into_iter().zip(1..) {
        assert_eq!(source, &fixture.file(line));
    }
    assert_eq!(settings.chain.value.unwrap().to_string(), "shape");
    assert!(settings.json.value);
}

#[test]
fn uses_defaults_without_any_source() {
    let settings = Fixture::new(GlobalArgs::default(), &[], "")
        .resolve()
        .unwrap();
    assert!(
        sources(&settings)
            .into_iter()
            .all(|source| *source == Source::Default)
    );
    assert_eq!((settings.chain.value, settings.rpc_url.value), (None, None));
    assert_eq!(settings.registry.value, RegistryChoice::Ours);
    assert_eq!(
        (settings.json.value, settings.progress.value),
        (false, true)
    );
}

#[test]
fn reads_the_nearest_file_in_a_parent_directory() {
    let fixture = Fixture::new(GlobalArgs::default(), &[], "chain = 1\n");
    let inner = fixture.directory.path().join("a/b/c");
    fs::create_dir_all(&inner).unwrap();
    fs::write(
        fixture.directory.path().join("a/atr.toml"),
        "\nchain = 10\n",
    )
    .unwrap();

    let settings = Settings::resolve(&fixture.flags, &fixture.environment, &inner).unwrap();
    assert_eq!(
        settings.file,
        Some(fixture.directory.path().join("a/atr.toml"))
    );
    assert_eq!(settings.chain.value.unwrap().to_string(), "10");
}

#[test]
fn config_flag_overrides_config_variable_and_nearest_file() {
    let fixture = Fixture::new(GlobalArgs::default(), &[], "registry = 'opensea'\n");
    let path = |name: &str| fixture.directory.path().join(name);
    fs::write(path("flag.toml"), "chain = 1\n").unwrap();
    fs::write(path("variable.toml"), "chain = 10\n").unwrap();

    let environment =
        Environment::from_pairs(&[("ATR_CONFIG", path("variable.toml").to_str().unwrap())]);
    let settings =
        Settings::resolve(&fixture.flags, &environment, fixture.directory.path()).unwrap();
    assert_eq!(settings.chain.value.unwrap().to_string(), "10");
    assert_eq!(settings.registry.source, Source::Default);

    let flags = GlobalArgs {
        config: Some(path("flag.toml")),
        ..Default::default()
    };
    let settings = Settings::resolve(&flags, &environment, fixture.directory.path()).unwrap();
    assert_eq!(settings.chain.value.unwrap().to_string(), "mainnet");
}

#[test]
fn rejects_an_invalid_value_even_if_it_is_overridden() {
    let fixture = Fixture::new(all_flags(), &ALL_VARIABLES, "\nchain = 'mainet'\n");
    let message = fixture.resolve().unwrap_err().to_string();
    assert!(
        message.contains("atr.toml:2: `chain`: `mainet` is not a chain"),
        "{message}"
    );

    let fixture = Fixture::new(all_flags(), &[("ATR_JSON", "yes")], "");
    assert_eq!(
        fixture.resolve().unwrap_err().to_string(),
        "environment variable ATR_JSON: `yes` is not one of true, false, 1, 0"
    );
}

#[test]
fn errors_do_not_contain_the_rpc_url() {
    let fixture = Fixture::new(
        GlobalArgs::default(),
        &[],
        "rpc-url = 'ftp://node/SECRET'\n",
    );
    let message = fixture.resolve().unwrap_err().to_string();
    assert!(message.contains("`rpc-url`: invalid RPC URL"), "{message}");
    assert!(!message.contains("SECRET"), "{message}");
}

#[test]
fn a_name_in_foundry_toml_is_a_chain() {
    let flags = |chain: &str| GlobalArgs {
        chain: ChainArgs {
            chain: Some(chain.parse().unwrap()),
            ..ChainArgs::default()
        },
        ..GlobalArgs::default()
    };
    let environment = [("ATR_RPC_URL", "http://environment")];
    let fixture = Fixture::new(flags("optimism"), &environment, "");
    let message = fixture.resolve().unwrap_err().to_string();
    assert!(
        message.starts_with("--chain: `optimism` is not a chain"),
        "{message}"
    );
    let foundry = fixture.directory.path().join("foundry.toml");
    fs::write(foundry, "[rpc_endpoints]\noptimism = 'http://op'\n").unwrap();
    let settings = fixture.resolve().unwrap();
    assert_eq!(settings.chain.value, None);
    let expected = RpcUrls::from(Endpoint::Name("optimism".to_owned()));
    assert_eq!(settings.rpc_url.value, Some(expected));
    assert_eq!(settings.rpc_url.source, Source::Flag { name: "--chain" });
}
