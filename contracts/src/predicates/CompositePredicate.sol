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
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";

/// @title CompositePredicate
/// @dev The manual is `ICompositePredicate`.
contract CompositePredicate is ConfiguredPredicate, ICompositePredicate {
    /// @dev One slot. The terms stand in the code of a data contract.
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
    bytes4 public constant PER_TERM = bytes4(keccak256("perTerm(bytes[])"));

    /// @inheritdoc ICompositePredicate
    bytes4 public constant NEGATED = ConstantsLib.NEGATED_TERM;

    uint256 private constant NEGATE_FLAG = 1 << 160;
    uint256 private constant READS_DATA_FLAG = 1 << 161;

    mapping(uint256 toolId => Composition) private _compositions;

    /// @param registry The registry whose tools this predicate serves.
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
            terms[i] = Term({ predicate: address(uint160(words[i])), negate: words[i] & NEGATE_FLAG != 0 });
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
        bytes[] memory questions = _questions(toolId, account, data, terms);
        bool isAny = composition.op == ANY;
        address silent;
        for (uint256 i = 0; i < terms.length; i++) {
            uint256 term = terms[i];
            address predicate = address(uint160(term));
            bool answered;
            bool yes;
            if (questions[i].length != 0 && predicate.code.length != 0) {
                (answered, yes) = BoundedCallLib.askBool(predicate, composition.termGas, questions[i]);
            }
            if (!answered) silent = predicate;
            else if ((yes != (term & NEGATE_FLAG != 0)) == isAny) return isAny;
        }
        if (silent != address(0)) revert NoAnswer(silent);
        return !isAny;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "CompositePredicate";
    }

    /// @inheritdoc IAccessPredicate
    /// @dev A term that cannot be described stands as kind zero, "unknown"; the others are kept.
    function getRequirements(uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        Composition memory composition = _requireComposition(toolId);
        if (composition.count == 0) return (_nobody(), RequirementLogic.AND);

        uint256[] memory terms = _read(composition);
        logic = composition.op == ANY ? RequirementLogic.OR : RequirementLogic.AND;
        AccessRequirement[][] memory parts = new AccessRequirement[][](terms.length);
        for (uint256 i = 0; i < terms.length; i++) {
            parts[i] = _describe(toolId, terms[i], logic);
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
                words[i] = _checkTerm(i, terms[i]);
            }
            composition.store = CodeStoreLib.write(words);
            composition.count = uint8(count);
            composition.termGas = uint32(budget / count);
        }
        _compositions[toolId] = composition;
        emit CompositionSet(toolId, op, terms);
        emit TermGasSet(toolId, composition.termGas);
    }

    function _checkTerm(uint256 index, Term calldata term) private view returns (uint256 word) {
        address predicate = term.predicate;
        if (predicate == address(this) || predicate.code.length == 0) revert InvalidTerm(index, predicate);

        word = uint160(predicate);
        if (_claims(index, predicate, type(IERC165).interfaceId)) {
            if (!_claims(index, predicate, type(IAccessPredicate).interfaceId)) revert InvalidTerm(index, predicate);
            if (_claims(index, predicate, type(IReadsCallData).interfaceId)) {
                if (term.negate) revert CannotNegate(index, predicate);
                word |= READS_DATA_FLAG;
            }
        }
        if (term.negate) word |= NEGATE_FLAG;
    }

    function _claims(uint256 index, address predicate, bytes4 interfaceId) private view returns (bool) {
        if (!InterfaceProbeLib.canAsk()) revert InvalidTerm(index, predicate);
        return InterfaceProbeLib.saysYes(predicate, interfaceId);
    }

    /// @dev What each term is asked; nothing if it must not be asked. Terms that are asked the same share the memory.
    function _questions(uint256 toolId, address account, bytes calldata data, uint256[] memory terms)
        private
        pure
        returns (bytes[] memory questions)
    {
        questions = new bytes[](terms.length);
        bytes[] memory entries = _perTermEntries(data, terms.length);
        bytes memory shared = entries.length == 0 ? _question(toolId, account, data) : bytes("");
        bytes memory negated = "";
        bool passOverReaders = data.length == 4 && bytes4(data) == NEGATED;
        for (uint256 i = 0; i < terms.length; i++) {
            if (terms[i] & NEGATE_FLAG != 0) {
                if (negated.length == 0) negated = _question(toolId, account, abi.encodePacked(NEGATED));
                questions[i] = negated;
            } else if (!passOverReaders || terms[i] & READS_DATA_FLAG == 0) {
                questions[i] = entries.length == 0 ? shared : _question(toolId, account, entries[i]);
            }
        }
    }

    /// @dev One entry for each of `count` terms, or none if the call data goes to all terms alike.
    function _perTermEntries(bytes calldata data, uint256 count) private pure returns (bytes[] memory entries) {
        if (data.length < 4 || bytes4(data) != PER_TERM) return entries;
        entries = abi.decode(data[4:], (bytes[]));
        if (entries.length != count) revert WrongNumberOfEntries(entries.length, count);
    }

    function _question(uint256 toolId, address account, bytes memory data) private pure returns (bytes memory) {
        return abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, data));
    }

    function _describe(uint256 toolId, uint256 term, RequirementLogic logic)
        private
        view
        returns (AccessRequirement[] memory)
    {
        try this.introspect{ gas: GAS_PER_INTROSPECTION }(address(uint160(term)), toolId) returns (
            AccessRequirement[] memory requirements, RequirementLogic inner
        ) {
            if (term & NEGATE_FLAG != 0) return RequirementListLib.negate(requirements, inner);
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
