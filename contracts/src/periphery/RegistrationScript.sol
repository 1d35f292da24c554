// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { IRegistrationScript } from "../interfaces/periphery/IRegistrationScript.sol";
import { RawLib } from "../libraries/RawLib.sol";

/// @title RegistrationScript
/// @notice See `IRegistrationScript`.
contract RegistrationScript is IRegistrationScript {
    address private immutable SELF = address(this);

    /// @inheritdoc IRegistrationScript
    function registerTool(
        IToolRegistry registry,
        string calldata metadataURI,
        bytes32 manifestHash,
        address accessPredicate,
        ConfigurationCall[] calldata calls
    ) external returns (uint256 toolId) {
        _requireAccount();
        toolId = registry.registerTool(metadataURI, manifestHash, accessPredicate);
        for (uint256 i = 0; i < calls.length; i++) {
            bytes calldata data = calls[i].data;
            if (data.length < 36) revert NoToolId(i);
            _call(calls[i].target, bytes.concat(bytes4(data), bytes32(toolId), data[36:]));
        }
    }

    /// @dev With `delegatecall`, the account that runs this script has authorized the call. With EIP-7702, anyone can
    ///      call the account, so only the account itself is accepted.
    function _requireAccount() private view {
        if (address(this) == SELF) revert NotDelegated();
        bool isDelegate = address(this).codehash == keccak256(bytes.concat(hex"ef0100", bytes20(SELF)));
        if (isDelegate && msg.sender != address(this)) revert NotTheAccount(msg.sender);
    }

    /// @dev Reverts with the error of a failed call. A call to an account without code fails.
    function _call(address target, bytes memory data) private {
        if (target.code.length == 0) revert NoCode(target);
        (bool ok, bytes memory result) = target.call(data);
        if (!ok) RawLib.revertWith(result);
    }
}
