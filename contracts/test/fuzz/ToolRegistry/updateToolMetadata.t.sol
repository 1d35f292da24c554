// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BaseTest } from "test/BaseTest.sol";
import { Random } from "test/support/Random.sol";
import { URIShapes } from "test/support/URIShapes.sol";

contract UpdateToolMetadataFuzzTest is BaseTest {
    function testFuzz_ReplacesAnyURIByAnyOther(uint256 seed, bool gated) external {
        // A-15, A-17
        Random memory random = Random(seed);
        address predicate = gated ? address(grantingPredicate) : address(0);
        string memory uri = string(URIShapes.valid(random));
        bytes32 hash = MANIFEST_HASH;
        uint256 toolId = _register(uri, predicate);
        for (uint256 i = 0; i < 4; i++) {
            string memory newURI = random.oneIn(4) ? uri : string(URIShapes.valid(random));
            bytes32 newHash = random.oneIn(2) ? hash : random.word();
            bool changes = newHash != hash || keccak256(bytes(newURI)) != keccak256(bytes(uri));
            _assertUpdate(toolId, newURI, newHash, changes);
            (uri, hash) = (newURI, newHash);
            assertConfig(registry, toolId, _config(creator, uri, hash, predicate));
            _assertUpdate(toolId, uri, hash, false);
        }
        assertEq(usedSlots(address(registry), toolId), _slotsOfNewTool(uri, hash, predicate), "number of used slots");
        _deregister(toolId);
        assertOnlyTombstone(address(registry), toolId);
    }

    function testFuzz_ReplacesAnyLengthByAnyOther(uint256 seed, uint256 from, uint256 to) external {
        Random memory random = Random(seed);
        string memory uri = string(random.data(bound(to, 1, 2048)));
        uint256 toolId = _register(string(random.data(bound(from, 1, 2048))), address(0));
        _assertUpdate(toolId, uri, OTHER_HASH, true);
        assertConfig(registry, toolId, _config(creator, uri, OTHER_HASH, address(0)));
        assertEq(
            usedSlots(address(registry), toolId), _slotsOfNewTool(uri, OTHER_HASH, address(0)), "number of used slots"
        );
        _deregister(toolId);
        assertOnlyTombstone(address(registry), toolId);
    }

    function _assertUpdate(uint256 toolId, string memory uri, bytes32 hash, bool changes) private {
        vm.recordLogs();
        vm.record();
        vm.prank(creator);
        registry.updateToolMetadata(toolId, uri, hash);
        if (changes) {
            assertOnlyLogIsMetadataUpdate(address(registry), toolId, uri, hash);
        } else {
            assertNoLogs();
            assertNoWrites(address(registry));
        }
    }

    function _slotsOfNewTool(string memory uri, bytes32 hash, address predicate) private returns (uint256) {
        vm.prank(creator);
        return usedSlots(address(registry), registry.registerTool(uri, hash, predicate));
    }
}
