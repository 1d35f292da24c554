// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { BaseTest } from "test/BaseTest.sol";
import { DenyingPredicate } from "test/mocks/DenyingPredicate.sol";
import { ERC165NonPredicate } from "test/mocks/ERC165NonPredicate.sol";

contract SetAccessPredicateTest is BaseTest {
    uint256 private open;
    uint256 private gated;
    address private denyingPredicate;
    address private nonPredicate;

    function setUp() public override {
        super.setUp();
        open = _register(address(0));
        gated = _register(address(grantingPredicate));
        denyingPredicate = address(new DenyingPredicate());
        nonPredicate = address(new ERC165NonPredicate());
    }

    /* CALLDATA */

    function test_RevertWhen_PredicateHasHighBits() external {
        for (uint256 bit = 160; bit < 256; bit++) {
            uint256 dirty = uint256(uint160(denyingPredicate)) | 2 ** bit;
            _assertReverts(creator, abi.encodePacked(registry.setAccessPredicate.selector, open, dirty), "");
            _assertReverts(creator, abi.encodePacked(registry.setAccessPredicate.selector, gated, 2 ** bit), "");
        }
    }

    function test_RevertWhen_CalldataIsTruncated() external {
        _assertRevertsWhenTruncated(creator, abi.encodeCall(registry.setAccessPredicate, (open, address(0x100))));
    }

    function test_WhenCalldataHasTrailingBytes() external {
        vm.recordLogs();
        bytes memory call = abi.encodeCall(registry.setAccessPredicate, (open, denyingPredicate));
        (bool success,) = _call(creator, bytes.concat(call, bytes32(type(uint256).max), hex"ff"));
        assertTrue(success, "non-canonical calldata was rejected");
        assertOnlyLogIsPredicateUpdate(address(registry), open, denyingPredicate);
        _assertPredicate(open, denyingPredicate);
    }

    /* VALIDATION */

    function test_RevertGiven_ToolDoesNotExist() external {
        // A-11
        uint256[2] memory ids = [0, gated + 1];
        for (uint256 i = 0; i < ids.length; i++) {
            bytes memory expected = abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, ids[i]);
            _assertReverts(creator, ids[i], denyingPredicate, expected);
            _assertReverts(creator, ids[i], address(0), expected);
            _assertReverts(eve, ids[i], nonPredicate, expected);
        }
    }

    function test_RevertGiven_ToolIsDeregistered() external {
        // A-13, A-14
        _deregister(gated);
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, gated);
        _assertReverts(creator, gated, denyingPredicate, expected);
        _assertReverts(creator, gated, address(0), expected);
        _assertReverts(creator, gated, nonPredicate, expected);
        _assertReverts(eve, gated, denyingPredicate, expected);
        _assertReverts(eve, gated, nonPredicate, expected);
        assertOnlyTombstone(address(registry), gated);
    }

    function test_RevertWhen_CallerIsNotCreator() external {
        // A-10
        uint256[2] memory ids = [open, gated];
        address[3] memory predicates = [address(0), address(grantingPredicate), nonPredicate];
        address[3] memory callers = [eve, address(grantingPredicate), address(registry)];
        for (uint256 i = 0; i < ids.length; i++) {
            for (uint256 j = 0; j < predicates.length; j++) {
                for (uint256 k = 0; k < callers.length; k++) {
                    bytes memory expected =
                        abi.encodeWithSelector(IToolRegistry.NotToolCreator.selector, ids[i], callers[k]);
                    _assertReverts(callers[k], ids[i], predicates[j], expected);
                }
            }
        }
    }

    /* NO CHANGE */

    function test_WhenPredicateIsUnchanged() external {
        // A-17
        _assertNoEffect(gated, address(grantingPredicate));
    }

    function test_WhenOpenToolStaysOpen() external {
        // A-17
        _assertNoEffect(open, address(0));
    }

    function test_WhenPredicateIsUnchanged_GivenItBecameInvalid() external {
        // A-17, A-18
        vm.etch(address(grantingPredicate), nonPredicate.code);
        _assertNoEffect(gated, address(grantingPredicate));

        bytes memory expected =
            abi.encodeWithSelector(IToolRegistry.InvalidAccessPredicate.selector, address(grantingPredicate));
        _assertReverts(creator, open, address(grantingPredicate), expected);
    }

    /* CHANGES */

    function test_WhenOpenToolIsGated() external {
        // A-16
        vm.record();
        _assertChange(open, denyingPredicate);
        bytes32[] memory slots = new bytes32[](2);
        slots[0] = toolSlot(open, 0);
        slots[1] = toolSlot(open, 1);
        assertWrites(address(registry), slots);
        assertAccess(registry, open, agent, "", true, false);
    }

    function test_WhenPredicateIsReplaced() external {
        // A-16
        vm.record();
        _assertChange(gated, denyingPredicate);
        bytes32[] memory slots = new bytes32[](1);
        slots[0] = toolSlot(gated, 0);
        assertWrites(address(registry), slots);
        assertAccess(registry, gated, agent, "", true, false);
    }

    function test_WhenGatedToolIsOpened() external {
        // A-16
        vm.prank(creator);
        registry.setAccessPredicate(gated, denyingPredicate);
        assertAccess(registry, gated, agent, "", true, false);

        vm.record();
        _assertChange(gated, address(0));
        bytes32[] memory slots = new bytes32[](2);
        slots[0] = toolSlot(gated, 0);
        slots[1] = toolSlot(gated, 1);
        assertWrites(address(registry), slots);
        assertEq(usedSlots(address(registry), gated), 3, "number of slots of an open tool");
        assertAccess(registry, gated, agent, "", true, true);
    }

    function test_WhenToolIsGatedAndOpenedAgain() external {
        // A-02, A-16
        for (uint256 round = 0; round < 3; round++) {
            _assertChange(open, denyingPredicate);
            _assertChange(open, address(grantingPredicate));
            _assertChange(open, address(0));
            assertEq(usedSlots(address(registry), open), 3, "number of slots of an open tool");
        }
        _assertChange(open, denyingPredicate);
        _deregister(open);
        assertOnlyTombstone(address(registry), open);
    }

    function test_WhenToolHasLongURI() external {
        string[4] memory uris = ["x", _textOf(41), _textOf(2048), _wellKnown(_textOf(255), "")];
        for (uint256 i = 0; i < uris.length; i++) {
            uint256 toolId = _register(uris[i], address(0));
            address[3] memory predicates = [denyingPredicate, address(grantingPredicate), address(0)];
            for (uint256 j = 0; j < predicates.length; j++) {
                vm.prank(creator);
                registry.setAccessPredicate(toolId, predicates[j]);
                assertConfig(registry, toolId, _config(creator, uris[i], MANIFEST_HASH, predicates[j]));
            }
        }
    }

    /* HELPERS */

    function _assertPredicate(uint256 toolId, address predicate) private view {
        assertConfig(registry, toolId, _config(creator, METADATA_URI, MANIFEST_HASH, predicate));
    }

    function _assertChange(uint256 toolId, address predicate) private {
        vm.recordLogs();
        (bool success, bytes memory returndata) =
            _call(creator, abi.encodeCall(registry.setAccessPredicate, (toolId, predicate)));
        assertTrue(success, "the creator could not set a predicate");
        assertEq(returndata.length, 0, "unexpected return data");
        assertOnlyLogIsPredicateUpdate(address(registry), toolId, predicate);
        _assertPredicate(toolId, predicate);
    }

    function _assertNoEffect(uint256 toolId, address predicate) private {
        vm.recordLogs();
        vm.record();
        vm.startStateDiffRecording();
        vm.prank(creator);
        registry.setAccessPredicate(toolId, predicate);
        assertOnlyStaticProbes(address(registry), predicate, 0);
        assertNoWrites(address(registry));
        assertNoLogs();
        _assertPredicate(toolId, predicate);
    }

    function _assertReverts(address caller, uint256 toolId, address predicate, bytes memory expected) private {
        _assertReverts(caller, abi.encodeCall(registry.setAccessPredicate, (toolId, predicate)), expected);
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
