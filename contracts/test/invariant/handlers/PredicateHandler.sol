// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { ICompositePredicate, Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { IConfiguredPredicate } from "src/interfaces/predicates/IConfiguredPredicate.sol";
import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { PredicateStore, Predicates, Subscription } from "test/invariant/stores/PredicateStore.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { PlainERC20 } from "test/mocks/tokens/PlainERC20.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { PlainSubscription } from "test/mocks/tokens/PlainSubscription.sol";
import { RevertingToken } from "test/mocks/tokens/RevertingToken.sol";
import { ShortReturnToken } from "test/mocks/tokens/ShortReturnToken.sol";
import { IRegistry } from "test/support/ArtifactDeployer.sol";
import { Assertions } from "test/support/Assertions.sol";
import { Random } from "test/support/Random.sol";

/// @dev Configures predicates for two tools of two creators, transfers tokens between three accounts, warps time and makes
///      tokens fail, and records every change in the store. Each function derives all its choices from one seed.
contract PredicateHandler is Assertions {
    uint256 public constant TOOLS = 2;

    IRegistry private immutable _REGISTRY;
    PredicateStore private immutable _STORE;
    Predicates private _predicates;

    address[] private _creators;
    address[] private _accounts;

    /// @dev Per kind, a token that always works and one that can fail. `_collections` also has a token that nobody holds.
    address[] private _collections;
    address[] private _erc20Tokens;
    address[] private _subscriptionTokens;
    address private immutable _NO_CODE = makeAddr("a token without code");

    /// @dev Tokens that can fail, the contract with the working code of each, and the contract with its current code.
    address[] private _unreliableTokens;
    address[] private _failures;
    mapping(address token => address) private _workingCode;
    mapping(address token => address) private _currentCode;

    constructor(IRegistry registry, PredicateStore store, Predicates memory predicates) {
        _REGISTRY = registry;
        _STORE = store;
        _predicates = predicates;
        _creators = [makeAddr("creator 1"), makeAddr("creator 2")];
        _accounts = [makeAddr("account 1"), makeAddr("account 2"), makeAddr("account 3")];
        _failures = [address(new RevertingToken()), address(new GasBurner()), address(new ShortReturnToken())];

        _collections = [address(new PlainERC721()), address(new PlainERC721()), address(new PlainERC721())];
        _collections.push(address(new PlainERC721()));
        _erc20Tokens = [address(new PlainERC20()), address(new PlainERC20())];
        _subscriptionTokens = [address(new PlainSubscription()), address(new PlainSubscription())];
        _unreliableTokens = [_collections[2], _erc20Tokens[1], _subscriptionTokens[1]];
        // The first token of a kind never changes, so it provides the working code.
        _workingCode[_collections[2]] = _currentCode[_collections[2]] = _collections[0];
        _workingCode[_erc20Tokens[1]] = _currentCode[_erc20Tokens[1]] = _erc20Tokens[0];
        _workingCode[_subscriptionTokens[1]] = _currentCode[_subscriptionTokens[1]] = _subscriptionTokens[0];
        _initialize();
    }

    modifier counted() {
        _STORE.addCall(msg.sig);
        _;
    }

    function accounts() external view returns (address[] memory) {
        return _accounts;
    }

    /* CONFIGURATION */

    function setCollections(uint256 seed) external counted {
        Random memory random = Random(seed);
        uint256 toolId = _tool(random);
        address[] memory collections = _randomCollections(random);

        vm.prank(_creatorOf(toolId));
        _predicates.list.setCollections(toolId, collections);
        _STORE.setList(toolId, collections);
    }

    function setBalance(uint256 seed) external counted {
        Random memory random = Random(seed);
        uint256 toolId = _tool(random);
        (address token, uint256 minBalance) = _randomBalance(random);

        vm.prank(_creatorOf(toolId));
        _predicates.balance.configureToolERC20(toolId, token, minBalance);
        _STORE.setBalance(toolId, token, minBalance);
    }

    function setGating(uint256 seed) external counted {
        Random memory random = Random(seed);
        uint256 toolId = _tool(random);
        (address collection, uint8 minTier) = _randomGating(random);

        vm.prank(_creatorOf(toolId));
        _predicates.subscription.configureToolGating(toolId, collection, minTier);
        _STORE.setGating(toolId, collection, minTier);
    }

    /// @dev With one or two clauses, or without clauses of several terms; with the default or with chosen stipends.
    function setComposition(uint256 seed) external counted {
        Random memory random = Random(seed);
        uint256 toolId = _tool(random);
        uint8 op = uint8(random.below(2));
        Term[][] memory clauses = _randomClauses(random);
        uint256[] memory stipends = new uint256[](0);
        if (_STORE.neededFor(toolId, clauses) > _STORE.MAX_BUDGET()) clauses = new Term[][](0);
        uint256 count = _STORE.countOf(clauses);
        if (count < 4 && random.oneIn(2)) {
            stipends = new uint256[](count);
            for (uint256 i = 0; i < count; ++i) {
                stipends[i] = _STORE.GAS_FOR_ANY() + random.below(1000);
            }
        }

        vm.prank(_creatorOf(toolId));
        _predicates.composite.setClauses(toolId, op, clauses, stipends);
        _STORE.setComposite(toolId, op, clauses, stipends);
    }

    /// @dev Sets an empty list or composition.
    function clear(uint256 seed) external counted {
        Random memory random = Random(seed);
        uint256 toolId = _tool(random);

        vm.startPrank(_creatorOf(toolId));
        if (random.oneIn(2)) {
            _predicates.list.setCollections(toolId, new address[](0));
            _STORE.setList(toolId, new address[](0));
        } else {
            uint8 op = uint8(random.below(2));
            _predicates.composite.setComposition(toolId, op, new Term[](0));
            _STORE.setComposite(toolId, op, new Term[][](0), new uint256[](0));
        }
        vm.stopPrank();
    }

    /// @dev Sets the access predicate of a tool.
    function setAccessPredicate(uint256 seed) external counted {
        Random memory random = Random(seed);
        uint256 toolId = _tool(random);
        address predicate = random.oneIn(3) ? address(_predicates.composite) : _leaf(random);

        vm.prank(_creatorOf(toolId));
        _REGISTRY.setAccessPredicate(toolId, predicate);
        _STORE.setPredicate(toolId, predicate);
    }

    /* REJECTED CALLS */

    function configureAsNonCreator(uint256 seed) external counted {
        Random memory random = Random(seed);
        uint256 toolId = _tool(random);
        address[5] memory callers =
            [_creatorOf(TOOLS + 1 - toolId), _account(random), address(_REGISTRY), _leaf(random), address(this)];
        address eve = callers[random.below(5)];
        bytes memory expectedError =
            abi.encodeWithSelector(IConfiguredPredicate.CallerIsNotToolCreator.selector, toolId, eve);

        (address[4] memory targets, bytes[4] memory setters) = _setters(random, toolId);
        for (uint256 i = 0; i < 4; ++i) {
            vm.prank(eve);
            (bool success, bytes memory returndata) = targets[i].call(setters[i]);
            _STORE.addAttempt(!success && keccak256(returndata) == keccak256(expectedError));
        }
    }

    /// @dev Invalid arguments from the creator, and calls for a tool that does not exist.
    function configureInvalidly(uint256 seed) external counted {
        Random memory random = Random(seed);
        uint256 toolId = _tool(random);
        address creator = _creatorOf(toolId);
        address composite = address(_predicates.composite);

        _requireRevert(
            creator,
            address(_predicates.list),
            _setCollections(toolId, new address[](11)),
            abi.encodeWithSelector(IERC721OwnerPredicate.TooManyCollections.selector, 11, 10)
        );
        address[] memory collections = _randomCollections(random);
        collections[random.below(collections.length)] = _NO_CODE;
        _requireRevert(
            creator,
            address(_predicates.list),
            _setCollections(toolId, collections),
            abi.encodeWithSelector(IERC721OwnerPredicate.CollectionNoCode.selector, _NO_CODE)
        );
        _requireRevert(
            creator,
            address(_predicates.balance),
            _setBalance(toolId, _erc20Tokens[random.below(2)], 0),
            abi.encodeWithSelector(IERC20BalancePredicate.ZeroMinBalance.selector)
        );
        _requireRevert(
            creator,
            address(_predicates.balance),
            _setBalance(toolId, _NO_CODE, 1),
            abi.encodeWithSelector(IERC20BalancePredicate.TokenNoCode.selector, _NO_CODE)
        );
        _requireRevert(
            creator,
            address(_predicates.subscription),
            _setGating(toolId, _NO_CODE, 1),
            abi.encodeWithSelector(ISubscriptionPredicate.CollectionNotAContract.selector, _NO_CODE)
        );
        _requireRevert(
            creator,
            composite,
            _compose(toolId, 2, _randomTerms(random.below(5), random)),
            abi.encodeWithSelector(ICompositePredicate.InvalidOperator.selector, 2)
        );
        _requireRevert(
            creator,
            composite,
            _compose(toolId, 1, new Term[](9)),
            abi.encodeWithSelector(ICompositePredicate.TooManyTerms.selector, 9, 8)
        );
        // The last check to fail.
        Term[] memory terms = new Term[](2);
        terms[0] = Term({ predicate: _leaf(random), negate: random.oneIn(2) });
        terms[1] = Term({ predicate: random.oneIn(2) ? composite : _NO_CODE, negate: random.oneIn(2) });
        _requireRevert(
            creator,
            composite,
            _compose(toolId, 1, terms),
            abi.encodeWithSelector(ICompositePredicate.InvalidTerm.selector, 1, terms[1].predicate)
        );

        (address[4] memory targets, bytes[4] memory setters) = _setters(random, TOOLS + 1);
        bytes memory unknown = abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, TOOLS + 1);
        for (uint256 i = 0; i < 4; ++i) {
            _requireRevert(creator, targets[i], setters[i], unknown);
        }
    }

    /* TOKENS AND TIME */

    /// @dev Tokens that currently fail are transferred too.
    function transferNFT(uint256 seed) external counted {
        Random memory random = Random(seed);
        PlainERC721 collection = PlainERC721(_collections[random.below(3)]);
        uint256 tokenId = random.below(2);
        address to = _account(random);

        _useWorkingCode(address(collection));
        address from = collection.ownerOf(tokenId);
        vm.prank(from);
        collection.transferFrom(from, to, tokenId);
        _useCurrentCode(address(collection));
        _STORE.move(address(collection), from, to, 1);
    }

    function transferBalance(uint256 seed) external counted {
        Random memory random = Random(seed);
        PlainERC20 token = PlainERC20(_erc20Tokens[random.below(2)]);
        address from = _account(random);
        address to = _account(random);
        uint256 amount = random.below(_STORE.balanceOf(address(token), from) + 1);

        _useWorkingCode(address(token));
        vm.prank(from);
        assertTrue(token.transfer(to, amount), "the transfer failed");
        _useCurrentCode(address(token));
        _STORE.move(address(token), from, to, amount);
    }

    /// @dev Grants, extends, shortens or removes a subscription.
    function changeSubscription(uint256 seed) external counted {
        Random memory random = Random(seed);
        address subscriptionToken = _subscriptionTokens[random.below(2)];
        uint256 index = random.below(3);
        Subscription memory current;
        current.isHeld = !random.oneIn(5);
        if (current.isHeld) {
            current.end = uint64(random.oneIn(8) ? type(uint64).max : _STORE.time() + random.below(40) * 1 days);
            current.tier = uint8(random.oneIn(8) ? type(uint8).max : random.below(4));
        }

        _useWorkingCode(subscriptionToken);
        uint256 tokenId = current.isHeld ? index + 1 : 0;
        PlainSubscription(subscriptionToken).set(_accounts[index], tokenId, current.end, current.tier);
        _useCurrentCode(subscriptionToken);
        _STORE.setSubscription(subscriptionToken, _accounts[index], current);
    }

    /// @dev Warps by up to ten days, or to the second in which a subscription expires or the second before.
    function warp(uint256 seed) external counted {
        Random memory random = Random(seed);
        uint256 time = _STORE.time() + random.below(10 days);
        if (random.oneIn(2)) {
            uint256 end = _STORE.subscriptionOf(_subscriptionTokens[random.below(2)], _account(random)).end;
            if (end > _STORE.time() && end != type(uint64).max) time = end - random.below(2);
        }
        vm.warp(time);
        _STORE.setTime(time);
    }

    /// @dev Makes a token fail in one of three ways, or work again.
    function switchToken(uint256 seed) external counted {
        Random memory random = Random(seed);
        address token = _unreliableTokens[random.below(3)];
        bool isFailing = random.oneIn(2);
        _currentCode[token] = isFailing ? _failures[random.below(3)] : _workingCode[token];
        _useCurrentCode(token);
        _STORE.setFailing(token, isFailing);
    }

    /* HELPERS */

    /// @dev Registers the tools and mints the initial tokens.
    function _initialize() private {
        for (uint256 i = 0; i < TOOLS; ++i) {
            vm.prank(_creators[i]);
            uint256 toolId = _REGISTRY.registerTool("ipfs://tool", "hash", address(_predicates.list));
            assertEq(toolId, i + 1, "unexpected tool id");
            _STORE.setPredicate(toolId, address(_predicates.list));
        }
        for (uint256 i = 0; i < 3; ++i) {
            for (uint256 tokenId = 0; tokenId < 2; ++tokenId) {
                PlainERC721(_collections[i]).mint(_accounts[tokenId], tokenId);
                _STORE.mint(_collections[i], _accounts[tokenId], 1);
            }
        }
        for (uint256 i = 0; i < 2; ++i) {
            PlainERC20(_erc20Tokens[i]).mint(_accounts[i], 100);
            _STORE.mint(_erc20Tokens[i], _accounts[i], 100);
        }
        _STORE.setTime(vm.getBlockTimestamp());
    }

    /// @dev One to four distinct collections in random order.
    function _randomCollections(Random memory random) private view returns (address[] memory chosen) {
        uint256 count = 1 + random.below(4);
        uint256 first = random.below(4);
        uint256 step = random.oneIn(2) ? 1 : 3;
        chosen = new address[](count);
        for (uint256 i = 0; i < count; ++i) {
            chosen[i] = _collections[(first + i * step) % 4];
        }
    }

    /// @dev A random amount, an account's exact balance, or one more.
    function _randomBalance(Random memory random) private view returns (address token, uint256 minBalance) {
        token = _erc20Tokens[random.below(2)];
        minBalance =
            random.oneIn(2) ? 1 + random.below(100) : _STORE.balanceOf(token, _account(random)) + random.below(2);
        if (minBalance == 0) minBalance = random.oneIn(2) ? 1 : type(uint256).max;
    }

    function _randomGating(Random memory random) private view returns (address collection, uint8 minTier) {
        collection = _subscriptionTokens[random.below(2)];
        minTier = uint8(random.oneIn(8) ? type(uint8).max : random.below(4));
    }

    /// @dev Up to four terms in one clause, in two, or in a clause each.
    function _randomClauses(Random memory random) private view returns (Term[][] memory clauses) {
        uint256 count = random.below(5);
        uint256 size = 1 + random.below(3);
        clauses = new Term[][]((count + size - 1) / size);
        for (uint256 i = 0; i < clauses.length; ++i) {
            clauses[i] = _randomTerms(count < size ? count : size, random);
            count -= clauses[i].length;
        }
    }

    /// @dev A predicate may occur more than once.
    function _randomTerms(uint256 count, Random memory random) private view returns (Term[] memory terms) {
        terms = new Term[](count);
        for (uint256 i = 0; i < terms.length; ++i) {
            terms[i] = Term({ predicate: _leaf(random), negate: random.oneIn(2) });
        }
    }

    /// @dev One call per predicate that is valid if sent by the tool's creator.
    function _setters(Random memory random, uint256 toolId)
        private
        view
        returns (address[4] memory targets, bytes[4] memory setters)
    {
        targets = [
            address(_predicates.list),
            address(_predicates.balance),
            address(_predicates.subscription),
            address(_predicates.composite)
        ];
        (address token, uint256 minBalance) = _randomBalance(random);
        (address collection, uint8 minTier) = _randomGating(random);
        setters[0] = _setCollections(toolId, _randomCollections(random));
        setters[1] = _setBalance(toolId, token, minBalance);
        setters[2] = _setGating(toolId, collection, minTier);
        setters[3] = _compose(toolId, uint8(random.below(2)), _randomTerms(random.below(5), random));
    }

    /// @dev These alternate between the overloads, with zero for the default stipends.
    function _setCollections(uint256 toolId, address[] memory list) private pure returns (bytes memory) {
        return list.length % 2 == 0
            ? abi.encodeWithSignature("setCollections(uint256,address[])", toolId, list)
            : abi.encodeWithSignature("setCollections(uint256,address[],uint256)", toolId, list, 0);
    }

    function _setBalance(uint256 toolId, address token, uint256 minBalance) private pure returns (bytes memory) {
        return minBalance % 2 == 0
            ? abi.encodeWithSignature("configureToolERC20(uint256,address,uint256)", toolId, token, minBalance)
            : abi.encodeWithSignature(
                "configureToolERC20(uint256,address,uint256,uint256)", toolId, token, minBalance, 0
            );
    }

    function _setGating(uint256 toolId, address collection, uint8 minTier) private pure returns (bytes memory) {
        return minTier % 2 == 0
            ? abi.encodeWithSignature("configureToolGating(uint256,address,uint8)", toolId, collection, minTier)
            : abi.encodeWithSignature(
                "configureToolGating(uint256,address,uint8,uint256)", toolId, collection, minTier, 0
            );
    }

    function _compose(uint256 toolId, uint8 op, Term[] memory terms) private pure returns (bytes memory) {
        if (terms.length % 2 == 0) return abi.encodeCall(ICompositePredicate.setComposition, (toolId, op, terms));
        Term[][] memory clauses = new Term[][](1);
        clauses[0] = terms;
        return abi.encodeCall(ICompositePredicate.setClauses, (toolId, op, clauses, new uint256[](0)));
    }

    function _requireRevert(address caller, address target, bytes memory data, bytes memory expectedError) private {
        vm.prank(caller);
        (bool success, bytes memory returndata) = target.call(data);
        assertRevert(success, returndata, expectedError);
    }

    function _useWorkingCode(address token) private {
        if (_workingCode[token] != address(0)) vm.etch(token, _workingCode[token].code);
    }

    function _useCurrentCode(address token) private {
        if (_currentCode[token] != address(0)) vm.etch(token, _currentCode[token].code);
    }

    function _leaf(Random memory random) private view returns (address) {
        address[4] memory leaves = [
            address(_predicates.list),
            address(_predicates.balance),
            address(_predicates.subscription),
            address(_predicates.deny)
        ];
        return leaves[random.below(4)];
    }

    function _tool(Random memory random) private pure returns (uint256) {
        return 1 + random.below(TOOLS);
    }

    function _creatorOf(uint256 toolId) private view returns (address) {
        return _creators[toolId - 1];
    }

    function _account(Random memory random) private view returns (address) {
        return _accounts[random.below(3)];
    }
}
