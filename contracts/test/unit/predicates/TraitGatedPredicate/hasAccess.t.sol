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
        _setUp(_deployShipped("TraitGatedPredicate", abi.encode(registry)));
        token = new PlainERC7496();
        token.mint(agent, ID);
        token.mint(creator, ID + 1);
        token.setTrait(ID, KEY, "red");
        token.setTrait(ID, "size", "large");
    }

    /* HONEST CONTRACTS */

    function test_GivenTrait() external {
        _set(address(token), address(token), "red");
        _assertYes(agent, ID);
        _assertNo(stranger, ID);
        _assertNo(creator, ID);
        _assertNo(agent, ID + 1);
        _assertNo(creator, ID + 1);
        token.setTrait(ID + 1, KEY, "red");
        _assertYes(creator, ID + 1);
        _assertNo(agent, ID + 1);
        token.setTrait(ID, KEY, "blue");
        _assertNo(agent, ID);
        _set(address(token), address(token), "blue");
        _assertYes(agent, ID);
    }

    function test_GivenContractsBehindProxies() external {
        address collection = _proxied(address(token), abi.encodeCall(PlainERC721.mint, (stranger, ID)));
        address traits = _proxied(address(token), abi.encodeCall(PlainERC7496.setTrait, (ID, KEY, "green")));
        _set(collection, traits, "green");
        _assertYes(stranger, ID);
        _assertNo(agent, ID);
        _set(collection, address(token), "green");
        _assertNo(stranger, ID);
        _set(address(token), traits, "green");
        _assertYes(agent, ID);
    }

    function test_GivenSeveralValues() external {
        for (uint256 count = 1; count <= 5; count++) {
            for (uint256 place = 0; place < count; place++) {
                bytes32[] memory values = new bytes32[](count);
                for (uint256 i = 0; i < count; i++) {
                    values[i] = keccak256(abi.encode(i));
                }
                _set(address(token), address(token), values);
                _assertNo(agent, ID);
                values[place] = "red";
                _set(address(token), address(token), values);
                _assertYes(agent, ID);
                _assertNo(stranger, ID);
            }
        }
    }

    function test_GivenValueIsNearlyTheSame() external {
        for (uint256 bit = 0; bit < 256; bit++) {
            _set(address(token), address(token), bytes32(uint256(bytes32("red")) ^ 2 ** bit));
            _assertNo(agent, ID);
        }
    }

    function test_GivenTheUnsetValueIsAllowed() external {
        _set(address(token), address(token), bytes32(0));
        _assertNo(agent, ID);
        _assertYes(creator, ID + 1);
    }

    function test_GivenTokenDoesNotExist() external {
        // OpenZeppelin's token reverts.
        _set(address(token), address(token), bytes32(0));
        assertAnswer(agent, abi.encode(uint256(99)), _noAnswer(address(token)));
    }

    function test_WhenAsking() external {
        PlainERC7496 traits = new PlainERC7496();
        _set(address(token), address(traits), "red");
        uint64 stipend = uint64(ITraitGatedPredicate(predicate).GAS_PER_QUESTION());
        vm.expectCall(address(token), 0, stipend, abi.encodeCall(IERC721.ownerOf, (ID)), 1);
        vm.expectCall(address(traits), 0, stipend, abi.encodeCall(IERC7496.getTraitValue, (ID, KEY)), 1);
        ITraitGatedPredicate(predicate).hasAccess(tool, agent, abi.encode(ID));
    }

    /* DATA */

    function test_WhenDataIsNotOneWord() external {
        _set(address(token), address(token), "red");
        for (uint256 length = 0; length <= 100; length++) {
            bytes memory data = new bytes(length);
            if (length > 0) data[length < 32 ? length - 1 : 31] = bytes1(uint8(ID));
            assertAnswer(agent, data, abi.encode(length == 32));
        }
        assertAnswer(agent, abi.encodePacked(uint8(ID)), abi.encode(false));
        assertAnswer(agent, abi.encode(0x20, ID), abi.encode(false));
    }

    /* NO CODE */

    function test_GivenAContractHasNoCode() external {
        address[4] memory empty = [stranger, address(0), address(4), agent];
        address hostile = _hostileTokens()[0];
        for (uint256 i = 0; i < empty.length; i++) {
            _set(empty[i], address(token), "red");
            _assertNo(agent, ID);
            _set(address(token), empty[i], "red");
            _assertNo(agent, ID);
            _set(empty[i], empty[i], "red");
            _assertNo(agent, ID);
            _set(empty[i], hostile, "red");
            _assertNo(agent, ID);
            _set(hostile, empty[i], "red");
            _assertNo(agent, ID);
        }
    }

    function test_GivenAContractComesAlive() external {
        address future = vm.computeCreate2Address("salt", keccak256(type(PlainERC7496).creationCode), address(this));
        _set(future, future, "red");
        _assertNo(agent, ID);

        PlainERC7496 deployed = new PlainERC7496{ salt: "salt" }();

        assertEq(address(deployed), future, "deployed elsewhere");
        deployed.mint(agent, ID);
        _assertNo(agent, ID);
        deployed.setTrait(ID, KEY, "red");
        _assertYes(agent, ID);
    }

    /* CONTRACTS THAT DO NOT ANSWER */

    function test_GivenAContractDoesNotAnswer() external {
        address[] memory hostile = _hostileTokens();
        for (uint256 i = 0; i < hostile.length; i++) {
            _set(hostile[i], address(token), "red");
            assertAnswer(agent, abi.encode(ID), _noAnswer(hostile[i]));
            _set(address(token), hostile[i], "red");
            assertAnswer(agent, abi.encode(ID), _noAnswer(hostile[i]));
            _assertNo(stranger, ID);
            address half =
                address(new SelectorOverrideToken(address(token), hostile[i], IERC7496.getTraitValue.selector));
            _set(half, half, "red");
            assertAnswer(agent, abi.encode(ID), _noAnswer(half));
        }
    }

    function test_GivenNoValuesAndAContractDoesNotAnswer() external {
        // No value lets anyone in, so there is nothing to find out.
        address hostile = _hostileTokens()[0];
        _set(hostile, hostile, new bytes32[](0));
        _assertNo(agent, ID);
        _set(address(token), hostile, new bytes32[](0));
        _assertNo(agent, ID);
    }

    function test_GivenOwnerIsNoAddress() external {
        PresetResponseToken odd = new PresetResponseToken();
        _set(address(odd), address(token), "red");
        for (uint256 bit = 160; bit < 256; bit++) {
            odd.setResponse(IERC721.ownerOf.selector, true, abi.encode(uint256(uint160(agent)) | 2 ** bit));
            assertAnswer(agent, abi.encode(ID), _noAnswer(address(odd)));
        }
        odd.setResponse(IERC721.ownerOf.selector, true, abi.encode(agent));
        _assertYes(agent, ID);
    }

    function test_GivenAnswerIsShort() external {
        PresetResponseToken odd = new PresetResponseToken();
        for (uint256 length = 0; length < 32; length++) {
            bytes memory answer = new bytes(length);
            odd.setResponse(IERC721.ownerOf.selector, true, answer);
            odd.setResponse(IERC7496.getTraitValue.selector, true, answer);
            _set(address(odd), address(token), "red");
            assertAnswer(agent, abi.encode(ID), _noAnswer(address(odd)));
            assertAnswer(address(0), abi.encode(ID), _noAnswer(address(odd)));
            _set(address(token), address(odd), bytes32(0));
            assertAnswer(agent, abi.encode(ID), _noAnswer(address(odd)));
        }
    }

    function test_GivenAnswerIsLong() external {
        _set(
            address(new OversizeReturnToken(uint160(agent), 0)),
            address(new OversizeReturnToken(1, 2)),
            bytes32(uint256(1))
        );
        _assertYes(agent, ID);
        _set(
            address(new OversizeReturnToken(uint160(agent), 0)),
            address(new OversizeReturnToken(1, 2)),
            bytes32(uint256(2))
        );
        _assertNo(agent, ID);
        _set(
            address(new OversizeReturnToken(0, uint160(agent))),
            address(new OversizeReturnToken(1, 1)),
            bytes32(uint256(1))
        );
        _assertNo(agent, ID);
    }

    function _assertYes(address account, uint256 tokenId) private view {
        assertAnswer(account, abi.encode(tokenId), abi.encode(true));
    }

    function _assertNo(address account, uint256 tokenId) private view {
        assertAnswer(account, abi.encode(tokenId), abi.encode(false));
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
