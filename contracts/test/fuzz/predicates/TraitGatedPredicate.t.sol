// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ITraitGatedPredicate, ToolTraitConfig } from "src/interfaces/predicates/ITraitGatedPredicate.sol";
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
        bytes32[] memory values = new bytes32[](1 + random.below(10));
        bool isAllowed = false;
        for (uint256 i = 0; i < values.length; i++) {
            values[i] = bytes32(1 + random.below(12));
            if (values[i] == value) isAllowed = true;
        }
        _configure(_call(address(token), address(token), key, values));

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
        bytes32[] memory values = new bytes32[](1);
        values[0] = "value";
        token.setTrait(0, 0, "value");
        _configure(_call(address(token), address(token), 0, values));
        assertResult(agent, abi.encode(0), abi.encode(true));
        assertResult(agent, data, abi.encode(false));
    }

    function testFuzz_StoresConfiguration(uint256 seed, bytes32 key, bytes32[] memory values) external {
        Random memory random = Random(seed);
        address collection = _copy(address(token), random.below(5));
        address traits = _copy(address(token), random.below(5));
        vm.assume(values.length != 0 && values.length <= 123);
        for (uint256 i = 0; i < values.length; i++) {
            if (values[i] == 0) values[i] = "value";
        }
        bytes32[] memory topics = _topics(ITraitGatedPredicate.ToolTraitConfigured.selector, tool, collection);
        _configure(_call(collection, traits, key, values), topics, abi.encode(traits, key, values));
        (bool success, bytes memory returndata) =
            predicate.staticcall(abi.encodeCall(ITraitGatedPredicate.getToolTraitConfig, (tool)));
        assertTrue(success, "the getter reverted");
        assertEq(returndata, abi.encode(ToolTraitConfig(collection, traits, key, values)), "configuration");
    }

    function _call(address collection, address traits, bytes32 key, bytes32[] memory values)
        private
        view
        returns (bytes memory)
    {
        return abi.encodeWithSignature(
            "configureToolTrait(uint256,address,address,bytes32,bytes32[])", tool, collection, traits, key, values
        );
    }
}
