// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { BaseTest } from "test/BaseTest.sol";
import { PresetResponsePredicate } from "test/mocks/PresetResponsePredicate.sol";
import { Random } from "test/support/Random.sol";

contract PredicateValidationFuzzTest is BaseTest {
    function testFuzz_DependsOnlyOnProbeReturns(uint256 seed) external {
        // D-07, D-10, D-11, T-01
        Random memory random = Random(seed);
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        bool advertises = _script(random, predicate, type(IERC165).interfaceId);
        bool conforms = _script(random, predicate, type(IAccessPredicate).interfaceId);
        uint256 toolId = _register(address(0));

        bytes[2] memory calls = [
            abi.encodeCall(registry.registerTool, (METADATA_URI, MANIFEST_HASH, address(predicate))),
            abi.encodeCall(registry.setAccessPredicate, (toolId, address(predicate)))
        ];
        for (uint256 i = 0; i < calls.length; i++) {
            vm.recordLogs();
            (bool success, bytes memory returndata) = _call(creator, calls[i]);
            if (!advertises || conforms) {
                assertTrue(success, "a valid predicate was rejected");
                continue;
            }
            assertRevert(
                success,
                returndata,
                abi.encodeWithSelector(IToolRegistry.InvalidAccessPredicate.selector, address(predicate))
            );
            assertNoLogs();
            assertEq(registry.toolCount(), toolId, "a rejected predicate left a tool");
        }
    }

    /// @dev Whether the preset response is a valid `true`.
    function _script(Random memory random, PresetResponsePredicate predicate, bytes4 interfaceId)
        private
        returns (bool)
    {
        bytes32[5] memory words =
            [bytes32(uint256(1)), bytes32(uint256(1)), bytes32(0), bytes32(uint256(2)), random.word()];
        uint8[6] memory lengths = [32, 32, 64, 33, 31, 0];
        bool success = !random.oneIn(5);
        bytes32 first = words[random.below(5)];
        uint256 length = lengths[random.below(6)];
        bytes memory returndata = abi.encodePacked(first, random.word());
        assembly ("memory-safe") {
            mstore(returndata, length)
        }
        predicate.setResponse(interfaceId, success, returndata);
        return success && length >= 32 && first == bytes32(uint256(1));
    }
}
