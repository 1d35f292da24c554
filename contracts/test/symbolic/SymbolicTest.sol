// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { AnyContract } from "test/symbolic/AnyContract.sol";

/// @dev The cheatcodes of forge and halmos that the checks use. forge-std is not imported because it takes longer to
///      compile than all checks.
interface ICheats {
    function assume(bool condition) external pure;
    function getCode(string calldata artifact) external view returns (bytes memory);
    function load(address account, bytes32 slot) external view returns (bytes32);
    function prank(address caller) external;
    function store(address account, bytes32 slot, bytes32 value) external;

    function enableSymbolicStorage(address account) external;
}

/// @dev Deploys the shipped bytecode of the registry with symbolic storage, and a contract with symbolic behaviour. All
///      other inputs are arguments of the checks, which halmos treats as symbolic.
abstract contract SymbolicTest {
    ICheats internal constant vm = ICheats(address(uint160(uint256(keccak256("hevm cheat code")))));
    ICheats internal constant svm = ICheats(address(uint160(uint256(keccak256("svm cheat code")))));

    /// @dev The storage layout of `ToolSlotsLib`, declared independently.
    uint256 internal constant MAX_IDS = 2 ** 64;
    uint256 internal constant SLOTS_PER_TOOL = 128;
    uint256 internal constant COUNT_SLOT = 2 ** 71;
    uint256 internal constant DEREGISTERED = 1 << 255;
    uint256 internal constant GATED = 1 << 254;
    uint256 internal constant LIVE = 1 << 253;
    uint256 internal constant MAX_TEXT_BYTES = 2048;

    /// @dev Seven slots. For checks that would take minutes with the longest text without covering more code.
    uint256 internal constant MEDIUM_TEXT_BYTES = 200;

    /// @dev For checks that do not depend on the content of the URI.
    string internal constant WELL_KNOWN_URI = "https://tools.example.com/.well-known/ai-tool/nft-price-oracle.json";

    IToolRegistry internal registry;
    AnyContract internal anyContract;

    function setUp() public virtual {
        registry = IToolRegistry(_deployShipped("ToolRegistry", ""));
        svm.enableSymbolicStorage(address(registry));
        anyContract = new AnyContract();
        svm.enableSymbolicStorage(address(anyContract));
    }

    function _deployShipped(string memory name, bytes memory arguments) internal returns (address deployed) {
        bytes memory code = bytes.concat(vm.getCode(string.concat(name, ".sol:", name)), arguments);
        assembly ("memory-safe") {
            deployed := create(0, add(code, 0x20), mload(code))
        }
        require(deployed != address(0));
    }

    /* STORAGE */

    function _slot(uint256 toolId, uint256 offset) internal pure returns (uint256) {
        unchecked {
            return (toolId << 7) + offset;
        }
    }

    function _load(uint256 slot) internal view returns (uint256) {
        return uint256(vm.load(address(registry), bytes32(slot)));
    }

    function _store(uint256 slot, uint256 value) internal {
        vm.store(address(registry), bytes32(slot), bytes32(value));
    }

    function _creator(uint256 toolId) internal view returns (address) {
        uint256 header = _load(_slot(toolId, 0));
        return address(uint160(header & GATED == 0 ? header : _load(_slot(toolId, 1))));
    }

    function _predicate(uint256 toolId) internal view returns (address) {
        uint256 header = _load(_slot(toolId, 0));
        return header & GATED == 0 ? address(0) : address(uint160(header));
    }

    function _textLength(uint256 toolId) internal view returns (uint256) {
        return _load(_slot(toolId, 0)) >> 232 & 0xfff;
    }

    /* CALLS */

    function _callAs(address caller, bytes memory callData) internal returns (bool success, bytes memory returndata) {
        vm.prank(caller);
        return address(registry).call(callData);
    }

    /// @dev Encodes a call to one of the six functions that take a tool id, chosen by `selectorIndex`.
    function _callOn(uint256 toolId, address account, bytes32 word, uint8 selectorIndex)
        internal
        view
        returns (bytes memory)
    {
        if (selectorIndex == 0) return abi.encodeCall(registry.deregisterTool, (toolId));
        if (selectorIndex == 1) return abi.encodeCall(registry.updateToolMetadata, (toolId, WELL_KNOWN_URI, word));
        if (selectorIndex == 2) return abi.encodeCall(registry.setAccessPredicate, (toolId, account));
        if (selectorIndex == 3) return abi.encodeCall(registry.getToolConfig, (toolId));
        if (selectorIndex == 4) return abi.encodeCall(registry.hasAccess, (toolId, account, bytes.concat(word)));
        return abi.encodeCall(registry.tryHasAccess, (toolId, account, bytes.concat(word)));
    }
}
