// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @notice The forge cheatcodes that the script uses.
interface IForge {
    function broadcast() external;
    function computeCreate2Address(bytes32 salt, bytes32 initCodeHash, address factory) external pure returns (address);
    function envOr(string calldata name, string calldata otherwise) external view returns (string memory);
    function keyExistsJson(string calldata json, string calldata key) external view returns (bool);
    function parseBytes32(string calldata text) external pure returns (bytes32);
    function parseJsonBytes(string calldata json, string calldata key) external pure returns (bytes memory);
    function parseJsonKeys(string calldata json, string calldata key) external pure returns (string[] memory);
    function parseJsonString(string calldata json, string calldata key) external pure returns (string memory);
    function readFile(string calldata path) external view returns (string memory);
}

/// @notice A deployed contract.
struct Deployed {
    string name;
    address at;
}

/// @title Deploy
/// @notice Deploys the registry and the predicates with Foundry, to the same addresses as `atr deploy`.
/// @dev Deploys the committed bytecode and does not compile the sources, so the addresses do not depend on the local compiler.
///      Run it from the repository root: `forge script script/Deploy.s.sol --rpc-url <url> --account <name> --broadcast`.
///      Contracts that are already deployed are skipped. The environment variable `SALT` sets the salt: 32 bytes as `0x` and 64
///      hexadecimal digits (default: zero).
contract Deploy {
    /// @notice `SALT` is not 32 bytes. Forge would pad a shorter value, and deploy to addresses that `atr deploy` does not predict.
    error MalformedSalt(string salt);

    /// @notice The CREATE2 factory is not deployed on this chain. Deploy it with `atr deploy --deploy-factory`.
    error FactoryMissing();

    /// @notice The call to the factory failed or created no code.
    error NotDeployed(string name, address at);

    IForge private constant FORGE = IForge(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    address private constant FACTORY = 0x4e59b44847b379578588920cA78FbF26c0B4956C;

    function run() external returns (Deployed[] memory deployed) {
        bytes32 salt = _salt();
        if (FACTORY.code.length == 0) revert FactoryMissing();
        // First, because the other contracts take its address.
        address registry = _deploy("ToolRegistry", salt, address(0));
        string memory build = FORGE.readFile("crates/bindings/artifacts/build.json");
        string[] memory names = FORGE.parseJsonKeys(build, ".contracts");
        uint256 count = 1;
        for (uint256 i; i < names.length; ++i) {
            if (_isPredicate(build, names[i])) names[count++ - 1] = names[i];
        }
        deployed = new Deployed[](count);
        deployed[0] = Deployed({ name: "ToolRegistry", at: registry });
        for (uint256 i = 1; i < count; ++i) {
            deployed[i] = Deployed({ name: names[i - 1], at: _deploy(names[i - 1], salt, registry) });
        }
    }

    /// @dev The other contracts besides the registry are periphery.
    function _isPredicate(string memory build, string memory name) private view returns (bool) {
        string memory source = FORGE.parseJsonString(build, string.concat(".contracts.", name, ".sourceName"));
        return keccak256(bytes(source)) == keccak256(bytes(string.concat("contracts/src/predicates/", name, ".sol")));
    }

    /// @dev Checks every character: `parseBytes32` also accepts shorter values, decimal numbers and text.
    function _salt() private view returns (bytes32) {
        string memory text = FORGE.envOr("SALT", "");
        bytes memory characters = bytes(text);
        if (characters.length == 0) return bytes32(0);
        if (characters.length != 66 || characters[0] != "0" || characters[1] != "x") revert MalformedSalt(text);
        for (uint256 i = 2; i < 66; ++i) {
            if (!_isHexDigit(characters[i])) revert MalformedSalt(text);
        }
        return FORGE.parseBytes32(text);
    }

    function _isHexDigit(bytes1 character) private pure returns (bool) {
        return (character >= "0" && character <= "9") || (character >= "a" && character <= "f")
            || (character >= "A" && character <= "F");
    }

    function _deploy(string memory name, bytes32 salt, address registry) private returns (address at) {
        string memory artifact = FORGE.readFile(string.concat("crates/bindings/artifacts/", name, ".json"));
        bytes memory initCode = FORGE.parseJsonBytes(artifact, ".bytecode");
        // The constructors take either no argument or the registry, which is stored as an immutable.
        if (FORGE.keyExistsJson(artifact, ".immutableReferences.REGISTRY")) {
            initCode = bytes.concat(initCode, abi.encode(registry));
        }
        at = FORGE.computeCreate2Address(salt, keccak256(initCode), FACTORY);
        if (at.code.length != 0) return at;
        FORGE.broadcast();
        (bool ok,) = FACTORY.call(bytes.concat(salt, initCode));
        if (!ok || at.code.length == 0) revert NotDeployed(name, at);
    }
}
