// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { ITraitGatedPredicate, ToolTraitConfig } from "src/interfaces/predicates/ITraitGatedPredicate.sol";
import { PlainERC7496 } from "test/mocks/tokens/PlainERC7496.sol";
import { StipendPredicateTest } from "test/unit/predicates/base/StipendPredicate.t.sol";

contract TraitGatedPredicateConfigureToolTraitTest is StipendPredicateTest {
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
        address highest = address(type(uint160).max);
        vm.etch(highest, address(token).code);
        _set(address(token), address(token), KEY, _values(1, 0));
        _set(address(token), highest, 0, _values(2, 1));
        _set(highest, address(token), bytes32(type(uint256).max), _values(_max(), 2));
        _set(address(token), address(token), KEY, _values(_max() - 1, 3));
    }

    function test_RevertWhen_ConfigurationIsInvalid() external {
        _set(address(token), address(token), KEY, _values(3, 0));
        bytes memory configuration = _configurationOf(tool);
        _assertInvalid(address(0), address(token), _values(1, 0), ITraitGatedPredicate.ZeroCollection.selector, "");
        _assertInvalid(address(token), address(0), _values(1, 0), ITraitGatedPredicate.ZeroTraitsContract.selector, "");
        _assertInvalid(
            eve, address(token), _values(1, 0), ITraitGatedPredicate.CollectionNoCode.selector, abi.encode(eve)
        );
        _assertInvalid(
            address(token), eve, _values(1, 0), ITraitGatedPredicate.TraitsContractNoCode.selector, abi.encode(eve)
        );
        _assertInvalid(
            address(token), address(token), _values(0, 0), ITraitGatedPredicate.EmptyAllowedValues.selector, ""
        );
        uint256[3] memory counts = [_max() + 1, _max() + 2, 1000];
        for (uint256 i = 0; i < counts.length; i++) {
            _assertInvalid(
                address(token),
                address(token),
                _values(counts[i], 0),
                ITraitGatedPredicate.TooManyAllowedValues.selector,
                abi.encode(counts[i], _max())
            );
            bytes32[] memory values = _values(3, 0);
            values[i] = 0;
            _assertInvalid(
                address(token),
                address(token),
                values,
                ITraitGatedPredicate.ZeroValueInAllowedValues.selector,
                abi.encode(i)
            );
        }
        assertEq(_configurationOf(tool), configuration, "a rejected call changed the configuration");
    }

    /// @dev The requirement of the longest list has the maximum length that consumers accept.
    function test_MaxAllowedValues() external {
        _set(address(token), address(token), KEY, _values(_max(), 0));
        (AccessRequirement[] memory requirements,) = ITraitGatedPredicate(predicate).getRequirements(tool);
        assertEq(requirements[0].data.length, 4096, "length of the requirement data");
    }

    function test_GetRequirements() external {
        // B-03
        uint256[3] memory counts = [uint256(1), 2, _max()];
        address traits = _copy(address(token), 0);
        for (uint256 i = 0; i < counts.length; i++) {
            _set(address(token), traits, KEY, _values(counts[i], 0));
            AccessRequirement[] memory expected = new AccessRequirement[](1);
            expected[0] = AccessRequirement({
                kind: 0x37d8dc22,
                data: abi.encode(token, traits, KEY, _values(counts[i], 0)),
                label: "Own a token whose trait has one of these values, and pass its id in data"
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
        // One tuple with a dynamic member, as in the reference.
        assertEq(
            _configurationOf(tool),
            abi.encode(ToolTraitConfig(collection, traits, key, values)),
            "stored configuration differs"
        );
    }

    function _assertInvalid(
        address collection,
        address traits,
        bytes32[] memory values,
        bytes4 selector,
        bytes memory arguments
    ) private {
        _assertReverts(_call(tool, collection, traits, KEY, values), bytes.concat(selector, arguments));
    }

    function _values(uint256 count, uint256 salt) private pure returns (bytes32[] memory values) {
        values = new bytes32[](count);
        for (uint256 i = 0; i < count; i++) {
            values[i] = keccak256(abi.encode(i, salt));
        }
    }

    function _max() private view returns (uint256) {
        return ITraitGatedPredicate(predicate).MAX_ALLOWED_VALUES();
    }

    function _call(uint256 toolId, address collection, address traits, bytes32 key, bytes32[] memory values)
        private
        pure
        returns (bytes memory)
    {
        return abi.encodeWithSignature(
            "configureToolTrait(uint256,address,address,bytes32,bytes32[])", toolId, collection, traits, key, values
        );
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

    function _configuration(uint256 toolId, uint256 stipend) internal view override returns (bytes memory) {
        return abi.encodeWithSignature(
            "configureToolTrait(uint256,address,address,bytes32,bytes32[],uint256)",
            toolId,
            address(token),
            address(token),
            KEY,
            _values(2, 0),
            stipend
        );
    }

    function _defaultStipends() internal pure override returns (uint256, uint256) {
        return (12_000, 70_000);
    }

    function _stipendBounds() internal pure override returns (uint256, uint256) {
        return (2300, (uint256(190_000) / 2 - 3400 - 500) * 63 / 64);
    }

    function _otherConfiguration(uint256 toolId) internal view override returns (bytes memory) {
        return _call(toolId, address(token), address(token), KEY, _values(2, 1));
    }

    function _getter(uint256 toolId) internal pure override returns (bytes memory) {
        return abi.encodeCall(ITraitGatedPredicate.getToolTraitConfig, (toolId));
    }

    function _emptyGetterReturn() internal pure override returns (bytes memory) {
        return abi.encode(ToolTraitConfig(address(0), address(0), 0, new bytes32[](0)));
    }

    function _paddingOffsets() internal pure override returns (uint256[2] memory) {
        return [uint256(32), 64];
    }
}
