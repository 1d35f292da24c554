// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @notice The few cheatcodes the script needs; forge answers them.
interface IForge {
    function broadcast() external;
    function computeCreate2Address(bytes32 salt, bytes32 initCodeHash, address factory) external pure returns (address);
    function envOr(string calldata name, bytes32 otherwise) external view returns (bytes32);
    function keyExistsJson(string calldata json, string calldata key) external view returns (bool);
    function parseJsonBytes(string calldata json, string calldata key) external pure returns (bytes memory);
    function readFile(string calldata path) external view returns (string memory);
}

/// @notice What is deployed, and where.
struct Deployed {
    string name;
    address at;
}

/// @title Deploy
/// @notice The registry and its predicates, at the addresses `atr deploy --predict` prints: the Foundry way to the same end.
/// @dev Deploys the committed bytes, not what the compiler at hand makes of the sources: the addresses cannot drift. Run it
///      from the root of the repository, `forge script script/Deploy.s.sol --rpc-url <url> --account <name> --broadcast`.
///      What is there already stays. The salt is `SALT` in the environment, zero by default.
contract Deploy {
    /// @notice The CREATE2 factory is not on this chain; `atr deploy --deploy-factory` puts it there.
    error FactoryMissing();

    /// @notice The factory was called and left no code behind.
    error NotDeployed(string name, address at);

    IForge private constant FORGE = IForge(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    address private constant FACTORY = 0x4e59b44847b379578588920cA78FbF26c0B4956C;

    function run() external returns (Deployed[] memory deployed) {
        if (FACTORY.code.length == 0) revert FactoryMissing();
        string[10] memory names = [
            "ToolRegistry", // first: the others are given its address
            "AccessProofPredicate",
            "AlwaysDenyPredicate",
            "CompositePredicate",
            "ERC1155OwnerPredicate",
            "ERC20BalancePredicate",
            "ERC721OwnerPredicate",
            "MerkleAllowlistPredicate",
            "SubscriptionPredicate",
            "TraitGatedPredicate"
        ];
        deployed = new Deployed[](names.length);
        for (uint256 i; i < names.length; ++i) {
            deployed[i] = Deployed({ name: names[i], at: _deploy(names[i], deployed[0].at) });
        }
    }

    function _deploy(string memory name, address registry) private returns (address at) {
        string memory artifact = FORGE.readFile(string.concat("crates/bindings/artifacts/", name, ".json"));
        bytes memory initCode = FORGE.parseJsonBytes(artifact, ".bytecode");
        // Constructors of ours take the registry, which becomes an immutable, or nothing.
        if (FORGE.keyExistsJson(artifact, ".immutableReferences.REGISTRY")) {
            initCode = bytes.concat(initCode, abi.encode(registry));
        }
        bytes32 salt = FORGE.envOr("SALT", bytes32(0));
        at = FORGE.computeCreate2Address(salt, keccak256(initCode), FACTORY);
        if (at.code.length != 0) return at;
        FORGE.broadcast();
        (bool ok,) = FACTORY.call(bytes.concat(salt, initCode));
        if (!ok || at.code.length == 0) revert NotDeployed(name, at);
    }
}
