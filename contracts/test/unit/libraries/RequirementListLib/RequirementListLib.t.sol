// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { INegatedRequirement, INestedRequirements } from "src/interfaces/IRequirementTypes.sol";
import { RequirementListLib } from "src/libraries/RequirementListLib.sol";
import { BaseTest } from "test/BaseTest.sol";
import { RequirementListLibHarness } from "test/support/RequirementListLibHarness.sol";

contract RequirementListLibTest is BaseTest {
    RequirementListLibHarness private harness;

    function setUp() public override {
        super.setUp();
        harness = new RequirementListLibHarness();
    }

    function test_RequireWithinLimits() external view {
        harness.requireWithinLimits(_entries(0, 0, 0));
        harness.requireWithinLimits(_entries(32, 32, 10));
        harness.requireWithinLimits(_entries(1, 4096, 256));
        harness.requireWithinLimits(_entries(16, 256, 256));
    }

    function test_RevertWhen_LimitIsExceeded() external {
        vm.expectRevert(RequirementListLib.RequirementsTooLarge.selector);
        harness.requireWithinLimits(_entries(33, 0, 0));
        vm.expectRevert(RequirementListLib.RequirementsTooLarge.selector);
        harness.requireWithinLimits(_entries(17, 256, 256));
        AccessRequirement[] memory oneByteMore = _entries(16, 256, 256);
        oneByteMore[15].data = new bytes(257);
        vm.expectRevert(RequirementListLib.RequirementsTooLarge.selector);
        harness.requireWithinLimits(oneByteMore);
        for (uint256 i = 0; i < 3; i++) {
            AccessRequirement[] memory list = _entries(3, 100, 256);
            list[i].data = new bytes(4097);
            vm.expectRevert(RequirementListLib.RequirementsTooLarge.selector);
            harness.requireWithinLimits(list);
            list[i].data = "";
            list[i].label = _textOf(257);
            vm.expectRevert(RequirementListLib.RequirementsTooLarge.selector);
            harness.requireWithinLimits(list);
        }
    }

    function test_Unknown() external view {
        // B-08
        AccessRequirement[] memory list = harness.unknown();
        assertEq(list.length, 1, "entries");
        assertEq(list[0].kind, bytes4(0), "kind");
        assertEq(list[0].data, "", "data");
        assertEq(list[0].label, "unknown", "label");
    }

    function test_InlineOrNest_Inlines() external view {
        for (uint8 i = 0; i < 4; i++) {
            AccessRequirement[] memory single = _entries(1, 64, 5);
            assertEq(abi.encode(_inlineOrNest(single, i % 2, i / 2)), abi.encode(single), "a single entry was modified");
        }
        for (uint8 logic = 0; logic < 2; logic++) {
            AccessRequirement[] memory several = _entries(32, 64, 5);
            assertEq(abi.encode(_inlineOrNest(several, logic, logic)), abi.encode(several), "entries were modified");
        }
    }

    function test_InlineOrNest_Nests() external view {
        for (uint8 inner = 0; inner < 2; inner++) {
            _assertNested(_inlineOrNest(_entries(2, 64, 5), inner, 1 - inner), _entries(2, 64, 5), inner);
            _assertNested(_inlineOrNest(_entries(0, 0, 0), inner, 1 - inner), _entries(0, 0, 0), inner);
            _assertNested(_inlineOrNest(_entries(0, 0, 0), inner, inner), _entries(0, 0, 0), inner);
        }
    }

    function test_InlineOrNest_WhenTooLong() external view {
        uint256 fixedBytes = abi.encode(uint8(0), _entries(2, 0, 0)).length;
        uint256 dataLength = (4096 - fixedBytes) / 64 * 32;
        AccessRequirement[] memory fits = _entries(2, dataLength, 0);
        assertLe(abi.encode(uint8(0), fits).length, 4096, "the test case is too long");
        _assertNested(_inlineOrNest(fits, 0, 1), fits, 0);
        _assertUnknownRequirement(_inlineOrNest(_entries(2, dataLength + 32, 0), 0, 1));
        AccessRequirement[] memory justFits = _entries(2, 0, 0);
        justFits[0].data = bytes(_textOf(4096 - fixedBytes));
        assertEq(abi.encode(uint8(0), justFits).length, 4096, "the test case is shorter than the limit");
        _assertNested(_inlineOrNest(justFits, 0, 1), justFits, 0);
    }

    function test_Negate_WhenOne() external view {
        for (uint8 logic = 0; logic < 2; logic++) {
            AccessRequirement[] memory single = _entries(1, 64, 5);
            AccessRequirement[] memory negated = harness.negate(single, RequirementLogic(logic));
            assertEq(negated.length, 1, "entries");
            assertEq(negated[0].kind, type(INegatedRequirement).interfaceId, "kind");
            assertEq(negated[0].data, abi.encode(single[0].kind, single[0].data), "data");
            assertEq(negated[0].label, string.concat("Not: ", single[0].label), "label");
        }
        assertEq(bytes(harness.negate(_entries(1, 0, 251), RequirementLogic.AND)[0].label).length, 256, "longest");
        assertEq(harness.negate(_entries(1, 0, 252), RequirementLogic.AND)[0].label, "Not", "overlong label");
    }

    function test_Negate_WhenSeveral() external view {
        for (uint8 logic = 0; logic < 2; logic++) {
            for (uint256 count = 0; count < 4; count++) {
                if (count == 1) continue;
                AccessRequirement[] memory list = _entries(count, 64, 5);
                AccessRequirement[] memory negated = harness.negate(list, RequirementLogic(logic));
                assertEq(negated.length, 1, "entries");
                assertEq(negated[0].kind, type(INegatedRequirement).interfaceId, "kind");
                bytes memory nested = abi.encode(logic, list);
                assertEq(negated[0].data, abi.encode(type(INestedRequirements).interfaceId, nested), "data");
            }
        }
    }

    function test_Negate_WhenUnknown() external view {
        _assertUnknownRequirement(harness.negate(harness.unknown(), RequirementLogic.AND));
        AccessRequirement[] memory zero = _entries(1, 64, 5);
        zero[0].kind = 0;
        _assertUnknownRequirement(harness.negate(zero, RequirementLogic.OR));
        _assertUnknownRequirement(harness.negate(_entries(32, 64, 5), RequirementLogic.OR));
        // kind, offset and length precede the data.
        assertEq(harness.negate(_entries(1, 4000, 5), RequirementLogic.OR)[0].data.length, 4096, "just fits");
        _assertUnknownRequirement(harness.negate(_entries(1, 4001, 5), RequirementLogic.OR));
    }

    function test_Concat() external view {
        AccessRequirement[][] memory parts = new AccessRequirement[][](4);
        parts[1] = _entries(2, 32, 1);
        parts[3] = _entries(1, 64, 2);
        AccessRequirement[] memory all = harness.concat(parts);
        assertEq(all.length, 3, "entries");
        assertEq(abi.encode(all[0], all[1]), abi.encode(parts[1][0], parts[1][1]), "the first part");
        assertEq(abi.encode(all[2]), abi.encode(parts[3][0]), "the last part");
        parts[0] = _entries(3, 96, 3);
        all = harness.concat(parts);
        assertEq(all.length, 6, "entries");
        assertEq(abi.encode(all[0], all[2]), abi.encode(parts[0][0], parts[0][2]), "the new first part");
        assertEq(abi.encode(all[3], all[5]), abi.encode(parts[1][0], parts[3][0]), "the following parts");
        assertEq(harness.concat(new AccessRequirement[][](0)).length, 0, "no parts");
    }

    function _entries(uint256 count, uint256 dataBytes, uint256 labelBytes)
        private
        pure
        returns (AccessRequirement[] memory list)
    {
        list = new AccessRequirement[](count);
        for (uint256 i = 0; i < count; i++) {
            list[i] = AccessRequirement(bytes4(uint32(i + 1)), bytes(_textOf(dataBytes)), _textOf(labelBytes));
        }
    }

    function _inlineOrNest(AccessRequirement[] memory list, uint8 inner, uint8 outer)
        private
        view
        returns (AccessRequirement[] memory)
    {
        return harness.inlineOrNest(list, RequirementLogic(inner), RequirementLogic(outer));
    }

    function _assertNested(AccessRequirement[] memory actual, AccessRequirement[] memory list, uint8 logic)
        private
        pure
    {
        assertEq(actual.length, 1, "entries");
        assertEq(actual[0].kind, type(INestedRequirements).interfaceId, "kind");
        assertEq(actual[0].data, abi.encode(logic, list), "data");
        assertEq(actual[0].label, logic == 0 ? "All of these" : "Any of these", "label");
    }

    function _assertUnknownRequirement(AccessRequirement[] memory actual) private view {
        assertEq(abi.encode(actual), abi.encode(harness.unknown()), "not the unknown entry");
    }
}
