// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ERC721 } from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// @dev OpenZeppelin's ERC-721. Anyone can mint and burn.
contract PlainERC721 is ERC721("Plain", "PLAIN") {
    function mint(address to, uint256 tokenId) external {
        _mint(to, tokenId);
    }

    function burn(uint256 tokenId) external {
        _burn(tokenId);
    }
}
