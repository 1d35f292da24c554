// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @dev OpenZeppelin's ERC-20. Anyone can mint and burn.
contract PlainERC20 is ERC20("Plain", "PLAIN") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function burn(address from, uint256 amount) external {
        _burn(from, amount);
    }
}
