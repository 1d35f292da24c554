// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { Test } from "forge-std/Test.sol";
import { ToolRegistry } from "src/ToolRegistry.sol";
import { AccessRequirement, IAccessPredicate, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IAlwaysDenied } from "src/interfaces/IRequirementTypes.sol";
import { ILens } from "src/interfaces/periphery/ILens.sol";
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
        ILens.Tool[] memory tools = lens.getTools(registry, ids);
        assertEq(uint8(tools[0].status), uint8(ILens.Status.Live), "open");
        assertEq(tools[0].config.metadataURI, METADATA_URI, "URI");
        assertEq(tools[1].config.accessPredicate, denying, "predicate");
        assertTrue(tools[1].predicateHasCode, "predicate has code");
        assertFalse(tools[2].predicateHasCode, "predicate without code");
        assertEq(uint8(tools[3].status), uint8(ILens.Status.Deregistered), "deregistered");
        assertEq(tools[3].config.creator, address(0), "config of a deregistered tool");
        assertEq(uint8(tools[4].status), uint8(ILens.Status.NotFound), "not found");
    }

    function test_ChecksAccess() external {
        uint256[] memory ids = new uint256[](4);
        ids[0] = _register(granting);
        ids[1] = _register(denying);
        ids[2] = _register(reverting);
        ids[3] = 999;
        ILens.Access[] memory results = lens.checkAccess(registry, ids, agent, new bytes[](0));
        assertTrue(results[0].ok && results[0].granted, "granted");
        assertTrue(results[1].ok && !results[1].granted, "denied");
        assertFalse(results[2].ok || results[2].granted, "unknown");
        assertFalse(results[3].ok || results[3].granted, "not found");
        assertGt(results[0].gasUsed, 0, "gas");
    }

    function test_ReturnsRequirements() external view {
        ILens.Requirements[] memory results = lens.getRequirements(_one(denying), _one(1));
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
        ILens.Requirements[] memory results = lens.getRequirements(predicates, new uint256[](5));
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

        ILens.TermView[] memory terms = lens.getTerms(composite, toolId, agent, "");
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

    function test_MeasuresCalls() external view {
        ILens.Call[] memory calls = new ILens.Call[](2);
        calls[0] = ILens.Call({ target: reverting, data: abi.encodeCall(IAccessPredicate.hasAccess, (1, agent, "")) });
        calls[1] = ILens.Call({ target: eve, data: "" });
        ILens.Measurement[] memory results = lens.measure(calls);
        assertFalse(results[0].ok, "reverting");
        assertGt(results[0].gasUsed, 0, "gas of a revert");
        // One cold storage read. The account is warm: a cold access would cost 2,600 more.
        assertLt(results[0].gasUsed, 5000, "cold account");
        assertFalse(results[1].ok, "without code");
        assertEq(results[1].gasUsed, 0, "gas without code");
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
