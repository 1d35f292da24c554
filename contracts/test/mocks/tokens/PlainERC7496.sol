// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC7496 } from "src/interfaces/external/IERC7496.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";

/// @dev OpenZeppelin's ERC-721 with traits that anyone can set.
contract PlainERC7496 is PlainERC721, IERC7496 {
    mapping(uint256 tokenId => mapping(bytes32 traitKey => bytes32)) public getTraitValue;

    function setTrait(uint256 tokenId, bytes32 traitKey, bytes32 value) external {
        getTraitValue[tokenId][traitKey] = value;
    }
}
