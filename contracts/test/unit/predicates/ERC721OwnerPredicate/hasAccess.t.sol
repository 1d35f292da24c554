// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC721 } from "src/interfaces/external/IERC721.sol";
import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { OversizeReturnToken } from "test/mocks/tokens/OversizeReturnToken.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { PresetResponseToken } from "test/mocks/tokens/PresetResponseToken.sol";
import { CollectionListGasTest } from "test/unit/predicates/base/CollectionListGas.t.sol";

contract ERC721OwnerPredicateHasAccessTest is CollectionListGasTest {
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

    function _call(address[] memory collections, uint256, uint256 stipend)
        internal
        view
        override
        returns (bytes memory)
    {
        if (stipend == 0) {
            return abi.encodeWithSignature("setCollections(uint256,address[])", tool, collections);
        }
        return abi.encodeWithSignature("setCollections(uint256,address[],uint256)", tool, collections, stipend);
    }

    function _maxCollections() internal view override returns (uint256) {
        return IERC721OwnerPredicate(predicate).MAX_COLLECTIONS_PER_TOOL();
    }

    function _firstStipend() internal pure override returns (uint256) {
        return 12_000;
    }

    function _minStipend() internal pure override returns (uint256) {
        return 2300;
    }

    function _maxStipend(uint256 collections, uint256) internal pure override returns (uint256) {
        return (190_000 / (collections == 0 ? 1 : collections) - 3400 - 500) * 63 / 64;
    }

    function _units(uint256) internal pure override returns (uint256) {
        return 1;
    }

    function _retryGas(uint256 collections, uint256) internal pure override returns (uint256) {
        return RETRY_BUDGET / collections;
    }

    function _shapes() internal pure override returns (uint256[2][] memory shapes) {
        shapes = new uint256[2][](3);
        (shapes[0], shapes[1], shapes[2]) = ([uint256(1), 1], [uint256(2), 1], [uint256(10), 1]);
    }

    function _maxIds(uint256) internal pure override returns (uint256) {
        return 1;
    }

    function _newToken() internal override returns (address) {
        return address(new PlainERC721());
    }

    function _mint(address account) internal pure override returns (bytes memory) {
        return abi.encodeCall(PlainERC721.mint, (account, ID));
    }

    function _burn(address) internal pure override returns (bytes memory) {
        return abi.encodeCall(PlainERC721.burn, (ID));
    }

    function _balanceCall(address account) internal pure override returns (bytes memory) {
        return abi.encodeCall(IERC721.balanceOf, (account));
    }

    function _balanceReturn(uint256 balance) internal pure override returns (bytes memory) {
        return abi.encode(balance);
    }
}
