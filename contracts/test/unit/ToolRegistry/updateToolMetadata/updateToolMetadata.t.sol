// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { BaseTest } from "test/BaseTest.sol";

contract UpdateToolMetadataTest is BaseTest {
    uint256 private toolId;

    function setUp() public override {
        super.setUp();
        toolId = _register(address(0));
    }

    /* CALLDATA */

    function test_RevertWhen_URIOffsetIsOutOfRange() external {
        uint256[5] memory offsets = [0xc4, 2 ** 64 - 1, 2 ** 64, 2 ** 255, type(uint256).max];
        for (uint256 i = 0; i < offsets.length; i++) {
            _assertReverts(creator, _encoded(offsets[i], 32, "32 bytes of text, neither more.."), "");
        }
    }

    function test_RevertWhen_URIIsLongerThanCalldata() external {
        uint256[5] memory lengths = [uint256(33), 2 ** 64 - 1, 2 ** 64, 2 ** 255, type(uint256).max];
        for (uint256 i = 0; i < lengths.length; i++) {
            _assertReverts(creator, _encoded(0x60, lengths[i], "32 bytes of text, neither more.."), "");
        }
    }

    function test_RevertWhen_CalldataIsTruncated() external {
        _assertRevertsWhenTruncated(creator, _encoded(0x60, 5, "hello"));
    }

    function test_WhenURIHasTrailingBytes() external {
        bytes memory trailing = abi.encodePacked(type(uint256).max, type(uint256).max);
        vm.recordLogs();
        (bool success,) = _call(creator, _encoded(0x60, 5, bytes.concat("hello", trailing)));
        assertTrue(success, "non-canonical calldata was rejected");
        assertOnlyLogIsMetadataUpdate(address(registry), toolId, "hello", OTHER_HASH);
        _assertMetadata("hello", OTHER_HASH);
    }

    /* VALIDATION */

    function test_RevertGiven_ToolDoesNotExist() external {
        // A-11
        uint256[2] memory ids = [0, toolId + 1];
        for (uint256 i = 0; i < ids.length; i++) {
            bytes memory expected = abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, ids[i]);
            _assertReverts(creator, ids[i], OTHER_URI, OTHER_HASH, expected);
            _assertReverts(eve, ids[i], "", 0, expected);
        }
    }

    function test_RevertGiven_ToolIsDeregistered() external {
        // A-13, A-14
        _deregister(toolId);
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, toolId);
        _assertReverts(creator, toolId, OTHER_URI, OTHER_HASH, expected);
        _assertReverts(eve, toolId, OTHER_URI, OTHER_HASH, expected);
        _assertReverts(eve, toolId, "", 0, expected);
        assertOnlyTombstone(address(registry), toolId);
    }

    function test_RevertWhen_CallerIsNotCreator() external {
        // A-10
        uint256 gated = _register(address(grantingPredicate));
        uint256[2] memory ids = [toolId, gated];
        address[3] memory callers = [eve, address(grantingPredicate), address(registry)];
        for (uint256 i = 0; i < ids.length; i++) {
            for (uint256 j = 0; j < callers.length; j++) {
                bytes memory expected =
                    abi.encodeWithSelector(IToolRegistry.NotToolCreator.selector, ids[i], callers[j]);
                _assertReverts(callers[j], ids[i], OTHER_URI, OTHER_HASH, expected);
                _assertReverts(callers[j], ids[i], METADATA_URI, MANIFEST_HASH, expected);
                _assertReverts(callers[j], ids[i], "", OTHER_HASH, expected);
                _assertReverts(callers[j], ids[i], OTHER_URI, 0, expected);
            }
        }
    }

    function test_RevertWhen_URIIsEmpty() external {
        // A-07
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector);
        _assertReverts(creator, toolId, "", OTHER_HASH, expected);
    }

    function test_RevertWhen_URIIsTooLong() external {
        // A-08
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector);
        _assertReverts(creator, toolId, _textOf(2049), OTHER_HASH, expected);
        _assertReverts(creator, toolId, _textOf(4096 + 10), OTHER_HASH, expected);
        _assertReverts(creator, toolId, string.concat(_textOf(2047), unicode"é"), OTHER_HASH, expected);
        _assertUpdated(string.concat(_textOf(2046), unicode"é"), OTHER_HASH);
    }

    function test_RevertWhen_HashIsZero() external {
        // A-09
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.InvalidManifestHash.selector);
        _assertReverts(creator, toolId, OTHER_URI, 0, expected);
        _assertReverts(creator, toolId, METADATA_URI, 0, expected);
    }

    function test_RevertWhen_URIAndHashAreInvalid() external {
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector);
        _assertReverts(creator, toolId, "", 0, expected);
        _assertReverts(creator, toolId, _textOf(2049), 0, expected);
    }

    /* EFFECTS */

    function test_WhenBothDiffer() external {
        // A-15
        vm.recordLogs();
        (bool success, bytes memory returndata) =
            _call(creator, abi.encodeCall(registry.updateToolMetadata, (toolId, OTHER_URI, OTHER_HASH)));
        assertTrue(success, "the creator could not update");
        assertEq(returndata.length, 0, "unexpected return data");
        assertOnlyLogIsMetadataUpdate(address(registry), toolId, OTHER_URI, OTHER_HASH);
        _assertMetadata(OTHER_URI, OTHER_HASH);
    }

    function test_WhenOnlyURIDiffers() external {
        // A-15
        vm.record();
        string memory uri = "https://tools.example.com/.well-known/ai-tool/nft-floor-oracle.json";
        _assertUpdated(uri, MANIFEST_HASH);
        bytes32[] memory slots = new bytes32[](1);
        slots[0] = toolSlot(toolId, 3);
        assertWrites(address(registry), slots);
    }

    function test_WhenOnlyLastByteDiffers() external {
        // A-15
        for (uint256 length = 1; length <= 110; length++) {
            bytes memory text = bytes(_textOf(length));
            _assertUpdated(string(text), MANIFEST_HASH);
            text[length - 1] ^= 0x01;
            _assertUpdated(string(text), MANIFEST_HASH);
        }
    }

    function test_WhenOnlyLengthDiffers() external {
        // A-15
        for (uint256 length = 1; length <= 110; length++) {
            _assertUpdated(string(new bytes(length)), MANIFEST_HASH);
        }
        for (uint256 length = 109; length >= 1; length--) {
            _assertUpdated(string(new bytes(length)), MANIFEST_HASH);
        }
    }

    function test_WhenOnlyHashDiffers() external {
        // A-15
        vm.record();
        _assertUpdated(METADATA_URI, OTHER_HASH);
        bytes32[] memory slots = new bytes32[](1);
        slots[0] = toolSlot(toolId, 2);
        assertWrites(address(registry), slots);
    }

    function test_WhenNothingDiffers() external {
        // A-17
        string[4] memory uris = [METADATA_URI, OTHER_URI, _textOf(2048), "x"];
        for (uint256 i = 0; i < uris.length; i++) {
            vm.prank(creator);
            registry.updateToolMetadata(toolId, uris[i], OTHER_HASH);

            vm.recordLogs();
            vm.record();
            vm.prank(creator);
            registry.updateToolMetadata(toolId, uris[i], OTHER_HASH);
            assertNoWrites(address(registry));
            assertNoLogs();
            _assertMetadata(uris[i], OTHER_HASH);
        }
    }

    function test_WhenURIShrinks() external {
        _assertUpdated(_textOf(2048), OTHER_HASH);
        for (uint256 length = 2000; length > 0; length = length * 2 / 3) {
            _assertUpdated(_textOf(length), OTHER_HASH);
            assertEq(usedSlots(address(registry), toolId), _slotsFor(length), "unused slots are not cleared");
        }
    }

    function test_WhenURIGrows() external {
        for (uint256 length = 1; length <= 2048; length = length * 3 / 2 + 1) {
            _assertUpdated(_textOf(length), OTHER_HASH);
            assertEq(usedSlots(address(registry), toolId), _slotsFor(length), "number of used slots");
        }
    }

    function test_GivenToolIsGated() external {
        // A-15
        uint256 gated = _register(address(grantingPredicate));
        vm.recordLogs();
        vm.startStateDiffRecording();
        vm.prank(creator);
        registry.updateToolMetadata(gated, OTHER_URI, OTHER_HASH);
        assertOnlyStaticProbes(address(registry), address(grantingPredicate), 0);
        assertOnlyLogIsMetadataUpdate(address(registry), gated, OTHER_URI, OTHER_HASH);
        assertConfig(registry, gated, _config(creator, OTHER_URI, OTHER_HASH, address(grantingPredicate)));
        _assertMetadata(METADATA_URI, MANIFEST_HASH);
    }

    /* HELPERS */

    function _encoded(uint256 offset, uint256 length, bytes memory text) private view returns (bytes memory) {
        bytes4 selector = IToolRegistry.updateToolMetadata.selector;
        return abi.encodePacked(selector, toolId, offset, OTHER_HASH, length, text);
    }

    /// @dev Header, hash, and one slot per 32 bytes after the first nine.
    function _slotsFor(uint256 length) private pure returns (uint256) {
        return 2 + (length > 9 ? (length - 9 + 31) / 32 : 0);
    }

    function _assertMetadata(string memory uri, bytes32 hash) private view {
        assertConfig(registry, toolId, _config(creator, uri, hash, address(0)));
    }

    function _assertUpdated(string memory uri, bytes32 hash) private {
        vm.recordLogs();
        vm.prank(creator);
        registry.updateToolMetadata(toolId, uri, hash);
        assertOnlyLogIsMetadataUpdate(address(registry), toolId, uri, hash);
        _assertMetadata(uri, hash);
    }

    function _assertReverts(address caller, uint256 id, string memory uri, bytes32 hash, bytes memory expected)
        private
    {
        _assertReverts(caller, abi.encodeCall(registry.updateToolMetadata, (id, uri, hash)), expected);
    }

    function _assertReverts(address caller, bytes memory data, bytes memory expected) private {
        vm.recordLogs();
        vm.record();
        (bool success, bytes memory returndata) = _call(caller, data);
        assertRevert(success, returndata, expected);
        assertNoWrites(address(registry));
        assertNoLogs();
    }
}
