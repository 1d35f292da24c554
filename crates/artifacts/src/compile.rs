//! Compilation of sources to artifacts.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use foundry_compilers::{
    artifacts::{
        BytecodeObject, CompilerOutput, Contract, NodeType, Settings, SolcInput, SolcLanguage,
        Source,
        ast::{Ast, Node},
    },
    solc::Solc,
};

use crate::{
    Artifact, BuildRecord, Code, CodeRange, Compilation, CompilerRecord, CompilerSettings,
    ContractRecord, Error,
};

/// Compiles the source folder. The artifacts, sorted by name, are:
///
/// - every deployable contract (neither abstract nor a library), with bytecode;
/// - every interface directly in `interfaces/`, as an ABI. `interfaces/external/` contains excerpts of other standards and is
///   skipped.
///
/// # Errors
///
/// When the compiler cannot be run, the sources do not compile, or two contracts have the same name.
pub fn compile(settings: &CompilerSettings) -> Result<Compilation, Error> {
    compile_folder(settings, &settings.src, settings.to_solc())
}

/// Compiles the mocks and examples of the Solidity tests for the Rust tests, without the IR pipeline: only their behaviour
/// matters.
///
/// # Errors
///
/// As [`compile`].
pub fn compile_mocks(settings: &CompilerSettings) -> Result<Compilation, Error> {
    let mut solc_settings = settings.to_solc();
    solc_settings.via_ir = None;
    solc_settings.remappings.clone_from(&settings.remappings);
    let mut artifacts = Vec::new();
    for folder in ["mocks", "examples"] {
        let folder = settings.test.join(folder);
        // Both folders are optional.
        if settings.root.join(&folder).is_dir() {
            let compiled = compile_folder(settings, &folder, solc_settings.clone())?;
            artifacts.extend(compiled.artifacts);
        }
    }
    Ok(Compilation {
        artifacts,
        build: None,
    })
}

fn compile_folder(
    settings: &CompilerSettings,
    folder: &Path,
    mut solc_settings: Settings,
) -> Result<Compilation, Error> {
    let path = settings.root.join(folder);
    let sources = Source::read_sol_yul_from(&path).map_err(|error| Error::Read {
        path: path.clone(),
        source: std::io::Error::other(error),
    })?;
    if sources.is_empty() {
        return Err(Error::NoContracts {
            path: folder.to_owned(),
        });
    }

    let path = settings.root.join(&settings.solc);
    let cannot_run = |source| Error::Compiler {
        path: settings.solc.clone(),
        source: Box::new(source),
    };
    let mut solc = Solc::new(&path).map_err(cannot_run)?;
    solc.base_path = Some(settings.root.clone());

    let record = CompilerRecord {
        version: without_platform(&solc.version.to_string()),
        settings: (&solc_settings).into(),
    };
    solc_settings.push_contract_output_selection("", "ast");
    for output in [
        "abi",
        "evm.bytecode.object",
        "evm.deployedBytecode.object",
        "evm.deployedBytecode.immutableReferences",
    ] {
        solc_settings.push_output_selection(output);
    }

    let mut input = SolcInput::new(SolcLanguage::Solidity, sources, solc_settings);
    // Names relative to the repository, as in forge, so artifacts contain no absolute paths.
    input.strip_prefix(&settings.root);
    let output: CompilerOutput = solc.compile(&input).map_err(cannot_run)?;
    let texts = input
        .sources
        .iter()
        .map(|(file, source)| (file.clone(), source.content.to_string()))
        .collect();
    collect(output, folder, &record, &texts)
}

/// Collects artifacts and build record from the compiler output.
fn collect(
    output: CompilerOutput,
    src: &Path,
    record: &CompilerRecord,
    texts: &BTreeMap<PathBuf, String>,
) -> Result<Compilation, Error> {
    if output.has_error() {
        let errors = output.errors.into_iter().filter(|error| error.is_error());
        return Err(Error::Compilation {
            messages: errors
                .map(|error| error.formatted_message.unwrap_or(error.message))
                .collect(),
        });
    }

    let asts: BTreeMap<_, _> = output
        .sources
        .into_iter()
        .filter_map(|(file, source)| Some((file, source.ast?)))
        .collect();
    let immutables = variable_names(asts.values());
    let mut artifacts: BTreeMap<String, Artifact> = BTreeMap::new();
    let mut records: BTreeMap<String, ContractRecord> = BTreeMap::new();

    for (file, contracts) in output.contracts {
        let kinds = asts.get(&file).map(contract_kinds).unwrap_or_default();
        for (name, contract) in contracts {
            let deployable = match kinds.get(&name) {
                // Imports from other folders are compiled too, but are not artifacts.
                Some(Kind::Deployable) if file.starts_with(src) => true,
                Some(Kind::Interface) if file.parent() == Some(&src.join("interfaces")) => false,
                Some(_) => continue,
                None => {
                    return Err(Error::IncompleteOutput {
                        name,
                        missing: "syntax tree",
                    });
                }
            };
            let code = deployable
                .then(|| code(&name, &contract, &immutables))
                .transpose()?;
            if let Some(code) = &code {
                let details = ContractRecord {
                    source_name: file.display().to_string(),
                    sources: imported_from(&file, &asts),
                    immutable_references: code.immutable_references.clone(),
                };
                records.insert(name.clone(), details);
            }
            let Some(abi) = contract.abi else {
                return Err(Error::IncompleteOutput {
                    name,
                    missing: "ABI",
                });
            };
            let artifact = Artifact {
                contract_name: name.clone(),
                source_name: file.display().to_string(),
                abi,
                code,
            };
            let second = artifact.source_name.clone();
            if let Some(first) = artifacts.insert(name.clone(), artifact) {
                return Err(Error::DuplicateName {
                    name,
                    first: first.source_name,
                    second,
                });
            }
        }
    }
    let used: BTreeSet<_> = records
        .values()
        .flat_map(|record| &record.sources)
        .collect();
    let sources = texts
        .iter()
        .map(|(file, text)| (file.display().to_string(), text.clone()))
        .filter(|(file, _)| used.contains(file))
        .collect();
    Ok(Compilation {
        build: Some(BuildRecord {
            compiler: record.clone(),
            contracts: records,
            sources,
        }),
        artifacts: artifacts.into_values().collect(),
    })
}

/// The file and its direct and indirect imports.
fn imported_from(file: &Path, asts: &BTreeMap<PathBuf, Ast>) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut queue = vec![file.to_owned()];
    while let Some(file) = queue.pop() {
        if !found.insert(file.display().to_string()) {
            continue;
        }
        let nodes = asts.get(&file).map(|ast| ast.nodes.as_slice());
        let imports = nodes.unwrap_or_default().iter();
        queue.extend(
            imports
                .filter(|node| node.node_type == NodeType::ImportDirective)
                .filter_map(|node| node.attribute::<PathBuf>("absolutePath")),
        );
    }
    found.into_iter().collect()
}

/// Kind of a `ContractDefinition`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Deployable,
    Interface,
    /// An abstract contract or a library. Internal library functions are inlined.
    NotDeployable,
}

fn contract_kinds(ast: &Ast) -> BTreeMap<String, Kind> {
    let kind = |node: &Node| {
        let is_abstract = node.attribute("abstract").unwrap_or(false);
        match node.attribute::<String>("contractKind")?.as_str() {
            "contract" if !is_abstract => Some(Kind::Deployable),
            "interface" => Some(Kind::Interface),
            _ => Some(Kind::NotDeployable),
        }
    };
    ast.nodes
        .iter()
        .filter(|node| node.node_type == NodeType::ContractDefinition)
        .filter_map(|node| Some((node.attribute("name")?, kind(node)?)))
        .collect()
}

/// Names of state variables by AST id. The ids change with every edit; names do not.
fn variable_names<'a>(asts: impl Iterator<Item = &'a Ast>) -> BTreeMap<String, String> {
    asts.flat_map(|ast| &ast.nodes)
        .flat_map(|contract| &contract.nodes)
        .filter(|node| node.node_type == NodeType::VariableDeclaration)
        .filter_map(|node| Some((node.id?.to_string(), node.attribute("name")?)))
        .collect()
}

fn code(name: &str, contract: &Contract, names: &BTreeMap<String, String>) -> Result<Code, Error> {
    let incomplete = |missing| Error::IncompleteOutput {
        name: name.to_owned(),
        missing,
    };
    let linked = |object: &BytecodeObject| match object {
        BytecodeObject::Bytecode(bytes) if !bytes.is_empty() => Some(bytes.to_string()),
        _ => None,
    };
    let evm = contract.evm.as_ref().ok_or_else(|| incomplete("code"))?;
    let creation = evm.bytecode.as_ref().and_then(|code| linked(&code.object));
    let deployed = evm
        .deployed_bytecode
        .as_ref()
        .ok_or_else(|| incomplete("linked runtime code"))?;
    let runtime = deployed
        .bytecode
        .as_ref()
        .and_then(|code| linked(&code.object));

    let mut immutable_references: BTreeMap<String, Vec<CodeRange>> = BTreeMap::new();
    for (id, ranges) in &deployed.immutable_references {
        let variable = names
            .get(id)
            .ok_or_else(|| incomplete("name for an immutable"))?;
        let positions = immutable_references.entry(variable.clone()).or_default();
        positions.extend(ranges.iter().map(|range| CodeRange {
            start: range.start,
            length: range.length,
        }));
        positions.sort_unstable();
    }
    Ok(Code {
        bytecode: creation.ok_or_else(|| incomplete("linked creation code"))?,
        deployed_bytecode: runtime.ok_or_else(|| incomplete("linked runtime code"))?,
        immutable_references,
    })
}

/// `0.8.37+commit.1b2c3d4e.Linux.gcc` without the platform, which does not affect bytecode.
fn without_platform(version: &str) -> String {
    let Some((number, build)) = version.split_once('+') else {
        return version.to_owned();
    };
    let commit: Vec<_> = build.split('.').take(2).collect();
    format!("{number}+{}", commit.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_the_platform_from_the_version() {
        assert_eq!(
            without_platform("0.8.37+commit.1b2c3d4e.Linux.gcc"),
            "0.8.37+commit.1b2c3d4e"
        );
        assert_eq!(without_platform("0.8.37"), "0.8.37");
    }
}
