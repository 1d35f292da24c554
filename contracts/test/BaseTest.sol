// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ToolRegistry } from "src/ToolRegistry.sol";
import { YesPredicate } from "test/mocks/YesPredicate.sol";
import { Assertions } from "test/support/Assertions.sol";

/// @dev Actors and a deployed registry; every test starts here.
abstract contract BaseTest is Assertions {
    string internal constant METADATA_URI = "https://tools.example.com/.well-known/ai-tool/nft-price-oracle.json";
    string internal constant OTHER_URI = "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/tool.json";
    bytes32 internal constant MANIFEST_HASH = keccak256("manifest");
    bytes32 internal constant OTHER_HASH = keccak256("another manifest");

    /// @dev Gas that is more than enough for any call.
    uint256 internal constant PLENTY = 10_000_000;

    address internal creator;
    address internal stranger;
    address internal agent;

    ToolRegistry internal registry;
    YesPredicate internal yesPredicate;

    function setUp() public virtual {
        creator = makeAddr("creator");
        stranger = makeAddr("stranger");
        agent = makeAddr("agent");

        registry = new ToolRegistry();
        vm.label(address(registry), "registry");
        yesPredicate = new YesPredicate();
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
}
