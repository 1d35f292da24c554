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
        assertEq(harness.NOT_ABBREVIATED(), PLAIN, "mark of a plain URI");
    }

    function test_Abbreviate_WhenURIIsWellKnown() external view {
        _assertAbbreviated("tools.example.com", "nft-price-oracle");
        _assertAbbreviated("", "");
        _assertAbbreviated("", "slug");
        _assertAbbreviated("host", "");
        _assertAbbreviated("host", "a/b");
        _assertAbbreviated("host", "/");
        _assertAbbreviated("host", "x.json");
        _assertAbbreviated("host", "/.well-known/ai-tool/x");
        _assertAbbreviated("user:password@host:8443?#", unicode"☃");
        for (uint256 host = 0; host <= 70; host++) {
            _assertAbbreviated(_textOf(host), "s");
        }
    }

    function test_Abbreviate_WhenHostIsAtTheLimit() external view {
        _assertAbbreviated(_textOf(254), "slug");
        _assertAbbreviated(_textOf(255), "slug");
        _assertAbbreviated(_textOf(255), "");
        _assertPlain(_wellKnown(_textOf(256), "slug"));
        _assertPlain(_wellKnown(_textOf(256), ""));
        _assertPlain(_wellKnown(_textOf(300), "slug"));
    }

    function test_Abbreviate_WhenBytesStandBehindTheURI() external view {
        string memory uri = _wellKnown("host", "slug");
        bytes memory question = abi.encodeCall(harness.abbreviate, (uri));
        // The encoding ends with whole words; nobody promises that what pads the last one is zero.
        uint256 end = 4 + 64 + bytes(uri).length;
        for (uint256 i = end; i < question.length; i++) {
            question[i] = 0xff;
        }
        assertLt(end, question.length, "nothing stands behind the URI");
        (bool success, bytes memory answer) = address(harness).staticcall(question);
        assertTrue(success, "abbreviate failed");
        (bytes memory text, uint256 hostLength,) = abi.decode(answer, (bytes, uint256, uint256));
        assertEq(text, "hostslug", "text");
        assertEq(hostLength, 4, "host");
    }

    function test_Abbreviate_WhenURIIsPlain() external view {
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

    function test_Abbreviate_WhenAFixedByteDiffers() external view {
        bytes memory uri = bytes(_wellKnown("a.example", "slug"));
        for (bytes1 mask = 0x01; mask != 0; mask <<= 1) {
            for (uint256 i = 0; i < uri.length; i++) {
                bool isHost = i >= 8 && i < 17;
                bool isSlug = i >= 38 && i < 42;
                uri[i] ^= mask;
                if (isHost && uri[i] != "/" || isSlug) _assertAbbreviates(string(uri), 9);
                else _assertPlain(string(uri));
                uri[i] ^= mask;
            }
        }
    }

    function test_Abbreviate_WhenURIIsTooShort() external view {
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

    function test_Expand_WhenTextIsAbbreviated() external view {
        for (uint256 host = 0; host <= 255; host += host < 45 ? 1 : 30) {
            for (uint256 slug = 0; slug <= 45; slug++) {
                (string memory first, string memory second) = (_textOf(host), _textOf(slug));
                bytes memory text = bytes(string.concat(first, second));
                assertEq(harness.expand(text, host), _wellKnown(first, second), "expanded URI");
            }
        }
    }

    function test_Expand_WhenTextIsPlain() external view {
        for (uint256 length = 1; length <= 2048; length += length < 100 ? 1 : 61) {
            string memory text = _textOf(length);
            assertEq(harness.expand(bytes(text), PLAIN), text, "expanded URI");
        }
    }

    function _assertAbbreviated(string memory host, string memory slug) private view {
        (bytes memory text, uint256 hostLength, uint256 wordBehind) = harness.abbreviate(_wellKnown(host, slug));
        assertEq(text, bytes(string.concat(host, slug)), "text");
        assertEq(hostLength, bytes(host).length, "length of the host");
        assertEq(wordBehind, 0, "word behind the text");
    }

    function _assertAbbreviates(string memory uri, uint256 expected) private view {
        (, uint256 hostLength,) = harness.abbreviate(uri);
        assertEq(hostLength, expected, "length of the host");
    }

    function _assertPlain(string memory uri) private view {
        (bytes memory text, uint256 hostLength, uint256 wordBehind) = harness.abbreviate(uri);
        assertEq(text, bytes(uri), "text");
        assertEq(hostLength, PLAIN, "mark of a plain URI");
        assertEq(wordBehind, 0, "word behind the text");
    }
}
