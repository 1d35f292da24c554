// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { GrantingPredicate } from "test/mocks/GrantingPredicate.sol";
import { Assertions } from "test/support/Assertions.sol";
import { IRegistry, Shipped } from "test/support/Shipped.sol";

/// @dev Actors and a deployed registry; every test starts here.
abstract contract BaseTest is Assertions, Shipped {
    string internal constant METADATA_URI = "https://tools.example.com/.well-known/ai-tool/nft-price-oracle.json";
    string internal constant OTHER_URI = "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/tool.json";
    bytes32 internal constant MANIFEST_HASH = keccak256("manifest");
    bytes32 internal constant OTHER_HASH = keccak256("another manifest");

    /// @dev Gas that is more than enough for any call.
    uint256 internal constant PLENTY = 10_000_000;

    address internal creator;
    address internal stranger;
    address internal agent;

    IRegistry internal registry;
    GrantingPredicate internal yesPredicate;

    function setUp() public virtual {
        creator = makeAddr("creator");
        stranger = makeAddr("stranger");
        agent = makeAddr("agent");

        registry = IRegistry(_deployShipped("ToolRegistry", ""));
        vm.label(address(registry), "registry");
        yesPredicate = new GrantingPredicate();
        vm.label(address(yesPredicate), "yesPredicate");
    }

    function _register(address predicate) internal returns (uint256 toolId) {
        return _register(METADATA_URI, predicate);
    }

    function _register(string memory uri, address predicate) internal returns (uint256 toolId) {
        vm.prank(creator);
        return registry.registerTool(uri, MANIFEST_HASH, predicate);
    }

    function _deregister(uint256 toolId) internal {
        vm.prank(creator);
        registry.deregisterTool(toolId);
    }

    function _call(address from, bytes memory data) internal returns (bool success, bytes memory returndata) {
        vm.prank(from);
        return address(registry).call(data);
    }

    /// @dev One call to each function that takes an id; nothing is wrong with the other arguments.
    function _callsOn(uint256 toolId) internal view returns (bytes[6] memory calls) {
        calls[0] = abi.encodeCall(registry.deregisterTool, (toolId));
        calls[1] = abi.encodeCall(registry.updateToolMetadata, (toolId, OTHER_URI, OTHER_HASH));
        calls[2] = abi.encodeCall(registry.setAccessPredicate, (toolId, address(yesPredicate)));
        calls[3] = abi.encodeCall(registry.getToolConfig, (toolId));
        calls[4] = abi.encodeCall(registry.hasAccess, (toolId, agent, ""));
        calls[5] = abi.encodeCall(registry.tryHasAccess, (toolId, agent, ""));
    }

    function _config(address by, string memory uri, bytes32 hash, address predicate)
        internal
        pure
        returns (ToolConfig memory)
    {
        return ToolConfig({ creator: by, metadataURI: uri, manifestHash: hash, accessPredicate: predicate });
    }

    /// @dev `length` bytes of text that is not in the well-known form.
    function _textOf(uint256 length) internal pure returns (string memory) {
        bytes32 letters = "abcdefghijklmnopqrstuvwxyz";
        bytes memory text = new bytes(length);
        for (uint256 i = 0; i < length; i++) {
            text[i] = letters[i % 26];
        }
        return string(text);
    }

    function _wellKnown(string memory host, string memory slug) internal pure returns (string memory) {
        return string.concat("https://", host, "/.well-known/ai-tool/", slug, ".json");
    }
}
