//! Two servers of one PostgreSQL database agree.

use std::{collections::HashMap, sync::Arc};

use atr_loopback::PostgresServer;
use atr_store::index::{IndexStore, PostgresIndex};
use axum::body::Body;
use http::Request;

use crate::world::{NOW, REGISTRY, Spec, World, send, serve, unlimited};

#[tokio::test(flavor = "multi_thread")]
async fn two_servers_of_one_database_agree() {
    let server = PostgresServer::start();
    let connect = || async {
        Arc::new(PostgresIndex::connect(&server.url, || NOW).await.unwrap()) as Arc<dyn IndexStore>
    };
    let folder = tempfile::tempdir().unwrap();
    let mut world = World::on(
        connect().await,
        REGISTRY,
        HashMap::new(),
        &unlimited(),
        folder,
    )
    .await;
    world
        .add(
            &(0..40)
                .map(|number| Spec::new(&format!("shared tool {number}")))
                .collect::<Vec<_>>(),
        )
        .await;
    // The second one starts later, and reads the feed from its beginning.
    let folder = tempfile::tempdir().unwrap();
    let store = connect().await;
    let (follower, second) = serve(&store, folder.path(), HashMap::new(), &unlimited());
    follower.catch_up().await.unwrap();
    world.deregister(3).await;
    follower.catch_up().await.unwrap();
    let get = |path: String| {
        let request = move || Request::get(&path).body(Body::empty()).unwrap();
        let (first, second) = (world.router.clone(), second.clone());
        async move {
            (
                send(&first, request()).await,
                send(&second, request()).await,
            )
        }
    };
    let mut path = "/api/v2/tools/search?query=shared&limit=7".to_owned();
    let mut pages = 0;
    loop {
        let (one, two) = get(path.clone()).await;
        assert_eq!(one.json(), two.json(), "{path}");
        pages += 1;
        // A page of one server continues at the other: a balancer may choose either.
        let Some(next) = one.json()["next"].as_str().map(str::to_owned) else {
            break;
        };
        path = format!("/api/v2/tools/search?query=shared&limit=7&cursor={next}");
    }
    assert_eq!(pages, 6);
    for path in [
        "/api/v2/tools?limit=200".to_owned(),
        world.path(1),
        world.path(3),
        "/api/v2/tools/changes?limit=200".to_owned(),
    ] {
        let (one, two) = get(path.clone()).await;
        assert_eq!((one.status, one.json()), (two.status, two.json()), "{path}");
    }
}
