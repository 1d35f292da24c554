// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { ToolRegistryStore } from "test/invariant/stores/ToolRegistryStore.sol";
import { DenyingPredicate } from "test/mocks/DenyingPredicate.sol";
import { ERC165NonPredicate } from "test/mocks/ERC165NonPredicate.sol";
import { Behavior, Script, ScriptedPredicate } from "test/mocks/ScriptedPredicate.sol";
import { Assertions } from "test/support/Assertions.sol";
import { CallGenerator } from "test/support/CallGenerator.sol";
import { Dice } from "test/support/Dice.sol";
import { IRegistry } from "test/support/Shipped.sol";
import { URIShape, URIShapes } from "test/support/URIShapes.sol";

/// @dev Calls the registry in every way that has a known outcome, checks that outcome to the byte, and notes it in the
///      store. Every entry takes one seed, which decides who calls, on which tool, with what.
contract ToolRegistryHandler is Assertions {
    IRegistry private immutable _REGISTRY;
    ToolRegistryStore private immutable _STORE;
    address private immutable _REFUSED = address(new ERC165NonPredicate());

    address[] private _actors;
    address[] private _predicates;
    ScriptedPredicate[] private _scripted;

    constructor(IRegistry registry, ToolRegistryStore store) {
        _REGISTRY = registry;
        _STORE = store;
        _actors = [makeAddr("one creator"), makeAddr("another creator"), address(type(uint160).max)];

        _predicates = [_actors[0], address(2), address(new DenyingPredicate())];
        for (uint256 i = 0; i <= uint256(type(Behavior).max); ++i) {
            ScriptedPredicate predicate = new ScriptedPredicate();
            predicate.setScript(type(IERC165).interfaceId, Script(Behavior.Return, 32, 1));
            predicate.setScript(IAccessPredicate.hasAccess.selector, Script(Behavior(i), 32, 1));
            _scripted.push(predicate);
            _predicates.push(address(predicate));
        }
        _setClaims(1);
    }

    /// @dev No entry lets the count fall, whatever else it does.
    modifier counted() {
        uint256 before = _REGISTRY.toolCount();
        _STORE.addCall(msg.sig);
        vm.recordLogs();
        _;
        assertGe(_REGISTRY.toolCount(), before, "the count fell");
    }

    /// @dev Everyone in a call, in the order that `tests/support/registry/handlers.rs` has them in.
    function cast() external returns (address[] memory everyone) {
        uint256 before = 4 + _actors.length;
        everyone = new address[](before + _predicates.length);
        (everyone[0], everyone[1]) = (address(_REGISTRY), address(this));
        (everyone[2], everyone[3]) = (_REFUSED, makeAddr("stranger"));
        for (uint256 i = 0; i < _actors.length; ++i) {
            everyone[4 + i] = _actors[i];
        }
        for (uint256 i = 0; i < _predicates.length; ++i) {
            everyone[before + i] = _predicates[i];
        }
    }

    /* ACCEPTED */

    function registerTools(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        uint256 times = 1 + dice.roll(3);
        for (uint256 i = 0; i < times; ++i) {
            _register(dice);
        }
    }

    function updateToolMetadata(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        (uint256 toolId, ToolConfig memory config) = _liveTool(dice);
        string memory uri = dice.oneIn(3) ? config.metadataURI : string(URIShapes.valid(dice));
        bytes32 hash = dice.oneIn(3) ? config.manifestHash : dice.word();
        bool same = hash == config.manifestHash && keccak256(bytes(uri)) == keccak256(bytes(config.metadataURI));

        vm.prank(config.creator);
        _REGISTRY.updateToolMetadata(toolId, uri, hash);

        if (same) assertNoLogs();
        else assertOnlyLogIsMetadataUpdate(address(_REGISTRY), toolId, uri, hash);
        _STORE.setMetadata(toolId, uri, hash);
    }

    function setAccessPredicate(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        (uint256 toolId, ToolConfig memory config) = _liveTool(dice);
        address predicate = _predicate(dice);

        vm.prank(config.creator);
        _REGISTRY.setAccessPredicate(toolId, predicate);

        if (predicate == config.accessPredicate) assertNoLogs();
        else assertOnlyLogIsPredicateUpdate(address(_REGISTRY), toolId, predicate);
        _STORE.setPredicate(toolId, predicate);
    }

    function deregisterTool(uint256 seed) external counted {
        (uint256 toolId, ToolConfig memory config) = _liveTool(Dice(seed));

        vm.prank(config.creator);
        _REGISTRY.deregisterTool(toolId);

        assertOnlyLogIsDeregistration(address(_REGISTRY), toolId);
        _STORE.removeTool(toolId);
    }

    /// @dev Writes what is stored already. No predicate would be accepted now, but none is looked at.
    function repeatConfig(uint256 seed) external counted {
        (uint256 toolId, ToolConfig memory config) = _liveTool(Dice(seed));
        _setClaims(0);

        vm.startPrank(config.creator);
        _REGISTRY.updateToolMetadata(toolId, config.metadataURI, config.manifestHash);
        _REGISTRY.setAccessPredicate(toolId, config.accessPredicate);
        vm.stopPrank();

        assertNoLogs();
        _setClaims(1);
    }

    /// @dev Has a predicate decide otherwise from now on, or fail to.
    function changeMindOfPredicate(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        bytes4 question = IAccessPredicate.hasAccess.selector;
        _scripted[dice.roll(_scripted.length)].setScript(question, CallGenerator.script(dice, question));
    }

    /* REFUSED */

    function registerInvalidTool(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        string memory uri = string(URIShapes.valid(dice));
        bytes32 hash = dice.word();
        address predicate = address(0);
        bytes memory refusal;
        uint256 choice = dice.roll(3);
        if (choice == 0) {
            uri = string(URIShapes.ofShape(dice, dice.oneIn(2) ? URIShape.Empty : URIShape.TooLong));
            refusal = abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector);
        } else if (choice == 1) {
            hash = 0;
            refusal = abi.encodeWithSelector(IToolRegistry.InvalidManifestHash.selector);
        } else {
            predicate = dice.oneIn(2) ? _REFUSED : address(_REGISTRY);
            refusal = abi.encodeWithSelector(IToolRegistry.InvalidAccessPredicate.selector, predicate);
        }
        _requireRevert(_actor(dice), abi.encodeCall(IToolRegistry.registerTool, (uri, hash, predicate)), refusal);
    }

    /// @dev The caller may do it all, but not with these values.
    function changeToolInvalidly(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        (uint256 toolId, ToolConfig memory config) = _liveTool(dice);
        address creator = config.creator;
        bytes memory invalidURI = abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector);
        bytes memory invalidHash = abi.encodeWithSelector(IToolRegistry.InvalidManifestHash.selector);
        bytes memory refused = abi.encodeWithSelector(IToolRegistry.InvalidAccessPredicate.selector, _REFUSED);
        string memory tooLong = string(URIShapes.ofShape(dice, URIShape.TooLong));

        _requireRevert(
            creator, abi.encodeCall(IToolRegistry.updateToolMetadata, (toolId, "", config.manifestHash)), invalidURI
        );
        _requireRevert(
            creator, abi.encodeCall(IToolRegistry.updateToolMetadata, (toolId, tooLong, dice.word())), invalidURI
        );
        _requireRevert(
            creator, abi.encodeCall(IToolRegistry.updateToolMetadata, (toolId, config.metadataURI, 0)), invalidHash
        );
        _requireRevert(creator, abi.encodeCall(IToolRegistry.setAccessPredicate, (toolId, _REFUSED)), refused);
    }

    function changeToolAsStranger(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        (uint256 toolId, ToolConfig memory config) = _liveTool(dice);
        address stranger = _actor(dice);
        // Who decides on access has no say either.
        if (dice.oneIn(2)) stranger = config.accessPredicate;
        if (stranger == config.creator || stranger == address(0)) stranger = makeAddr("stranger");

        bytes memory refusal = abi.encodeWithSelector(IToolRegistry.NotToolCreator.selector, toolId, stranger);
        bytes[] memory every = _everyCallOn(toolId, dice);
        for (uint256 i = 0; i < 3; ++i) {
            _requireRevert(stranger, every[i], refusal);
        }
    }

    function callRemovedTool(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        uint256 toolId = 1 + dice.roll(1 + _STORE.registrations());
        if (!_STORE.isRemoved(toolId)) {
            ToolConfig memory config;
            (toolId, config) = _liveTool(dice);
            vm.prank(config.creator);
            _REGISTRY.deregisterTool(toolId);
            vm.getRecordedLogs();
            _STORE.removeTool(toolId);
        }

        bytes memory refusal = abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, toolId);
        bytes[] memory every = _everyCallOn(toolId, dice);
        address caller = dice.oneIn(2) ? _STORE.firstCreator(toolId) : _actor(dice);
        for (uint256 i = 0; i < every.length; ++i) {
            _requireRevert(caller, every[i], refusal);
        }
    }

    function callUnknownTool(uint256 seed) external counted {
        Dice memory dice = Dice(seed);
        uint256 count = _STORE.registrations();
        uint256 existing = 1 + dice.roll(count + 1);
        uint256 shift = 64 + dice.roll(192);
        uint256 toolId = [0, count + 1, 2 ** shift, 2 ** shift + existing][dice.roll(4)];

        bytes memory refusal = abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, toolId);
        bytes[] memory every = _everyCallOn(toolId, dice);
        for (uint256 i = 0; i < every.length; ++i) {
            _requireRevert(_actor(dice), every[i], refusal);
        }
    }

    /* PARTS */

    function _register(Dice memory dice) private {
        ToolConfig memory config = ToolConfig({
            creator: _actor(dice),
            metadataURI: string(URIShapes.valid(dice)),
            manifestHash: dice.word(),
            accessPredicate: _predicate(dice)
        });

        vm.prank(config.creator);
        uint256 toolId = _REGISTRY.registerTool(config.metadataURI, config.manifestHash, config.accessPredicate);

        assertEq(toolId, _STORE.registrations() + 1, "the id is not the next one");
        assertOnlyLogIsRegistration(address(_REGISTRY), toolId, config);
        _STORE.addTool(toolId, config);
    }

    /// @dev Has the predicates say whether they are predicates: 1 or 0.
    function _setClaims(uint256 answer) private {
        for (uint256 i = 0; i < _scripted.length; ++i) {
            _scripted[i].setScript(type(IAccessPredicate).interfaceId, Script(Behavior.Return, 32, answer));
        }
    }

    /// @dev Any live tool. There is one afterwards if there was none before.
    function _liveTool(Dice memory dice) private returns (uint256 toolId, ToolConfig memory config) {
        uint256 count = _STORE.registrations();
        uint256 start = dice.roll(count + 1);
        for (uint256 i = 0; i < count; ++i) {
            toolId = 1 + (start + i) % count;
            if (_STORE.isLive(toolId)) return (toolId, _STORE.configOf(toolId));
        }
        _register(dice);
        toolId = _STORE.registrations();
        config = _STORE.configOf(toolId);
    }

    /// @dev All functions that take an id, the three that change a tool first.
    function _everyCallOn(uint256 toolId, Dice memory dice) private view returns (bytes[] memory every) {
        every = new bytes[](6);
        every[0] = abi.encodeCall(
            IToolRegistry.updateToolMetadata, (toolId, dice.oneIn(2) ? "" : string(URIShapes.valid(dice)), dice.word())
        );
        every[1] = abi.encodeCall(IToolRegistry.setAccessPredicate, (toolId, dice.oneIn(2) ? _REFUSED : address(0)));
        every[2] = abi.encodeCall(IToolRegistry.deregisterTool, (toolId));
        every[3] = abi.encodeCall(IToolRegistry.getToolConfig, (toolId));
        every[4] = abi.encodeCall(IToolRegistry.hasAccess, (toolId, _actor(dice), ""));
        every[5] = abi.encodeCall(IToolRegistry.tryHasAccess, (toolId, _actor(dice), ""));
    }

    function _requireRevert(address caller, bytes memory data, bytes memory refusal) private {
        vm.prank(caller);
        (bool success, bytes memory returned) = address(_REGISTRY).call(data);
        assertRevert(success, returned, refusal);
        assertNoLogs();
    }

    function _predicate(Dice memory dice) private view returns (address) {
        return dice.oneIn(3) ? address(0) : _predicates[dice.roll(_predicates.length)];
    }

    function _actor(Dice memory dice) private view returns (address) {
        return _actors[dice.roll(_actors.length)];
    }
}
