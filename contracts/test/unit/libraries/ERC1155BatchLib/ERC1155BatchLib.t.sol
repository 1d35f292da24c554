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

    function test_HoldsAny_Question() external {
        ExpectedCallToken token = new ExpectedCallToken();
        address[3] memory accounts = [agent, address(0), address(type(uint160).max)];
        for (uint256 count = 0; count <= 60; count += count < 5 ? 1 : 11) {
            for (uint256 from = 0; from < 4; from++) {
                uint256[] memory words = _words(from + count + 2);
                address account = accounts[from % 3];
                token.expect(_encoded(account, words, from, count));
                (bool answered, bool holds) = harness.holdsAny(address(token), 500_000, account, words, from, count);
                assertTrue(answered, "the question is not what abi.encodeCall makes");
                assertEq(holds, count > 0, "the answer");
            }
        }
    }

    function test_HoldsAny_Answer() external {
        PresetResponseToken token = new PresetResponseToken();
        for (uint256 count = 1; count < 6; count++) {
            uint256[] memory balances = new uint256[](count);
            _assertAnswer(token, balances, count, true, false);
            for (uint256 i = 0; i < count; i++) {
                for (uint256 bit = 0; bit < 256; bit += 85) {
                    balances[i] = 2 ** bit;
                    _assertAnswer(token, balances, count, true, true);
                    _assertAnswer(token, balances, count + 1, false, false);
                    _assertAnswer(token, balances, count - 1, false, false);
                }
                balances[i] = 0;
            }
        }
    }

    function test_HoldsAny_GivenRevert() external {
        PresetResponseToken token = new PresetResponseToken();
        token.setResponse(IERC1155.balanceOfBatch.selector, false, abi.encode(_words(2)));
        (bool answered, bool holds) = harness.holdsAny(address(token), 100_000, agent, _words(2), 0, 2);
        assertFalse(answered || holds, "a revert is an answer");
    }

    function _assertAnswer(
        PresetResponseToken token,
        uint256[] memory balances,
        uint256 count,
        bool isAnswer,
        bool isYes
    ) private {
        token.setResponse(IERC1155.balanceOfBatch.selector, true, abi.encode(balances));
        (bool answered, bool holds) = harness.holdsAny(address(token), 100_000, agent, _words(8), 1, count);
        assertEq(answered, isAnswer, "whether it is an answer");
        assertEq(holds, isYes, "the answer");
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

    function _words(uint256 length) private pure returns (uint256[] memory words) {
        words = new uint256[](length);
        for (uint256 i = 0; i < length; i++) {
            words[i] = uint256(keccak256(abi.encode(i)));
        }
    }
}
