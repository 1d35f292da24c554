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
import { Assertions } from "test/support/Assertions.sol";
import { Dice } from "test/support/Dice.sol";
import { IRegistry } from "test/support/Shipped.sol";

/// @dev Sets up predicates for two tools of two creators, moves tokens between three accounts, lets time pass and has tokens
///      fall silent, and notes it all in the store. Every entry takes one seed, which decides everything.
contract PredicateHandler is Assertions {
    uint256 public constant TOOLS = 2;
    uint256 private constant MAX_BUDGET = 150_000;

    IRegistry private immutable _REGISTRY;
    PredicateStore private immutable _STORE;
    Predicates private _predicates;

    address[] private _creators;
    address[] private _accounts;

    /// @dev Of each kind an honest token, and one that can fall silent. The first pool also has an address without code.
    address[] private _collections;
    address[] private _coins;
    address[] private _passes;
    address private immutable _NO_CODE = makeAddr("a token without code");
    address private immutable _BURNING;

    /// @dev Tokens that can fall silent, where the honest code of each stands, and where the code stands that each has now.
    address[] private _fickle;
    address[] private _silences;
    mapping(address token => address) private _honestCode;
    mapping(address token => address) private _currentCode;

    constructor(IRegistry registry, PredicateStore store, Predicates memory predicates) {
        _REGISTRY = registry;
        _STORE = store;
        _predicates = predicates;
        _creators = [makeAddr("one creator"), makeAddr("another creator")];
        _accounts = [makeAddr("one account"), makeAddr("another account"), makeAddr("a third account")];
        _BURNING = address(new GasBurner());
        _silences = [address(new RevertingToken()), _BURNING, address(new ShortReturnToken())];

        _collections = [address(new PlainERC721()), address(new PlainERC721()), address(new PlainERC721()), _NO_CODE];
        _coins = [address(new PlainERC20()), address(new PlainERC20())];
        _passes = [address(new PlainSubscription()), address(new PlainSubscription())];
        _fickle = [_collections[2], _coins[1], _passes[1]];
        // The first of a kind never changes, so its code is the honest code of the kind.
        _honestCode[_collections[2]] = _currentCode[_collections[2]] = _collections[0];
        _honestCode[_coins[1]] = _currentCode[_coins[1]] = _coins[0];
        _honestCode[_passes[1]] = _currentCode[_passes[1]] = _passes[0];
        _begin();
    }

    modifier counted() {
        _STORE.addCall(msg.sig);
        _;
    }

    function accounts() external view returns (address[] memory) {
        return _accounts;
    }

    /* SET UP */

    function setCollections(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        uint256 toolId = _tool(dice);
        address[] memory collections = _someCollections(dice);

        vm.prank(_creatorOf(toolId));
        _predicates.list.setCollections(toolId, collections);
        _STORE.setList(toolId, collections);
    }

    function setBalance(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        uint256 toolId = _tool(dice);
        (address token, uint256 minBalance) = _someBalance(dice);

        vm.prank(_creatorOf(toolId));
        _predicates.balance.configureToolERC20(toolId, token, minBalance);
        _STORE.setBalance(toolId, token, minBalance);
    }

    function setGating(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        uint256 toolId = _tool(dice);
        (address collection, uint8 minTier) = _someGating(dice);

        vm.prank(_creatorOf(toolId));
        _predicates.subscription.configureToolGating(toolId, collection, minTier);
        _STORE.setGating(toolId, collection, minTier);
    }

    function setComposition(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        uint256 toolId = _tool(dice);
        uint8 op = uint8(dice.roll(2));
        Term[] memory terms = _someTerms(dice);
        uint256 budget = MAX_BUDGET;
        bool isGiven = dice.oneIn(2);
        if (isGiven && terms.length != 0 && terms.length < 4) budget = terms.length * _STORE.GAS_FOR_ANY();

        vm.prank(_creatorOf(toolId));
        if (isGiven) _predicates.composite.setComposition(toolId, op, terms, budget);
        else _predicates.composite.setComposition(toolId, op, terms);
        _STORE.setComposite(toolId, op, terms, budget);
    }

    /// @dev Sets one of the predicates up with nothing in it.
    function clear(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        uint256 toolId = _tool(dice);
        uint256 choice = dice.roll(4);

        vm.startPrank(_creatorOf(toolId));
        if (choice == 0) {
            _predicates.list.setCollections(toolId, new address[](0));
            _STORE.setList(toolId, new address[](0));
        } else if (choice == 1) {
            uint256 minBalance = dice.roll(2);
            _predicates.balance.configureToolERC20(toolId, address(0), minBalance);
            _STORE.setBalance(toolId, address(0), minBalance);
        } else if (choice == 2) {
            _predicates.subscription.configureToolGating(toolId, address(0), 0);
            _STORE.setGating(toolId, address(0), 0);
        } else {
            uint8 op = uint8(dice.roll(2));
            _predicates.composite.setComposition(toolId, op, new Term[](0));
            _STORE.setComposite(toolId, op, new Term[](0), MAX_BUDGET);
        }
        vm.stopPrank();
    }

    /// @dev Which of the predicates the registry asks.
    function setAccessPredicate(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        uint256 toolId = _tool(dice);
        address predicate = dice.oneIn(3) ? address(_predicates.composite) : _leaf(dice);

        vm.prank(_creatorOf(toolId));
        _REGISTRY.setAccessPredicate(toolId, predicate);
        _STORE.setPredicate(toolId, predicate);
    }

    /* REFUSED */

    function setUpAsStranger(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        uint256 toolId = _tool(dice);
        address[5] memory strangers =
            [_creatorOf(TOOLS + 1 - toolId), _account(dice), address(_REGISTRY), _leaf(dice), address(this)];
        address stranger = strangers[dice.roll(5)];
        bytes memory refusal =
            abi.encodeWithSelector(IConfiguredPredicate.CallerIsNotToolCreator.selector, toolId, stranger);

        (address[4] memory targets, bytes[4] memory setters) = _setters(dice, toolId);
        for (uint256 i = 0; i < 4; ++i) {
            vm.prank(stranger);
            (bool success, bytes memory returned) = targets[i].call(setters[i]);
            _STORE.addAttempt(!success && keccak256(returned) == keccak256(refusal));
        }
    }

    /// @dev The creator may, but not with these values; and nobody may for a tool that does not exist.
    function setUpInvalidly(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        uint256 toolId = _tool(dice);
        address creator = _creatorOf(toolId);
        address composite = address(_predicates.composite);

        _requireRevert(
            creator,
            address(_predicates.list),
            abi.encodeCall(IERC721OwnerPredicate.setCollections, (toolId, new address[](15))),
            abi.encodeWithSelector(IERC721OwnerPredicate.TooManyCollections.selector, 15, 14)
        );
        _requireRevert(
            creator,
            address(_predicates.balance),
            abi.encodeCall(IERC20BalancePredicate.configureToolERC20, (toolId, _coins[dice.roll(2)], 0)),
            abi.encodeWithSelector(IERC20BalancePredicate.MinBalanceIsZero.selector)
        );
        _requireRevert(
            creator,
            composite,
            _compose(toolId, 2, _someTerms(dice)),
            abi.encodeWithSelector(ICompositePredicate.InvalidOperator.selector, 2)
        );
        _requireRevert(
            creator,
            composite,
            _compose(toolId, 1, new Term[](9)),
            abi.encodeWithSelector(ICompositePredicate.TooManyTerms.selector, 9, 8)
        );
        // Found invalid last of all.
        Term[] memory terms = new Term[](2);
        terms[0] = Term({ predicate: _leaf(dice), negate: dice.oneIn(2) });
        terms[1] = Term({ predicate: dice.oneIn(2) ? composite : _NO_CODE, negate: dice.oneIn(2) });
        _requireRevert(
            creator,
            composite,
            _compose(toolId, 1, terms),
            abi.encodeWithSelector(ICompositePredicate.InvalidTerm.selector, 1, terms[1].predicate)
        );

        (address[4] memory targets, bytes[4] memory setters) = _setters(dice, TOOLS + 1);
        bytes memory unknown = abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, TOOLS + 1);
        for (uint256 i = 0; i < 4; ++i) {
            _requireRevert(creator, targets[i], setters[i], unknown);
        }
    }

    /* THE WORLD GOES ON */

    /// @dev Silent tokens move as well: what they do not say may change.
    function transferCollectible(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        PlainERC721 collection = PlainERC721(_collections[dice.roll(3)]);
        uint256 tokenId = dice.roll(2);
        address to = _account(dice);

        _beHonest(address(collection));
        address from = collection.ownerOf(tokenId);
        vm.prank(from);
        collection.transferFrom(from, to, tokenId);
        _beAsBefore(address(collection));
        _STORE.move(address(collection), from, to, 1);
    }

    function transferBalance(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        PlainERC20 coin = PlainERC20(_coins[dice.roll(2)]);
        address from = _account(dice);
        address to = _account(dice);
        uint256 amount = dice.roll(_STORE.held(address(coin), from) + 1);

        _beHonest(address(coin));
        vm.prank(from);
        assertTrue(coin.transfer(to, amount), "the transfer failed");
        _beAsBefore(address(coin));
        _STORE.move(address(coin), from, to, amount);
    }

    /// @dev Gives, prolongs, cuts short or takes away.
    function changeSubscription(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        address pass = _passes[dice.roll(2)];
        uint256 index = dice.roll(3);
        Subscription memory current;
        current.isHeld = !dice.oneIn(5);
        if (current.isHeld) {
            current.end = uint64(dice.oneIn(8) ? type(uint64).max : _STORE.time() + dice.roll(40) * 1 days);
            current.tier = uint8(dice.oneIn(8) ? type(uint8).max : dice.roll(4));
        }

        _beHonest(pass);
        uint256 tokenId = current.isHeld ? index + 1 : 0;
        PlainSubscription(pass).set(_accounts[index], tokenId, current.end, current.tier);
        _beAsBefore(pass);
        _STORE.setSubscription(pass, _accounts[index], current);
    }

    /// @dev Some days, or to the second at which a subscription ends or to the one before.
    function passTime(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        uint256 time = _STORE.time() + dice.roll(10 days);
        if (dice.oneIn(2)) {
            uint256 end = _STORE.subscriptionOf(_passes[dice.roll(2)], _account(dice)).end;
            if (end > _STORE.time() && end != type(uint64).max) time = end - dice.roll(2);
        }
        vm.warp(time);
        _STORE.setTime(time);
    }

    /// @dev A token falls silent in one way or another, or speaks again.
    function switchToken(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        address token = _fickle[dice.roll(3)];
        bool isSilent = dice.oneIn(2);
        _currentCode[token] = isSilent ? _silences[dice.roll(3)] : _honestCode[token];
        _beAsBefore(token);
        _STORE.setSilent(token, isSilent, _currentCode[token] == _BURNING);
    }

    /* PARTS */

    /// @dev Registers the tools and hands out the first tokens.
    function _begin() private {
        for (uint256 i = 0; i < TOOLS; ++i) {
            vm.prank(_creators[i]);
            uint256 toolId = _REGISTRY.registerTool("ipfs://tool", "hash", address(_predicates.list));
            assertEq(toolId, i + 1, "the tools are not the first ones");
            _STORE.setPredicate(toolId, address(_predicates.list));
        }
        for (uint256 i = 0; i < 3; ++i) {
            _STORE.addToken(_collections[i]);
            for (uint256 tokenId = 0; tokenId < 2; ++tokenId) {
                PlainERC721(_collections[i]).mint(_accounts[tokenId], tokenId);
                _STORE.mint(_collections[i], _accounts[tokenId], 1);
            }
        }
        for (uint256 i = 0; i < 2; ++i) {
            _STORE.addToken(_coins[i]);
            _STORE.addToken(_passes[i]);
            PlainERC20(_coins[i]).mint(_accounts[i], 100);
            _STORE.mint(_coins[i], _accounts[i], 100);
        }
        _STORE.setTime(vm.getBlockTimestamp());
    }

    /// @dev One to four of the pool in any order, each once.
    function _someCollections(Dice memory dice) private view returns (address[] memory chosen) {
        uint256 count = 1 + dice.roll(4);
        uint256 first = dice.roll(4);
        uint256 step = dice.oneIn(2) ? 1 : 3;
        chosen = new address[](count);
        for (uint256 i = 0; i < count; ++i) {
            chosen[i] = _collections[(first + i * step) % 4];
        }
    }

    /// @dev Any amount, or exactly what somebody has or one more.
    function _someBalance(Dice memory dice) private view returns (address token, uint256 minBalance) {
        token = dice.oneIn(6) ? _NO_CODE : _coins[dice.roll(2)];
        minBalance = dice.oneIn(2) ? 1 + dice.roll(100) : _STORE.held(token, _account(dice)) + dice.roll(2);
        if (minBalance == 0) minBalance = dice.oneIn(2) ? 1 : type(uint256).max;
    }

    function _someGating(Dice memory dice) private view returns (address collection, uint8 minTier) {
        collection = dice.oneIn(6) ? _NO_CODE : _passes[dice.roll(2)];
        minTier = uint8(dice.oneIn(8) ? type(uint8).max : dice.roll(4));
    }

    /// @dev Up to four terms, the same predicate more than once perhaps.
    function _someTerms(Dice memory dice) private view returns (Term[] memory terms) {
        terms = new Term[](dice.roll(5));
        for (uint256 i = 0; i < terms.length; ++i) {
            terms[i] = Term({ predicate: _leaf(dice), negate: dice.oneIn(2) });
        }
    }

    /// @dev A call to each of the predicates that would be accepted from the creator of a tool.
    function _setters(Dice memory dice, uint256 toolId)
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
        (address token, uint256 minBalance) = _someBalance(dice);
        (address collection, uint8 minTier) = _someGating(dice);
        setters[0] = abi.encodeCall(IERC721OwnerPredicate.setCollections, (toolId, _someCollections(dice)));
        setters[1] = abi.encodeCall(IERC20BalancePredicate.configureToolERC20, (toolId, token, minBalance));
        setters[2] = abi.encodeCall(ISubscriptionPredicate.configureToolGating, (toolId, collection, minTier));
        setters[3] = _compose(toolId, uint8(dice.roll(2)), _someTerms(dice));
    }

    /// @dev Either form of the call.
    function _compose(uint256 toolId, uint8 op, Term[] memory terms) private pure returns (bytes memory) {
        return terms.length % 2 == 0
            ? abi.encodeWithSignature("setComposition(uint256,uint8,(address,bool)[])", toolId, op, terms)
            : abi.encodeWithSignature(
                "setComposition(uint256,uint8,(address,bool)[],uint256)", toolId, op, terms, MAX_BUDGET
            );
    }

    function _requireRevert(address caller, address target, bytes memory data, bytes memory refusal) private {
        vm.prank(caller);
        (bool success, bytes memory returned) = target.call(data);
        assertRevert(success, returned, refusal);
    }

    function _beHonest(address token) private {
        if (_honestCode[token] != address(0)) vm.etch(token, _honestCode[token].code);
    }

    function _beAsBefore(address token) private {
        if (_currentCode[token] != address(0)) vm.etch(token, _currentCode[token].code);
    }

    function _leaf(Dice memory dice) private view returns (address) {
        address[4] memory leaves = [
            address(_predicates.list),
            address(_predicates.balance),
            address(_predicates.subscription),
            address(_predicates.deny)
        ];
        return leaves[dice.roll(4)];
    }

    function _tool(Dice memory dice) private pure returns (uint256) {
        return 1 + dice.roll(TOOLS);
    }

    function _creatorOf(uint256 toolId) private view returns (address) {
        return _creators[toolId - 1];
    }

    function _account(Dice memory dice) private view returns (address) {
        return _accounts[dice.roll(3)];
    }
}
