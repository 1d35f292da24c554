// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { Random } from "test/support/Random.sol";

/// @notice Shapes of metadata URIs that a registry could treat differently.
enum URIShape {
    Empty,
    OneByte,
    LengthAtSlotEdge,
    Noise,
    Longest,
    TooLong,
    WellKnown,
    WellKnownAtSlotEdge,
    WellKnownHostAtEdge,
    WellKnownLongest,
    WellKnownTooLong,
    WellKnownEmptySlug,
    WellKnownSlugWithSlashes,
    WellKnownWithNul,
    WellKnownMultiByte,
    WellKnownHostLikeFile,
    SlashInHost,
    NearMiss,
    CutOff
}

library URIShapes {
    string private constant SCHEME = "https://";
    string private constant FOLDER = "/.well-known/ai-tool/";
    string private constant SUFFIX = ".json";

    /// @dev A URI of a random shape; well-known URIs are more frequent.
    function any(Random memory random) internal pure returns (bytes memory uri, URIShape shape) {
        shape = random.oneIn(3) ? URIShape.WellKnown : URIShape(random.below(uint256(type(URIShape).max) + 1));
        uri = ofShape(random, shape);
    }

    /// @dev A URI of valid length.
    function valid(Random memory random) internal pure returns (bytes memory uri) {
        do {
            (uri,) = any(random);
        } while (uri.length == 0 || uri.length > 2048);
    }

    function ofShape(Random memory random, URIShape shape) internal pure returns (bytes memory uri) {
        if (shape == URIShape.Empty) return "";
        if (shape == URIShape.OneByte) return random.data(1);
        if (shape == URIShape.LengthAtSlotEdge) return random.data(_slotEdge(random));
        if (shape == URIShape.Noise) return random.data(1 + random.below(300));
        if (shape == URIShape.Longest) return random.data(2048);
        if (shape == URIShape.TooLong) return random.data(2049 + (random.oneIn(2) ? 0 : random.below(3000)));

        bytes memory host = random.name(1 + random.below(30));
        bytes memory slug = random.name(1 + random.below(30));
        if (shape == URIShape.WellKnownAtSlotEdge) {
            uint256 length = _slotEdge(random);
            host = random.name(random.below(length + 1));
            slug = random.name(length - host.length);
        }
        if (shape == URIShape.WellKnownHostAtEdge) {
            host = random.name([uint256(0), 1, 31, 32, 33, 254, 255, 256, 256, 257][random.below(10)]);
            if (random.oneIn(4)) slug = "";
        }
        if (shape == URIShape.WellKnownLongest) slug = random.data(2048 - 34 - host.length);
        if (shape == URIShape.WellKnownTooLong) slug = random.data(2049 - 34 - host.length);
        if (shape == URIShape.WellKnownEmptySlug) slug = "";
        if (shape == URIShape.WellKnownSlugWithSlashes) {
            slug = bytes([string("a/b"), "/", FOLDER, ".json", "//x.json"][random.below(5)]);
        }
        if (shape == URIShape.WellKnownWithNul) {
            if (random.oneIn(2)) host[random.below(host.length)] = 0;
            else slug[random.below(slug.length)] = 0;
        }
        if (shape == URIShape.WellKnownMultiByte) (host, slug) = (unicode"bücher.例え", unicode"気温-🌡");
        if (shape == URIShape.WellKnownHostLikeFile) host = abi.encodePacked(host, SUFFIX);
        if (shape == URIShape.SlashInHost) host[random.below(host.length)] = "/";

        uri = abi.encodePacked(SCHEME, host, FOLDER, slug, SUFFIX);
        if (shape == URIShape.NearMiss) {
            uint256 at = random.below(34);
            if (at >= 8) at += host.length;
            if (at >= 29 + host.length) at += slug.length;
            uri[at] ^= bytes1(uint8(2 ** random.below(8)));
        }
        if (shape == URIShape.CutOff) return head(uri, random.below(uri.length));
    }

    function isWellKnown(URIShape shape) internal pure returns (bool) {
        return shape >= URIShape.WellKnown && shape <= URIShape.WellKnownHostLikeFile;
    }

    /// @dev Index of the first slash from `start` on, or the length if there is none.
    function firstSlash(bytes memory text, uint256 start) internal pure returns (uint256 at) {
        for (at = start; at < text.length && text[at] != "/"; ++at) { }
    }

    /// @dev The first `length` bytes of `text`.
    function head(bytes memory text, uint256 length) internal pure returns (bytes memory) {
        return slice(text, 0, length);
    }

    /// @dev `length` bytes of `text` from index `start` on.
    function slice(bytes memory text, uint256 start, uint256 length) internal pure returns (bytes memory cut) {
        cut = new bytes(length);
        require(start + length <= text.length, "slice out of bounds");
        assembly ("memory-safe") {
            mcopy(add(cut, 32), add(add(text, 32), start), length)
        }
    }

    /// @dev A length around a slot boundary: the first slot holds nine bytes of text, every other slot 32.
    function _slotEdge(Random memory random) private pure returns (uint256) {
        // Two statements, because the evaluation order within an expression is unspecified.
        uint256 before = random.below(3);
        return 9 + 32 * random.below(4) + 1 - before;
    }
}
