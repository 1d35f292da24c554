// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { ToolRegistryStore } from "test/invariant/stores/ToolRegistryStore.sol";
import { DenyingPredicate } from "test/mocks/DenyingPredicate.sol";
import { ERC165NonPredicate } from "test/mocks/ERC165NonPredicate.sol";
import { Behavior, Script, ScriptedPredicate } from "test/mocks/ScriptedPredicate.sol";
import { IRegistry } from "test/support/ArtifactDeployer.sol";
import { Assertions } from "test/support/Assertions.sol";
import { CallGenerator } from "test/support/CallGenerator.sol";
import { Random } from "test/support/Random.sol";
import { URIShape, URIShapes } from "test/support/URIShapes.sol";

/// @dev Makes registry calls whose exact outcome is known, checks the outcome, and records it in the store. Each function
///      derives caller, tool and arguments from one seed.
contract ToolRegistryHandler is Assertions {
    IRegistry private immutable _REGISTRY;
    ToolRegistryStore private immutable _STORE;
    address private immutable _INVALID_PREDICATE = address(new ERC165NonPredicate());

    address[] private _actors;
    address[] private _predicates;
    ScriptedPredicate[] private _scripted;

    constructor(IRegistry registry, ToolRegistryStore store) {
        _REGISTRY = registry;
        _STORE = store;
        _actors = [makeAddr("creator 1"), makeAddr("creator 2"), address(type(uint160).max)];

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

    /// @dev `toolCount` never decreases.
    modifier counted() {
        uint256 before = _REGISTRY.toolCount();
        _STORE.addCall(msg.sig);
        vm.recordLogs();
        _;
        assertGe(_REGISTRY.toolCount(), before, "toolCount decreased");
    }

    /* SUCCESSFUL CALLS */

    function registerTools(uint256 seed) external counted {
        Random memory random = Random(seed);
        uint256 times = 1 + random.below(3);
        for (uint256 i = 0; i < times; ++i) {
            _register(random);
        }
    }

    function updateToolMetadata(uint256 seed) external counted {
        Random memory random = Random(seed);
        (uint256 toolId, ToolConfig memory config) = _liveTool(random);
        string memory uri = random.oneIn(3) ? config.metadataURI : string(URIShapes.valid(random));
        bytes32 hash = random.oneIn(3) ? config.manifestHash : random.word();
        bool same = hash == config.manifestHash && keccak256(bytes(uri)) == keccak256(bytes(config.metadataURI));

        vm.prank(config.creator);
        _REGISTRY.updateToolMetadata(toolId, uri, hash);

        if (same) assertNoLogs();
        else assertOnlyLogIsMetadataUpdate(address(_REGISTRY), toolId, uri, hash);
        _STORE.setMetadata(toolId, uri, hash);
    }

    function setAccessPredicate(uint256 seed) external counted {
        Random memory random = Random(seed);
        (uint256 toolId, ToolConfig memory config) = _liveTool(random);
        address predicate = _predicate(random);

        vm.prank(config.creator);
        _REGISTRY.setAccessPredicate(toolId, predicate);

        if (predicate == config.accessPredicate) assertNoLogs();
        else assertOnlyLogIsPredicateUpdate(address(_REGISTRY), toolId, predicate);
        _STORE.setPredicate(toolId, predicate);
    }

    function deregisterTool(uint256 seed) external counted {
        (uint256 toolId, ToolConfig memory config) = _liveTool(Random(seed));

        vm.prank(config.creator);
        _REGISTRY.deregisterTool(toolId);

        assertOnlyLogIsDeregistration(address(_REGISTRY), toolId);
        _STORE.deregisterTool(toolId);
    }

    /// @dev Writes the values already stored. Every predicate would be rejected now, but an unchanged one is not probed.
    function repeatConfig(uint256 seed) external counted {
        (uint256 toolId, ToolConfig memory config) = _liveTool(Random(seed));
        _setClaims(0);

        vm.startPrank(config.creator);
        _REGISTRY.updateToolMetadata(toolId, config.metadataURI, config.manifestHash);
        _REGISTRY.setAccessPredicate(toolId, config.accessPredicate);
        vm.stopPrank();

        assertNoLogs();
        _setClaims(1);
    }

    /// @dev Changes the behavior of a predicate.
    function setPredicateBehavior(uint256 seed) external counted {
        Random memory random = Random(seed);
        bytes4 selector = IAccessPredicate.hasAccess.selector;
        _scripted[random.below(_scripted.length)].setScript(selector, CallGenerator.script(random, selector));
    }

    /* REJECTED CALLS */

    function registerInvalidTool(uint256 seed) external counted {
        Random memory random = Random(seed);
        string memory uri = string(URIShapes.valid(random));
        bytes32 hash = random.word();
        address predicate = address(0);
        bytes memory expectedError;
        uint256 choice = random.below(3);
        if (choice == 0) {
            uri = string(URIShapes.ofShape(random, random.oneIn(2) ? URIShape.Empty : URIShape.TooLong));
            expectedError = abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector);
        } else if (choice == 1) {
            hash = 0;
            expectedError = abi.encodeWithSelector(IToolRegistry.InvalidManifestHash.selector);
        } else {
            predicate = random.oneIn(2) ? _INVALID_PREDICATE : address(_REGISTRY);
            expectedError = abi.encodeWithSelector(IToolRegistry.InvalidAccessPredicate.selector, predicate);
        }
        _requireRevert(
            _actor(random), abi.encodeCall(IToolRegistry.registerTool, (uri, hash, predicate)), expectedError
        );
    }

    /// @dev Calls by the creator with invalid arguments.
    function changeToolInvalidly(uint256 seed) external counted {
        Random memory random = Random(seed);
        (uint256 toolId, ToolConfig memory config) = _liveTool(random);
        address creator = config.creator;
        bytes memory invalidURI = abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector);
        bytes memory invalidHash = abi.encodeWithSelector(IToolRegistry.InvalidManifestHash.selector);
        bytes memory invalidPredicate =
            abi.encodeWithSelector(IToolRegistry.InvalidAccessPredicate.selector, _INVALID_PREDICATE);
        string memory tooLong = string(URIShapes.ofShape(random, URIShape.TooLong));

        _requireRevert(
            creator, abi.encodeCall(IToolRegistry.updateToolMetadata, (toolId, "", config.manifestHash)), invalidURI
        );
        _requireRevert(
            creator, abi.encodeCall(IToolRegistry.updateToolMetadata, (toolId, tooLong, random.word())), invalidURI
        );
        _requireRevert(
            creator, abi.encodeCall(IToolRegistry.updateToolMetadata, (toolId, config.metadataURI, 0)), invalidHash
        );
        _requireRevert(
            creator, abi.encodeCall(IToolRegistry.setAccessPredicate, (toolId, _INVALID_PREDICATE)), invalidPredicate
        );
    }

    function changeToolAsNonCreator(uint256 seed) external counted {
        Random memory random = Random(seed);
        (uint256 toolId, ToolConfig memory config) = _liveTool(random);
        address eve = _actor(random);
        // The predicate itself is not authorized either.
        if (random.oneIn(2)) eve = config.accessPredicate;
        if (eve == config.creator || eve == address(0)) eve = makeAddr("eve");

        bytes memory expectedError = abi.encodeWithSelector(IToolRegistry.NotToolCreator.selector, toolId, eve);
        bytes[] memory calls = _callsOn(toolId, random);
        for (uint256 i = 0; i < 3; ++i) {
            _requireRevert(eve, calls[i], expectedError);
        }
    }

    function callDeregisteredTool(uint256 seed) external counted {
        Random memory random = Random(seed);
        uint256 toolId = 1 + random.below(1 + _STORE.registrations());
        if (!_STORE.isDeregistered(toolId)) {
            ToolConfig memory config;
            (toolId, config) = _liveTool(random);
            vm.prank(config.creator);
            _REGISTRY.deregisterTool(toolId);
            vm.getRecordedLogs();
            _STORE.deregisterTool(toolId);
        }

        bytes memory expectedError = abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, toolId);
        bytes[] memory calls = _callsOn(toolId, random);
        address caller = random.oneIn(2) ? _STORE.firstCreator(toolId) : _actor(random);
        for (uint256 i = 0; i < calls.length; ++i) {
            _requireRevert(caller, calls[i], expectedError);
        }
    }

    function callNonexistentTool(uint256 seed) external counted {
        Random memory random = Random(seed);
        uint256 count = _STORE.registrations();
        uint256 existing = 1 + random.below(count + 1);
        uint256 shift = 64 + random.below(192);
        uint256 toolId = [0, count + 1, 2 ** shift, 2 ** shift + existing][random.below(4)];

        bytes memory expectedError = abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, toolId);
        bytes[] memory calls = _callsOn(toolId, random);
        for (uint256 i = 0; i < calls.length; ++i) {
            _requireRevert(_actor(random), calls[i], expectedError);
        }
    }

    /* HELPERS */

    function _register(Random memory random) private {
        ToolConfig memory config = ToolConfig({
            creator: _actor(random),
            metadataURI: string(URIShapes.valid(random)),
            manifestHash: random.word(),
            accessPredicate: _predicate(random)
        });

        vm.prank(config.creator);
        uint256 toolId = _REGISTRY.registerTool(config.metadataURI, config.manifestHash, config.accessPredicate);

        assertEq(toolId, _STORE.registrations() + 1, "unexpected tool id");
        assertOnlyLogIsRegistration(address(_REGISTRY), toolId, config);
        _STORE.addTool(toolId, config);
    }

    /// @dev Sets the return value of the predicates' `IAccessPredicate` probe: 1 or 0.
    function _setClaims(uint256 value) private {
        for (uint256 i = 0; i < _scripted.length; ++i) {
            _scripted[i].setScript(type(IAccessPredicate).interfaceId, Script(Behavior.Return, 32, value));
        }
    }

    /// @dev A random live tool. Registers a tool if there is none.
    function _liveTool(Random memory random) private returns (uint256 toolId, ToolConfig memory config) {
        uint256 count = _STORE.registrations();
        uint256 start = random.below(count + 1);
        for (uint256 i = 0; i < count; ++i) {
            toolId = 1 + (start + i) % count;
            if (_STORE.isLive(toolId)) return (toolId, _STORE.configOf(toolId));
        }
        _register(random);
        toolId = _STORE.registrations();
        config = _STORE.configOf(toolId);
    }

    /// @dev One call per function that takes an id; the three that modify a tool come first.
    function _callsOn(uint256 toolId, Random memory random) private view returns (bytes[] memory calls) {
        calls = new bytes[](6);
        calls[0] = abi.encodeCall(
            IToolRegistry.updateToolMetadata,
            (toolId, random.oneIn(2) ? "" : string(URIShapes.valid(random)), random.word())
        );
        calls[1] = abi.encodeCall(
            IToolRegistry.setAccessPredicate, (toolId, random.oneIn(2) ? _INVALID_PREDICATE : address(0))
        );
        calls[2] = abi.encodeCall(IToolRegistry.deregisterTool, (toolId));
        calls[3] = abi.encodeCall(IToolRegistry.getToolConfig, (toolId));
        calls[4] = abi.encodeCall(IToolRegistry.hasAccess, (toolId, _actor(random), ""));
        calls[5] = abi.encodeCall(IToolRegistry.tryHasAccess, (toolId, _actor(random), ""));
    }

    function _requireRevert(address caller, bytes memory data, bytes memory expectedError) private {
        vm.prank(caller);
        (bool success, bytes memory returned) = address(_REGISTRY).call(data);
        assertRevert(success, returned, expectedError);
        assertNoLogs();
    }

    function _predicate(Random memory random) private view returns (address) {
        return random.oneIn(3) ? address(0) : _predicates[random.below(_predicates.length)];
    }

    function _actor(Random memory random) private view returns (address) {
        return _actors[random.below(_actors.length)];
    }
}
