// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IRegistrationScript } from "src/interfaces/periphery/IRegistrationScript.sol";
import { IMerkleAllowlistPredicate } from "src/interfaces/predicates/IMerkleAllowlistPredicate.sol";
import { BaseTest } from "test/BaseTest.sol";
import { DelegatecallAccount } from "test/mocks/DelegatecallAccount.sol";

contract RegistrationScriptTest is BaseTest {
    bytes32 private constant ROOT = keccak256("root");

    IRegistrationScript private script;
    IMerkleAllowlistPredicate private allowlist;
    DelegatecallAccount private account;

    function setUp() public override {
        super.setUp();
        script = IRegistrationScript(_deployArtifact("RegistrationScript", ""));
        allowlist =
            IMerkleAllowlistPredicate(_deployArtifact("MerkleAllowlistPredicate", abi.encode(address(registry))));
        account = new DelegatecallAccount();
        _register(address(0));
    }

    function test_RevertWhen_CalledDirectly() external {
        vm.expectRevert(IRegistrationScript.NotDelegated.selector);
        script.registerTool(registry, METADATA_URI, MANIFEST_HASH, address(0), _noCalls());
    }

    function test_RegistersAndConfigures() external {
        (bool success, bytes memory returndata) = account.run(address(script), _script(_configure(address(allowlist))));
        assertTrue(success, "failed");
        assertEq(abi.decode(returndata, (uint256)), 2, "tool id");
        assertConfig(registry, 2, _config(address(account), METADATA_URI, MANIFEST_HASH, address(allowlist)));
        assertEq(allowlist.getAllowlistRoot(2), ROOT, "configured with the id");
        assertEq(allowlist.getAllowlistRoot(999), 0, "configured with the placeholder");
    }

    function test_RevertWhen_AConfigurationReverts() external {
        // The predicate of another registry knows no tool 2.
        address otherRegistry = _deployArtifact("ToolRegistry", "");
        address other = _deployArtifact("MerkleAllowlistPredicate", abi.encode(otherRegistry));
        _assertReverts(_configure(other), abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, 2));
    }

    function test_RevertWhen_ATargetHasNoCode() external {
        _assertReverts(_configure(eve), abi.encodeWithSelector(IRegistrationScript.NoCode.selector, eve));
    }

    function test_RevertWhen_CallDataIsTooShort() external {
        IRegistrationScript.ConfigurationCall[] memory calls = _configure(address(allowlist));
        calls[0].data = new bytes(35);
        _assertReverts(calls, abi.encodeWithSelector(IRegistrationScript.NoToolId.selector, 0));
    }

    function test_RunsForTheDelegatingAccount() external {
        address owner = _delegatingAccount();
        vm.prank(owner);
        (bool success,) = owner.call(_script(_configure(address(allowlist))));
        assertTrue(success, "failed");
        assertEq(registry.getToolConfig(2).creator, owner, "creator");
        assertEq(allowlist.getAllowlistRoot(2), ROOT, "configured");
    }

    function test_RevertWhen_AnotherAccountCallsTheDelegatingAccount() external {
        address owner = _delegatingAccount();
        vm.prank(eve);
        (bool success, bytes memory reason) = owner.call(_script(_noCalls()));
        assertFalse(success, "another account registered a tool for the owner");
        assertEq(reason, abi.encodeWithSelector(IRegistrationScript.NotTheAccount.selector, eve), "reason");
        assertEq(registry.toolCount(), 1, "tools");
    }

    function _delegatingAccount() private returns (address owner) {
        owner = makeAddr("owner");
        vm.etch(owner, bytes.concat(hex"ef0100", bytes20(address(script))));
    }

    function _assertReverts(IRegistrationScript.ConfigurationCall[] memory calls, bytes memory reason) private {
        (bool success, bytes memory returndata) = account.run(address(script), _script(calls));
        assertFalse(success, "did not revert");
        assertEq(returndata, reason, "reason");
        assertEq(registry.toolCount(), 1, "tools");
    }

    function _configure(address target) private pure returns (IRegistrationScript.ConfigurationCall[] memory calls) {
        calls = new IRegistrationScript.ConfigurationCall[](1);
        calls[0].target = target;
        calls[0].data = abi.encodeCall(IMerkleAllowlistPredicate.setAllowlistRoot, (999, ROOT));
    }

    function _noCalls() private pure returns (IRegistrationScript.ConfigurationCall[] memory) { }

    function _script(IRegistrationScript.ConfigurationCall[] memory calls) private view returns (bytes memory) {
        address predicate = calls.length == 0 ? address(0) : address(allowlist);
        return abi.encodeCall(script.registerTool, (registry, METADATA_URI, MANIFEST_HASH, predicate, calls));
    }
}
