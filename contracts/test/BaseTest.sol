// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { GrantingPredicate } from "test/mocks/GrantingPredicate.sol";
import { ArtifactDeployer, IRegistry } from "test/support/ArtifactDeployer.sol";
import { Assertions } from "test/support/Assertions.sol";

/// @dev Base of every test: actors and a deployed registry.
abstract contract BaseTest is Assertions, ArtifactDeployer {
    string internal constant METADATA_URI = "https://tools.example.com/.well-known/ai-tool/nft-price-oracle.json";
    string internal constant OTHER_URI = "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/tool.json";
    bytes32 internal constant MANIFEST_HASH = keccak256("manifest");
    bytes32 internal constant OTHER_HASH = keccak256("other manifest");

    /// @dev More gas than any call needs.
    uint256 internal constant AMPLE_GAS = 10_000_000;

    address internal creator;
    address internal eve;
    address internal agent;

    IRegistry internal registry;
    GrantingPredicate internal grantingPredicate;

    function setUp() public virtual {
        creator = makeAddr("creator");
        eve = makeAddr("eve");
        agent = makeAddr("agent");

        registry = IRegistry(_deployArtifact("ToolRegistry", ""));
        vm.label(address(registry), "registry");
        grantingPredicate = new GrantingPredicate();
        vm.label(address(grantingPredicate), "grantingPredicate");
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

    /// @dev One valid call to each function that takes a tool id.
    function _callsOn(uint256 toolId) internal view returns (bytes[6] memory calls) {
        calls[0] = abi.encodeCall(registry.deregisterTool, (toolId));
        calls[1] = abi.encodeCall(registry.updateToolMetadata, (toolId, OTHER_URI, OTHER_HASH));
        calls[2] = abi.encodeCall(registry.setAccessPredicate, (toolId, address(grantingPredicate)));
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

    /// @dev `length` bytes that are not a well-known URI.
    function _textOf(uint256 length) internal pure returns (string memory) {
        bytes32 letters = "abcdefghijklmnopqrstuvwxyz";
        bytes memory text = new bytes(length);
        for (uint256 i = 0; i < length; i++) {
            text[i] = letters[i % 26];
        }
        return string(text);
    }

    /// @dev 253 different bytes, none of which is a slash, repeated.
    function _distinctBytes(uint256 length) internal pure returns (string memory) {
        bytes memory text = new bytes(length);
        for (uint256 i = 0; i < length; i++) {
            text[i] = bytes1(uint8((i % 253 + 0x30) % 256));
        }
        return string(text);
    }

    function _wellKnown(string memory host, string memory slug) internal pure returns (string memory) {
        return string.concat("https://", host, "/.well-known/ai-tool/", slug, ".json");
    }

    /// @dev The first `length` bytes of `data`.
    function _head(bytes memory data, uint256 length) internal pure returns (bytes memory head) {
        head = new bytes(length);
        for (uint256 i = 0; i < length; i++) {
            head[i] = data[i];
        }
    }

    /// @dev `length` distinct values.
    function _words(uint256 length) internal pure returns (uint256[] memory words) {
        words = new uint256[](length);
        for (uint256 i = 0; i < length; i++) {
            words[i] = uint256(keccak256(abi.encode(i)));
        }
    }

    /// @dev The call reverts without data.
    function _assertBareRevert(address from, bytes memory data) internal {
        (bool success, bytes memory returndata) = _call(from, data);
        assertRevert(success, returndata, "");
    }

    /// @dev The call succeeds, and reverts without data when it is truncated.
    function _assertRevertsWhenTruncated(address from, bytes memory data) internal {
        for (uint256 length = 0; length < data.length; length++) {
            _assertBareRevert(from, _head(data, length));
        }
        (bool success,) = _call(from, data);
        assertTrue(success, "the untruncated call reverted");
    }
}
