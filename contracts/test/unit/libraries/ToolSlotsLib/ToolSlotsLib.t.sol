// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ToolHeader } from "src/libraries/ToolSlotsLib.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ToolSlotsLibHarness } from "test/support/ToolSlotsLibHarness.sol";

contract ToolSlotsLibTest is BaseTest {
    uint256 private constant GATED = 1 << 254;
    uint256 private constant LIVE = 1 << 253;

    ToolSlotsLibHarness private harness;
    address private gate;

    function setUp() public override {
        super.setUp();
        harness = new ToolSlotsLibHarness();
        gate = makeAddr("gate");
    }

    function test_Create_WhenToolIsOpen() external {
        uint256 toolId = harness.create(creator, METADATA_URI, MANIFEST_HASH, address(0));
        assertEq(toolId, 1, "id");
        _assertSlot(1, 0, _header(LIVE, 17, 33, "tools.exa", creator));
        _assertSlot(1, 1, 0);
        _assertSlot(1, 2, MANIFEST_HASH);
        _assertSlot(1, 3, "mple.comnft-price-oracle");
        assertEq(usedSlots(address(harness), 1), 3, "slots in use");
        assertEq(vm.load(address(harness), COUNT_SLOT), bytes32(uint256(1)), "count");
        assertEq(harness.count(), 1, "count");
        _assertAccounts(1, creator, address(0));
    }

    function test_Create_WhenToolIsGated() external {
        harness.create(creator, METADATA_URI, MANIFEST_HASH, gate);
        _assertSlot(1, 0, _header(LIVE | GATED, 17, 33, "tools.exa", gate));
        _assertSlot(1, 1, bytes32(uint256(uint160(creator))));
        _assertSlot(1, 2, MANIFEST_HASH);
        _assertSlot(1, 3, "mple.comnft-price-oracle");
        assertEq(usedSlots(address(harness), 1), 4, "slots in use");
        _assertAccounts(1, creator, gate);
    }

    function test_Create_WhenURIIsPlain() external {
        harness.create(creator, "x", MANIFEST_HASH, address(0));
        _assertSlot(1, 0, _header(LIVE, 256, 1, "x", creator));
        assertEq(usedSlots(address(harness), 1), 2, "slots in use");

        harness.create(creator, "ipfs://cid", MANIFEST_HASH, gate);
        _assertSlot(2, 0, _header(LIVE | GATED, 256, 10, "ipfs://ci", gate));
        _assertSlot(2, 3, "d");
        assertEq(usedSlots(address(harness), 2), 4, "slots in use");
    }

    function test_Create_WhenURIHasTheGreatestLength() external {
        harness.create(creator, _textOf(2048), MANIFEST_HASH, gate);
        assertEq(usedSlots(address(harness), 1), 67, "slots in use");
        assertEq(harness.metadataURI(1), _textOf(2048), "URI");
        assertEq(usedSlots(address(harness), 0) + usedSlots(address(harness), 2), 0, "slots of the neighbours");
    }

    function test_HeaderOf_WhenIdIsOutOfRange() external {
        // A-11
        uint256[6] memory ids = [2 ** 64, 2 ** 64 + 1, 2 ** 71, 2 ** 249, 2 ** 249 + 1, type(uint256).max];
        for (uint256 i = 0; i < ids.length; i++) {
            vm.store(address(harness), bytes32(ids[i] << 7), bytes32(type(uint256).max));
            assertEq(ToolHeader.unwrap(harness.headerOf(ids[i])), 0, "header of an id that no tool can have");
            assertFalse(harness.isLive(ids[i]), "it is live");
            assertFalse(harness.isRemoved(ids[i]), "it is removed");
        }
    }

    function test_HeaderOf_GivenTheLastId() external {
        vm.store(address(harness), COUNT_SLOT, bytes32(uint256(2 ** 64 - 2)));
        uint256 toolId = harness.create(creator, _textOf(2048), MANIFEST_HASH, gate);
        assertEq(toolId, 2 ** 64 - 1, "id");
        assertTrue(harness.isLive(toolId), "it is not live");
        assertEq(harness.metadataURI(toolId), _textOf(2048), "URI");
        assertEq(harness.count(), toolId, "the counter was overwritten");
    }

    function test_SetMetadata() external {
        harness.create(creator, _textOf(2048), MANIFEST_HASH, gate);
        assertFalse(harness.setMetadata(1, _textOf(2048), MANIFEST_HASH), "the same is a change");
        assertTrue(harness.setMetadata(1, _textOf(2048), OTHER_HASH), "another hash is no change");
        assertTrue(harness.setMetadata(1, METADATA_URI, OTHER_HASH), "another URI is no change");
        _assertSlot(1, 0, _header(LIVE | GATED, 17, 33, "tools.exa", gate));
        _assertSlot(1, 1, bytes32(uint256(uint160(creator))));
        _assertSlot(1, 2, OTHER_HASH);
        _assertSlot(1, 3, "mple.comnft-price-oracle");
        assertEq(usedSlots(address(harness), 1), 4, "slots in use");
        assertEq(harness.manifestHash(1), OTHER_HASH, "hash");
    }

    function test_SetPredicate() external {
        address other = makeAddr("another gate");
        harness.create(creator, METADATA_URI, MANIFEST_HASH, address(0));

        harness.setPredicate(1, creator, gate);
        _assertSlot(1, 0, _header(LIVE | GATED, 17, 33, "tools.exa", gate));
        _assertAccounts(1, creator, gate);

        harness.setPredicate(1, creator, other);
        _assertSlot(1, 0, _header(LIVE | GATED, 17, 33, "tools.exa", other));
        _assertAccounts(1, creator, other);

        harness.setPredicate(1, creator, address(0));
        _assertSlot(1, 0, _header(LIVE, 17, 33, "tools.exa", creator));
        _assertAccounts(1, creator, address(0));
        assertEq(usedSlots(address(harness), 1), 3, "slots in use");
    }

    function test_Remove() external {
        harness.create(creator, _textOf(2048), MANIFEST_HASH, gate);
        harness.remove(1);
        assertOnlyTombstone(address(harness), 1);
        assertTrue(harness.isRemoved(1), "it is not removed");
        assertFalse(harness.isLive(1), "it is live");
        assertEq(harness.count(), 1, "count");
    }

    function test_SetMetadata_WhenOneBitDiffers() external {
        harness.create(creator, _textOf(41), MANIFEST_HASH, address(0));
        bytes memory uri = bytes(_textOf(41));
        for (uint256 bit = 0; bit < 256; bit++) {
            bytes32 hash = bytes32(uint256(MANIFEST_HASH) ^ 2 ** bit);
            assertTrue(harness.setMetadata(1, string(uri), hash), "another hash is no change");
            assertEq(harness.manifestHash(1), hash, "hash");
            // The last word of the text is whole: its lowest bit is the URI's last.
            uri[40 - bit / 8 % 32] ^= bytes1(uint8(2 ** (bit % 8)));
            assertTrue(harness.setMetadata(1, string(uri), hash), "another URI is no change");
            assertEq(harness.metadataURI(1), string(uri), "URI");
        }
    }

    function test_WritesOnlyWhatDiffers() external {
        for (uint256 length = 1; length <= 100; length++) {
            bool isGated = length % 2 == 0;
            vm.record();
            uint256 toolId = harness.create(creator, _textOf(length), MANIFEST_HASH, isGated ? gate : address(0));
            _assertTouched(toolId, length, 3 + _tailWords(length) + (isGated ? 1 : 0), "create");
            vm.record();
            harness.setMetadata(toolId, _textOf(length), MANIFEST_HASH);
            _assertTouched(toolId, length, 0, "setMetadata to the same");
            vm.record();
            harness.metadataURI(toolId);
            _assertTouched(toolId, length, 0, "metadataURI");
            vm.record();
            harness.setPredicate(toolId, creator, makeAddr("another gate"));
            _assertTouched(toolId, length, isGated ? 1 : 2, "setPredicate");
            harness.setPredicate(toolId, creator, isGated ? gate : address(0));
            vm.record();
            harness.remove(toolId);
            _assertTouched(toolId, length, 2 + _tailWords(length) + (isGated ? 1 : 0), "remove");
        }
    }

    function test_SetMetadata_ClearsOnlyWhatFallsFree() external {
        for (uint256 length = 2; length <= 100; length++) {
            uint256 toolId = harness.create(creator, _textOf(length), MANIFEST_HASH, address(0));
            vm.record();
            harness.setMetadata(toolId, "x", MANIFEST_HASH);
            _assertTouched(toolId, length, 1 + _tailWords(length), "setMetadata to a shorter one");
        }
    }

    /// @dev After vm.record(): so many writes, and no slot beyond those of a text with `length` bytes was touched.
    function _assertTouched(uint256 toolId, uint256 length, uint256 expected, string memory step) private {
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(harness));
        assertEq(writes.length, expected, string.concat("number of writes: ", step));
        for (uint256 i = 0; i < reads.length; i++) {
            if (reads[i] == COUNT_SLOT) continue;
            uint256 offset = uint256(reads[i]) - uint256(toolSlot(toolId, 0));
            assertLt(offset, 3 + _tailWords(length), string.concat("a slot behind the text was touched: ", step));
        }
    }

    function _tailWords(uint256 length) private pure returns (uint256) {
        return length <= 9 ? 0 : (length - 9 + 31) / 32;
    }

    function _header(uint256 flags, uint256 hostLength, uint256 length, bytes9 text, address account)
        private
        pure
        returns (bytes32)
    {
        return bytes32(
            flags | hostLength << 244 | length << 232 | uint256(uint72(text)) << 160 | uint256(uint160(account))
        );
    }

    function _assertSlot(uint256 toolId, uint256 offset, bytes32 expected) private view {
        assertEq(vm.load(address(harness), toolSlot(toolId, offset)), expected, "a slot differs from the drawing");
    }

    function _assertAccounts(uint256 toolId, address by, address predicate) private view {
        assertEq(harness.creator(toolId), by, "creator");
        assertEq(harness.predicate(toolId), predicate, "predicate");
        (address actualBy, address actualPredicate) = harness.accounts(toolId);
        assertEq(actualBy, by, "creator of the pair");
        assertEq(actualPredicate, predicate, "predicate of the pair");
    }
}
