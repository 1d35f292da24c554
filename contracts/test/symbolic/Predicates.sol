// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { Answer } from "test/symbolic/AnyContract.sol";
import { SymbolicTest } from "test/symbolic/SymbolicTest.sol";

contract Predicates is SymbolicTest {
    function check_WhoClaimsERC165MustClaimToBeAPredicate(uint64 toolId, address caller) public {
        uint256 header = _load(_slot(toolId, 0));
        vm.assume(header & LIVE != 0 && caller == _creator(toolId) && _predicate(toolId) != address(anyone));
        bool claims = _saysYes(anyone.answerTo(type(IERC165).interfaceId));
        bool delivers = _saysYes(anyone.answerTo(type(IAccessPredicate).interfaceId));

        (bool success, bytes memory answer) =
            _callAs(caller, abi.encodeCall(registry.setAccessPredicate, (toolId, address(anyone))));
        if (success) {
            assert(!claims || delivers);
        } else {
            // Whatever the answers, too little gas may be left to ask.
            bytes memory refusal =
                abi.encodeWithSelector(IToolRegistry.InvalidAccessPredicate.selector, address(anyone));
            assert(keccak256(answer) == keccak256(refusal));
        }
    }

    function check_AddressesWithoutCodeAreNotAsked(uint64 toolId, address caller, address predicate) public {
        vm.assume(_load(_slot(toolId, 0)) & LIVE != 0 && caller == _creator(toolId));
        vm.assume(predicate.code.length == 0);
        (bool success,) = _callAs(caller, abi.encodeCall(registry.setAccessPredicate, (toolId, predicate)));
        assert(success);
    }

    function _saysYes(Answer memory answer) private pure returns (bool) {
        bool isShort = answer.size == 0 || answer.size == 1 || answer.size == 31;
        return answer.succeeds && !isShort && answer.first == 1;
    }
}
