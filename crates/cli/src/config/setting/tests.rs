use std::fs;

use tempfile::TempDir;

use super::*;

struct World {
    folder: TempDir,
    flags: GlobalArgs,
    environment: Environment,
}

impl World {
    fn new(flags: GlobalArgs, environment: &[(&str, &str)], file: &str) -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("atr.toml"), file).unwrap();
        Self {
            folder,
            flags,
            environment: Environment::of(environment),
        }
    }

    fn resolve(&self) -> Result<Settings, Error> {
        Settings::resolve(&self.flags, &self.environment, self.folder.path())
    }

    fn file(&self, line: usize) -> Source {
        Source::File {
            path: self.folder.path().join("atr.toml"),
            line,
        }
    }
}

fn all_flags() -> GlobalArgs {
    GlobalArgs {
        chain: Some("anvil".parse().unwrap()),
        rpc_url: Some("http://flag".parse().unwrap()),
        registry: Some("opensea".parse().unwrap()),
        config: None,
        json: true,
        color: Some(Color::Never),
        no_progress: true,
        verbose: 1,
        quiet: 0,
    }
}

const ALL_VARIABLES: [(&str, &str); 7] = [
    ("ATR_CHAIN", "base"),
    ("ATR_RPC_URL", "http://environment"),
    ("ATR_REGISTRY", "0x0000000000000000000000000000000000000001"),
    ("ATR_JSON", "1"),
    ("ATR_COLOR", "always"),
    ("ATR_PROGRESS", "false"),
    ("ATR_LOG", "debug"),
];

const WHOLE_FILE: &str = "chain = 360\nrpc-url = 'http://file'\nregistry = 'opensea'\njson = true\n\
                          color = 'never'\nprogress = false\nlog = 'trace'\n";

fn sources(settings: &Settings) -> [&Source; 7] {
    let Settings {
        chain,
        rpc_url,
        registry,
        json,
        color,
        progress,
        log,
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
    ]
}

#[test]
fn flags_win_over_everything() {
    let settings = World::new(all_flags(), &ALL_VARIABLES, WHOLE_FILE)
        .resolve()
        .unwrap();
    for (source, key) in sources(&settings).into_iter().zip(super::super::KEYS) {
        assert_eq!(source, &Source::Flag { name: key.flag });
    }
    assert_eq!(settings.chain.value.unwrap().to_string(), "anvil");
    assert_eq!(settings.log.value.to_string(), "info");
    assert!(!settings.progress.value);
}

#[test]
fn the_environment_wins_over_the_file() {
    let settings = World::new(GlobalArgs::default(), &ALL_VARIABLES, WHOLE_FILE)
        .resolve()
        .unwrap();
    for (source, (name, _)) in sources(&settings).into_iter().zip(ALL_VARIABLES) {
        assert_eq!(source, &Source::Environment { name });
    }
    assert_eq!(settings.chain.value.unwrap().to_string(), "base");
    assert_eq!(settings.color.value, Color::Always);
}

#[test]
fn the_file_wins_over_the_default() {
    let world = World::new(GlobalArgs::default(), &[], WHOLE_FILE);
    let settings = world.resolve().unwrap();
    for (source, line) in sources(&settings).into_iter().zip(1..) {
        assert_eq!(source, &world.file(line));
    }
    assert_eq!(settings.chain.value.unwrap().to_string(), "shape");
    assert!(settings.json.value);
}

#[test]
fn without_any_source_the_default_holds() {
    let settings = World::new(GlobalArgs::default(), &[], "")
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
fn the_nearest_file_upwards_is_the_one_read() {
    let world = World::new(GlobalArgs::default(), &[], "chain = 1\n");
    let inner = world.folder.path().join("a/b/c");
    fs::create_dir_all(&inner).unwrap();
    fs::write(world.folder.path().join("a/atr.toml"), "\nchain = 10\n").unwrap();

    let settings = Settings::resolve(&world.flags, &world.environment, &inner).unwrap();
    assert_eq!(settings.file, Some(world.folder.path().join("a/atr.toml")));
    assert_eq!(settings.chain.value.unwrap().to_string(), "10");
}

#[test]
fn a_named_file_replaces_the_nearest_one_and_the_flag_names_it_first() {
    let world = World::new(GlobalArgs::default(), &[], "registry = 'opensea'\n");
    let path = |name: &str| world.folder.path().join(name);
    fs::write(path("flag.toml"), "chain = 1\n").unwrap();
    fs::write(path("variable.toml"), "chain = 10\n").unwrap();

    let environment = Environment::of(&[("ATR_CONFIG", path("variable.toml").to_str().unwrap())]);
    let settings = Settings::resolve(&world.flags, &environment, world.folder.path()).unwrap();
    assert_eq!(settings.chain.value.unwrap().to_string(), "10");
    assert_eq!(settings.registry.source, Source::Default);

    let flags = GlobalArgs {
        config: Some(path("flag.toml")),
        ..Default::default()
    };
    let settings = Settings::resolve(&flags, &environment, world.folder.path()).unwrap();
    assert_eq!(settings.chain.value.unwrap().to_string(), "mainnet");
}

#[test]
fn a_bad_value_is_refused_even_where_a_stronger_source_overrides_it() {
    let world = World::new(all_flags(), &ALL_VARIABLES, "\nchain = 'mainet'\n");
    let message = world.resolve().unwrap_err().to_string();
    assert!(
        message.contains("atr.toml:2: `chain`: `mainet` is not a chain"),
        "{message}"
    );

    let world = World::new(all_flags(), &[("ATR_JSON", "yes")], "");
    assert_eq!(
        world.resolve().unwrap_err().to_string(),
        "environment variable ATR_JSON: `yes` is not one of true, false, 1, 0"
    );
}

#[test]
fn a_refused_url_is_not_repeated_in_the_error() {
    let world = World::new(
        GlobalArgs::default(),
        &[],
        "rpc-url = 'ftp://node/SECRET'\n",
    );
    let message = world.resolve().unwrap_err().to_string();
    assert!(
        message.contains("`rpc-url`: not the URL of a node"),
        "{message}"
    );
    assert!(!message.contains("SECRET"), "{message}");
}
