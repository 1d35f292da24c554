// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ERC721 } from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// @dev OpenZeppelin's token, mintable and burnable by anyone.
contract PlainERC721 is ERC721("Plain", "PLAIN") {
    function mint(address to, uint256 tokenId) external {
        _mint(to, tokenId);
    }

    function burn(uint256 tokenId) external {
        _burn(tokenId);
    }
}
