// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC721 } from "src/interfaces/external/IERC721.sol";
import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { OversizeReturnToken } from "test/mocks/tokens/OversizeReturnToken.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { PresetResponseToken } from "test/mocks/tokens/PresetResponseToken.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC721OwnerPredicateHasAccessTest is TokenPredicateTest {
    PlainERC721 private held;
    PlainERC721 private other;
    address private heldProxy;
    address private otherProxy;
    address private nothing;

    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("ERC721OwnerPredicate", abi.encode(registry)));
        held = new PlainERC721();
        held.mint(agent, 1);
        other = new PlainERC721();
        other.mint(creator, 1);
        heldProxy = _proxied(address(other), abi.encodeCall(PlainERC721.mint, (agent, 2)));
        otherProxy = _proxied(address(held), abi.encodeCall(PlainERC721.mint, (creator, 2)));
        nothing = makeAddr("nothing");
    }

    /* HONEST COLLECTIONS */

    function test_GivenOneCollection() external {
        _set(address(held));
        assertYes(agent);
        assertNo(stranger);
        assertNo(creator);
        _set(heldProxy);
        assertYes(agent);
        assertNo(stranger);

        held.mint(stranger, 7);
        _set(address(held));
        assertYes(stranger);
        held.burn(7);
        assertNo(stranger);
        held.mint(stranger, 8);
        assertYes(stranger);
    }

    function test_GivenSeveralCollections() external {
        for (uint256 count = 2; count <= _max(); count++) {
            address[] memory list = new address[](count);
            for (uint256 i = 0; i < count; i++) {
                list[i] = i % 2 == 0 ? address(other) : otherProxy;
            }
            _set(list);
            assertNo(agent);
            assertYes(creator);
            for (uint256 i = 0; i < count; i++) {
                address before = list[i];
                list[i] = i % 2 == 0 ? heldProxy : address(held);
                _set(list);
                assertYes(agent);
                assertNo(stranger);
                list[i] = before;
            }
        }
    }

    function test_GivenAnotherConfiguration() external {
        _set(address(held), address(other));
        assertYes(agent);
        assertYes(creator);
        _set(address(other));
        assertNo(agent);
        assertYes(creator);
        _set(address(held));
        assertYes(agent);
        assertNo(creator);
    }

    function test_WhenDataAreGiven() external {
        _set(address(held));
        assertAnswer(agent, "junk", abi.encode(true));
        assertAnswer(stranger, abi.encode(agent, uint256(1)), abi.encode(false));
    }

    function test_WhenAsking() external {
        _set(address(other), otherProxy);
        bytes memory question = abi.encodeCall(IERC721.balanceOf, (agent));
        uint64 stipend = uint64(IERC721OwnerPredicate(predicate).GAS_PER_COLLECTION());
        vm.expectCall(address(other), 0, stipend, question, 1);
        vm.expectCall(otherProxy, 0, stipend, question, 1);
        IERC721OwnerPredicate(predicate).hasAccess(tool, agent, "");
    }

    /* NO CODE */

    function test_GivenCollectionHasNoCode() external {
        address[4] memory empty = [nothing, address(0), address(4), agent];
        for (uint256 i = 0; i < empty.length; i++) {
            _set(empty[i]);
            assertNo(agent);
            _set(empty[i], address(other));
            assertNo(agent);
            _set(address(other), empty[i]);
            assertNo(agent);
            _set(empty[i], address(held));
            assertYes(agent);
            _set(address(held), empty[i]);
            assertYes(agent);
        }
    }

    function test_GivenCollectionComesAlive() external {
        address future = vm.computeCreate2Address("salt", keccak256(type(PlainERC721).creationCode), address(this));
        _set(future, address(other));
        assertNo(agent);

        PlainERC721 deployed = new PlainERC721{ salt: "salt" }();

        assertEq(address(deployed), future, "deployed elsewhere");
        assertNo(agent);
        deployed.mint(agent, 1);
        assertYes(agent);
    }

    /* COLLECTIONS THAT DO NOT ANSWER */

    function test_GivenCollectionDoesNotAnswer() external {
        address[] memory hostile = _hostileTokens();
        for (uint256 i = 0; i < hostile.length; i++) {
            bytes memory silence = _noAnswer(hostile[i]);
            _set(hostile[i]);
            assertUnknown(agent, silence);
            _set(hostile[i], address(other));
            assertUnknown(agent, silence);
            _set(address(other), hostile[i]);
            assertUnknown(agent, silence);
            _set(nothing, hostile[i]);
            assertUnknown(agent, silence);
            _set(hostile[i], nothing);
            assertUnknown(agent, silence);
            _set(hostile[i], address(held));
            assertYes(agent);
            _set(address(held), hostile[i]);
            assertYes(agent);
        }
    }

    function test_GivenEveryOtherCollectionDoesNotAnswer() external {
        address[] memory hostile = _hostileTokens();
        address[] memory list = new address[](_max());
        for (uint256 good = 0; good < list.length; good++) {
            for (uint256 i = 0; i < list.length; i++) {
                list[i] = hostile[i % hostile.length];
            }
            list[good] = heldProxy;
            _set(list);
            assertYes(agent);
            assertUnknown(stranger, _noAnswer(list[good == list.length - 1 ? good - 1 : list.length - 1]));
        }
    }

    function test_GivenCollectionRefusesTheAccount() external {
        // OpenZeppelin's token reverts when asked for the zero address.
        _set(address(held));
        assertUnknown(address(0), _noAnswer(address(held)));
    }

    /* ODD ANSWERS */

    function test_GivenAnswerIsShort() external {
        PresetResponseToken token = new PresetResponseToken();
        _set(address(token));
        for (uint256 length = 0; length < 32; length++) {
            bytes memory answer = new bytes(length);
            for (uint256 i = 0; i < length; i++) {
                answer[i] = 0xff;
            }
            token.setResponse(IERC721.balanceOf.selector, true, answer);
            assertUnknown(agent, _noAnswer(address(token)));
        }
    }

    function test_GivenAnswerIsLong() external {
        _set(address(new OversizeReturnToken(1, 0)));
        assertYes(agent);
        _set(address(new OversizeReturnToken(0, 1)));
        assertNo(agent);
    }

    function test_GivenBalanceIsAnyNumber() external {
        PresetResponseToken token = new PresetResponseToken();
        _set(address(token));
        for (uint256 bit = 0; bit < 256; bit++) {
            token.setResponse(IERC721.balanceOf.selector, true, abi.encode(2 ** bit));
            assertYes(agent);
        }
        token.setResponse(IERC721.balanceOf.selector, true, abi.encode(0));
        assertNo(agent);
        token.setResponse(IERC721.balanceOf.selector, false, abi.encode(1));
        assertUnknown(agent, _noAnswer(address(token)));
    }

    function _set(address collection) private {
        address[] memory list = new address[](1);
        list[0] = collection;
        _set(list);
    }

    function _set(address first, address second) private {
        address[] memory list = new address[](2);
        (list[0], list[1]) = (first, second);
        _set(list);
    }

    function _set(address[] memory list) private {
        _configure(abi.encodeCall(IERC721OwnerPredicate.setCollections, (tool, list)));
    }

    function _max() private view returns (uint256) {
        return IERC721OwnerPredicate(predicate).MAX_COLLECTIONS();
    }
}
