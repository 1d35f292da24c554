// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { GasConsumingToken } from "test/mocks/tokens/GasConsumingToken.sol";
import { GasDependentToken } from "test/mocks/tokens/GasDependentToken.sol";
import { PlainERC1155 } from "test/mocks/tokens/PlainERC1155.sol";
import { TokenLists } from "test/support/TokenLists.sol";
import { Answer, TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC1155OwnerPredicateGasTest is TokenPredicateTest {
    uint256 private constant HELD = 1_000_000;

    /// @dev Proxies with an implementation each, so that nothing is warm; `agent` holds HELD of each.
    address[] private proxies;
    address private burner;

    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("ERC1155OwnerPredicate", abi.encode(registry)));
        for (uint256 i = 0; i < _maxGroups(); i++) {
            bytes memory mint = abi.encodeCall(PlainERC1155.mint, (agent, HELD, 1));
            proxies.push(_proxied(address(new PlainERC1155()), mint));
        }
        burner = address(new GasBurner());
    }

    function test_StateIsCold() external {
        _set(_honest(1, 1));
        uint256 first = _gasNeeded(agent, "", Answer.Yes);
        assertGt(first, 2100 + 2600 + 2600, "storage, list and collection were warm");
        assertEq(_gasNeeded(agent, "", Answer.Yes), first, "asking warms something up");
    }

    /* NO ANSWER DEPENDS ON GAS */

    function test_GasDecidesNothing_GivenFewTokens() external {
        _assertGasDecidesNothing(_honest(1, 1));
        _assertGasDecidesNothing(_honest(2, 1));
    }

    function test_GasDecidesNothing_GivenTwoTimesSixteen() external {
        _assertGasDecidesNothing(_honest(2, 16));
    }

    function test_GasDecidesNothing_GivenMostCollections() external {
        _assertGasDecidesNothing(_honest(_maxGroups(), 1));
    }

    function test_GasDecidesNothing_GivenMostIds() external {
        _assertGasDecidesNothing(_honest(1, _maxIds()));
    }

    function test_GasDecidesNothing_GivenTheFirstOfTwoDoesNotAnswer() external {
        _assertBurnerDecidesNothing(_honest(2, 16), true);
    }

    function test_GasDecidesNothing_GivenTheSecondOfTwoDoesNotAnswer() external {
        _assertBurnerDecidesNothing(_honest(2, 16), false);
    }

    function test_GasDecidesNothing_GivenTheFirstOfMostDoesNotAnswer() external {
        _assertBurnerDecidesNothing(_honest(_maxGroups(), 1), true);
    }

    function test_GasDecidesNothing_GivenTheLastOfMostDoesNotAnswer() external {
        _assertBurnerDecidesNothing(_honest(_maxGroups(), 1), false);
    }

    function test_GasDecidesNothing_GivenACollectionSwallowsOutOfGas() external {
        CollectionTokens[][3] memory lists = [_honest(1, 1), _honest(2, 3), _honest(_maxGroups(), 1)];
        for (uint256 i = 0; i < lists.length; i++) {
            CollectionTokens[] memory list = lists[i];
            uint256 last = list.length - 1;
            uint256 stipend = 9000 + 3000 * list[last].tokenIds.length;
            uint256 threshold = [stipend - 300, stipend * 3 / 4, stipend / 2][i];
            list[last].collection = address(new GasDependentToken(threshold, 0, 1));
            _set(list);
            assertGasDecidesNothing(stranger, "", Answer.Yes);
            list[last].collection = address(new GasDependentToken(threshold, 1, 0));
            _set(list);
            assertGasDecidesNothing(stranger, "", Answer.No);
        }
    }

    /* EVERY ACCEPTED LIST IS USABLE */

    function test_Usable_GivenProxies() external {
        for (uint256 groups = 1; groups <= _maxGroups(); groups++) {
            _set(_honest(groups, _maxIdsOfEach(groups)));
            assertUsable(agent, "", Answer.Yes);
            assertUsable(stranger, "", Answer.No);
        }
    }

    function test_Usable_GivenEveryOtherBurnsAll() external {
        for (uint256 groups = 1; groups <= _maxGroups(); groups++) {
            _assertUsable(_honest(groups, _maxIdsOfEach(groups)));
        }
        _assertUsable(_honest(2, 16));
    }

    function test_Usable_GivenOneLongCollection() external {
        for (uint256 groups = 2; groups < _maxGroups(); groups++) {
            CollectionTokens[] memory list = _honest(groups, 1);
            uint256 taken = TokenLists.gasOf(IERC1155OwnerPredicate(predicate), list);
            uint256 one = IERC1155OwnerPredicate(predicate).gasToAsk(1);
            uint256 count = TokenLists.maxIds(IERC1155OwnerPredicate(predicate), taken - one);
            list[0].tokenIds = TokenLists.ids(count, 0);
            _assertUsable(list);
            list[0].tokenIds = TokenLists.ids(1, 0);
            list[groups - 1].tokenIds = TokenLists.ids(count, 0);
            list[groups - 1].tokenIds[count - 1] = HELD;
            _assertUsable(list);
        }
    }

    function test_Usable_GivenAllUseAllTheyGet() external {
        address no = address(new GasConsumingToken(0));
        address yes = address(new GasConsumingToken(1));
        for (uint256 groups = 1; groups <= _maxGroups(); groups++) {
            CollectionTokens[] memory list = _honest(groups, _maxIdsOfEach(groups));
            for (uint256 i = 0; i < groups; i++) {
                list[i].collection = _copy(no, i);
            }
            _set(list);
            assertUsable(agent, "", Answer.No);
            for (uint256 i = 0; i < groups; i++) {
                list[i].collection = _copy(burner, i);
            }
            list[groups - 1].collection = yes;
            _set(list);
            assertUsable(agent, "", Answer.Yes);
        }
    }

    function _assertGasDecidesNothing(CollectionTokens[] memory list) private {
        _set(list);
        assertGasDecidesNothing(agent, "", Answer.Yes);
        assertGasDecidesNothing(stranger, "", Answer.No);
    }

    /// @dev With a burner in place of the first collection, or in place of the last and the held one first.
    function _assertBurnerDecidesNothing(CollectionTokens[] memory list, bool isFirst) private {
        uint256 last = list.length - 1;
        list[0].collection = burner;
        if (!isFirst) (list[0], list[last]) = (list[last], list[0]);
        _set(list);
        assertGasDecidesNothing(agent, "", Answer.Yes);
        assertGasDecidesNothing(stranger, "", Answer.Unknown);
    }

    /// @dev With a burner in place of every collection but the last.
    function _assertUsable(CollectionTokens[] memory list) private {
        for (uint256 i = 0; i + 1 < list.length; i++) {
            list[i].collection = _copy(burner, i);
        }
        _set(list);
        assertUsable(agent, "", Answer.Yes);
    }

    /// @dev `groups` proxies with `count` ids each, of which `agent` holds the very last.
    function _honest(uint256 groups, uint256 count) private view returns (CollectionTokens[] memory list) {
        list = TokenLists.even(groups, count, 0);
        for (uint256 i = 0; i < groups; i++) {
            list[i].collection = proxies[i];
        }
        list[groups - 1].tokenIds[count - 1] = HELD;
    }

    function _set(CollectionTokens[] memory list) private {
        _configure(abi.encodeCall(IERC1155OwnerPredicate.setCollectionTokens, (tool, list)));
    }

    function _maxGroups() private view returns (uint256) {
        return IERC1155OwnerPredicate(predicate).MAX_GAS() / IERC1155OwnerPredicate(predicate).gasToAsk(1);
    }

    function _maxIds() private view returns (uint256) {
        return TokenLists.maxIds(IERC1155OwnerPredicate(predicate), 0);
    }

    function _maxIdsOfEach(uint256 groups) private view returns (uint256 count) {
        while (groups * IERC1155OwnerPredicate(predicate).gasToAsk(count + 1) <= _maxGas()) {
            count++;
        }
    }

    function _maxGas() private view returns (uint256) {
        return IERC1155OwnerPredicate(predicate).MAX_GAS();
    }
}
