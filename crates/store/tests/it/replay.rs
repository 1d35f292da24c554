use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
};

use atr_store::replay::{Entry, SqliteReplay};

/// The path of the database, for the process that is killed.
const PATH_VARIABLE: &str = "ATR_STORE_TEST_PATH";

async fn open(path: &Path) -> SqliteReplay {
    SqliteReplay::open(path).await.unwrap()
}

/// What both databases must do. Their types have the same functions.
macro_rules! check_rules {
    ($store:expr) => {
        let store = $store;
        let set = async |key: &str, expected, value: &[u8], expires| {
            let version = store.compare_and_set(key, expected, value, expires).await;
            version.unwrap()
        };
        // A write needs the current version.
        let first = set("key", None, b"1", 10).await.unwrap();
        assert_eq!(set("key", None, b"2", 10).await, None);
        let second = set("key", Some(first), b"2", 10).await.unwrap();
        assert_eq!(set("key", Some(first), b"3", 10).await, None);
        let entry = Entry {
            value: b"2".to_vec(),
            version: second,
            expires: 10,
        };
        assert_eq!(store.get("key").await.unwrap(), Some(entry));
        assert!(!store.remove("key", first).await.unwrap());
        assert!(store.remove("key", second).await.unwrap());
        assert_eq!(store.get("key").await.unwrap(), None);
        assert_eq!(set("key", Some(second), b"4", 10).await, None);
        // A new entry never has an old version.
        let third = set("key", None, b"1", 10).await.unwrap();
        assert!(third != first && third != second);
        // Expired entries are removed.
        for (key, expires) in [("old", 10), ("new", 11), ("far", u64::MAX >> 1)] {
            assert!(set(key, None, b"x", expires).await.is_some());
        }
        store.remove_expired(10).await.unwrap();
        assert_eq!(store.get("old").await.unwrap(), None);
        assert!(store.get("new").await.unwrap().is_some());
        assert!(store.get("far").await.unwrap().is_some());
    };
}

/// Many writers of a key: one wins.
macro_rules! check_race {
    ($stores:expr) => {
        let stores = $stores;
        let tasks: Vec<_> = (0..40_usize)
            .map(|index| {
                let store = stores[index % stores.len()].clone();
                tokio::spawn(async move {
                    let value = index.to_be_bytes();
                    let written = store.compare_and_set("race", None, &value, 10).await;
                    written.unwrap()
                })
            })
            .collect();
        let mut winners = 0;
        for task in tasks {
            winners += usize::from(task.await.unwrap().is_some());
        }
        assert_eq!(winners, 1);
    };
}

#[tokio::test]
async fn sqlite_keeps_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    check_rules!(open(&folder.path().join("a.sqlite")).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_many_writers_wins() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    // Two pools, as in two processes.
    check_race!([open(&path).await, open(&path).await]);
}

#[tokio::test]
async fn the_file_is_private_and_other_files_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    open(&path).await;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let text = folder.path().join("text");
    std::fs::write(&text, "not a database, but long enough to be looked at").unwrap();
    assert!(SqliteReplay::open(&text).await.is_err());
    let missing = folder.path().join("no/such/folder");
    assert!(SqliteReplay::open(&missing).await.is_err());
}

/// Prints the key of every write that returned, without end.
#[tokio::test]
#[ignore = "runs in the process that survives_sigkill kills"]
#[expect(
    clippy::disallowed_methods,
    reason = "the parent passes the path in a variable"
)]
#[expect(clippy::disallowed_macros, reason = "the parent reads the output")]
async fn writes_until_it_is_killed() {
    let path = std::env::var_os(PATH_VARIABLE).unwrap();
    let store = open(Path::new(&path)).await;
    for index in 0_u64.. {
        let key = format!("key{index}");
        let version = store.compare_and_set(&key, None, b"1", 10).await.unwrap();
        let next = store
            .compare_and_set(&key, version, b"2", 10)
            .await
            .unwrap();
        assert!(next.is_some());
        println!("\nwritten {key}");
    }
}

#[tokio::test]
async fn survives_sigkill() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "replay::writes_until_it_is_killed"])
        .args(["--ignored", "--nocapture"])
        .env(PATH_VARIABLE, &path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let keys = lines.filter_map(|line| Some(line.unwrap().strip_prefix("written ")?.to_owned()));
    let mut written: Vec<_> = Vec::new();
    for key in keys {
        written.push(key);
        // The rest was written before the signal.
        if written.len() == 20 {
            process.kill().unwrap();
        }
    }
    process.wait().unwrap();
    assert!(written.len() >= 20);
    let store = open(&path).await;
    for key in written {
        let entry = store.get(&key).await.unwrap();
        assert_eq!(entry.unwrap().value, b"2", "{key}");
    }
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn postgres_keeps_the_rules() {
    use atr_store::replay::PostgresReplay;
    let server = atr_loopback::PostgresServer::start();
    // Two processes that start together.
    let (first, second) = tokio::join!(
        PostgresReplay::connect(&server.url),
        PostgresReplay::connect(&server.url)
    );
    let stores = [first.unwrap(), second.unwrap()];
    check_rules!(stores[0].clone());
    check_race!(stores.clone());
    // A write that returned survives a crash of the server.
    server.crash();
    let store = PostgresReplay::connect(&server.url).await.unwrap();
    assert!(store.get("race").await.unwrap().is_some());
}
