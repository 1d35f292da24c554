// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { GasConsumingToken } from "test/mocks/tokens/GasConsumingToken.sol";
import { PlainERC1155 } from "test/mocks/tokens/PlainERC1155.sol";
import { Access } from "test/support/Access.sol";
import { Random } from "test/support/Random.sol";
import { TokenLists } from "test/support/TokenLists.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC1155OwnerPredicateFuzzTest is TokenPredicateTest {
    uint256 private constant MAX_UNITS = 50;

    PlainERC1155[] private valid;
    address[] private failing;
    address private burner;
    address private gasConsuming;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("ERC1155OwnerPredicate", abi.encode(registry)));
        for (uint256 i = 0; i < 3; i++) {
            valid.push(new PlainERC1155());
            bytes memory mint = abi.encodeCall(PlainERC1155.mint, (creator, 0, 1));
            valid.push(PlainERC1155(_deployProxy(address(new PlainERC1155()), mint)));
        }
        failing = _failingTokens();
        burner = address(new GasBurner());
        gasConsuming = address(new GasConsumingToken(1));
    }

    function testFuzz_MatchesModel(uint256 seed, bytes calldata data) external {
        Random memory random = Random(seed);
        uint256 held = random.below(4);
        for (uint256 i = 0; i < held; i++) {
            valid[random.below(valid.length)].mint(agent, random.below(20), random.below(3));
        }
        CollectionTokens[] memory list = _shape(random, 20);
        Access expected = Access.Denied;
        bool allowsFailing = random.oneIn(2);
        for (uint256 i = 0; i < list.length; i++) {
            if (allowsFailing && random.oneIn(8)) {
                list[i].collection = failing[random.below(failing.length)];
                if (expected == Access.Denied) expected = Access.Unknown;
                continue;
            }
            PlainERC1155 collection = valid[random.below(valid.length)];
            list[i].collection = address(collection);
            for (uint256 j = 0; j < list[i].tokenIds.length; j++) {
                if (collection.balanceOf(agent, list[i].tokenIds[j]) > 0) expected = Access.Granted;
            }
        }
        _set(list);
        assertEq(uint256(_predicateAccess(agent, data, AMPLE_GAS)), uint256(expected), "predicate");
        assertEq(uint256(_registryAccess(agent, data, AMPLE_GAS)), uint256(expected), "registry");

        Access limited = _predicateAccess(agent, data, random.below(220_000));
        assertTrue(limited == expected || limited == Access.Unknown, "result depends on gas");
    }

    function testFuzz_MaximumListsFitGasLimit(uint256 seed) external {
        Random memory random = Random(seed);
        CollectionTokens[] memory list = _maximumShape(random);
        for (uint256 i = 0; i < list.length; i++) {
            list[i].collection = _copy(burner, i);
        }
        uint256 last = list.length - 1;
        uint256 lastId = list[last].tokenIds[list[last].tokenIds.length - 1];
        address working = address(valid[1]);
        if (PlainERC1155(working).balanceOf(agent, lastId) == 0) PlainERC1155(working).mint(agent, lastId, 1);
        list[last].collection = working;
        _set(list);
        assertEq(
            uint256(_registryAccess(agent, "", AMPLE_GAS)), uint256(Access.Granted), "all other collections burn gas"
        );

        list[last].collection = gasConsuming;
        _set(list);
        assertEq(
            uint256(_registryAccess(agent, "", AMPLE_GAS)),
            uint256(Access.Granted),
            "all collections consume their stipend"
        );
    }

    function testFuzz_StoresTokens(uint256 seed) external {
        Random memory random = Random(seed);
        CollectionTokens[] memory list = _shape(random, type(uint256).max);
        bytes32[] memory topics = _topics(IERC1155OwnerPredicate.CollectionTokensSet.selector, tool);
        _configure(_call(list), topics, abi.encode(list));
        assertEq(abi.encode(IERC1155OwnerPredicate(predicate).getCollectionTokens(tool)), abi.encode(list), "list");
    }

    function testFuzz_LimitIsExact(uint8 groups, uint8 ids) external {
        CollectionTokens[] memory list =
            TokenLists.even(address(valid[0]), bound(groups, 1, 14), bound(ids, 1, 60), ids);
        uint256 units = TokenLists.unitsOf(list);
        if (units <= MAX_UNITS) {
            _set(list);
        } else {
            _assertReverts(
                _call(list), abi.encodeWithSelector(IERC1155OwnerPredicate.TooManyTokens.selector, units, MAX_UNITS)
            );
        }
    }

    /// @dev A random valid list with ids below `ids`.
    function _shape(Random memory random, uint256 ids) private view returns (CollectionTokens[] memory list) {
        uint256[] memory counts = new uint256[](random.below(12));
        uint256 left = MAX_UNITS;
        uint256 groups = 0;
        for (uint256 i = 0; i < counts.length; i++) {
            counts[i] = 1 + random.below(random.oneIn(3) ? 20 : 4);
            if (4 + counts[i] > left) break;
            left -= 4 + counts[i];
            groups++;
        }
        return _list(random, counts, groups, ids);
    }

    /// @dev A list to which no id can be added.
    function _maximumShape(Random memory random) private view returns (CollectionTokens[] memory) {
        uint256[] memory counts = new uint256[](10);
        uint256 groups = 0;
        uint256 left = MAX_UNITS;
        uint256 maxWidth = 1 + random.below(MAX_UNITS - 4);
        while (left > 4) {
            counts[groups] = 1 + random.below(left - 4 < maxWidth ? left - 4 : maxWidth);
            left -= 4 + counts[groups++];
        }
        counts[groups - 1] += left;
        return _list(random, counts, groups, type(uint256).max);
    }

    function _list(Random memory random, uint256[] memory counts, uint256 groups, uint256 ids)
        private
        view
        returns (CollectionTokens[] memory list)
    {
        list = new CollectionTokens[](groups);
        for (uint256 i = 0; i < groups; i++) {
            list[i].collection = address(valid[0]);
            list[i].tokenIds = new uint256[](counts[i]);
            for (uint256 j = 0; j < counts[i]; j++) {
                list[i].tokenIds[j] = random.below(ids);
            }
        }
    }

    function _call(CollectionTokens[] memory list) private view returns (bytes memory) {
        return abi.encodeWithSignature("setCollectionTokens(uint256,(address,uint256[])[])", tool, list);
    }

    function _set(CollectionTokens[] memory list) private {
        _configure(_call(list));
    }
}
