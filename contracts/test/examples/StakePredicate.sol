// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { BoundedCallLib } from "src/libraries/BoundedCallLib.sol";
import { RequirementListLib } from "src/libraries/RequirementListLib.sol";
import { ConfiguredPredicate } from "src/predicates/base/ConfiguredPredicate.sol";

/// @notice What this predicate asks of a stranger's contract: the one function it needs.
interface IVault {
    function stakeOf(address account) external view returns (uint256);
}

/// @notice The requirement's marker. Its ERC-165 id, the selector of `staked()`, is the `kind`.
/// @dev data = abi.encode(address vault, uint256 minStake)
interface IStaked {
    function staked() external;
}

/// @notice The worked example of contracts/README.md: lets in who has staked enough in a vault.
contract StakePredicate is ConfiguredPredicate {
    struct Stake {
        address vault;
        uint96 minStake;
    }

    /// @dev What the vault gets for its answer, whatever the caller sends: measured, then rounded up.
    uint256 public constant GAS_PER_QUESTION = 10_000;

    mapping(uint256 toolId => Stake) private _stakes;

    event StakeSet(uint256 indexed toolId, address indexed vault, uint96 minStake);

    error MinStakeIsZero();

    constructor(IToolRegistry registry) ConfiguredPredicate(registry) { }

    function setStake(uint256 toolId, address vault, uint96 minStake) external {
        _requireToolCreator(toolId);
        // Zero would let everyone in; and a stored zero means "never set up".
        if (minStake == 0) revert MinStakeIsZero();
        _stakes[toolId] = Stake(vault, minStake);
        emit StakeSet(toolId, vault, minStake);
    }

    function hasAccess(uint256 toolId, address account, bytes calldata) external view returns (bool) {
        Stake memory asked = _stakes[toolId];
        // Cannot tell: revert. The registry reports (false, false), not a denial.
        if (asked.minStake == 0) revert NotConfigured(toolId);
        // No: there is nothing to have a stake in.
        if (asked.vault.code.length == 0) return false;

        (bool answered, uint256 stake) =
            BoundedCallLib.tryStaticCallWord(asked.vault, GAS_PER_QUESTION, abi.encodeCall(IVault.stakeOf, (account)));
        // Cannot tell again: a vault that reverts, burns its gas or returns nonsense has not said no.
        if (!answered) revert NoAnswer(asked.vault);
        return stake >= asked.minStake;
    }

    function name() external pure returns (string memory) {
        return "StakePredicate";
    }

    function getRequirements(uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        Stake memory asked = _stakes[toolId];
        if (asked.minStake == 0) revert NotConfigured(toolId);
        requirements = RequirementListLib.single(
            type(IStaked).interfaceId, abi.encode(asked.vault, asked.minStake), "Stake in this vault"
        );
        logic = RequirementLogic.AND;
    }
}
