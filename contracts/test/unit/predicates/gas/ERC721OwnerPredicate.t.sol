// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { GasConsumingToken } from "test/mocks/tokens/GasConsumingToken.sol";
import { GasDependentToken } from "test/mocks/tokens/GasDependentToken.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { Access } from "test/support/Access.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC721OwnerPredicateGasTest is TokenPredicateTest {
    /// @dev Proxies with separate implementations, so that all are cold. `agent` holds a token of `heldProxy` only.
    address[] private proxies;
    address private heldProxy;
    address private burner;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("ERC721OwnerPredicate", abi.encode(registry)));
        for (uint256 i = 0; i < _max(); i++) {
            proxies.push(_deployProxy(address(new PlainERC721()), abi.encodeCall(PlainERC721.mint, (creator, 1))));
        }
        heldProxy = _deployProxy(address(new PlainERC721()), abi.encodeCall(PlainERC721.mint, (agent, 1)));
        burner = address(new GasBurner());
    }

    function test_StateIsCold() external {
        _set(_listEndingWith(1, heldProxy));
        uint256 first = _gasNeeded(agent, "", Access.Granted);
        assertGt(first, 2100 + 2600, "storage or collection was warm");
        assertEq(_gasNeeded(agent, "", Access.Granted), first, "the first check left warm state");
    }

    /* RESULTS DO NOT DEPEND ON GAS */

    function test_IndependentOfGas_GivenValidCollections() external {
        uint256[3] memory counts = [1, 2, _max()];
        for (uint256 i = 0; i < counts.length; i++) {
            _set(_listEndingWith(counts[i], heldProxy));
            assertIndependentOfGas(agent, "", Access.Granted);
            assertIndependentOfGas(eve, "", Access.Denied);
        }
    }

    function test_IndependentOfGas_GivenFirstFails() external {
        uint256[2] memory counts = [2, _max()];
        for (uint256 i = 0; i < counts.length; i++) {
            address[] memory list = _listEndingWith(counts[i], heldProxy);
            list[0] = burner;
            _set(list);
            assertIndependentOfGas(agent, "", Access.Granted);
            assertIndependentOfGas(eve, "", Access.Unknown);
        }
    }

    function test_IndependentOfGas_GivenLastFails() external {
        uint256[2] memory counts = [2, _max()];
        for (uint256 i = 0; i < counts.length; i++) {
            address[] memory list = _listEndingWith(counts[i], burner);
            list[0] = heldProxy;
            _set(list);
            assertIndependentOfGas(agent, "", Access.Granted);
            assertIndependentOfGas(eve, "", Access.Unknown);
        }
    }

    function test_IndependentOfGas_GivenCollectionCatchesOutOfGas() external {
        uint256 stipend = IERC721OwnerPredicate(predicate).GAS_PER_COLLECTION();
        uint256[3] memory thresholds = [stipend - 300, stipend * 3 / 4, stipend / 4];
        uint256[3] memory counts = [1, 2, _max()];
        for (uint256 i = 0; i < thresholds.length; i++) {
            _set(_listEndingWith(counts[i], address(new GasDependentToken(thresholds[i], 0, 1))));
            assertIndependentOfGas(agent, "", Access.Granted);
            _set(_listEndingWith(counts[i], address(new GasDependentToken(thresholds[i], 1, 0))));
            assertIndependentOfGas(agent, "", Access.Denied);
        }
    }

    /* EVERY VALID LIST FITS THE GAS LIMIT */

    function test_FitsGasLimit_GivenProxies() external {
        _set(_listEndingWith(_max(), heldProxy));
        assertFitsGasLimit(agent, "", Access.Granted);
        assertFitsGasLimit(eve, "", Access.Denied);
    }

    function test_FitsGasLimit_GivenAllOthersBurnGas() external {
        for (uint256 count = 1; count <= _max(); count++) {
            address[] memory list = _copies(burner, count);
            list[count - 1] = heldProxy;
            _set(list);
            assertFitsGasLimit(agent, "", Access.Granted);
        }
    }

    function test_FitsGasLimit_GivenAllConsumeStipend() external {
        address[] memory list = _copies(address(new GasConsumingToken(0)), _max());
        _set(list);
        assertFitsGasLimit(agent, "", Access.Denied);
        list = _copies(burner, _max());
        list[_max() - 1] = address(new GasConsumingToken(1));
        _set(list);
        assertFitsGasLimit(agent, "", Access.Granted);
    }

    function _listEndingWith(uint256 count, address last) private view returns (address[] memory list) {
        list = new address[](count);
        for (uint256 i = 0; i + 1 < count; i++) {
            list[i] = proxies[i];
        }
        list[count - 1] = last;
    }

    function _copies(address original, uint256 count) private returns (address[] memory list) {
        list = new address[](count);
        for (uint256 i = 0; i < count; i++) {
            list[i] = _copy(original, i);
        }
    }

    function _set(address[] memory list) private {
        _configure(abi.encodeCall(IERC721OwnerPredicate.setCollections, (tool, list)));
    }

    function _max() private view returns (uint256) {
        return IERC721OwnerPredicate(predicate).MAX_COLLECTIONS();
    }
}
