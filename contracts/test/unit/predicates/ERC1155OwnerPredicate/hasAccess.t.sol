// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC1155 } from "src/interfaces/external/IERC1155.sol";
import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";
import { PlainERC1155 } from "test/mocks/tokens/PlainERC1155.sol";
import { PresetResponseToken } from "test/mocks/tokens/PresetResponseToken.sol";
import { TokenLists } from "test/support/TokenLists.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC1155OwnerPredicateHasAccessTest is TokenPredicateTest {
    uint256 private constant ID = 7;

    PlainERC1155 private held;
    PlainERC1155 private other;
    address private heldProxy;
    address private otherProxy;
    address private nothing;

    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("ERC1155OwnerPredicate", abi.encode(registry)));
        held = new PlainERC1155();
        held.mint(agent, ID, 1);
        other = new PlainERC1155();
        other.mint(creator, ID, 5);
        heldProxy = _proxied(address(other), abi.encodeCall(PlainERC1155.mint, (agent, ID, 2)));
        otherProxy = _proxied(address(held), abi.encodeCall(PlainERC1155.mint, (creator, ID, 2)));
        nothing = makeAddr("nothing");
    }

    /* HONEST COLLECTIONS */

    function test_GivenOneToken() external {
        _set(address(held));
        assertYes(agent);
        assertNo(stranger);
        assertNo(creator);
        _set(heldProxy);
        assertYes(agent);
        assertNo(stranger);
        held.mint(stranger, ID, 3);
        _set(address(held));
        assertYes(stranger);
        held.burn(stranger, ID, 2);
        assertYes(stranger);
        held.burn(stranger, ID, 1);
        assertNo(stranger);
    }

    function test_GivenSeveralIds() external {
        address[2] memory collections = [address(held), heldProxy];
        for (uint256 count = 1; count <= 17; count++) {
            for (uint256 place = 0; place < count; place++) {
                CollectionTokens[] memory list = new CollectionTokens[](1);
                list[0].collection = collections[place % 2];
                list[0].tokenIds = TokenLists.ids(count, ID + 1);
                _set(list);
                assertNo(agent);
                list[0].tokenIds[place] = ID;
                _set(list);
                assertYes(agent);
                assertNo(stranger);
            }
        }
    }

    function test_GivenSeveralCollections() external {
        for (uint256 groups = 2; groups <= 5; groups++) {
            for (uint256 ids = 1; ids <= 3; ids++) {
                CollectionTokens[] memory list = TokenLists.even(groups, ids, 0);
                for (uint256 i = 0; i < groups; i++) {
                    list[i].collection = i % 2 == 0 ? address(other) : otherProxy;
                }
                _set(list);
                assertNo(agent);
                for (uint256 i = 0; i < groups; i++) {
                    uint256 id = list[i].tokenIds[ids - 1];
                    list[i].tokenIds[ids - 1] = ID;
                    _set(list);
                    assertYes(creator);
                    assertNo(agent);
                    address before = list[i].collection;
                    list[i].collection = i % 2 == 0 ? heldProxy : address(held);
                    _set(list);
                    assertYes(agent);
                    assertNo(creator);
                    (list[i].collection, list[i].tokenIds[ids - 1]) = (before, id);
                }
            }
        }
    }

    function test_GivenIdsOfAnotherCollection() external {
        held.mint(stranger, ID + 1, 1);
        CollectionTokens[] memory list = TokenLists.even(2, 1, 0);
        (list[0].collection, list[1].collection) = (address(held), address(other));
        (list[0].tokenIds[0], list[1].tokenIds[0]) = (ID, ID + 1);
        _set(list);
        assertYes(agent);
        assertNo(stranger);
        (list[0].tokenIds[0], list[1].tokenIds[0]) = (ID + 1, ID);
        _set(list);
        assertNo(agent);
        assertYes(stranger);
        assertYes(creator);
    }

    function test_GivenAnotherConfiguration() external {
        _set(address(held), address(other));
        assertYes(agent);
        assertYes(creator);
        _set(address(other));
        assertNo(agent);
        assertYes(creator);
    }

    function test_WhenDataAreGiven() external {
        _set(address(held));
        assertAnswer(agent, "junk", abi.encode(true));
        assertAnswer(stranger, abi.encode(agent, ID), abi.encode(false));
    }

    function test_WhenAsking() external {
        CollectionTokens[] memory list = TokenLists.even(2, 3, 1);
        (list[0].collection, list[1].collection) = (address(other), otherProxy);
        list[1].tokenIds = TokenLists.ids(1, 9);
        _set(list);
        address[] memory accounts = new address[](3);
        (accounts[0], accounts[1], accounts[2]) = (agent, agent, agent);
        uint256 base = IERC1155OwnerPredicate(predicate).GAS_PER_COLLECTION();
        uint256 perToken = IERC1155OwnerPredicate(predicate).GAS_PER_TOKEN();
        bytes memory question = abi.encodeCall(IERC1155.balanceOfBatch, (accounts, list[0].tokenIds));
        vm.expectCall(address(other), 0, uint64(base + 3 * perToken), question, 1);
        assembly ("memory-safe") {
            mstore(accounts, 1)
        }
        question = abi.encodeCall(IERC1155.balanceOfBatch, (accounts, list[1].tokenIds));
        vm.expectCall(otherProxy, 0, uint64(base + perToken), question, 1);
        IERC1155OwnerPredicate(predicate).hasAccess(tool, agent, "");
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
        address future = vm.computeCreate2Address("salt", keccak256(type(PlainERC1155).creationCode), address(this));
        _set(future, address(other));
        assertNo(agent);

        PlainERC1155 deployed = new PlainERC1155{ salt: "salt" }();

        assertEq(address(deployed), future, "deployed elsewhere");
        assertNo(agent);
        deployed.mint(agent, ID, 1);
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
        IERC1155OwnerPredicate asked = IERC1155OwnerPredicate(predicate);
        CollectionTokens[] memory list = TokenLists.even(asked.MAX_GAS() / asked.gasToAsk(1), 1, 0);
        uint256 last = list.length - 1;
        for (uint256 good = 0; good <= last; good++) {
            for (uint256 i = 0; i <= last; i++) {
                list[i].collection = hostile[i % hostile.length];
                list[i].tokenIds[0] = ID;
            }
            list[good].collection = heldProxy;
            _set(list);
            assertYes(agent);
            assertUnknown(stranger, _noAnswer(list[good == last ? last - 1 : last].collection));
        }
    }

    function test_GivenCollectionAnswersAnotherShape() external {
        PresetResponseToken token = new PresetResponseToken();
        CollectionTokens[] memory list = TokenLists.even(1, 2, 0);
        list[0].collection = address(token);
        _set(list);

        bytes memory good = abi.encode(0x20, 2, 0, 1);
        _assertRecited(token, good, true);
        // One byte, one word, everything missing.
        for (uint256 length = 0; length < good.length; length++) {
            bytes memory head = new bytes(length);
            for (uint256 i = 0; i < length; i++) {
                head[i] = i == 31 ? bytes1(0x20) : i == 63 ? bytes1(0x02) : i < 64 ? bytes1(0) : bytes1(0xff);
            }
            _assertRecited(token, head, false);
        }
        // Another offset, though it leads to an array; another number of balances; two words without an array.
        _assertRecited(token, abi.encode(0x40, 2, 2, 1, 1), false);
        _assertRecited(token, abi.encode(0x40, 0, 2, 1, 1), false);
        _assertRecited(token, abi.encode(0x00, 2, 1, 1), false);
        _assertRecited(token, abi.encode(2 ** 255 | 0x20, 2, 1, 1), false);
        _assertRecited(token, abi.encode(0x20, 1, 1, 1), false);
        _assertRecited(token, abi.encode(0x20, 3, 1, 1, 1), false);
        _assertRecited(token, abi.encode(0x20, 0, 1, 1), false);
        _assertRecited(token, abi.encode(0x20, 2 ** 255 | 2, 1, 1), false);
        _assertRecited(token, abi.encode(1, 1), false);
        _assertRecited(token, abi.encode(2, 1, 1, 1), false);
        token.setResponse(IERC1155.balanceOfBatch.selector, false, good);
        assertUnknown(agent, _noAnswer(address(token)));
    }

    function test_GivenAnswerIsLong() external {
        PresetResponseToken token = new PresetResponseToken();
        _set(address(token));
        _assertRecited(token, abi.encode(0x20, 1, 1, 0), true);
        token.setResponse(IERC1155.balanceOfBatch.selector, true, abi.encode(0x20, 1, 0, 1));
        assertNo(agent);
    }

    function test_GivenBalanceIsAnyNumber() external {
        PresetResponseToken token = new PresetResponseToken();
        _set(address(token));
        for (uint256 bit = 0; bit < 256; bit++) {
            _assertRecited(token, abi.encode(0x20, 1, 2 ** bit), true);
        }
        token.setResponse(IERC1155.balanceOfBatch.selector, true, abi.encode(0x20, 1, 0));
        assertNo(agent);
    }

    function _assertRecited(PresetResponseToken token, bytes memory answer, bool isYes) private {
        token.setResponse(IERC1155.balanceOfBatch.selector, true, answer);
        assertAnswer(agent, "", isYes ? abi.encode(true) : _noAnswer(address(token)));
    }

    function _set(address collection) private {
        CollectionTokens[] memory list = new CollectionTokens[](1);
        list[0] = CollectionTokens({ collection: collection, tokenIds: TokenLists.ids(1, ID) });
        _set(list);
    }

    function _set(address first, address second) private {
        CollectionTokens[] memory list = new CollectionTokens[](2);
        list[0] = CollectionTokens({ collection: first, tokenIds: TokenLists.ids(1, ID) });
        list[1] = CollectionTokens({ collection: second, tokenIds: TokenLists.ids(2, ID - 1) });
        _set(list);
    }

    function _set(CollectionTokens[] memory list) private {
        _configure(abi.encodeCall(IERC1155OwnerPredicate.setCollectionTokens, (tool, list)));
    }
}
