// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { BaseTest } from "test/BaseTest.sol";
import { Random } from "test/support/Random.sol";
import { URIShapes } from "test/support/URIShapes.sol";

contract RegisterToolFuzzTest is BaseTest {
    function testFuzz_StoresArbitraryBytes(uint256 seed, uint256 length, bool gated) external {
        length = bound(length, 1, 2048);
        _assertRegistered(
            string(Random(seed).data(length)), MANIFEST_HASH, gated ? address(grantingPredicate) : address(0)
        );
    }

    function testFuzz_StoresWellKnownURIs(uint256 seed, uint256 hostLength, uint256 slugLength) external {
        hostLength = bound(hostLength, 0, 300);
        slugLength = bound(slugLength, 0, 2048 - 34 - hostLength);
        _assertWellKnownRegistered(seed, hostLength, slugLength);
        _assertWellKnownRegistered(seed, 255, slugLength % 1700);
        _assertWellKnownRegistered(seed, 256, slugLength % 1700);
        _assertWellKnownRegistered(seed, hostLength, 0);
        _assertWellKnownRegistered(seed, hostLength % 12, slugLength % 12);
    }

    function testFuzz_StoresAlmostWellKnownURIs(uint256 seed, uint256 at, uint8 newByte) external {
        Random memory random = Random(seed);
        bytes memory uri =
            bytes(_wellKnown(string(random.name(random.below(40))), string(random.name(random.below(40)))));
        uri[at % uri.length] = bytes1(newByte);
        _assertRegistered(string(uri), MANIFEST_HASH, address(0));
        uri[at % uri.length] = "/";
        _assertRegistered(string(uri), MANIFEST_HASH, address(0));
    }

    function testFuzz_StoresEveryShape(uint256 seed, bytes32 hash, bool gated) external {
        // A-06
        vm.assume(hash != 0);
        string memory uri = string(URIShapes.valid(Random(seed)));
        _assertRegistered(uri, hash, gated ? address(grantingPredicate) : address(0));
    }

    function testFuzz_CallerBecomesCreator(address caller, address predicate, bytes32 hash) external {
        // A-02, A-03
        vm.assume(hash != 0 && predicate.code.length == 0);
        vm.prank(caller);
        uint256 toolId = registry.registerTool(METADATA_URI, hash, predicate);
        assertConfig(registry, toolId, _config(caller, METADATA_URI, hash, predicate));
        vm.prank(caller);
        registry.deregisterTool(toolId);
        assertOnlyTombstone(address(registry), toolId);
    }

    function testFuzz_RevertWhen_URIIsTooLong(uint256 seed, uint256 length) external {
        // A-08
        length = bound(length, 2049, 9000);
        string memory uri = string(Random(seed).data(length));
        vm.expectRevert(IToolRegistry.InvalidMetadataURI.selector);
        registry.registerTool(uri, MANIFEST_HASH, address(0));
    }

    function testFuzz_IgnoresBytesAfterURI(uint256 seed, uint256 length) external {
        bytes memory whole = URIShapes.valid(Random(seed));
        length = bound(length, 1, whole.length);
        (bool success, bytes memory returndata) = _call(
            creator,
            abi.encodePacked(
                IToolRegistry.registerTool.selector, uint256(0x60), MANIFEST_HASH, uint256(0), length, whole
            )
        );
        assertTrue(success, "non-canonical calldata was rejected");
        string memory uri = string(URIShapes.head(whole, length));
        assertConfig(registry, abi.decode(returndata, (uint256)), _config(creator, uri, MANIFEST_HASH, address(0)));
    }

    function _assertWellKnownRegistered(uint256 seed, uint256 hostLength, uint256 slugLength) private {
        Random memory random = Random(seed);
        bytes memory host = random.data(hostLength);
        if (!random.oneIn(4)) {
            for (uint256 i = 0; i < hostLength; i++) {
                if (host[i] == "/") host[i] = ".";
            }
        }
        string memory uri = _wellKnown(string(host), string(random.data(slugLength)));
        _assertRegistered(uri, MANIFEST_HASH, address(0));
    }

    function _assertRegistered(string memory uri, bytes32 hash, address predicate) private {
        uint256 count = registry.toolCount();
        vm.recordLogs();
        vm.prank(creator);
        uint256 toolId = registry.registerTool(uri, hash, predicate);
        assertEq(toolId, count + 1, "returned id");
        ToolConfig memory expected = _config(creator, uri, hash, predicate);
        assertOnlyLogIsRegistration(address(registry), toolId, expected);
        assertConfig(registry, toolId, expected);
    }
}
