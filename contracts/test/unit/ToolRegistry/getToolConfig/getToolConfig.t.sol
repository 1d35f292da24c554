// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { BaseTest } from "test/BaseTest.sol";

contract GetToolConfigTest is BaseTest {
    function test_RevertWhen_CalldataIsTruncated() external {
        _register(address(0));
        (bool success, bytes memory returndata) =
            _call(agent, abi.encodePacked(IToolRegistry.getToolConfig.selector, bytes31(0)));
        assertRevert(success, returndata, "");
    }

    function test_RevertGiven_ToolDoesNotExist() external {
        // A-11
        _assertNotFound(0);
        _assertNotFound(1);
        _register(address(0));
        _assertNotFound(0);
        _assertNotFound(2);
        _assertNotFound(type(uint256).max);
    }

    function test_RevertGiven_IdAliasesToolSlot() external {
        // A-11
        _register(address(0));
        _register(address(grantingPredicate));
        _deregister(_register(address(0)));
        for (uint256 toolId = 0; toolId <= 4; toolId++) {
            for (uint256 bit = 64; bit < 256; bit++) {
                _assertNotFound(toolId | 2 ** bit);
            }
            _assertNotFound(toolId << 7 | 1 << 7);
            _assertNotFound(type(uint256).max - toolId);
        }
    }

    function test_RevertGiven_ToolIsDeregistered() external {
        // A-13
        uint256 toolId = _register(address(grantingPredicate));
        _deregister(toolId);
        (bool success, bytes memory returndata) = _call(agent, abi.encodeCall(registry.getToolConfig, (toolId)));
        assertRevert(success, returndata, abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, toolId));
    }

    function test_GivenToolIsLive() external {
        // A-01
        uint256 toolId = _register(address(grantingPredicate));
        (bool success, bytes memory returndata) = _call(agent, abi.encodeCall(registry.getToolConfig, (toolId)));
        assertTrue(success, "getToolConfig reverted");
        assertEq(
            returndata,
            abi.encodePacked(
                uint256(0x20),
                abi.encode(creator, uint256(0x80), MANIFEST_HASH, address(grantingPredicate)),
                abi.encodePacked(bytes(METADATA_URI).length, METADATA_URI, bytes29(0))
            ),
            "length of the return data"
        );
        ToolConfig memory config = abi.decode(returndata, (ToolConfig));
        assertEq(config.creator, creator, "creator");
        assertEq(config.metadataURI, METADATA_URI, "metadataURI");
        assertEq(config.manifestHash, MANIFEST_HASH, "manifestHash");
        assertEq(config.accessPredicate, address(grantingPredicate), "accessPredicate");
    }

    function test_GivenEverySetterWasCalled() external {
        // A-02
        uint256 toolId = _register(address(0));
        vm.startPrank(creator);
        registry.updateToolMetadata(toolId, OTHER_URI, OTHER_HASH);
        assertEq(registry.getToolConfig(toolId).creator, creator, "after updateToolMetadata");
        registry.setAccessPredicate(toolId, address(grantingPredicate));
        assertEq(registry.getToolConfig(toolId).creator, creator, "after setting a predicate");
        registry.updateToolMetadata(toolId, METADATA_URI, MANIFEST_HASH);
        assertEq(registry.getToolConfig(toolId).creator, creator, "after updateToolMetadata of a gated tool");
        registry.setAccessPredicate(toolId, makeAddr("other predicate"));
        assertEq(registry.getToolConfig(toolId).creator, creator, "after replacing the predicate");
        registry.setAccessPredicate(toolId, address(0));
        assertEq(registry.getToolConfig(toolId).creator, creator, "after removing the predicate");
        vm.stopPrank();

        vm.prank(eve);
        registry.registerTool(METADATA_URI, MANIFEST_HASH, address(0));
        assertEq(registry.getToolConfig(toolId).creator, creator, "after a registration by another account");
    }

    function test_GivenPlainURIOfEveryLength() external {
        for (uint256 length = 1; length <= 2048; length += length < 140 ? 1 : 53) {
            _assertRoundTrip(_textOf(length));
        }
    }

    function test_GivenWellKnownURIOfEveryLength() external {
        for (uint256 host = 0; host <= 34; host++) {
            for (uint256 slug = 0; slug <= 34; slug += 2) {
                _assertRoundTrip(_wellKnown(_textOf(host), _textOf(slug)));
            }
        }
        for (uint256 host = 252; host <= 260; host++) {
            _assertRoundTrip(_wellKnown(_textOf(host), ""));
            _assertRoundTrip(_wellKnown(_textOf(host), _textOf(2048 - 34 - host)));
        }
    }

    function test_GivenURIIsAlmostWellKnown() external {
        bytes memory uri = bytes(_wellKnown("a.example", "slug"));
        for (uint256 i = 0; i < uri.length; i++) {
            uri[i] ^= 0x01;
            _assertRoundTrip(string(uri));
            uri[i] ^= 0x21;
            _assertRoundTrip(string(uri));
            uri[i] ^= 0x20;
        }
        string[10] memory misses = [
            "https:///.well-known/ai-tool/.json",
            "https:///.well-known/ai-tool/json",
            "https:///.well-known/ai-tool.json",
            "https:///.well-known/ai-tool/.jso",
            "https://a/b/.well-known/ai-tool/x.json",
            "https://a/.well-known/ai-tool/x.json/",
            "https://a/.well-known/ai-tool/x/y.json",
            "https://a//.well-known/ai-tool/x.json",
            "https://a/.well-known/ai-tool//.json",
            "HTTPS://a/.well-known/ai-tool/x.json"
        ];
        for (uint256 i = 0; i < misses.length; i++) {
            _assertRoundTrip(misses[i]);
        }
    }

    function test_GivenURIOfUnusualBytes() external {
        string[6] memory uris = [
            unicode"https://bücher.example/.well-known/ai-tool/straße-☃.json",
            unicode"☃",
            string(new bytes(1)),
            string(new bytes(2048)),
            _wellKnown(string(new bytes(40)), string(new bytes(40))),
            string(abi.encodePacked(type(uint256).max, type(uint256).max, bytes9(0)))
        ];
        for (uint256 i = 0; i < uris.length; i++) {
            _assertRoundTrip(uris[i]);
        }
    }

    function _assertRoundTrip(string memory uri) private {
        assertConfig(registry, _register(uri, address(0)), _config(creator, uri, MANIFEST_HASH, address(0)));
    }

    function _assertNotFound(uint256 toolId) private {
        (bool success, bytes memory returndata) = _call(agent, abi.encodeCall(registry.getToolConfig, (toolId)));
        assertRevert(success, returndata, abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, toolId));
    }

    /// @dev Every host length around the limit of 255, with distinct bytes.
    function test_GivenHostOfEveryLength() external {
        uint256 toolId = _register(address(0));
        for (uint256 length = 0; length <= 260; length++) {
            string memory uri = _wellKnown(_distinctBytes(length), "slug");
            vm.prank(creator);
            registry.updateToolMetadata(toolId, uri, MANIFEST_HASH);
            assertConfig(registry, toolId, _config(creator, uri, MANIFEST_HASH, address(0)));
        }
    }

    /// @dev Tool ids that do not fit in 8, 16 and 32 bits, and the tool before each.
    function test_GivenHighToolId() external {
        uint256[4] memory ids = [uint256(256), 2 ** 16, 2 ** 32, 2 ** 63];
        for (uint256 i = 0; i < ids.length; i++) {
            vm.store(address(registry), COUNT_SLOT, bytes32(ids[i] - 2));
            assertEq(_register(OTHER_URI, address(0)), ids[i] - 1, "id of the tool before");
            assertEq(_register(address(grantingPredicate)), ids[i], "id");
            assertConfig(registry, ids[i] - 1, _config(creator, OTHER_URI, MANIFEST_HASH, address(0)));
            assertConfig(registry, ids[i], _config(creator, METADATA_URI, MANIFEST_HASH, address(grantingPredicate)));
            assertAccess(registry, ids[i], agent, "", true, true);
            vm.startPrank(creator);
            registry.updateToolMetadata(ids[i], OTHER_URI, OTHER_HASH);
            registry.setAccessPredicate(ids[i], address(0));
            registry.deregisterTool(ids[i] - 1);
            vm.stopPrank();
            assertConfig(registry, ids[i], _config(creator, OTHER_URI, OTHER_HASH, address(0)));
            assertOnlyTombstone(address(registry), ids[i] - 1);
        }
    }
}
