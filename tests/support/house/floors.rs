//! Rooms on floors: who may depend on whom. The table is the law of `crates/`.

use serde_json::Value;

use super::workspace::{Dependency, Package};

/// How high a crate stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Floor {
    /// 0 at the bottom; an edge must go down.
    At(u64),
    /// Tools of the house: never a dependency of what we ship.
    Dev,
}

/// Which rooms a room may use.
enum MayUse {
    These(&'static [&'static str]),
    AllBelow,
}

/// A row of the table.
struct Room {
    folder: &'static str,
    floor: Floor,
    may_use: MayUse,
    /// Libraries of others that have no business here, beyond those banned from the lower floors.
    must_not_link: &'static [&'static str],
}

const fn room(folder: &'static str, floor: u64, may_use: &'static [&'static str]) -> Room {
    Room {
        folder,
        floor: Floor::At(floor),
        may_use: MayUse::These(may_use),
        must_not_link: &[],
    }
}

const fn dev(folder: &'static str, may_use: &'static [&'static str]) -> Room {
    Room {
        floor: Floor::Dev,
        ..room(folder, 0, may_use)
    }
}

const fn without(room: Room, must_not_link: &'static [&'static str]) -> Room {
    Room {
        must_not_link,
        ..room
    }
}

const HTTP_FRAMEWORKS: &[&str] = &["axum", "actix-web", "warp", "rocket"];

const LAW: &[Room] = &[
    room("ids", 0, &[]),
    room("bindings", 0, &[]),
    room("manifest", 1, &["ids"]),
    room("auth", 1, &["ids"]),
    room("agent-card", 2, &["ids", "manifest"]),
    room("schema", 2, &["ids", "manifest"]),
    room("registry", 3, &["ids", "bindings"]),
    room("fetch", 3, &["ids"]),
    without(room("store", 3, &["ids", "manifest"]), HTTP_FRAMEWORKS),
    room("deploy", 4, &["bindings", "registry", "fetch"]),
    without(
        room(
            "verify",
            4,
            &["ids", "manifest", "agent-card", "registry", "fetch"],
        ),
        HTTP_FRAMEWORKS,
    ),
    without(
        room(
            "gate",
            5,
            &["ids", "manifest", "schema", "auth", "registry", "fetch"],
        ),
        HTTP_FRAMEWORKS,
    ),
    room(
        "client",
        5,
        &[
            "ids", "manifest", "schema", "auth", "registry", "fetch", "verify",
        ],
    ),
    without(
        room(
            "indexer",
            5,
            &["ids", "manifest", "registry", "fetch", "verify", "store"],
        ),
        HTTP_FRAMEWORKS,
    ),
    without(
        room("api", 5, &["ids", "manifest", "agent-card", "store"]),
        &["reqwest"],
    ),
    Room {
        may_use: MayUse::AllBelow,
        ..room("cli", 6, &[])
    },
    dev("artifacts", &[]),
    dev("harness", &["bindings"]),
    dev("loopback", &[]),
];

/// Below the line there are no sockets, files, clock or environment.
const PURE_UP_TO: u64 = 2;

/// Libraries that bring them.
const IMPURE: [&str; 5] = ["tokio", "reqwest", "hyper", "sqlx", "axum"];

/// What is wrong with the crates' floors and edges.
pub fn check(crates: &[Package]) -> Vec<String> {
    let mut faults = Vec::new();
    for package in crates {
        let Package { name, folder, .. } = package;
        if *name != format!("atr-{folder}") {
            faults.push(format!("crates/{folder} is named {name}, not atr-{folder}"));
        }
        let Some(room) = LAW.iter().find(|room| room.folder == folder) else {
            faults.push(format!(
                "crates/{folder} has no row in the table of floors: add one to {}",
                file!()
            ));
            continue;
        };
        match floor(package) {
            None => faults.push(format!(
                "{name} must state `[package.metadata.house] floor` as 0 to 6 or \"dev\""
            )),
            Some(floor) if floor != room.floor => faults.push(format!(
                "{name} says it is on {}, the table of floors says {}",
                told(Some(floor)),
                told(Some(room.floor))
            )),
            Some(_) => {}
        }
        let edges = package.dependencies.iter();
        faults.extend(edges.filter_map(|edge| edge_fault(crates, package, room, edge)));
    }
    faults
}

fn edge_fault(
    crates: &[Package],
    package: &Package,
    room: &Room,
    edge: &Dependency,
) -> Option<String> {
    let from = format!("{} ({})", package.name, told(floor(package)));
    let Some(path) = &edge.path else {
        let is_pure = matches!(room.floor, Floor::At(floor) if floor <= PURE_UP_TO);
        let library = edge.name.as_str();
        let is_banned =
            (is_pure && IMPURE.contains(&library)) || room.must_not_link.contains(&library);
        return (is_banned && !edge.is_dev())
            .then(|| format!("{from} must not depend on {library}"));
    };
    let Some(other) = crates.iter().find(|other| other.name == edge.name) else {
        return Some(format!(
            "{from} depends on {} at {path}, which is no room",
            edge.name
        ));
    };
    let to = format!("{} ({})", other.name, told(floor(other)));
    let goes_down = match (floor(package)?, floor(other)?) {
        // Tests may use the tools of the house; what we ship may not.
        (_, Floor::Dev) => {
            return (!edge.is_dev()).then(|| format!("{from} has {to} in its [dependencies]"));
        }
        (Floor::Dev, Floor::At(_)) => true,
        (Floor::At(from), Floor::At(to)) => to < from,
    };
    if !goes_down {
        return Some(format!(
            "{from} depends on {to}: a crate may use lower floors only"
        ));
    }
    match room.may_use {
        MayUse::These(rooms) if !edge.is_dev() && !rooms.contains(&other.folder.as_str()) => Some(
            format!("{from} depends on {to}, which its row in the table of floors does not name"),
        ),
        _ => None,
    }
}

fn floor(package: &Package) -> Option<Floor> {
    match package.floor.as_ref()? {
        Value::String(word) if word == "dev" => Some(Floor::Dev),
        number => number.as_u64().filter(|floor| *floor <= 6).map(Floor::At),
    }
}

fn told(floor: Option<Floor>) -> String {
    match floor {
        Some(Floor::At(floor)) => format!("floor {floor}"),
        Some(Floor::Dev) => "floor dev".to_owned(),
        None => "no floor".to_owned(),
    }
}

#[cfg(test)]
mod tests;
