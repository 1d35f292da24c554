// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC721 } from "src/interfaces/external/IERC721.sol";
import { IERC7496 } from "src/interfaces/external/IERC7496.sol";
import { ITraitGatedPredicate } from "src/interfaces/predicates/ITraitGatedPredicate.sol";
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

    function test_GivenZeroValueIsAllowed() external {
        _set(address(token), address(token), bytes32(0));
        _assertDenied(agent, ID);
        _assertGranted(creator, ID + 1);
    }

    function test_GivenTokenDoesNotExist() external {
        // OpenZeppelin's `ownerOf` reverts.
        _set(address(token), address(token), bytes32(0));
        assertResult(agent, abi.encode(uint256(99)), _noAnswer(address(token)));
    }

    function test_CallsWithStipend() external {
        PlainERC7496 traits = new PlainERC7496();
        _set(address(token), address(traits), "red");
        uint64 stipend = uint64(ITraitGatedPredicate(predicate).GAS_PER_QUESTION());
        vm.expectCall(address(token), 0, stipend, abi.encodeCall(IERC721.ownerOf, (ID)), 1);
        vm.expectCall(address(traits), 0, stipend, abi.encodeCall(IERC7496.getTraitValue, (ID, KEY)), 1);
        ITraitGatedPredicate(predicate).hasAccess(tool, agent, abi.encode(ID));
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

    /* NO CODE */

    function test_GivenContractHasNoCode() external {
        address[4] memory empty = [eve, address(0), address(4), agent];
        address failing = _failingTokens()[0];
        for (uint256 i = 0; i < empty.length; i++) {
            _set(empty[i], address(token), "red");
            _assertDenied(agent, ID);
            _set(address(token), empty[i], "red");
            _assertDenied(agent, ID);
            _set(empty[i], empty[i], "red");
            _assertDenied(agent, ID);
            _set(empty[i], failing, "red");
            _assertDenied(agent, ID);
            _set(failing, empty[i], "red");
            _assertDenied(agent, ID);
        }
    }

    function test_GivenContractIsDeployedLater() external {
        address future = vm.computeCreate2Address("salt", keccak256(type(PlainERC7496).creationCode), address(this));
        _set(future, future, "red");
        _assertDenied(agent, ID);

        PlainERC7496 deployed = new PlainERC7496{ salt: "salt" }();

        assertEq(address(deployed), future, "deployed at another address");
        deployed.mint(agent, ID);
        _assertDenied(agent, ID);
        deployed.setTrait(ID, KEY, "red");
        _assertGranted(agent, ID);
    }

    /* FAILING CONTRACTS */

    function test_GivenContractFails() external {
        address[] memory failing = _failingTokens();
        for (uint256 i = 0; i < failing.length; i++) {
            _set(failing[i], address(token), "red");
            assertResult(agent, abi.encode(ID), _noAnswer(failing[i]));
            _set(address(token), failing[i], "red");
            assertResult(agent, abi.encode(ID), _noAnswer(failing[i]));
            _assertDenied(eve, ID);
            address half =
                address(new SelectorOverrideToken(address(token), failing[i], IERC7496.getTraitValue.selector));
            _set(half, half, "red");
            assertResult(agent, abi.encode(ID), _noAnswer(half));
        }
    }

    function test_GivenNoValuesAndContractFails() external {
        // Without allowed values everyone is denied, so no contract is called.
        address failing = _failingTokens()[0];
        _set(failing, failing, new bytes32[](0));
        _assertDenied(agent, ID);
        _set(address(token), failing, new bytes32[](0));
        _assertDenied(agent, ID);
    }

    function test_GivenOwnerIsNotAddress() external {
        PresetResponseToken preset = new PresetResponseToken();
        _set(address(preset), address(token), "red");
        for (uint256 bit = 160; bit < 256; bit++) {
            preset.setResponse(IERC721.ownerOf.selector, true, abi.encode(uint256(uint160(agent)) | 2 ** bit));
            assertResult(agent, abi.encode(ID), _noAnswer(address(preset)));
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
            assertResult(agent, abi.encode(ID), _noAnswer(address(preset)));
            assertResult(address(0), abi.encode(ID), _noAnswer(address(preset)));
            _set(address(token), address(preset), bytes32(0));
            assertResult(agent, abi.encode(ID), _noAnswer(address(preset)));
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

    function _set(address collection, address traits, bytes32 value) private {
        bytes32[] memory values = new bytes32[](1);
        values[0] = value;
        _set(collection, traits, values);
    }

    function _set(address collection, address traits, bytes32[] memory values) private {
        _configure(abi.encodeCall(ITraitGatedPredicate.configureToolTrait, (tool, collection, traits, KEY, values)));
    }
}
