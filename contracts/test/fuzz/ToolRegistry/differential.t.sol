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
import { CallGenerator, Damage, GeneratedCall, Purpose, World } from "test/support/CallGenerator.sol";
import { Dice } from "test/support/Dice.sol";
import { PlainToolRegistry } from "test/support/PlainToolRegistry.sol";
import { URIShape, URIShapes } from "test/support/URIShapes.sol";

/// @dev Makes the same calls on the registry and on its plain twin, and compares all that a caller or an indexer could
///      see: success, return data, logs.
contract DifferentialTest is BaseTest {
    uint256 private constant CALLS = 40;
    uint256 private constant SCRIPTED = 6;

    PlainToolRegistry private _twin;
    ScriptedPredicate[] private _scripted;
    address private _deployedLater;
    World private _world;

    /// @dev How often something was seen, for the statistics.
    mapping(string what => uint256) private _seen;
    mapping(URIShape => uint256) private _acceptedURIs;
    mapping(URIShape => uint256) private _refusedURIs;
    mapping(Behavior => uint256) private _asked;
    mapping(Damage => uint256) private _damaged;

    function setUp() public override {
        super.setUp();
        delete _world;
        delete _scripted;
        _twin = new PlainToolRegistry();
        _world.twin = _twin;
        _deployedLater = makeAddr("deployed later");
        vm.etch(_deployedLater, "");

        _world.actors = [creator, stranger, agent, address(type(uint160).max), address(yesPredicate)];
        for (uint256 i = 0; i < _world.actors.length; ++i) {
            vm.deal(_world.actors[i], 1000 ether);
        }

        for (uint256 i = 0; i < SCRIPTED; ++i) {
            _scripted.push(new ScriptedPredicate());
            // Twice, since they can do whatever the others do.
            _world.predicates.push(address(_scripted[i]));
            _world.predicates.push(address(_scripted[i]));
        }
        // Says yes to ERC-165 only to a question with the full allowance, and is no predicate.
        ScriptedPredicate gasAware = new ScriptedPredicate();
        gasAware.setScript(type(IERC165).interfaceId, Script(Behavior.CheckGas, 32, 30_000));
        _world.predicates.push(address(gasAware));
        _world.predicates.push(address(gasAware));
        // Without code: an open tool, an account, precompiles that do answer, and a predicate yet to be deployed.
        address[5] memory bare = [address(0), agent, address(2), address(4), _deployedLater];
        for (uint256 i = 0; i < bare.length; ++i) {
            _world.predicates.push(bare[i]);
        }
        _world.predicates.push(address(yesPredicate));
        _world.predicates.push(address(new NonERC165Predicate()));
        _world.predicates.push(address(new ERC165NonPredicate()));
        _world.predicates.push(address(new GasBurner()));
        _world.predicates.push(address(new OversizeReturnPredicate(20_000)));
        _world.predicates.push(address(new ReentrantPredicate(registry)));
        _world.predicates.push(address(new StorageWritingPredicate()));
        _world.predicates.push(address(registry));
        _world.predicates.push(address(_twin));
    }

    function testFuzz_RegistryBehavesAsItsPlainTwin(uint256 seed) external {
        _playSequence(seed);
    }

    /// @dev The comparison is worth what it reaches. The seeds are fixed, and so are the numbers.
    function test_SequencesReachEveryCase() external {
        uint256 freeMemory;
        assembly ("memory-safe") {
            freeMemory := mload(0x40)
        }
        for (uint256 seed = 0; seed < 40; ++seed) {
            setUp();
            _playSequence(seed);
            // Nothing in memory outlives a sequence, and so many of them would not fit.
            assembly ("memory-safe") {
                mstore(0x40, freeMemory)
            }
        }

        for (uint256 i = 0; i <= uint256(type(URIShape).max); ++i) {
            URIShape shape = URIShape(i);
            bool mustFail = shape == URIShape.Empty || shape == URIShape.TooLong || shape == URIShape.WellKnownTooLong;
            assertGe(mustFail ? _refusedURIs[shape] : _acceptedURIs[shape], 2, string.concat("shape ", vm.toString(i)));
        }
        for (uint256 i = 0; i <= uint256(type(Behavior).max); ++i) {
            assertGe(_asked[Behavior(i)], 4, string.concat("behavior ", vm.toString(i)));
        }
        for (uint256 i = 0; i <= uint256(type(Damage).max); ++i) {
            assertGe(_damaged[Damage(i)], 8, string.concat("damage ", vm.toString(i)));
        }

        _requireSeen("well-known form only beyond the text's end", 5);
        _requireSeen("file, then folder beyond its end", 2);
        _requireSeen("value refused", 20);
        _requireSeen("damaged yet accepted", 20);
        _requireSeen("empty revert", 50);
        _requireSeen("starved", 5);
        _requireSeen("not starved", 20);
        _requireSeen("self refused", 5);
        _requireSeen("change without event", 20);

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
        _requireSeen("could not tell", 20);
    }

    /* PLAYING */

    function _playSequence(uint256 seed) private {
        Dice memory dice = Dice(seed);
        World memory world = _world;
        for (uint256 i = 0; i < SCRIPTED; ++i) {
            _changeMind(dice, _scripted[i]);
        }
        uint256 deployment = dice.roll(2 * CALLS);
        for (uint256 i = 0; i < CALLS; ++i) {
            if (i == deployment) vm.etch(_deployedLater, address(_scripted[0]).code);
            if (dice.oneIn(6)) _changeMind(dice, _scripted[dice.roll(SCRIPTED)]);
            _playOnBoth(CallGenerator.next(dice, world));
        }
        _compareEveryTool();
    }

    function _changeMind(Dice memory dice, ScriptedPredicate predicate) private {
        bytes4[3] memory questions =
            [type(IERC165).interfaceId, type(IAccessPredicate).interfaceId, IAccessPredicate.hasAccess.selector];
        for (uint256 i = 0; i < 3; ++i) {
            predicate.setScript(questions[i], CallGenerator.script(dice, questions[i]));
        }
    }

    function _playOnBoth(GeneratedCall memory made) private {
        vm.recordLogs();
        (bool success, bytes memory returned) = _send(address(registry), made, made.data, made.gasLimit);
        if (_isStarved(made, success, returned)) {
            // Forge also records what was logged before the gas ran out, and the chain forgets.
            if (returned.length != 0) assertEq(vm.getRecordedLogs().length, 0, "a refused call left logs");
            return;
        }

        bytes memory dataForTwin = made.data;
        bool namesItself = made.predicate == address(registry) && made.damage == Damage.None;
        if (namesItself) dataForTwin = _replaceWord(made.data, address(registry), address(_twin));
        (bool twinSuccess, bytes memory twinReturned) = _send(address(_twin), made, dataForTwin, PLENTY);
        if (namesItself) twinReturned = _replaceWord(twinReturned, address(_twin), address(registry));

        assertEq(success, twinSuccess, "success differs");
        assertEq(returned, twinReturned, "return data differ");
        Vm.Log[] memory logs = _compareLogs(vm.getRecordedLogs());
        _count(made, success, returned, logs);
    }

    function _send(address to, GeneratedCall memory made, bytes memory data, uint256 gasLimit)
        private
        returns (bool success, bytes memory returned)
    {
        vm.prank(made.sender);
        return to.call{ gas: gasLimit, value: made.value }(data);
    }

    /// @dev Little gas may end a call early, with nothing or with the refusal to put a starved question, but must not change
    ///      what any other call does.
    function _isStarved(GeneratedCall memory made, bool success, bytes memory returned) private returns (bool) {
        if (made.gasLimit == PLENTY) return false;
        bool outOfGas = returned.length == 0;
        bool refused = _selectorOf(returned) == IToolRegistry.InvalidAccessPredicate.selector;
        bool starved = !success && (outOfGas || refused);
        _seen[starved ? "starved" : "not starved"]++;
        return starved;
    }

    function _compareLogs(Vm.Log[] memory all) private view returns (Vm.Log[] memory logs) {
        assertEq(all.length % 2, 0, "number of logs differs");
        logs = new Vm.Log[](all.length / 2);
        for (uint256 i = 0; i < logs.length; ++i) {
            logs[i] = all[i];
            Vm.Log memory twinLog = all[logs.length + i];
            assertEq(logs[i].emitter, address(registry), "number of logs differs");
            assertEq(twinLog.emitter, address(_twin), "number of logs differs");
            assertEq(abi.encode(logs[i].topics), abi.encode(twinLog.topics), "topics differ");
            assertEq(logs[i].data, twinLog.data, "log data differ");
        }
    }

    function _compareEveryTool() private {
        uint256 count = _twin.toolCount();
        for (uint256 toolId = 0; toolId <= count + 1; ++toolId) {
            GeneratedCall memory made;
            made.sender = agent;
            made.toolId = toolId;
            made.gasLimit = PLENTY;
            made.purpose = Purpose.ReadConfig;
            made.data = abi.encodeCall(IToolRegistry.getToolConfig, (toolId));
            _playOnBoth(made);
            made.purpose = Purpose.AskAccess;
            made.data = abi.encodeCall(IToolRegistry.tryHasAccess, (toolId, agent, ""));
            _playOnBoth(made);
        }
    }

    /// @dev Replaces an address that stands for the registry itself, in calldata or in the arguments of an error.
    function _replaceWord(bytes memory data, address from, address to) private pure returns (bytes memory replaced) {
        replaced = bytes.concat(data);
        for (uint256 at = 36; at + 32 <= data.length + 32; at += 32) {
            assembly ("memory-safe") {
                if eq(mload(add(replaced, at)), from) { mstore(add(replaced, at), to) }
            }
        }
    }

    /* STATISTICS */

    function _count(GeneratedCall memory made, bool success, bytes memory returned, Vm.Log[] memory logs) private {
        _damaged[made.damage]++;
        if (made.value != 0 && !success) _seen["value refused"]++;
        if (made.damage != Damage.None && success) _seen["damaged yet accepted"]++;
        if (!success) {
            _seen[returned.length == 0 ? "empty revert" : _errorName(_selectorOf(returned))]++;
            if (
                made.predicate == address(registry)
                    && _selectorOf(returned) == IToolRegistry.InvalidAccessPredicate.selector
            ) {
                _seen["self refused"]++;
            }
        }
        for (uint256 i = 0; i < logs.length; ++i) {
            _seen[_eventName(logs[i].topics[0])]++;
        }

        if (made.purpose == Purpose.Register || made.purpose == Purpose.UpdateMetadata) {
            _countURI(made, success, returned);
        }
        bool isUpdate = made.purpose == Purpose.UpdateMetadata || made.purpose == Purpose.SetPredicate;
        if (isUpdate && success && logs.length == 0) _seen["change without event"]++;
        if (made.purpose == Purpose.AskAccess && success) _countAnswer(made, returned);
    }

    function _countURI(GeneratedCall memory made, bool success, bytes memory returned) private {
        bool isCut = made.damage == Damage.LengthShortened && URIShapes.isWellKnown(made.shape);
        if (isCut && success) {
            _seen["well-known form only beyond the text's end"]++;
            if (made.shape == URIShape.WellKnownHostLikeFile) _seen["file, then folder beyond its end"]++;
        }
        // An update may have exchanged the URI for a piece of the old one.
        if (made.purpose != Purpose.Register || (made.damage != Damage.None && !isCut)) return;
        if (success) _acceptedURIs[made.shape]++;
        else if (_selectorOf(returned) == IToolRegistry.InvalidMetadataURI.selector) _refusedURIs[made.shape]++;
    }

    function _countAnswer(GeneratedCall memory made, bytes memory returned) private {
        if (made.damage != Damage.None) return;
        address predicate = _twin.getToolConfig(made.toolId).accessPredicate;
        if (predicate == address(0)) return;
        for (uint256 i = 0; i < SCRIPTED; ++i) {
            if (predicate == address(_scripted[i])) {
                _asked[_scripted[i].behaviorOf(IAccessPredicate.hasAccess.selector)]++;
            }
        }
        if (returned.length != 64) return;
        (bool ok, bool granted) = abi.decode(returned, (bool, bool));
        _seen[granted ? "granted" : ok ? "denied" : "could not tell"]++;
    }

    /// @dev The first four bytes; of less, nothing that an error is called.
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
        revert("an error that is not the interface's");
    }

    function _eventName(bytes32 topic) private pure returns (string memory) {
        if (topic == IToolRegistry.ToolRegistered.selector) return "ToolRegistered";
        if (topic == IToolRegistry.ToolMetadataUpdated.selector) return "ToolMetadataUpdated";
        if (topic == IToolRegistry.AccessPredicateUpdated.selector) return "AccessPredicateUpdated";
        if (topic == IToolRegistry.ToolDeregistered.selector) return "ToolDeregistered";
        revert("an event that is not the interface's");
    }

    function _requireSeen(string memory what, uint256 atLeast) private view {
        assertGe(_seen[what], atLeast, what);
    }
}
