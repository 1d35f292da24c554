// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { IReadsCallData } from "../interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { IERC165 } from "../interfaces/external/IERC165.sol";
import { ICompositePredicate, Term } from "../interfaces/predicates/ICompositePredicate.sol";
import { IConfiguredPredicate } from "../interfaces/predicates/IConfiguredPredicate.sol";
import { BoundedCallLib } from "../libraries/BoundedCallLib.sol";
import { CodeStoreLib } from "../libraries/CodeStoreLib.sol";
import { ConstantsLib } from "../libraries/ConstantsLib.sol";
import { InterfaceProbeLib } from "../libraries/InterfaceProbeLib.sol";
import { PackedConfig, PackedConfigLib } from "../libraries/PackedConfigLib.sol";
import { RequirementListLib } from "../libraries/RequirementListLib.sol";
import { TermCallLib } from "../libraries/TermCallLib.sol";
import { TermLib } from "../libraries/TermLib.sol";
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";

/// @title CompositePredicate
/// @notice See `ICompositePredicate`.
/// @dev `_configs`: the target is the data contract with the packed terms (`TermLib`). The first number is the number of
///      terms, the second the operator.
contract CompositePredicate is ConfiguredPredicate, ICompositePredicate {
    using TermLib for uint256;
    using TermLib for uint256[];

    /// @inheritdoc ICompositePredicate
    uint8 public constant ALL = 0;

    /// @inheritdoc ICompositePredicate
    uint8 public constant ANY = 1;

    /// @inheritdoc ICompositePredicate
    uint256 public constant MAX_TERMS_PER_COMPOSITION = 8;

    /// @inheritdoc ICompositePredicate
    uint256 public constant MAX_BUDGET = 156_000;

    /// @inheritdoc ICompositePredicate
    uint256 public constant GAS_PER_INTROSPECTION = 300_000;

    /// @inheritdoc ICompositePredicate
    bytes4 public constant PER_TERM = ConstantsLib.PER_TERM_DATA;

    /// @inheritdoc ICompositePredicate
    bytes4 public constant NEGATED = ConstantsLib.NEGATED_TERM;

    /// @dev Less than what any predicate with a configuration needs: a cold storage read and the dispatch of a call.
    uint256 private constant MIN_TERM_GAS = 3_000;

    /// @dev Stipend of the call to `gasNeeded` of a term.
    uint256 private constant GAS_NEEDED_STIPEND = 30_000;

    /// @dev Upper bounds for the gas used by `hasAccess` itself.
    uint256 private constant OVERHEAD = 8_600;
    uint256 private constant OVERHEAD_PER_TERM = 3_500;

    /// @param registry The registry whose tools can be configured.
    constructor(IToolRegistry registry) ConfiguredPredicate(registry) { }

    /// @inheritdoc ICompositePredicate
    function setComposition(uint256 toolId, uint8 op, Term[] calldata terms) external {
        _requireToolCreator(toolId);
        uint256[] memory words = new uint256[](terms.length);
        for (uint256 i = 0; i < terms.length; i++) {
            words[i] = TermLib.pack(terms[i]);
        }
        uint256[] memory stipends = _setTerms(toolId, op, words, new uint256[](0));
        emit CompositionSet(toolId, op, terms);
        emit TermGasSet(toolId, stipends);
    }

    /// @inheritdoc ICompositePredicate
    function setClauses(uint256 toolId, uint8 op, Term[][] calldata clauses, uint256[] calldata stipends) external {
        _requireToolCreator(toolId);
        uint256[] memory words = TermLib.packClauses(clauses);
        uint256[] memory termStipends = _setTerms(toolId, op, words, stipends);
        if (words.length == clauses.length) emit CompositionSet(toolId, op, words.unpack(0, words.length));
        else emit ClausesSet(toolId, op, clauses);
        emit TermGasSet(toolId, termStipends);
    }

    /// @inheritdoc ICompositePredicate
    function getOp(uint256 toolId) external view returns (uint8) {
        return uint8(_configs[toolId].second());
    }

    /// @inheritdoc ICompositePredicate
    function getTerms(uint256 toolId) external view returns (Term[] memory) {
        uint256[] memory words = _read(_configs[toolId]);
        for (uint256 i = 0; i < words.length; i++) {
            if (words[i].continues()) revert HasClauses(toolId);
        }
        return words.unpack(0, words.length);
    }

    /// @inheritdoc ICompositePredicate
    function getClauses(uint256 toolId) external view returns (Term[][] memory clauses) {
        uint256[] memory words = _read(_configs[toolId]);
        uint256 count;
        for (uint256 i = 0; i < words.length; i = words.clauseEnd(i)) {
            count++;
        }
        clauses = new Term[][](count);
        uint256 start;
        for (uint256 i = 0; i < count; i++) {
            uint256 end = words.clauseEnd(start);
            clauses[i] = words.unpack(start, end);
            start = end;
        }
    }

    /// @inheritdoc ICompositePredicate
    function termGas(uint256 toolId) external view returns (uint256[] memory stipends) {
        uint256[] memory words = _read(_configs[toolId]);
        stipends = new uint256[](words.length);
        for (uint256 i = 0; i < words.length; i++) {
            stipends[i] = words[i].stipendOf();
        }
    }

    /// @inheritdoc IConfiguredPredicate
    function gasNeeded(uint256 toolId) external view returns (uint256 needed) {
        uint256[] memory words = _read(_requireConfig(toolId));
        needed = OVERHEAD;
        for (uint256 i = 0; i < words.length; i++) {
            needed += BoundedCallLib.gasRequired(words[i].stipendOf()) + OVERHEAD_PER_TERM;
        }
    }

    /// @inheritdoc IAccessPredicate
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        PackedConfig config = _requireConfig(toolId);
        if (config.first() == 0) return false;
        if (account == address(0)) revert ZeroAccount();

        uint256[] memory terms = _read(config);
        bytes[] memory calls = TermCallLib.encode(toolId, account, data, terms);
        // The result that decides the composition: granted for ANY, denied for ALL. A clause has this result if all its
        // terms have it. Any other result of a term settles the clause.
        bool decisive = config.second() == ANY;
        address failed;
        address failedInClause;
        for (uint256 i = 0; i < terms.length; i++) {
            uint256 term = terms[i];
            address predicate = term.predicateOf();
            bool ok;
            bool granted;
            if (calls[i].length != 0 && predicate.code.length != 0) {
                (ok, granted) = BoundedCallLib.tryStaticCallBool(predicate, term.stipendOf(), calls[i]);
            }
            if (!ok) {
                failedInClause = predicate;
            } else if ((granted != term.isNegated()) != decisive) {
                if (term.continues()) i = terms.clauseEnd(i) - 1;
                failedInClause = address(0);
                continue;
            }
            if (term.continues()) continue;
            if (failedInClause == address(0)) return decisive;
            (failed, failedInClause) = (failedInClause, address(0));
        }
        if (failed != address(0)) revert CallFailed(failed);
        return !decisive;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "CompositePredicate";
    }

    /// @inheritdoc IAccessPredicate
    /// @dev A clause of several terms is listed as one nested requirement. A term whose requirements cannot be read is
    ///      listed as kind zero, "unknown". The other terms are not affected.
    function getRequirements(uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        PackedConfig config = _requireConfig(toolId);
        if (config.first() == 0) return (_alwaysDenied(), RequirementLogic.AND);

        uint256[] memory terms = _read(config);
        logic = config.second() == ANY ? RequirementLogic.OR : RequirementLogic.AND;
        RequirementLogic inner = config.second() == ANY ? RequirementLogic.AND : RequirementLogic.OR;
        AccessRequirement[][] memory parts = new AccessRequirement[][](terms.length);
        for (uint256 start = 0; start < terms.length;) {
            uint256 end = terms.clauseEnd(start);
            if (end == start + 1) parts[start] = _requirementsOf(toolId, terms[start], logic);
            else parts[start] = _requirementsOfClause(toolId, terms, start, end, inner, logic);
            start = end;
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

    /// @dev Validates and stores packed terms, and returns their stipends: `chosen`, or what each term needs and an equal
    ///      share of the rest of the budget.
    function _setTerms(uint256 toolId, uint8 op, uint256[] memory words, uint256[] memory chosen)
        private
        returns (uint256[] memory stipends)
    {
        uint256 count = words.length;
        if (op > ANY) revert InvalidOperator(op);
        if (count > MAX_TERMS_PER_COMPOSITION) revert TooManyTerms(count, MAX_TERMS_PER_COMPOSITION);
        bool isChosen = chosen.length != 0;
        if (isChosen && chosen.length != count) revert WrongNumberOfStipends(chosen.length, count);

        stipends = new uint256[](count);
        uint256 budget;
        for (uint256 i = 0; i < count; i++) {
            words[i] = _validateTerm(i, words[i]);
            address predicate = words[i].predicateOf();
            uint256 needed = _gasNeededBy(predicate, toolId);
            stipends[i] = isChosen ? chosen[i] : needed;
            if (stipends[i] < needed) revert TermGasTooLow(i, predicate, needed, stipends[i]);
            if (stipends[i] > MAX_BUDGET) revert InvalidBudget(stipends[i], MAX_BUDGET);
            budget += stipends[i];
        }
        if (budget > MAX_BUDGET) revert InvalidBudget(budget, MAX_BUDGET);
        for (uint256 i = 0; i < count; i++) {
            if (!isChosen) stipends[i] += (MAX_BUDGET - budget) / count;
            words[i] = words[i].withStipend(stipends[i]);
        }
        address store = count == 0 ? address(0) : CodeStoreLib.write(words);
        _configs[toolId] = PackedConfigLib.pack(store, count, op, 0);
    }

    /// @dev Returns the packed term with its `READS_DATA_FLAG`.
    function _validateTerm(uint256 index, uint256 word) private view returns (uint256) {
        address predicate = word.predicateOf();
        if (predicate == address(this) || predicate.code.length == 0) revert InvalidTerm(index, predicate);

        if (_supports(index, predicate, type(IERC165).interfaceId)) {
            if (!_supports(index, predicate, type(IAccessPredicate).interfaceId)) {
                revert InvalidAccessPredicate(predicate);
            }
            if (_supports(index, predicate, type(IReadsCallData).interfaceId)) {
                if (word.isNegated()) revert CannotNegate(index, predicate);
                word |= TermLib.READS_DATA_FLAG;
            }
        }
        return word;
    }

    /// @dev Returns what a term reports as `gasNeeded`, and `MIN_TERM_GAS` if it reports less or nothing.
    function _gasNeededBy(address predicate, uint256 toolId) private view returns (uint256) {
        bytes memory callData = abi.encodeCall(IConfiguredPredicate.gasNeeded, (toolId));
        (bool ok, uint256 needed) = BoundedCallLib.tryStaticCallWord(predicate, GAS_NEEDED_STIPEND, callData);
        return ok && needed > MIN_TERM_GAS ? needed : MIN_TERM_GAS;
    }

    function _supports(uint256 index, address predicate, bytes4 interfaceId) private view returns (bool) {
        if (!InterfaceProbeLib.hasProbeGas()) revert InvalidTerm(index, predicate);
        return InterfaceProbeLib.supportsInterface(predicate, interfaceId);
    }

    /// @dev Returns the requirements of a clause of several terms, as entries of a list with logic `outer`.
    function _requirementsOfClause(
        uint256 toolId,
        uint256[] memory terms,
        uint256 start,
        uint256 end,
        RequirementLogic inner,
        RequirementLogic outer
    ) private view returns (AccessRequirement[] memory) {
        AccessRequirement[][] memory parts = new AccessRequirement[][](end - start);
        for (uint256 i = start; i < end; i++) {
            parts[i - start] = _requirementsOf(toolId, terms[i], inner);
        }
        return RequirementListLib.inlineOrNest(RequirementListLib.concat(parts), inner, outer);
    }

    /// @dev Returns the requirements of one term, as entries of a list with `logic`.
    function _requirementsOf(uint256 toolId, uint256 term, RequirementLogic logic)
        private
        view
        returns (AccessRequirement[] memory)
    {
        try this.introspect{ gas: GAS_PER_INTROSPECTION }(term.predicateOf(), toolId) returns (
            AccessRequirement[] memory requirements, RequirementLogic inner
        ) {
            if (term.isNegated()) return RequirementListLib.negate(requirements, inner);
            return RequirementListLib.inlineOrNest(requirements, inner, logic);
        } catch {
            return RequirementListLib.unknown();
        }
    }

    function _read(PackedConfig config) private view returns (uint256[] memory) {
        return CodeStoreLib.read(config.target(), config.first());
    }
}
