// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { Test } from "forge-std/Test.sol";
import { ToolRegistry } from "src/ToolRegistry.sol";
import { AccessRequirement, IAccessPredicate, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IAlwaysDenied } from "src/interfaces/IRequirementTypes.sol";
import {
    AccessView,
    ILens,
    MeasuredCall,
    Measurement,
    RequirementsView,
    TermView,
    ToolStatus,
    ToolView
} from "src/interfaces/periphery/ILens.sol";
import { BoundedCallLib } from "src/libraries/BoundedCallLib.sol";
import { DeploylessCall } from "src/periphery/DeploylessCall.sol";
import { Lens } from "src/periphery/Lens.sol";
import { AlwaysDenyPredicate } from "src/predicates/AlwaysDenyPredicate.sol";
import { CompositePredicate, Term } from "src/predicates/CompositePredicate.sol";
import { MerkleAllowlistPredicate } from "src/predicates/MerkleAllowlistPredicate.sol";

/// @dev Grants access and returns requirements of the given size.
contract SizedRequirements {
    uint256 private immutable ENTRIES;
    uint256 private immutable DATA_BYTES;
    uint256 private immutable LABEL_BYTES;

    constructor(uint256 entries, uint256 dataBytes, uint256 labelBytes) {
        (ENTRIES, DATA_BYTES, LABEL_BYTES) = (entries, dataBytes, labelBytes);
    }

    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        return true;
    }

    function getRequirements(uint256) external view returns (AccessRequirement[] memory list, RequirementLogic logic) {
        list = new AccessRequirement[](ENTRIES);
        for (uint256 i = 0; i < ENTRIES; i++) {
            list[i].data = new bytes(DATA_BYTES);
            list[i].label = string(new bytes(LABEL_BYTES));
        }
        logic = RequirementLogic.AND;
    }
}

/// @dev Returns as many bytes as a gas limit of a million allows.
contract LargeReturnData {
    fallback() external {
        assembly ("memory-safe") {
            return(0, 500000)
        }
    }
}

/// @dev Compiled like `src`: without via-IR the decoder of nested lists has too many stack variables.
contract LensTest is Test {
    string private constant METADATA_URI = "https://tools.example.com/.well-known/ai-tool/nft-price-oracle.json";

    address private agent = makeAddr("agent");
    address private eve = makeAddr("eve");
    ToolRegistry private registry;
    Lens private lens;
    address private granting;
    address private denying;
    address private reverting;

    function setUp() public {
        registry = new ToolRegistry();
        lens = new Lens();
        granting = address(_sized(0, 0, 0));
        denying = address(new AlwaysDenyPredicate());
        // Reverts, because it is not configured.
        reverting = address(new MerkleAllowlistPredicate(registry));
    }

    function test_ReturnsTools() external {
        uint256 open = _register(address(0));
        uint256 gated = _register(denying);
        uint256 withoutCode = _register(eve);
        uint256 gone = _register(address(0));
        registry.deregisterTool(gone);

        uint256[] memory ids = new uint256[](5);
        (ids[0], ids[1], ids[2], ids[3], ids[4]) = (open, gated, withoutCode, gone, 999);
        ToolView[] memory tools = lens.getTools(registry, ids);
        assertEq(uint8(tools[0].status), uint8(ToolStatus.Live), "open");
        assertEq(tools[0].config.metadataURI, METADATA_URI, "URI");
        assertEq(tools[1].config.accessPredicate, denying, "predicate");
        assertTrue(tools[1].predicateHasCode, "predicate has code");
        assertFalse(tools[2].predicateHasCode, "predicate without code");
        assertEq(uint8(tools[3].status), uint8(ToolStatus.Deregistered), "deregistered");
        assertEq(tools[3].config.creator, address(0), "config of a deregistered tool");
        assertEq(uint8(tools[4].status), uint8(ToolStatus.NotFound), "not found");
    }

    function test_ChecksAccess() external {
        uint256[] memory ids = new uint256[](4);
        ids[0] = _register(granting);
        ids[1] = _register(denying);
        ids[2] = _register(reverting);
        ids[3] = 999;
        AccessView[] memory results = lens.checkAccess(registry, ids, agent, new bytes[](0));
        assertTrue(results[0].ok && results[0].granted, "granted");
        assertTrue(results[1].ok && !results[1].granted, "denied");
        assertFalse(results[2].ok || results[2].granted, "unknown");
        assertFalse(results[3].ok || results[3].granted, "not found");
        assertGt(results[0].gasUsed, 0, "gas");
    }

    function test_ReturnsRequirements() external view {
        RequirementsView[] memory results = lens.getRequirements(_one(denying), _one(1));
        assertTrue(results[0].ok, "ok");
        assertEq(results[0].requirements.length, 1, "entries");
        assertEq(results[0].requirements[0].kind, type(IAlwaysDenied).interfaceId, "kind");
    }

    function test_ReportsFailedRequirements() external {
        IAccessPredicate[] memory predicates = new IAccessPredicate[](5);
        predicates[0] = IAccessPredicate(reverting);
        predicates[1] = IAccessPredicate(eve);
        predicates[2] = _sized(257, 0, 0);
        predicates[3] = _sized(1, 4097, 0);
        predicates[4] = _sized(1, 0, 257);
        RequirementsView[] memory results = lens.getRequirements(predicates, new uint256[](5));
        for (uint256 i = 0; i < predicates.length; i++) {
            assertFalse(results[i].ok, vm.toString(i));
        }
        predicates[2] = _sized(256, 0, 0);
        predicates[3] = _sized(1, 4096, 0);
        predicates[4] = _sized(1, 0, 256);
        results = lens.getRequirements(predicates, new uint256[](5));
        for (uint256 i = 2; i < predicates.length; i++) {
            assertTrue(results[i].ok, vm.toString(i));
        }
    }

    function test_ReturnsTerms() external {
        CompositePredicate composite = new CompositePredicate(registry);
        uint256 toolId = _register(address(composite));
        Term[][] memory clauses = new Term[][](2);
        clauses[0] = new Term[](2);
        clauses[0][0].predicate = granting;
        clauses[0][1].predicate = reverting;
        clauses[1] = new Term[](1);
        clauses[1][0] = Term({ predicate: denying, negate: true });
        uint256[] memory stipends = new uint256[](3);
        (stipends[0], stipends[1], stipends[2]) = (10_000, 20_000, 30_000);
        composite.setClauses(toolId, 0, clauses, stipends);

        TermView[] memory terms = lens.getTerms(composite, toolId, agent, "");
        assertEq(terms.length, 3, "terms");
        assertEq(terms[0].clause, 0, "first clause");
        assertEq(terms[1].clause, 0, "first clause, second term");
        assertEq(terms[2].clause, 1, "second clause");
        assertEq(terms[1].stipend, 20_000, "stipend");
        assertEq(terms[1].predicate, reverting, "predicate");
        assertTrue(terms[2].negate, "negated");
        assertTrue(terms[0].ok && terms[0].granted, "granted");
        assertFalse(terms[1].ok, "unknown");
        assertTrue(terms[2].ok && !terms[2].granted, "denied");
        assertGt(terms[1].gasUsed, 2100, "gas");
    }

    /// @dev Each term receives the entry that the composite passes to it.
    function test_ReturnsTerms_WhenDataIsPerTerm() external {
        CompositePredicate composite = new CompositePredicate(registry);
        uint256 toolId = _register(address(composite));
        MerkleAllowlistPredicate[2] memory lists;
        Term[] memory terms = new Term[](3);
        for (uint256 i = 0; i < 2; i++) {
            lists[i] = new MerkleAllowlistPredicate(registry);
            terms[i].predicate = address(lists[i]);
        }
        terms[2] = Term({ predicate: denying, negate: true });
        // The first list contains the account and another leaf, the second only the account.
        bytes32[] memory proof = new bytes32[](1);
        bytes32 leaf = lists[0].leafOf(toolId, agent);
        lists[0].setAllowlistRoot(toolId, keccak256(bytes.concat(proof[0], leaf)));
        lists[1].setAllowlistRoot(toolId, leaf);
        composite.setComposition(toolId, 0, terms);
        bytes[] memory entries = new bytes[](3);
        (entries[0], entries[1]) = (abi.encode(proof), abi.encode(new bytes32[](0)));

        TermView[] memory results =
            lens.getTerms(composite, toolId, agent, abi.encodeWithSelector(composite.PER_TERM(), entries));
        assertTrue(results[0].granted && results[1].granted, "entries");
        assertTrue(results[2].ok && !results[2].granted, "negated");
        (entries[0], entries[1]) = (entries[1], entries[0]);
        results = lens.getTerms(composite, toolId, agent, abi.encodeWithSelector(composite.PER_TERM(), entries));
        assertTrue(results[0].ok && results[1].ok, "entries of the other list");
        assertFalse(results[0].granted || results[1].granted, "entries of the other list");
    }

    /// @dev Large return data of one contract does not affect the others.
    function test_GivenLargeReturnData() external {
        address large = address(new LargeReturnData());
        uint256[] memory ids = new uint256[](4);
        MeasuredCall[] memory calls = new MeasuredCall[](4);
        for (uint256 i = 0; i < 4; i++) {
            ids[i] = _register(i == 3 ? granting : large);
            calls[i] = MeasuredCall({ target: large, gasLimit: 1_000_000, data: "" });
        }
        assertTrue(lens.checkAccess{ gas: 5_000_000 }(registry, ids, agent, new bytes[](0))[3].granted, "checkAccess");
        // A quarter of the gas would be used to copy the return data of one call.
        assertTrue(lens.measure{ gas: 5_000_000 }(calls)[3].ok, "measure");
    }

    function test_MeasuresCalls() external view {
        bytes memory data = abi.encodeCall(IAccessPredicate.hasAccess, (1, agent, ""));
        MeasuredCall[] memory calls = new MeasuredCall[](4);
        calls[0] = MeasuredCall({ target: reverting, gasLimit: 100_000, data: data });
        calls[1] = MeasuredCall({ target: eve, gasLimit: 100_000, data: data });
        calls[2] = MeasuredCall({ target: granting, gasLimit: 100_000, data: data });
        calls[3] = MeasuredCall({ target: granting, gasLimit: 100, data: data });
        Measurement[] memory results = lens.measure(calls);
        assertTrue(results[0].hasCode && !results[0].ok, "reverting");
        assertEq(results[0].word, 0, "word of a revert");
        // One cold storage read. The account is warm: a cold access would cost 2,600 more.
        assertGt(results[0].gasUsed, 2100, "gas of a revert");
        assertLt(results[0].gasUsed, 4000, "cold account");
        assertEq(abi.encode(results[1]), abi.encode(false, false, 0, 0), "without code");
        assertTrue(results[2].hasCode && results[2].ok && results[2].word == 1, "granting");
        assertLt(results[2].gasUsed, 1000, "gas");
        assertTrue(results[3].hasCode && !results[3].ok, "gas limit");
    }

    /// @dev With too little gas the call reverts: a result would be wrong.
    function test_RevertWhen_GasLimitCannotBeForwarded() external {
        uint256[] memory ids = _one(_register(granting));
        MeasuredCall[] memory calls = new MeasuredCall[](1);
        calls[0] = MeasuredCall({ target: granting, gasLimit: type(uint256).max, data: "" });
        _assertNotEnoughGas(10_000_000, abi.encodeCall(lens.measure, (calls)));
        _assertNotEnoughGas(1_000_000, abi.encodeCall(lens.checkAccess, (registry, ids, agent, new bytes[](0))));
        _assertNotEnoughGas(5_000_000, abi.encodeCall(lens.getRequirements, (_one(granting), ids)));
    }

    function test_WorksWithoutDeployment() external {
        uint256 toolId = _register(denying);
        bytes memory callData = abi.encodeCall(lens.getTools, (registry, _one(toolId)));
        address result = address(new DeploylessCall(type(Lens).creationCode, callData));
        (bool success, bytes memory expected) = address(lens).staticcall(callData);
        assertTrue(success, "lens");
        assertEq(result.code, expected, "result");
    }

    function test_PassesOnErrors() external {
        bytes memory callData = abi.encodeCall(lens.readRequirements, (_sized(257, 0, 0), 1));
        bytes memory code =
            bytes.concat(type(DeploylessCall).creationCode, abi.encode(type(Lens).creationCode, callData));
        vm.expectRevert(ILens.RequirementsTooLarge.selector);
        this.create(code);
    }

    function create(bytes memory code) external {
        assembly ("memory-safe") {
            if iszero(create(0, add(code, 0x20), mload(code))) {
                returndatacopy(0, 0, returndatasize())
                revert(0, returndatasize())
            }
        }
    }

    function _assertNotEnoughGas(uint256 gasLimit, bytes memory call) private view {
        (bool success, bytes memory returndata) = address(lens).staticcall{ gas: gasLimit }(call);
        assertFalse(success, "sufficient gas");
        assertEq(bytes4(returndata), BoundedCallLib.NotEnoughGas.selector, "error");
    }

    function _register(address predicate) private returns (uint256 toolId) {
        return registry.registerTool(METADATA_URI, keccak256("manifest"), predicate);
    }

    function _sized(uint256 entries, uint256 dataBytes, uint256 labelBytes) private returns (IAccessPredicate) {
        return IAccessPredicate(address(new SizedRequirements(entries, dataBytes, labelBytes)));
    }

    function _one(address predicate) private pure returns (IAccessPredicate[] memory list) {
        list = new IAccessPredicate[](1);
        list[0] = IAccessPredicate(predicate);
    }

    function _one(uint256 id) private pure returns (uint256[] memory list) {
        list = new uint256[](1);
        list[0] = id;
    }
}
