// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC721 } from "src/interfaces/external/IERC721.sol";
import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { OversizeReturnToken } from "test/mocks/tokens/OversizeReturnToken.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { PresetResponseToken } from "test/mocks/tokens/PresetResponseToken.sol";
import { CollectionListTest } from "test/unit/predicates/base/CollectionList.t.sol";

contract ERC721OwnerPredicateHasAccessTest is CollectionListTest {
    uint256 private constant ID = 1;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("ERC721OwnerPredicate", abi.encode(registry)));
    }

    function test_GivenSeveralCollections() external {
        for (uint256 count = 2; count <= _maxCollections(); count++) {
            address[] memory list = new address[](count);
            for (uint256 i = 0; i < count; i++) {
                list[i] = i % 2 == 0 ? other : otherProxy;
            }
            _set(list);
            assertDenied(agent);
            assertGranted(creator);
            for (uint256 i = 0; i < count; i++) {
                address before = list[i];
                list[i] = i % 2 == 0 ? heldProxy : held;
                _set(list);
                assertGranted(agent);
                assertDenied(eve);
                list[i] = before;
            }
        }
    }

    function test_CallsWithStipend() external {
        _set(other, otherProxy);
        bytes memory callData = abi.encodeCall(IERC721.balanceOf, (agent));
        uint64 stipend = uint64(IERC721OwnerPredicate(predicate).GAS_PER_COLLECTION());
        vm.expectCall(other, 0, stipend, callData, 1);
        vm.expectCall(otherProxy, 0, stipend, callData, 1);
        IERC721OwnerPredicate(predicate).hasAccess(tool, agent, "");
    }

    function test_GivenCollectionRevertsForAccount() external {
        // OpenZeppelin's `balanceOf` reverts for the zero address.
        _set(held);
        assertUnknown(address(0), _noAnswer(held));
    }

    function test_GivenReturnIsShort() external {
        PresetResponseToken token = new PresetResponseToken();
        _set(address(token));
        _assertShortReturnFails(token, IERC721.balanceOf.selector);
    }

    function test_GivenReturnIsLong() external {
        _set(address(new OversizeReturnToken(1, 0)));
        assertGranted(agent);
        _set(address(new OversizeReturnToken(0, 1)));
        assertDenied(agent);
    }

    /* IMPLEMENTATION OF THE BASE TEST */

    function _set(address[] memory collections) internal override {
        _configure(abi.encodeCall(IERC721OwnerPredicate.setCollections, (tool, collections)));
    }

    function _maxCollections() internal view override returns (uint256) {
        return IERC721OwnerPredicate(predicate).MAX_COLLECTIONS();
    }

    function _tokenInitCode() internal pure override returns (bytes memory) {
        return type(PlainERC721).creationCode;
    }

    function _mint(address account) internal pure override returns (bytes memory) {
        return abi.encodeCall(PlainERC721.mint, (account, ID));
    }

    function _burn(address) internal pure override returns (bytes memory) {
        return abi.encodeCall(PlainERC721.burn, (ID));
    }

    function _balanceResponse(uint256 balance) internal pure override returns (bytes4, bytes memory) {
        return (IERC721.balanceOf.selector, abi.encode(balance));
    }
}
