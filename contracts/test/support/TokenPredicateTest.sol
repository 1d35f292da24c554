// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ERC1967Proxy } from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import { BeaconProxy } from "@openzeppelin/contracts/proxy/beacon/BeaconProxy.sol";
import { UpgradeableBeacon } from "@openzeppelin/contracts/proxy/beacon/UpgradeableBeacon.sol";
import { TransparentUpgradeableProxy } from "@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol";
import { Vm } from "forge-std/Vm.sol";
import { AccessRequirement, IAccessPredicate, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IAlwaysDenied } from "src/interfaces/IRequirementTypes.sol";
import { IPredicate } from "src/interfaces/predicates/IPredicate.sol";
import { BaseTest } from "test/BaseTest.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { EmptyReturnToken } from "test/mocks/tokens/EmptyReturnToken.sol";
import { InvalidOpcodeToken } from "test/mocks/tokens/InvalidOpcodeToken.sol";
import { PresetResponseToken } from "test/mocks/tokens/PresetResponseToken.sol";
import { ReturnBombToken } from "test/mocks/tokens/ReturnBombToken.sol";
import { RevertingToken } from "test/mocks/tokens/RevertingToken.sol";
import { ShortReturnToken } from "test/mocks/tokens/ShortReturnToken.sol";
import { StorageWritingToken } from "test/mocks/tokens/StorageWritingToken.sol";
import { Access } from "test/support/Access.sol";

/// @dev A tool gated by one predicate. Access is checked directly and through the registry, with ample gas or with a given
///      gas limit. Static calls from a test run on cold state, as on chain.
abstract contract TokenPredicateTest is BaseTest {
    /// @dev Gas the registry forwards to a predicate.
    uint256 internal constant PREDICATE_GAS_LIMIT = 200_000;

    enum Proxy {
        ERC1967,
        Transparent,
        Beacon
    }

    error AccessDependsOnGas(uint256 gasLimit, Access access);

    address internal predicate;
    uint256 internal tool;

    function _setUp(address deployed) internal {
        predicate = deployed;
        vm.label(deployed, "predicate");
        _register(address(0));
        tool = _register(deployed);
    }

    /* RETURN VALUES */

    function assertGranted(address account) internal view {
        assertResult(account, "", abi.encode(true));
    }

    function assertDenied(address account) internal view {
        assertResult(account, "", abi.encode(false));
    }

    function assertUnknown(address account, bytes memory revertData) internal view {
        assertResult(account, "", revertData);
    }

    /// @dev `expected` is the predicate's exact return or revert data. Also checks the registry's result.
    function assertResult(address account, bytes memory data, bytes memory expected) internal view {
        bool isGranted = keccak256(expected) == keccak256(abi.encode(true));
        bool isDenied = keccak256(expected) == keccak256(abi.encode(false));
        (bool success, bytes memory returndata) =
            predicate.staticcall(abi.encodeCall(IAccessPredicate.hasAccess, (tool, account, data)));
        assertEq(success, isGranted || isDenied, "success of the predicate call differs");
        assertEq(returndata, expected, "return data of the predicate differs");
        assertAccess(registry, tool, account, data, isGranted || isDenied, isGranted);
    }

    function assertRequirements(AccessRequirement[] memory requirements, RequirementLogic logic) internal view {
        (bool success, bytes memory returndata) =
            predicate.staticcall(abi.encodeCall(IAccessPredicate.getRequirements, (tool)));
        assertTrue(success, "getRequirements reverted");
        assertEq(returndata, abi.encode(requirements, logic), "requirements differ");
    }

    /// @dev The requirements of a tool that denies everyone.
    function assertRequiresAlwaysDenied() internal view {
        AccessRequirement[] memory expected = new AccessRequirement[](1);
        expected[0].kind = type(IAlwaysDenied).interfaceId;
        expected[0].label = "Access is denied to every account";
        assertRequirements(expected, RequirementLogic.AND);
    }

    function _callFailed(address token) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IPredicate.CallFailed.selector, token);
    }

    /* ACCESS WITH A GIVEN GAS LIMIT */

    function _predicateAccess(address account, bytes memory data, uint256 gasLimit) internal view returns (Access) {
        (bool success, bytes memory returndata) =
            predicate.staticcall{ gas: gasLimit }(abi.encodeCall(IAccessPredicate.hasAccess, (tool, account, data)));
        if (!success) return Access.Unknown;
        return abi.decode(returndata, (bool)) ? Access.Granted : Access.Denied;
    }

    function _registryAccess(address account, bytes memory data, uint256 gasLimit) internal view returns (Access) {
        (bool success, bytes memory returndata) =
            address(registry).staticcall{ gas: gasLimit }(abi.encodeCall(registry.tryHasAccess, (tool, account, data)));
        if (!success) return Access.Unknown;
        (bool ok, bool granted) = abi.decode(returndata, (bool, bool));
        if (!ok) return Access.Unknown;
        return granted ? Access.Granted : Access.Denied;
    }

    /// @dev At every gas limit the result is `expected` or `Unknown`: `Unknown` with little gas, `expected` with enough.
    function assertIndependentOfGas(address account, bytes memory data, Access expected) internal view {
        assertEq(uint256(_predicateAccess(account, data, AMPLE_GAS)), uint256(expected), "with ample gas");
        assertEq(
            uint256(_registryAccess(account, data, AMPLE_GAS)),
            uint256(expected),
            "with ample gas, through the registry"
        );
        assertEq(uint256(_predicateAccess(account, data, 2000)), uint256(Access.Unknown), "with very little gas");
        uint256 results = 0;
        for (uint256 gasLimit = 20_000 - tool; gasLimit <= 300_000; gasLimit += 353) {
            Access direct = _predicateAccess(account, data, gasLimit);
            Access byRegistry = _registryAccess(account, data, gasLimit);
            if (direct == expected && byRegistry == expected) results++;
            if (direct != Access.Unknown && direct != expected) revert AccessDependsOnGas(gasLimit, direct);
            if (byRegistry != Access.Unknown && byRegistry != expected) {
                revert AccessDependsOnGas(gasLimit, byRegistry);
            }
        }
        assertGt(results, 200, "too few gas limits were sufficient");
    }

    /// @dev The lowest gas limit at which the predicate returns `expected`, on cold state.
    function _gasNeeded(address account, bytes memory data, Access expected)
        internal
        view
        returns (uint256 sufficient)
    {
        uint256 insufficient = 0;
        sufficient = 1_000_000;
        assertEq(uint256(_predicateAccess(account, data, sufficient)), uint256(expected), "wrong result");
        while (sufficient - insufficient > 1) {
            uint256 middle = (sufficient + insufficient) / 2;
            if (_predicateAccess(account, data, middle) == expected) sufficient = middle;
            else insufficient = middle;
        }
    }

    /// @dev The lowest gas limit at which a call to a token succeeds, on cold state.
    function _gasOf(address token, bytes memory call) internal view returns (uint256 sufficient) {
        uint256 insufficient = 0;
        sufficient = 1_000_000;
        while (sufficient - insufficient > 1) {
            uint256 middle = (sufficient + insufficient) / 2;
            (bool success,) = token.staticcall{ gas: middle }(call);
            if (success) sufficient = middle;
            else insufficient = middle;
        }
    }

    /// @dev The registry returns the result on cold state, within the gas it forwards to the predicate.
    function assertFitsGasLimit(address account, bytes memory data, Access expected) internal view {
        assertEq(
            uint256(_registryAccess(account, data, AMPLE_GAS)), uint256(expected), "wrong result through the registry"
        );
        assertLe(
            _gasNeeded(account, data, expected),
            PREDICATE_GAS_LIMIT,
            "the predicate needs more gas than the registry forwards"
        );
    }

    /* CONFIGURATION */

    /// @dev Configures the predicate and expects exactly one log.
    function _configure(bytes memory call, bytes32[] memory topics, bytes memory data) internal {
        vm.recordLogs();
        _configure(call);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 1, "number of logs is not one");
        assertEq(logs[0].emitter, predicate, "the log has another emitter");
        assertEq(abi.encode(logs[0].topics), abi.encode(topics), "topics differ");
        assertEq(logs[0].data, data, "log data differs");
    }

    function _configure(bytes memory call) internal {
        (bool success, bytes memory returndata) = _callPredicate(creator, call);
        assertTrue(success, "the configuration was rejected");
        assertEq(returndata, "", "the configuration call returned data");
    }

    function _assertReverts(bytes memory call, bytes memory expected) internal {
        (bool success, bytes memory returndata) = _callPredicate(creator, call);
        assertRevert(success, returndata, expected);
    }

    function _callPredicate(address from, bytes memory call) internal returns (bool success, bytes memory returndata) {
        vm.prank(from);
        return predicate.call(call);
    }

    function _topics(bytes32 selector, uint256 toolId) internal pure returns (bytes32[] memory topics) {
        topics = new bytes32[](2);
        (topics[0], topics[1]) = (selector, bytes32(toolId));
    }

    function _topics(bytes32 selector, uint256 toolId, address account)
        internal
        pure
        returns (bytes32[] memory topics)
    {
        topics = new bytes32[](3);
        (topics[0], topics[1], topics[2]) = (selector, bytes32(toolId), bytes32(uint256(uint160(account))));
    }

    /* TOKENS */

    /// @dev Tokens whose every call fails.
    function _failingTokens() internal returns (address[] memory tokens) {
        tokens = new address[](7);
        tokens[0] = address(new RevertingToken());
        tokens[1] = address(new GasBurner());
        tokens[2] = address(new InvalidOpcodeToken());
        tokens[3] = address(new EmptyReturnToken());
        tokens[4] = address(new ShortReturnToken());
        tokens[5] = address(new ReturnBombToken());
        tokens[6] = address(new StorageWritingToken());
    }

    /// @dev `selector` of the token returns 0 to 31 bytes, or reverts with a valid value.
    function _assertShortReturnFails(PresetResponseToken token, bytes4 selector) internal {
        for (uint256 length = 0; length < 32; length++) {
            bytes memory returndata = new bytes(length);
            for (uint256 i = 0; i < length; i++) {
                returndata[i] = 0xff;
            }
            token.setResponse(selector, true, returndata);
            assertUnknown(agent, _callFailed(address(token)));
        }
        token.setResponse(selector, false, abi.encode(1));
        assertUnknown(agent, _callFailed(address(token)));
    }

    /// @dev An ERC-1967 proxy of the token, with its own storage.
    function _deployProxy(address implementation, bytes memory firstCall) internal returns (address) {
        return address(new ERC1967Proxy(implementation, firstCall));
    }

    /// @dev An ERC-1967, transparent or beacon proxy of the token, with its own storage and, for `Beacon`, its own beacon.
    function _deployProxy(Proxy kind, address implementation, bytes memory firstCall) internal returns (address) {
        if (kind == Proxy.ERC1967) return _deployProxy(implementation, firstCall);
        if (kind == Proxy.Transparent) {
            return address(new TransparentUpgradeableProxy(implementation, creator, firstCall));
        }
        return address(new BeaconProxy(address(new UpgradeableBeacon(implementation, creator)), firstCall));
    }

    /// @dev Another account with the same code, which stays cold when the original is accessed.
    function _copy(address original, uint256 index) internal returns (address copy) {
        copy = address(uint160(uint256(keccak256(abi.encode(original, index)))));
        vm.etch(copy, original.code);
    }
}
