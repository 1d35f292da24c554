// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ToolHeader } from "src/libraries/ToolSlotsLib.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ToolSlotsLibHarness } from "test/support/ToolSlotsLibHarness.sol";

contract ToolSlotsLibTest is BaseTest {
    uint256 private constant GATED = 1 << 254;
    uint256 private constant LIVE = 1 << 253;

    ToolSlotsLibHarness private harness;
    address private gatePredicate;

    function setUp() public override {
        super.setUp();
        harness = new ToolSlotsLibHarness();
        gatePredicate = makeAddr("predicate");
    }

    function test_Create_WhenToolIsOpen() external {
        uint256 toolId = harness.create(creator, METADATA_URI, MANIFEST_HASH, address(0));
        assertEq(toolId, 1, "id");
        _assertSlot(1, 0, _header(LIVE, 17, 33, "tools.exa", creator));
        _assertSlot(1, 1, 0);
        _assertSlot(1, 2, MANIFEST_HASH);
        _assertSlot(1, 3, "mple.comnft-price-oracle");
        assertEq(usedSlots(address(harness), 1), 3, "number of used slots");
        assertEq(vm.load(address(harness), COUNT_SLOT), bytes32(uint256(1)), "count");
        assertEq(harness.count(), 1, "count");
        _assertAccounts(1, creator, address(0));
    }

    function test_Create_WhenToolIsGated() external {
        harness.create(creator, METADATA_URI, MANIFEST_HASH, gatePredicate);
        _assertSlot(1, 0, _header(LIVE | GATED, 17, 33, "tools.exa", gatePredicate));
        _assertSlot(1, 1, bytes32(uint256(uint160(creator))));
        _assertSlot(1, 2, MANIFEST_HASH);
        _assertSlot(1, 3, "mple.comnft-price-oracle");
        assertEq(usedSlots(address(harness), 1), 4, "number of used slots");
        _assertAccounts(1, creator, gatePredicate);
    }

    function test_Create_WhenURIIsPlain() external {
        harness.create(creator, "x", MANIFEST_HASH, address(0));
        _assertSlot(1, 0, _header(LIVE, 256, 1, "x", creator));
        assertEq(usedSlots(address(harness), 1), 2, "number of used slots");

        harness.create(creator, "ipfs://cid", MANIFEST_HASH, gatePredicate);
        _assertSlot(2, 0, _header(LIVE | GATED, 256, 10, "ipfs://ci", gatePredicate));
        _assertSlot(2, 3, "d");
        assertEq(usedSlots(address(harness), 2), 4, "number of used slots");
    }

    function test_Create_WhenURIHasMaximumLength() external {
        harness.create(creator, _textOf(2048), MANIFEST_HASH, gatePredicate);
        assertEq(usedSlots(address(harness), 1), 67, "number of used slots");
        assertEq(harness.metadataURI(1), _textOf(2048), "URI");
        assertEq(usedSlots(address(harness), 0) + usedSlots(address(harness), 2), 0, "slots of adjacent tools");
    }

    function test_HeaderOf_WhenIdIsOutOfRange() external {
        // A-11
        uint256[6] memory ids = [2 ** 64, 2 ** 64 + 1, 2 ** 71, 2 ** 249, 2 ** 249 + 1, type(uint256).max];
        for (uint256 i = 0; i < ids.length; i++) {
            vm.store(address(harness), bytes32(ids[i] << 7), bytes32(type(uint256).max));
            assertEq(ToolHeader.unwrap(harness.headerOf(ids[i])), 0, "header of an invalid id");
            assertFalse(harness.isLive(ids[i]), "isLive is true");
            assertFalse(harness.isDeregistered(ids[i]), "isDeregistered is true");
        }
    }

    function test_HeaderOf_GivenLastId() external {
        vm.store(address(harness), COUNT_SLOT, bytes32(uint256(2 ** 64 - 2)));
        uint256 toolId = harness.create(creator, _textOf(2048), MANIFEST_HASH, gatePredicate);
        assertEq(toolId, 2 ** 64 - 1, "id");
        assertTrue(harness.isLive(toolId), "isLive is false");
        assertEq(harness.metadataURI(toolId), _textOf(2048), "URI");
        assertEq(harness.count(), toolId, "the counter was overwritten");
    }

    function test_SetMetadata() external {
        harness.create(creator, _textOf(2048), MANIFEST_HASH, gatePredicate);
        assertFalse(harness.setMetadata(1, _textOf(2048), MANIFEST_HASH), "identical values count as a change");
        assertTrue(harness.setMetadata(1, _textOf(2048), OTHER_HASH), "a new hash does not count as a change");
        assertTrue(harness.setMetadata(1, METADATA_URI, OTHER_HASH), "a new URI does not count as a change");
        _assertSlot(1, 0, _header(LIVE | GATED, 17, 33, "tools.exa", gatePredicate));
        _assertSlot(1, 1, bytes32(uint256(uint160(creator))));
        _assertSlot(1, 2, OTHER_HASH);
        _assertSlot(1, 3, "mple.comnft-price-oracle");
        assertEq(usedSlots(address(harness), 1), 4, "number of used slots");
        assertEq(harness.manifestHash(1), OTHER_HASH, "hash");
    }

    function test_SetPredicate() external {
        address other = makeAddr("other predicate");
        harness.create(creator, METADATA_URI, MANIFEST_HASH, address(0));

        harness.setPredicate(1, creator, gatePredicate);
        _assertSlot(1, 0, _header(LIVE | GATED, 17, 33, "tools.exa", gatePredicate));
        _assertAccounts(1, creator, gatePredicate);

        harness.setPredicate(1, creator, other);
        _assertSlot(1, 0, _header(LIVE | GATED, 17, 33, "tools.exa", other));
        _assertAccounts(1, creator, other);

        harness.setPredicate(1, creator, address(0));
        _assertSlot(1, 0, _header(LIVE, 17, 33, "tools.exa", creator));
        _assertAccounts(1, creator, address(0));
        assertEq(usedSlots(address(harness), 1), 3, "number of used slots");
    }

    function test_Deregister() external {
        harness.create(creator, _textOf(2048), MANIFEST_HASH, gatePredicate);
        harness.deregister(1);
        assertOnlyTombstone(address(harness), 1);
        assertTrue(harness.isDeregistered(1), "isDeregistered is false");
        assertFalse(harness.isLive(1), "isLive is true");
        assertEq(harness.count(), 1, "count");
    }

    function test_SetMetadata_WhenOneBitDiffers() external {
        harness.create(creator, _textOf(41), MANIFEST_HASH, address(0));
        bytes memory uri = bytes(_textOf(41));
        for (uint256 bit = 0; bit < 256; bit++) {
            bytes32 hash = bytes32(uint256(MANIFEST_HASH) ^ 2 ** bit);
            assertTrue(harness.setMetadata(1, string(uri), hash), "a new hash does not count as a change");
            assertEq(harness.manifestHash(1), hash, "hash");
            // The text fills its last word, so the lowest bit of the word is the URI's last bit.
            uri[40 - bit / 8 % 32] ^= bytes1(uint8(2 ** (bit % 8)));
            assertTrue(harness.setMetadata(1, string(uri), hash), "a new URI does not count as a change");
            assertEq(harness.metadataURI(1), string(uri), "URI");
        }
    }

    function test_WritesOnlyChangedSlots() external {
        for (uint256 length = 1; length <= 100; length++) {
            bool isGated = length % 2 == 0;
            vm.record();
            uint256 toolId =
                harness.create(creator, _textOf(length), MANIFEST_HASH, isGated ? gatePredicate : address(0));
            _assertAccessedSlots(toolId, length, 3 + _tailWords(length) + (isGated ? 1 : 0), "create");
            vm.record();
            harness.setMetadata(toolId, _textOf(length), MANIFEST_HASH);
            _assertAccessedSlots(toolId, length, 0, "setMetadata without a change");
            vm.record();
            harness.metadataURI(toolId);
            _assertAccessedSlots(toolId, length, 0, "metadataURI");
            vm.record();
            harness.setPredicate(toolId, creator, makeAddr("other predicate"));
            _assertAccessedSlots(toolId, length, isGated ? 1 : 2, "setPredicate");
            harness.setPredicate(toolId, creator, isGated ? gatePredicate : address(0));
            vm.record();
            harness.deregister(toolId);
            _assertAccessedSlots(toolId, length, 2 + _tailWords(length) + (isGated ? 1 : 0), "deregister");
        }
    }

    function test_SetMetadata_ClearsOnlyUnusedSlots() external {
        for (uint256 length = 2; length <= 100; length++) {
            uint256 toolId = harness.create(creator, _textOf(length), MANIFEST_HASH, address(0));
            vm.record();
            harness.setMetadata(toolId, "x", MANIFEST_HASH);
            _assertAccessedSlots(toolId, length, 1 + _tailWords(length), "setMetadata to a shorter URI");
        }
    }

    /// @dev After vm.record(): checks the number of writes, and that no slot beyond a text of `length` bytes was accessed.
    function _assertAccessedSlots(uint256 toolId, uint256 length, uint256 expected, string memory step) private {
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(harness));
        assertEq(writes.length, expected, string.concat("number of writes: ", step));
        for (uint256 i = 0; i < reads.length; i++) {
            if (reads[i] == COUNT_SLOT) continue;
            uint256 offset = uint256(reads[i]) - uint256(toolSlot(toolId, 0));
            assertLt(offset, 3 + _tailWords(length), string.concat("a slot after the text was accessed: ", step));
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
        assertEq(
            vm.load(address(harness), toolSlot(toolId, offset)), expected, "a slot differs from the documented layout"
        );
    }

    function _assertAccounts(uint256 toolId, address by, address predicate) private view {
        assertEq(harness.creator(toolId), by, "creator");
        assertEq(harness.predicate(toolId), predicate, "predicate");
        (address actualBy, address actualPredicate) = harness.accounts(toolId);
        assertEq(actualBy, by, "creator in accounts()");
        assertEq(actualPredicate, predicate, "predicate in accounts()");
    }
}
