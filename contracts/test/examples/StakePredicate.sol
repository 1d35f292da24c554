// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { BoundedCallLib } from "src/libraries/BoundedCallLib.sol";
import { RequirementListLib } from "src/libraries/RequirementListLib.sol";
import { ConfiguredPredicate } from "src/predicates/base/ConfiguredPredicate.sol";

/// @notice The only function of the untrusted vault that this predicate calls.
interface IVault {
    function stakeOf(address account) external view returns (uint256);
}

/// @notice The requirement's marker. Its ERC-165 id, the selector of `staked()`, is the `kind`.
/// @dev data = abi.encode(address vault, uint256 minStake)
interface IStaked {
    function staked() external;
}

/// @notice The worked example of contracts/README.md: grants access to accounts with enough stake in a vault.
contract StakePredicate is ConfiguredPredicate {
    struct Stake {
        address vault;
        uint96 minStake;
    }

    /// @dev Gas of the call to the vault: measured behind a beacon proxy (10,447), then rounded up.
    uint256 public constant STIPEND = 12_000;

    mapping(uint256 toolId => Stake) private _stakes;

    event StakeSet(uint256 indexed toolId, address indexed vault, uint96 minStake);

    error MinStakeIsZero();
    error VaultNoCode(address vault);

    constructor(IToolRegistry registry) ConfiguredPredicate(registry) { }

    function setStake(uint256 toolId, address vault, uint96 minStake) external {
        _requireToolCreator(toolId);
        // Zero would grant everyone access, and a stored zero means "not configured".
        if (minStake == 0) revert MinStakeIsZero();
        if (vault.code.length == 0) revert VaultNoCode(vault);
        _stakes[toolId] = Stake(vault, minStake);
        emit StakeSet(toolId, vault, minStake);
    }

    function hasAccess(uint256 toolId, address account, bytes calldata) external view returns (bool) {
        Stake memory required = _stakes[toolId];
        // Unknown: revert. The registry then returns (false, false), which is not a denial.
        if (required.minStake == 0) revert NotConfigured(toolId);
        // Denied: a failed signature recovery gives the zero address.
        if (account == address(0)) return false;
        // Unknown: the code is gone.
        if (required.vault.code.length == 0) revert CallFailed(required.vault);

        (bool ok, uint256 stake) =
            BoundedCallLib.tryStaticCallWord(required.vault, STIPEND, abi.encodeCall(IVault.stakeOf, (account)));
        // Unknown: a vault that reverts, burns its gas or returns malformed data has not denied access.
        if (!ok) revert CallFailed(required.vault);
        return stake >= required.minStake;
    }

    /// @notice Read by a composite, which gives this predicate at least this stipend.
    function gasNeeded(uint256) external pure returns (uint256) {
        return BoundedCallLib.gasRequired(STIPEND) + 7000;
    }

    function name() external pure returns (string memory) {
        return "StakePredicate";
    }

    function getRequirements(uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        Stake memory required = _stakes[toolId];
        if (required.minStake == 0) revert NotConfigured(toolId);
        requirements = RequirementListLib.single(
            type(IStaked).interfaceId, abi.encode(required.vault, required.minStake), "Stake in this vault"
        );
        logic = RequirementLogic.AND;
    }
}
