// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ITraitGatedPredicate } from "src/interfaces/predicates/ITraitGatedPredicate.sol";
import { PlainERC7496 } from "test/mocks/tokens/PlainERC7496.sol";
import { Dice } from "test/support/Dice.sol";
import { Answer, TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract TraitGatedPredicateFuzzTest is TokenPredicateTest {
    PlainERC7496 private token;

    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("TraitGatedPredicate", abi.encode(registry)));
        token = new PlainERC7496();
    }

    function testFuzz_AnswerIsTheModels(uint256 seed, bytes32 key) external {
        Dice memory dice = Dice(seed);
        uint256 tokenId = dice.roll(3);
        address owner = dice.oneIn(3) ? stranger : agent;
        bytes32 value = bytes32(dice.roll(12));
        token.mint(owner, tokenId);
        token.setTrait(tokenId, key, value);
        bytes32[] memory values = new bytes32[](dice.roll(10));
        bool isAllowed = false;
        for (uint256 i = 0; i < values.length; i++) {
            values[i] = bytes32(dice.roll(12));
            if (values[i] == value) isAllowed = true;
        }
        _configure(
            abi.encodeCall(ITraitGatedPredicate.configureToolTrait, (tool, address(token), address(token), key, values))
        );

        Answer expected = owner == agent && isAllowed ? Answer.Yes : Answer.No;
        bytes memory data = abi.encode(tokenId);
        assertEq(uint256(_askPredicate(agent, data, PLENTY)), uint256(expected), "the predicate");
        assertEq(uint256(_askRegistry(agent, data, PLENTY)), uint256(expected), "the registry");
        Answer starved = _askPredicate(agent, data, dice.roll(80_000));
        assertTrue(starved == expected || starved == Answer.Unknown, "less gas, another answer");
    }

    function testFuzz_DataOfAnotherLengthIsANo(bytes calldata data) external {
        vm.assume(data.length != 32);
        token.mint(agent, 0);
        _configure(
            abi.encodeCall(
                ITraitGatedPredicate.configureToolTrait,
                (tool, address(token), address(token), bytes32(0), new bytes32[](1))
            )
        );
        assertAnswer(agent, data, abi.encode(false));
    }

    function testFuzz_ConfigurationIsKept(address collection, address traits, bytes32 key, bytes32[] calldata values)
        external
    {
        bytes memory call =
            abi.encodeCall(ITraitGatedPredicate.configureToolTrait, (tool, collection, traits, key, values));
        bytes32[] memory topics = _topics(ITraitGatedPredicate.ToolTraitConfigured.selector, tool, collection);
        _configure(call, topics, abi.encode(traits, key, values));
        (bool success, bytes memory answer) =
            predicate.staticcall(abi.encodeCall(ITraitGatedPredicate.getToolTraitConfig, (tool)));
        assertTrue(success, "reading back reverted");
        assertEq(answer, abi.encode(collection, traits, key, values), "the configuration");
    }
}
