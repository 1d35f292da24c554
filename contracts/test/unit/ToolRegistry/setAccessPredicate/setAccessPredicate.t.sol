// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { BaseTest } from "test/BaseTest.sol";
import { DenyingPredicate } from "test/mocks/DenyingPredicate.sol";
import { ERC165NonPredicate } from "test/mocks/ERC165NonPredicate.sol";

contract SetAccessPredicateTest is BaseTest {
    uint256 private open;
    uint256 private gated;
    address private noPredicate;
    address private bad;

    function setUp() public override {
        super.setUp();
        open = _register(address(0));
        gated = _register(address(yesPredicate));
        noPredicate = address(new DenyingPredicate());
        bad = address(new ERC165NonPredicate());
    }

    /* CALLDATA */

    function test_RevertWhen_PredicateHasHighBits() external {
        for (uint256 bit = 160; bit < 256; bit++) {
            uint256 dirty = uint256(uint160(noPredicate)) | 2 ** bit;
            _assertRefused(creator, abi.encodePacked(registry.setAccessPredicate.selector, open, dirty), "");
            _assertRefused(creator, abi.encodePacked(registry.setAccessPredicate.selector, gated, 2 ** bit), "");
        }
    }

    function test_RevertWhen_CalldataIsTruncated() external {
        bytes memory whole = abi.encodeCall(registry.setAccessPredicate, (open, address(0x100)));
        for (uint256 length = 0; length < whole.length; length++) {
            bytes memory head = new bytes(length);
            for (uint256 i = 0; i < length; i++) {
                head[i] = whole[i];
            }
            _assertRefused(creator, head, "");
        }
    }

    function test_WhenBytesTrail() external {
        vm.recordLogs();
        bytes memory call = abi.encodeCall(registry.setAccessPredicate, (open, noPredicate));
        (bool success,) = _call(creator, bytes.concat(call, bytes32(type(uint256).max), hex"ff"));
        assertTrue(success, "untidy calldata were refused");
        assertOnlyLogIsPredicateUpdate(address(registry), open, noPredicate);
        _assertPredicate(open, noPredicate);
    }

    /* RULES */

    function test_RevertGiven_ToolDoesNotExist() external {
        // A-11
        uint256[2] memory ids = [0, gated + 1];
        for (uint256 i = 0; i < ids.length; i++) {
            bytes memory expected = abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, ids[i]);
            _assertRefused(creator, ids[i], noPredicate, expected);
            _assertRefused(creator, ids[i], address(0), expected);
            _assertRefused(stranger, ids[i], bad, expected);
        }
    }

    function test_RevertGiven_ToolIsDeregistered() external {
        // A-13, A-14
        _deregister(gated);
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, gated);
        _assertRefused(creator, gated, noPredicate, expected);
        _assertRefused(creator, gated, address(0), expected);
        _assertRefused(creator, gated, bad, expected);
        _assertRefused(stranger, gated, noPredicate, expected);
        _assertRefused(stranger, gated, bad, expected);
        assertOnlyTombstone(address(registry), gated);
    }

    function test_RevertWhen_CallerIsNotCreator() external {
        // A-10
        uint256[2] memory ids = [open, gated];
        address[3] memory predicates = [address(0), address(yesPredicate), bad];
        address[3] memory callers = [stranger, address(yesPredicate), address(registry)];
        for (uint256 i = 0; i < ids.length; i++) {
            for (uint256 j = 0; j < predicates.length; j++) {
                for (uint256 k = 0; k < callers.length; k++) {
                    bytes memory expected =
                        abi.encodeWithSelector(IToolRegistry.NotToolCreator.selector, ids[i], callers[k]);
                    _assertRefused(callers[k], ids[i], predicates[j], expected);
                }
            }
        }
    }

    /* NO CHANGE */

    function test_WhenPredicateIsTheSame() external {
        // A-17
        _assertNothingHappens(gated, address(yesPredicate));
    }

    function test_WhenOpenToolIsOpened() external {
        // A-17
        _assertNothingHappens(open, address(0));
    }

    function test_WhenPredicateIsTheSame_GivenItWentBad() external {
        // A-17, A-18
        vm.etch(address(yesPredicate), bad.code);
        _assertNothingHappens(gated, address(yesPredicate));

        bytes memory expected =
            abi.encodeWithSelector(IToolRegistry.InvalidAccessPredicate.selector, address(yesPredicate));
        _assertRefused(creator, open, address(yesPredicate), expected);
    }

    /* CHANGES */

    function test_WhenOpenToolIsGated() external {
        // A-16
        vm.record();
        _assertChange(open, noPredicate);
        bytes32[] memory slots = new bytes32[](2);
        slots[0] = toolSlot(open, 0);
        slots[1] = toolSlot(open, 1);
        assertWrites(address(registry), slots);
        assertAccess(registry, open, agent, "", true, false);
    }

    function test_WhenGateIsChanged() external {
        // A-16
        vm.record();
        _assertChange(gated, noPredicate);
        bytes32[] memory slots = new bytes32[](1);
        slots[0] = toolSlot(gated, 0);
        assertWrites(address(registry), slots);
        assertAccess(registry, gated, agent, "", true, false);
    }

    function test_WhenGatedToolIsOpened() external {
        // A-16
        vm.prank(creator);
        registry.setAccessPredicate(gated, noPredicate);
        assertAccess(registry, gated, agent, "", true, false);

        vm.record();
        _assertChange(gated, address(0));
        bytes32[] memory slots = new bytes32[](2);
        slots[0] = toolSlot(gated, 0);
        slots[1] = toolSlot(gated, 1);
        assertWrites(address(registry), slots);
        assertEq(usedSlots(address(registry), gated), 3, "slots of an open tool");
        assertAccess(registry, gated, agent, "", true, true);
    }

    function test_WhenToolIsGatedAndOpenedAgain() external {
        // A-02, A-16
        for (uint256 round = 0; round < 3; round++) {
            _assertChange(open, noPredicate);
            _assertChange(open, address(yesPredicate));
            _assertChange(open, address(0));
            assertEq(usedSlots(address(registry), open), 3, "slots of an open tool");
        }
        _assertChange(open, noPredicate);
        _deregister(open);
        assertOnlyTombstone(address(registry), open);
    }

    function test_WhenToolHasALongURI() external {
        string[4] memory uris = ["x", _textOf(41), _textOf(2048), _wellKnown(_textOf(255), "")];
        for (uint256 i = 0; i < uris.length; i++) {
            uint256 toolId = _register(uris[i], address(0));
            address[3] memory predicates = [noPredicate, address(yesPredicate), address(0)];
            for (uint256 j = 0; j < predicates.length; j++) {
                vm.prank(creator);
                registry.setAccessPredicate(toolId, predicates[j]);
                assertConfig(registry, toolId, _config(creator, uris[i], MANIFEST_HASH, predicates[j]));
            }
        }
    }

    /* SUPPORT */

    function _assertPredicate(uint256 toolId, address predicate) private view {
        assertConfig(registry, toolId, _config(creator, METADATA_URI, MANIFEST_HASH, predicate));
    }

    function _assertChange(uint256 toolId, address predicate) private {
        vm.recordLogs();
        (bool success, bytes memory answer) =
            _call(creator, abi.encodeCall(registry.setAccessPredicate, (toolId, predicate)));
        assertTrue(success, "the creator may not set a predicate");
        assertEq(answer.length, 0, "something was returned");
        assertOnlyLogIsPredicateUpdate(address(registry), toolId, predicate);
        _assertPredicate(toolId, predicate);
    }

    function _assertNothingHappens(uint256 toolId, address predicate) private {
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

    function _assertRefused(address caller, uint256 toolId, address predicate, bytes memory expected) private {
        _assertRefused(caller, abi.encodeCall(registry.setAccessPredicate, (toolId, predicate)), expected);
    }

    function _assertRefused(address caller, bytes memory data, bytes memory expected) private {
        vm.recordLogs();
        vm.record();
        (bool success, bytes memory returndata) = _call(caller, data);
        assertRevert(success, returndata, expected);
        assertNoWrites(address(registry));
        assertNoLogs();
    }
}
