// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC165 } from "src/interfaces/external/IERC165.sol";

enum Behavior {
    Return, // `length` bytes, the first 32 of them `value`
    Revert, // the same bytes, as revert data
    BurnGas, // consume all gas
    InvalidOpcode,
    WriteStorage, // fails in a static call
    CallBack, // static call to the caller with the same calldata; pass on the result
    CheckGas, // return 1 if the gas received is at most `value` and at least `value` - 499
    HashCalldata // return the lowest bit of the calldata's hash
}

struct Script {
    Behavior behavior;
    uint32 length;
    uint256 value;
}

/// @notice A predicate, or any other called contract, with a separate behavior per key. The key is an interface id for
///         `supportsInterface` and the selector for every other function.
contract ScriptedPredicate {
    mapping(bytes4 key => Script) private _scripts;
    uint256 private _written;

    function setScript(bytes4 key, Script calldata script) external {
        _scripts[key] = script;
    }

    function behaviorOf(bytes4 key) external view returns (Behavior) {
        return _scripts[key].behavior;
    }

    fallback() external {
        uint256 gasAtStart = gasleft();
        bytes4 key = msg.sig == IERC165.supportsInterface.selector ? bytes4(msg.data[4:]) : msg.sig;
        Script memory script = _scripts[key];

        if (script.behavior == Behavior.Revert) _end(false, script.length, script.value);
        if (script.behavior == Behavior.BurnGas) while (true) { }
        if (script.behavior == Behavior.InvalidOpcode) assembly ("memory-safe") { invalid() }
        if (script.behavior == Behavior.WriteStorage) _written = 1;
        if (script.behavior == Behavior.CallBack) {
            (bool success, bytes memory returndata) = msg.sender.staticcall(msg.data);
            // forge-lint: disable-next-line(unsafe-typecast)
            _end(success, returndata.length, uint256(bytes32(returndata)));
        }
        if (script.behavior == Behavior.CheckGas) {
            script.value = gasAtStart <= script.value && gasAtStart + 500 > script.value ? 1 : 0;
        }
        if (script.behavior == Behavior.HashCalldata) script.value = uint256(keccak256(msg.data)) & 1;
        _end(true, script.length, script.value);
    }

    function _end(bool success, uint256 length, uint256 value) private pure {
        assembly ("memory-safe") {
            let ptr := mload(0x40)
            mstore(ptr, value)
            if iszero(success) { revert(ptr, length) }
            return(ptr, length)
        }
    }
}
