// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ITraitGatedPredicate } from "src/interfaces/predicates/ITraitGatedPredicate.sol";
import { PlainERC7496 } from "test/mocks/tokens/PlainERC7496.sol";
import { Access } from "test/support/Access.sol";
import { Random } from "test/support/Random.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract TraitGatedPredicateFuzzTest is TokenPredicateTest {
    PlainERC7496 private token;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("TraitGatedPredicate", abi.encode(registry)));
        token = new PlainERC7496();
    }

    function testFuzz_MatchesModel(uint256 seed, bytes32 key) external {
        Random memory random = Random(seed);
        uint256 tokenId = random.below(3);
        address owner = random.oneIn(3) ? eve : agent;
        bytes32 value = bytes32(random.below(12));
        token.mint(owner, tokenId);
        token.setTrait(tokenId, key, value);
        bytes32[] memory values = new bytes32[](random.below(10));
        bool isAllowed = false;
        for (uint256 i = 0; i < values.length; i++) {
            values[i] = bytes32(random.below(12));
            if (values[i] == value) isAllowed = true;
        }
        _configure(
            abi.encodeCall(ITraitGatedPredicate.configureToolTrait, (tool, address(token), address(token), key, values))
        );

        Access expected = owner == agent && isAllowed ? Access.Granted : Access.Denied;
        bytes memory data = abi.encode(tokenId);
        assertEq(uint256(_predicateAccess(agent, data, AMPLE_GAS)), uint256(expected), "predicate");
        assertEq(uint256(_registryAccess(agent, data, AMPLE_GAS)), uint256(expected), "registry");
        Access limited = _predicateAccess(agent, data, random.below(80_000));
        assertTrue(limited == expected || limited == Access.Unknown, "result depends on gas");
    }

    function testFuzz_DeniesDataOfWrongLength(bytes calldata data) external {
        vm.assume(data.length != 32);
        token.mint(agent, 0);
        _configure(
            abi.encodeCall(
                ITraitGatedPredicate.configureToolTrait,
                (tool, address(token), address(token), bytes32(0), new bytes32[](1))
            )
        );
        assertResult(agent, data, abi.encode(false));
    }

    function testFuzz_StoresConfiguration(address collection, address traits, bytes32 key, bytes32[] calldata values)
        external
    {
        bytes memory call =
            abi.encodeCall(ITraitGatedPredicate.configureToolTrait, (tool, collection, traits, key, values));
        bytes32[] memory topics = _topics(ITraitGatedPredicate.ToolTraitConfigured.selector, tool, collection);
        _configure(call, topics, abi.encode(traits, key, values));
        (bool success, bytes memory returndata) =
            predicate.staticcall(abi.encodeCall(ITraitGatedPredicate.getToolTraitConfig, (tool)));
        assertTrue(success, "the getter reverted");
        assertEq(returndata, abi.encode(collection, traits, key, values), "configuration");
    }
}
