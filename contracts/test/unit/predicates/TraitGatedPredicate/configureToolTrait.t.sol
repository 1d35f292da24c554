// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { ITraitGatedPredicate } from "src/interfaces/predicates/ITraitGatedPredicate.sol";
import { PlainERC7496 } from "test/mocks/tokens/PlainERC7496.sol";
import { ConfiguredPredicateTest } from "test/unit/predicates/base/ConfiguredPredicate.t.sol";

contract TraitGatedPredicateConfigureToolTraitTest is ConfiguredPredicateTest {
    bytes32 private constant KEY = "color";

    PlainERC7496 private token;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("TraitGatedPredicate", abi.encode(registry)));
        token = new PlainERC7496();
        token.mint(agent, 1);
        token.setTrait(1, KEY, _values(1, 0)[0]);
    }

    function test_ConfigureToolTrait() external {
        _set(address(token), address(token), KEY, _values(1, 0));
        _set(address(token), eve, 0, _values(2, 1));
        _set(address(0), address(type(uint160).max), bytes32(type(uint256).max), _values(_max(), 2));
        _set(address(type(uint160).max), address(0), KEY, _values(_max() - 1, 3));
        _set(address(token), address(token), KEY, _values(0, 4));
        _set(address(0), address(0), 0, _values(0, 5));
        _set(address(token), address(token), KEY, new bytes32[](3));
    }

    function test_RevertWhen_TooManyValues() external {
        _set(address(token), eve, KEY, _values(3, 0));
        uint256[3] memory counts = [_max() + 1, _max() + 2, 1000];
        for (uint256 i = 0; i < counts.length; i++) {
            _assertReverts(
                _call(tool, address(token), eve, KEY, _values(counts[i], 0)),
                abi.encodeWithSelector(ITraitGatedPredicate.TooManyValues.selector, counts[i], _max())
            );
        }
        assertEq(
            _configurationOf(tool),
            abi.encode(token, eve, KEY, _values(3, 0)),
            "a rejected list changed the stored list"
        );
    }

    function test_GetRequirements() external {
        // B-03
        uint256[3] memory counts = [uint256(1), 2, _max()];
        for (uint256 i = 0; i < counts.length; i++) {
            _set(eve, agent, KEY, _values(counts[i], 0));
            AccessRequirement[] memory expected = new AccessRequirement[](1);
            expected[0] = AccessRequirement({
                kind: 0x37d8dc22,
                data: abi.encode(eve, agent, KEY, _values(counts[i], 0)),
                label: "Hold a token whose trait has one of these values, and name it in data"
            });
            assertRequirements(expected, RequirementLogic.AND);
        }
    }

    function _set(address collection, address traits, bytes32 key, bytes32[] memory values) private {
        _configure(
            _call(tool, collection, traits, key, values),
            _topics(ITraitGatedPredicate.ToolTraitConfigured.selector, tool, collection),
            abi.encode(traits, key, values)
        );
        assertEq(_configurationOf(tool), abi.encode(collection, traits, key, values), "stored configuration differs");
    }

    function _values(uint256 count, uint256 salt) private pure returns (bytes32[] memory values) {
        values = new bytes32[](count);
        for (uint256 i = 0; i < count; i++) {
            values[i] = keccak256(abi.encode(i, salt));
        }
    }

    function _max() private view returns (uint256) {
        return ITraitGatedPredicate(predicate).MAX_VALUES();
    }

    function _call(uint256 toolId, address collection, address traits, bytes32 key, bytes32[] memory values)
        private
        pure
        returns (bytes memory)
    {
        return abi.encodeCall(ITraitGatedPredicate.configureToolTrait, (toolId, collection, traits, key, values));
    }

    /* IMPLEMENTATION OF THE BASE TEST */

    function _predicateName() internal pure override returns (string memory) {
        return "TraitGatedPredicate";
    }

    function _readsCallData() internal pure override returns (bool) {
        return true;
    }

    function _data() internal pure override returns (bytes memory) {
        return abi.encode(uint256(1));
    }

    function _configuration(uint256 toolId) internal view override returns (bytes memory) {
        return _call(toolId, address(token), address(token), KEY, _values(2, 0));
    }

    function _emptyConfiguration(uint256 toolId) internal view override returns (bytes memory) {
        return _call(toolId, address(token), address(token), KEY, new bytes32[](0));
    }

    function _getter(uint256 toolId) internal pure override returns (bytes memory) {
        return abi.encodeCall(ITraitGatedPredicate.getToolTraitConfig, (toolId));
    }

    function _emptyGetterReturn() internal pure override returns (bytes memory) {
        return abi.encode(address(0), address(0), bytes32(0), new bytes32[](0));
    }

    function _paddingOffsets() internal pure override returns (uint256[2] memory) {
        return [uint256(32), 64];
    }
}
