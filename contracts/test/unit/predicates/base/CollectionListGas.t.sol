// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IStipendPredicate } from "src/interfaces/predicates/IStipendPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { GasConsumingToken } from "test/mocks/tokens/GasConsumingToken.sol";
import { GasDependentToken } from "test/mocks/tokens/GasDependentToken.sol";
import { MinGasToken } from "test/mocks/tokens/MinGasToken.sol";
import { Access } from "test/support/Access.sol";
import { CollectionListTest } from "test/unit/predicates/base/CollectionList.t.sol";

/// @dev Tests of `hasAccess` with limited gas that every predicate with a list of collections must pass.
abstract contract CollectionListGasTest is CollectionListTest {
    /// @dev Beacon proxies with separate beacons and implementations, so that all are cold. `agent` holds a token of
    ///      `heldBeaconProxy` only.
    address[] internal beaconProxies;
    address internal heldBeaconProxy;
    address internal burner;

    /// @dev The tested numbers of collections and of ids in each.
    function _shapes() internal view virtual returns (uint256[2][] memory);

    /// @dev The maximum number of ids per collection.
    function _maxIds(uint256 collections) internal view virtual returns (uint256);

    function setUp() public virtual override {
        super.setUp();
        for (uint256 i = 0; i < 10; i++) {
            beaconProxies.push(_deployProxy(Proxy.Beacon, _newToken(), _mint(creator)));
        }
        heldBeaconProxy = _deployProxy(Proxy.Beacon, _newToken(), _mint(agent));
        burner = address(new GasBurner());
    }

    function test_StateIsCold() external {
        _set(_listEndingWith(2, heldBeaconProxy), 1);
        uint256 first = _gasNeeded(agent, "", Access.Granted);
        assertGt(first, 2100 + 2600 + 2 * 2600, "storage, list or collections were warm");
        assertEq(_gasNeeded(agent, "", Access.Granted), first, "the first check left warm state");
    }

    /// @dev With plain tokens.
    function test_GasNeededIsSufficient() external {
        uint256[2][] memory shapes = _shapes();
        for (uint256 i = 0; i < shapes.length; i++) {
            address[] memory list = new address[](shapes[i][0]);
            for (uint256 j = 0; j < list.length; j++) {
                list[j] = _newToken();
            }
            _send(list[list.length - 1], _mint(agent));
            _set(list, shapes[i][1]);
            uint256 needed = IStipendPredicate(predicate).gasNeeded(tool);
            assertTrue(_predicateAccess(agent, "", needed) == Access.Granted, "gasNeeded is too low for a holder");
            assertTrue(_predicateAccess(eve, "", needed) == Access.Denied, "gasNeeded is too low for others");
        }
    }

    /* RESULTS DO NOT DEPEND ON GAS */

    function test_IndependentOfGas_GivenProxies() external {
        uint256[2][] memory shapes = _shapes();
        for (uint256 i = 0; i < shapes.length; i++) {
            _set(_listEndingWith(shapes[i][0], heldBeaconProxy), shapes[i][1]);
            assertIndependentOfGas(agent, "", Access.Granted);
            assertIndependentOfGas(eve, "", Access.Denied);
        }
    }

    function test_IndependentOfGas_GivenFirstFails() external {
        _assertIndependentOfFailure(0);
    }

    function test_IndependentOfGas_GivenLastFails() external {
        _assertIndependentOfFailure(1);
    }

    /// @dev The last collection needs the retry stipend.
    function test_IndependentOfGas_GivenRetry() external {
        uint256[2][] memory shapes = _shapes();
        for (uint256 i = 0; i < shapes.length; i++) {
            uint256 units = _units(shapes[i][1]);
            uint256 retry = _retryGas(shapes[i][0], shapes[i][1]);
            if (retry - 300 <= _firstStipend() * units) continue;
            for (uint256 value = 0; value < 2; value++) {
                _set(_listEndingWith(shapes[i][0], address(new MinGasToken(retry - 300, value))), shapes[i][1]);
                assertIndependentOfGas(agent, "", value == 0 ? Access.Denied : Access.Granted);
            }
        }
    }

    /// @dev With the default and with a chosen stipend.
    function test_IndependentOfGas_GivenCollectionCatchesOutOfGas() external {
        uint256[2][] memory shapes = _shapes();
        for (uint256 i = 0; i < shapes.length; i++) {
            uint256 chosen = i % 2 == 0 ? 0 : _maxStipend(shapes[i][0], shapes[i][1]);
            uint256 stipend = (chosen == 0 ? _firstStipend() : chosen) * _units(shapes[i][1]);
            uint256 threshold = [stipend - 300, stipend * 3 / 4, stipend / 2][i % 3];
            for (uint256 value = 0; value < 2; value++) {
                address token = address(new GasDependentToken(threshold, 1 - value, value));
                _configure(_call(_listEndingWith(shapes[i][0], token), shapes[i][1], chosen));
                assertIndependentOfGas(agent, "", value == 0 ? Access.Denied : Access.Granted);
            }
        }
    }

    /* EVERY VALID LIST FITS THE GAS LIMIT */

    function test_FitsGasLimit_GivenProxies() external {
        for (uint256 count = 1; count <= 10; count++) {
            _set(_listEndingWith(count, heldBeaconProxy), _maxIds(count));
            assertFitsGasLimit(agent, "", Access.Granted);
            assertFitsGasLimit(eve, "", Access.Denied);
        }
    }

    /// @dev With every number of ids: shorter lists have a larger retry stipend.
    function test_FitsGasLimit_GivenAllOthersBurnGas() external {
        address granting = address(new GasConsumingToken(1));
        for (uint256 count = 1; count <= 10; count++) {
            address[] memory list = _copies(burner, count);
            for (uint256 ids = 1; ids <= _maxIds(count); ids++) {
                for (uint256 i = 0; i < 4; i++) {
                    list[count - 1] = i % 2 == 0 ? heldBeaconProxy : granting;
                    _configure(_call(list, ids, i < 2 ? 0 : _maxStipend(count, ids)));
                    assertResult(agent, "", abi.encode(true));
                }
            }
        }
    }

    /// @dev The last of several burners answers with the retry stipend only.
    function test_FitsGasLimit_GivenRetry() external {
        for (uint256 count = 1; count <= 10; count++) {
            address[] memory list = _copies(burner, count);
            for (uint256 ids = 1; ids <= _maxIds(count); ids++) {
                uint256 retry = _retryGas(count, ids);
                if (retry - 600 < _firstStipend() * _units(ids)) continue;
                list[count - 1] = address(new MinGasToken(retry - 600, 1));
                _set(list, ids);
                assertResult(agent, "", abi.encode(true));
            }
        }
    }

    function test_FitsGasLimit_GivenAllConsumeStipend() external {
        address denying = address(new GasConsumingToken(0));
        for (uint256 count = 1; count <= 10; count++) {
            uint256 ids = _maxIds(count);
            _set(_copies(denying, count), ids);
            assertFitsGasLimit(agent, "", Access.Denied);
            _configure(_call(_copies(denying, count), ids, _maxStipend(count, ids)));
            assertFitsGasLimit(agent, "", Access.Denied);
        }
    }

    /* HELPERS */

    /// @dev A burner at the given end of the list, and a held token at the other.
    function _assertIndependentOfFailure(uint256 end) private {
        uint256[2][] memory shapes = _shapes();
        for (uint256 i = 0; i < shapes.length; i++) {
            if (shapes[i][0] == 1) continue;
            uint256 last = shapes[i][0] - 1;
            address[] memory list = _listEndingWith(shapes[i][0], heldBeaconProxy);
            list[0] = burner;
            if (end == 1) (list[0], list[last]) = (list[last], list[0]);
            _set(list, shapes[i][1]);
            assertIndependentOfGas(agent, "", Access.Granted);
            assertIndependentOfGas(eve, "", Access.Unknown);
        }
    }

    function _listEndingWith(uint256 count, address last) internal view returns (address[] memory list) {
        list = new address[](count);
        for (uint256 i = 0; i + 1 < count; i++) {
            list[i] = beaconProxies[i];
        }
        list[count - 1] = last;
    }

    function _copies(address original, uint256 count) internal returns (address[] memory list) {
        list = new address[](count);
        for (uint256 i = 0; i < count; i++) {
            list[i] = _copy(original, i);
        }
    }

    function _set(address[] memory list, uint256 ids) internal {
        _configure(_call(list, ids, 0));
    }
}
