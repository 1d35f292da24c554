// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { Dice } from "test/support/Dice.sol";

/// @notice The shapes of metadata URIs that a registry could treat differently.
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

    /// @dev A URI of any shape, common ones more often.
    function any(Dice memory dice) internal pure returns (bytes memory uri, URIShape shape) {
        shape = dice.oneIn(3) ? URIShape.WellKnown : URIShape(dice.roll(uint256(type(URIShape).max) + 1));
        uri = ofShape(dice, shape);
    }

    /// @dev A URI that the registry accepts.
    function valid(Dice memory dice) internal pure returns (bytes memory uri) {
        do {
            (uri,) = any(dice);
        } while (uri.length == 0 || uri.length > 2048);
    }

    function ofShape(Dice memory dice, URIShape shape) internal pure returns (bytes memory uri) {
        if (shape == URIShape.Empty) return "";
        if (shape == URIShape.OneByte) return dice.noise(1);
        if (shape == URIShape.LengthAtSlotEdge) return dice.noise(_slotEdge(dice));
        if (shape == URIShape.Noise) return dice.noise(1 + dice.roll(300));
        if (shape == URIShape.Longest) return dice.noise(2048);
        if (shape == URIShape.TooLong) return dice.noise(2049 + (dice.oneIn(2) ? 0 : dice.roll(3000)));

        bytes memory host = dice.name(1 + dice.roll(30));
        bytes memory slug = dice.name(1 + dice.roll(30));
        if (shape == URIShape.WellKnownAtSlotEdge) {
            uint256 length = _slotEdge(dice);
            host = dice.name(dice.roll(length + 1));
            slug = dice.name(length - host.length);
        }
        if (shape == URIShape.WellKnownHostAtEdge) {
            host = dice.name([uint256(0), 1, 31, 32, 33, 254, 255, 256, 256, 257][dice.roll(10)]);
            if (dice.oneIn(4)) slug = "";
        }
        if (shape == URIShape.WellKnownLongest) slug = dice.noise(2048 - 34 - host.length);
        if (shape == URIShape.WellKnownTooLong) slug = dice.noise(2049 - 34 - host.length);
        if (shape == URIShape.WellKnownEmptySlug) slug = "";
        if (shape == URIShape.WellKnownSlugWithSlashes) {
            slug = bytes([string("a/b"), "/", FOLDER, ".json", "//x.json"][dice.roll(5)]);
        }
        if (shape == URIShape.WellKnownWithNul) {
            if (dice.oneIn(2)) host[dice.roll(host.length)] = 0;
            else slug[dice.roll(slug.length)] = 0;
        }
        if (shape == URIShape.WellKnownMultiByte) (host, slug) = (unicode"bücher.例え", unicode"気温-🌡");
        if (shape == URIShape.WellKnownHostLikeFile) host = abi.encodePacked(host, SUFFIX);
        if (shape == URIShape.SlashInHost) host[dice.roll(host.length)] = "/";

        uri = abi.encodePacked(SCHEME, host, FOLDER, slug, SUFFIX);
        if (shape == URIShape.NearMiss) {
            uint256 at = dice.roll(34);
            if (at >= 8) at += host.length;
            if (at >= 29 + host.length) at += slug.length;
            uri[at] ^= bytes1(uint8(2 ** dice.roll(8)));
        }
        if (shape == URIShape.CutOff) return head(uri, dice.roll(uri.length));
    }

    function isWellKnown(URIShape shape) internal pure returns (bool) {
        return shape >= URIShape.WellKnown && shape <= URIShape.WellKnownHostLikeFile;
    }

    /// @dev Where the first slash from `start` on stands, or the length if there is none.
    function firstSlash(bytes memory text, uint256 start) internal pure returns (uint256 at) {
        for (at = start; at < text.length && text[at] != "/"; ++at) { }
    }

    /// @dev The first `length` bytes of `text`.
    function head(bytes memory text, uint256 length) internal pure returns (bytes memory) {
        return slice(text, 0, length);
    }

    /// @dev `length` bytes of `text` from `start` on.
    function slice(bytes memory text, uint256 start, uint256 length) internal pure returns (bytes memory cut) {
        cut = new bytes(length);
        require(start + length <= text.length, "nothing to cut there");
        assembly ("memory-safe") {
            mcopy(add(cut, 32), add(add(text, 32), start), length)
        }
    }

    /// @dev Nine bytes of text go to the first slot and 32 to each of the next ones.
    function _slotEdge(Dice memory dice) private pure returns (uint256) {
        // One roll after the other: in one expression, the compiler would choose which comes first.
        uint256 before = dice.roll(3);
        return 9 + 32 * dice.roll(4) + 1 - before;
    }
}
