// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { CallResult } from "test/symbolic/AnyContract.sol";
import { SymbolicTest } from "test/symbolic/SymbolicTest.sol";

contract Predicates is SymbolicTest {
    function check_ERC165ContractsMustReportThePredicateInterface(uint64 toolId, address caller) public {
        uint256 header = _load(_slot(toolId, 0));
        vm.assume(header & LIVE != 0 && caller == _creator(toolId) && _predicate(toolId) != address(anyContract));
        bool supportsERC165 = _isTrue(anyContract.resultOf(type(IERC165).interfaceId));
        bool supportsPredicate = _isTrue(anyContract.resultOf(type(IAccessPredicate).interfaceId));

        (bool success, bytes memory returndata) =
            _callAs(caller, abi.encodeCall(registry.setAccessPredicate, (toolId, address(anyContract))));
        if (success) {
            assert(!supportsERC165 || supportsPredicate);
        } else {
            // The call can also revert because too little gas is left for the queries.
            bytes memory expected =
                abi.encodeWithSelector(IToolRegistry.InvalidAccessPredicate.selector, address(anyContract));
            assert(keccak256(returndata) == keccak256(expected));
        }
    }

    function check_AddressesWithoutCodeAreAccepted(uint64 toolId, address caller, address predicate) public {
        vm.assume(_load(_slot(toolId, 0)) & LIVE != 0 && caller == _creator(toolId));
        vm.assume(predicate.code.length == 0);
        (bool success,) = _callAs(caller, abi.encodeCall(registry.setAccessPredicate, (toolId, predicate)));
        assert(success);
    }

    function _isTrue(CallResult memory result) private pure returns (bool) {
        bool isShort = result.size == 0 || result.size == 1 || result.size == 31;
        return result.succeeds && !isShort && result.first == 1;
    }
}
