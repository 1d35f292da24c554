// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { IERC20Balance } from "../interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { IERC20 } from "../interfaces/external/IERC20.sol";
import { IERC20BalancePredicate } from "../interfaces/predicates/IERC20BalancePredicate.sol";
import { BoundedCallLib } from "../libraries/BoundedCallLib.sol";
import { RequirementListLib } from "../libraries/RequirementListLib.sol";
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";

/// @title ERC20BalancePredicate
/// @notice See `IERC20BalancePredicate`.
contract ERC20BalancePredicate is ConfiguredPredicate, IERC20BalancePredicate {
    /// @dev Two slots. `minBalance` is not zero if `token` is not zero.
    struct Balance {
        address token;
        bool isSet;
        uint256 minBalance;
    }

    /// @inheritdoc IERC20BalancePredicate
    uint256 public constant GAS_PER_QUESTION = 30_000;

    mapping(uint256 toolId => Balance) private _balances;

    /// @param registry The registry whose tools can be configured.
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
        Balance memory config = _balances[toolId];
        return (config.token, config.minBalance);
    }

    /// @inheritdoc IAccessPredicate
    function hasAccess(uint256 toolId, address account, bytes calldata) external view returns (bool) {
        Balance memory config = _requireBalance(toolId);
        if (config.token.code.length == 0) return false;
        (bool ok, uint256 balance) = BoundedCallLib.tryStaticCallWord(
            config.token, GAS_PER_QUESTION, abi.encodeCall(IERC20.balanceOf, (account))
        );
        if (!ok) revert NoAnswer(config.token);
        return balance >= config.minBalance;
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
        Balance memory config = _requireBalance(toolId);
        if (config.token == address(0)) return (_alwaysDenied(), logic);
        requirements = RequirementListLib.single(
            type(IERC20Balance).interfaceId,
            abi.encode(config.token, config.minBalance),
            "Hold at least this amount of this token"
        );
    }

    function _requireBalance(uint256 toolId) private view returns (Balance memory config) {
        config = _balances[toolId];
        if (!config.isSet) revert NotConfigured(toolId);
    }
}
