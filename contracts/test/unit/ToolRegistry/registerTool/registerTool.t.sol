// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ContractAccount } from "test/mocks/ContractAccount.sol";
import { ERC165NonPredicate } from "test/mocks/ERC165NonPredicate.sol";

contract RegisterToolTest is BaseTest {
    /* CALLDATA */

    function test_RevertWhen_PredicateHasHighBits() external {
        for (uint256 bit = 160; bit < 256; bit++) {
            uint256 dirty = uint256(uint160(address(grantingPredicate))) | 2 ** bit;
            _assertBareRevert(creator, _encoded(0x60, dirty, bytes(METADATA_URI).length, bytes(METADATA_URI)));
            _assertBareRevert(creator, _encoded(0x60, 2 ** bit, bytes(METADATA_URI).length, bytes(METADATA_URI)));
        }
    }

    function test_RevertWhen_URIOffsetIsOutOfRange() external {
        uint256[5] memory offsets = [0xc4, 2 ** 64 - 1, 2 ** 64, 2 ** 255, type(uint256).max];
        for (uint256 i = 0; i < offsets.length; i++) {
            _assertBareRevert(creator, _encoded(offsets[i], 0, 32, bytes("32 bytes of text, neither more..")));
        }
    }

    function test_RevertWhen_URIIsLongerThanCalldata() external {
        uint256[5] memory lengths = [uint256(33), 2 ** 64 - 1, 2 ** 64, 2 ** 255, type(uint256).max];
        for (uint256 i = 0; i < lengths.length; i++) {
            _assertBareRevert(creator, _encoded(0x60, 0, lengths[i], bytes("32 bytes of text, neither more..")));
        }
    }

    function test_RevertWhen_CalldataIsTruncated() external {
        _assertRevertsWhenTruncated(creator, _encoded(0x60, 0, 5, "hello"));
    }

    function test_WhenURIHasTrailingBytes() external {
        string memory uri = "https://a.example/t.json";
        bytes memory trailing = abi.encodePacked(type(uint256).max, type(uint256).max);

        vm.recordLogs();
        (bool success, bytes memory returndata) =
            _call(creator, _encoded(0x60, 0, bytes(uri).length, bytes.concat(bytes(uri), trailing)));

        assertTrue(success, "non-canonical calldata was rejected");
        ToolConfig memory expected = _config(creator, uri, MANIFEST_HASH, address(0));
        assertOnlyLogIsRegistration(address(registry), abi.decode(returndata, (uint256)), expected);
        assertConfig(registry, 1, expected);
        bytes32 tail = ".example/t.json";
        assertEq(vm.load(address(registry), toolSlot(1, 3)), tail, "tail word");
    }

    function test_WhenTrailingBytesCompleteTheWellKnownForm() external {
        bytes memory whole = bytes(_wellKnown("a.json", "slug"));
        for (uint256 length = 1; length < whole.length; length++) {
            vm.recordLogs();
            (bool success, bytes memory returndata) = _call(creator, _encoded(0x60, 0, length, whole));
            assertTrue(success, "non-canonical calldata was rejected");
            uint256 toolId = abi.decode(returndata, (uint256));
            ToolConfig memory expected = _config(creator, string(_head(whole, length)), MANIFEST_HASH, address(0));
            assertOnlyLogIsRegistration(address(registry), toolId, expected);
            assertConfig(registry, toolId, expected);
        }
    }

    /* VALIDATION */

    function test_RevertWhen_URIIsEmpty() external {
        // A-07
        _assertReverts("", MANIFEST_HASH, address(0), abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector));
    }

    function test_RevertWhen_URIIsTooLong() external {
        // A-08
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector);
        uint256[5] memory lengths = [uint256(2049), 2050, 2048 + 256, 4096, 4097];
        for (uint256 i = 0; i < lengths.length; i++) {
            _assertReverts(_textOf(lengths[i]), MANIFEST_HASH, address(0), expected);
        }
    }

    function test_RevertWhen_MultibyteURIIsTooLong() external {
        // A-08: 683 characters of three bytes each.
        string memory uri = _repeatEuroSign(683);
        assertEq(bytes(uri).length, 2049);
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector);
        _assertReverts(uri, MANIFEST_HASH, address(0), expected);
    }

    function test_RevertWhen_HashIsZero() external {
        // A-09
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.InvalidManifestHash.selector);
        _assertReverts(METADATA_URI, 0, address(0), expected);
    }

    function test_RevertWhen_SeveralArgumentsAreInvalid() external {
        address nonPredicate = address(new ERC165NonPredicate());
        bytes memory uriError = abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector);
        bytes memory hashError = abi.encodeWithSelector(IToolRegistry.InvalidManifestHash.selector);

        _assertReverts("", 0, address(0), uriError);
        _assertReverts(_textOf(2049), 0, address(0), uriError);
        _assertReverts("", MANIFEST_HASH, nonPredicate, uriError);
        _assertReverts("", 0, nonPredicate, uriError);
        _assertReverts(METADATA_URI, 0, nonPredicate, hashError);
    }

    /* EFFECTS */

    function test_WhenToolIsOpen() external {
        // A-06
        ToolConfig memory expected = _config(creator, METADATA_URI, MANIFEST_HASH, address(0));
        vm.recordLogs();
        vm.record();

        uint256 toolId = _register(address(0));

        assertEq(toolId, 1, "returned id");
        bytes32[] memory slots = new bytes32[](4);
        slots[0] = COUNT_SLOT;
        slots[1] = toolSlot(1, 0);
        slots[2] = toolSlot(1, 2);
        slots[3] = toolSlot(1, 3);
        assertWrites(address(registry), slots);
        assertOnlyLogIsRegistration(address(registry), 1, expected);
        assertConfig(registry, 1, expected);
        assertEq(usedSlots(address(registry), 1), 3, "number of slots of an open tool");
        assertEq(registry.toolCount(), 1, "count");
    }

    function test_WhenToolIsGated() external {
        // A-06
        ToolConfig memory expected = _config(creator, METADATA_URI, MANIFEST_HASH, address(grantingPredicate));
        vm.recordLogs();
        vm.record();

        uint256 toolId = _register(address(grantingPredicate));

        assertEq(toolId, 1, "returned id");
        bytes32[] memory slots = new bytes32[](5);
        slots[0] = COUNT_SLOT;
        slots[1] = toolSlot(1, 0);
        slots[2] = toolSlot(1, 1);
        slots[3] = toolSlot(1, 2);
        slots[4] = toolSlot(1, 3);
        assertWrites(address(registry), slots);
        assertOnlyLogIsRegistration(address(registry), 1, expected);
        assertConfig(registry, 1, expected);
        assertEq(usedSlots(address(registry), 1), 4, "number of slots of a gated tool");
    }

    function test_WhenURIHasMaximumLength() external {
        // A-08
        string memory multibyte = string.concat(_repeatEuroSign(682), "ab");
        assertEq(bytes(multibyte).length, 2048);
        string[3] memory uris = [_textOf(2048), multibyte, _wellKnown(_textOf(255), _textOf(2048 - 34 - 255))];
        for (uint256 i = 0; i < uris.length; i++) {
            vm.recordLogs();
            uint256 toolId = _register(uris[i], address(0));
            ToolConfig memory expected = _config(creator, uris[i], MANIFEST_HASH, address(0));
            assertOnlyLogIsRegistration(address(registry), toolId, expected);
            assertConfig(registry, toolId, expected);
        }
    }

    function test_WhenCallerIsContract() external {
        // A-03
        ContractAccount caller = new ContractAccount();
        bytes memory registration =
            abi.encodeCall(registry.registerTool, (METADATA_URI, MANIFEST_HASH, address(grantingPredicate)));

        (bool byContract, bytes memory returndata,) = caller.execute(address(registry), AMPLE_GAS, registration);
        (bool byAccount,) = _call(creator, registration);

        assertTrue(byContract && byAccount, "a registration was rejected");
        assertEq(returndata, abi.encode(1), "returned id");
        assertConfig(registry, 1, _config(address(caller), METADATA_URI, MANIFEST_HASH, address(grantingPredicate)));
        assertConfig(registry, 2, _config(creator, METADATA_URI, MANIFEST_HASH, address(grantingPredicate)));

        (bool removed,,) = caller.execute(address(registry), AMPLE_GAS, abi.encodeCall(registry.deregisterTool, (1)));
        assertTrue(removed, "a contract could not deregister its tool");
    }

    function test_GivenEarlierTools() external {
        // A-04
        for (uint256 expected = 1; expected <= 20; expected++) {
            assertEq(_register(_textOf(expected * 100), address(0)), expected, "id is not the next id");
        }
        for (uint256 toolId = 1; toolId <= 20; toolId++) {
            assertConfig(registry, toolId, _config(creator, _textOf(toolId * 100), MANIFEST_HASH, address(0)));
        }
    }

    function test_GivenEarlierToolWasDeregistered() external {
        // A-04
        _register(address(0));
        uint256 removed = _register(address(grantingPredicate));
        _deregister(removed);

        uint256 next = _register(address(0));

        assertEq(next, removed + 1, "id of a deregistered tool was reused");
        assertOnlyTombstone(address(registry), removed);
    }

    function test_GivenSameMetadataIsRegistered() external {
        assertEq(_register(address(0)), 1, "first id");
        vm.prank(eve);
        assertEq(registry.registerTool(METADATA_URI, MANIFEST_HASH, address(0)), 2, "second id");
        assertConfig(registry, 1, _config(creator, METADATA_URI, MANIFEST_HASH, address(0)));
        assertConfig(registry, 2, _config(eve, METADATA_URI, MANIFEST_HASH, address(0)));
    }

    /* HELPERS */

    function _encoded(uint256 offset, uint256 predicate, uint256 length, bytes memory text)
        private
        pure
        returns (bytes memory)
    {
        return abi.encodePacked(IToolRegistry.registerTool.selector, offset, MANIFEST_HASH, predicate, length, text);
    }

    function _repeatEuroSign(uint256 count) private pure returns (string memory text) {
        for (uint256 i = 0; i < count; i++) {
            text = string.concat(text, unicode"€");
        }
    }

    function _assertReverts(string memory uri, bytes32 hash, address predicate, bytes memory expected) private {
        uint256 count = registry.toolCount();
        vm.recordLogs();
        vm.record();
        (bool success, bytes memory returndata) =
            _call(creator, abi.encodeCall(registry.registerTool, (uri, hash, predicate)));
        assertRevert(success, returndata, expected);
        assertNoWrites(address(registry));
        assertNoLogs();
        assertEq(registry.toolCount(), count, "a reverted call increased toolCount");
    }
}
