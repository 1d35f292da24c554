// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import { ERC3009 } from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";
import { EIP712 } from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @dev OpenZeppelin's ERC-3009 with the EIP-712 domain of USDC on Base. Anyone can mint. Nothing depends on the constructor, so
/// tests place the deployed code at the address of USDC.
contract PlainERC3009 is ERC3009 {
    constructor() ERC20("", "") EIP712("USD Coin", "2") { }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function name() public pure override returns (string memory) {
        return "USD Coin";
    }

    function symbol() public pure override returns (string memory) {
        return "USDC";
    }

    function version() external pure returns (string memory) {
        return "2";
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }
}
