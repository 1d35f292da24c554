// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { GasConsumingToken } from "test/mocks/tokens/GasConsumingToken.sol";
import { GasDependentToken } from "test/mocks/tokens/GasDependentToken.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { Answer, TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC721OwnerPredicateGasTest is TokenPredicateTest {
    /// @dev Proxies with an implementation each, so that nothing is warm; `agent` holds a token of `heldProxy` only.
    address[] private proxies;
    address private heldProxy;
    address private burner;

    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("ERC721OwnerPredicate", abi.encode(registry)));
        for (uint256 i = 0; i < _max(); i++) {
            proxies.push(_proxied(address(new PlainERC721()), abi.encodeCall(PlainERC721.mint, (creator, 1))));
        }
        heldProxy = _proxied(address(new PlainERC721()), abi.encodeCall(PlainERC721.mint, (agent, 1)));
        burner = address(new GasBurner());
    }

    function test_StateIsCold() external {
        _set(_ending(1, heldProxy));
        uint256 first = _gasNeeded(agent, "", Answer.Yes);
        assertGt(first, 2100 + 2600, "storage and collection were warm");
        assertEq(_gasNeeded(agent, "", Answer.Yes), first, "asking warms something up");
    }

    /* NO ANSWER DEPENDS ON GAS */

    function test_GasDecidesNothing_GivenHonestCollections() external {
        uint256[3] memory counts = [1, 2, _max()];
        for (uint256 i = 0; i < counts.length; i++) {
            _set(_ending(counts[i], heldProxy));
            assertGasDecidesNothing(agent, "", Answer.Yes);
            assertGasDecidesNothing(stranger, "", Answer.No);
        }
    }

    function test_GasDecidesNothing_GivenTheFirstDoesNotAnswer() external {
        uint256[2] memory counts = [2, _max()];
        for (uint256 i = 0; i < counts.length; i++) {
            address[] memory list = _ending(counts[i], heldProxy);
            list[0] = burner;
            _set(list);
            assertGasDecidesNothing(agent, "", Answer.Yes);
            assertGasDecidesNothing(stranger, "", Answer.Unknown);
        }
    }

    function test_GasDecidesNothing_GivenTheLastDoesNotAnswer() external {
        uint256[2] memory counts = [2, _max()];
        for (uint256 i = 0; i < counts.length; i++) {
            address[] memory list = _ending(counts[i], burner);
            list[0] = heldProxy;
            _set(list);
            assertGasDecidesNothing(agent, "", Answer.Yes);
            assertGasDecidesNothing(stranger, "", Answer.Unknown);
        }
    }

    function test_GasDecidesNothing_GivenACollectionSwallowsOutOfGas() external {
        uint256 stipend = IERC721OwnerPredicate(predicate).GAS_PER_COLLECTION();
        uint256[3] memory thresholds = [stipend - 300, stipend * 3 / 4, stipend / 4];
        uint256[3] memory counts = [1, 2, _max()];
        for (uint256 i = 0; i < thresholds.length; i++) {
            _set(_ending(counts[i], address(new GasDependentToken(thresholds[i], 0, 1))));
            assertGasDecidesNothing(agent, "", Answer.Yes);
            _set(_ending(counts[i], address(new GasDependentToken(thresholds[i], 1, 0))));
            assertGasDecidesNothing(agent, "", Answer.No);
        }
    }

    /* EVERY ACCEPTED LIST IS USABLE */

    function test_Usable_GivenProxies() external {
        _set(_ending(_max(), heldProxy));
        assertUsable(agent, "", Answer.Yes);
        assertUsable(stranger, "", Answer.No);
    }

    function test_Usable_GivenEveryOtherBurnsAll() external {
        for (uint256 count = 1; count <= _max(); count++) {
            address[] memory list = _copies(burner, count);
            list[count - 1] = heldProxy;
            _set(list);
            assertUsable(agent, "", Answer.Yes);
        }
    }

    function test_Usable_GivenAllUseAllTheyGet() external {
        address[] memory list = _copies(address(new GasConsumingToken(0)), _max());
        _set(list);
        assertUsable(agent, "", Answer.No);
        list = _copies(burner, _max());
        list[_max() - 1] = address(new GasConsumingToken(1));
        _set(list);
        assertUsable(agent, "", Answer.Yes);
    }

    function _ending(uint256 count, address last) private view returns (address[] memory list) {
        list = new address[](count);
        for (uint256 i = 0; i + 1 < count; i++) {
            list[i] = proxies[i];
        }
        list[count - 1] = last;
    }

    function _copies(address original, uint256 count) private returns (address[] memory list) {
        list = new address[](count);
        for (uint256 i = 0; i < count; i++) {
            list[i] = _copy(original, i);
        }
    }

    function _set(address[] memory list) private {
        _configure(abi.encodeCall(IERC721OwnerPredicate.setCollections, (tool, list)));
    }

    function _max() private view returns (uint256) {
        return IERC721OwnerPredicate(predicate).MAX_COLLECTIONS();
    }
}
