// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BaseTest } from "test/BaseTest.sol";
import { Dice } from "test/support/Dice.sol";
import { URIShapes } from "test/support/URIShapes.sol";

contract UpdateToolMetadataFuzzTest is BaseTest {
    function testFuzz_ReplacesAnyURIByAnyOther(uint256 seed, bool gated) external {
        // A-15, A-17
        Dice memory dice = Dice(seed);
        address predicate = gated ? address(yesPredicate) : address(0);
        string memory uri = string(URIShapes.valid(dice));
        bytes32 hash = MANIFEST_HASH;
        uint256 toolId = _register(uri, predicate);
        for (uint256 i = 0; i < 4; i++) {
            string memory newURI = dice.oneIn(4) ? uri : string(URIShapes.valid(dice));
            bytes32 newHash = dice.oneIn(2) ? hash : dice.word();
            bool changes = newHash != hash || keccak256(bytes(newURI)) != keccak256(bytes(uri));
            _assertUpdate(toolId, newURI, newHash, changes);
            (uri, hash) = (newURI, newHash);
            assertConfig(registry, toolId, _config(creator, uri, hash, predicate));
            _assertUpdate(toolId, uri, hash, false);
        }
        assertEq(usedSlots(address(registry), toolId), _slotsOfNewTool(uri, hash, predicate), "slots in use");
        _deregister(toolId);
        assertOnlyTombstone(address(registry), toolId);
    }

    function testFuzz_ReplacesAnyLengthByAnyOther(uint256 seed, uint256 from, uint256 to) external {
        Dice memory dice = Dice(seed);
        string memory uri = string(dice.noise(bound(to, 1, 2048)));
        uint256 toolId = _register(string(dice.noise(bound(from, 1, 2048))), address(0));
        _assertUpdate(toolId, uri, OTHER_HASH, true);
        assertConfig(registry, toolId, _config(creator, uri, OTHER_HASH, address(0)));
        assertEq(usedSlots(address(registry), toolId), _slotsOfNewTool(uri, OTHER_HASH, address(0)), "slots in use");
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
