// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IAlwaysDenied, IReadsCallData } from "src/interfaces/IRequirementTypes.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { IPredicate } from "src/interfaces/predicates/IPredicate.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

/// @dev What holds for each of our predicates; its own tests inherit this.
abstract contract AccessPredicateTest is TokenPredicateTest {
    function _nameOfPredicate() internal pure virtual returns (string memory);

    function _readsCallData() internal pure virtual returns (bool) {
        return false;
    }

    function test_Name() external view {
        // B-02
        string memory name = IAccessPredicate(predicate).name();
        assertGt(bytes(name).length, 0, "the name is empty");
        assertEq(name, _nameOfPredicate(), "the name is not the contract's");
    }

    function test_Version() external view {
        assertEq(IPredicate(predicate).version(), "1.0", "version");
    }

    function test_SupportsInterface() external view {
        // B-04: with the gas ERC-165 allows.
        assertTrue(_claims(0x01ffc9a7), "ERC-165 is not claimed");
        assertTrue(_claims(0xbdf9dc18), "IAccessPredicate is not claimed");
        assertFalse(_claims(0xffffffff), "0xffffffff is claimed");
        assertFalse(_claims(0x00000000), "zero is claimed");
        assertFalse(_claims(0xa11ea958), "the interface without getRequirements is claimed");
        assertEq(_claims(type(IReadsCallData).interfaceId), _readsCallData(), "reading call data is misstated");
    }

    /// @dev The list that says nobody is let in.
    function assertRequiresTheImpossible() internal view {
        AccessRequirement[] memory expected = new AccessRequirement[](1);
        expected[0] = AccessRequirement({ kind: type(IAlwaysDenied).interfaceId, data: "", label: "Nobody is let in" });
        assertRequirements(expected, RequirementLogic.AND);
    }

    function _claims(bytes4 interfaceId) private view returns (bool) {
        return IERC165(predicate).supportsInterface{ gas: 30_000 }(interfaceId);
    }
}
