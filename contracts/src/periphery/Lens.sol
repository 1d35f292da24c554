// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { IToolRegistry, ToolConfig } from "../interfaces/IToolRegistry.sol";
import { ILens } from "../interfaces/periphery/ILens.sol";
import { ICompositePredicate, Term } from "../interfaces/predicates/ICompositePredicate.sol";
import { ConstantsLib } from "../libraries/ConstantsLib.sol";

/// @title Lens
/// @notice See `ILens`.
contract Lens is ILens {
    /// @dev Limits of ERC-8257 for consumers.
    uint256 private constant MAX_ENTRIES = 256;
    uint256 private constant MAX_DATA_BYTES = 4096;
    uint256 private constant MAX_LABEL_BYTES = 256;

    uint256 private constant REQUIREMENTS_GAS = 5_000_000;
    uint256 private constant CALL_GAS = 1_000_000;

    /// @inheritdoc ILens
    function getTools(IToolRegistry registry, uint256[] calldata toolIds) external view returns (Tool[] memory tools) {
        tools = new Tool[](toolIds.length);
        for (uint256 i = 0; i < toolIds.length; i++) {
            try registry.getToolConfig(toolIds[i]) returns (ToolConfig memory config) {
                tools[i].config = config;
                tools[i].predicateHasCode = config.accessPredicate.code.length != 0;
            } catch (bytes memory reason) {
                tools[i].status = _statusOf(reason);
            }
        }
    }

    /// @inheritdoc ILens
    function checkAccess(IToolRegistry registry, uint256[] calldata toolIds, address account, bytes[] calldata data)
        external
        view
        returns (Access[] memory results)
    {
        results = new Access[](toolIds.length);
        for (uint256 i = 0; i < toolIds.length; i++) {
            bytes memory input = data.length == 0 ? bytes("") : data[i];
            uint256 before = gasleft();
            try registry.tryHasAccess{ gas: CALL_GAS }(toolIds[i], account, input) returns (bool ok, bool granted) {
                results[i] = Access({ ok: ok, granted: ok && granted, gasUsed: before - gasleft() });
            } catch { }
        }
    }

    /// @inheritdoc ILens
    function getRequirements(IAccessPredicate[] calldata predicates, uint256[] calldata toolIds)
        external
        view
        returns (Requirements[] memory results)
    {
        results = new Requirements[](toolIds.length);
        for (uint256 i = 0; i < toolIds.length; i++) {
            try this.readRequirements{ gas: REQUIREMENTS_GAS }(predicates[i], toolIds[i]) returns (
                AccessRequirement[] memory requirements, RequirementLogic logic
            ) {
                results[i] = Requirements({ ok: true, requirements: requirements, logic: logic });
            } catch { }
        }
    }

    /// @inheritdoc ILens
    function readRequirements(IAccessPredicate predicate, uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        (requirements, logic) = predicate.getRequirements(toolId);
        if (requirements.length > MAX_ENTRIES) revert RequirementsTooLarge();
        for (uint256 i = 0; i < requirements.length; i++) {
            bool tooLarge =
                requirements[i].data.length > MAX_DATA_BYTES || bytes(requirements[i].label).length > MAX_LABEL_BYTES;
            if (tooLarge) revert RequirementsTooLarge();
        }
    }

    /// @inheritdoc ILens
    function getTerms(ICompositePredicate composite, uint256 toolId, address account, bytes calldata data)
        external
        view
        returns (TermView[] memory terms)
    {
        Term[][] memory clauses = composite.getClauses(toolId);
        uint256[] memory stipends = composite.termGas(toolId);
        terms = new TermView[](stipends.length);
        uint256 index;
        for (uint256 i = 0; i < clauses.length; i++) {
            for (uint256 j = 0; j < clauses[i].length; j++) {
                terms[index] = _viewTerm(clauses[i][j], toolId, account, data);
                terms[index].clause = i;
                terms[index].stipend = stipends[index];
                index++;
            }
        }
    }

    /// @inheritdoc ILens
    function measure(Call[] calldata calls) external view returns (Measurement[] memory results) {
        results = new Measurement[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            results[i] = _measure(calls[i].target, calls[i].data);
        }
    }

    function _viewTerm(Term memory term, uint256 toolId, address account, bytes calldata data)
        private
        view
        returns (TermView memory result)
    {
        result.predicate = term.predicate;
        result.negate = term.negate;
        bytes memory input = term.negate ? abi.encodePacked(ConstantsLib.NEGATED_TERM) : bytes(data);
        Measurement memory call =
            _measure(term.predicate, abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, input)));
        result.ok = call.ok && call.size == 32 && uint256(call.returnData) < 2;
        result.granted = result.ok && uint256(call.returnData) == 1;
        result.gasUsed = call.gasUsed;
        Measurement memory needed = _measure(term.predicate, abi.encodeCall(ICompositePredicate.gasNeeded, (toolId)));
        if (needed.ok && needed.size == 32) result.gasNeeded = uint256(needed.returnData);
    }

    /// @dev Reading `code.length` first makes the account warm.
    function _measure(address target, bytes memory data) private view returns (Measurement memory result) {
        if (target.code.length == 0) return result;
        uint256 before = gasleft();
        (bool ok, bytes memory returnData) = target.staticcall{ gas: CALL_GAS }(data);
        result.gasUsed = before - gasleft();
        result.ok = ok;
        result.size = returnData.length;
        result.returnData = bytes32(returnData);
    }

    function _statusOf(bytes memory reason) private pure returns (Status) {
        bytes4 selector = bytes4(reason);
        if (selector == IToolRegistry.ToolNotFound.selector) return Status.NotFound;
        return selector == IToolRegistry.ToolIsDeregistered.selector ? Status.Deregistered : Status.Unknown;
    }
}
