// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { IToolRegistry, ToolConfig } from "../interfaces/IToolRegistry.sol";
import {
    AccessView,
    ILens,
    MeasuredCall,
    Measurement,
    RequirementsView,
    TermView,
    ToolStatus,
    ToolView
} from "../interfaces/periphery/ILens.sol";
import { ICompositePredicate, Term } from "../interfaces/predicates/ICompositePredicate.sol";
import { IConfiguredPredicate } from "../interfaces/predicates/IConfiguredPredicate.sol";
import { BoundedCallLib } from "../libraries/BoundedCallLib.sol";
import { TermCallLib } from "../libraries/TermCallLib.sol";
import { TermLib } from "../libraries/TermLib.sol";

/// @title Lens
/// @notice See `ILens`.
contract Lens is ILens {
    /// @dev Limits of ERC-8257 for consumers.
    uint256 private constant MAX_ENTRIES = 256;
    uint256 private constant MAX_DATA_BYTES = 4096;
    uint256 private constant MAX_LABEL_BYTES = 256;

    uint256 private constant REQUIREMENTS_GAS = 5_000_000;

    /// @dev More than the registry forwards to a predicate.
    uint256 private constant CALL_GAS = 1_000_000;

    /// @inheritdoc ILens
    function getTools(IToolRegistry registry, uint256[] calldata toolIds)
        external
        view
        returns (ToolView[] memory tools)
    {
        tools = new ToolView[](toolIds.length);
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
        returns (AccessView[] memory results)
    {
        results = new AccessView[](toolIds.length);
        for (uint256 i = 0; i < toolIds.length; i++) {
            bytes memory input = data.length == 0 ? bytes("") : data[i];
            BoundedCallLib.requireGas(address(registry), CALL_GAS);
            uint256 before = gasleft();
            try registry.tryHasAccess{ gas: CALL_GAS }(toolIds[i], account, input) returns (bool ok, bool granted) {
                results[i] = AccessView({ ok: ok, granted: ok && granted, gasUsed: before - gasleft() });
            } catch { }
        }
    }

    /// @inheritdoc ILens
    function getRequirements(IAccessPredicate[] calldata predicates, uint256[] calldata toolIds)
        external
        view
        returns (RequirementsView[] memory results)
    {
        results = new RequirementsView[](toolIds.length);
        for (uint256 i = 0; i < toolIds.length; i++) {
            BoundedCallLib.requireGas(address(this), REQUIREMENTS_GAS);
            try this.readRequirements{ gas: REQUIREMENTS_GAS }(predicates[i], toolIds[i]) returns (
                AccessRequirement[] memory requirements, RequirementLogic logic
            ) {
                results[i] = RequirementsView({ ok: true, requirements: requirements, logic: logic });
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
        uint256[] memory words = new uint256[](stipends.length);
        uint256 index;
        for (uint256 i = 0; i < clauses.length; i++) {
            for (uint256 j = 0; j < clauses[i].length; j++) {
                Term memory term = clauses[i][j];
                (terms[index].predicate, terms[index].negate) = (term.predicate, term.negate);
                (terms[index].clause, terms[index].stipend) = (i, stipends[index]);
                words[index++] = term.negate ? TermLib.NEGATE_FLAG : 0;
            }
        }
        bytes[] memory calls = TermCallLib.encode(toolId, account, data, words);
        for (uint256 i = 0; i < terms.length; i++) {
            _checkTerm(terms[i], toolId, calls[i]);
        }
    }

    /// @inheritdoc ILens
    function measure(MeasuredCall[] calldata calls) external view returns (Measurement[] memory results) {
        results = new Measurement[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            address target = calls[i].target;
            bytes memory data = calls[i].data;
            // Also makes the account warm.
            if (target.code.length == 0) continue;
            uint256 before = gasleft();
            (bool ok, uint256 word) = BoundedCallLib.tryStaticCallWord(target, calls[i].gasLimit, data);
            results[i] = Measurement({ hasCode: true, ok: ok, gasUsed: before - gasleft(), word: ok ? word : 0 });
        }
    }

    /// @dev Sets the result and the gas of a term.
    function _checkTerm(TermView memory term, uint256 toolId, bytes memory callData) private view {
        address predicate = term.predicate;
        if (predicate.code.length == 0) return;
        uint256 before = gasleft();
        (term.ok, term.granted) = BoundedCallLib.tryStaticCallBool(predicate, CALL_GAS, callData);
        term.gasUsed = before - gasleft();
        callData = abi.encodeCall(IConfiguredPredicate.gasNeeded, (toolId));
        (bool ok, uint256 needed) = BoundedCallLib.tryStaticCallWord(predicate, CALL_GAS, callData);
        if (ok) term.gasNeeded = needed;
    }

    function _statusOf(bytes memory reason) private pure returns (ToolStatus) {
        bytes4 selector = bytes4(reason);
        if (selector == IToolRegistry.ToolNotFound.selector) return ToolStatus.NotFound;
        return selector == IToolRegistry.ToolIsDeregistered.selector ? ToolStatus.Deregistered : ToolStatus.Unknown;
    }
}
