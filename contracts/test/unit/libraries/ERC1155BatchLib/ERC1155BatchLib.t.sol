// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC1155 } from "src/interfaces/external/IERC1155.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ExpectedCallToken } from "test/mocks/tokens/ExpectedCallToken.sol";
import { PresetResponseToken } from "test/mocks/tokens/PresetResponseToken.sol";
import { ERC1155BatchLibHarness } from "test/support/ERC1155BatchLibHarness.sol";

contract ERC1155BatchLibTest is BaseTest {
    ERC1155BatchLibHarness private harness;

    function setUp() public override {
        super.setUp();
        harness = new ERC1155BatchLibHarness();
    }

    function test_HoldsAny_Calldata() external {
        ExpectedCallToken token = new ExpectedCallToken();
        address[3] memory accounts = [agent, address(0), address(type(uint160).max)];
        for (uint256 count = 0; count <= 60; count += count < 5 ? 1 : 11) {
            for (uint256 from = 0; from < 4; from++) {
                uint256[] memory words = _words(from + count + 2);
                address account = accounts[from % 3];
                token.expect(_encoded(account, words, from, count));
                (bool ok, bool holds) = harness.holdsAny(address(token), 500_000, account, words, from, count);
                assertTrue(ok, "calldata differs from abi.encodeCall");
                assertEq(holds, count > 0, "result");
            }
        }
    }

    function test_HoldsAny_ReturnData() external {
        PresetResponseToken token = new PresetResponseToken();
        for (uint256 count = 1; count < 6; count++) {
            uint256[] memory balances = new uint256[](count);
            _assertResult(token, balances, count, true, false);
            for (uint256 i = 0; i < count; i++) {
                for (uint256 bit = 0; bit < 256; bit += 85) {
                    balances[i] = 2 ** bit;
                    _assertResult(token, balances, count, true, true);
                    _assertResult(token, balances, count + 1, false, false);
                    _assertResult(token, balances, count - 1, false, false);
                }
                balances[i] = 0;
            }
        }
    }

    function test_HoldsAny_GivenRevert() external {
        PresetResponseToken token = new PresetResponseToken();
        token.setResponse(IERC1155.balanceOfBatch.selector, false, abi.encode(_words(2)));
        (bool ok, bool holds) = harness.holdsAny(address(token), 100_000, agent, _words(2), 0, 2);
        assertFalse(ok || holds, "a revert was treated as a result");
    }

    function _assertResult(
        PresetResponseToken token,
        uint256[] memory balances,
        uint256 count,
        bool isValid,
        bool isGranted
    ) private {
        token.setResponse(IERC1155.balanceOfBatch.selector, true, abi.encode(balances));
        (bool ok, bool holds) = harness.holdsAny(address(token), 100_000, agent, _words(8), 1, count);
        assertEq(ok, isValid, "ok");
        assertEq(holds, isGranted, "result");
    }

    function _encoded(address account, uint256[] memory words, uint256 from, uint256 count)
        private
        pure
        returns (bytes memory)
    {
        address[] memory accounts = new address[](count);
        uint256[] memory ids = new uint256[](count);
        for (uint256 i = 0; i < count; i++) {
            (accounts[i], ids[i]) = (account, words[from + i]);
        }
        return abi.encodeCall(IERC1155.balanceOfBatch, (accounts, ids));
    }
}
