// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { IERC20Balance } from "../interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { IERC20 } from "../interfaces/external/IERC20.sol";
import { IERC20BalancePredicate } from "../interfaces/predicates/IERC20BalancePredicate.sol";
import { BoundedCallLib } from "../libraries/BoundedCallLib.sol";
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";

/// @title ERC20BalancePredicate
/// @dev The manual is `IERC20BalancePredicate`.
contract ERC20BalancePredicate is ConfiguredPredicate, IERC20BalancePredicate {
    /// @dev Two slots. The amount is never zero where there is a token.
    struct Balance {
        address token;
        bool isSet;
        uint256 minBalance;
    }

    /// @inheritdoc IERC20BalancePredicate
    uint256 public constant GAS_PER_QUESTION = 30_000;

    mapping(uint256 toolId => Balance) private _balances;

    /// @param registry The registry whose tools this predicate serves.
    constructor(IToolRegistry registry) ConfiguredPredicate(registry) { }

    /// @inheritdoc IERC20BalancePredicate
    function configureToolERC20(uint256 toolId, address token, uint256 minBalance) external {
        _requireToolCreator(toolId);
        if (token != address(0) && minBalance == 0) revert MinBalanceIsZero();
        _balances[toolId] = Balance({ token: token, isSet: true, minBalance: minBalance });
        emit ToolERC20Configured(toolId, token, minBalance);
    }

    /// @inheritdoc IERC20BalancePredicate
    function getToolERC20Config(uint256 toolId) external view returns (address token, uint256 minBalance) {
        Balance memory asked = _balances[toolId];
        return (asked.token, asked.minBalance);
    }

    /// @inheritdoc IAccessPredicate
    function hasAccess(uint256 toolId, address account, bytes calldata) external view returns (bool) {
        Balance memory asked = _requireBalance(toolId);
        if (asked.token.code.length == 0) return false;
        (bool answered, uint256 balance) =
            BoundedCallLib.askWord(asked.token, GAS_PER_QUESTION, abi.encodeCall(IERC20.balanceOf, (account)));
        if (!answered) revert NoAnswer(asked.token);
        return balance >= asked.minBalance;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "ERC20BalancePredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        Balance memory asked = _requireBalance(toolId);
        if (asked.token == address(0)) return (_nobody(), logic);
        requirements = _only(
            type(IERC20Balance).interfaceId,
            abi.encode(asked.token, asked.minBalance),
            "Hold at least this amount of this token"
        );
    }

    function _requireBalance(uint256 toolId) private view returns (Balance memory asked) {
        asked = _balances[toolId];
        if (!asked.isSet) revert NotConfigured(toolId);
    }
}
