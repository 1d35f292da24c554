// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { Behavior, Script } from "test/mocks/ScriptedPredicate.sol";
import { Dice } from "test/support/Dice.sol";
import { URIShape, URIShapes } from "test/support/URIShapes.sol";

/// @notice What a call is meant to do, before anything was done to its calldata.
enum Purpose {
    Register,
    UpdateMetadata,
    SetPredicate,
    Deregister,
    ReadConfig,
    AskAccess,
    ReadConstants
}

/// @notice What was done to the calldata of a call.
enum Damage {
    None,
    Truncated,
    BitFlipped,
    DirtyHighBits,
    HeadWordReplaced,
    LengthShortened,
    LengthStretched,
    BytesAppended,
    NotACall
}

/// @notice A call to make on registry and twin alike.
struct GeneratedCall {
    Purpose purpose;
    Damage damage;
    URIShape shape;
    address sender;
    uint256 toolId;
    address predicate;
    bytes data;
    uint256 value;
    uint256 gasLimit;
}

/// @notice What calls are made of: who sends them, which predicates they name, and the tools there are.
struct World {
    IToolRegistry twin;
    address[] actors;
    address[] predicates;
}

library CallGenerator {
    /// @dev Enough for every call, the longest URI included.
    uint256 internal constant PLENTY = 10_000_000;

    /// @dev The head of every call with a dynamic argument is three words long, so its length is the fourth.
    uint256 private constant LENGTH_WORD = 3;

    function next(Dice memory dice, World memory world) internal view returns (GeneratedCall memory made) {
        made.gasLimit = PLENTY;
        made.sender = world.actors[dice.roll(world.actors.length)];
        made.predicate = world.predicates[dice.roll(world.predicates.length)];
        uint256 count = world.twin.toolCount();
        made.toolId = _toolId(dice, count);

        // There is little to do before there are tools.
        uint256 choice = count < 3 && !dice.oneIn(3) ? 0 : dice.roll(32);
        if (choice < 6) _register(dice, made);
        else if (choice < 13) _update(dice, world, made);
        else if (choice < 18) _setPredicate(dice, world, made);
        else if (choice < 20) _deregister(dice, world, made);
        else if (choice < 22) _read(made);
        else if (choice < 30) _ask(dice, made);
        else _readConstants(dice, made);

        if (dice.oneIn(5)) _damage(dice, made);
        if (dice.oneIn(24)) made.value = 1 + dice.roll(1 ether);
        // Starved access checks are left out: how much reaches the predicate is then a matter of what registry and twin
        // spend themselves. Everything else either fails for want of gas or must do just what it does with plenty.
        if (made.purpose == Purpose.AskAccess || made.damage != Damage.None) return made;
        if (dice.oneIn(12)) made.gasLimit = 21_000 + dice.roll(200_000);
        // About what it takes to be short of gas for a question, but not for the rest.
        if (made.purpose == Purpose.SetPredicate && dice.oneIn(4)) made.gasLimit = 28_000 + dice.roll(16_000);
    }

    /// @dev What a predicate shall say to a question. Yes is the usual answer: the others would stop at the door.
    function script(Dice memory dice, bytes4 question) internal pure returns (Script memory) {
        if (dice.oneIn(2)) return Script(Behavior.Return, 32, 1);
        Behavior behavior = Behavior(dice.roll(uint256(type(Behavior).max) + 1));
        if (behavior == Behavior.CheckGas) {
            return Script(behavior, 32, question == IAccessPredicate.hasAccess.selector ? 200_000 : 30_000);
        }
        if (behavior == Behavior.HashCalldata) return Script(behavior, 32, 0);
        uint256[5] memory words = [uint256(0), 1, 2, 1 << 255, type(uint256).max];
        uint32[9] memory lengths = [uint32(32), 32, 32, 0, 1, 31, 33, 64, 200_000];
        return Script(behavior, lengths[dice.roll(9)], words[dice.roll(5)]);
    }

    /* PURPOSES */

    function _register(Dice memory dice, GeneratedCall memory made) private pure {
        made.purpose = Purpose.Register;
        bytes memory uri;
        (uri, made.shape) = URIShapes.any(dice);
        made.data = abi.encodeCall(IToolRegistry.registerTool, (string(uri), _hash(dice), made.predicate));
        if (made.shape == URIShape.WellKnownHostLikeFile && dice.oneIn(2)) {
            // `https://name.json`, and the rest of the well-known form right behind its end.
            made.damage = Damage.LengthShortened;
            _setWord(made.data, LENGTH_WORD, URIShapes.firstSlash(uri, 8));
        }
    }

    function _update(Dice memory dice, World memory world, GeneratedCall memory made) private view {
        made.purpose = Purpose.UpdateMetadata;
        ToolConfig memory old = _aim(dice, world, made);
        bytes memory uri;
        (uri, made.shape) = URIShapes.any(dice);
        if (dice.oneIn(4)) uri = bytes(old.metadataURI);
        if (dice.oneIn(6)) uri = abi.encodePacked(old.metadataURI, dice.noise(1 + dice.roll(40)));
        if (dice.oneIn(6)) uri = URIShapes.head(bytes(old.metadataURI), dice.roll(bytes(old.metadataURI).length + 1));
        bytes32 hash = dice.oneIn(3) ? old.manifestHash : _hash(dice);
        made.data = abi.encodeCall(IToolRegistry.updateToolMetadata, (made.toolId, string(uri), hash));
    }

    function _setPredicate(Dice memory dice, World memory world, GeneratedCall memory made) private view {
        made.purpose = Purpose.SetPredicate;
        ToolConfig memory old = _aim(dice, world, made);
        if (dice.oneIn(4)) made.predicate = address(0);
        if (dice.oneIn(6)) made.predicate = old.accessPredicate;
        made.data = abi.encodeCall(IToolRegistry.setAccessPredicate, (made.toolId, made.predicate));
    }

    function _deregister(Dice memory dice, World memory world, GeneratedCall memory made) private view {
        made.purpose = Purpose.Deregister;
        _aim(dice, world, made);
        made.data = abi.encodeCall(IToolRegistry.deregisterTool, (made.toolId));
    }

    function _read(GeneratedCall memory made) private pure {
        made.purpose = Purpose.ReadConfig;
        made.data = abi.encodeCall(IToolRegistry.getToolConfig, (made.toolId));
    }

    function _ask(Dice memory dice, GeneratedCall memory made) private pure {
        made.purpose = Purpose.AskAccess;
        bytes memory data = dice.noise(dice.oneIn(2) ? 0 : dice.roll(100));
        made.data = dice.oneIn(2)
            ? abi.encodeCall(IToolRegistry.hasAccess, (made.toolId, made.sender, data))
            : abi.encodeCall(IToolRegistry.tryHasAccess, (made.toolId, made.sender, data));
    }

    function _readConstants(Dice memory dice, GeneratedCall memory made) private pure {
        made.purpose = Purpose.ReadConstants;
        uint256 choice = dice.roll(4);
        if (choice == 0) made.data = abi.encodeCall(IToolRegistry.toolCount, ());
        if (choice == 1) made.data = abi.encodeCall(IToolRegistry.name, ());
        if (choice == 2) made.data = abi.encodeCall(IToolRegistry.version, ());
        if (choice == 3) {
            bytes4[4] memory ids = [bytes4(0xf1dc8075), 0x01ffc9a7, 0xffffffff, bytes4(dice.word())];
            made.data = abi.encodeCall(IERC165.supportsInterface, (ids[dice.roll(4)]));
        }
    }

    /// @dev Mostly lets the creator do what only the creator may.
    function _aim(Dice memory dice, World memory world, GeneratedCall memory made)
        private
        view
        returns (ToolConfig memory config)
    {
        try world.twin.getToolConfig(made.toolId) returns (ToolConfig memory found) {
            config = found;
            if (!dice.oneIn(5)) made.sender = config.creator;
        } catch { }
    }

    /// @dev Mostly a tool that exists or existed; else one that does not, but whose slot might be taken for another's.
    function _toolId(Dice memory dice, uint256 count) private pure returns (uint256) {
        uint256 existing = count == 0 ? 1 : 1 + dice.roll(count);
        if (!dice.oneIn(6)) return existing;
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
            uint256(dice.word())
        ];
        return ids[dice.roll(10)];
    }

    function _hash(Dice memory dice) private pure returns (bytes32) {
        return dice.oneIn(16) ? bytes32(0) : dice.word();
    }

    /* DAMAGE */

    function _damage(Dice memory dice, GeneratedCall memory made) private pure {
        made.damage = Damage(1 + dice.roll(uint256(type(Damage).max)));
        bytes memory data = made.data;
        bool hasLength = data.length >= 4 + 32 * (LENGTH_WORD + 1);
        uint256 length = hasLength ? _word(data, LENGTH_WORD) : 0;
        uint256 heads = (data.length - 4) / 32 < 3 ? (data.length - 4) / 32 : 3;

        if (made.damage == Damage.Truncated) {
            made.data = URIShapes.head(data, dice.roll(data.length));
        } else if (made.damage == Damage.BitFlipped) {
            data[dice.roll(data.length)] ^= bytes1(uint8(2 ** dice.roll(8)));
        } else if (made.damage == Damage.DirtyHighBits && heads > 0) {
            uint256 at = dice.roll(heads);
            _setWord(data, at, _word(data, at) | 2 ** (160 + dice.roll(96)));
        } else if (made.damage == Damage.HeadWordReplaced && heads > 0) {
            uint256[9] memory words = [
                0, 0x20, 0x40, 0x60, 0x80, data.length - 4, 2 ** 64 - 1, 2 ** 255, type(uint256).max - dice.roll(64)
            ];
            _setWord(data, dice.roll(heads), words[dice.roll(9)]);
        } else if (made.damage == Damage.LengthShortened && length > 0) {
            // What follows in calldata may complete a form that the text itself does not have.
            uint256 most = length < 40 ? length : 40;
            _setWord(data, LENGTH_WORD, length - 1 - dice.roll(most));
        } else if (made.damage == Damage.LengthStretched && hasLength) {
            uint256[4] memory lengths =
                [length + 1 + dice.roll(64), 2 ** 64, 2 ** 255, type(uint256).max - dice.roll(64)];
            _setWord(data, LENGTH_WORD, lengths[dice.roll(4)]);
        } else if (made.damage == Damage.NotACall) {
            made.data = dice.noise(dice.roll(40));
        } else {
            made.damage = Damage.BytesAppended;
            made.data = abi.encodePacked(data, dice.noise(1 + dice.roll(64)));
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
