// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { GasConsumingToken } from "test/mocks/tokens/GasConsumingToken.sol";
import { GasDependentToken } from "test/mocks/tokens/GasDependentToken.sol";
import { PlainERC1155 } from "test/mocks/tokens/PlainERC1155.sol";
import { Access } from "test/support/Access.sol";
import { TokenLists } from "test/support/TokenLists.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC1155OwnerPredicateGasTest is TokenPredicateTest {
    uint256 private constant HELD = 1_000_000;

    /// @dev Proxies with separate implementations, so that all are cold. `agent` holds id HELD of each.
    address[] private proxies;
    address private burner;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("ERC1155OwnerPredicate", abi.encode(registry)));
        for (uint256 i = 0; i < _maxGroups(); i++) {
            bytes memory mint = abi.encodeCall(PlainERC1155.mint, (agent, HELD, 1));
            proxies.push(_deployProxy(address(new PlainERC1155()), mint));
        }
        burner = address(new GasBurner());
    }

    function test_StateIsCold() external {
        _set(_proxyList(1, 1));
        uint256 first = _gasNeeded(agent, "", Access.Granted);
        assertGt(first, 2100 + 2600 + 2600, "storage, list or collection was warm");
        assertEq(_gasNeeded(agent, "", Access.Granted), first, "the first check left warm state");
    }

    /* RESULTS DO NOT DEPEND ON GAS */

    function test_IndependentOfGas_GivenFewTokens() external {
        _assertIndependentOfGas(_proxyList(1, 1));
        _assertIndependentOfGas(_proxyList(2, 1));
    }

    function test_IndependentOfGas_GivenTwoCollectionsOfSixteenIds() external {
        _assertIndependentOfGas(_proxyList(2, 16));
    }

    function test_IndependentOfGas_GivenMaximumCollections() external {
        _assertIndependentOfGas(_proxyList(_maxGroups(), 1));
    }

    function test_IndependentOfGas_GivenMaximumIds() external {
        _assertIndependentOfGas(_proxyList(1, _maxIds()));
    }

    function test_IndependentOfGas_GivenFirstOfTwoFails() external {
        _assertIndependentOfGasWithBurner(_proxyList(2, 16), true);
    }

    function test_IndependentOfGas_GivenSecondOfTwoFails() external {
        _assertIndependentOfGasWithBurner(_proxyList(2, 16), false);
    }

    function test_IndependentOfGas_GivenFirstOfMaximumFails() external {
        _assertIndependentOfGasWithBurner(_proxyList(_maxGroups(), 1), true);
    }

    function test_IndependentOfGas_GivenLastOfMaximumFails() external {
        _assertIndependentOfGasWithBurner(_proxyList(_maxGroups(), 1), false);
    }

    function test_IndependentOfGas_GivenCollectionCatchesOutOfGas() external {
        CollectionTokens[][3] memory lists = [_proxyList(1, 1), _proxyList(2, 3), _proxyList(_maxGroups(), 1)];
        for (uint256 i = 0; i < lists.length; i++) {
            CollectionTokens[] memory list = lists[i];
            uint256 last = list.length - 1;
            uint256 stipend = 9000 + 3000 * list[last].tokenIds.length;
            uint256 threshold = [stipend - 300, stipend * 3 / 4, stipend / 2][i];
            list[last].collection = address(new GasDependentToken(threshold, 0, 1));
            _set(list);
            assertIndependentOfGas(eve, "", Access.Granted);
            list[last].collection = address(new GasDependentToken(threshold, 1, 0));
            _set(list);
            assertIndependentOfGas(eve, "", Access.Denied);
        }
    }

    /* EVERY VALID LIST FITS THE GAS LIMIT */

    function test_FitsGasLimit_GivenProxies() external {
        for (uint256 groups = 1; groups <= _maxGroups(); groups++) {
            _set(_proxyList(groups, _maxIdsOfEach(groups)));
            assertFitsGasLimit(agent, "", Access.Granted);
            assertFitsGasLimit(eve, "", Access.Denied);
        }
    }

    function test_FitsGasLimit_GivenAllOthersBurnGas() external {
        for (uint256 groups = 1; groups <= _maxGroups(); groups++) {
            _assertFitsGasLimit(_proxyList(groups, _maxIdsOfEach(groups)));
        }
        _assertFitsGasLimit(_proxyList(2, 16));
    }

    function test_FitsGasLimit_GivenOneLongCollection() external {
        for (uint256 groups = 2; groups < _maxGroups(); groups++) {
            CollectionTokens[] memory list = _proxyList(groups, 1);
            uint256 taken = TokenLists.gasOf(IERC1155OwnerPredicate(predicate), list);
            uint256 gasOfOne = IERC1155OwnerPredicate(predicate).gasToAsk(1);
            uint256 count = TokenLists.maxIds(IERC1155OwnerPredicate(predicate), taken - gasOfOne);
            list[0].tokenIds = TokenLists.ids(count, 0);
            _assertFitsGasLimit(list);
            list[0].tokenIds = TokenLists.ids(1, 0);
            list[groups - 1].tokenIds = TokenLists.ids(count, 0);
            list[groups - 1].tokenIds[count - 1] = HELD;
            _assertFitsGasLimit(list);
        }
    }

    function test_FitsGasLimit_GivenAllConsumeStipend() external {
        address denying = address(new GasConsumingToken(0));
        address granting = address(new GasConsumingToken(1));
        for (uint256 groups = 1; groups <= _maxGroups(); groups++) {
            CollectionTokens[] memory list = _proxyList(groups, _maxIdsOfEach(groups));
            for (uint256 i = 0; i < groups; i++) {
                list[i].collection = _copy(denying, i);
            }
            _set(list);
            assertFitsGasLimit(agent, "", Access.Denied);
            for (uint256 i = 0; i < groups; i++) {
                list[i].collection = _copy(burner, i);
            }
            list[groups - 1].collection = granting;
            _set(list);
            assertFitsGasLimit(agent, "", Access.Granted);
        }
    }

    function _assertIndependentOfGas(CollectionTokens[] memory list) private {
        _set(list);
        assertIndependentOfGas(agent, "", Access.Granted);
        assertIndependentOfGas(eve, "", Access.Denied);
    }

    /// @dev Replaces one collection by a gas burner: the first, or the last with the held collection moved to the front.
    function _assertIndependentOfGasWithBurner(CollectionTokens[] memory list, bool isFirst) private {
        uint256 last = list.length - 1;
        list[0].collection = burner;
        if (!isFirst) (list[0], list[last]) = (list[last], list[0]);
        _set(list);
        assertIndependentOfGas(agent, "", Access.Granted);
        assertIndependentOfGas(eve, "", Access.Unknown);
    }

    /// @dev Replaces every collection but the last by a gas burner.
    function _assertFitsGasLimit(CollectionTokens[] memory list) private {
        for (uint256 i = 0; i + 1 < list.length; i++) {
            list[i].collection = _copy(burner, i);
        }
        _set(list);
        assertFitsGasLimit(agent, "", Access.Granted);
    }

    /// @dev `groups` proxies with `count` ids each; `agent` holds only the last id.
    function _proxyList(uint256 groups, uint256 count) private view returns (CollectionTokens[] memory list) {
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
