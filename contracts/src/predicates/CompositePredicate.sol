// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { IReadsCallData } from "../interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { IERC165 } from "../interfaces/external/IERC165.sol";
import { ICompositePredicate, Term } from "../interfaces/predicates/ICompositePredicate.sol";
import { BoundedCallLib } from "../libraries/BoundedCallLib.sol";
import { CodeStoreLib } from "../libraries/CodeStoreLib.sol";
import { ConstantsLib } from "../libraries/ConstantsLib.sol";
import { InterfaceProbeLib } from "../libraries/InterfaceProbeLib.sol";
import { RequirementListLib } from "../libraries/RequirementListLib.sol";
import { TermCallLib } from "../libraries/TermCallLib.sol";
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";

/// @title CompositePredicate
/// @notice See `ICompositePredicate`.
contract CompositePredicate is ConfiguredPredicate, ICompositePredicate {
    /// @dev One slot. `store` is the data contract with the packed terms (`TermCallLib`).
    struct Composition {
        address store;
        uint8 count;
        uint8 op;
        uint32 termGas;
        bool isSet;
    }

    /// @inheritdoc ICompositePredicate
    uint8 public constant ALL = 0;

    /// @inheritdoc ICompositePredicate
    uint8 public constant ANY = 1;

    /// @inheritdoc ICompositePredicate
    uint256 public constant MAX_TERMS = 8;

    /// @inheritdoc ICompositePredicate
    uint256 public constant MAX_BUDGET = 150_000;

    /// @inheritdoc ICompositePredicate
    uint256 public constant GAS_PER_INTROSPECTION = 300_000;

    /// @inheritdoc ICompositePredicate
    bytes4 public constant PER_TERM = ConstantsLib.PER_TERM_DATA;

    /// @inheritdoc ICompositePredicate
    bytes4 public constant NEGATED = ConstantsLib.NEGATED_TERM;

    mapping(uint256 toolId => Composition) private _compositions;

    /// @param registry The registry whose tools can be configured.
    constructor(IToolRegistry registry) ConfiguredPredicate(registry) { }

    /// @inheritdoc ICompositePredicate
    function setComposition(uint256 toolId, uint8 op, Term[] calldata terms) external {
        _setComposition(toolId, op, terms, MAX_BUDGET);
    }

    /// @inheritdoc ICompositePredicate
    function setComposition(uint256 toolId, uint8 op, Term[] calldata terms, uint256 budget) external {
        _setComposition(toolId, op, terms, budget);
    }

    /// @inheritdoc ICompositePredicate
    function getOp(uint256 toolId) external view returns (uint8) {
        return _compositions[toolId].op;
    }

    /// @inheritdoc ICompositePredicate
    function getTerms(uint256 toolId) external view returns (Term[] memory terms) {
        uint256[] memory words = _read(_compositions[toolId]);
        terms = new Term[](words.length);
        for (uint256 i = 0; i < words.length; i++) {
            terms[i] = Term({ predicate: address(uint160(words[i])), negate: words[i] & TermCallLib.NEGATE_FLAG != 0 });
        }
    }

    /// @inheritdoc ICompositePredicate
    function termGas(uint256 toolId) external view returns (uint256) {
        return _compositions[toolId].termGas;
    }

    /// @inheritdoc IAccessPredicate
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        Composition memory composition = _requireComposition(toolId);
        if (composition.count == 0) return false;

        uint256[] memory terms = _read(composition);
        bytes[] memory calls = TermCallLib.encode(toolId, account, data, terms);
        bool isAny = composition.op == ANY;
        address failed;
        for (uint256 i = 0; i < terms.length; i++) {
            uint256 term = terms[i];
            address predicate = address(uint160(term));
            bool ok;
            bool granted;
            if (calls[i].length != 0 && predicate.code.length != 0) {
                (ok, granted) = BoundedCallLib.tryStaticCallBool(predicate, composition.termGas, calls[i]);
            }
            // A granted term decides ANY, and a denied term decides ALL, whatever the results of the other terms.
            if (!ok) failed = predicate;
            else if ((granted != (term & TermCallLib.NEGATE_FLAG != 0)) == isAny) return isAny;
        }
        if (failed != address(0)) revert NoAnswer(failed);
        return !isAny;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "CompositePredicate";
    }

    /// @inheritdoc IAccessPredicate
    /// @dev A term whose requirements cannot be read is listed as kind zero, "unknown". The other terms are not
    ///      affected.
    function getRequirements(uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        Composition memory composition = _requireComposition(toolId);
        if (composition.count == 0) return (_alwaysDenied(), RequirementLogic.AND);

        uint256[] memory terms = _read(composition);
        logic = composition.op == ANY ? RequirementLogic.OR : RequirementLogic.AND;
        AccessRequirement[][] memory parts = new AccessRequirement[][](terms.length);
        for (uint256 i = 0; i < terms.length; i++) {
            parts[i] = _requirementsOf(toolId, terms[i], logic);
        }
        requirements = RequirementListLib.concat(parts);
    }

    /// @inheritdoc ICompositePredicate
    function introspect(address predicate, uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        (requirements, logic) = IAccessPredicate(predicate).getRequirements(toolId);
        RequirementListLib.requireWithinLimits(requirements);
    }

    function _setComposition(uint256 toolId, uint8 op, Term[] calldata terms, uint256 budget) private {
        _requireToolCreator(toolId);
        uint256 count = terms.length;
        if (op > ANY) revert InvalidOperator(op);
        if (count > MAX_TERMS) revert TooManyTerms(count, MAX_TERMS);
        if (budget > MAX_BUDGET || budget < MAX_TERMS) revert InvalidBudget(budget, MAX_BUDGET);

        Composition memory composition;
        composition.isSet = true;
        composition.op = op;
        if (count != 0) {
            uint256[] memory words = new uint256[](count);
            for (uint256 i = 0; i < count; i++) {
                words[i] = _packTerm(i, terms[i]);
            }
            composition.store = CodeStoreLib.write(words);
            composition.count = uint8(count);
            composition.termGas = uint32(budget / count);
        }
        _compositions[toolId] = composition;
        emit CompositionSet(toolId, op, terms);
        emit TermGasSet(toolId, composition.termGas);
    }

    /// @dev Validates a term and packs it into one word.
    function _packTerm(uint256 index, Term calldata term) private view returns (uint256 word) {
        address predicate = term.predicate;
        if (predicate == address(this) || predicate.code.length == 0) revert InvalidTerm(index, predicate);

        word = uint160(predicate);
        if (_supports(index, predicate, type(IERC165).interfaceId)) {
            if (!_supports(index, predicate, type(IAccessPredicate).interfaceId)) revert InvalidTerm(index, predicate);
            if (_supports(index, predicate, type(IReadsCallData).interfaceId)) {
                if (term.negate) revert CannotNegate(index, predicate);
                word |= TermCallLib.READS_DATA_FLAG;
            }
        }
        if (term.negate) word |= TermCallLib.NEGATE_FLAG;
    }

    function _supports(uint256 index, address predicate, bytes4 interfaceId) private view returns (bool) {
        if (!InterfaceProbeLib.hasProbeGas()) revert InvalidTerm(index, predicate);
        return InterfaceProbeLib.supportsInterface(predicate, interfaceId);
    }

    /// @dev Returns the requirements of one term, as entries of a list with `logic`.
    function _requirementsOf(uint256 toolId, uint256 term, RequirementLogic logic)
        private
        view
        returns (AccessRequirement[] memory)
    {
        try this.introspect{ gas: GAS_PER_INTROSPECTION }(address(uint160(term)), toolId) returns (
            AccessRequirement[] memory requirements, RequirementLogic inner
        ) {
            if (term & TermCallLib.NEGATE_FLAG != 0) return RequirementListLib.negate(requirements, inner);
            return RequirementListLib.inlineOrNest(requirements, inner, logic);
        } catch {
            return RequirementListLib.unknown();
        }
    }

    function _requireComposition(uint256 toolId) private view returns (Composition memory composition) {
        composition = _compositions[toolId];
        if (!composition.isSet) revert NotConfigured(toolId);
    }

    function _read(Composition memory composition) private view returns (uint256[] memory) {
        return CodeStoreLib.read(composition.store, composition.count);
    }
}
