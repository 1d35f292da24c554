// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ITraitGatedPredicate } from "src/interfaces/predicates/ITraitGatedPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { GasConsumingToken } from "test/mocks/tokens/GasConsumingToken.sol";
import { GasDependentToken } from "test/mocks/tokens/GasDependentToken.sol";
import { MinGasToken } from "test/mocks/tokens/MinGasToken.sol";
import { OutOfGasErrorToken } from "test/mocks/tokens/OutOfGasErrorToken.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { PlainERC7496 } from "test/mocks/tokens/PlainERC7496.sol";
import { Access } from "test/support/Access.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract TraitGatedPredicateGasTest is TokenPredicateTest {
    bytes32 private constant KEY = "color";
    bytes32 private constant VALUE = bytes32(uint256(1));

    address private collection;
    address private traits;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("TraitGatedPredicate", abi.encode(registry)));
        collection =
            _deployProxy(Proxy.Beacon, address(new PlainERC721()), abi.encodeCall(PlainERC721.mint, (agent, 1)));
        PlainERC721(collection).mint(agent, 2);
        bytes memory setTrait = abi.encodeCall(PlainERC7496.setTrait, (1, KEY, VALUE));
        traits = _deployProxy(Proxy.Beacon, address(new PlainERC7496()), setTrait);
    }

    function test_StateIsCold() external {
        _set(collection, traits, 1);
        uint256 first = _gasNeeded(agent, abi.encode(1), Access.Granted);
        assertGt(first, 2100 + 3 * 2600, "storage, list or contracts were warm");
        assertEq(_gasNeeded(agent, abi.encode(1), Access.Granted), first, "the first check left warm state");
    }

    function test_IndependentOfGas_GivenValidContracts() external {
        uint256[3] memory counts = [1, 2, _max()];
        for (uint256 i = 0; i < counts.length; i++) {
            _set(collection, traits, counts[i]);
            assertIndependentOfGas(agent, abi.encode(1), Access.Granted);
            assertIndependentOfGas(agent, abi.encode(2), Access.Denied);
            assertIndependentOfGas(eve, abi.encode(1), Access.Denied);
            assertIndependentOfGas(agent, "", Access.Denied);
        }
    }

    function test_IndependentOfGas_GivenContractFails() external {
        address burner = address(new GasBurner());
        _set(collection, burner, _max());
        assertIndependentOfGas(agent, abi.encode(1), Access.Unknown);
        assertIndependentOfGas(eve, abi.encode(1), Access.Denied);
        _set(burner, traits, 1);
        assertIndependentOfGas(agent, abi.encode(1), Access.Unknown);
    }

    function test_IndependentOfGas_GivenContractCatchesOutOfGas() external {
        uint256 stipend = 12_000;
        uint256[2] memory thresholds = [stipend - 300, stipend / 4];
        uint256 self = uint160(agent);
        for (uint256 i = 0; i < thresholds.length; i++) {
            _set(address(new GasDependentToken(thresholds[i], 0, self)), traits, 1);
            assertIndependentOfGas(agent, abi.encode(1), Access.Granted);
            _set(address(new GasDependentToken(thresholds[i], self, 0)), traits, 1);
            assertIndependentOfGas(agent, abi.encode(1), Access.Denied);
            _set(collection, address(new GasDependentToken(thresholds[i], 0, 1)), _max());
            assertIndependentOfGas(agent, abi.encode(1), Access.Granted);
            _set(collection, address(new GasDependentToken(thresholds[i], 1, 0)), 2);
            assertIndependentOfGas(agent, abi.encode(1), Access.Denied);
        }
    }

    function test_IndependentOfGas_GivenRetry() external {
        address demanding = address(new MinGasToken(69_700, uint160(agent)));
        _set(demanding, address(new MinGasToken(69_700, 1)), _max());
        assertIndependentOfGas(agent, abi.encode(1), Access.Granted);
        _set(demanding, address(new MinGasToken(69_700, 2)), 2);
        assertIndependentOfGas(agent, abi.encode(1), Access.Denied);
    }

    /// @dev A collection that reverts with an error only if it has gas: the caller cannot make it fail in another way.
    function test_IndependentOfGas_GivenTokenDoesNotExist() external {
        _set(collection, traits, 1);
        assertIndependentOfGas(agent, abi.encode(3), Access.Denied);
    }

    /// @dev The error of a collection whose inner call runs out of gas is not taken for a missing token.
    function test_IndependentOfGas_GivenErrorForOutOfGas() external {
        _set(address(new OutOfGasErrorToken(20_000, uint160(agent))), traits, 1);
        assertIndependentOfGas(agent, abi.encode(1), Access.Granted);
        assertFitsGasLimit(agent, abi.encode(1), Access.Granted);
    }

    function test_FitsGasLimit() external {
        _set(collection, traits, _max());
        assertFitsGasLimit(agent, abi.encode(1), Access.Granted);
        assertFitsGasLimit(agent, abi.encode(2), Access.Denied);
        _set(address(new GasConsumingToken(uint160(agent))), address(new GasConsumingToken(1)), _max());
        assertFitsGasLimit(agent, abi.encode(1), Access.Granted);
        _set(address(new MinGasToken(69_700, uint160(agent))), address(new MinGasToken(69_700, 1)), _max());
        assertFitsGasLimit(agent, abi.encode(1), Access.Granted);
        _set(address(new GasConsumingToken(uint160(agent))), address(new GasConsumingToken(2)), _max());
        assertFitsGasLimit(agent, abi.encode(1), Access.Denied);
    }

    /// @dev `count` values, the last of them VALUE.
    function _set(address collection_, address traits_, uint256 count) private {
        bytes32[] memory values = new bytes32[](count);
        for (uint256 i = 0; i + 1 < count; i++) {
            values[i] = keccak256(abi.encode(i));
        }
        values[count - 1] = VALUE;
        _configure(
            abi.encodeWithSignature(
                "configureToolTrait(uint256,address,address,bytes32,bytes32[])", tool, collection_, traits_, KEY, values
            )
        );
    }

    function _max() private view returns (uint256) {
        return ITraitGatedPredicate(predicate).MAX_ALLOWED_VALUES();
    }
}
