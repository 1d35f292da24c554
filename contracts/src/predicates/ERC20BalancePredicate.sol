// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { IERC20Balance } from "../interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { IERC20 } from "../interfaces/external/IERC20.sol";
import { IERC20BalancePredicate } from "../interfaces/predicates/IERC20BalancePredicate.sol";
import { PackedConfig, PackedConfigLib } from "../libraries/PackedConfigLib.sol";
import { RequirementListLib } from "../libraries/RequirementListLib.sol";
import { StipendLib } from "../libraries/StipendLib.sol";
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";
import { StipendPredicate } from "./base/StipendPredicate.sol";

/// @title ERC20BalancePredicate
/// @notice See `IERC20BalancePredicate`.
/// @dev `_configs`: the target is the token.
contract ERC20BalancePredicate is StipendPredicate, IERC20BalancePredicate {
    mapping(uint256 toolId => uint256) private _minBalances;

    /// @param registry The registry whose tools can be configured.
    constructor(IToolRegistry registry) ConfiguredPredicate(registry) { }

    /// @inheritdoc IERC20BalancePredicate
    function configureToolERC20(uint256 toolId, address token, uint256 minBalance) external {
        _configure(toolId, token, minBalance, 0);
    }

    /// @inheritdoc IERC20BalancePredicate
    function configureToolERC20(uint256 toolId, address token, uint256 minBalance, uint256 stipend) external {
        _configure(toolId, token, minBalance, stipend);
        emit StipendSet(toolId, stipend);
    }

    /// @inheritdoc IERC20BalancePredicate
    function getToolERC20Config(uint256 toolId) external view returns (address token, uint256 minBalance) {
        return (_configs[toolId].target(), _minBalances[toolId]);
    }

    /// @inheritdoc IAccessPredicate
    function hasAccess(uint256 toolId, address account, bytes calldata) external view returns (bool) {
        PackedConfig config = _requireConfig(toolId);
        if (account == address(0)) return false;
        address token = config.target();
        if (token.code.length == 0) revert CallFailed(token);
        (uint256 first, uint256 retry) = StipendLib.stipends(config.stipend(), 1);
        (bool ok, uint256 balance) =
            StipendLib.tryCallGetter(token, IERC20.balanceOf.selector, uint160(account), first, retry);
        if (!ok) revert CallFailed(token);
        return balance >= _minBalances[toolId];
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
        PackedConfig config = _requireConfig(toolId);
        requirements = RequirementListLib.single(
            type(IERC20Balance).interfaceId,
            abi.encode(config.target(), _minBalances[toolId]),
            "Hold at least this amount of this token"
        );
        logic = RequirementLogic.AND;
    }

    function _configure(uint256 toolId, address token, uint256 minBalance, uint256 stipend) private {
        _requireToolCreator(toolId);
        if (token == address(0)) revert ZeroToken();
        if (token.code.length == 0) revert TokenNoCode(token);
        if (minBalance == 0) revert ZeroMinBalance();
        StipendLib.requireValid(stipend, 1);
        _configs[toolId] = PackedConfigLib.pack(token, 0, 0, stipend);
        _minBalances[toolId] = minBalance;
        emit ToolERC20Configured(toolId, token, minBalance);
    }

    function _stipendsOf(uint256 toolId) internal view override returns (uint256 first, uint256 retry, uint256 calls) {
        calls = 1;
        (first, retry) = StipendLib.stipends(_requireConfig(toolId).stipend(), calls);
    }
}
