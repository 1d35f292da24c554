// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { Vm } from "forge-std/Vm.sol";
import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ERC165NonPredicate } from "test/mocks/ERC165NonPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { NonERC165Predicate } from "test/mocks/NonERC165Predicate.sol";
import { OversizeReturnPredicate } from "test/mocks/OversizeReturnPredicate.sol";
import { ReentrantPredicate } from "test/mocks/ReentrantPredicate.sol";
import { Behavior, Script, ScriptedPredicate } from "test/mocks/ScriptedPredicate.sol";
import { StorageWritingPredicate } from "test/mocks/StorageWritingPredicate.sol";
import { CallGenerator, GeneratedCall, Mutation, Purpose, World } from "test/support/CallGenerator.sol";
import { ModelToolRegistry } from "test/support/ModelToolRegistry.sol";
import { Random } from "test/support/Random.sol";
import { URIShape, URIShapes } from "test/support/URIShapes.sol";

/// @dev Makes the same calls on the registry and on the model, and compares everything a caller or an indexer can
///      observe: success, return data, logs.
contract DifferentialTest is BaseTest {
    uint256 private constant CALLS = 40;
    uint256 private constant SCRIPTED = 6;

    ModelToolRegistry private _model;
    ScriptedPredicate[] private _scripted;
    address private _deployedLater;
    World private _world;

    /// @dev How often each case occurred.
    mapping(string what => uint256) private _seen;
    mapping(URIShape => uint256) private _acceptedURIs;
    mapping(URIShape => uint256) private _rejectedURIs;
    mapping(Behavior => uint256) private _behaviorCounts;
    mapping(Mutation => uint256) private _mutationCounts;

    function setUp() public override {
        super.setUp();
        delete _world;
        delete _scripted;
        _model = new ModelToolRegistry();
        _world.model = _model;
        _deployedLater = makeAddr("deployed later");
        vm.etch(_deployedLater, "");

        _world.actors = [creator, eve, agent, address(type(uint160).max), address(grantingPredicate)];
        for (uint256 i = 0; i < _world.actors.length; ++i) {
            vm.deal(_world.actors[i], 1000 ether);
        }

        for (uint256 i = 0; i < SCRIPTED; ++i) {
            _scripted.push(new ScriptedPredicate());
            // Listed twice, because scripted predicates cover every behavior.
            _world.predicates.push(address(_scripted[i]));
            _world.predicates.push(address(_scripted[i]));
        }
        // Claims ERC-165 only if the probe has the full gas limit, and is not a predicate.
        ScriptedPredicate gasAware = new ScriptedPredicate();
        gasAware.setScript(type(IERC165).interfaceId, Script(Behavior.CheckGas, 32, 30_000));
        _world.predicates.push(address(gasAware));
        _world.predicates.push(address(gasAware));
        // Without code: zero address, EOA, precompiles that return data, and a predicate deployed later.
        address[5] memory bare = [address(0), agent, address(2), address(4), _deployedLater];
        for (uint256 i = 0; i < bare.length; ++i) {
            _world.predicates.push(bare[i]);
        }
        _world.predicates.push(address(grantingPredicate));
        _world.predicates.push(address(new NonERC165Predicate()));
        _world.predicates.push(address(new ERC165NonPredicate()));
        _world.predicates.push(address(new GasBurner()));
        _world.predicates.push(address(new OversizeReturnPredicate(20_000)));
        _world.predicates.push(address(new ReentrantPredicate(registry)));
        _world.predicates.push(address(new StorageWritingPredicate()));
        _world.predicates.push(address(registry));
        _world.predicates.push(address(_model));
    }

    function testFuzz_RegistryMatchesModel(uint256 seed) external {
        _runSequence(seed);
    }

    /// @dev Checks that the random sequences reach every case. The seeds are fixed, so the counts are too.
    function test_SequencesReachEveryCase() external {
        uint256 freeMemory;
        assembly ("memory-safe") {
            freeMemory := mload(0x40)
        }
        for (uint256 seed = 0; seed < 40; ++seed) {
            setUp();
            _runSequence(seed);
            // Frees the memory of the sequence; otherwise 40 sequences would exceed the memory limit.
            assembly ("memory-safe") {
                mstore(0x40, freeMemory)
            }
        }

        for (uint256 i = 0; i <= uint256(type(URIShape).max); ++i) {
            URIShape shape = URIShape(i);
            bool mustFail = shape == URIShape.Empty || shape == URIShape.TooLong || shape == URIShape.WellKnownTooLong;
            assertGe(mustFail ? _rejectedURIs[shape] : _acceptedURIs[shape], 2, string.concat("shape ", vm.toString(i)));
        }
        for (uint256 i = 0; i <= uint256(type(Behavior).max); ++i) {
            assertGe(_behaviorCounts[Behavior(i)], 4, string.concat("behavior ", vm.toString(i)));
        }
        for (uint256 i = 0; i <= uint256(type(Mutation).max); ++i) {
            assertGe(_mutationCounts[Mutation(i)], 8, string.concat("damage ", vm.toString(i)));
        }

        _requireSeen("well-known form only with the bytes after the URI", 5);
        _requireSeen("host ends in .json, path follows the URI", 2);
        _requireSeen("value rejected", 20);
        _requireSeen("malformed but accepted", 20);
        _requireSeen("empty revert", 50);
        _requireSeen("out of gas", 5);
        _requireSeen("low gas, but enough", 20);
        _requireSeen("registry rejected as predicate", 5);
        _requireSeen("update without event", 20);

        _requireSeen("ToolNotFound", 50);
        _requireSeen("ToolIsDeregistered", 50);
        _requireSeen("NotToolCreator", 20);
        _requireSeen("InvalidMetadataURI", 50);
        _requireSeen("InvalidManifestHash", 10);
        _requireSeen("InvalidAccessPredicate", 50);

        _requireSeen("ToolRegistered", 100);
        _requireSeen("ToolMetadataUpdated", 50);
        _requireSeen("AccessPredicateUpdated", 50);
        _requireSeen("ToolDeregistered", 20);

        _requireSeen("granted", 20);
        _requireSeen("denied", 5);
        _requireSeen("unknown", 20);
    }

    /* SEQUENCES */

    function _runSequence(uint256 seed) private {
        Random memory random = Random(seed);
        World memory world = _world;
        for (uint256 i = 0; i < SCRIPTED; ++i) {
            _setRandomScripts(random, _scripted[i]);
        }
        uint256 deployment = random.below(2 * CALLS);
        for (uint256 i = 0; i < CALLS; ++i) {
            if (i == deployment) vm.etch(_deployedLater, address(_scripted[0]).code);
            if (random.oneIn(6)) _setRandomScripts(random, _scripted[random.below(SCRIPTED)]);
            _callBoth(CallGenerator.next(random, world));
        }
        _compareEveryTool();
    }

    function _setRandomScripts(Random memory random, ScriptedPredicate predicate) private {
        bytes4[3] memory keys =
            [type(IERC165).interfaceId, type(IAccessPredicate).interfaceId, IAccessPredicate.hasAccess.selector];
        for (uint256 i = 0; i < 3; ++i) {
            predicate.setScript(keys[i], CallGenerator.script(random, keys[i]));
        }
    }

    function _callBoth(GeneratedCall memory call) private {
        vm.recordLogs();
        (bool success, bytes memory returned) = _send(address(registry), call, call.data, call.gasLimit);
        if (_isOutOfGas(call, success, returned)) {
            // If the call ran out of gas, forge still reports the logs that the revert discards.
            if (returned.length != 0) assertEq(vm.getRecordedLogs().length, 0, "a reverted call left logs");
            return;
        }

        bytes memory modelData = call.data;
        bool namesItself = call.predicate == address(registry) && call.mutation == Mutation.None;
        if (namesItself) modelData = _replaceWord(call.data, address(registry), address(_model));
        (bool modelSuccess, bytes memory modelReturned) = _send(address(_model), call, modelData, AMPLE_GAS);
        if (namesItself) modelReturned = _replaceWord(modelReturned, address(_model), address(registry));

        assertEq(success, modelSuccess, "success differs");
        assertEq(returned, modelReturned, "return data differs");
        Vm.Log[] memory logs = _compareLogs(vm.getRecordedLogs());
        _count(call, success, returned, logs);
    }

    function _send(address to, GeneratedCall memory call, bytes memory data, uint256 gasLimit)
        private
        returns (bool success, bytes memory returned)
    {
        vm.prank(call.sender);
        return to.call{ gas: gasLimit, value: call.value }(data);
    }

    /// @dev A low gas limit may make a call revert, without data or because a probe would not get its full stipend. It must
    ///      not change the effect of a call that succeeds.
    function _isOutOfGas(GeneratedCall memory call, bool success, bytes memory returned) private returns (bool) {
        if (call.gasLimit == AMPLE_GAS) return false;
        bool withoutData = returned.length == 0;
        bool rejected = _selectorOf(returned) == IToolRegistry.InvalidAccessPredicate.selector;
        bool outOfGas = !success && (withoutData || rejected);
        _seen[outOfGas ? "out of gas" : "low gas, but enough"]++;
        return outOfGas;
    }

    function _compareLogs(Vm.Log[] memory all) private view returns (Vm.Log[] memory logs) {
        assertEq(all.length % 2, 0, "number of logs differs");
        logs = new Vm.Log[](all.length / 2);
        for (uint256 i = 0; i < logs.length; ++i) {
            logs[i] = all[i];
            Vm.Log memory modelLog = all[logs.length + i];
            assertEq(logs[i].emitter, address(registry), "number of logs differs");
            assertEq(modelLog.emitter, address(_model), "number of logs differs");
            assertEq(abi.encode(logs[i].topics), abi.encode(modelLog.topics), "topics differ");
            assertEq(logs[i].data, modelLog.data, "log data differs");
        }
    }

    function _compareEveryTool() private {
        uint256 count = _model.toolCount();
        for (uint256 toolId = 0; toolId <= count + 1; ++toolId) {
            GeneratedCall memory call;
            call.sender = agent;
            call.toolId = toolId;
            call.gasLimit = AMPLE_GAS;
            call.purpose = Purpose.ReadConfig;
            call.data = abi.encodeCall(IToolRegistry.getToolConfig, (toolId));
            _callBoth(call);
            call.purpose = Purpose.CheckAccess;
            call.data = abi.encodeCall(IToolRegistry.tryHasAccess, (toolId, agent, ""));
            _callBoth(call);
        }
    }

    /// @dev Replaces the registry's own address in calldata or in error arguments.
    function _replaceWord(bytes memory data, address from, address to) private pure returns (bytes memory replaced) {
        replaced = bytes.concat(data);
        for (uint256 at = 36; at + 32 <= data.length + 32; at += 32) {
            assembly ("memory-safe") {
                if eq(mload(add(replaced, at)), from) { mstore(add(replaced, at), to) }
            }
        }
    }

    /* COUNTS */

    function _count(GeneratedCall memory call, bool success, bytes memory returned, Vm.Log[] memory logs) private {
        _mutationCounts[call.mutation]++;
        if (call.value != 0 && !success) _seen["value rejected"]++;
        if (call.mutation != Mutation.None && success) _seen["malformed but accepted"]++;
        if (!success) {
            _seen[returned.length == 0 ? "empty revert" : _errorName(_selectorOf(returned))]++;
            if (
                call.predicate == address(registry)
                    && _selectorOf(returned) == IToolRegistry.InvalidAccessPredicate.selector
            ) {
                _seen["registry rejected as predicate"]++;
            }
        }
        for (uint256 i = 0; i < logs.length; ++i) {
            _seen[_eventName(logs[i].topics[0])]++;
        }

        if (call.purpose == Purpose.Register || call.purpose == Purpose.UpdateMetadata) {
            _countURI(call, success, returned);
        }
        bool isUpdate = call.purpose == Purpose.UpdateMetadata || call.purpose == Purpose.SetPredicate;
        if (isUpdate && success && logs.length == 0) _seen["update without event"]++;
        if (call.purpose == Purpose.CheckAccess && success) _countAccess(call, returned);
    }

    function _countURI(GeneratedCall memory call, bool success, bytes memory returned) private {
        bool isTruncated = call.mutation == Mutation.LengthShortened && URIShapes.isWellKnown(call.shape);
        if (isTruncated && success) {
            _seen["well-known form only with the bytes after the URI"]++;
            if (call.shape == URIShape.WellKnownHostLikeFile) _seen["host ends in .json, path follows the URI"]++;
        }
        // An update may have used part of the old URI instead of the generated one.
        if (call.purpose != Purpose.Register || (call.mutation != Mutation.None && !isTruncated)) return;
        if (success) _acceptedURIs[call.shape]++;
        else if (_selectorOf(returned) == IToolRegistry.InvalidMetadataURI.selector) _rejectedURIs[call.shape]++;
    }

    function _countAccess(GeneratedCall memory call, bytes memory returned) private {
        if (call.mutation != Mutation.None) return;
        address predicate = _model.getToolConfig(call.toolId).accessPredicate;
        if (predicate == address(0)) return;
        for (uint256 i = 0; i < SCRIPTED; ++i) {
            if (predicate == address(_scripted[i])) {
                _behaviorCounts[_scripted[i].behaviorOf(IAccessPredicate.hasAccess.selector)]++;
            }
        }
        if (returned.length != 64) return;
        (bool ok, bool granted) = abi.decode(returned, (bool, bool));
        _seen[granted ? "granted" : ok ? "denied" : "unknown"]++;
    }

    /// @dev The first four bytes, padded with zeros.
    function _selectorOf(bytes memory returned) private pure returns (bytes4) {
        // forge-lint: disable-next-line(unsafe-typecast)
        return bytes4(returned);
    }

    function _errorName(bytes4 selector) private pure returns (string memory) {
        if (selector == IToolRegistry.ToolNotFound.selector) return "ToolNotFound";
        if (selector == IToolRegistry.ToolIsDeregistered.selector) return "ToolIsDeregistered";
        if (selector == IToolRegistry.NotToolCreator.selector) return "NotToolCreator";
        if (selector == IToolRegistry.InvalidMetadataURI.selector) return "InvalidMetadataURI";
        if (selector == IToolRegistry.InvalidManifestHash.selector) return "InvalidManifestHash";
        if (selector == IToolRegistry.InvalidAccessPredicate.selector) return "InvalidAccessPredicate";
        revert("error is not in IToolRegistry");
    }

    function _eventName(bytes32 topic) private pure returns (string memory) {
        if (topic == IToolRegistry.ToolRegistered.selector) return "ToolRegistered";
        if (topic == IToolRegistry.ToolMetadataUpdated.selector) return "ToolMetadataUpdated";
        if (topic == IToolRegistry.AccessPredicateUpdated.selector) return "AccessPredicateUpdated";
        if (topic == IToolRegistry.ToolDeregistered.selector) return "ToolDeregistered";
        revert("event is not in IToolRegistry");
    }

    function _requireSeen(string memory what, uint256 atLeast) private view {
        assertGe(_seen[what], atLeast, what);
    }
}
