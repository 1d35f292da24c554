// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ERC1967Proxy } from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import { BeaconProxy } from "@openzeppelin/contracts/proxy/beacon/BeaconProxy.sol";
import { UpgradeableBeacon } from "@openzeppelin/contracts/proxy/beacon/UpgradeableBeacon.sol";
import { ERC1155 } from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import { ERC721 } from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import { ToolRegistry } from "src/ToolRegistry.sol";
import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { CodeStoreLib } from "src/libraries/CodeStoreLib.sol";
import { AccessProofPredicate } from "src/predicates/AccessProofPredicate.sol";
import { AlwaysDenyPredicate } from "src/predicates/AlwaysDenyPredicate.sol";
import { CompositePredicate, Term } from "src/predicates/CompositePredicate.sol";
import { CollectionTokens, ERC1155OwnerPredicate } from "src/predicates/ERC1155OwnerPredicate.sol";
import { ERC20BalancePredicate } from "src/predicates/ERC20BalancePredicate.sol";
import { ERC721OwnerPredicate } from "src/predicates/ERC721OwnerPredicate.sol";
import { MerkleAllowlistPredicate } from "src/predicates/MerkleAllowlistPredicate.sol";
import { SubscriptionPredicate } from "src/predicates/SubscriptionPredicate.sol";
import { TraitGatedPredicate } from "src/predicates/TraitGatedPredicate.sol";
import { MinimalGrantingPredicate } from "test/gas/GasBenchmark.t.sol";
import { GasMeter } from "test/gas/GasMeter.sol";

contract Collection721 is ERC721("Collection", "C") {
    function mint(address to, uint256 tokenId) external {
        _mint(to, tokenId);
    }
}

contract Collection1155 is ERC1155("") {
    function mint(address to, uint256 tokenId) external {
        _mint(to, tokenId, 1, "");
    }
}

contract Token20 is ERC20("Token", "T") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

contract SubscriptionCollection {
    struct Subscription {
        uint64 expiresAt;
        uint8 tier;
    }

    mapping(address account => uint256) public tokenOfOwner;
    mapping(uint256 tokenId => Subscription) private _subscriptions;

    function mint(address to, uint256 tokenId, uint64 expiry, uint8 tier) external {
        tokenOfOwner[to] = tokenId;
        _subscriptions[tokenId] = Subscription(expiry, tier);
    }

    function expiresAt(uint256 tokenId) external view returns (uint64) {
        return _subscriptions[tokenId].expiresAt;
    }

    function tierOf(uint256 tokenId) external view returns (uint8) {
        return _subscriptions[tokenId].tier;
    }
}

contract Traits {
    mapping(uint256 tokenId => mapping(bytes32 traitKey => bytes32)) public getTraitValue;

    function setTrait(uint256 tokenId, bytes32 traitKey, bytes32 value) external {
        getTraitValue[tokenId][traitKey] = value;
    }
}

/// @notice Two ways to store a list: one storage slot per word, or the code of a data contract.
contract Lists {
    uint256[] private _stored;
    address private _store;
    uint96 private _length;

    function set(uint256[] memory words) external {
        _stored = words;
        _store = CodeStoreLib.write(words);
        _length = uint96(words.length);
    }

    function fromStorage() external view returns (uint256[] memory) {
        return _stored;
    }

    function fromCode() external view returns (uint256[] memory) {
        return CodeStoreLib.read(_store, _length);
    }
}

/// @notice Execution gas of `hasAccess` for a holder of the last entry, so that every entry is checked.
/// @dev OpenZeppelin tokens, directly and behind ERC-1967 proxies with separate implementations.
contract PredicateGasTest is GasMeter {
    uint256 internal constant TOOL = 1;
    uint256 internal constant KEY = 0xA11CE;

    ToolRegistry internal registry;
    address internal holder;

    function setUp() public {
        holder = vm.addr(KEY);
        registry = new ToolRegistry();
        registry.registerTool("https://tools.example.com/.well-known/ai-tool/a.json", keccak256("a"), address(0));
    }

    function test_Gas_ERC721Owner() public {
        ERC721OwnerPredicate predicate = new ERC721OwnerPredicate(registry);
        uint256[4] memory counts = [1, 2, 5, predicate.MAX_COLLECTIONS_PER_TOOL()];
        for (uint256 i = 0; i < counts.length; i++) {
            for (uint256 proxied = 0; proxied < 2; proxied++) {
                address[] memory collections = new address[](counts[i]);
                for (uint256 j = 0; j < counts[i]; j++) {
                    collections[j] = _collection721(proxied == 1);
                }
                Collection721(collections[counts[i] - 1]).mint(holder, 1);
                string memory label = _name("ERC721OwnerPredicate, ", counts[i], proxied == 1);
                bytes memory call = abi.encodeWithSignature("setCollections(uint256,address[])", TOOL, collections);
                _configure(label, proxied == 0, address(predicate), call);
                _measure(label, predicate, "");
            }
        }
    }

    /// @dev The most expensive common proxy.
    function test_Gas_BeaconProxies() public {
        ERC721OwnerPredicate owners = new ERC721OwnerPredicate(registry);
        address[] memory collections = new address[](1);
        collections[0] = _beaconProxy(address(new Collection721()), abi.encodeCall(Collection721.mint, (holder, 1)));
        owners.setCollections(TOOL, collections);
        _measure("ERC721OwnerPredicate, 1, behind a beacon proxy", owners, "");
        ERC20BalancePredicate balances = new ERC20BalancePredicate(registry);
        address token = _beaconProxy(address(new Token20()), abi.encodeCall(Token20.mint, (holder, 10)));
        balances.configureToolERC20(TOOL, token, 10);
        _measure("ERC20BalancePredicate, behind a beacon proxy", balances, "");
    }

    function test_Gas_ERC1155Owner() public {
        ERC1155OwnerPredicate predicate = new ERC1155OwnerPredicate(registry);
        uint256 maxIds = predicate.MAX_UNITS() - 4;
        uint256[2][6] memory shapes = [
            [uint256(1), 1], [uint256(1), 2], [uint256(1), 5], [uint256(1), 10], [uint256(2), 16], [uint256(1), maxIds]
        ];
        for (uint256 i = 0; i < shapes.length; i++) {
            for (uint256 proxied = 0; proxied < 2; proxied++) {
                CollectionTokens[] memory tokens = _tokens1155(shapes[i][0], shapes[i][1], proxied == 1);
                string memory shape = string.concat("ERC1155OwnerPredicate, ", vm.toString(shapes[i][0]), " x ");
                string memory label = _name(shape, shapes[i][1], proxied == 1);
                bytes memory call =
                    abi.encodeWithSignature("setCollectionTokens(uint256,(address,uint256[])[])", TOOL, tokens);
                _configure(label, proxied == 0, address(predicate), call);
                _measure(label, predicate, "");
            }
        }
    }

    function test_Gas_Subscription() public {
        SubscriptionPredicate predicate = new SubscriptionPredicate(registry);
        SubscriptionCollection collection = new SubscriptionCollection();
        collection.mint(holder, 1, type(uint64).max, 3);
        bytes memory call =
            abi.encodeWithSignature("configureToolGating(uint256,address,uint8)", TOOL, address(collection), 2);
        _configure("SubscriptionPredicate", true, address(predicate), call);
        _measure("SubscriptionPredicate", predicate, "");
    }

    function test_Gas_ERC20Balance() public {
        ERC20BalancePredicate predicate = new ERC20BalancePredicate(registry);
        Token20 token = new Token20();
        token.mint(holder, 10);
        bytes memory call =
            abi.encodeWithSignature("configureToolERC20(uint256,address,uint256)", TOOL, address(token), 10);
        _configure("ERC20BalancePredicate", true, address(predicate), call);
        _measure("ERC20BalancePredicate", predicate, "");
    }

    function test_Gas_TraitGated() public {
        TraitGatedPredicate predicate = new TraitGatedPredicate(registry);
        Collection721 collection = new Collection721();
        Traits traits = new Traits();
        collection.mint(holder, 7);
        traits.setTrait(7, "rank", "captain");
        uint256[2] memory counts = [1, predicate.MAX_ALLOWED_VALUES()];
        for (uint256 i = 0; i < counts.length; i++) {
            bytes32[] memory values = new bytes32[](counts[i]);
            for (uint256 j = 0; j < counts[i]; j++) {
                values[j] = bytes32(j + 1);
            }
            values[counts[i] - 1] = "captain";
            string memory label = _name("TraitGatedPredicate, ", counts[i], false);
            bytes memory call = abi.encodeWithSignature(
                "configureToolTrait(uint256,address,address,bytes32,bytes32[])",
                TOOL,
                address(collection),
                address(traits),
                bytes32("rank"),
                values
            );
            _configure(label, true, address(predicate), call);
            _measure(label, predicate, abi.encode(7));
        }
    }

    function test_Gas_MerkleAllowlist() public {
        MerkleAllowlistPredicate predicate = new MerkleAllowlistPredicate(registry);
        bytes32[] memory proof = new bytes32[](20);
        bytes32 node = predicate.leafOf(TOOL, holder);
        for (uint256 i = 0; i < proof.length; i++) {
            proof[i] = keccak256(abi.encode(i));
            node = node < proof[i] ? keccak256(abi.encode(node, proof[i])) : keccak256(abi.encode(proof[i], node));
        }
        bytes memory call = abi.encodeCall(MerkleAllowlistPredicate.setAllowlistRoot, (TOOL, node));
        _configure("MerkleAllowlistPredicate", true, address(predicate), call);
        _measure("MerkleAllowlistPredicate, a million accounts", predicate, abi.encode(proof));
    }

    function test_Gas_AccessProof() public {
        AccessProofPredicate predicate = new AccessProofPredicate(registry);
        uint64 deadline = uint64(block.timestamp + 300);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, predicate.digestOf(TOOL, holder, deadline));
        _measure("AccessProofPredicate, key", predicate, abi.encode(deadline, abi.encodePacked(r, s, v)));
    }

    function test_Gas_Composite() public {
        CompositePredicate predicate = new CompositePredicate(registry);
        uint256[5] memory counts = [1, 2, 3, 5, predicate.MAX_TERMS_PER_COMPOSITION()];
        for (uint256 i = 0; i < counts.length; i++) {
            Term[] memory terms = new Term[](counts[i]);
            for (uint256 j = 0; j < counts[i]; j++) {
                terms[j].predicate = address(new MinimalGrantingPredicate());
            }
            string memory label = _name("CompositePredicate, ", counts[i], false);
            bytes memory call = abi.encodeCall(CompositePredicate.setComposition, (TOOL, 0, terms));
            _configure(label, true, address(predicate), call);
            _measure(label, predicate, "");
            if (counts[i] != predicate.MAX_TERMS_PER_COMPOSITION()) continue;
            bytes memory data = abi.encodeWithSelector(predicate.PER_TERM(), new bytes[](counts[i]));
            _measure(string.concat(label, ", data per term"), predicate, data);
        }
    }

    /// @dev What a predicate's call to a token costs.
    function test_Gas_tokenCall() public {
        address implementation = address(new Collection721());
        bytes memory mint = abi.encodeCall(Collection721.mint, (holder, 1));
        address[3] memory tokens = [
            address(new Collection721()),
            address(new ERC1967Proxy(implementation, mint)),
            _beaconProxy(implementation, mint)
        ];
        string[3] memory labels = ["plain", "behind an ERC-1967 proxy", "behind a beacon proxy"];
        for (uint256 i = 0; i < tokens.length; i++) {
            (, uint256 execution) = _call(tokens[i], abi.encodeCall(ERC721.balanceOf, (holder)));
            vm.snapshotValue("Tokens.execution", labels[i], execution);
        }
    }

    function test_Gas_listStorage() public {
        Lists lists = new Lists();
        uint256[5] memory counts = [uint256(1), 2, 3, 5, 10];
        for (uint256 i = 0; i < counts.length; i++) {
            uint256[] memory words = new uint256[](counts[i]);
            for (uint256 j = 0; j < counts[i]; j++) {
                words[j] = uint256(keccak256(abi.encode(j)));
            }
            lists.set(words);
            (, uint256 fromStorage) = _call(address(lists), abi.encodeCall(Lists.fromStorage, ()));
            (, uint256 fromCode) = _call(address(lists), abi.encodeCall(Lists.fromCode, ()));
            vm.snapshotValue("Lists.execution", _name("from storage, ", counts[i], false), fromStorage);
            vm.snapshotValue("Lists.execution", _name("from code, ", counts[i], false), fromCode);
        }
    }

    function test_Gas_AlwaysDeny() public {
        AlwaysDenyPredicate predicate = new AlwaysDenyPredicate();
        (, uint256 execution) =
            _call(address(predicate), abi.encodeCall(IAccessPredicate.hasAccess, (TOOL, holder, "")));
        vm.snapshotValue("Predicates.execution", "AlwaysDenyPredicate", execution);
    }

    /// @dev Configures the tool and records the gas of the transaction, as if it were the first configuration.
    function _configure(string memory label, bool isRecorded, address predicate, bytes memory call) internal {
        uint256 state = vm.snapshotState();
        vm.store(predicate, keccak256(abi.encode(TOOL, uint256(0))), 0);
        (uint256 transaction,) = _call(predicate, call);
        vm.revertToState(state);
        _call(predicate, call);
        if (isRecorded) vm.snapshotValue("Predicates.configuration", label, transaction);
    }

    function _measure(string memory label, IAccessPredicate predicate, bytes memory data) internal {
        bytes memory call = abi.encodeCall(IAccessPredicate.hasAccess, (TOOL, holder, data));
        (, uint256 execution) = _call(address(predicate), call);
        assertTrue(predicate.hasAccess(TOOL, holder, data), "the holder was denied");
        vm.snapshotValue("Predicates.execution", label, execution);
        vm.snapshotValue("Predicates.needs", label, _minGas(address(predicate), call));
    }

    /// @dev The lowest gas limit at which `hasAccess` succeeds. Exceeds the gas used, because stipends must be available in
    ///      full. Rounded up to hundreds.
    function _minGas(address predicate, bytes memory call) internal returns (uint256 gas) {
        uint256 insufficient = 0;
        gas = 200_000;
        while (gas - insufficient > 100) {
            uint256 middle = (gas + insufficient) / 2;
            (bool ok,) = predicate.call{ gas: middle }(call);
            if (ok) gas = middle;
            else insufficient = middle;
        }
        // The gas limit of an isolated call includes the transaction's calldata gas.
        gas = (gas - _calldataGas(call) + 99) / 100 * 100;
    }

    function _name(string memory label, uint256 count, bool proxied) internal pure returns (string memory) {
        return string.concat(label, vm.toString(count), proxied ? ", behind proxies" : "");
    }

    function _beaconProxy(address implementation, bytes memory firstCall) internal returns (address) {
        return address(new BeaconProxy(address(new UpgradeableBeacon(implementation, address(this))), firstCall));
    }

    function _collection721(bool proxied) internal returns (address collection) {
        collection = address(new Collection721());
        if (proxied) collection = address(new ERC1967Proxy(collection, abi.encodeCall(ERC721.name, ())));
    }

    function _tokens1155(uint256 groups, uint256 ids, bool proxied)
        internal
        returns (CollectionTokens[] memory tokens)
    {
        tokens = new CollectionTokens[](groups);
        for (uint256 i = 0; i < groups; i++) {
            address collection = address(new Collection1155());
            if (proxied) collection = address(new ERC1967Proxy(collection, abi.encodeCall(ERC1155.uri, (0))));
            tokens[i] = CollectionTokens({ collection: collection, tokenIds: new uint256[](ids) });
            for (uint256 j = 0; j < ids; j++) {
                tokens[i].tokenIds[j] = j;
            }
            if (i == groups - 1) Collection1155(collection).mint(holder, ids - 1);
        }
    }
}
