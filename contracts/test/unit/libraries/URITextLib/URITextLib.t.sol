// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BaseTest } from "test/BaseTest.sol";
import { URITextLibHarness } from "test/support/URITextLibHarness.sol";

contract URITextLibTest is BaseTest {
    uint256 private constant PLAIN = 256;

    URITextLibHarness private harness;

    function setUp() public override {
        super.setUp();
        harness = new URITextLibHarness();
        assertEq(harness.NOT_COMPRESSED(), PLAIN, "NOT_COMPRESSED");
    }

    function test_Encode_WhenURIIsWellKnown() external view {
        _assertCompressed("tools.example.com", "nft-price-oracle");
        _assertCompressed("", "");
        _assertCompressed("", "slug");
        _assertCompressed("host", "");
        _assertCompressed("host", "a/b");
        _assertCompressed("host", "/");
        _assertCompressed("host", "x.json");
        _assertCompressed("host", "/.well-known/ai-tool/x");
        _assertCompressed("user:password@host:8443?#", unicode"☃");
    }

    /// @dev Every host length around the limit of 255, with distinct bytes.
    function test_EncodeAndDecode_GivenEveryHostLength() external view {
        for (uint256 length = 0; length <= 260; length++) {
            string memory host = _distinctBytes(length);
            if (length < 256) {
                _assertCompressed(host, "slug");
                bytes memory text = bytes.concat(bytes(host), "slug");
                assertEq(harness.decode(text, length), _wellKnown(host, "slug"), "decoded URI");
            } else {
                _assertPlain(_wellKnown(host, "slug"));
            }
        }
    }

    function test_Encode_WhenHostIsAtTheLimit() external view {
        _assertCompressed(_textOf(254), "slug");
        _assertCompressed(_textOf(255), "slug");
        _assertCompressed(_textOf(255), "");
        _assertPlain(_wellKnown(_textOf(256), "slug"));
        _assertPlain(_wellKnown(_textOf(256), ""));
        _assertPlain(_wellKnown(_textOf(300), "slug"));
    }

    function test_Encode_WhenBytesFollowURI() external view {
        string memory uri = _wellKnown("host", "slug");
        bytes memory callData = abi.encodeCall(harness.encode, (uri));
        // The ABI encoding is padded to whole words, and the padding need not be zero.
        uint256 end = 4 + 64 + bytes(uri).length;
        for (uint256 i = end; i < callData.length; i++) {
            callData[i] = 0xff;
        }
        assertLt(end, callData.length, "no bytes follow the URI");
        (bool success, bytes memory returndata) = address(harness).staticcall(callData);
        assertTrue(success, "encode reverted");
        (bytes memory text, uint256 hostLength,) = abi.decode(returndata, (bytes, uint256, uint256));
        assertEq(text, "hostslug", "text");
        assertEq(hostLength, 4, "host");
    }

    function test_Encode_WhenURIIsPlain() external view {
        string[12] memory uris = [
            "x",
            "https://",
            "https:///",
            "https://host",
            "https://host/.well-known/ai-tool/",
            "https://host/.well-known/ai-tool",
            "https://host/.well-known/ai-tool/slug",
            "http://host/.well-known/ai-tool/slug.json",
            "https://host/path/.well-known/ai-tool/slug.json",
            "https://host/.well-known/ai-tools/slug.json",
            "https://host/.well-known/ai-tool/slug.json/",
            "https://host/.well-known/ai-tool/slug.JSON"
        ];
        for (uint256 i = 0; i < uris.length; i++) {
            _assertPlain(uris[i]);
        }
        _assertPlain(_textOf(2048));
    }

    function test_Encode_WhenFixedByteDiffers() external view {
        bytes memory uri = bytes(_wellKnown("a.example", "slug"));
        for (bytes1 mask = 0x01; mask != 0; mask <<= 1) {
            for (uint256 i = 0; i < uri.length; i++) {
                bool isHost = i >= 8 && i < 17;
                bool isSlug = i >= 38 && i < 42;
                uri[i] ^= mask;
                if (isHost && uri[i] != "/" || isSlug) _assertEncodes(string(uri), 9);
                else _assertPlain(string(uri));
                uri[i] ^= mask;
            }
        }
    }

    function test_Encode_WhenURIIsTooShort() external view {
        bytes memory uri = "https:///.well-known/ai-tool/.json";
        assertEq(uri.length, 34);
        for (uint256 missing = 0; missing < 34; missing++) {
            bytes memory cut = new bytes(33);
            for (uint256 i = 0; i < 33; i++) {
                cut[i] = uri[i < missing ? i : i + 1];
            }
            _assertPlain(string(cut));
        }
        _assertPlain("https:///.well-known/ai-tool.json");
        _assertPlain("https://a/.well-known/ai-tool.json");
        _assertPlain("https://ab/.well-known/ai-tool/json");
    }

    function test_Decode_WhenTextIsCompressed() external view {
        for (uint256 host = 0; host <= 255; host += host < 45 ? 1 : 30) {
            for (uint256 slug = 0; slug <= 45; slug++) {
                (string memory first, string memory second) = (_textOf(host), _textOf(slug));
                bytes memory text = bytes(string.concat(first, second));
                assertEq(harness.decode(text, host), _wellKnown(first, second), "decoded URI");
            }
        }
    }

    function test_Decode_WhenTextIsPlain() external view {
        for (uint256 length = 1; length <= 2048; length += length < 100 ? 1 : 61) {
            string memory text = _textOf(length);
            assertEq(harness.decode(bytes(text), PLAIN), text, "decoded URI");
        }
    }

    function _assertCompressed(string memory host, string memory slug) private view {
        (bytes memory text, uint256 hostLength, uint256 wordAfter) = harness.encode(_wellKnown(host, slug));
        assertEq(text, bytes(string.concat(host, slug)), "text");
        assertEq(hostLength, bytes(host).length, "host length");
        assertEq(wordAfter, 0, "word after the text");
    }

    function _assertEncodes(string memory uri, uint256 expected) private view {
        (, uint256 hostLength,) = harness.encode(uri);
        assertEq(hostLength, expected, "host length");
    }

    function _assertPlain(string memory uri) private view {
        (bytes memory text, uint256 hostLength, uint256 wordAfter) = harness.encode(uri);
        assertEq(text, bytes(uri), "text");
        assertEq(hostLength, PLAIN, "NOT_COMPRESSED");
        assertEq(wordAfter, 0, "word after the text");
    }
}
