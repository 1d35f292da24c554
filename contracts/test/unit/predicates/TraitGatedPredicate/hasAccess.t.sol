// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC721 } from "src/interfaces/external/IERC721.sol";
import { IERC7496 } from "src/interfaces/external/IERC7496.sol";
import { ITraitGatedPredicate } from "src/interfaces/predicates/ITraitGatedPredicate.sol";
import { MinGasToken } from "test/mocks/tokens/MinGasToken.sol";
import { OversizeReturnToken } from "test/mocks/tokens/OversizeReturnToken.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { PlainERC7496 } from "test/mocks/tokens/PlainERC7496.sol";
import { PresetResponseToken } from "test/mocks/tokens/PresetResponseToken.sol";
import { SelectorOverrideToken } from "test/mocks/tokens/SelectorOverrideToken.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract TraitGatedPredicateHasAccessTest is TokenPredicateTest {
    bytes32 private constant KEY = "color";
    uint256 private constant ID = 7;

    PlainERC7496 private token;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("TraitGatedPredicate", abi.encode(registry)));
        token = new PlainERC7496();
        token.mint(agent, ID);
        token.mint(creator, ID + 1);
        token.setTrait(ID, KEY, "red");
        token.setTrait(ID, "size", "large");
    }

    /* VALID CONTRACTS */

    function test_GivenTrait() external {
        _set(address(token), address(token), "red");
        _assertGranted(agent, ID);
        _assertDenied(eve, ID);
        _assertDenied(creator, ID);
        _assertDenied(agent, ID + 1);
        _assertDenied(creator, ID + 1);
        token.setTrait(ID + 1, KEY, "red");
        _assertGranted(creator, ID + 1);
        _assertDenied(agent, ID + 1);
        token.setTrait(ID, KEY, "blue");
        _assertDenied(agent, ID);
        _set(address(token), address(token), "blue");
        _assertGranted(agent, ID);
    }

    function test_GivenContractsBehindProxies() external {
        address collection = _deployProxy(address(token), abi.encodeCall(PlainERC721.mint, (eve, ID)));
        address traits = _deployProxy(address(token), abi.encodeCall(PlainERC7496.setTrait, (ID, KEY, "green")));
        _set(collection, traits, "green");
        _assertGranted(eve, ID);
        _assertDenied(agent, ID);
        _set(collection, address(token), "green");
        _assertDenied(eve, ID);
        _set(address(token), traits, "green");
        _assertGranted(agent, ID);
    }

    function test_GivenSeveralValues() external {
        for (uint256 count = 1; count <= 5; count++) {
            for (uint256 index = 0; index < count; index++) {
                bytes32[] memory values = new bytes32[](count);
                for (uint256 i = 0; i < count; i++) {
                    values[i] = keccak256(abi.encode(i));
                }
                _set(address(token), address(token), values);
                _assertDenied(agent, ID);
                values[index] = "red";
                _set(address(token), address(token), values);
                _assertGranted(agent, ID);
                _assertDenied(eve, ID);
            }
        }
    }

    function test_GivenValueDiffersByOneBit() external {
        for (uint256 bit = 0; bit < 256; bit++) {
            _set(address(token), address(token), bytes32(uint256(bytes32("red")) ^ 2 ** bit));
            _assertDenied(agent, ID);
        }
    }

    /// @dev OpenZeppelin's `ownerOf` reverts with an error. Also behind each proxy, with the default and a chosen stipend.
    function test_GivenTokenDoesNotExist() external {
        _set(address(token), address(token), "red");
        _assertDenied(agent, 99);
        for (uint256 kind = 0; kind < 3; kind++) {
            bytes memory mint = abi.encodeCall(PlainERC721.mint, (agent, ID));
            _set(_deployProxy(Proxy(kind), address(token), mint), address(token), "red");
            _assertGranted(agent, ID);
            _assertDenied(agent, 99);
        }
        bytes32[] memory values = new bytes32[](1);
        values[0] = "red";
        _configure(_callWithStipend(address(token), address(token), values, 5000));
        _assertDenied(agent, 99);
    }

    /// @dev Data of at least four bytes is an error. A call that runs out of gas returns no data.
    function test_GivenOwnerOfReverts() external {
        PresetResponseToken preset = new PresetResponseToken();
        _set(address(preset), address(token), "red");
        for (uint256 length = 0; length < 70; length++) {
            preset.setResponse(IERC721.ownerOf.selector, false, new bytes(length));
            assertResult(agent, abi.encode(ID), length < 4 ? _callFailed(address(preset)) : abi.encode(false));
        }
    }

    function test_GivenContractLosesItsCode() external {
        address lost = _copy(address(token), 0);
        _set(lost, address(token), "red");
        vm.etch(lost, "");
        assertResult(agent, abi.encode(ID), _callFailed(lost));
        lost = _copy(address(token), 1);
        _set(address(token), lost, "red");
        vm.etch(lost, "");
        assertResult(agent, abi.encode(ID), _callFailed(lost));
        _assertDenied(eve, ID);
    }

    /* STIPENDS */

    /// @dev Each call is repeated on its own.
    function test_CallsWithStipends() external {
        address traits = address(new MinGasToken(12_000, 1));
        _set(address(token), traits, bytes32(uint256(1)));
        vm.expectCall(address(token), 0, 12_000, abi.encodeCall(IERC721.ownerOf, (ID)), 1);
        vm.expectCall(traits, 0, 70_000, abi.encodeCall(IERC7496.getTraitValue, (ID, KEY)), 1);
        assertTrue(ITraitGatedPredicate(predicate).hasAccess(tool, agent, abi.encode(ID)), "not granted");
    }

    function test_CallsWithStipends_GivenChosenStipend() external {
        address traits = address(new MinGasToken(20_000, 1));
        bytes32[] memory values = new bytes32[](1);
        values[0] = bytes32(uint256(1));
        _configure(_callWithStipend(address(token), traits, values, 20_000));
        vm.expectCall(address(token), 0, 20_000, abi.encodeCall(IERC721.ownerOf, (ID)), 1);
        vm.expectCall(traits, 0, 20_000, abi.encodeCall(IERC7496.getTraitValue, (ID, KEY)), 1);
        (bool success,) = predicate.staticcall(
            abi.encodeCall(ITraitGatedPredicate(predicate).hasAccess, (tool, agent, abi.encode(ID)))
        );
        assertFalse(success, "a call that failed with the chosen stipend was repeated");
    }

    function test_GivenTokenNeedsMoreGas() external {
        uint256[3] memory needs = [uint256(11_000), 30_000, 70_000];
        bytes memory mint = abi.encodeCall(PlainERC721.mint, (agent, ID));
        for (uint256 i = 0; i < 9; i++) {
            address collection =
                _deployProxy(Proxy(i % 3), address(new MinGasToken(needs[i / 3], uint160(agent))), mint);
            _set(collection, collection, bytes32(uint256(uint160(agent))));
            assertResult(agent, abi.encode(ID), i < 6 ? abi.encode(true) : _callFailed(collection));
        }
    }

    /* DATA */

    function test_WhenDataIsNot32Bytes() external {
        _set(address(token), address(token), "red");
        for (uint256 length = 0; length <= 100; length++) {
            bytes memory data = new bytes(length);
            if (length > 0) data[length < 32 ? length - 1 : 31] = bytes1(uint8(ID));
            assertResult(agent, data, abi.encode(length == 32));
        }
        assertResult(agent, abi.encodePacked(uint8(ID)), abi.encode(false));
        assertResult(agent, abi.encode(0x20, ID), abi.encode(false));
    }

    /* FAILING CONTRACTS */

    function test_GivenContractFails() external {
        address[] memory failing = _failingTokens();
        for (uint256 i = 0; i < failing.length; i++) {
            _set(failing[i], address(token), "red");
            // The first one reverts with data.
            bool isDenied = i == 0;
            assertResult(agent, abi.encode(ID), isDenied ? abi.encode(false) : _callFailed(failing[i]));
            _set(address(token), failing[i], "red");
            assertResult(agent, abi.encode(ID), _callFailed(failing[i]));
            _assertDenied(eve, ID);
            address half =
                address(new SelectorOverrideToken(address(token), failing[i], IERC7496.getTraitValue.selector));
            _set(half, half, "red");
            assertResult(agent, abi.encode(ID), _callFailed(half));
        }
    }

    function test_GivenOwnerIsNotAddress() external {
        PresetResponseToken preset = new PresetResponseToken();
        _set(address(preset), address(token), "red");
        for (uint256 bit = 160; bit < 256; bit++) {
            preset.setResponse(IERC721.ownerOf.selector, true, abi.encode(uint256(uint160(agent)) | 2 ** bit));
            assertResult(agent, abi.encode(ID), _callFailed(address(preset)));
        }
        preset.setResponse(IERC721.ownerOf.selector, true, abi.encode(agent));
        _assertGranted(agent, ID);
    }

    function test_GivenReturnIsShort() external {
        PresetResponseToken preset = new PresetResponseToken();
        for (uint256 length = 0; length < 32; length++) {
            bytes memory returndata = new bytes(length);
            preset.setResponse(IERC721.ownerOf.selector, true, returndata);
            preset.setResponse(IERC7496.getTraitValue.selector, true, returndata);
            _set(address(preset), address(token), "red");
            assertResult(agent, abi.encode(ID), _callFailed(address(preset)));
            _set(address(token), address(preset), "red");
            assertResult(agent, abi.encode(ID), _callFailed(address(preset)));
        }
    }

    function test_GivenReturnIsLong() external {
        _set(
            address(new OversizeReturnToken(uint160(agent), 0)),
            address(new OversizeReturnToken(1, 2)),
            bytes32(uint256(1))
        );
        _assertGranted(agent, ID);
        _set(
            address(new OversizeReturnToken(uint160(agent), 0)),
            address(new OversizeReturnToken(1, 2)),
            bytes32(uint256(2))
        );
        _assertDenied(agent, ID);
        _set(
            address(new OversizeReturnToken(0, uint160(agent))),
            address(new OversizeReturnToken(1, 1)),
            bytes32(uint256(1))
        );
        _assertDenied(agent, ID);
    }

    function _assertGranted(address account, uint256 tokenId) private view {
        assertResult(account, abi.encode(tokenId), abi.encode(true));
    }

    function _assertDenied(address account, uint256 tokenId) private view {
        assertResult(account, abi.encode(tokenId), abi.encode(false));
    }

    function _callWithStipend(address collection, address traits, bytes32[] memory values, uint256 stipend)
        private
        view
        returns (bytes memory)
    {
        return abi.encodeWithSignature(
            "configureToolTrait(uint256,address,address,bytes32,bytes32[],uint256)",
            tool,
            collection,
            traits,
            KEY,
            values,
            stipend
        );
    }

    function _set(address collection, address traits, bytes32 value) private {
        bytes32[] memory values = new bytes32[](1);
        values[0] = value;
        _set(collection, traits, values);
    }

    function _set(address collection, address traits, bytes32[] memory values) private {
        _configure(
            abi.encodeWithSignature(
                "configureToolTrait(uint256,address,address,bytes32,bytes32[])", tool, collection, traits, KEY, values
            )
        );
    }
}
