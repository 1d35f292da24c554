// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC1155 } from "src/interfaces/external/IERC1155.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ExpectedCallToken } from "test/mocks/tokens/ExpectedCallToken.sol";
import { ERC1155BatchLibHarness } from "test/support/ERC1155BatchLibHarness.sol";

contract ERC1155BatchLibFuzzTest is BaseTest {
    ERC1155BatchLibHarness private harness;
    ExpectedCallToken private token;

    function setUp() public override {
        super.setUp();
        harness = new ERC1155BatchLibHarness();
        token = new ExpectedCallToken();
    }

    function testFuzz_CalldataMatchesABIEncoding(address account, uint256[] memory words, uint256 from, uint256 count)
        external
    {
        from = bound(from, 0, words.length);
        count = bound(count, 0, words.length - from);
        address[] memory accounts = new address[](count);
        uint256[] memory ids = new uint256[](count);
        for (uint256 i = 0; i < count; i++) {
            (accounts[i], ids[i]) = (account, words[from + i]);
        }
        token.expect(abi.encodeCall(IERC1155.balanceOfBatch, (accounts, ids)));
        (bool ok, bool holds) = harness.holdsAny(address(token), 2_000_000, account, words, from, count);
        assertTrue(ok, "calldata differs from abi.encodeCall");
        assertEq(holds, count > 0, "result");
    }
}
