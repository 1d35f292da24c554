// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { Access } from "test/support/Access.sol";
import { Random } from "test/support/Random.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC721OwnerPredicateFuzzTest is TokenPredicateTest {
    PlainERC721[] private valid;
    address[] private failing;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("ERC721OwnerPredicate", abi.encode(registry)));
        for (uint256 i = 0; i < 4; i++) {
            valid.push(new PlainERC721());
            bytes memory mint = abi.encodeCall(PlainERC721.mint, (creator, 0));
            valid.push(PlainERC721(_deployProxy(address(valid[0]), mint)));
        }
        failing = _failingTokens();
    }

    function testFuzz_MatchesModel(uint256 seed, bytes calldata data) external {
        Random memory random = Random(seed);
        uint256 held = random.below(4);
        for (uint256 i = 0; i < held; i++) {
            valid[random.below(valid.length)].mint(agent, i + 1);
        }
        address[] memory list =
            new address[](random.below(IERC721OwnerPredicate(predicate).MAX_COLLECTIONS_PER_TOOL() + 1));
        Access expected = Access.Denied;
        bool allowsFailing = random.oneIn(2);
        for (uint256 i = 0; i < list.length; i++) {
            bool isFailing = allowsFailing && random.oneIn(8);
            list[i] = isFailing ? failing[random.below(failing.length)] : address(valid[random.below(valid.length)]);
            if (isFailing && expected == Access.Denied) expected = Access.Unknown;
            if (!isFailing && PlainERC721(list[i]).balanceOf(agent) > 0) expected = Access.Granted;
        }
        // The first stipend is sufficient for every valid collection.
        if (random.oneIn(2)) _configure(_call(list));
        else _configure(abi.encodeWithSignature("setCollections(uint256,address[],uint256)", tool, list, 12_000));
        assertEq(uint256(_predicateAccess(agent, data, AMPLE_GAS)), uint256(expected), "predicate");
        assertEq(uint256(_registryAccess(agent, data, AMPLE_GAS)), uint256(expected), "registry");

        Access limited = _predicateAccess(agent, data, random.below(220_000));
        assertTrue(limited == expected || limited == Access.Unknown, "result depends on gas");
    }

    function testFuzz_StoresCollections(uint256 seed) external {
        Random memory random = Random(seed);
        uint256 max = IERC721OwnerPredicate(predicate).MAX_COLLECTIONS_PER_TOOL();
        address[] memory list = new address[](random.below(max + 3));
        for (uint256 i = 0; i < list.length; i++) {
            list[i] = _copy(address(valid[0]), random.below(20));
        }
        if (list.length > max) {
            _assertReverts(
                _call(list), abi.encodeWithSelector(IERC721OwnerPredicate.TooManyCollections.selector, list.length, max)
            );
            return;
        }
        _configure(_call(list), _topics(IERC721OwnerPredicate.CollectionsSet.selector, tool), abi.encode(list));
        assertEq(abi.encode(IERC721OwnerPredicate(predicate).getCollections(tool)), abi.encode(list), "list");
    }

    function _call(address[] memory list) private view returns (bytes memory) {
        return abi.encodeWithSignature("setCollections(uint256,address[])", tool, list);
    }
}
