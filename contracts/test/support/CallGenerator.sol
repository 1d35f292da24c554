// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { Behavior, Script } from "test/mocks/ScriptedPredicate.sol";
import { Random } from "test/support/Random.sol";
import { URIShape, URIShapes } from "test/support/URIShapes.sol";

/// @notice The intended effect of a call, before its calldata is modified.
enum Purpose {
    Register,
    UpdateMetadata,
    SetPredicate,
    Deregister,
    ReadConfig,
    CheckAccess,
    ReadConstants
}

/// @notice The modification of a call's calldata.
enum Mutation {
    None,
    Truncated,
    BitFlipped,
    DirtyHighBits,
    HeadWordReplaced,
    LengthShortened,
    LengthStretched,
    BytesAppended,
    RandomBytes
}

/// @notice A call to make on both the registry and the model.
struct GeneratedCall {
    Purpose purpose;
    Mutation mutation;
    URIShape shape;
    address sender;
    uint256 toolId;
    address predicate;
    bytes data;
    uint256 value;
    uint256 gasLimit;
}

/// @notice The senders, predicates and tools that calls are generated from.
struct World {
    IToolRegistry model;
    address[] actors;
    address[] predicates;
}

library CallGenerator {
    /// @dev Enough for every call, including one with the longest URI.
    uint256 internal constant AMPLE_GAS = 10_000_000;

    /// @dev Calls with a dynamic argument have three head words; its length is the fourth word.
    uint256 private constant LENGTH_WORD = 3;

    function next(Random memory random, World memory world) internal view returns (GeneratedCall memory call) {
        call.gasLimit = AMPLE_GAS;
        call.sender = world.actors[random.below(world.actors.length)];
        call.predicate = world.predicates[random.below(world.predicates.length)];
        uint256 count = world.model.toolCount();
        call.toolId = _toolId(random, count);

        // Mostly registrations until there are three tools.
        uint256 choice = count < 3 && !random.oneIn(3) ? 0 : random.below(32);
        if (choice < 6) _register(random, call);
        else if (choice < 13) _update(random, world, call);
        else if (choice < 18) _setPredicate(random, world, call);
        else if (choice < 20) _deregister(random, world, call);
        else if (choice < 22) _read(call);
        else if (choice < 30) _checkAccess(random, call);
        else _readConstants(random, call);

        if (random.oneIn(5)) _mutate(random, call);
        if (random.oneIn(24)) call.value = 1 + random.below(1 ether);
        // Access checks always get ample gas: with less, the gas that reaches the predicate depends on what the registry or
        // the model consumes. Every other call either runs out of gas or has the same effect as with ample gas.
        if (call.purpose == Purpose.CheckAccess || call.mutation != Mutation.None) return call;
        if (random.oneIn(12)) call.gasLimit = 21_000 + random.below(200_000);
        // Roughly enough gas for the call, but not for an ERC-165 probe.
        if (call.purpose == Purpose.SetPredicate && random.oneIn(4)) call.gasLimit = 28_000 + random.below(16_000);
    }

    /// @dev A random script for a predicate. Half of them return true, because other probe results end the validation.
    function script(Random memory random, bytes4 key) internal pure returns (Script memory) {
        if (random.oneIn(2)) return Script(Behavior.Return, 32, 1);
        Behavior behavior = Behavior(random.below(uint256(type(Behavior).max) + 1));
        if (behavior == Behavior.CheckGas) {
            return Script(behavior, 32, key == IAccessPredicate.hasAccess.selector ? 200_000 : 30_000);
        }
        if (behavior == Behavior.HashCalldata) return Script(behavior, 32, 0);
        uint256[5] memory words = [uint256(0), 1, 2, 1 << 255, type(uint256).max];
        uint32[9] memory lengths = [uint32(32), 32, 32, 0, 1, 31, 33, 64, 200_000];
        return Script(behavior, lengths[random.below(9)], words[random.below(5)]);
    }

    /* CALLS */

    function _register(Random memory random, GeneratedCall memory call) private pure {
        call.purpose = Purpose.Register;
        bytes memory uri;
        (uri, call.shape) = URIShapes.any(random);
        call.data = abi.encodeCall(IToolRegistry.registerTool, (string(uri), _hash(random), call.predicate));
        if (call.shape == URIShape.WellKnownHostLikeFile && random.oneIn(2)) {
            // `https://name.json`, followed in calldata by the rest of the well-known form.
            call.mutation = Mutation.LengthShortened;
            _setWord(call.data, LENGTH_WORD, URIShapes.firstSlash(uri, 8));
        }
    }

    function _update(Random memory random, World memory world, GeneratedCall memory call) private view {
        call.purpose = Purpose.UpdateMetadata;
        ToolConfig memory old = _target(random, world, call);
        bytes memory uri;
        (uri, call.shape) = URIShapes.any(random);
        if (random.oneIn(4)) uri = bytes(old.metadataURI);
        if (random.oneIn(6)) uri = abi.encodePacked(old.metadataURI, random.data(1 + random.below(40)));
        if (random.oneIn(6)) {
            uri = URIShapes.head(bytes(old.metadataURI), random.below(bytes(old.metadataURI).length + 1));
        }
        bytes32 hash = random.oneIn(3) ? old.manifestHash : _hash(random);
        call.data = abi.encodeCall(IToolRegistry.updateToolMetadata, (call.toolId, string(uri), hash));
    }

    function _setPredicate(Random memory random, World memory world, GeneratedCall memory call) private view {
        call.purpose = Purpose.SetPredicate;
        ToolConfig memory old = _target(random, world, call);
        if (random.oneIn(4)) call.predicate = address(0);
        if (random.oneIn(6)) call.predicate = old.accessPredicate;
        call.data = abi.encodeCall(IToolRegistry.setAccessPredicate, (call.toolId, call.predicate));
    }

    function _deregister(Random memory random, World memory world, GeneratedCall memory call) private view {
        call.purpose = Purpose.Deregister;
        _target(random, world, call);
        call.data = abi.encodeCall(IToolRegistry.deregisterTool, (call.toolId));
    }

    function _read(GeneratedCall memory call) private pure {
        call.purpose = Purpose.ReadConfig;
        call.data = abi.encodeCall(IToolRegistry.getToolConfig, (call.toolId));
    }

    function _checkAccess(Random memory random, GeneratedCall memory call) private pure {
        call.purpose = Purpose.CheckAccess;
        bytes memory data = random.data(random.oneIn(2) ? 0 : random.below(100));
        call.data = random.oneIn(2)
            ? abi.encodeCall(IToolRegistry.hasAccess, (call.toolId, call.sender, data))
            : abi.encodeCall(IToolRegistry.tryHasAccess, (call.toolId, call.sender, data));
    }

    function _readConstants(Random memory random, GeneratedCall memory call) private pure {
        call.purpose = Purpose.ReadConstants;
        uint256 choice = random.below(4);
        if (choice == 0) call.data = abi.encodeCall(IToolRegistry.toolCount, ());
        if (choice == 1) call.data = abi.encodeCall(IToolRegistry.name, ());
        if (choice == 2) call.data = abi.encodeCall(IToolRegistry.version, ());
        if (choice == 3) {
            bytes4[4] memory ids = [bytes4(0xf1dc8075), 0x01ffc9a7, 0xffffffff, bytes4(random.word())];
            call.data = abi.encodeCall(IERC165.supportsInterface, (ids[random.below(4)]));
        }
    }

    /// @dev Uses the tool's creator as sender in most cases.
    function _target(Random memory random, World memory world, GeneratedCall memory call)
        private
        view
        returns (ToolConfig memory config)
    {
        try world.model.getToolConfig(call.toolId) returns (ToolConfig memory found) {
            config = found;
            if (!random.oneIn(5)) call.sender = config.creator;
        } catch { }
    }

    /// @dev Mostly the id of an existing or deregistered tool; otherwise an invalid id that might alias a tool's slot.
    function _toolId(Random memory random, uint256 count) private pure returns (uint256) {
        uint256 existing = count == 0 ? 1 : 1 + random.below(count);
        if (!random.oneIn(6)) return existing;
        uint256[10] memory ids = [
            0,
            count + 1,
            2 ** 64 - 1,
            2 ** 64,
            2 ** 64 + existing,
            2 ** 249 + existing,
            2 ** 255 + 1,
            2 ** 255 + existing,
            type(uint256).max,
            uint256(random.word())
        ];
        return ids[random.below(10)];
    }

    function _hash(Random memory random) private pure returns (bytes32) {
        return random.oneIn(16) ? bytes32(0) : random.word();
    }

    /* CALLDATA MODIFICATIONS */

    function _mutate(Random memory random, GeneratedCall memory call) private pure {
        call.mutation = Mutation(1 + random.below(uint256(type(Mutation).max)));
        bytes memory data = call.data;
        bool hasLength = data.length >= 4 + 32 * (LENGTH_WORD + 1);
        uint256 length = hasLength ? _word(data, LENGTH_WORD) : 0;
        uint256 heads = (data.length - 4) / 32 < 3 ? (data.length - 4) / 32 : 3;

        if (call.mutation == Mutation.Truncated) {
            call.data = URIShapes.head(data, random.below(data.length));
        } else if (call.mutation == Mutation.BitFlipped) {
            data[random.below(data.length)] ^= bytes1(uint8(2 ** random.below(8)));
        } else if (call.mutation == Mutation.DirtyHighBits && heads > 0) {
            uint256 at = random.below(heads);
            _setWord(data, at, _word(data, at) | 2 ** (160 + random.below(96)));
        } else if (call.mutation == Mutation.HeadWordReplaced && heads > 0) {
            uint256[9] memory words = [
                0, 0x20, 0x40, 0x60, 0x80, data.length - 4, 2 ** 64 - 1, 2 ** 255, type(uint256).max - random.below(64)
            ];
            _setWord(data, random.below(heads), words[random.below(9)]);
        } else if (call.mutation == Mutation.LengthShortened && length > 0) {
            // The bytes that follow in calldata may complete the well-known form.
            uint256 maxCut = length < 40 ? length : 40;
            _setWord(data, LENGTH_WORD, length - 1 - random.below(maxCut));
        } else if (call.mutation == Mutation.LengthStretched && hasLength) {
            uint256[4] memory lengths =
                [length + 1 + random.below(64), 2 ** 64, 2 ** 255, type(uint256).max - random.below(64)];
            _setWord(data, LENGTH_WORD, lengths[random.below(4)]);
        } else if (call.mutation == Mutation.RandomBytes) {
            call.data = random.data(random.below(40));
        } else {
            call.mutation = Mutation.BytesAppended;
            call.data = abi.encodePacked(data, random.data(1 + random.below(64)));
        }
    }

    function _word(bytes memory data, uint256 index) private pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := mload(add(add(data, 36), mul(32, index)))
        }
    }

    function _setWord(bytes memory data, uint256 index, uint256 value) private pure {
        assembly ("memory-safe") {
            mstore(add(add(data, 36), mul(32, index)), value)
        }
    }
}
