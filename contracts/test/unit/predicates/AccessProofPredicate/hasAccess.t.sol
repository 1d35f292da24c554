// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { stdJson } from "forge-std/StdJson.sol";
import { AccessRequirement, IAccessPredicate, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IAccessProof } from "src/interfaces/IRequirementTypes.sol";
import { IERC1271 } from "src/interfaces/external/IERC1271.sol";
import { IAccessProofPredicate } from "src/interfaces/predicates/IAccessProofPredicate.sol";
import { ICompositePredicate, Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { IConfiguredPredicate } from "src/interfaces/predicates/IConfiguredPredicate.sol";
import { IPredicate } from "src/interfaces/predicates/IPredicate.sol";
import { IStipendPredicate } from "src/interfaces/predicates/IStipendPredicate.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ContractAccount } from "test/mocks/ContractAccount.sol";
import { ERC1271Wallet } from "test/mocks/ERC1271Wallet.sol";
import { MultisigWallet } from "test/mocks/MultisigWallet.sol";
import { Behavior, Script, ScriptedPredicate } from "test/mocks/ScriptedPredicate.sol";
import { GasConsumingToken } from "test/mocks/tokens/GasConsumingToken.sol";
import { MinGasToken } from "test/mocks/tokens/MinGasToken.sol";

/// @notice A row of access_proof.json.
struct Row {
    IAccessProofPredicate predicate;
    uint256 chainId;
    uint256 toolId;
    address account;
    uint64 deadline;
    address signer;
    bytes data;
}

contract AccessProofHasAccessTest is BaseTest {
    using stdJson for string;

    uint256 private constant ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
    uint256 private constant KEY = 0xa11ce;
    uint64 private constant DEADLINE = 1_749_158_400;

    IAccessProofPredicate private predicate;
    uint256 private toolId;
    address private signer;

    function setUp() public override {
        super.setUp();
        predicate = IAccessProofPredicate(_deployArtifact("AccessProofPredicate", abi.encode(registry)));
        toolId = _register(address(predicate));
        signer = vm.addr(KEY);
        vm.warp(DEADLINE - 100);
    }

    /* VECTORS */

    function test_Vectors() external {
        // B-11, B-13, B-14, T-52
        string memory json = vm.readFile("tests/vectors/access_proof.json");
        bytes32 typeHash = json.readBytes32(".accessProof.typeHash");
        assertEq(typeHash, keccak256(bytes(json.readString(".accessProof.type"))), "type hash");
        uint256 rows = 0;
        for (string memory at = _at(0); json.keyExists(at); at = _at(rows)) {
            Row memory row = _row(json, at);
            bytes32 message = keccak256(abi.encode(typeHash, row.toolId, row.account, row.deadline));
            assertEq(message, json.readBytes32(string.concat(at, ".structHash")), "struct hash");
            bytes32 domain = row.predicate.domainSeparator();
            assertEq(domain, json.readBytes32(string.concat(at, ".domainSeparator")), "domain separator");
            bytes32 digest = row.predicate.digestOf(row.toolId, row.account, row.deadline);
            assertEq(digest, json.readBytes32(string.concat(at, ".digest")), "digest");
            assertEq(abi.encode(row.deadline, json.readBytes(string.concat(at, ".signature"))), row.data, "data");
            bool granted = row.predicate.hasAccess(row.toolId, row.account, row.data);
            assertEq(granted, row.signer == row.account, json.readString(string.concat(at, ".why")));
            rows++;
        }
        assertEq(rows, vm.split(json, '"structHash":').length - 1, "number of rows run differs from the file");
        assertGt(rows, 5, "too few rows were run");
    }

    function test_Vectors_WrongContext() external {
        // B-13
        string memory json = vm.readFile("tests/vectors/access_proof.json");
        uint256 rows = 0;
        for (string memory at = _at(0); json.keyExists(at); at = _at(rows)) {
            rows++;
            Row memory row = _row(json, at);
            if (row.signer != row.account) continue;
            assertTrue(row.predicate.hasAccess(row.toolId, row.account, row.data), "the proof is invalid");
            assertFalse(row.predicate.hasAccess(row.toolId + 1, row.account, row.data), "other tool");
            assertFalse(row.predicate.hasAccess(row.toolId, eve, row.data), "other account");
            assertFalse(predicate.hasAccess(row.toolId, row.account, row.data), "other predicate");
            vm.chainId(row.chainId + 1);
            assertFalse(row.predicate.hasAccess(row.toolId, row.account, row.data), "other chain");
            vm.chainId(row.chainId);
            if (row.deadline == type(uint64).max) continue;
            vm.warp(uint256(row.deadline) + 1);
            assertFalse(row.predicate.hasAccess(row.toolId, row.account, row.data), "after the deadline");
        }
        assertEq(rows, vm.split(json, '"structHash":').length - 1, "number of rows run differs from the file");
    }

    /* SIGNED MESSAGE */

    function test_WhenPackedHashIsSigned() external {
        // B-14, T-52
        string memory json = vm.readFile("tests/vectors/access_proof.json");
        uint256 key = uint256(json.readBytes32(".keys.caller.privateKey"));
        bytes32 typeHash = json.readBytes32(".accessProof.typeHash");
        uint256 rows = 0;
        for (string memory at = _at(0); json.keyExists(at); at = _at(rows)) {
            Row memory row = _row(json, at);
            bytes32 packed = keccak256(abi.encodePacked(typeHash, row.toolId, row.account, row.deadline));
            assertEq(packed, json.readBytes32(string.concat(at, ".wrong.packedStructHash")), "packed struct hash");
            bytes32 digest = keccak256(abi.encodePacked(hex"1901", row.predicate.domainSeparator(), packed));
            assertEq(vm.addr(key), row.account, "the key does not belong to the account");
            bytes memory data = abi.encode(row.deadline, _sign(key, digest));
            assertFalse(row.predicate.hasAccess(row.toolId, row.account, data), "packed members were accepted");
            rows++;
        }
        assertGt(rows, 5, "too few rows were run");
    }

    function test_WhenRawHashIsSigned() external view {
        // B-12
        bytes32 message = keccak256(
            abi.encode(
                keccak256("AccessProof(uint256 toolId,address account,uint64 deadline)"), toolId, signer, DEADLINE
            )
        );
        bytes32 digest = predicate.digestOf(toolId, signer, DEADLINE);
        bytes32[6] memory raw = [
            message,
            keccak256(abi.encode(toolId, signer, DEADLINE)),
            keccak256(abi.encodePacked(toolId, signer, DEADLINE)),
            keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", message)),
            keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", digest)),
            keccak256(abi.encodePacked(predicate.domainSeparator(), message))
        ];
        for (uint256 i = 0; i < raw.length; i++) {
            bytes memory data = abi.encode(DEADLINE, _sign(KEY, raw[i]));
            assertFalse(predicate.hasAccess(toolId, signer, data), "a hash without the domain was accepted");
        }
        assertTrue(predicate.hasAccess(toolId, signer, abi.encode(DEADLINE, _sign(KEY, digest))), "digest");
    }

    function test_WhenDeadlinePasses() external {
        // B-13
        bytes memory data = _proof(signer);
        vm.warp(DEADLINE);
        assertAccess(registry, toolId, signer, data, true, true);
        vm.warp(DEADLINE + 1);
        assertAccess(registry, toolId, signer, data, true, false);
        uint64[2] memory others = [uint64(DEADLINE + 1), type(uint64).max];
        for (uint256 i = 0; i < others.length; i++) {
            bytes memory later = abi.encode(others[i], _sign(KEY, predicate.digestOf(toolId, signer, DEADLINE)));
            assertFalse(predicate.hasAccess(toolId, signer, later), "an unsigned deadline was accepted");
        }
    }

    /* SIGNATURE FORMAT */

    function test_WhenSIsHigh() external view {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, predicate.digestOf(toolId, signer, DEADLINE));
        bytes32 high = bytes32(ORDER - uint256(s));
        uint8 flipped = v == 27 ? 28 : 27;
        bytes32 digest = predicate.digestOf(toolId, signer, DEADLINE);
        assertEq(ecrecover(digest, flipped, r, high), signer, "the high-s signature recovers to another account");
        bytes memory model = abi.encode(DEADLINE, abi.encodePacked(r, high, flipped));
        assertFalse(predicate.hasAccess(toolId, signer, model), "the high-s signature was accepted");
        assertTrue(predicate.hasAccess(toolId, signer, abi.encode(DEADLINE, abi.encodePacked(r, s, v))), "signature");
    }

    function test_WhenVIsInvalid() external view {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, predicate.digestOf(toolId, signer, DEADLINE));
        for (uint256 other = 0; other < 256; other++) {
            bytes memory data = abi.encode(DEADLINE, abi.encodePacked(r, s, uint8(other)));
            assertEq(predicate.hasAccess(toolId, signer, data), other == v, "v");
        }
    }

    function test_WhenSignatureHasWrongLength() external view {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, predicate.digestOf(toolId, signer, DEADLINE));
        bytes memory whole = bytes.concat(abi.encodePacked(r, s, v), new bytes(70));
        for (uint256 length = 0; length < whole.length; length++) {
            bytes memory signature = new bytes(length);
            for (uint256 i = 0; i < length; i++) {
                signature[i] = whole[i];
            }
            bool granted = predicate.hasAccess(toolId, signer, abi.encode(DEADLINE, signature));
            assertEq(granted, length == 65, "length");
        }
        bytes32 compact = bytes32(uint256(s) | (uint256(v) - 27) << 255);
        bytes memory data = abi.encode(DEADLINE, abi.encodePacked(r, compact));
        assertFalse(predicate.hasAccess(toolId, signer, data), "compact signature");
    }

    function test_WhenAccountIsZero() external view {
        bytes[4] memory signatures = [
            new bytes(65),
            abi.encodePacked(bytes32(0), bytes32(0), uint8(27)),
            abi.encodePacked(bytes32(uint256(1)), bytes32(uint256(1)), uint8(0)),
            _sign(KEY, predicate.digestOf(toolId, address(0), DEADLINE))
        ];
        for (uint256 i = 0; i < signatures.length; i++) {
            bytes memory data = abi.encode(DEADLINE, signatures[i]);
            assertFalse(predicate.hasAccess(toolId, address(0), data), "the zero address was granted access");
        }
    }

    /* CONTRACT ACCOUNTS */

    function test_GivenContractAccount() external {
        ERC1271Wallet wallet = new ERC1271Wallet(signer);
        assertAccess(registry, toolId, address(wallet), _proof(address(wallet)), true, true);
        assertAccess(registry, toolId, address(wallet), _proof(signer), true, false);
        ERC1271Wallet otherWallet = new ERC1271Wallet(eve);
        assertAccess(registry, toolId, address(otherWallet), _proof(address(otherWallet)), true, false);
        vm.warp(DEADLINE + 1);
        assertAccess(registry, toolId, address(wallet), _proof(address(wallet)), true, false);
    }

    function test_GivenContractAccountFails() external {
        ScriptedPredicate wallet = new ScriptedPredicate();
        bytes memory data = _proof(address(wallet));
        bytes32 magic = bytes32(IERC1271.isValidSignature.selector);
        Script[6] memory scripts = [
            Script(Behavior.Revert, 0, 0),
            Script(Behavior.Revert, 32, uint256(magic)),
            Script(Behavior.BurnGas, 0, 0),
            Script(Behavior.InvalidOpcode, 0, 0),
            Script(Behavior.Return, 0, 0),
            Script(Behavior.Return, 31, uint256(magic))
        ];
        for (uint256 i = 0; i < scripts.length; i++) {
            wallet.setScript(IERC1271.isValidSignature.selector, scripts[i]);
            assertAccess(registry, toolId, address(wallet), data, false, false);
            vm.expectRevert(abi.encodeWithSelector(IPredicate.CallFailed.selector, address(wallet)));
            predicate.hasAccess(toolId, address(wallet), data);
        }
    }

    function test_GivenContractAccountReturnsWrongValue() external {
        ScriptedPredicate wallet = new ScriptedPredicate();
        bytes memory data = _proof(address(wallet));
        uint256 magic = uint256(bytes32(IERC1271.isValidSignature.selector));
        uint256[7] memory words =
            [uint256(0), 1, type(uint256).max, magic | 1, magic | 1 << 223, magic ^ 1 << 224, magic >> 224];
        for (uint256 i = 0; i < words.length; i++) {
            wallet.setScript(IERC1271.isValidSignature.selector, Script(Behavior.Return, 32, words[i]));
            assertAccess(registry, toolId, address(wallet), data, true, false);
        }
        wallet.setScript(IERC1271.isValidSignature.selector, Script(Behavior.Return, 32, magic));
        assertAccess(registry, toolId, address(wallet), data, true, true);
    }

    function test_GivenContractAccount_WhenGasVaries() external {
        ContractAccount caller = new ContractAccount();
        address wallet = address(new ERC1271Wallet(signer));
        address otherWallet = address(new ERC1271Wallet(eve));
        uint256 results = 0;
        for (uint256 gasLimit = 20_000; gasLimit <= 300_000; gasLimit += 491) {
            results += _assertOnlyResult(caller, wallet, gasLimit, true);
            _assertOnlyResult(caller, otherWallet, gasLimit, false);
        }
        assertGt(results, 100, "too few gas limits were sufficient");
    }

    function test_GivenContractAccount_InComposite() external {
        // Combines proof of control over the account with an access condition.
        ICompositePredicate composite = ICompositePredicate(_deployArtifact("CompositePredicate", abi.encode(registry)));
        uint256 id = _register(address(composite));
        Term[] memory terms = new Term[](2);
        terms[0].predicate = address(predicate);
        terms[1].predicate = address(grantingPredicate);
        vm.prank(creator);
        composite.setComposition(id, 0, terms);
        address wallet = address(new ERC1271Wallet(signer));
        bytes memory data = abi.encode(DEADLINE, _sign(KEY, predicate.digestOf(id, wallet, DEADLINE)));
        assertAccess(registry, id, wallet, data, true, true);
    }

    function test_GivenEOAWithCode() external {
        ScriptedPredicate code = new ScriptedPredicate();
        vm.etch(signer, address(code).code);
        bytes4 selector = IERC1271.isValidSignature.selector;
        assertAccess(registry, toolId, signer, _proof(signer), true, true);
        ScriptedPredicate(signer).setScript(selector, Script(Behavior.BurnGas, 0, 0));
        assertAccess(registry, toolId, signer, _proof(signer), true, true);

        bytes memory byOther = abi.encode(DEADLINE, _sign(KEY + 1, predicate.digestOf(toolId, signer, DEADLINE)));
        assertAccess(registry, toolId, signer, byOther, false, false);
        ScriptedPredicate(signer).setScript(selector, Script(Behavior.Return, 32, 0));
        assertAccess(registry, toolId, signer, byOther, true, false);
        ScriptedPredicate(signer).setScript(selector, Script(Behavior.Return, 32, uint256(bytes32(selector))));
        assertAccess(registry, toolId, signer, byOther, true, true);
    }

    /* STIPENDS */

    /// @dev More owners than a wallet with the first stipend can check.
    function test_GivenWalletNeedsMoreGas() external {
        MultisigWallet wallet = new MultisigWallet();
        bytes32 digest = predicate.digestOf(toolId, address(wallet), DEADLINE);
        bytes memory signatures = "";
        for (uint256 key = 1; key <= 16; key++) {
            wallet.addOwner(vm.addr(key));
            signatures = bytes.concat(signatures, _sign(key, digest));
        }
        bytes memory call = abi.encodeCall(IERC1271.isValidSignature, (digest, signatures));
        (bool success,) = address(wallet).staticcall{ gas: 95_000 }(call);
        assertFalse(success, "the wallet needs less than 95,000 gas");
        assertAccess(registry, toolId, address(wallet), abi.encode(DEADLINE, signatures), true, true);
        signatures[70] ^= 0x01;
        assertAccess(registry, toolId, address(wallet), abi.encode(DEADLINE, signatures), true, false);

        signatures[70] ^= 0x01;
        vm.prank(creator);
        predicate.setStipend(toolId, 95_000);
        assertAccess(registry, toolId, address(wallet), abi.encode(DEADLINE, signatures), false, false);
    }

    function test_CallsWithStipends() external {
        uint256 magic = uint256(bytes32(IERC1271.isValidSignature.selector));
        uint256[3] memory needs = [uint256(50_000), 60_000, 100_000];
        for (uint256 i = 0; i < 6; i++) {
            address wallet = address(new MinGasToken(needs[i % 3], magic));
            bytes memory data = _proof(wallet);
            bytes memory call = abi.encodeCall(
                IERC1271.isValidSignature,
                (predicate.digestOf(toolId, wallet, DEADLINE), _sign(KEY, predicate.digestOf(toolId, wallet, DEADLINE)))
            );
            if (i == 3) {
                vm.prank(creator);
                predicate.setStipend(toolId, 61_000);
            }
            if (i == 0) vm.expectCall(wallet, 0, 60_000, call, 1);
            if (i == 1 || i == 2) vm.expectCall(wallet, 0, 120_000, call, 1);
            if (i > 2) vm.expectCall(wallet, 0, 61_000, call, 1);
            (bool success,) =
                address(predicate).staticcall(abi.encodeCall(IAccessPredicate.hasAccess, (toolId, wallet, data)));
            assertEq(success, i != 5, "a call that failed with the chosen stipend was repeated");
        }
    }

    function test_SetStipend() external {
        uint256 max = (190_000 - 3400 - 500) * uint256(63) / 64;
        _assertStipends(60_000, 120_000);
        uint256[4] memory stipends = [uint256(2300), 100_000, max, 0];
        for (uint256 i = 0; i < stipends.length; i++) {
            vm.expectEmit(address(predicate));
            emit IStipendPredicate.StipendSet(toolId, stipends[i]);
            vm.prank(creator);
            predicate.setStipend(toolId, stipends[i]);
            if (stipends[i] == 0) _assertStipends(60_000, 120_000);
            else _assertStipends(stipends[i], stipends[i]);
        }
        uint256[4] memory invalid = [1, 2299, max + 1, type(uint256).max];
        for (uint256 i = 0; i < invalid.length; i++) {
            vm.expectRevert(abi.encodeWithSelector(IStipendPredicate.InvalidStipend.selector, invalid[i], 2300, max));
            vm.prank(creator);
            predicate.setStipend(toolId, invalid[i]);
        }
        vm.expectRevert(
            abi.encodeWithSelector(IConfiguredPredicate.CallerIsNotToolCreator.selector, toolId, address(this))
        );
        predicate.setStipend(toolId, 0);
        _assertStipends(60_000, 120_000);
    }

    /// @dev The last call with the largest stipend, and the two calls with the default ones, fit the registry's gas limit.
    function test_FitsGasLimit() external {
        uint256 magic = uint256(bytes32(IERC1271.isValidSignature.selector));
        address wallet = address(new GasConsumingToken(magic));
        address demanding = address(new MinGasToken(119_700, magic));
        assertAccess(registry, toolId, demanding, _proof(demanding), true, true);
        for (uint256 i = 0; i < 2; i++) {
            assertAccess(registry, toolId, wallet, _proof(wallet), true, true);
            vm.prank(creator);
            predicate.setStipend(toolId, (190_000 - 3400 - 500) * uint256(63) / 64);
        }
    }

    /* DATA */

    function test_WhenDataIsUndecodable() external {
        // B-15, T-52
        bytes memory validData = _proof(signer);
        bytes memory signature = _sign(KEY, predicate.digestOf(toolId, signer, DEADLINE));
        for (uint256 length = 0; length < validData.length; length++) {
            _assertDenied(_head(validData, length));
        }
        _assertDenied(bytes.concat(validData, hex"00"));
        _assertDenied(bytes.concat(validData, bytes32(0)));
        _assertDenied(signature);
        _assertDenied(abi.encodePacked(DEADLINE, signature));
        _assertDenied(abi.encode(signature, DEADLINE));
        uint256[6] memory words = [uint256(0), 32, 96, 2 ** 64, 2 ** 255, type(uint256).max];
        for (uint256 i = 0; i < words.length; i++) {
            _assertDenied(abi.encodePacked(uint256(DEADLINE), words[i], uint256(65), signature, new bytes(31)));
            _assertDenied(abi.encodePacked(uint256(DEADLINE), uint256(64), words[i], signature, new bytes(31)));
        }
        for (uint256 bit = 64; bit < 256; bit++) {
            _assertDenied(abi.encodePacked(DEADLINE | 2 ** bit, uint256(64), uint256(65), signature, new bytes(31)));
        }
        // A contract account is not called with undecodable data.
        vm.etch(signer, hex"fe");
        _assertDenied("");
        _assertDenied(_head(validData, 100));
        _assertDenied(abi.encode(type(uint256).max, signature));
    }

    function test_WhenCallerVaries() external {
        // B-10
        bytes memory data = _proof(signer);
        address[3] memory callers = [signer, eve, creator];
        for (uint256 i = 0; i < callers.length; i++) {
            vm.startPrank(callers[i], callers[i]);
            assertTrue(predicate.hasAccess(toolId, signer, data), "the result depends on the caller");
            assertFalse(predicate.hasAccess(toolId, callers[(i + 1) % 3 == 0 ? 1 : (i + 1) % 3], data), "account");
            vm.stopPrank();
        }
    }

    /* METADATA */

    function test_Identity() external view {
        // B-02, B-04
        assertIdentity(address(predicate), "AccessProofPredicate", true);
        assertEq(address(predicate.REGISTRY()), address(registry), "REGISTRY");
    }

    function test_GetRequirements() external {
        // B-03, B-11
        vm.chainId(8453);
        (AccessRequirement[] memory entries, RequirementLogic logic) = predicate.getRequirements(toolId);
        assertEq(entries.length, 1, "entries");
        assertEq(entries[0].kind, type(IAccessProof).interfaceId, "kind");
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("ERC8257-AccessProof"),
                keccak256("1"),
                uint256(8453),
                address(predicate)
            )
        );
        assertEq(entries[0].data, abi.encode(domain), "data");
        assertEq(uint256(logic), uint256(RequirementLogic.AND), "logic");
    }

    /* HELPERS */

    function _at(uint256 row) private pure returns (string memory) {
        return string.concat(".accessProof.vectors[", vm.toString(row), "]");
    }

    /// @dev Sets up a row: the predicate at the row's address and chain id, at the row's deadline.
    function _row(string memory json, string memory at) private returns (Row memory row) {
        row.predicate = IAccessProofPredicate(json.readAddress(string.concat(at, ".domain.verifyingContract")));
        row.chainId = json.readUint(string.concat(at, ".domain.chainId"));
        row.toolId = json.readUint(string.concat(at, ".message.toolId"));
        row.account = json.readAddress(string.concat(at, ".message.account"));
        row.deadline = uint64(json.readUint(string.concat(at, ".message.deadline")));
        row.signer = json.readAddress(string.concat(at, ".signer"));
        row.data = json.readBytes(string.concat(at, ".data"));
        vm.etch(address(row.predicate), address(predicate).code);
        vm.chainId(row.chainId);
        vm.warp(row.deadline);
    }

    function _sign(uint256 key, bytes32 digest) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function _proof(address account) private view returns (bytes memory) {
        return abi.encode(DEADLINE, _sign(KEY, predicate.digestOf(toolId, account, DEADLINE)));
    }

    /// @dev `gasNeeded` does not depend on the second stipend.
    function _assertStipends(uint256 first, uint256 retry) private view {
        (uint256 actualFirst, uint256 actualRetry) = predicate.getStipends(toolId);
        assertEq(abi.encode(actualFirst, actualRetry), abi.encode(first, retry), "stipends");
        assertEq(predicate.gasNeeded(toolId), first + first / 63 + 500 + 12_000, "gasNeeded");
    }

    function _assertDenied(bytes memory data) private view {
        assertFalse(predicate.hasAccess(toolId, signer, data), "undecodable data was accepted");
    }

    /// @dev Returns 1 if the call succeeded, with the expected result.
    function _assertOnlyResult(ContractAccount caller, address account, uint256 gasLimit, bool expected)
        private
        returns (uint256)
    {
        bytes memory callData = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, _proof(account)));
        (bool success, bytes memory returndata,) = caller.execute(address(predicate), gasLimit, callData);
        if (!success) return 0;
        assertEq(abi.decode(returndata, (bool)), expected, "result depends on gas");
        return 1;
    }
}
